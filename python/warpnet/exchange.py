"""Nets from and to other libraries of Python: NetworkX, pm4py, SNAKES. None of them is needed to import this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Tuple

from ._errors import InputError
from ._net import Net, NetBuilder, reads

if TYPE_CHECKING:
    pass


def to_networkx(net: Net) -> Any:
    """The net as a bipartite ``networkx.MultiDiGraph``: nodes with ``kind`` (place, transition), ``name``, ``initial`` or
    ``immediate`` and ``priority``; edges with ``kind`` and ``weight``. Inhibitor and read arcs go from the place.

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

    Only what pm4py's usual nets have is taken: places, transitions (a label becomes the name), weighted arcs. Inhibitor
    and reset arcs raise InputError.
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

    Raises InputError for a net that pm4py's usual nets have no word for: inhibitor and read arcs, and immediate
    transitions or priorities that make a difference.
    """
    text = net.to_pnml("strict")
    from pm4py.objects.petri_net.importer.variants import pnml

    found: Tuple[Any, Any, Any] = pnml.import_petri_from_string(text)
    return found


__all__ = ["from_pm4py", "reads", "to_networkx", "to_pm4py"]
