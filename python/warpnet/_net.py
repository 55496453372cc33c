"""Nets: read, build, inspect, step, run, search, explore, draw, write."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core, _values
from ._errors import InputError, RenderError, unless_signalled
from ._results import Answer, Coverability, Distribution, Exploration, Runs, Structure, Worst
from ._schedule import Schedule
from ._values import Marking, Path

_MEMORY = 4 << 30


class Place(NamedTuple):
    """A place: ``id``, ``name`` (the id if it has none), ``initial`` tokens, ``position`` in a picture or None."""

    id: str
    name: str
    initial: int
    position: Optional[Tuple[float, float]]


class Transition(NamedTuple):
    """A transition. ``immediate`` ones cost no time; in a conflict a higher ``priority`` is served first."""

    id: str
    name: str
    immediate: bool
    priority: int
    position: Optional[Tuple[float, float]]


class Arc(NamedTuple):
    """An arc. ``kind``: input (place to transition), output, inhibitor or read."""

    kind: str
    place: str
    transition: str
    weight: int


class Step(NamedTuple):
    """A step of a net: the ids of its transitions (``fired``; under multiset semantics with repetitions), whether it is
    an ``immediate`` step, which costs no time, and the ``marking`` after it."""

    fired: List[str]
    immediate: bool
    marking: Dict[str, int]


class Net:
    """A place/transition net with inhibitor and read arcs. It never changes; steps and runs are separate values.

    Nets come from :func:`read`, :func:`reads`, :class:`NetBuilder` and the families, such as :func:`warps`.

    >>> import warpnet as wn
    >>> net = wn.warps(warps=2, arith=3, global_=1)
    >>> net
    <Net 'warps': 38 places, 31 transitions, 118 arcs>
    """

    def __init__(self, core: _core.Net) -> None:
        self._core = core
        self._places: Optional[List[Place]] = None
        self._transitions: Optional[List[Transition]] = None
        self._index: Optional[Dict[str, int]] = None

    # Content.

    @property
    def id(self) -> str:
        return self._core.id

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def places(self) -> List[Place]:
        """The places, in the order of the net, which is also the order of arrays of tokens."""
        if self._places is None:
            self._places = [Place(*place) for place in self._core.places()]
        return list(self._places)

    @property
    def transitions(self) -> List[Transition]:
        """The transitions, in the order of the net."""
        if self._transitions is None:
            self._transitions = [Transition(*transition) for transition in self._core.transitions()]
        return list(self._transitions)

    @property
    def arcs(self) -> List[Arc]:
        """The arcs, by transition."""
        return [Arc(*arc) for arc in self._core.arcs()]

    @property
    def initial_marking(self) -> Dict[str, int]:
        """The initially marked places with their numbers of tokens.

        >>> import warpnet as wn
        >>> wn.reads(wn.warps(warps=1, arith=2).to_pnml()).initial_marking["w1_arith_left"]
        2
        """
        return self.marking_dict(self._core.initial())

    @property
    def initial_array(self) -> "np.ndarray[Any, Any]":
        """The initial tokens of every place, as an array."""
        return self._core.initial()

    def marking_array(self, marking: Marking) -> "np.ndarray[Any, Any]":
        """A marking as an array with one number per place. Raises InputError for places that do not exist."""
        return _values.array_of_marking(marking, self._place_index())

    def marking_dict(self, marking: Marking) -> Dict[str, int]:
        """A marking as a dict of the places that hold tokens."""
        tokens = self.marking_array(marking)
        places = self.places
        if tokens.shape != (len(places),):
            raise InputError(f"marking: expected {len(places)} numbers, one for each place, found {tokens.size}")
        return {places[p].id: int(tokens[p]) for p in np.flatnonzero(tokens)}

    def _place_index(self) -> Dict[str, int]:
        if self._index is None:
            self._index = {place.id: p for p, place in enumerate(self.places)}
        return self._index

    # Behaviour.

    def enabled(self, marking: Optional[Marking] = None) -> List[str]:
        """The transitions that could fire in a marking (default: the initial one): the immediate ones if there are any,
        otherwise the timed ones. O(net)."""
        return self._core_enabled(self._tokens(marking))

    def step(
        self,
        marking: Optional[Marking] = None,
        *,
        seed: int = 1,
        policy: str = "random",
        semantics: str = "maximal",
    ) -> Optional[Step]:
        """The step that a policy (random, first, last, round-robin) chooses in a marking; None if it is dead.

        The same seed chooses the same step. O(net).

        >>> import warpnet as wn
        >>> builder = wn.NetBuilder("toggle")
        >>> builder.place("off", 1).place("on").transition("switch").arc("off", "switch").arc("switch", "on")
        <NetBuilder 'toggle'>
        >>> builder.build().step({"off": 1})
        Step(fired=['switch'], immediate=False, marking={'on': 1})
        """
        found = _core.step(self._core, self._tokens(marking), _values.whole("seed", seed), policy, semantics)
        return None if found is None else self._step(found)

    def possible_steps(
        self, marking: Optional[Marking] = None, *, most: int = 1000, semantics: str = "maximal"
    ) -> List[Step]:
        """Every step that some policy could choose in a marking. Raises InputError if there are more than `most`."""
        limit = _values.whole("most", most)
        steps, complete = _core.possible_steps(self._core, self._tokens(marking), limit, semantics)
        if not complete:
            raise InputError(f"most: there are more than {limit} possible steps")
        return [self._step(step) for step in steps]

    def run(
        self,
        runs: int = 1,
        seed: int = 1,
        *,
        semantics: str = "maximal",
        policy: str = "random",
        until: str = "",
        max_steps: int = 10_000_000,
        first_run: int = 0,
        time_limit: Optional[float] = None,
        memory: Union[int, str] = _MEMORY,
        threads: int = 0,
        markings: bool = False,
        counts: bool = False,
        statistics: bool = False,
        tail: bool = False,
    ) -> Runs:
        """Executes the net `runs` times, to its dead marking or until a condition holds.

        The same seed gives the same runs on any number of threads (0: all cores), and those of ``warpnet run``.
        `until`: a condition such as ``"p > 3 and (q = 0 or t >= 2)"``, of places (their tokens) and transitions (their
        firings). `time_limit` in seconds: runs that have not begun by then are omitted. `markings`, `counts`: keep the
        last marking and the firings of every run. `statistics`, `tail`: add the results of ``warpnet run --statistics``
        and ``--tail`` to ``Runs.summary``.

        >>> import warpnet as wn
        >>> net = wn.warps(warps=8, schedulers=4, arith=414, global_=129)
        >>> runs = net.run(runs=100, seed=1)
        >>> runs.steps[:5]
        array([5456, 5460, 5453, 5465, 5445])
        """
        given = self._run_options(seed, semantics, policy, until, max_steps, first_run, time_limit)
        given.update(
            runs=_values.whole("runs", runs, 1),
            memory=_values.size("memory", memory),
            threads=_values.threads(threads),
            markings=bool(markings),
            counts=bool(counts),
            statistics=bool(statistics),
            tail=bool(tail),
        )
        summary, arrays, signal = _core.run(self._core, given)
        return unless_signalled(Runs(self, json.loads(summary), arrays), signal)

    def schedule(
        self,
        seed: int = 1,
        run: int = 0,
        *,
        semantics: str = "maximal",
        policy: str = "random",
        until: str = "",
        max_steps: int = 1_000_000,
    ) -> Schedule:
        """The firings in each step of one run: number `run` of a seed."""
        given = self._run_options(seed, semantics, policy, until, max_steps, run, None)
        return Schedule(self, _core.record(self._core, given))

    def read_schedule(self, text: str, source: str = "schedule") -> Schedule:
        """A schedule of this net from CSV text (columns step,immediate,transition), as `Schedule.to_csv` writes it."""
        return Schedule(self, _core.Schedule(self._core, text, source))

    def distribution(
        self,
        *,
        max_steps: int = 10_000_000,
        memory: Union[int, str] = _MEMORY,
        time_limit: Optional[float] = None,
        threads: int = 0,
    ) -> Distribution:
        """The exact distribution of the step count under the random policy, for small nets (``warpnet run
        --exact``)."""
        summary, signal = _core.distribution(
            self._core,
            _values.whole("max_steps", max_steps),
            _values.size("memory", memory),
            _values.maybe_seconds("time_limit", time_limit),
            _values.threads(threads),
        )
        return unless_signalled(Distribution(json.loads(summary)), signal)

    def worst(
        self,
        *,
        best: bool = False,
        bound: bool = False,
        exact: bool = False,
        seed: int = 1,
        chains: Optional[int] = None,
        iterations: Optional[int] = None,
        temperature: Optional[float] = None,
        start: str = "mixed",
        method: str = "portfolio",
        policy: str = "random",
        max_steps: int = 10_000_000,
        memory: Union[int, str] = _MEMORY,
        time_limit: Optional[float] = None,
        threads: int = 0,
    ) -> Worst:
        """The longest run over all orders of service (`best`: the shortest): a run that was found, a certified
        bound, and whether both are known to be equal. The parameters are the flags of ``warpnet worst``.

        `bound`: certify a bound without a search. `exact`: continue until the value is proved. `time_limit` in seconds.

        >>> import warpnet as wn
        >>> net = wn.warps(warps=4, schedulers=2, arith=20, shared=5, global_=2)
        >>> worst = net.worst()
        >>> worst.found, worst.bound, worst.exact
        (304, 304, True)
        """
        given = {
            "best": bool(best),
            "bound": bool(bound),
            "exact": bool(exact),
            "seed": _values.whole("seed", seed),
            "chains": _values.maybe_whole("chains", chains, 1, 100_000),
            "iterations": _values.maybe_whole("iterations", iterations),
            "temperature": None if temperature is None else _values.real("temperature", temperature),
            "start": _values.text("start", start),
            "method": method,
            "policy": policy,
            "max_steps": _values.whole("max_steps", max_steps, 1),
            "memory": _values.size("memory", memory),
            "time_limit": _values.maybe_seconds("time_limit", time_limit),
            "threads": _values.threads(threads),
        }
        summary, witness, log, signal = _core.worst(self._core, given)
        schedule = None if witness is None else Schedule(self, witness)
        return unless_signalled(Worst(self, json.loads(summary), schedule, log), signal)

    def explore(
        self,
        *,
        semantics: str = "interleaving",
        engine: str = "auto",
        max_states: int = 1 << 32,
        memory: Union[int, str] = _MEMORY,
        time_limit: Optional[float] = None,
        threads: int = 0,
        graph: bool = False,
        scratch: Optional[Path] = None,
    ) -> Exploration:
        """Visits every reachable marking. `engine`: "explicit", one by one; "dd", all at once by a decision diagram,
        for interleaving and with counts of any size; "auto", a diagram if there are more than two million edges (more
        with equal parts) and it is quick. A diagram has no ``depth`` and no ``longest_run``. `graph`: keep the markings
        and the steps between them, as arrays. `scratch`: a folder for the markings, which may then exceed the memory.
        `memory` then limits only the search structure of 6 to 12 bytes per marking. Nothing is left in the folder.

        >>> import warpnet as wn
        >>> found = wn.warps(warps=1, arith=1).explore(semantics="maximal")
        >>> found.states, found.deadlocks, found.complete
        (6, 1, True)
        """
        given = {
            "semantics": semantics,
            "engine": engine,
            "max_states": _values.whole("max_states", max_states, 1),
            "memory": _values.size("memory", memory),
            "time_limit": _values.maybe_seconds("time_limit", time_limit),
            "threads": _values.threads(threads),
            "graph": bool(graph),
            "scratch": "" if scratch is None else os.fspath(scratch),
        }
        summary, to_deadlock, state_graph, signal = _core.explore(self._core, given)
        path = None if to_deadlock is None else Schedule(self, to_deadlock)
        return unless_signalled(Exploration(self, json.loads(summary), path, state_graph), signal)

    def ask(
        self,
        *,
        reach: str = "",
        always: str = "",
        max: str = "",
        min: str = "",
        home: str = "",
        ctl: str = "",
        live: str = "",
        stable: bool = False,
        bounded: bool = False,
        reversible: bool = False,
        semantics: str = "interleaving",
        engine: str = "auto",
        max_states: int = 1 << 32,
        memory: Union[int, str] = _MEMORY,
        time_limit: Optional[float] = None,
        threads: int = 0,
        seed: int = 1,
        scratch: Optional[Path] = None,
    ) -> Answer:
        """Answers one question about the reachable markings. The questions are the flags of ``warpnet explore``:
        `reach` and `always` take a condition, `max` and `min` a sum of tokens, `home` the condition of a home state,
        `ctl` a formula, and `live` a transition or "all". `stable`: places whose tokens never change. `bounded`:
        every place can hold only so many tokens. `reversible`: every marking leads back to the initial one. The
        other parameters are those of :meth:`explore`.

        >>> import warpnet as wn
        >>> net = wn.warps(warps=2, arith=3, global_=1)
        >>> net.ask(always="w1_arith_left <= 3")
        <Answer: yes, by reductions>
        >>> found = net.ask(reach="w1_arith_left = 0")
        >>> found.answer, len(found.witness)
        (True, 9)
        """
        questions: Dict[str, Union[str, bool]] = {
            "reach": reach,
            "always": always,
            "max": max,
            "min": min,
            "home": home,
            "ctl": ctl,
            "live": live,
            "stable": bool(stable),
            "bounded": bool(bounded),
            "reversible": bool(reversible),
        }
        asked = [name for name, value in questions.items() if value]
        if len(asked) != 1:
            raise InputError(f"ask: expected one of {', '.join(questions)}; found {' and '.join(asked) or 'none'}")
        given = {
            **questions,
            "semantics": semantics,
            "engine": engine,
            "max_states": _values.whole("max_states", max_states, 1),
            "memory": _values.size("memory", memory),
            "time_limit": _values.maybe_seconds("time_limit", time_limit),
            "threads": _values.threads(threads),
            "seed": _values.whole("seed", seed),
            "scratch": "" if scratch is None else os.fspath(scratch),
        }
        summary, witness, signal = _core.ask(self._core, given)
        steps = None if witness is None else Schedule(self, witness)
        return unless_signalled(Answer(json.loads(summary), steps), signal)

    def coverability(
        self,
        *,
        max_nodes: int = 1 << 20,
        memory: Union[int, str] = _MEMORY,
        time_limit: Optional[float] = None,
    ) -> Coverability:
        """The coverability graph under interleaving: which places can hold any number of tokens. For nets without
        immediate transitions and priorities.

        >>> import warpnet as wn
        >>> net = wn.NetBuilder().place("p").transition("produce").arc("produce", "p").build()
        >>> found = net.coverability()
        >>> found.bounded, found.bounds
        (False, {'p': None})
        """
        given = {
            "max_nodes": _values.whole("max_nodes", max_nodes, 1),
            "memory": _values.size("memory", memory),
            "time_limit": _values.maybe_seconds("time_limit", time_limit),
        }
        summary, dot, signal = _core.coverability(self._core, given)
        return unless_signalled(Coverability(json.loads(summary), dot), signal)

    def invariants(self) -> Structure:
        """The minimal P- and T-invariants, and further facts of the structure: class, rank, boundedness, siphons.

        >>> import warpnet as wn
        >>> builder = wn.NetBuilder().place("idle", 3).place("busy").transition("begin").transition("end")
        >>> builder.arc("idle", "begin").arc("begin", "busy").arc("busy", "end").arc("end", "idle").build().invariants()
        <Structure: 1 P-invariants, 1 T-invariants>
        """
        return Structure(json.loads(_core.structure(self._core)))

    # Display and conversion.

    def draw(
        self,
        file: Optional[Path] = None,
        *,
        marking: Optional[Marking] = None,
        highlight: Sequence[str] = (),
        heat: Optional[Sequence[float]] = None,
        legend: bool = False,
        layout: str = "auto",
        frames: bool = True,
        keep_positions: bool = False,
        theme: str = "light",
        font_size: float = 0,
        time_limit: Optional[float] = None,
    ) -> str:
        """A picture of the net (Graphviz must be installed). Returns SVG text, and writes `file` if one is given:
        .svg, .png, .pdf, or .dot for Graphviz text, which needs no Graphviz.

        `marking`: the tokens to show; `highlight`: ids of nodes to colour; `heat`: firings per transition, which
        colour it; `layout`: auto, layered, orthogonal or force; `frames`: around nodes with a prefix such as w1_.
        `theme`: light, dark or print (only black, white and grey); `font_size`: of names, in points.
        """
        given = {
            "marking": None if marking is None else self.marking_array(marking),
            "highlight": list(highlight),
            "heat": [] if heat is None else [float(value) for value in heat],
            "legend": bool(legend),
            "layout": layout,
            "frames": bool(frames),
            "keep_positions": bool(keep_positions),
            "theme": _values.text("theme", theme),
            "font_size": _values.real("font_size", font_size),
            "time_limit": _values.maybe_seconds("time_limit", time_limit),
        }
        if file is None:
            return _core.draw(self._core, "svg", given).decode()
        path = os.fspath(file)
        extension = os.path.splitext(path)[1].lstrip(".")
        if extension not in ("svg", "png", "pdf", "dot"):
            raise InputError(f"file: expected a name that ends in .svg, .png, .pdf or .dot, found {path!r}")
        picture = _core.draw(self._core, extension, given)
        _core.write_file(path, picture)
        return picture.decode() if extension == "svg" else ""

    def to_pnml(self, flavour: str = "compat") -> str:
        """The net as PNML text; reading it back gives an equal net. `flavour`: compat, strict or pipe.

        >>> import warpnet as wn
        >>> net = wn.warps(warps=1, arith=1)
        >>> wn.reads(net.to_pnml()) == net
        True
        """
        return self._core.pnml(flavour)

    def save(self, file: Path, flavour: str = "compat") -> None:
        """Writes the net as a PNML file, whole or not at all."""
        _core.save(self._core, os.fspath(file), flavour)

    write = save

    def to_networkx(self) -> Any:
        """The net as a bipartite ``networkx.MultiDiGraph``; see :func:`warpnet.exchange.to_networkx`."""
        from . import exchange

        return exchange.to_networkx(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Net) and self._core == other._core

    def __hash__(self) -> int:
        """Equal nets have equal hashes: a net never changes."""
        return hash((self.id, tuple(self.places), tuple(self.transitions), len(self._core.arcs())))

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        return _from_pnml, (self.to_pnml(),)

    def __repr__(self) -> str:
        return (
            f"<Net {self.id!r}: {len(self.places)} places, {len(self.transitions)} transitions, "
            f"{len(self._core.arcs())} arcs>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: a picture of a small net, otherwise a line of text."""
        if len(self.places) + len(self.transitions) <= 120:
            try:
                return self.draw(time_limit=5)
            except RenderError:
                pass
        return f"<code>{html.escape(repr(self))}</code>"

    def _tokens(self, marking: Optional[Marking]) -> "np.ndarray[Any, Any]":
        return self._core.initial() if marking is None else self.marking_array(marking)

    def _core_enabled(self, tokens: "np.ndarray[Any, Any]") -> List[str]:
        return _core.enabled(self._core, tokens)

    def _step(self, step: Tuple[bool, List[str], "np.ndarray[Any, Any]"]) -> Step:
        immediate, fired, marking = step
        return Step(fired, immediate, self.marking_dict(marking))

    def _run_options(
        self,
        seed: int,
        semantics: str,
        policy: str,
        until: str,
        max_steps: int,
        run: int,
        time_limit: Optional[float],
    ) -> Dict[str, Any]:
        return {
            "seed": _values.whole("seed", seed),
            "semantics": _values.text("semantics", semantics),
            "policy": _values.text("policy", policy),
            "until": _values.text("until", until),
            "max_steps": _values.whole("max_steps", max_steps),
            "first_run": _values.whole("first_run", run),
            "time_limit": _values.maybe_seconds("time_limit", time_limit),
        }


