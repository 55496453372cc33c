"""The results of runs, searches, explorations and predictions."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

if TYPE_CHECKING:
    from ._net import Net
    from ._schedule import Schedule

Array = "np.ndarray[Any, Any]"


def _table(rows: Sequence[Tuple[str, object]]) -> str:
    """Rows of a name and a value, for notebooks."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
        f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>"
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def _equal(one: object, other: object) -> bool:
    """Whether two results have the same class and equal members, arrays by their elements."""
    if type(one) is not type(other):
        return False
    mine, others = vars(one), vars(other)
    return mine.keys() == others.keys() and all(
        np.array_equal(mine[name], others[name]) if isinstance(mine[name], np.ndarray) else mine[name] == others[name]
        for name in mine
    )


class _Report:
    """An object of the program's JSON (``--json``), whose fields are attributes too."""

    #: All fields as the program prints them with ``--json``.
    summary: Dict[str, Any]

    def __init__(self, summary: Dict[str, Any]) -> None:
        self.summary = summary

    def __getattr__(self, name: str) -> Any:
        if name != "summary" and name in self.summary:
            return self.summary[name]
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self.summary})

    def __eq__(self, other: object) -> bool:
        return _equal(self, other)


class Runs:
    """Runs of a net, as arrays with one entry per run.

    ``steps``, ``firings``: their numbers. ``dead``: whether the run ended in a dead marking; ``ended``: the same, or
    the condition holds. ``run``: its number. ``markings``, ``counts``: a row of tokens (firings) per run, if requested.
    ``summary``: the output of ``warpnet run --json``.
    """

    steps: "np.ndarray[Any, Any]"
    firings: "np.ndarray[Any, Any]"
    dead: "np.ndarray[Any, Any]"
    ended: "np.ndarray[Any, Any]"
    run: "np.ndarray[Any, Any]"
    markings: "Optional[np.ndarray[Any, Any]]"
    counts: "Optional[np.ndarray[Any, Any]]"

    def __init__(self, net: "Net", summary: Dict[str, Any], arrays: Mapping[str, "np.ndarray[Any, Any]"]) -> None:
        self.net = net
        self.summary = summary
        self.steps = arrays["steps"]
        self.firings = arrays["firings"]
        self.dead = arrays["dead"]
        self.ended = arrays["ended"]
        self.run = arrays["run"]
        self.markings = arrays.get("markings")
        self.counts = arrays.get("counts")

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        return _equal(self, other)

    @property
    def mean(self) -> float:
        """The mean number of steps of the runs, as the program prints it."""
        return float(self.summary["steps"]["mean"])

    @property
    def stddev(self) -> float:
        return float(self.summary["steps"]["stddev"])

    @property
    def min(self) -> int:
        return int(self.summary["steps"]["min"])

    @property
    def max(self) -> int:
        return int(self.summary["steps"]["max"])

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """A histogram of the steps; see :func:`warpnet.plots.histogram`."""
        from . import plots

        return plots.histogram(self, ax=ax, **options)

    def __repr__(self) -> str:
        if len(self) == 0:
            return f"<Runs of {self.net.id!r}: none was made>"
        return f"<Runs of {self.net.id!r}: {len(self)} runs, {self.min} to {self.max} steps, mean {self.mean:.2f}>"

    def _repr_html_(self) -> str:
        rows: List[Tuple[str, object]] = [("runs", len(self))]
        if len(self) > 0:
            rows += [("steps, min", self.min), ("mean", f"{self.mean:.2f}"), ("max", self.max)]
            rows += [("stddev", f"{self.stddev:.2f}")]
        rows += [(reason.replace("_", " "), count) for reason, count in self.summary["reasons"].items()]
        return _table(rows)


class Distribution(_Report):
    """The exact distribution of the step count. ``steps``: {min, max, mean, stddev}; ``complete``: whether it covers
    all runs."""

    @property
    def values(self) -> "np.ndarray[Any, Any]":
        """The possible step counts, ascending."""
        return np.array([entry["steps"] for entry in self.summary["distribution"]], dtype=np.int64)

    @property
    def probabilities(self) -> "np.ndarray[Any, Any]":
        """Their probabilities."""
        return np.array([entry["probability"] for entry in self.summary["distribution"]])

    def __repr__(self) -> str:
        counts = len(self.summary.get("distribution", []))
        values = f"{counts} step count{'' if counts == 1 else 's'}"
        if counts:
            steps = self.summary["steps"]
            values += f" from {steps['min']} to {steps['max']}, mean {steps['mean']:.2f}"
        if not self.summary["complete"]:
            values += ", incomplete"
        return f"<Distribution of {self.summary['net']!r}: {values}>"

    def _repr_html_(self) -> str:
        rows: List[Tuple[str, object]] = [("distribution", repr(self)[1:-1])]
        rows += [
            (f"{entry['probability']:g} of the runs", f"at most {entry['steps']:,} steps")
            for entry in self.summary.get("quantiles", [])
        ]
        return _table(rows)


