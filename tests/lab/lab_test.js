"use strict";
// Drives the page as a reader would and compares what it shows with a native program:  node lab_test.js FOLDER BROWSER
// FOLDER holds index.html, the program `expected` and playwright-core; screenshots are left there.

const { execFileSync } = require("child_process");
const { readFileSync } = require("fs");
const http = require("http");
const path = require("path");

const [folder, browserPath] = process.argv.slice(2);
const { chromium } = require(path.join(path.resolve(folder), "node_modules", "playwright-core"));
const page_url = "file://" + path.resolve(folder, "index.html");
const start = { d: 64, base: 10000, k: 3, m: 8, offset: 5, position: 16777217, factor: 8, length: 8192 };

let checks = 0;
const failures = [];
// page.waitForFunction would evaluate text inside the page, which its own security policy forbids.
async function until(page, predicate) {
  for (const end = Date.now() + 10000; !await page.evaluate(predicate);) {
    if (Date.now() > end) throw new Error(`waited in vain for ${predicate}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function check(holds, ...text) {
  ++checks;
  if (holds) return;
  failures.push(text.join(" "));
  console.log("FAILED:", ...text);
}

// ---- What is shown, as numbers ----

const number = (text) => Number(text.replace(/,/g, "").replace(/−/g, "-"));

// The text is `value` to all digits that it shows, `slack` allowed for what two machines may compute differently.
function agrees(text, value, slack) {
  const [mantissa, exponent = "0"] = text.replace(/,/g, "").replace(/−/g, "-").split("e");
  const decimals = mantissa.includes(".") ? mantissa.split(".")[1].length : 0;
  let unit = 10 ** (Number(exponent) - decimals);
  const significant = mantissa.replace(/\D/g, "").length;
  if (decimals === 0 && significant > 5) unit = 10 ** (significant - 5);  // 16,777,200 shows five or six digits
  return text !== "" && Math.abs(number(text) - value) <= 0.5000001 * unit + slack;
}

const expected = (s) => JSON.parse(execFileSync(path.join(folder, "expected"),
  [s.d, s.base, s.k, s.m, s.offset, s.position, s.factor, s.length].map(String), { encoding: "utf8" }));

// All numbers and curves of the page in one go.
const readPage = (page) => page.evaluate(() => {
  const text = (id) => document.getElementById(id).textContent;
  const shown = {};
  for (const element of document.querySelectorAll("main [id], aside [id]")) {
    if (["TD", "SPAN", "DD", "DT"].includes(element.tagName)) shown[element.id] = element.textContent;
  }
  // The value of a height in a chart, by the lines of its grid at two known values.
  const scale = (id, low, high) => {
    const lines = [...document.querySelectorAll(`#${id} .grid`)].filter((line) => line.getAttribute("y1") === line.getAttribute("y2"));
    const [y0, y1] = lines.map((line) => Number(line.getAttribute("y1")));
    return (y) => low + ((y - y0) / (y1 - y0)) * (high - low);
  };
  const wave = scale("wave", -1, 0);
  const dots = (kind) => [...document.querySelectorAll(`#wave .dot.${kind}`)].map((dot) => wave(Number(dot.getAttribute("cy"))));
  const every = [...document.querySelectorAll("#slower .tick")].some((tick) => tick.textContent === "2×") ? 1 : 2;
  const slower = scale("slower", 0, every), curves = {};
  for (const curve of document.querySelectorAll("#slower .curve")) {
    const heights = curve.getAttribute("d").match(/,[-\d.]+/g).map((y) => Number(y.slice(1)));
    curves[curve.classList[1]] = heights.map((y) => 2 ** slower(y));
  }
  const hands = (id) => [...document.querySelectorAll(`#${id} .hand`)].map((hand) => {
    const at = (name) => Number(hand.getAttribute(name)), radius = Number(document.querySelector(`#${id} .face`).getAttribute("r"));
    return [(at("y1") - at("y2")) / radius, (at("x2") - at("x1")) / radius];
  });
  const rows = {};
  for (const row of document.querySelectorAll("#scalings tbody tr")) {
    rows[row.className] = [...row.querySelectorAll("td")].map((cell) => cell.textContent);
  }
  return { shown, rows, curves, sines: dots("sine"), cosines: dots("cosine"), clock: hands("clock"), far: hands("far-clock"),
           verdict: text("phase-verdict") };
});