class NetBuilder:
    """Collects nodes and arcs and turns them into a :class:`Net`. Nodes are given by their ids. Every method
    except `build` returns the builder, so that calls can be chained. Invalid arguments raise InputError at once.

    >>> import warpnet as wn
    >>> builder = wn.NetBuilder("mutex")
    >>> for p in ("a", "b"):
    ...     _ = builder.place(f"{p}_idle", 1).place(f"{p}_critical")
    >>> _ = builder.place("lock", 1)
    >>> for p in ("a", "b"):
    ...     _ = builder.transition(f"{p}_enter").transition(f"{p}_leave")
    ...     _ = builder.arc(f"{p}_idle", f"{p}_enter").arc("lock", f"{p}_enter").arc(f"{p}_enter", f"{p}_critical")
    ...     _ = builder.arc(f"{p}_critical", f"{p}_leave").arc(f"{p}_leave", f"{p}_idle").arc(f"{p}_leave", "lock")
    >>> net = builder.build()
    >>> net.explore().states
    3
    """

    def __init__(self, id: str = "net", name: str = "") -> None:
        self._id = _values.text("id", id)
        self._core = _core.Builder(self._id, _values.text("name", name))
        self._kinds: Dict[str, str] = {}

    def place(
        self, id: str, tokens: int = 0, name: str = "", position: Optional[Tuple[float, float]] = None
    ) -> "NetBuilder":
        """A place with its initial number of tokens. The id is unique over places and transitions."""
        self._core.place(_values.text("id", id), _values.whole("tokens", tokens), name, position)
        self._kinds[id] = "place"
        return self

    def transition(
        self,
        id: str,
        name: str = "",
        immediate: bool = False,
        priority: int = 0,
        position: Optional[Tuple[float, float]] = None,
    ) -> "NetBuilder":
        """A transition; `immediate` ones fire before all timed ones, and cost no time."""
        number = _values.whole("priority", priority, -(2**31), 2**31 - 1)
        self._core.transition(_values.text("id", id), name, bool(immediate), number, position)
        self._kinds[id] = "transition"
        return self

    def arc(self, source: str, target: str, weight: int = 1) -> "NetBuilder":
        """An arc from a place to a transition, or from a transition to a place. Weights of equal arcs are added up."""
        if self._kinds.get(source) == "transition":
            self._core.arc("output", target, source, _values.whole("weight", weight, 1))
        else:
            self._core.arc("input", source, target, _values.whole("weight", weight, 1))
        return self

    def inhibitor(self, place: str, transition: str, weight: int = 1) -> "NetBuilder":
        """The transition can fire only while the place holds fewer than `weight` tokens."""
        self._core.arc("inhibitor", place, transition, _values.whole("weight", weight, 1))
        return self

    def read(self, place: str, transition: str, weight: int = 1) -> "NetBuilder":
        """The transition can fire only while the place holds at least `weight` tokens, and takes none."""
        self._core.arc("read", place, transition, _values.whole("weight", weight, 1))
        return self

    def build(self) -> Net:
        """Hands over the net and leaves the builder empty."""
        self._kinds.clear()
        return Net(self._core.build())

    def __repr__(self) -> str:
        return f"<NetBuilder {self._id!r}>"


def read(file: Path) -> Net:
    """The net of a file: PNML, or by its extension LoLA (.lola), Tina (.net) or Aldebaran (.aut).

    ``FILE#ID``: one of several nets. A probable bug is a warning. An ambiguous part raises
    InputError with file, line and column.
    """
    core, messages = _core.read(os.fspath(file))
    _values.warn(messages)
    return Net(core)


def reads(text: Union[str, bytes], source: str = "text", net_id: Optional[str] = None) -> Net:
    """The net of a PNML text. `source` is its name in messages; `net_id`: one of several nets."""
    if isinstance(text, str):
        try:
            text = text.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{source}: expected a text, found {error.object[error.start]!r}, half a character", source) from None
    core, messages = _core.reads(text, source, net_id)
    _values.warn(messages)
    return Net(core)


def _from_pnml(text: str) -> Net:
    return reads(text)