class Worst(_Report):
    """The longest (shortest) run that was found, and the certified bound for all runs.

    ``found``: its steps, or None. ``bound``: no run takes more (fewer) steps; None if nothing is proved. ``exact``:
    whether both are known to be equal. ``machine``: the machine for which both are valid. Its ``schedulers`` are
    "shared" (any warp uses any of them), "fixed" or "any" (each warp uses one), "unlimited", or None: the net as given;
    its ``text`` describes it. ``covers``: the runs for which both are valid. ``leaves_out``: the work that they do not
    count. ``schedule``: the run, replayed; None if there is none. ``proof``: the proof as text; ``bounds``: all proved
    bounds; ``method``, ``unfinished``, ``iterations``, ``seconds``. ``log``: improvements of the search as (seconds,
    chain, iteration, steps). ``endless``: "every" or "some" if every run or some run never ends, so that there is no
    worst case; otherwise None.
    """

    def __init__(
        self,
        net: "Net",
        summary: Dict[str, Any],
        schedule: "Optional[Schedule]",
        log: List[Tuple[float, int, int, int]],
    ) -> None:
        super().__init__(summary)
        self.net = net
        self.schedule = schedule
        self.log = log

    @property
    def longest(self) -> bool:
        """Whether the search was for the longest run, and not for the shortest."""
        return bool(self.summary["objective"] == "max")

    @property
    def found(self) -> Optional[int]:
        found: Optional[int] = self.summary["found"]
        return found

    @property
    def bound(self) -> Optional[int]:
        bound: Optional[int] = self.summary["upper" if self.longest else "lower"]
        return bound

    @property
    def exact(self) -> bool:
        return bool(self.summary["exact"])

    @property
    def endless(self) -> Optional[str]:
        endless: Optional[str] = self.summary["endless"]
        return endless

    def __repr__(self) -> str:
        if self.endless is not None and self.found is None:
            which = "every run is" if self.endless == "every" else "some runs are"
            return f"<Worst of {self.net.id!r}: no finite worst case, {which} endless>"
        found = "no run that ends is known" if self.found is None else f"{self.found} steps"
        if self.exact and self.found is not None:
            return f"<Worst of {self.net.id!r}: {found}, exact>"
        side = "at most" if self.longest else "at least"
        proved = "nothing proved" if self.bound is None else f"{side} {self.bound}, certified"
        return f"<Worst of {self.net.id!r}: {found}, {proved}>"

    def _repr_html_(self) -> str:
        rows: List[Tuple[str, object]] = [("longest" if self.longest else "shortest", repr(self)[1:-1])]
        rows += [("method", self.summary["method"])]
        rows += [("proof", argument) for argument in dict.fromkeys(self.summary["proof"])]
        chart = "" if self.schedule is None else self.schedule.draw()
        return _table(rows) + chart


class StateGraph(NamedTuple):
    """Reachable markings and the steps between them. ``markings``: a row of tokens per state; ``sources`` and
    ``targets``: the first and the second state of each step; ``initial``: the number of the initial state."""

    initial: int
    markings: "np.ndarray[Any, Any]"
    sources: "np.ndarray[Any, Any]"
    targets: "np.ndarray[Any, Any]"

    def to_networkx(self) -> Any:
        """As a ``networkx.MultiDiGraph`` of state numbers."""
        import networkx

        graph = networkx.MultiDiGraph()
        graph.add_nodes_from(range(len(self.markings)))
        graph.add_edges_from(zip(self.sources.tolist(), self.targets.tolist()))
        return graph

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StateGraph):
            return False
        pairs = zip((self.markings, self.sources, self.targets), (other.markings, other.sources, other.targets))
        return self.initial == other.initial and all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return f"<StateGraph: {len(self.markings)} states, {len(self.sources)} edges>"

    def _repr_html_(self) -> str:
        return _table([("states", len(self.markings)), ("edges", len(self.sources)), ("initial state", self.initial)])