async function compare(page, s, when) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const { shown, rows, curves, sines, cosines, clock, far, verdict } = await readPage(page), right = expected(s);
  const same = (id, value, slack) => check(agrees(shown[id], value, slack), `${when}: ${id} shows ${shown[id]}, the library says ${value}`);
  for (const id of ["omega", "period", "move", "attention"]) same(id, right[id], Math.abs(right[id]) * 1e-14);
  for (const id of ["sin-m", "cos-m", "sin-n", "cos-n", "true-sin", "true-cos"]) same(id, right[id], 1e-15);
  for (const id of ["dot", "by-offset"]) same(id, right[id], 2e-15);
  check(number(shown.apart) <= 1e-15, `${when}: the identity is apart by ${shown.apart}`);
  for (const id of ["phase-difference", "phase-offset"]) {
    check(shown[id].replace(/ /g, "") === right.phase, `${when}: ${id} shows ${shown[id]}, the library says ${right.phase}`);
  }
  check(verdict.startsWith("✓"), `${when}: the verdict is ${verdict}`);

  // A sine of the C library may differ by a unit or two in float's last place; so may an error, which is shown to two digits.
  const float = 1.3e-7;
  same("float-angle", right["float-angle"], 0);
  for (const id of ["float-sin", "float-cos", "posenc-sin", "posenc-cos"]) same(id, right[id], float);
  for (const way of ["float", "posenc"]) {
    const error = Math.max(...["sin", "cos"].map((f) => Math.abs(right[`${way}-${f}`] - right[`true-${f}`])));
    same(`${way}-error`, error, float);
  }
  check(number(shown["posenc-error"]) <= 1.5e-7, `${when}: posenc is off by ${shown["posenc-error"]}`);

  const near = (a, b, slack) => a.length === b.length && a.every((value, i) => Math.abs(value - b[i]) <= slack);
  check(near(sines, right["wave-sin"], 1e-6) && near(cosines, right["wave-cos"], 1e-6), `${when}: the wave is another`);
  check(near(clock.flat(), [right["sin-m"], right["cos-m"], right["sin-n"], right["cos-n"]], 1e-6), `${when}: the clock's hands are others`);
  check(near(far.flat(), ["float-sin", "float-cos", "posenc-sin", "posenc-cos"].map((id) => right[id]), 1e-6), `${when}: the far hands are others`);
  for (const name of ["none", "linear", "ntk", "yarn", "llama3"]) {
    rows[name].forEach((text, i) => check(agrees(text, right[`${name}-row`][i], right[`${name}-row`][i] * 1e-13),
      `${when}: ${name} shows ${text}, the library says ${right[`${name}-row`][i]}`));
    const curve = curves[name], slower = right[`${name}-slower`];
    check(curve.length === slower.length && curve.every((value, k) => Math.abs(value / slower[k] - 1) < 2e-3), `${when}: ${name} is drawn otherwise`);
  }
}

// ---- The trials ----

async function open(browser, options, address = page_url) {
  const context = await browser.newContext(options);
  const page = await context.newPage(), requests = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => check(message.type() !== "error" && message.type() !== "warning", "console:", message.text()));
  page.on("pageerror", (error) => check(false, "page error:", error.message));
  await page.goto(address);
  await until(page, () => document.getElementById("omega").textContent !== "");
  return { page, requests };
}

