#!/usr/bin/env python3
"""The four figures of the pages, as SVG, from the recorded figures in figures.json.

make.py [FOLDER]: writes accuracy.svg, speed.svg, growth.svg and gaps.svg (default: next to this script). figures.json has the page,
the command, the machine and the date of each figure. The background is opaque, so that a figure is readable on a dark page.
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).resolve().parent
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "#767676"  # distinct for colour-blind readers
STYLE = {"svg.hashsalt": "warpnet", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
         "axes.axisbelow": True, "axes.grid": True, "grid.color": "#dddddd", "figure.facecolor": "white", "path.simplify": False}


def bars(axes, rows, columns, colours):
    """Horizontal bars, a group per row, with their values."""
    height = 0.8 / len(columns)
    for number, (column, colour) in enumerate(zip(columns, colours)):
        for place, row in enumerate(rows):
            if row[column] is not None:
                at = place + (number - (len(columns) - 1) / 2) * height
                axes.barh(at, row[column], height, color=colour, label=column if place == 0 else None)
                axes.annotate(f"{row[column]:g}", (row[column], at), (3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)


def accuracy(data):
    figure, axes = plt.subplots(figsize=(7.5, 5))
    bars(axes, data["rows"], ["sm", "closed form"], [BLUE, ORANGE])
    axes.set_xlabel("mean absolute error of predicted times in %, nothing fitted")
    axes.legend(loc="lower right")
    return figure


def speed(data):
    figure, axes = plt.subplots(figsize=(7.5, 3.2))
    bars(axes, [{**row, "name": f"{row['name']}\n{row['states']:,} states"} for row in data["rows"]],
         ["warpnet", "verifypn 4.4.2", "LoLA 2"], [BLUE, ORANGE, GREEN])
    axes.set_xlabel("CPU seconds to visit every state (version 0.1 of warpnet)")
    axes.legend(loc="upper right")
    return figure


def growth(data):
    figure, axes = plt.subplots(figsize=(7.5, 3.6))
    for column, label, marker, colour in [("markings", "markings", "o", BLUE), ("orbits", "orbits of equal warps", "s", ORANGE),
                                          ("nodes", "nodes of the decision diagram", "^", GREEN)]:
        rows = [row for row in data["rows"] if row[column] is not None]
        axes.plot([row["warps"] for row in rows], [float(row[column]) for row in rows], marker=marker, color=colour, label=label)
    axes.set_yscale("log")
    axes.set_xlabel("equal warps of 2 arithmetic and 1 shared instructions, 2 schedulers")
    axes.set_ylabel("number")
    axes.legend(loc="upper left")
    return figure


def gaps(data):
    figure, (above, below) = plt.subplots(2, 1, figsize=(7.5, 5.4), sharex=True)
    bars(above, [{"name": row["name"], "gap": round(100 * (1 - row["found"] / row["upper"]), 1)} for row in data["brackets"]],
         ["gap"], [BLUE])
    above.set_title("families kernel and warps; 0 is exact", fontsize=9)
    bars(below, data["rows"], ["bound", "sum of rates"], [BLUE, ORANGE])
    for number, column in enumerate(["bound, maximum", "sum of rates, maximum"]):
        below.plot([row[column] for row in data["rows"]], [place + 0.4 * number - 0.2 for place in range(len(data["rows"]))],
                   "|", color=GREY, markersize=11, markeredgewidth=2, label=None if number else "maximum")
    below.set_xlim(0, 100)
    below.set_title("family sm, median over kernels", fontsize=9)
    below.set_xlabel("gap (upper - found) / upper in %")
    above.legend(*below.get_legend_handles_labels(), loc="center right")
    figure.subplots_adjust(hspace=0.3)
    return figure


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    recorded = json.loads((HERE / "figures.json").read_text())
    with plt.rc_context(STYLE):
        for make in (accuracy, speed, growth, gaps):
            figure = make(recorded[make.__name__])
            figure.savefig(folder / f"{make.__name__}.svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
            plt.close(figure)


if __name__ == "__main__":
    main()
