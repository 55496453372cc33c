"use strict";
// The charts, drawn anew when the page becomes light or dark.
const charts = {
  drawn: [],
  makers: [],

  // Draws a chart now and at each change of the scheme; `make` returns the options of Chart.js. `name`: for screen readers.
  add(id, name, make) {
    const canvas = byId(id);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", name);
    const draw = () => new Chart(canvas, make());
    this.makers.push(draw);
    this.prepare();
    this.drawn.push(draw());
  },
  prepare() {
    Chart.defaults.color = colour("faint");
    Chart.defaults.borderColor = colour("line");
  },
  redraw() {
    this.prepare();
    for (const chart of this.drawn) chart.destroy();
    this.drawn = this.makers.map((draw) => draw());
  },
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.redraw());

// Vertical lines with their names above the chart, each in its own row; and the breaks of the axis.
const markerRow = 18;
const uprights = (marks, breaks) => ({
  id: "uprights",
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: area, scales: { x } } = chart;
    ctx.save();
    ctx.font = "12px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.lineWidth = 2;
    for (const place of breaks) breakAxis(ctx, x.getPixelForValue(place), area);
    marks.forEach((mark, row) => {
      const at = x.getPixelForValue(mark.place);
      const y = area.top - markerRow * (marks.length - row - .5);
      ctx.strokeStyle = mark.colour;
      ctx.setLineDash([6, 4]);
      ctx.beginPath(); ctx.moveTo(at, y); ctx.lineTo(at, area.bottom); ctx.stroke();
      const width = ctx.measureText(mark.label).width;
      const left = at + 8 + width < area.right;
      ctx.textAlign = left ? "left" : "right";
      const from = at + (left ? 6 : -6);
      ctx.fillStyle = colour("paper");  // other lines pass behind a name
      ctx.fillRect(left ? from - 2 : from - width - 2, y - markerRow / 2, width + 4, markerRow);
      ctx.fillStyle = mark.colour;
      ctx.fillText(mark.label, from, y);
    });
    ctx.restore();
  },
});

// A gap in the chart and two slanted strokes on the axis.
function breakAxis(ctx, at, area) {
  ctx.fillStyle = colour("paper");
  ctx.fillRect(at - 4, area.top - 1, 8, area.bottom - area.top + 4);
  ctx.strokeStyle = colour("faint");
  ctx.setLineDash([]);
  ctx.beginPath();
  for (const x of [at - 4, at + 4]) { ctx.moveTo(x - 3, area.bottom + 6); ctx.lineTo(x + 3, area.bottom - 6); }
  ctx.stroke();
}

// An axis that is true from `low` to `high` and has a break before each value beyond: `place` is where a value is drawn.
function brokenAxis(low, high, values) {
  const room = (high - low) * .14;
  const places = new Map(), breaks = [];
  const putBeyond = (beyond, end, side) => beyond.forEach((value, i) => {
    places.set(value, end + side * room * (i + 1));
    breaks.push(end + side * room * (i + .5));
  });
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  putBeyond(distinct.filter((value) => value > high), high, 1);
  putBeyond(distinct.filter((value) => value < low).reverse(), low, -1);
  const ends = [low, high, ...places.values()];
  const margin = places.size > 0 ? room / 3 : 0;
  const beyond = new Map([...places].map(([value, place]) => [place, value]));
  return {
    breaks,
    place: (value) => places.has(value) ? places.get(value) : value,
    scale: {
      min: Math.min(...ends) - (Math.min(...ends) < low ? margin : 0), max: Math.max(...ends) + (Math.max(...ends) > high ? margin : 0),
      afterBuildTicks: (scale) => {
        scale.ticks = scale.ticks.filter((tick) => tick.value >= low && tick.value <= high).concat([...beyond.keys()].map((value) => ({ value })))
          .sort((a, b) => a.value - b.value);
      },
      ticks: { precision: 0, includeBounds: false, callback: (value) => number(beyond.has(value) ? beyond.get(value) : value) },
    },
  };
}
const axis = (text, more) => Object.assign({ type: "linear", title: { display: true, text } }, more);
const noAnimation = { animation: false, maintainAspectRatio: false };

// Number of runs per number of steps, in at most 60 bars.
function barsOf(steps) {
  const low = steps[0], range = steps[steps.length - 1] - low + 1;
  const width = Math.max(1, Math.ceil(range / 60));
  const counts = new Array(Math.ceil(range / width)).fill(0);
  for (const x of steps) ++counts[Math.floor((x - low) / width)];
  return { low, range, width, counts };
}

