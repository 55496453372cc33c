#!/usr/bin/env python3
"""The four figures of the pages, as SVG, from the recorded figures in figures.json.

make.py [FOLDER]: writes accuracy.svg, speed.svg, growth.svg and gaps.svg (default: next to this script). figures.json has the page,
the command, the machine and the date of each figure. The background is opaque, so that a figure is readable on a dark page. A figure is
340 points wide, so that text of 8 points is readable on a phone of 400 pixels; names are therefore above their bars.
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).resolve().parent
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "#767676"  # distinct for colour-blind readers
STYLE = {"svg.hashsalt": "warpnet", "svg.fonttype": "none", "font.size": 8.5, "axes.spines.top": False, "axes.spines.right": False,
         "axes.axisbelow": True, "axes.grid": True, "grid.color": "#dddddd", "figure.facecolor": "white", "path.simplify": False,
         "figure.constrained_layout.use": True, "legend.frameon": False}
WIDTH = 340 / 72  # inches
ABOVE = {"loc": "lower right", "bbox_to_anchor": (1, 1), "ncols": 3, "columnspacing": 1}
BAR = 0.13  # inches; a name is as high as two bars


def bars(axes, rows, columns, colours):
    """Horizontal bars, a group per row below its name, with their values."""
    for place, row in enumerate(rows):
        top = place * (len(columns) + 1.6)
        axes.annotate(row["name"], (0, top), (2, 0), ("axes fraction", "data"), "offset points", va="center")
        for number, (column, colour) in enumerate(zip(columns, colours), 1):
            if row[column] is not None:
                axes.barh(top + number, row[column], 0.9, color=colour, label=column if place == 0 else None)
                axes.annotate(f"{row[column]:g}", (row[column], top + number), (3, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_ylim(len(rows) * (len(columns) + 1.6) - 0.8, -1)
    axes.set_yticks([])
    axes.grid(axis="y", visible=False)


def height_of(rows, columns):
    return BAR * len(rows) * (columns + 1.6)


def accuracy(data):
    figure, axes = plt.subplots(figsize=(WIDTH, 0.7 + height_of(data["rows"], 2)))
    bars(axes, data["rows"], ["sm", "closed form"], [BLUE, ORANGE])
    axes.set_xlabel("mean absolute error of predicted times in %, nothing fitted")
    axes.legend(**ABOVE)
    return figure


def speed(data):
    figure, axes = plt.subplots(figsize=(WIDTH, 0.7 + height_of(data["rows"], 3)))
    rows = [{**row, "name": f"{row['name']}, {row['states']:,} states"} for row in data["rows"]]
    bars(axes, rows, ["warpnet", "verifypn 4.4.2", "LoLA 2"], [BLUE, ORANGE, GREEN])
    axes.set_xlabel("CPU seconds to visit every state (version 0.2.0 of warpnet)")
    axes.legend(**ABOVE)
    return figure


def growth(data):
    figure, axes = plt.subplots(figsize=(WIDTH, 3.6))
    for column, label, marker, colour in [("markings", "markings", "o", BLUE), ("orbits", "orbits of equal warps", "s", ORANGE),
                                          ("nodes", "nodes of the decision diagram", "^", GREEN)]:
        rows = [row for row in data["rows"] if row[column] is not None]
        axes.plot([row["warps"] for row in rows], [float(row[column]) for row in rows], marker=marker, color=colour, label=label)
    axes.set_yscale("log")
    axes.set_xlabel("equal warps of 2 arithmetic and 1 shared instructions,\n2 schedulers")
    axes.set_ylabel("number")
    axes.legend(loc="upper left")
    return figure


def gaps(data):
    heights = [height_of(data["brackets"], 1), height_of(data["rows"], 2)]
    figure, (above, below) = plt.subplots(2, 1, figsize=(WIDTH, 1.3 + sum(heights)), sharex=True, height_ratios=heights)
    bars(above, [{"name": row["name"], "gap": round(100 * (1 - row["found"] / row["upper"]), 1)} for row in data["brackets"]],
         ["gap"], [BLUE])
    above.text(1, 1, "families kernel and warps; 0 is exact", fontsize=9, transform=above.transAxes, ha="right", va="top")
    bars(below, data["rows"], ["bound", "sum of rates"], [BLUE, ORANGE])
    for number, column in enumerate(["bound, maximum", "sum of rates, maximum"], 1):
        below.plot([row[column] for row in data["rows"]], [place * 3.6 + number for place in range(len(data["rows"]))],
                   "|", color=GREY, markersize=9, markeredgewidth=2, label="maximum" if number == 1 else None)
    below.set_xlim(0, 100)
    below.set_title("family sm, median over kernels", fontsize=9, loc="right")
    below.set_xlabel("gap (upper - found) / upper in %")
    above.legend(*below.get_legend_handles_labels(), **ABOVE)
    return figure


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    recorded = json.loads((HERE / "figures.json").read_text())
    with plt.rc_context(STYLE):
        for make in (accuracy, speed, growth, gaps):
            figure = make(recorded[make.__name__])
            figure.savefig(folder / f"{make.__name__}.svg", metadata={"Date": None, "Creator": None})
            plt.close(figure)


if __name__ == "__main__":
    main()
