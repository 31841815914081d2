"use strict";
// The page: controls set `state`, draw() asks the library (lab.cpp) for every number and shows it.

const state = { d: 64, base: 10000, k: 3, m: 8, offset: 5, position: 16777217, factor: 8, length: 8192 };
const farthest = 2 ** 40;
const at = (id) => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// ---- The library ----------------------------------------------------------------------------------------------------

let library, memory;

// The module's few system calls: what it prints, which is the text of a refusal, goes to the console.
const system = {
  fd_write(stream, pieces, count, written) {
    const view = new DataView(memory.buffer);
    let text = "", length = 0;
    for (let i = 0; i < count; ++i) {
      const start = view.getUint32(pieces + 8 * i, true), size = view.getUint32(pieces + 8 * i + 4, true);
      text += new TextDecoder().decode(new Uint8Array(memory.buffer, start, size));
      length += size;
    }
    if (text.trim()) console.error(text.trim());
    view.setUint32(written, length, true);
    return 0;
  },
  fd_close: () => 0,
  fd_seek: () => 0,
};

async function loadLibrary() {
  const bytes = Uint8Array.from(atob(at("module").textContent.trim()), (letter) => letter.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: system });
  library = instance.exports;
  memory = library.memory;
  library._initialize();
}

// What the last call has left. A copy: memory may move when it grows.
const numbers = (count, from = 0) => Array.from(new Float64Array(memory.buffer, library.numbers_at(), from + count)).slice(from);
const phases = (count) => Array.from(new BigUint64Array(memory.buffer, library.phases_at(), count));
const pairsOf = (values) => values.flatMap((value, i) => (i % 2 ? [] : [[value, values[i + 1]]]));
const words = (address) => {
  const bytes = new Uint8Array(memory.buffer, address, 16);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
};

// ---- Numbers as text ------------------------------------------------------------------------------------------------

const minus = (text) => text.replaceAll("-", "−");
const whole = (value) => minus(value.toLocaleString("en-US", { maximumFractionDigits: 0 }));
const fixed = (value, digits) => minus(value.toFixed(digits));
// Six digits: 0.0133521, 62.8319, 47,116.9, and 1.23457e-9 where that is shorter.
const short = (value, digits = 6) => {
  if (value !== 0 && (Math.abs(value) < 1e-5 || Math.abs(value) >= 1e10)) return minus(value.toExponential(digits - 1));
  return minus(value.toLocaleString("en-US", { maximumSignificantDigits: digits }));
};
const tiny = (value) => (value === 0 ? "0" : minus(value.toExponential(1)));
const hex = ([high, low]) => [high, low].map((half) => half.toString(16).padStart(16, "0")).join("").replace(/.{8}(?!$)/g, "$& ");
const power = (base, exponent) => base + String(exponent).replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
const show = (id, text) => { at(id).textContent = text; };

// ---- Charts ---------------------------------------------------------------------------------------------------------

const steps = (from, to, step, label = String) => {
  const ticks = [];
  for (let value = from; value <= to; value += step) ticks.push([value, label(value)]);
  return ticks;
};
const unitAxis = { from: -1.12, to: 1.4, ticks: [[-1, "−1"], [0, "0"], [1, "1"]] };

function drawWave() {
  const { k, m, offset } = state, points = 491;
  const plot = new Plot(at("wave"), { from: 0, to: 49, ticks: steps(0, 49, 10), title: "position p" }, unitAxis,
                        `Sine and cosine of pair ${k} over tokens 0 to 49, a turn in ${short(library.period(k))} tokens`);
  library.wave(k, 0, 49, points);
  const curve = pairsOf(numbers(2 * points));
  plot.line("cosine", curve.map(([, c], i) => [i / 10, c]));
  plot.line("sine", curve.map(([s], i) => [i / 10, s]));
  const outside = [];
  for (const [kind, p, name] of [["cosine", m, "m"], ["key", m + offset, "n"]]) {
    if (p >= 0 && p <= 49) plot.mark(kind, p, undefined, name);
    else outside.push(`${name} = ${whole(p)}`);
  }
  show("wave-outside", outside.length ? `Not among these tokens: ${outside.join(", ")}.` : "");
  library.wave(k, 0, 49, 50);
  const tokens = pairsOf(numbers(100));
  plot.dots("cosine", tokens.map(([, c], p) => [p, c]), 2);
  plot.dots("sine", tokens.map(([s], p) => [p, s]));
}

