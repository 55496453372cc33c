"use strict";
// The sections with content.
if (data.search) answerTiles(data.search);
if (data.net) netPane.begin(data.net);
if (data.schedule) schedulePane.begin(data.schedule);
if (data.runs) runsSection(data.runs);
if (data.search) searchSection(data.search);
if (data.comparison) comparisonSection(data.comparison);
if (data.notes) for (const note of data.notes) byId("proof").append(element("p", note));
if (!byId("tiles").firstElementChild) byId("overview").hidden = true;
document.body.dataset.ready = "yes";