class Exploration(_Report):
    """The facts about the reachable markings: the fields of ``warpnet explore --json`` as attributes.

    ``states``, ``edges``, ``deadlocks``, ``complete``, ``safe``, ``bounds`` (most tokens by place), ``depth``, and, if
    the exploration is complete, ``longest_run``, ``shortest_run``, ``dead_transitions``, ``live_transitions``,
    ``reversible``. A decision diagram has ``diagram_nodes`` instead of ``depth``. Its counts are integers of any size;
    in the JSON, counts from 2^64 on are text. ``to_deadlock``: a shortest schedule to a dead marking, or None.
    ``graph``: the state graph, if requested.
    """

    def __init__(
        self, net: "Net", summary: Dict[str, Any], to_deadlock: "Optional[Schedule]", graph: Optional[Dict[str, Any]]
    ) -> None:
        counts = {name: summary[name] for name in ("states", "edges", "deadlocks") if name in summary}
        super().__init__({**summary, **{name: int(count) for name, count in counts.items() if count is not None}})
        self.net = net
        self.to_deadlock = to_deadlock
        self.graph = None if graph is None else StateGraph(**graph)

    def __repr__(self) -> str:
        if self.summary["states"] is None and not self.summary["complete"]:  # a diagram that was not finished
            return f"<Exploration of {self.net.id!r}: nothing known>"
        rest = "" if self.summary["complete"] else ", incomplete"
        return (
            f"<Exploration of {self.net.id!r}: {self.summary['states']} states, {self.summary['edges']} edges, "
            f"{self.summary['deadlocks']} deadlocks{rest}>"
        )

    def _repr_html_(self) -> str:
        shown = ("semantics", "complete", "states", "edges", "deadlocks", "depth", "longest_run", "shortest_run")
        return _table([(name.replace("_", " "), self.summary[name]) for name in shown if name in self.summary])


class Answer(_Report):
    """The answer to a question about markings: the fields of ``warpnet explore --json`` as attributes.

    ``answer``: True or False, the value of a maximum or minimum (``"unbounded"`` if there is none), or None if it is unknown. ``by``: the method that
    answered, or None. ``witness``: a schedule that proves the answer, or None if no steps can. ``states``: explored
    markings. Further fields, by question: ``shortest``, ``repeats_from``, ``lower``, ``upper``, ``places``,
    ``not_live``, ``first``, ``pump``, ``growing``.
    """

    def __init__(self, summary: Dict[str, Any], witness: "Optional[Schedule]") -> None:
        super().__init__(summary)
        self.witness = witness

    def __repr__(self) -> str:
        answer = self.summary["answer"]
        if answer is None:
            return "<Answer: unknown>"
        shown = answer if not isinstance(answer, bool) else "yes" if answer else "no"
        return f"<Answer: {shown}, by {self.summary['by']}>"

    def __bool__(self) -> bool:
        raise TypeError("an answer may be unknown; test its attribute 'answer'")

    def _repr_html_(self) -> str:
        shown = ("question", "semantics", "answer", "by", "steps", "states")
        return _table([(name, self.summary[name]) for name in shown if name in self.summary])


class Coverability(_Report):
    """The coverability graph: the fields of ``warpnet explore --coverability --json`` as attributes.

    ``bounded``: True, False or None; ``growing``: the places that can hold any number of tokens; ``bounds``: most tokens
    by place, None for any number; ``nodes``, ``edges``, ``complete``. ``dot``: the graph as Graphviz text; empty if it
    is not complete.
    """

    def __init__(self, summary: Dict[str, Any], dot: str) -> None:
        super().__init__(summary)
        self.dot = dot

    def __repr__(self) -> str:
        bounded = {True: "bounded", False: "unbounded", None: "not known to be bounded"}[self.summary["bounded"]]
        return f"<Coverability: {bounded}, {self.summary['nodes']} nodes, {self.summary['edges']} edges>"

    def _repr_html_(self) -> str:
        return _table([(name, self.summary[name]) for name in ("bounded", "complete", "nodes", "edges")])


class Structure(_Report):
    """The structure of a net: the fields of ``warpnet inspect --json`` as attributes.

    ``p_invariants``, ``t_invariants``: lists of {id: weight}; ``p_invariants_complete``, ``t_invariants_complete``;
    ``rank``, ``conservative``, ``structurally_bounded``, ``siphons``, ``traps``, ``conflict_clusters``.
    """

    def __repr__(self) -> str:
        return (
            f"<Structure: {len(self.summary['p_invariants'])} P-invariants, "
            f"{len(self.summary['t_invariants'])} T-invariants>"
        )

    def _repr_html_(self) -> str:
        def sums(invariants: Sequence[Mapping[str, int]]) -> List[str]:
            return [" + ".join(n if w == 1 else f"{w} {n}" for n, w in one.items()) for one in invariants]

        rows: List[Tuple[str, object]] = [("class", self.summary["class"])]
        rows += [("P-invariant", text) for text in sums(self.summary["p_invariants"][:20])]
        rows += [("T-invariant", text) for text in sums(self.summary["t_invariants"][:20])]
        return _table(rows)


