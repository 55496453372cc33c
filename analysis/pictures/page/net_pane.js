"use strict";
// The net: its picture; nodes have the ids of the net. Only nodes of the net are clickable.
const netPane = {
  nodes: new Map(),  // id -> { shape, tokens }, its elements in the picture
  numbers: new Map(),  // id -> { place } or { transition }, its number
  view: null,
  marking: null,  // of the current step of the schedule
  chosen: null,

  begin(net) {
    tile("tiles", net.place_count, "places");
    tile("tiles", net.transition_count, "transitions");
    if (!byId("picture").firstElementChild && !byId("node").textContent) return;
    show("net");
    document.querySelector("#net .hint").hidden = !byId("picture").querySelector("svg");
    if (!net.places) return;
    net.places.forEach((place, i) => this.numbers.set(place.id, { place: i }));
    net.transitions.forEach((transition, i) => this.numbers.set(transition.id, { transition: i }));
    for (const group of document.querySelectorAll("#picture .node")) {
      const shape = group.querySelector("a ellipse, a polygon, a path");
      if (!this.numbers.has(group.id) || !shape) continue;
      this.nodes.set(group.id, { shape, tokens: null });
      group.classList.add("known");
      group.addEventListener("click", () => this.choose(group.id));
    }
    if (byId("picture").querySelector("svg")) {
      this.view = new PictureView(byId("picture"), "picture of the net");
      zoomButtons(byId("net_controls"), () => this.view.zoom(1.4), () => this.view.zoom(1 / 1.4), () => this.view.fit());
      this.offerNames();
    }
  },

  // A field that finds nodes by name: the first one with the typed name, or a name that contains it.
  offerNames() {
    const field = byId("find"), names = byId("names");
    for (const id of this.nodes.keys()) names.append(new Option(id));
    const found = () => {
      const wanted = field.value.trim();
      if (!wanted) return;
      const low = wanted.toLowerCase();
      const id = this.nodes.has(wanted) ? wanted : [...this.nodes.keys()].find((name) => name.toLowerCase().includes(low));
      byId("find_result").textContent = id ? "" : "no node of this name";
      if (!id) return;
      this.choose(id);
      this.view.reveal(this.nodes.get(id).shape);
    };
    field.addEventListener("change", found);
    field.addEventListener("input", () => { if (this.nodes.has(field.value)) found(); });
    byId("net_controls").hidden = false;
  },

  // Tokens as text of our own in the circle of a place.
  drawTokens(id, count) {
    const node = this.nodes.get(id);
    if (!node || node.shape.tagName !== "ellipse") return;
    if (!node.tokens) {
      for (const old of node.shape.parentNode.querySelectorAll("text")) old.remove();
      node.tokens = document.createElementNS("http://www.w3.org/2000/svg", "text");
      node.tokens.setAttribute("x", node.shape.getAttribute("cx"));
      node.tokens.setAttribute("y", node.shape.getAttribute("cy"));
      node.tokens.setAttribute("class", "tokens");
      node.shape.parentNode.append(node.tokens);
    }
    node.tokens.textContent = count === 0 ? "" : count <= 2 ? "\u25cf".repeat(count) : String(count);
  },

  mark(id, className, on) {
    const node = this.nodes.get(id);
    if (node) node.shape.classList.toggle(className, on);
  },

  choose(id) {
    if (this.chosen !== null) this.mark(this.chosen, "chosen", false);
    this.chosen = id;
    this.mark(id, "chosen", true);
    byId("node").replaceChildren(element("h3", id), tableOf([], this.facts(id)));
  },

  // Rows with the facts about a node: tokens or kind, and its arcs.
  facts(id) {
    const { place, transition } = this.numbers.get(id) || {};
    const rows = [];
    if (place !== undefined) {
      rows.push(["tokens at first", data.net.places[place].tokens]);
      if (this.marking) rows.push(["tokens now", this.marking[place]]);
      for (const t of data.net.transitions)
        for (const [kind, p, weight] of t.arcs) if (p === place) rows.push([kind + " of " + t.id, weight]);
    } else if (transition !== undefined) {
      const t = data.net.transitions[transition];
      if (t.immediate) rows.push(["immediate", "fires before timed ones"]);
      for (const [kind, p, weight] of t.arcs) rows.push([kind + " " + data.net.places[p].id, weight]);
    }
    return rows;
  },

  // The marking after a step of the schedule, its firings, and the places that it changed.
  showStep(marking, fired, changed) {
    const before = this.shown || { fired: [], changed: [], marking: null };
    for (const t of before.fired) this.mark(data.net.transitions[t].id, "fires", false);
    for (const p of before.changed) this.mark(data.net.places[p].id, "changed", false);
    for (const t of fired) this.mark(data.net.transitions[t].id, "fires", true);
    for (const p of changed) this.mark(data.net.places[p].id, "changed", true);
    data.net.places.forEach((place, p) => {
      if (!before.marking || before.marking[p] !== marking[p]) this.drawTokens(place.id, marking[p]);
    });
    this.shown = { fired, changed, marking };
    this.marking = marking;
    if (this.chosen !== null && byId("node").firstElementChild) this.choose(this.chosen);
  },
};
