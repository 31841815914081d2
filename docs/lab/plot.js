"use strict";
// Charts and clock faces, drawn as SVG. Colours and line styles come from lab.css, through class names.

const node = (name, attributes = {}, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.textContent = text;
  return element;
};

// The size of a drawing in pixels, measured once: to ask after every change would lay out the page anew each time.
const sizes = new Map();
function sizeOf(svg) {
  if (!sizes.has(svg)) sizes.set(svg, { width: svg.clientWidth, height: svg.clientHeight });
  return sizes.get(svg);
}

// A chart over x and y: each an object {from, to, ticks: [[value, label], ..], title}. Coordinates in pixels of the page,
// so letters keep their size on a phone.
class Plot {
  constructor(svg, x, y, label) {
    const { width, height } = sizeOf(svg);
    const left = 46, right = width - 10, top = 10, bottom = height - 38;
    Object.assign(this, { svg, left, right, top, bottom });
    this.x = (value) => left + ((value - x.from) / (x.to - x.from)) * (right - left);
    this.y = (value) => bottom - ((value - y.from) / (y.to - y.from)) * (bottom - top);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", label);
    svg.replaceChildren();

    for (const [value, text] of y.ticks) {
      svg.append(node("line", { class: "grid", x1: left, x2: right, y1: this.y(value), y2: this.y(value) }));
      svg.append(node("text", { class: "tick", x: left - 6, y: this.y(value) + 4, "text-anchor": "end" }, text));
    }
    for (const [value, text] of x.ticks) {
      svg.append(node("line", { class: "grid", x1: this.x(value), x2: this.x(value), y1: top, y2: bottom }));
      svg.append(node("text", { class: "tick", x: this.x(value), y: bottom + 16, "text-anchor": "middle" }, text));
    }
    svg.append(node("text", { class: "title", x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, x.title));
  }

  // points: [[x, y], ..]; a y that is not finite leaves a gap.
  line(kind, points) {
    let path = "", pen = "M";
    for (const [x, y] of points) {
      if (Number.isFinite(y)) path += `${pen}${this.x(x).toFixed(2)},${this.y(y).toFixed(2)}`;
      pen = Number.isFinite(y) ? "L" : "M";
    }
    this.svg.append(node("path", { class: `curve ${kind}`, d: path }));
  }

  dots(kind, points, radius = 2.5) {
    for (const [x, y] of points) {
      this.svg.append(node("circle", { class: `dot ${kind}`, cx: this.x(x), cy: this.y(y), r: radius }));
    }
  }

  // A line from bottom to top, or from side to side, with a word beside it.
  mark(kind, x, y, text = "") {
    const { left, right, top, bottom } = this, across = x === undefined;
    const at = across ? { x1: left, x2: right, y1: this.y(y), y2: this.y(y) }
                      : { x1: this.x(x), x2: this.x(x), y1: bottom, y2: top };
    this.svg.append(node("line", { class: `mark ${kind}`, ...at }));
    if (!text) return;
    if (across) {
      this.svg.append(node("text", { class: `word ${kind}`, x: right - 4, y: this.y(y) - 6, "text-anchor": "end" }, text));
    } else {
      const onRight = this.x(x) > (left + right) / 2;
      this.svg.append(node("text", { class: `word ${kind}`, x: this.x(x) + (onRight ? -6 : 6), y: top + 12,
                                     "text-anchor": onRight ? "end" : "start" }, text));
    }
  }
}

// One clock face inside an SVG. hands: [[class, sine, cosine], ..]; the angle is counted from the right, upwards.
function drawFace(svg, x, y, radius, hands, kind = "") {
  svg.append(node("circle", { class: `face ${kind}`, cx: x, cy: y, r: radius }));
  hands.forEach(([hand, sine, cosine], i) => {
    const kinds = `hand ${hand}${i + 1 < hands.length ? " under" : ""}`;
    svg.append(node("line", { class: kinds, x1: x, y1: y, x2: x + radius * cosine, y2: y - radius * sine }));
  });
}

// A large face with its axes and, between the first hand and the second, the arc of `turn` radians.
function drawDial(svg, hands, label, turn = 0) {
  const middle = 108, radius = 86;
  svg.setAttribute("viewBox", "0 0 230 216");
  svg.setAttribute("aria-label", label);
  svg.replaceChildren();
  svg.append(node("line", { class: "grid", x1: middle - radius, x2: middle + radius, y1: middle, y2: middle }));
  svg.append(node("line", { class: "grid", x1: middle, x2: middle, y1: middle - radius, y2: middle + radius }));
  if (turn !== 0) {
    const [, sine, cosine] = hands[0], arc = radius * 0.42, steps = 48;
    let path = "";
    for (let i = 0; i <= steps; ++i) {  // the first hand turned on by i / steps of the way
      const s = Math.sin((turn * i) / steps), c = Math.cos((turn * i) / steps);
      path += `${i ? "L" : "M"}${middle + arc * (cosine * c - sine * s)},${middle - arc * (sine * c + cosine * s)}`;
    }
    svg.append(node("path", { class: "arc", d: path }));
  }
  drawFace(svg, middle, middle, radius, hands);
  hands.forEach(([hand, sine, cosine], i) => {  // the second tip is smaller, so that both show where they meet
    const place = { cx: middle + radius * cosine, cy: middle - radius * sine, r: i ? 5 : 8 };
    svg.append(node("circle", { class: `tip ${hand}`, ...place }));
  });
  svg.append(node("circle", { class: "hub", cx: middle, cy: middle, r: 3.5 }));
  svg.append(node("text", { class: "tick", x: middle, y: 14, "text-anchor": "middle" }, "sin"));
  svg.append(node("text", { class: "tick", x: middle + radius + 11, y: middle + 4 }, "cos"));
}
