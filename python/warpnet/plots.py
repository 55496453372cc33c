"""Plots by Matplotlib. Every function draws on an ``ax`` (default: a new one) and returns it.

>>> import matplotlib
>>> matplotlib.use("Agg")
>>> import warpnet as wn
>>> runs = wn.warps(warps=4, schedulers=2, arith=20, shared=5, global_=2).run(200)
>>> wn.plots.histogram(runs).get_xlabel()
'steps'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

import numpy as np

if TYPE_CHECKING:
    from ._results import Comparison, Runs
    from ._schedule import Schedule

_FRAME = re.compile(r"((?:[A-Za-z]+\d+_)+)(.+)")
_LABELLED_KINDS = 20


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


def _row_and_kind(transition: str) -> Tuple[str, str]:
    """w1_select_arith -> (w1, select_arith); ids without such a prefix share one row."""
    frame = _FRAME.fullmatch(transition)
    return (frame[1].rstrip("_"), frame[2]) if frame else ("others", transition)


def gantt(schedule: "Schedule", ax: Any = None) -> Any:
    """The firings in each step of a schedule: one row per warp (ids that begin with w1_), one colour per kind of
    transition."""
    ax = _axes(ax)
    rows: Dict[str, int] = {}
    spans: Dict[Tuple[str, int], List[Tuple[float, float]]] = {}
    for step, transition in schedule.firings():
        row, kind = _row_and_kind(transition)
        at = rows.setdefault(row, len(rows))
        bars = spans.setdefault((kind, at), [])
        if bars and bars[-1][0] + bars[-1][1] == step - 0.5:
            bars[-1] = (bars[-1][0], bars[-1][1] + 1)
        else:
            bars.append((step - 0.5, 1.0))
    from matplotlib import colormaps

    kinds = sorted({kind for kind, _ in spans})
    colours = colormaps["tab20"]
    labelled = set()
    for (kind, at), bars in spans.items():
        number = kinds.index(kind)
        label = kind if kind not in labelled and number < _LABELLED_KINDS else None
        ax.broken_barh(bars, (at - 0.4, 0.8), color=colours(number % 20), label=label)
        labelled.add(kind)
    ax.set_yticks(range(len(rows)), list(rows))
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
