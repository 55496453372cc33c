"""Conversion from and to NetworkX, pm4py and SNAKES. This module can be imported without these libraries."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Set, Tuple

from ._errors import InputError
from ._net import Net, NetBuilder, reads


def to_networkx(net: Net) -> Any:
    """The net as a bipartite ``networkx.MultiDiGraph``: nodes with ``kind`` (place, transition), ``name``, ``initial``
    or ``immediate`` and ``priority``; edges with ``kind`` and ``weight``. Inhibitor and read arcs go from the place.

    >>> import warpnet as wn
    >>> graph = wn.exchange.to_networkx(wn.warps(warps=1, arith=1))
    >>> sorted({kind for _, kind in graph.nodes(data="kind")})
    ['place', 'transition']
    """
    import networkx

    graph = networkx.MultiDiGraph(name=net.id)
    for place in net.places:
        graph.add_node(place.id, kind="place", name=place.name, initial=place.initial)
    for transition in net.transitions:
        graph.add_node(
            transition.id,
            kind="transition",
            name=transition.name,
            immediate=transition.immediate,
            priority=transition.priority,
        )
    for arc in net.arcs:
        ends = (arc.transition, arc.place) if arc.kind == "output" else (arc.place, arc.transition)
        graph.add_edge(*ends, kind=arc.kind, weight=arc.weight)
    return graph


def from_pm4py(net: Any, initial_marking: Optional[Mapping[Any, int]] = None) -> Net:
    """The net of a ``pm4py.PetriNet`` and its initial marking. Ids are the names of its nodes.

    Supports the parts of pm4py's usual nets: places, transitions (a label becomes the name) and weighted arcs.
    Inhibitor and reset arcs raise InputError.
    """
    builder = NetBuilder(str(net.name) or "net")
    tokens = {place: int(count) for place, count in (initial_marking or {}).items()}
    for place in sorted(net.places, key=lambda node: str(node.name)):
        builder.place(str(place.name), tokens.get(place, 0))
    places = set(net.places)
    for transition in sorted(net.transitions, key=lambda node: str(node.name)):
        builder.transition(str(transition.name), str(transition.label or ""))
    for arc in net.arcs:
        special = (getattr(arc, "properties", None) or {}).get("arctype")
        if special:
            raise InputError(f"arc of pm4py: expected an ordinary one, found {special!r}")
        weight = int(arc.weight)
        if (arc.source in places) == (arc.target in places):
            raise InputError("arc of pm4py: expected one between a place and a transition")
        builder.arc(str(arc.source.name), str(arc.target.name), weight)
    return builder.build()


def to_pm4py(net: Net) -> Tuple[Any, Any, Any]:
    """(net, initial marking, final marking) of pm4py, read by pm4py from PNML text in memory.

    Raises InputError if pm4py's usual nets cannot express the net: inhibitor and read arcs, and immediate transitions
    or priorities with an effect.
    """
    text = net.to_pnml("strict")
    from pm4py.objects.petri_net.importer.variants import pnml

    found: Tuple[Any, Any, Any] = pnml.import_petri_from_string(text)
    return found


def from_snakes(net: Any) -> Net:
    """The net of a ``snakes.nets.PetriNet`` whose tokens are all ``dot``. Ids are the names of its nodes.

    Arcs: ``Value(dot)``, ``MultiArc`` of several, ``Test`` and ``Inhibitor`` of one. All further tokens,
    variables, expressions and guards raise InputError, because they make a coloured net.
    """
    builder = NetBuilder(str(net.name) or "net")
    for place in sorted(net.place(), key=lambda node: str(node.name)):
        builder.place(str(place.name), sum(_one_dot(token, f"place {place.name}") for token in place.tokens.items()))
    for transition in sorted(net.transition(), key=lambda node: str(node.name)):
        if str(transition.guard) not in ("True", "None"):
            raise InputError(f"transition {transition.name} of SNAKES: expected no guard, found {transition.guard}")
        name = str(transition.name)
        builder.transition(name)
        for place, label in transition.input():
            kind, weight = _snakes_arc(label, name)
            add = {"input": builder.arc, "read": builder.read, "inhibitor": builder.inhibitor}[kind]
            add(str(place.name), name, weight)
        for place, label in transition.output():
            kind, weight = _snakes_arc(label, name)
            if kind != "input":
                raise InputError(f"arc from {name} of SNAKES: expected tokens, found {label!r}")
            builder.arc(name, str(place.name), weight)
    return builder.build()


def _one_dot(token: Any, where: str) -> int:
    if type(getattr(token, "value", token)).__name__ != "BlackToken":
        raise InputError(f"{where} of SNAKES: expected dot alone as tokens, found {token!r}")
    return 1


def _snakes_arc(label: Any, transition: str) -> Tuple[str, int]:
    """The kind of an arc's annotation, and its weight."""
    kind = type(label).__name__
    where = f"arc of {transition}"
    if kind == "Value":
        return "input", _one_dot(label.value, where)
    if kind == "MultiArc":
        parts = [_snakes_arc(part, transition) for part in label]
        if parts and all(part[0] == "input" for part in parts):
            return "input", sum(weight for _, weight in parts)
    if kind in ("Test", "Inhibitor") and str(getattr(label, "_condition", "True")) == "True":
        inner, weight = _snakes_arc(label._annotation, transition)
        if (inner, weight) == ("input", 1):  # for several arcs, SNAKES tests whether there is one
            return ("read" if kind == "Test" else "inhibitor"), 1
    raise InputError(f"{where} of SNAKES: expected Value(dot), several, or Test or Inhibitor of one, found {label!r}")


def to_snakes(net: Net) -> Any:
    """A ``snakes.nets.PetriNet`` of the same net, with ``dot`` as tokens. It has interleaving semantics.

    Raises InputError for parts that SNAKES cannot express: immediate transitions and priorities, weights above 1 of
    inhibitor and read arcs, and two arcs from one place to one transition.
    """
    from snakes import nets

    made = nets.PetriNet(net.id)
    for place in net.places:
        made.add_place(nets.Place(place.id, [nets.dot] * place.initial))
    for transition in net.transitions:
        if transition.immediate or transition.priority:
            raise InputError(f"{transition.id}: SNAKES has no immediate transitions and no priorities")
        made.add_transition(nets.Transition(transition.id))
    wrap: Dict[str, Any] = {"inhibitor": nets.Inhibitor, "read": nets.Test}
    joined: Set[Tuple[str, str]] = set()
    for arc in net.arcs:
        one = nets.Value(nets.dot)
        label = one if arc.weight == 1 else nets.MultiArc([nets.Value(nets.dot) for _ in range(arc.weight)])
        if arc.kind == "output":
            made.add_output(arc.place, arc.transition, label)
            continue
        if (arc.place, arc.transition) in joined:
            raise InputError(f"SNAKES has one arc at most from {arc.place} to {arc.transition}")
        joined.add((arc.place, arc.transition))
        if arc.kind in wrap and arc.weight > 1:
            raise InputError(f"SNAKES has no {arc.kind} arc of weight {arc.weight}, as from {arc.place}")
        made.add_input(arc.place, arc.transition, wrap[arc.kind](one) if arc.kind in wrap else label)
    return made


__all__ = ["from_pm4py", "from_snakes", "reads", "to_networkx", "to_pm4py", "to_snakes"]
