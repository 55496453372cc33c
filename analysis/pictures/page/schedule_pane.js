"use strict";
// The schedule, step by step. A step of the slider is a timed step with the immediate ones after it, which take no time; those
// before the first timed step belong to step 0.
const schedulePane = {
  at: 0,
  playing: null,
  markings: [],
  fired: [],
  cells: new Map(),  // step -> rectangles of the chart

  begin(schedule) {
    show("schedule");
    this.follow(schedule);
    this.chart();
    byId("step").max = this.last();
    byId("step").addEventListener("input", () => this.go(Number(byId("step").value)));
    byId("back").addEventListener("click", () => this.go(this.at - 1));
    byId("forward").addEventListener("click", () => this.go(this.at + 1));
    byId("play").addEventListener("click", () => this.play());
    this.go(0);
  },

  last() { return this.markings.length - 1; },

  // The markings after each step.
  follow(schedule) {
    this.markings = [data.net.places.map((p) => p.tokens)];
    this.fired = [[]];
    for (const step of schedule) {
      const marking = this.markings[this.last()].slice();
      for (const t of step.transitions)
        for (const [kind, p, weight] of data.net.transitions[t].arcs) {
          if (kind === "input") marking[p] -= weight;
          if (kind === "output") marking[p] += weight;
        }
      if (step.immediate) {
        this.fired[this.last()] = this.fired[this.last()].concat(step.transitions);
        this.markings[this.last()] = marking;
      } else {
        this.markings.push(marking);
        this.fired.push(step.transitions);
      }
    }
  },

  // The Gantt chart: a click on a cell goes to its step. It has the width of the page if that is readable, and is scrolled otherwise.
  chart() {
    const svg = document.querySelector("#gantt svg");
    if (!svg) return;
    for (const rectangle of svg.querySelectorAll("rect")) {
      const title = rectangle.querySelector("title");
      const match = title && /^steps? (\d+)(?:-(\d+))?: /.exec(title.textContent);
      if (!match) continue;
      const first = Number(match[1]), last = Number(match[2] || first);
      for (let step = first; step <= last; ++step) {
        if (!this.cells.has(step)) this.cells.set(step, []);
        this.cells.get(step).push(rectangle);
      }
      rectangle.style.cursor = "pointer";
      rectangle.addEventListener("click", () => {
        this.go(first);
        if (!match[2]) netPane.choose(title.textContent.slice(match[0].length));
      });
    }
    const width = svg.getBoundingClientRect().width, height = svg.getBoundingClientRect().height;
    let scale = 1;
    const zoom = (to) => {
      scale = Math.min(8, Math.max(.1, to));
      svg.setAttribute("width", Math.round(width * scale));
      svg.setAttribute("height", Math.round(height * scale));
      this.keepInView();
    };
    const fit = () => zoom(Math.min(1, byId("gantt").clientWidth / width));
    const readable = .6;
    if (byId("gantt").clientWidth > readable * width) fit();
    const larger = () => zoom(scale * 1.4), smaller = () => zoom(scale / 1.4);
    zoomButtons(byId("schedule_controls"), larger, smaller, fit);
    const pane = byId("gantt"), move = (share) => { pane.scrollLeft += share * pane.clientWidth; };
    pane.tabIndex = 0;
    pane.addEventListener("keydown", (event) => actOnKey(event, {
      w: larger, "+": larger, "=": larger, s: smaller, "-": smaller, 0: fit, a: () => move(-1 / 8), d: () => move(1 / 8) }));
  },

  go(step) {
    for (const cell of this.cells.get(this.at) || []) cell.classList.remove("now");
    this.at = Math.max(0, Math.min(step, this.last()));
    for (const cell of this.cells.get(this.at) || []) cell.classList.add("now");
    byId("step").value = this.at;
    const said = "step " + this.at + " of " + this.last();
    byId("at").textContent = said;
    byId("step").setAttribute("aria-valuetext", said);
    this.keepInView();
    const marking = this.markings[this.at], before = this.at > 0 ? this.markings[this.at - 1] : marking;
    const changed = [...marking.keys()].filter((p) => marking[p] !== before[p]);
    netPane.showStep(marking, this.fired[this.at], changed);
    this.describe(marking, before, changed);
  },

  // The chart is scrolled to the step, the page is not.
  keepInView() {
    const pane = byId("gantt"), cells = this.cells.get(this.at);
    if (!cells) return;
    const box = cells[0].getBoundingClientRect(), around = pane.getBoundingClientRect();
    if (box.left < around.left || box.right > around.right)
      pane.scrollLeft += (box.left + box.right - around.left - around.right) / 2;
  },

  // The firings, a table of their changes, and the marking.
  describe(marking, before, changed) {
    const names = this.fired[this.at].map((t) => data.net.transitions[t].id);
    const marked = [...marking.keys()].filter((p) => marking[p] > 0);
    byId("fired").textContent = names.length > 0 ? "Fired: " + names.join(", ") + "." : "Nothing has fired yet.";
    const rows = changed.map((p) => {
      const difference = marking[p] - before[p];
      return [data.net.places[p].id, before[p], marking[p], (difference > 0 ? "+" : "\u2212") + Math.abs(difference)];
    });
    byId("changes").replaceChildren(...(rows.length > 0 ? [tableOf(["place", "before", "after", "change"], rows, "What the step changed")] : []));
    byId("marking").textContent = marked.map((p) => data.net.places[p].id + (marking[p] > 1 ? " " + marking[p] : "")).join(", ");
    byId("marked").textContent = marked.length + (marked.length === 1 ? " place is marked" : " places are marked");
  },

  play() {
    const button = byId("play");
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = null;
      button.textContent = "\u25b6 Play";
      return;
    }
    if (this.at === this.last()) this.go(0);
    button.textContent = "\u275a\u275a Pause";
    this.playing = setInterval(() => { if (this.at === this.last()) this.play(); else this.go(this.at + 1); }, 350);
  },
};
