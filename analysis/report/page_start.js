"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const colours = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#72b7b2", "#9d755d", "#eeca3b", "#ff9da6"];
  const found = "#d1495b", bound = "#2e8b57", faint = "#66727f";
  const number = (x) => typeof x === "number" ? x.toLocaleString("en", { maximumFractionDigits: 4 }) : String(x);

  function element(tag, text, className) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function tile(parent, value, name, className) {
    const made = element("div", undefined, "tile " + (className || ""));
    made.append(element("b", typeof value === "number" ? number(value) : value), element("span", name));
    byId(parent).append(made);
  }

  function show(id) {
    const section = byId(id);
    section.hidden = false;
    const link = element("a", section.querySelector("h2").textContent);
    link.href = "#" + id;
    byId("sections").append(link);
  }

  // The net: its picture, whose nodes carry the ids of the net. What is not of the net is not clickable.
  const nodes = new Map();  // id -> { shape, tokens }, its elements in the picture
  function netSection(net) {
    tile("tiles", net.place_count, "places");
    tile("tiles", net.transition_count, "transitions");
    if (!byId("picture").firstElementChild && !byId("node").textContent) return;
    show("net");
    if (!net.places) return;
    const known = new Set([...net.places, ...net.transitions].map((node) => node.id));
    for (const group of document.querySelectorAll("#picture .node")) {
      const shape = group.querySelector("a ellipse, a polygon, a path");
      if (!known.has(group.id) || !shape) continue;
      nodes.set(group.id, { shape, tokens: null });
      group.classList.add("known");
      group.addEventListener("click", () => choose(group.id));
    }
  }

  // Tokens as text of our own in the circle of a place.
  function drawTokens(id, count) {
    const node = nodes.get(id);
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
  }

  const mark = (id, className, on) => { const node = nodes.get(id); if (node) node.shape.classList.toggle(className, on); };

  function choose(id) {
    for (const other of nodes.keys()) mark(other, "chosen", other === id);
    const panel = byId("node");
    panel.replaceChildren(element("h3", id));
    const rows = [];
    const place = data.net.places.findIndex((p) => p.id === id);
    if (place >= 0) {
      rows.push(["tokens at first", data.net.places[place].tokens]);
      if (replay) rows.push(["tokens now", replay.marking[place]]);
      for (const t of data.net.transitions)
        for (const [kind, p, weight] of t.arcs) if (p === place) rows.push([kind + " of " + t.id, weight]);
    } else {
      const t = data.net.transitions.find((x) => x.id === id);
      if (!t) return;
      if (t.immediate) rows.push(["immediate", "fires before timed ones"]);
      for (const [kind, p, weight] of t.arcs) rows.push([kind + " " + data.net.places[p].id, weight]);
    }
    const table = element("table");
    for (const row of rows) {
      const tr = element("tr");
      for (const cell of row) tr.append(element("td", String(cell)));
      table.append(tr);
    }
    panel.append(table);
  }

  // The schedule, step by step. A step of the slider is a timed step with the immediate ones after it, which
  // take no time; those before the first timed step belong to step 0.
  let replay = null;
  function scheduleSection(schedule) {
    show("schedule");
    const slider = byId("step");
    const initial = data.net.places.map((p) => p.tokens);
    const markings = [initial];
    const fired = [[]];
    for (const step of schedule) {
      const marking = markings[markings.length - 1].slice();
      for (const t of step.transitions)
        for (const [kind, p, weight] of data.net.transitions[t].arcs) {
          if (kind === "input") marking[p] -= weight;
          if (kind === "output") marking[p] += weight;
        }
      if (step.immediate) {
        markings[markings.length - 1] = marking;
        fired[fired.length - 1] = fired[fired.length - 1].concat(step.transitions);
      } else {
        markings.push(marking);
        fired.push(step.transitions);
      }
    }
    replay = { marking: initial };
    const cells = new Map();  // step -> rectangles
    for (const rectangle of document.querySelectorAll("#gantt rect")) {
      const title = rectangle.querySelector("title");
      const match = title && /^steps? (\d+)(?:-(\d+))?: /.exec(title.textContent);
      if (!match) continue;
      const first = Number(match[1]), last = Number(match[2] || first);
      for (let step = first; step <= last; ++step) {
        if (!cells.has(step)) cells.set(step, []);
        cells.get(step).push(rectangle);
      }
      rectangle.style.cursor = "pointer";
      rectangle.addEventListener("click", () => { go(first); if (!match[2]) choose(title.textContent.slice(match[0].length)); });
    }
    slider.max = markings.length - 1;
    let at = 0;
    function go(step) {
      for (const one of cells.get(at) || []) one.classList.remove("now");
      at = Math.max(0, Math.min(step, markings.length - 1));
      slider.value = at;
      replay.marking = markings[at];
      byId("at").textContent = "step " + at + " of " + (markings.length - 1);
      for (const one of cells.get(at) || []) {
        one.classList.add("now");
        if (playing) one.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
      const fires = new Set(fired[at]);
      data.net.transitions.forEach((transition, t) => mark(transition.id, "fires", fires.has(t)));
      const tokens = [];
      data.net.places.forEach((place, p) => {
        drawTokens(place.id, markings[at][p]);
        mark(place.id, "changed", at > 0 && markings[at][p] !== markings[at - 1][p]);
        if (markings[at][p] > 0) tokens.push(place.id + (markings[at][p] > 1 ? " " + markings[at][p] : ""));
      });
      const names = fired[at].map((t) => data.net.transitions[t].id);
      byId("fired").textContent = (names.length > 0 ? "Fired: " + names.join(", ") + ". " : "") + "Marked: " + tokens.join(", ") + ".";
    }
    let playing = null;
    byId("play").addEventListener("click", () => {
      if (playing) { clearInterval(playing); playing = null; byId("play").textContent = "\u25b6 Play"; return; }
      if (at === markings.length - 1) go(0);
      byId("play").textContent = "\u275a\u275a Pause";
      playing = setInterval(() => { if (at === markings.length - 1) byId("play").click(); else go(at + 1); }, 350);
    });
    byId("back").addEventListener("click", () => go(at - 1));
    byId("forward").addEventListener("click", () => go(at + 1));
    slider.addEventListener("input", () => go(Number(slider.value)));
    go(0);
  }

  // Upright lines with their names above the chart, each in a row of its own; what lies beyond the scale is an
  // arrow at its end.
  const markerRow = 18;
  const uprights = (marks) => ({
    id: "uprights",
    afterDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales: { x } } = chart;
      ctx.save();
      ctx.font = "12px system-ui, sans-serif";
      ctx.textBaseline = "middle";
      ctx.lineWidth = 2;
      marks.forEach((mark, row) => {
        const beyond = mark.at > x.max ? 1 : mark.at < x.min ? -1 : 0;
        const at = beyond > 0 ? area.right : beyond < 0 ? area.left : x.getPixelForValue(mark.at);
        const y = area.top - markerRow * (marks.length - row - .5);
        const label = beyond > 0 ? mark.label + " \u2192" : beyond < 0 ? "\u2190 " + mark.label : mark.label;
        ctx.strokeStyle = ctx.fillStyle = mark.colour;
        if (!beyond) {
          ctx.setLineDash([6, 4]);
          ctx.beginPath(); ctx.moveTo(at, y); ctx.lineTo(at, area.bottom); ctx.stroke();
        }
        const left = beyond < 0 || (!beyond && at + 8 + ctx.measureText(label).width < area.right);
        ctx.textAlign = left ? "left" : "right";
        const from = at + (beyond ? 0 : left ? 6 : -6);
        if (!beyond) {  // other lines pass behind a name
          const width = ctx.measureText(label).width;
          ctx.fillStyle = "#fff";
          ctx.fillRect(left ? from - 2 : from - width - 2, y - markerRow / 2, width + 4, markerRow);
          ctx.fillStyle = mark.colour;
        }
        ctx.fillText(label, from, y);
      });
      ctx.restore();
    },
  });
  const axis = (text, more) => Object.assign({ type: "linear", title: { display: true, text } }, more);
  const noAnimation = { animation: false, maintainAspectRatio: false };

  function runsSection(runs) {
    const steps = runs.steps.slice().sort((a, b) => a - b);
    if (steps.length === 0) { tile("tiles", runs.unfinished, "runs, none of which ended"); return; }
    show("runs");
    const mean = steps.reduce((sum, x) => sum + x, 0) / steps.length;
    tile("tiles", steps.length, "runs (" + runs.policy + ", " + runs.semantics + ", seed " + runs.seed + ")");
    tile("tiles", Number(mean.toFixed(2)), "steps on average");
    tile("tiles", steps[0] + " \u2013 " + steps[steps.length - 1], "steps, least to most seen");
    if (runs.unfinished) tile("tiles", runs.unfinished, "runs that did not end");
    const low = steps[0], range = steps[steps.length - 1] - low + 1;
    const width = Math.max(1, Math.ceil(range / 60));
    const bars = new Array(Math.ceil(range / width)).fill(0);
    for (const x of steps) ++bars[Math.floor((x - low) / width)];
    const datasets = [{
      label: "runs", backgroundColor: colours[0], barPercentage: 1, categoryPercentage: 1,
      data: bars.map((y, i) => ({ x: low + (i + .5) * width - .5, y })),
    }];
    const marks = [{ at: mean, label: "mean " + mean.toFixed(1), colour: faint }];
    const search = data.search;
    const extreme = search && (search.longest ? "longest" : "shortest");
    if (search && search.found != null)
      marks.push({ at: search.found, label: extreme + " run " + (search.exact ? "" : "found ") + number(search.found) + (search.exact ? ", exact" : ""), colour: found });
    if (search && search.bound != null && search.bound !== search.found)
      marks.push({ at: search.bound, label: "certified: none is " + (search.longest ? "longer" : "shorter") + " than " + number(search.bound), colour: bound });
    // The scale is that of the runs, and reaches as far as what is marked where that does not squeeze them.
    const last = low + bars.length * width - 1, reach = Math.max(range, 20) * 2;
    const near = marks.map((mark) => mark.at).filter((x) => x > low - reach && x < last + reach);
    const margin = Math.max(1, (Math.max(last, ...near) - Math.min(low, ...near)) * .03);
    const ends = { min: Math.floor(Math.min(low, ...near) - margin), max: Math.ceil(Math.max(last, ...near) + margin) };
    new Chart(byId("histogram"), {
      type: "bar", data: { datasets },
      options: {
        ...noAnimation,
        layout: { padding: { top: markerRow * marks.length } },
        scales: { x: axis("steps", { offset: false, ...ends, ticks: { precision: 0 } }), y: axis("runs", { beginAtZero: true, ticks: { precision: 0 } }) },
        plugins: { legend: { display: false }, tooltip: { callbacks: { title: (items) => {
          const first = Math.round(items[0].parsed.x - (width - 1) / 2);
          return width === 1 ? first + " steps" : first + " \u2013 " + (first + width - 1) + " steps";
        } } } },
      },
      plugins: [uprights(marks)],
    });
  }

  function searchSection(search) {
    const longest = search.longest ? "longest" : "shortest";
    if (search.found != null) tile("tiles", search.found, longest + " run found, steps" + (search.exact ? ", exact" : ""), "found");
    if (search.bound != null) tile("tiles", search.bound, "certified: " + (search.longest ? "no run is longer" : "no run is shorter"), "bound");
    const proof = element("ul");
    for (const argument of search.arguments) proof.append(element("li", argument));
    if (search.method) byId("proof").append(element("p", "Method: " + search.method + "."));
    byId("proof").append(proof);
    if (search.log.length === 0) return;
    show("search");
    const chains = new Map();
    for (const row of search.log) {
      if (!chains.has(row.chain)) chains.set(row.chain, []);
      chains.get(row.chain).push(row);
    }
    let byTime = false;
    const last = (key) => Math.max(key === "seconds" ? 1e-3 : 1, ...search.log.map((row) => row[key]));
    function datasets() {
      const key = byTime ? "seconds" : "iteration";
      const end = last(key);
      const lines = [...chains].sort((a, b) => a[0] - b[0]).map(([chain, rows]) => ({
        label: "chain " + chain, stepped: true, pointRadius: 2, borderWidth: 1.5,
        borderColor: colours[chain % colours.length], backgroundColor: colours[chain % colours.length],
        data: rows.map((row) => ({ x: row[key], y: row.value })).concat([{ x: end, y: rows[rows.length - 1].value }]),
      }));
      if (search.bound != null) lines.push({
        label: "certified " + search.bound, data: [{ x: 0, y: search.bound }, { x: end, y: search.bound }],
        borderColor: bound, borderDash: [6, 4], borderWidth: 2, pointRadius: 0,
      });
      return lines;
    }
    const chart = new Chart(byId("convergence"), {
      type: "line", data: { datasets: datasets() },
      options: { ...noAnimation, scales: { x: axis("iteration"), y: axis("steps", { ticks: { precision: 0 } }) }, interaction: { mode: "nearest", intersect: false } },
    });
    byId("axis").addEventListener("click", () => {
      byTime = !byTime;
      byId("axis").textContent = byTime ? "Show iterations instead of time" : "Show time instead of iterations";
      chart.options.scales.x.title.text = byTime ? "seconds" : "iteration";
      chart.data.datasets = datasets();
      chart.update();
    });
  }

  function comparisonSection(comparison) {
    show("comparison");
    for (const [key, name] of [["rows", "measurements"], ["pearson", "Pearson"], ["spearman", "Spearman"], ["kendall", "Kendall"],
                               ["log_correlation", "correlation of logarithms"], ["mape", "mean error, %"]])
      if (typeof comparison[key] === "number") tile("fit", comparison[key], name);
    const median = comparison.predicted && comparison.predicted.median;
    if (typeof median === "number") tile("fit", median, "median error, %");
    const points = comparison.points.filter((p) => p.measured > 0 && p.predicted > 0);
    const values = points.flatMap((p) => [p.measured, p.predicted]);
    const ends = [Math.min(...values), Math.max(...values)];
    new Chart(byId("scatter"), {
      type: "scatter",
      data: { datasets: [
        { label: "kernels", backgroundColor: colours[0], data: points.map((p) => ({ x: p.measured, y: p.predicted, kernel: p.kernel })) },
        { type: "line", label: "prediction = measurement", data: ends.map((x) => ({ x, y: x })), borderColor: faint, borderDash: [4, 4], pointRadius: 0, borderWidth: 1 },
      ] },
      options: {
        ...noAnimation,
        scales: { x: axis("measured", { type: "logarithmic" }), y: axis("predicted", { type: "logarithmic" }) },
        plugins: { tooltip: { callbacks: { label: (item) => (item.raw.kernel || "") + ": measured " + number(item.raw.x) + ", predicted " + number(item.raw.y) } } },
      },
    });
    const columns = ["kernel", "steps", "measured", "predicted", "error"].concat(
      Object.keys(comparison.points[0] || {}).filter((key) => !["kernel", "steps", "measured", "predicted", "error"].includes(key) &&
        ["number", "string"].includes(typeof comparison.points[0][key])));
    const table = byId("points");
    const head = element("tr");
    let sorted = null;
    const fill = (rows) => {
      for (const tr of [...table.querySelectorAll("tr")].slice(1)) tr.remove();
      for (const row of rows) {
        const tr = element("tr");
        for (const column of columns) tr.append(element("td", row[column] == null ? "" : number(row[column])));
        tr.firstElementChild.title = row.kernel || "";
        table.append(tr);
      }
    };
    for (const column of columns) {
      const th = element("th", column);
      th.addEventListener("click", () => {
        const sign = sorted === column ? -1 : 1;
        sorted = sign === 1 ? column : null;
        fill(comparison.points.slice().sort((a, b) => sign * (a[column] > b[column] ? 1 : a[column] < b[column] ? -1 : 0)));
      });
      head.append(th);
    }
    table.append(head);
    fill(comparison.points);
  }

  if (data.net) netSection(data.net);
  if (data.schedule) scheduleSection(data.schedule);
  if (data.runs) runsSection(data.runs);
  if (data.search) searchSection(data.search);
  if (data.comparison) comparisonSection(data.comparison);
  if (data.notes) for (const note of data.notes) byId("proof").append(element("p", note));
  if (!byId("tiles").firstElementChild) byId("overview").hidden = true;
  document.body.dataset.ready = "yes";
})();