// The hands at m, which may lie between two tokens while they move on from one to the next.
function drawHands(m) {
  const { k, offset } = state;
  library.hands(k, 1, m);
  const [sineM, cosineM] = numbers(2);
  library.hands(k, 1, m + offset);
  const [sineN, cosineN] = numbers(2);
  const turn = (library.omega(k) * offset) % (2 * Math.PI);
  drawDial(at("clock"), [["cosine", sineM, cosineM], ["key", sineN, cosineN]],
           `Clock of pair ${k}: the hands of positions ${whole(state.m)} and ${whole(state.m + offset)}`, turn);

  const pairs = state.d / 2, shown = Math.min(pairs, 32);
  const chosen = Array.from({ length: shown }, (_, i) => Math.round((i * (pairs - 1)) / Math.max(shown - 1, 1)));
  chosen[Math.round((k * (shown - 1)) / Math.max(pairs - 1, 1))] = k;  // the pair at hand is always among them
  library.hands(0, pairs, m);
  const atM = pairsOf(numbers(2 * pairs));
  library.hands(0, pairs, m + offset);
  const atN = pairsOf(numbers(2 * pairs));
  const svg = at("clocks"), { width } = sizeOf(svg);
  const columns = width / 16 > 44 ? 16 : 8, cell = width / columns, rows = Math.ceil(shown / columns);
  const size = Math.min(cell, 60);
  svg.style.height = `${rows * (size + 14)}px`;
  svg.setAttribute("viewBox", `0 0 ${width} ${rows * (size + 14)}`);
  svg.setAttribute("aria-label", `The hands of ${shown} pairs at positions ${whole(state.m)} and ${whole(state.m + offset)}`);
  svg.replaceChildren();
  chosen.forEach((pair, i) => {
    const x = ((i % columns) + 0.5) * cell, y = Math.floor(i / columns) * (size + 14) + size / 2;
    const group = node("g", { class: pair === k ? "clock chosen" : "clock", "data-k": pair });
    drawFace(group, x, y, size / 2 - 5, [["cosine", ...atM[pair]], ["key", ...atN[pair]]]);
    group.append(node("text", { class: "tick", x, y: y + size / 2 + 8, "text-anchor": "middle" }, pair));
    svg.append(group);
  });
  show("clocks-note", shown === pairs ? `All ${pairs} pairs; choose one.` : `${shown} of ${pairs} pairs; choose one.`);
}

function drawRelative() {
  const { k, offset } = state, reach = 50;
  const plot = new Plot(at("relative"), { from: -reach, to: reach, ticks: steps(-50, 50, 25, whole), title: "offset" },
                        unitAxis, `cos of omega times offset, for offsets from −50 to 50, pair ${k}`);
  library.relative(k, reach);
  const values = numbers(2 * (2 * reach + 1));
  plot.line("mean", values.slice(2 * reach + 1).map((value, i) => [i - reach, value]));
  library.wave(k, -reach, reach, 20 * reach + 1);  // the same between the tokens
  plot.line("cosine", pairsOf(numbers(2 * (20 * reach + 1))).map(([, c], i) => [i / 10 - reach, c]));
  if (Math.abs(offset) <= reach) {
    plot.mark("plain", offset);
    plot.dots("cosine", [[offset, values[offset + reach]]], 5);
  }
  show("relative-outside", Math.abs(offset) <= reach ? "" : `Not among these offsets: ${whole(offset)}.`);
}

