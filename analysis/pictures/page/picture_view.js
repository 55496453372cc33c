"use strict";
// A picture in a pane: at first as wide as the pane, from its top on; zooms by buttons, by the wheel with Ctrl and by two fingers; is moved by dragging and by
// the arrow keys; w, s, a and d do the same as in Perfetto. The visible part is its viewBox.
class PictureView {
  constructor(pane, name) {
    this.pane = pane;
    this.svg = pane.querySelector("svg");
    const [x, y, width, height] = this.svg.getAttribute("viewBox").split(/[\s,]+/).map(Number);
    this.whole = { x, y, width, height };
    this.seen = { ...this.whole };
    const natural = this.svg.getBoundingClientRect().height || height;
    this.svg.removeAttribute("width");
    this.svg.removeAttribute("height");
    // The height of the whole picture at the pane's width; a low picture gets more space for zooming.
    pane.style.aspectRatio = width + " / " + height;
    pane.style.minHeight = "240px";
    pane.style.maxHeight = "min(70vh, " + Math.ceil(Math.max(natural, 240)) + "px)";
    pane.classList.add("view");
    pane.tabIndex = 0;
    pane.setAttribute("role", "group");
    pane.setAttribute("aria-label", name + ": plus and minus, or w and s, zoom; 0 shows all of it; arrow keys, or a and d, move it");
    this.pointers = new Map();
    pane.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    pane.addEventListener("pointerdown", (event) => this.down(event));
    pane.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) pane.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    pane.addEventListener("click", (event) => { if (this.dragged) event.stopPropagation(); }, { capture: true });
    pane.addEventListener("keydown", (event) => this.key(event));
    this.draw();
    // A picture higher than the pane begins at its top, at the width of the pane or at its natural size.
    const naturalUnit = this.whole.height / natural;
    const unit = Math.max(this.whole.width / pane.getBoundingClientRect().width, naturalUnit);
    if (this.unit() > unit * 1.01) {
      this.zoom(this.unit() / unit);
      this.shift(0, -this.whole.height);
    }
  }

  draw() {
    const { x, y, width, height } = this.seen;
    this.svg.setAttribute("viewBox", [x, y, width, height].join(" "));
    // A finger scrolls the page while the whole picture is visible, and moves the picture otherwise.
    this.pane.style.touchAction = this.fits() ? "pan-x pan-y" : "none";
  }
  fits() { return this.seen.width >= this.whole.width * .999; }
  fit() { this.seen = { ...this.whole }; this.draw(); }

  // Units of the picture per pixel of the pane.
  unit() {
    const box = this.pane.getBoundingClientRect();
    return Math.max(this.seen.width / box.width, this.seen.height / box.height);
  }
  // The point of the picture at a point of the window.
  at(clientX, clientY) {
    const box = this.pane.getBoundingClientRect(), unit = this.unit();
    return { x: this.seen.x + this.seen.width / 2 + (clientX - box.left - box.width / 2) * unit,
             y: this.seen.y + this.seen.height / 2 + (clientY - box.top - box.height / 2) * unit };
  }
  centre() { return { x: this.seen.x + this.seen.width / 2, y: this.seen.y + this.seen.height / 2 }; }

  // By a factor, around a point of the picture that stays where it is.
  zoom(factor, around = this.centre()) {
    const width = Math.min(this.whole.width, Math.max(this.whole.width / 60, this.seen.width / factor));
    const scale = width / this.seen.width;
    this.seen = { x: around.x + (this.seen.x - around.x) * scale, y: around.y + (this.seen.y - around.y) * scale,
                  width, height: this.seen.height * scale };
    this.keepInside();
  }
  shift(dx, dy) {
    this.seen.x += dx;
    this.seen.y += dy;
    this.keepInside();
  }
  keepInside() {
    const { whole, seen } = this;
    seen.x = Math.min(Math.max(seen.x, whole.x), whole.x + whole.width - seen.width);
    seen.y = Math.min(Math.max(seen.y, whole.y), whole.y + whole.height - seen.height);
    this.draw();
  }
  // Centres an element, enlarged if the whole picture is too small to read.
  reveal(shape) {
    const box = shape.getBoundingClientRect();
    const middle = this.at(box.left + box.width / 2, box.top + box.height / 2);
    if (box.width < 14) this.zoom(22 / Math.max(box.width, .1), middle);
    const { x, y } = this.centre();
    this.shift(middle.x - x, middle.y - y);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / 300), this.at(event.clientX, event.clientY));
  }
  down(event) {
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.travelled = 0;
    this.dragged = false;
  }
  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    this.pointers.set(event.pointerId, now);
    if (others.length === 1) {
      const apart = (point) => Math.hypot(point.x - others[0].x, point.y - others[0].y);
      this.zoom(apart(now) / Math.max(apart(before), 1), this.at(others[0].x, others[0].y));
    } else if (others.length === 0) {
      const unit = this.unit();
      this.shift((before.x - now.x) * unit, (before.y - now.y) * unit);
      this.travelled += Math.abs(before.x - now.x) + Math.abs(before.y - now.y);
    }
    this.dragged = this.travelled > 5;
  }
  key(event) {
    const part = this.seen.width / 8;
    const larger = () => this.zoom(1.4), smaller = () => this.zoom(1 / 1.4);
    const left = () => this.shift(-part, 0), right = () => this.shift(part, 0);
    actOnKey(event, { "+": larger, "=": larger, w: larger, "-": smaller, s: smaller, 0: () => this.fit(),
                      ArrowLeft: left, a: left, ArrowRight: right, d: right,
                      ArrowUp: () => this.shift(0, -part), ArrowDown: () => this.shift(0, part) });
  }
}

// Calls what a key does.
function actOnKey(event, acts) {
  const act = acts[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
}

// Three buttons for a view: larger, smaller, all of it.
function zoomButtons(parent, larger, smaller, all) {
  for (const [text, name, act] of [["+", "zoom in", larger], ["\u2212", "zoom out", smaller], ["Fit", "show all of it", all]]) {
    const button = element("button", text);
    button.type = "button";
    button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    parent.append(button);
  }
}
