"use strict";
// Shared by the parts of the page: its data, elements, colours of the current scheme.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const number = (x) => typeof x === "number" ? x.toLocaleString("en", { maximumFractionDigits: 4 }) : String(x);

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// A table with a heading for each column; the cells of a row are texts.
function tableOf(columns, rows, caption) {
  const table = element("table");
  if (caption) table.append(element("caption", caption));
  const head = element("tr");
  for (const column of columns) { const th = element("th", column); th.scope = "col"; head.append(th); }
  if (columns.length > 0) table.append(head);
  for (const row of rows) {
    const tr = element("tr");
    for (const cell of row) tr.append(element("td", String(cell)));
    table.append(tr);
  }
  return table;
}

function tile(parent, value, name, className) {
  const made = element("div", undefined, "tile " + (className || ""));
  made.append(element("b", typeof value === "number" ? number(value) : value), element("span", name));
  byId(parent).append(made);
}

// Shows a section with content, and a link to it.
function show(id) {
  const section = byId(id);
  section.hidden = false;
  const link = element("a", section.querySelector("h2").textContent);
  link.href = "#" + id;
  byId("sections").append(link);
}

// Colours by their meaning; light or dark, as in the style sheet.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const series = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#72b7b2", "#9d755d", "#eeca3b", "#ff9da6"];