function drawIdentity() {
  const { k, m, offset } = state;
  library.compare(k, m, m + offset);
  const [sineM, cosineM, sineN, cosineN, dot, byOffset, apart] = numbers(7);
  show("at-m", whole(m));
  show("at-n", whole(m + offset));
  for (const [id, value] of [["sin-m", sineM], ["cos-m", cosineM], ["sin-n", sineN], ["cos-n", cosineN]]) {
    show(id, fixed(value, 6));
  }
  show("dot", fixed(dot, 12));
  show("by-offset", fixed(byOffset, 12));
  show("apart", tiny(apart));
  const [high, low, offsetHigh, offsetLow] = phases(4), same = high === offsetHigh && low === offsetLow;
  show("phase-difference", hex([high, low]));
  show("phase-offset", hex([offsetHigh, offsetLow]));
  show("phase-verdict", same ? "✓ The same, bit for bit." : "✗ Not the same.");
}

function drawFar() {
  const { k, position } = state;
  library.far(k, position);
  const [angle, floatSin, floatCos, floatError, sine, cosine, error, trueSin, trueCos, gap] = numbers(10);
  const cells = { "float-sin": floatSin, "float-cos": floatCos, "posenc-sin": sine, "posenc-cos": cosine,
                  "true-sin": trueSin, "true-cos": trueCos };
  for (const id in cells) show(id, fixed(cells[id], 7));
  show("float-error", tiny(floatError));
  show("posenc-error", tiny(error));
  show("float-angle", short(angle));
  show("float-gap", short(gap));
  drawDial(at("far-clock"), [["float", floatSin, floatCos], ["sine", sine, cosine]],
           `Clock of pair ${k} at position ${whole(position)}: the hand of a float angle and posenc’s`);

  const quarters = 160, sample = 8;
  library.errors(k, quarters, sample);
  const values = pairsOf(numbers(2 * quarters));
  const lowest = -10, curve = (which) => values.map((pair, i) => [(i + 0.5) / 4, Math.max(Math.log10(pair[which]), lowest)]);
  const plot = new Plot(at("errors"),
                        { from: 0, to: 40, ticks: steps(0, 40, 10, (e) => power("2", e)), title: "position p" },
                        { from: lowest, to: 1.6, ticks: steps(-10, 0, 2, (e) => power("10", e)) },
                        `Largest error by position, for pair ${k}: the float angle’s grows, posenc’s does not`);
  plot.mark("sine", undefined, Math.log10(1.5e-7), "promised: 1.5e−7");
  plot.line("float", curve(0));
  plot.line("sine", curve(1));
  if (Math.abs(position) >= 1) plot.mark("plain", Math.log2(Math.abs(position)), undefined, "p");
}

const scalings = ["none", "linear", "ntk", "yarn", "llama3"];

