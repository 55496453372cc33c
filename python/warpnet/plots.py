"""Plots by Matplotlib. Every function draws on an ``ax`` (default: a new one) and returns it.

>>> import matplotlib
>>> matplotlib.use("Agg")
>>> import warpnet as wn
>>> runs = wn.warps(warps=4, schedulers=2, arith=20, shared=5, global_=2).run(200)
>>> wn.plots.histogram(runs).get_xlabel()
'steps'
"""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set, Tuple

import numpy as np

if TYPE_CHECKING:
    from ._results import Comparison, Runs
    from ._schedule import Schedule

_LABELLED_KINDS = 20
_WAITING = "#8c959f"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


def histogram(runs: "Runs", ax: Any = None, *, bound: Optional[int] = None, bins: Any = None, **options: Any) -> Any:
    """The number of runs per step count, with the mean. `bound`: a certified bound to mark (``Worst.bound``).
    `bins` and `options` as in ``Axes.hist``; by default one bar per step count, grouped into at most 60 bars."""
    ax = _axes(ax)
    steps = runs.steps
    if bins is None and len(steps):
        low, high = int(steps.min()), int(steps.max())
        width = max(1, -(-(high - low + 1) // 60))
        bins = np.arange(low, high + width + 1, width) - 0.5
    ax.hist(steps, bins=bins, **options)
    if len(steps):
        ax.axvline(float(steps.mean()), color="black", linestyle="--", label=f"mean {steps.mean():.1f}")
    if bound is not None:
        ax.axvline(bound, color="tab:red", label=f"no run takes more than {bound}")
    ax.set_xlabel("steps")
    ax.set_ylabel("runs")
    if len(steps) or bound is not None:
        ax.legend()
    return ax


def _colour(colour: str) -> Any:
    """A colour of the program's pictures, ``#4c78a8`` or ``hsl(120,45%,35%)``, as Matplotlib reads it."""
    if not colour.startswith("hsl("):
        return colour
    hue, saturation, lightness = (float(part.rstrip("%")) for part in colour[4:-1].split(","))
    return colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)


def gantt(schedule: "Schedule", ax: Any = None) -> Any:
    """The firings in each step of a schedule, with the rows and colours of :meth:`Schedule.draw` and of ``warpnet report``:
    one row per warp (ids that begin with w1_), one colour per kind of transition, a thin grey bar while a row waits."""
    ax = _axes(ax)
    names, kinds, colours, waits = schedule._core.chart()
    cells: Dict[Tuple[int, int], List[str]] = {}
    for (step, _), (row, kind) in zip(schedule.firings(), kinds):
        cells.setdefault((row, step), []).append(kind)
    # Firings of one cell share its height; equal cells in a row are one bar.
    spans: Dict[Tuple[str, int, float, float], List[Tuple[float, float]]] = {}
    for (row, step), fired in sorted(cells.items()):
        height = 0.8 / len(fired)
        for number, kind in enumerate(fired):
            bars = spans.setdefault((kind, row, row - 0.4 + number * height, height), [])
            if bars and bars[-1][0] + bars[-1][1] == step - 0.5:
                bars[-1] = (bars[-1][0], bars[-1][1] + 1)
            else:
                bars.append((step - 0.5, 1.0))
    labelled: Set[str] = set()
    for (kind, _, bottom, height), bars in spans.items():
        label = kind if kind not in labelled and len(labelled) < _LABELLED_KINDS else None
        ax.broken_barh(bars, (bottom, height), color=_colour(colours[kind]), label=label)
        labelled.add(kind)
    for number, (row, first, last) in enumerate(waits):
        label = None if number else "waits: nothing fires"
        ax.broken_barh([(first - 0.5, last - first + 1)], (row - 0.08, 0.16), color=_WAITING, label=label)
    used = len(names) if any(row == len(names) - 1 for row, _ in cells) else len(names) - 1
    ax.set_yticks(range(used), names[:used])
    ax.invert_yaxis()
    ax.set_xlabel("step")
    if labelled:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return ax


def scatter(comparison: "Comparison", ax: Any = None) -> Any:
    """Predicted against measured values, both axes logarithmic, with the line of equal values."""
    ax = _axes(ax)
    measured = [point["measured"] for point in comparison.rows]
    predicted = [point["predicted"] for point in comparison.rows]
    ax.loglog(measured, predicted, "o")
    ends = [min(measured + predicted), max(measured + predicted)]
    ax.plot(ends, ends, color="black", linewidth=1)
    ax.set_xlabel("measured")
    ax.set_ylabel("predicted")
    return ax