async function tryControls(page) {
  const state = { ...start };
  await compare(page, state, "as opened");

  // Each slider by keyboard, and what its keys must lead to.
  const keys = {
    d: [["ArrowRight", 66], ["Home", 4], ["End", 256]],
    base: [["ArrowRight", 11000], ["Home", 10], ["End", 10000000]],
    k: [["ArrowRight", 2], ["End", 127], ["Home", 0]],  // a width of 4 has brought it down to 1
    m: [["ArrowRight", 9], ["Home", 0], ["End", 1000]],
    offset: [["ArrowLeft", 4], ["End", 50], ["Home", -50]],
    factor: [["ArrowRight", 8.5], ["Home", 1], ["End", 64]],
    length: [["ArrowRight", 16384], ["Home", 512], ["End", 131072]],
  };
  for (const name in keys) {
    for (const [key, value] of keys[name]) {
      await page.focus(`#${name}-slider`);
      await page.keyboard.press(key);
      state[name] = value;
      state.k = Math.min(state.k, state.d / 2 - 1);
      check(await page.inputValue(`#${name}`) === String(value), `${key} on ${name}: the box does not show ${value}`);
      await compare(page, state, `${key} on the slider of ${name}`);
    }
  }

  // Each by value, in an order in which every value is within its limits.
  const values = { d: [8, 66, 512, 128], base: [2, 1000000, 12345.5, 500000], k: [63, 17], m: [2 ** 40, 777], offset: [-1000000, 7, 0, -13],
                   factor: [1000, 1.25, 4], length: [16, 100000, 32768] };
  for (const name in values) {
    for (const value of values[name]) {
      await page.fill(`#${name}`, String(value));
      state[name] = value;
      state.k = Math.min(state.k, state.d / 2 - 1);
      await compare(page, state, `${value} typed for ${name}`);
    }
  }

  // A slider set by hand, at another place than its ends.
  await page.evaluate(() => {
    const slider = document.getElementById("k-slider");
    slider.value = 40;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  state.k = 40;
  check(await page.inputValue("#k") === "40", "the slider of k does not move its box");
  await compare(page, state, "the slider of k moved");

  // What cannot be is put right when the box is left, and never asked of the library.
  for (const [name, text, becomes] of [["k", "64", 63], ["d", "7", 8], ["d", "0", 4], ["factor", "0", 1], ["base", "1", 2]]) {
    await page.fill(`#${name}`, text);
    check(await page.getAttribute(`#${name}`, "aria-invalid") === "true", `${text} for ${name} is not marked`);
    await page.press(`#${name}`, "Tab");
    state[name] = becomes;
    state.k = Math.min(state.k, state.d / 2 - 1);
    check(await page.inputValue(`#${name}`) === String(becomes), `${text} for ${name} does not become ${becomes}`);
    await compare(page, state, `${text} typed for ${name}`);
  }

  await page.click("text=Qwen2.5");
  Object.assign(state, { d: 128, base: 1e6, factor: 4, length: 32768 });
  await page.click("text=Llama 3.1");
  Object.assign(state, { d: 128, base: 500000, factor: 8, length: 8192 });
  await page.fill("#k", "30");
  state.k = 30;
  await compare(page, state, "the ladder of Llama 3.1");

  // Far positions, typed in every spelling, stepped and chosen.
  for (const [text, value] of [["0", 0], ["131,072", 131072], ["2^24 + 1", 16777217], ["1e12", 1e12], ["-5", -5], ["2^40", 2 ** 40],
                               ["-2^40", -(2 ** 40)], ["1 099 511 627 775", 2 ** 40 - 1]]) {
    await page.fill("#position", text);
    state.position = value;
    await compare(page, state, `position ${text}`);
  }
  await page.press("#position", "ArrowDown");
  state.position -= 1;
  await compare(page, state, "one token back by key");
  await page.click("#on");
  state.position += 1;
  await compare(page, state, "one token on");
  await page.click("[data-position='131072']");
  state.position = 131072;
  await compare(page, state, "131,072 chosen");
  for (const text of ["2^41", "1.5", "far", ""]) {
    await page.fill("#position", text);
    check(await page.getAttribute("#position", "aria-invalid") === "true", `"${text}" is not marked as no position`);
    await compare(page, state, `"${text}" typed`);
  }
  await page.fill("#position", "4096");
  check(await page.getAttribute("#position", "aria-invalid") === "false", "a position is marked as none");

  await page.uncheck("fieldset [value='1']");
  await until(page, () => !document.querySelector("#slower .curve.linear"));
  check(await page.isHidden("#scalings tr.linear"), "a scaling that is not drawn stays in the table");
  await page.check("fieldset [value='1']");

  // A mark that has no place in its chart is spoken of instead.
  for (const [m, offset, wave, relative] of [[8, 5, "", ""], [49, -50, "Not among these tokens: n = −1.", ""],
      [1000, 51, "Not among these tokens: m = 1,000, n = 1,051.", "Not among these offsets: 51."]]) {
    await page.fill("#m", String(m));
    await page.fill("#offset", String(offset));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const said = [await page.textContent("#wave-outside"), await page.textContent("#relative-outside")];
    check(said[0] === wave && said[1] === relative, `for m ${m} and offset ${offset} the charts say ${said}`);
    const marks = await page.evaluate(() => [document.querySelectorAll("#wave .mark").length, document.querySelectorAll("#relative .mark").length]);
    check(marks[0] === 2 - (wave.match(/=/g) || []).length && marks[1] === (relative ? 0 : 1), `for m ${m} and offset ${offset} there are ${marks} marks`);
  }

  await page.click("#clocks [data-k='0']");
  check(await page.inputValue("#k") === "0", "a clock that is touched is not chosen");
}

// Where a float angle is known to fail it is shown to fail: 16777217 is no float, 131072 loses half the digits.
async function tryFarOut(page) {
  for (const [position, least] of [[131072, 7e-4], [16777217, 0.8]]) {
    const ladder = { d: 64, base: 10000, k: position === 131072 ? 1 : 0 };
    for (const name in ladder) await page.fill(`#${name}`, String(ladder[name]));
    await page.fill("#position", String(position));
    await page.waitForTimeout(50);
    const { shown } = await readPage(page);
    check(number(shown["float-error"]) >= least, `at ${position} the float angle is off by ${shown["float-error"]} only`);
    check(number(shown["posenc-error"]) <= 1.5e-7, `at ${position} posenc is off by ${shown["posenc-error"]}`);
  }
}

async function tryMoving(browser, reducedMotion) {
  const { page } = await open(browser, { reducedMotion, viewport: { width: 1280, height: 900 } });
  const between = await page.evaluate(async () => {
    const whole = new Set(), seen = new Set();
    for (let m = 0; m < 40; ++m) { library.hands(state.k, 1, m); whole.add((86 * numbers(2)[0]).toFixed(3)); }
    document.getElementById("play").click();
    const end = performance.now() + 1700;
    while (performance.now() < end) {
      await new Promise(requestAnimationFrame);
      const hand = document.querySelector("#clock .hand");
      seen.add((hand.getAttribute("y1") - hand.getAttribute("y2")).toFixed(3));
    }
    return [...seen].filter((height) => !whole.has(height) && !whole.has((-height).toFixed(3))).length;
  });
  check(reducedMotion === "reduce" ? between === 0 : between > 3, `with motion "${reducedMotion}" a hand was seen ${between} times between two tokens`);
  check(await page.getAttribute("#play", "aria-pressed") === "true", "the button does not say that it is pressed");
  await page.focus("#play");
  await page.keyboard.press("Space");
  await page.waitForTimeout(450);
  const m = Number(await page.inputValue("#m"));
  check(m >= 10, `after 1.7 s both positions have moved to m = ${m}`);
  await compare(page, { ...start, m }, "after both have moved");
  await page.waitForTimeout(700);
  check(Number(await page.inputValue("#m")) === m, "the hands go on after Stop");
  await page.context().close();
}

async function tryAccess(page, scheme) {
  const nameless = await page.evaluate(() => [...document.querySelectorAll("input, button, [role='img'], section, [tabindex]")].filter((element) => {
    const by = (element.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent || "").join("");
    const label = [...(element.labels || [])].map((one) => one.textContent).join("");
    return !(by || label || element.getAttribute("aria-label") || (element.tagName === "BUTTON" && element.textContent) || "").trim();
  }).map((element) => element.outerHTML.slice(0, 80)));
  check(nameless.length === 0, "without a name:", nameless.join(" "));

  // By Tab alone every control is reached, and seen to be.
  const all = await page.evaluate(() => {
    document.querySelector("aside button").focus();
    return document.querySelectorAll("main input, main button, aside input, aside button").length;
  });
  const reached = new Set();
  for (let i = 0; i < all + 5; ++i) {
    if (i > 0) await page.keyboard.press("Tab");
    const [key, outline] = await page.evaluate(() => {
      const element = document.activeElement;
      return [element === document.body ? "" : `${element.id}${element.textContent}${element.value}`, getComputedStyle(element).outlineWidth];
    });
    if (!key) break;
    check(outline === "3px", `${key} does not show that it has the focus`);
    reached.add(key);
  }
  check(reached.size >= all, `Tab reaches ${reached.size} of ${all} controls`);

  // Letters and lines against the card, by the formula of WCAG 2.
  const poor = await page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (name) => {
      canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const pairs = ["ink", "soft", "sine", "cosine", "key", "float", "violet", "none"].map((name) => [`--${name}`, "--card"]);
    pairs.push(["--ink", "--press"], ["--ink", "--paper"], ["--soft", "--paper"]);
    return pairs.map(([a, b]) => [a, b, (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05)]).filter(([, , ratio]) => ratio < 4.5);
  });
  check(poor.length === 0, `too little contrast in the ${scheme} scheme:`, JSON.stringify(poor));
}

async function tryWidths(browser) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [device, width, height] of [["phone", 360, 740], ["tablet", 768, 1024], ["desktop", 1280, 900]]) {
      const { page } = await open(browser, { viewport: { width, height }, colorScheme, deviceScaleFactor: device === "phone" ? 2 : 1 });
      const fits = async (when) => {
        const wide = await page.evaluate(() => {
          const beyond = [...document.querySelectorAll("body *")].filter((element) => !element.closest("svg, .scroll, .hidden") && element.getBoundingClientRect().right > innerWidth + 0.5);
          const scroll = document.querySelector(".scroll");
          return [document.documentElement.scrollWidth - innerWidth, beyond.map((element) => element.id || element.className).join(), scroll.scrollWidth - scroll.clientWidth];
        });
        const cut = await page.evaluate(() => [...document.querySelectorAll("input[type='number'], input[type='text']")]
          .filter((box) => box.scrollWidth > box.clientWidth).map((box) => `${box.id} shows ${box.value} in ${box.clientWidth} of ${box.scrollWidth} px`));
        check(cut.length === 0, `${device}, ${when}: cut: ${cut}`);
        const tables = await page.evaluate(() => [...document.querySelectorAll("table")].filter((table) => !table.closest(".scroll"))
          .map((table) => table.scrollWidth - table.parentElement.clientWidth));
        check(Math.max(...tables) <= 0, `${device}, ${when}: tables go ${tables} px beyond what holds them`);
        check(wide[0] <= 0 && !wide[1], `${device}, ${when}: ${wide[0]} px too wide, beyond the edge: ${wide[1]}`);
        check(wide[2] <= 0, `${device}, ${when}: the table of scalings is ${wide[2]} px too wide`);
      };
      await fits("as opened");
      await page.screenshot({ path: path.join(folder, `${device}-${colorScheme}.png`), fullPage: true });
      for (const [name, value] of [["d", 256], ["base", 10000000], ["factor", 1000], ["k", 126], ["m", 2 ** 40], ["offset", -1000000], ["position", -(2 ** 40)]]) {
        await page.fill(`#${name}`, String(value));
      }
      await page.waitForTimeout(100);
      await fits("with the longest numbers");
      await page.screenshot({ path: path.join(folder, `${device}-${colorScheme}-far.png`), fullPage: true });
      if (device !== "tablet") await tryAccess(page, colorScheme);
      await page.context().close();
    }
  }
}

// From a static host: the one file, and nothing else is asked for.
async function tryHost(browser) {
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url);
    response.setHeader("Content-Type", "text/html");
    response.end(readFileSync(path.join(folder, "index.html")));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { page } = await open(browser, {}, `http://127.0.0.1:${server.address().port}/lab/`);
  await compare(page, start, "from a static host");
  check(asked.join() === "/lab/", `the host was asked for ${asked}`);
  await page.context().close();
  server.close();
}

(async () => {
  let browser;
  try {
    browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  } catch (error) {
    console.log(`SKIPPED: the browser does not start: ${error.message}`);
    process.exit(77);
  }
  try {
    const { page, requests } = await open(browser, { viewport: { width: 1280, height: 900 }, offline: true });
    await tryControls(page);
    await tryFarOut(page);
    check(requests.filter((url) => !url.startsWith("data:")).join() === page_url, `the page asks for ${requests}`);
    await tryMoving(browser, "no-preference");
    await tryMoving(browser, "reduce");
    await tryWidths(browser);
    await tryHost(browser);
  } finally {
    await browser.close();
  }
  console.log(`${checks} checks, ${failures.length} failed. Screenshots: ${folder}`);
  process.exitCode = failures.length ? 1 : 0;
})();