function drawScalings() {
  const { d, base, k, factor, length } = state, pairs = d / 2;
  const drawn = [0, ...Array.from(document.querySelectorAll("fieldset input:checked"), (box) => Number(box.value))];
  const most = Math.max(Math.log2(factor), 1);
  const every = most > 4 ? 2 : 1;
  const xStep = [1, 2, 4, 8, 16, 32, 64].find((step) => pairs / step <= 8);
  const x = { from: 0, to: pairs - 1, ticks: steps(0, pairs - 1, xStep), title: "pair k" };
  const slower = new Plot(at("slower"), x,
                          { from: -0.08 * most, to: 1.28 * most, ticks: steps(0, most, every, (e) => `${2 ** e}×`) },
                          "How many times slower each pair turns, for each scaling");
  const longest = Math.log10(library.period(pairs - 1) * factor);
  const periods = new Plot(at("periods"), x,
                           { from: 0.5, to: 0.5 + 1.2 * (longest - 0.5), ticks: steps(1, longest, longest > 6 ? 2 : 1, (e) => power("10", e)) },
                           "The period of each pair in tokens, for each scaling");
  periods.mark("plain", undefined, Math.log10(length), "L");
  const rows = at("scalings").tBodies[0].rows;
  scalings.forEach((name, which) => {
    const attention = library.scaled(which, base, factor, length);
    const omega = numbers(pairs), period = numbers(pairs, pairs), divisor = numbers(pairs, 2 * pairs);
    const shown = drawn.includes(which);
    if (shown) {
      slower.line(name, divisor.map((value, i) => [i, Math.log2(value)]));
      periods.line(name, period.map((value, i) => [i, Math.log10(value)]));
    }
    rows[which].hidden = !shown;
    [omega[k], period[k], divisor[k]].forEach((value, i) => { rows[which].cells[i + 1].textContent = short(value, 5); });
    if (name === "yarn") show("attention", short(attention));
  });
  for (const plot of [slower, periods]) plot.mark("plain", k, undefined, `k = ${k}`);
  show("scaled-k", k);
}

function draw() {
  library.use_ladder(state.d, state.base);
  show("omega", short(library.omega(state.k)));
  show("period", short(library.period(state.k)));
  show("move", short(library.move(state.k)));
  drawWave();
  drawIdentity();
  drawHands(state.m);
  drawRelative();
  drawFar();
  drawScalings();
}

let asked = false;
function redraw() {  // once per frame, however many controls have changed
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; draw(); });
}

// What a screen reader says, when the hand has come to rest.
let speaking;
function speak() {
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    show("status", `Pair ${state.k}: omega ${at("omega").textContent} radians per token, a turn in ${at("period").textContent} ` +
                   `tokens. At position ${whole(state.position)} the float angle is wrong by ${at("float-error").textContent}.`);
  }, 700);
}

// ---- Controls -------------------------------------------------------------------------------------------------------

const same = (value) => value;
const twoDigits = (value) => Number(value.toPrecision(2));
const limits = (box) => [Number(box.min), Number(box.max)];

// A number box and a slider for one quantity. The slider may count in logarithms, and end before the box does.
const controls = {
  d: { tidy: (value) => 2 * Math.round(value / 2) },
  base: { tidy: same, toSlider: Math.log10, fromSlider: (value) => twoDigits(10 ** value) },
  k: { tidy: Math.round },
  m: { tidy: Math.round },
  offset: { tidy: Math.round },
  factor: { tidy: same },
  length: { tidy: Math.round, toSlider: Math.log2, fromSlider: (value) => 2 ** value },
};

function set(name, value) {
  const box = at(name), [least, most] = limits(box);
  state[name] = Math.min(Math.max(controls[name].tidy(value), least), most);
  if (name === "d") {  // the last pair follows
    for (const input of [at("k"), at("k-slider")]) input.max = state.d / 2 - 1;
    set("k", state.k);
  }
  showControl(name);
  redraw();
  speak();
}

function showControl(name) {
  const { toSlider = same } = controls[name], box = at(name), slider = at(`${name}-slider`);
  if (document.activeElement !== box) box.value = state[name];
  box.removeAttribute("aria-invalid");
  slider.value = toSlider(state[name]);
  slider.setAttribute("aria-valuetext", whole(state[name]) === "0" ? "0" : short(state[name]));
}

for (const name in controls) {
  const { fromSlider = same } = controls[name], box = at(name), slider = at(`${name}-slider`);
  slider.addEventListener("input", () => set(name, fromSlider(Number(slider.value))));
  box.addEventListener("input", () => {  // while typing: only what is valid is taken
    const value = box.valueAsNumber, [least, most] = limits(box);
    if (value >= least && value <= most && controls[name].tidy(value) === value) set(name, value);
    else box.setAttribute("aria-invalid", "true");
  });
  box.addEventListener("change", () => {  // done: brought within its limits
    if (Number.isFinite(box.valueAsNumber)) set(name, box.valueAsNumber);
    box.value = state[name];
    box.removeAttribute("aria-invalid");
  });
}