function runsSection(runs) {
  const steps = runs.steps.slice().sort((a, b) => a - b);
  if (steps.length === 0) { tile("tiles", runs.unfinished, "runs, none of which ended"); return; }
  const mean = steps.reduce((sum, x) => sum + x, 0) / steps.length;
  const seen = steps[0] + " \u2013 " + steps[steps.length - 1];
  tile("tiles", steps.length, "runs (" + runs.policy + ", " + runs.semantics + ", seed " + runs.seed + ")");
  if (steps[0] === steps[steps.length - 1]) {
    tile("tiles", steps[0], "steps of every run");
  } else {
    tile("tiles", Number(mean.toFixed(2)), "steps on average");
    tile("tiles", seen, "steps, least to most seen");
  }
  if (runs.unfinished) tile("tiles", runs.unfinished, "runs that did not end");
  if (steps[0] === steps[steps.length - 1]) return;  // a histogram of one bar says no more
  show("runs");
  charts.add("histogram", "Histogram of the steps of " + steps.length + " runs: " + seen + ", mean " + mean.toFixed(1),
             () => histogram(barsOf(steps), mean));
}

function histogram({ low, range, width, counts }, mean) {
  const marks = [{ at: mean, label: "mean " + number(Number(mean.toFixed(1))), colour: colour("faint") }];
  const search = data.search;
  const extreme = search && (search.longest ? "longest" : "shortest");
  if (search && search.found != null)
    marks.push({ at: search.found, colour: colour("found"),
                 label: extreme + " run " + (search.exact ? "" : "found ") + number(search.found) + (search.exact ? ", exact" : "") });
  if (search && search.bound != null && search.bound !== search.found)
    marks.push({ at: search.bound, colour: colour("bound"),
                 label: "certified: none is " + (search.longest ? "longer" : "shorter") + " than " + number(search.bound) });
  // The scale covers the runs, and the marked values if these do not squeeze the runs; the axis is broken before the others.
  const last = low + counts.length * width - 1, reach = Math.max(range, 20) * 2;
  const near = marks.map((mark) => mark.at).filter((x) => x > low - reach && x < last + reach);
  const margin = Math.max(1, (Math.max(last, ...near) - Math.min(low, ...near)) * .03);
  const { scale, place, breaks } = brokenAxis(Math.floor(Math.min(low, ...near) - margin), Math.ceil(Math.max(last, ...near) + margin),
                                              marks.map((mark) => mark.at));
  for (const mark of marks) mark.place = place(mark.at);
  const title = (items) => {
    const first = Math.round(items[0].parsed.x - (width - 1) / 2);
    return width === 1 ? first + " steps" : first + " \u2013 " + (first + width - 1) + " steps";
  };
  return {
    type: "bar",
    data: { datasets: [{ label: "runs", backgroundColor: series[0], barPercentage: 1, categoryPercentage: 1,
                         data: counts.map((y, i) => ({ x: low + (i + .5) * width - .5, y })) }] },
    options: {
      ...noAnimation,
      layout: { padding: { top: markerRow * marks.length } },
      scales: { x: axis("steps", { offset: false, grid: { offset: false }, ...scale }), y: axis("runs", { beginAtZero: true, ticks: { precision: 0 } }) },
      plugins: { legend: { display: false }, tooltip: { callbacks: { title } } },
    },
    plugins: [uprights(marks, breaks)],
  };
}

// The answer leads: the extreme run, and its bound unless the two are one.
function answerTiles(search) {
  const longest = search.longest ? "longest" : "shortest";
  if (search.exact && search.found != null) { tile("tiles", search.found, longest + " run, steps, exact", "bound"); return; }
  if (search.found != null) tile("tiles", search.found, longest + " run found, steps", "found");
  if (search.bound != null) tile("tiles", search.bound, "certified: " + (search.longest ? "no run is longer" : "no run is shorter"), "bound");
}

function searchSection(search) {
  const longest = search.longest ? "longest" : "shortest";
  if (search.method) byId("proof").append(element("p", "Method: " + search.method + "."));
  const proof = element("ul");
  for (const argument of search.arguments) proof.append(element("li", argument));
  byId("proof").append(proof);
  if (search.log.length === 0) return;
  show("search");
  let byTime = false;
  charts.add("convergence", "The " + longest + " run that each chain of the search had found, over its iterations",
             () => convergence(search, byTime));
  byId("axis").addEventListener("click", () => {
    byTime = !byTime;
    byId("axis").textContent = byTime ? "Show iterations instead of time" : "Show time instead of iterations";
    charts.redraw();
  });
}

