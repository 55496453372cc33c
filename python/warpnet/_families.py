"""The model families that become nets, predictions in microseconds, and comparisons with measurements."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

from . import _core, _values
from ._errors import InputError
from ._net import Net
from ._results import Comparison, Prediction, Responses
from ._values import Path


_Answer = TypeVar("_Answer")


def _generate(family: str, arguments: Sequence[str], parameters: Mapping[str, Any]) -> Net:
    core, messages = _core.generate([family, *arguments, *_values.flags(parameters)])
    _values.warn(messages)
    return Net(core)


def _parameters(here: Dict[str, Any], *others: str) -> Dict[str, Any]:
    """The arguments of a function by its initial ``locals()``: its parameters except `others`, and its flags."""
    return {**{name: value for name, value in here.items() if name not in ("flags", *others)}, **here["flags"]}


def warps(
    *,
    warps: Optional[int] = None,
    arith: Optional[int] = None,
    shared: Optional[int] = None,
    global_: Optional[int] = None,
    warp: Optional[Sequence[Sequence[int]]] = None,
    schedulers: Optional[int] = None,
    assignment: Optional[str] = None,
    dispatch: Optional[int] = None,
    shared_latency: Optional[int] = None,
    global_latency: Optional[int] = None,
    sms: Optional[int] = None,
    blocks: Optional[int] = None,
    active: Optional[int] = None,
    device: Optional[str] = None,
    published: bool = False,
    ptx: Optional[Path] = None,
    metrics: Union[Path, Sequence[Path], None] = None,
    **flags: Any,
) -> Net:
    """Warps on SMs as instruction counts and latencies (Gogolińska et al., PNSE'17).

    The parameters are the flags of ``warpnet generate warps``; missing parameters have the defaults of the command.
    `warp`: counts (arith, shared, global) of each warp instead of equal ones. `assignment`: "shared", "fixed" or "any",
    with `dispatch` instructions of a scheduler at a time. `active`: the number of warps that run. `device`: schedulers,
    fixed to warps, and latencies of a preset. `ptx`: count a kernel in a PTX file, with ``kernel``,
    ``trips={"$L__BB0_2": 64}``; with ``grid`` and ``block`` the warps are those of the launch, on a `device` those of
    the blocks that an SM holds. `metrics`: counts and launch of a profiler's table, with ``row``; needs a `device`.

    >>> import warpnet as wn
    >>> wn.warps(warp=[(200, 50, 20), (10, 0, 5)], schedulers=4).initial_marking["w1_arith_left"]
    200
    """
    return _generate("warps", [], _parameters(locals()))


def kernel(
    string: Optional[str] = None,
    *,
    warps: Optional[int] = None,
    units: Optional[Mapping[str, Any]] = None,
    schedulers: Optional[int] = None,
    assignment: Optional[str] = None,
    dispatch: Optional[int] = None,
    own_units: Optional[str] = None,
    chip_units: Optional[Mapping[str, int]] = None,
    latency: Optional[Mapping[str, int]] = None,
    pipelined: Optional[str] = None,
    wait: Optional[Mapping[str, int]] = None,
    sms: Optional[int] = None,
    device: Optional[str] = None,
    pessimistic: bool = False,
    ptx: Optional[Path] = None,
    **flags: Any,
) -> Net:
    """Warps that run one instruction string on shared units (Berezovskyi et al.): C core, L load/store, S special, D
    double.

    The parameters are the flags of ``warpnet generate kernel``; also ``template="fermi"``, ``repeat``, ``threads``,
    ``fairness``.

    >>> import warpnet as wn
    >>> wn.kernel("LCL", warps=4, units={"C": 1, "L": 1}).worst().found
    9
    """
    return _generate("kernel", [], _parameters(locals()))


def blocks(
    tasks: Union[Path, Mapping[str, Any]],
    *,
    horizon: Optional[int] = None,
    step: Optional[int] = None,
    sm_policy: Optional[str] = None,
    one_big_sm: bool = False,
    **flags: Any,
) -> Net:
    """Blocks of concurrent kernels on the SMs of a GPU (Paredes et al.): the net of a task set.

    `tasks`: a file (TASKS.json, a configuration of cuda_scheduling_examiner, an AMALTHEA model), or the object of a
    TASKS.json as a dict (fields: docs/reference/task-sets.md). The parameters are the flags of ``warpnet generate blocks``.
    """
    return _from_file_or_object("blocks", tasks, "tasks.json", _parameters(locals(), "tasks"))


def cfg(
    graph: Union[Path, Mapping[str, Any], None] = None,
    *,
    synthetic: Optional[str] = None,
    units: Optional[int] = None,
    split: Optional[Sequence[str]] = None,
    optimal: bool = False,
    paper_rule: bool = False,
    pool: bool = False,
    seed: Optional[int] = None,
    **flags: Any,
) -> Net:
    """A control-flow graph whose wavefronts split at branches (Klashtorny et al., DATE'24).

    `graph`: a file (JSON or text), or the object of a JSON file as a dict (docs/reference/family-cfg.md); or `synthetic`,
    such as "4c". The parameters are the flags of ``warpnet generate cfg``: ``optimal`` chooses the splits with the
    least worst case, over static allotments of units, or with ``pool`` over pooled units.

    >>> import warpnet as wn
    >>> graph = {"blocks": [{"id": "b1", "time": 3, "true": ["b2"], "false": ["b3"]},
    ...                     {"id": "b2", "time": 5}, {"id": "b3", "time": 4}], "root": ["b1"]}
    >>> wn.cfg(graph).run().max, wn.cfg(graph, split=["b1"]).run().max
    (12, 8)
    """
    return _from_file_or_object("cfg", graph, "cfg.json", _parameters(locals(), "graph"))


def sm(
    device: str,
    *,
    blocks: Optional[int] = None,
    block_threads: Optional[int] = None,
    registers: Optional[int] = None,
    shared_memory: Optional[int] = None,
    counts: Optional[Mapping[str, float]] = None,
    metrics: Union[Path, Sequence[Path], None] = None,
    row: Optional[str] = None,
    ptx: Optional[Path] = None,
    sm_blocks: Optional[int] = None,
    step_cycles: Optional[int] = None,
    **flags: Any,
) -> Net:
    """One SM of a real GPU that executes a kernel, block after block (docs/reference/family-sm.md).

    The parameters are the flags of ``warpnet generate sm``; also ``conflicts``, ``sectors``, ``set``, ``without``,
    ``body``.
    """
    return _generate("sm", [], _parameters(locals()))


def predict(
    device: str,
    *,
    blocks: Optional[int] = None,
    block_threads: Optional[int] = None,
    registers: Optional[int] = None,
    shared_memory: Optional[int] = None,
    counts: Optional[Mapping[str, float]] = None,
    metrics: Union[Path, Sequence[Path], None] = None,
    row: Optional[str] = None,
    ptx: Optional[Path] = None,
    seed: int = 1,
    seeds: int = 5,
    full: bool = False,
    worst: bool = False,
    dispatcher: Optional[str] = None,
    margin: Optional[Mapping[str, float]] = None,
    deadline: Optional[str] = None,
    what_if: bool = False,
    threads: int = 0,
    **flags: Any,
) -> Prediction:
    """The time of a kernel on a GPU in microseconds, and the resource that limits it: ``warpnet predict``.

    >>> import warpnet as wn
    >>> counts = {"fp32": 40, "integer": 20, "loads": 2, "stores": 1}
    >>> prediction = wn.predict("GTX950", blocks=4096, block_threads=256, counts=counts)
    >>> prediction.limited_by
    'DRAM'

    With ``tune``, axes such as ``"block=64..1024"`` or the path of a table: many launches, ranked, in
    ``prediction.rows``.

    With ``worst``: also ``prediction.worst``, an upper bound of all runs of the net and a long run. Both are valid for
    the model and not for the GPU, under its ``assumptions``. `dispatcher`: "in-order" or "any". `margin`: the
    percentage by which facts of the device may be worse, ``{"unverified": 20}``. `deadline`, such as "2ms":
    ``prediction.deadline["verdict"]`` is "certified", "exceeded" or "open".

    With ``what_if``: also ``prediction.what_if``, for each fact of the device the time and the limit (``fact``,
    ``value``, ``us``, ``limited_by``) if the fact were twice as large.
    """
    given = _values.flags(_parameters(locals(), "seed", "seeds", "full", "threads"))
    summary, messages = _core.predict(
        ["predict", *given],
        _values.whole("seed", seed),
        _values.whole("seeds", seeds, 1, 1000),
        bool(full),
        _values.threads(threads),
    )
    _values.warn(messages)
    return Prediction(json.loads(summary))


def compare(
    measured: Any,
    *,
    device: Optional[str] = None,
    families: Optional[Sequence[str]] = None,
    schedulers: int = 4,
    shared_latency: int = 2,
    global_latency: int = 20,
    clock_mhz: Optional[float] = None,
    seed: int = 1,
    seeds: int = 5,
    totals: bool = False,
    threads: int = 0,
) -> Comparison:
    """Models against measured timings: ``warpnet compare``.

    `measured`: a table of counts and times as a list of dicts, a dict of columns or a DataFrame, with the columns of
    docs/reference/measured-tables.md (kernel, time_us or cycles, and warps, arith, shared, global, or blocks, threads
    and counts); or the path of a CSV file, or several (nvprof, Nsight Compute). `families`: sm (with a device), warps
    (without), closed-form, throughput.

    >>> import warpnet as wn
    >>> rows = [{"kernel": k, "time_us": t, "warps": w, "arith": 100, "shared": 0, "global": 4}
    ...         for k, t, w in [("a", 1.0, 2), ("b", 2.1, 8), ("c", 3.9, 16)]]
    >>> len(wn.compare(rows).rows)
    3
    """
    chosen = list(families) if families is not None else ["sm" if device else "warps"]
    if not chosen:
        raise InputError("families: expected at least one of sm, warps, closed-form, throughput")
    given = {
        "schedulers": _values.whole("schedulers", schedulers, 1, 1_000_000),
        "shared_latency": _values.whole("shared_latency", shared_latency, 1, 1_000_000),
        "global_latency": _values.whole("global_latency", global_latency, 1, 1_000_000),
        "clock_mhz": None if clock_mhz is None else _values.real("clock_mhz", clock_mhz),
        "seed": _values.whole("seed", seed),
        "seeds": _values.whole("seeds", seeds, 1, 1000),
        "totals": bool(totals),
        "threads": _values.threads(threads),
    }
    summary, svg, messages = _core.compare(_tables(measured), device or "", chosen, given)
    _values.warn(messages)
    return Comparison(json.loads(summary), svg)


def respond(
    tasks: Union[Path, Mapping[str, Any]],
    *,
    choose: bool = False,
    sporadic: bool = False,
    any_order: bool = False,
    sm_policy: Optional[str] = None,
    one_big_sm: bool = False,
    horizon: Optional[int] = None,
    deadline: Optional[str] = None,
    evaluations: Optional[int] = None,
    threads: int = 0,
    **flags: Any,
) -> Responses:
    """Response times of concurrent kernels on a GPU (Paredes et al.): ``warpnet respond``.

    `tasks`: as for :func:`blocks`. `choose`: search the variants of operations with a choice, such as the GPU or a
    core, for the fewest missed deadlines. `sporadic`: upper bounds for any times of release. The parameters are the
    flags of the command.

    >>> import warpnet as wn
    >>> host = {"time": 9, "kind": "cpu", "period": 10, "choice": "a", "variant": "host"}
    >>> gpu = {"time": 2, "blocks": 1, "threads": 32, "period": 10, "choice": "a", "variant": "GPU"}
    >>> wn.respond({"kernels": [host, gpu]}, choose=True).variants["best"][0]["chosen"]
    {'a': 'GPU'}
    """
    parameters = _parameters(locals(), "tasks", "threads")
    given = [*_values.flags(parameters), "--threads", str(_values.threads(threads)), "--json"]

    def call(file: List[str]) -> Responses:
        summary, svg, messages = _core.respond(["respond", *file, *given])
        _values.warn(messages)
        return Responses(json.loads(summary), svg)

    return _with_file(tasks, "tasks.json", call)


class Device(NamedTuple):
    """A GPU preset: its name, architecture, compute capability, and its facts by name (``warpnet devices
    --columns``)."""

    name: str
    architecture: str
    compute_capability: str
    facts: Dict[str, float]


def devices() -> List[Device]:
    """The GPU presets.

    >>> import warpnet as wn
    >>> "GTX950" in [device.name for device in wn.devices()]
    True
    """
    return [Device(*device) for device in _core.devices()]


def _from_file_or_object(
    family: str, given: Union[Path, Mapping[str, Any], None], name: str, parameters: Mapping[str, Any]
) -> Net:
    """A net of a family whose command reads a file."""
    return _with_file(given, name, lambda file: _generate(family, file, parameters))


def _with_file(
    given: Union[Path, Mapping[str, Any], None], name: str, call: Callable[[List[str]], _Answer]
) -> _Answer:
    """Calls a function with the name of a file, if one is given. An object becomes a temporary file."""
    if given is None:
        return call([])
    if not isinstance(given, Mapping):
        return call([_values.word(given)])
    with tempfile.TemporaryDirectory(prefix="warpnet-") as folder:
        file = os.path.join(folder, name)
        with open(file, "w", encoding="utf-8") as stream:
            json.dump(given, stream)
        try:
            return call([file])
        except InputError as error:
            raise InputError(str(error).replace(file, name), name, error.line, error.column) from None


def _tables(measured: Any) -> List[Any]:
    """(CSV text, its name) of the measurements."""
    if isinstance(measured, (str, os.PathLike)):
        measured = [measured]
    if isinstance(measured, (list, tuple)) and measured and isinstance(measured[0], (str, os.PathLike)):
        return [(_core.read_text(os.fspath(file)), os.fspath(file)) for file in measured]
    if hasattr(measured, "to_dict") and hasattr(measured, "columns"):  # a DataFrame of any library
        measured = {str(column): list(measured[column]) for column in measured.columns}
    if isinstance(measured, Mapping):
        columns = {str(name): list(values) for name, values in measured.items()}
        if len({len(values) for values in columns.values()}) > 1:
            raise InputError("measured: expected columns of one length")
        header = list(columns)
        rows = [list(row) for row in zip(*columns.values())]
    else:
        records = [dict(row) for row in measured]
        header = list(dict.fromkeys(str(name) for row in records for name in row))
        rows = [[row.get(name, "") for name in header] for row in records]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return [(text.getvalue(), "measured")]