for (const button of document.querySelectorAll("[data-ladder]")) {
  button.addEventListener("click", () => {
    const ladder = JSON.parse(button.dataset.ladder);
    for (const name in ladder) set(name, ladder[name]);
  });
}

for (const box of document.querySelectorAll("fieldset input")) box.addEventListener("change", redraw);

at("clocks").addEventListener("click", (event) => {
  const clock = event.target.closest("[data-k]");
  if (clock) set("k", Number(clock.dataset.k));
});

// A position as typed: 131,072 or -5 or 1e12 or 2^24 + 1. NaN for anything else.
function readPosition(text) {
  const plain = text.replace(/[\s,_]/g, "").replace("−", "-");
  const parts = plain.match(/^(-?)(\d+)\^(\d+)(?:([+-])(\d+))?$/);
  const value = parts ? (parts[1] ? -1 : 1) * parts[2] ** parts[3] + Number((parts[4] || "") + (parts[5] || 0))
              : /^-?\d+(e\d+)?$/i.test(plain) ? Number(plain) : NaN;
  return Number.isInteger(value) && Math.abs(value) <= farthest ? value : NaN;
}

const typed = at("position"), hint = at("position-note").textContent;
function takePosition() {
  const value = readPosition(typed.value), valid = Number.isFinite(value);
  typed.setAttribute("aria-invalid", String(!valid));
  show("position-note", valid ? hint : "Not a whole number within ±2^40.");
  if (!valid) return;
  state.position = value;
  redraw();
  speak();
}
function stepPosition(by) {
  typed.value = whole(Math.min(Math.max(state.position + by, -farthest), farthest));
  takePosition();
}
typed.addEventListener("input", takePosition);
typed.addEventListener("keydown", (event) => {
  const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  stepPosition(by);
});
at("back").addEventListener("click", () => stepPosition(-1));
at("on").addEventListener("click", () => stepPosition(1));
for (const button of document.querySelectorAll("[data-position]")) {
  button.addEventListener("click", () => { typed.value = button.dataset.position; takePosition(); });
}

// Both positions move on, a token at a time; the hands glide there, or jump where less motion is asked for.
let playing = 0;
function play(on) {
  clearInterval(playing);
  playing = on ? setInterval(moveOn, 600) : 0;
  at("play").setAttribute("aria-pressed", String(on));
  show("play", on ? "Stop" : "Move both");
  if (on) moveOn();
}
function moveOn() {
  const from = state.m, start = performance.now();
  state.m = from < Number(at("m").max) ? from + 1 : 0;
  showControl("m");
  if (calm.matches) return redraw();
  drawWave();
  drawIdentity();
  const glide = (now) => {
    if (state.m !== from + 1) return;  // moved elsewhere meanwhile
    const way = Math.min(Math.max((now - start) / 350, 0), 1);
    drawHands(from + way * way * (3 - 2 * way));
    if (way < 1) requestAnimationFrame(glide);
  };
  requestAnimationFrame(glide);
}
at("play").addEventListener("click", () => play(!playing));

// ---- Start ----------------------------------------------------------------------------------------------------------

loadLibrary().then(() => {
  show("version", words(library.version_at()));
  typed.value = whole(state.position);
  for (const name in controls) set(name, state[name]);
  draw();
  new ResizeObserver(() => { sizes.clear(); redraw(); }).observe(document.querySelector("main"));
}).catch((error) => {
  const trouble = at("trouble");
  trouble.hidden = false;
  trouble.textContent = "The library could not be started. This page needs a browser with WebAssembly and its vector " +
                        `instructions: Chrome 91, Firefox 89, Safari 16.4 or newer. (${error.message})`;
});