class Prediction(_Report):
    """The predicted time of a kernel on a GPU: the fields of ``warpnet predict --json`` as attributes.

    ``predicted_us``, ``interval_us``, ``closed_form_us``, ``limited_by``, ``bounds_us``, ``steps``; ``worst``,
    ``what_if``, if requested; ``outside``: the reasons why it cannot be precise; ``unverified``: unverified facts of
    the device. For several kernels: ``total_us``, ``kernels``. For a space of launches (``tune``): ``rows``, the
    fastest first, with ``rank``, ``values`` and the fields above; ``left_out``; ``quality``, if measured times are
    known.
    """

    def __repr__(self) -> str:
        if "rows" in self.summary:
            return f"<Prediction: {len(self.summary['rows'])} launches, the best of them {self.summary['rows'][0]['values']}>"
        if "kernels" in self.summary:
            return f"<Prediction: {len(self.summary['kernels'])} kernels, {self.summary['total_us']:.3f} µs>"
        return (
            f"<Prediction: {self.summary['predicted_us']:.3f} µs on {self.summary['device']}, "
            f"limited by {self.summary['limited_by']}{self._verdict()}>"
        )

    def _verdict(self) -> str:
        deadline = self.summary.get("deadline")
        return f", deadline {deadline['us']:g} µs {deadline['verdict']}" if deadline else ""

    def _repr_html_(self) -> str:
        rows: List[Tuple[str, object]] = [("prediction", repr(self)[1:-1])]
        for launch in self.summary.get("rows", [])[:20]:
            values = ", ".join(f"{name}={value}" for name, value in launch["values"].items())
            rows.append((values, f"{launch['predicted_us']:.3f} µs, limited by {launch['limited_by']}"))
        for kernel in self.summary.get("kernels", []):
            rows.append((kernel["kernel"], f"{kernel['predicted_us']:.3f} µs, limited by {kernel['limited_by']}"))
        bounds = self.summary.get("bounds_us", {})
        rows += [(f"{limit} alone", f"{us:.3f} µs") for limit, us in bounds.items() if us]
        rows += [("cannot be precise", reason) for reason in self.summary.get("outside", [])]
        return _table(rows)


class Responses(_Report):
    """Response times of concurrent kernels: the fields of ``warpnet respond --json`` as attributes.

    ``kernels``: a dict per operation (name, release, start, completion, response, deadline, met, …); ``makespan``;
    ``variants``, if requested: ``best``, the assignments of variants, the best first. In notebooks: the Gantt chart.
    """

    def __init__(self, summary: Dict[str, Any], svg: str) -> None:
        super().__init__(summary)
        self._svg = svg

    def draw(self) -> str:
        """The blocks on the SMs over time as SVG text."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        kernels = self.summary["kernels"]
        missed = sum(kernel["met"] is False for kernel in kernels)
        count = f"{len(kernels)} operation" + "s" * (len(kernels) != 1)
        return f"<Responses of {count}: makespan {self.summary['makespan']}, missed deadlines: {missed}>"

    def _repr_html_(self) -> str:
        verdicts = {True: ", met", False: ", missed", None: ""}
        rows: List[Tuple[str, object]] = [("responses", repr(self)[1:-1])]
        rows += [
            (kernel["name"], f"response {kernel['response']}{verdicts[kernel['met']]}")
            for kernel in self.summary["kernels"]
        ]
        return _table(rows) + self._svg


class Comparison(_Report):
    """Models against measured timings: the fields of ``warpnet compare --json`` as attributes.

    ``rows``: a dict per kernel (kernel, measured, predicted, error, …); ``mape``, ``median``, ``pearson``,
    ``kendall``, … of the first family; ``families``: those of each family. In notebooks: the scatter plot.
    """

    def __init__(self, summary: Dict[str, Any], svg: str) -> None:
        super().__init__(summary)
        self._svg = svg

    def draw(self) -> str:
        """Predicted against measured values as SVG text."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.summary.get('rows', []))} kernels>"

    def _repr_html_(self) -> str:
        measures = (("MAPE", "mape", " %"), ("Pearson", "pearson", ""), ("Kendall", "kendall", ""))
        rows: List[Tuple[str, object]] = [("kernels", len(self.summary.get("rows", [])))]
        for family in self.summary.get("families", []):
            rows += [
                (f"{family['family']}, {name}", f"{family[member]:.3g}{unit}")
                for name, member, unit in measures
                if family.get(member) is not None
            ]
        return _table(rows) + self._svg
