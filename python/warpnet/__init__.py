"""warpnet: Petri nets of the timing of GPU kernels.

>>> import warpnet as wn
>>> net = wn.warps(warps=8, schedulers=4, arith=414, global_=129)
>>> net.run(runs=1000, seed=1)
<Runs of 'warps': 1000 runs, 5404 to 5532 steps, mean 5455.13>
>>> net.worst(bound=True)
<Worst of 'warps': no run that ends is known, at most 7410, certified>
"""

from . import exchange, plots
from ._core import version as __version__
from ._errors import InputError, Interrupted, RenderError
from ._families import Device, blocks, cfg, compare, devices, kernel, predict, respond, sm, warps
from ._net import Arc, Net, NetBuilder, Place, Step, Transition, read, reads
from ._results import (
    Answer,
    Comparison,
    Coverability,
    Distribution,
    Exploration,
    Prediction,
    Responses,
    Runs,
    StateGraph,
    Structure,
    Worst,
)
from ._schedule import Schedule, ScheduledStep
from ._values import Marking
from .exchange import from_pm4py, from_snakes, to_networkx, to_pm4py, to_snakes

__all__ = [
    "Answer",
    "Arc",
    "Comparison",
    "Coverability",
    "Device",
    "Distribution",
    "Exploration",
    "InputError",
    "Interrupted",
    "Marking",
    "Net",
    "NetBuilder",
    "Place",
    "Prediction",
    "RenderError",
    "Responses",
    "Runs",
    "Schedule",
    "ScheduledStep",
    "StateGraph",
    "Step",
    "Structure",
    "Transition",
    "Worst",
    "__version__",
    "blocks",
    "cfg",
    "compare",
    "devices",
    "exchange",
    "from_pm4py",
    "from_snakes",
    "kernel",
    "plots",
    "predict",
    "read",
    "reads",
    "respond",
    "sm",
    "to_networkx",
    "to_pm4py",
    "to_snakes",
    "warps",
]