function convergence(search, byTime) {
  const key = byTime ? "seconds" : "iteration";
  const end = Math.max(byTime ? 1e-3 : 1, byTime ? 0 : search.iterations, ...search.log.map((row) => row[key]));
  const chains = new Map();
  for (const row of search.log) {
    if (!chains.has(row.chain)) chains.set(row.chain, []);
    chains.get(row.chain).push(row);
  }
  const lines = [...chains].sort((a, b) => a[0] - b[0]).map(([chain, rows]) => ({
    label: "chain " + chain, stepped: true, pointRadius: 0, borderWidth: 1,
    borderColor: colour("faint"), backgroundColor: colour("faint"),
    data: rows.map((row) => ({ x: row[key], y: row.value })).concat([{ x: end, y: rows[rows.length - 1].value }]),
  }));
  let best = null;  // of all chains so far
  const improved = search.log.slice().sort((a, b) => a[key] - b[key]).filter((row) => {
    if (best != null && (search.longest ? row.value <= best : row.value >= best)) return false;
    best = row.value;
    return true;
  });
  lines.unshift({
    label: "best so far", stepped: true, pointRadius: 2, borderWidth: 2.5, borderColor: series[0], backgroundColor: series[0],
    data: improved.map((row) => ({ x: row[key], y: row.value })).concat([{ x: end, y: best }]),
  });
  if (search.bound != null) lines.push({
    label: "certified " + number(search.bound), data: [{ x: 0, y: search.bound }, { x: end, y: search.bound }],
    borderColor: colour("bound"), borderDash: [6, 4], borderWidth: 2, pointRadius: 0,
  });
  return {
    type: "line", data: { datasets: lines },
    options: { ...noAnimation, interaction: { mode: "nearest", intersect: false },
               plugins: { legend: { labels: { filter: (item) => !item.text.startsWith("chain ") } } },
               scales: { x: axis(byTime ? "seconds" : "iteration", { min: 0, max: end, ticks: { includeBounds: false } }), y: axis("steps", { ticks: { precision: 0 } }) } },
  };
}

const unitName = (unit) => unit === "us" ? "\u00b5s" : unit || "";

function comparisonSection(comparison) {
  show("comparison");
  for (const [key, name] of [["rows", "measurements"], ["pearson", "Pearson"], ["spearman", "Spearman"], ["kendall", "Kendall"],
                             ["log_correlation", "correlation of logarithms"], ["mape", "mean error, %"]])
    if (typeof comparison[key] === "number") tile("fit", comparison[key], name);
  const median = comparison.predicted && comparison.predicted.median;
  if (typeof median === "number") tile("fit", median, "median error, %");
  charts.add("scatter", "Predicted over measured time of " + comparison.rows.length + " kernels; the same as a table below", () => scatter(comparison));
  pointsTable(comparison);
}

// Both axes are logarithmic, so an error of a given percentage is a band along the diagonal.
function scatter(comparison) {
  const unit = unitName(comparison.unit), within = unit ? ", " + unit : "";
  const points = comparison.rows.filter((p) => p.measured > 0 && p.predicted > 0);
  const values = points.flatMap((p) => [p.measured, p.predicted]);
  const ends = [Math.min(...values), Math.max(...values)];
  const along = (factor) => ends.map((x) => ({ x, y: x * factor }));
  const line = { type: "line", pointRadius: 0, borderWidth: 1, pointHitRadius: 0 };
  const datasets = [
    { label: "kernels", backgroundColor: series[0], pointRadius: 4, data: points.map((p) => ({ x: p.measured, y: p.predicted, kernel: p.kernel })) },
    { ...line, label: "prediction = measurement", data: along(1), borderColor: colour("faint"), borderDash: [4, 4] },
  ];
  if (comparison.mape > 0 && comparison.mape < 100) {
    const share = comparison.mape / 100, band = { ...line, borderColor: "transparent", backgroundColor: colour("band") };
    datasets.push({ ...band, label: "within the mean error of " + number(Number(comparison.mape.toFixed(1))) + " %", data: along(1 + share), fill: "+1" },
                  { ...band, label: "", data: along(1 - share) });
  }
  const label = ({ raw }) => (raw.kernel || "") + ": measured " + number(raw.x) + ", predicted " + number(raw.y) + (unit && " " + unit) +
    " (" + (raw.y >= raw.x ? "+" : "\u2212") + number(Number((Math.abs(raw.y / raw.x - 1) * 100).toFixed(1))) + " %)";
  return {
    type: "scatter", data: { datasets },
    options: {
      ...noAnimation,
      scales: { x: axis("measured" + within, { type: "logarithmic" }), y: axis("predicted" + within, { type: "logarithmic" }) },
      plugins: { legend: { labels: { filter: (item) => item.text !== "" } }, tooltip: { filter: (item) => item.raw.kernel !== undefined, callbacks: { label } } },
    },
  };
}

// The rows of a comparison; a heading sorts by its column, and in reverse at the second click.
function pointsTable(comparison) {
  const first = ["kernel", "steps", "measured", "predicted", "error"];
  const sample = comparison.rows[0] || {};
  const columns = first.concat(Object.keys(sample).filter((key) => !first.includes(key) && ["number", "string"].includes(typeof sample[key])));
  const table = byId("points"), head = element("tr"), body = element("tbody");
  const fill = (rows) => body.replaceChildren(...rows.map((row) => {
    const tr = element("tr");
    for (const column of columns) tr.append(element("td", row[column] == null ? "" : number(row[column])));
    tr.firstElementChild.title = row.kernel || "";
    return tr;
  }));
  for (const column of columns) {
    const th = element("th"), button = element("button", column);
    th.scope = "col";
    button.type = "button";
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") === "ascending";
      for (const other of head.children) other.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      fill(comparison.rows.slice().sort((a, b) => sign * (a[column] > b[column] ? 1 : a[column] < b[column] ? -1 : 0)));
    });
    th.append(button);
    head.append(th);
  }
  table.append(head, body);
  fill(comparison.rows);
}
