"""Schedules: the firings in each step of a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Tuple

from . import _core, _values
from ._values import Path

if TYPE_CHECKING:
    import numpy as np

    from ._net import Net


class ScheduledStep(NamedTuple):
    """The ids of the transitions that fire together; ``immediate``: the step costs no time."""

    fired: List[str]
    immediate: bool


class Schedule:
    """A sequence of steps of a net. Notebooks show it as a Gantt chart.

    >>> import warpnet as wn
    >>> schedule = wn.warps(warps=1, arith=1).schedule()
    >>> len(schedule), schedule[0].fired
    (5, ['w1_select_arith'])
    >>> schedule.replay()["dead"]
    True
    """

    def __init__(self, net: "Net", core: _core.Schedule) -> None:
        self.net = net
        self._core = core

    def __len__(self) -> int:
        """All steps, immediate ones included; `timed_steps` counts those that cost time."""
        return len(self._core)

    def __getitem__(self, i: int) -> ScheduledStep:
        number = i + len(self) if i < 0 else i
        if number < 0:
            raise IndexError("a schedule has no such step")
        immediate, fired = self._core.step(number)
        return ScheduledStep(fired, immediate)

    def __iter__(self) -> Iterator[ScheduledStep]:
        return (self[i] for i in range(len(self)))

    @property
    def timed_steps(self) -> int:
        return self._core.timed_steps()

    def markings(self) -> "np.ndarray[Any, Any]":
        """An array with one row per marking: the initial one, and the one after each step."""
        return self._core.markings()

    def replay(self, semantics: str = "maximal") -> Dict[str, Any]:
        """Follows the schedule and checks that each of its steps is a step of the net; otherwise raises InputError.

        Returns ``{"steps", "dead", "marking"}`` at its end.
        """
        steps, dead, marking = self._core.replay(semantics)
        return {"steps": steps, "dead": dead, "marking": self.net.marking_dict(marking)}

    def to_csv(self) -> str:
        """The columns step,immediate,transition, one row per firing, as ``warpnet run --replay`` reads them."""
        return self._core.csv()

    def to_trace(self) -> str:
        """The trace format of Chrome (JSON), which Perfetto opens: one thread per warp, 1 µs per step."""
        return self._core.trace()

    def to_tapaal(self) -> str:
        """The trace (.trc) that TAPAAL's simulator imports. Raises InputError if the transitions of a step cannot fire
        one after another."""
        return self._core.tapaal()

    def save(self, file: Path) -> None:
        """Writes the CSV file, or :meth:`to_trace` if its name ends in ``.json``, or :meth:`to_tapaal` if it ends in
        ``.trc``, whole or not at all."""
        name = os.fspath(file)
        write = {".json": self.to_trace, ".trc": self.to_tapaal}.get(os.path.splitext(name)[1], self.to_csv)
        _core.write_file(name, write().encode())

    def __reduce__(self) -> Tuple[Any, ...]:
        return _unpickled, (self.net, self.to_csv())

    def draw(self, *, theme: str = "light", font_size: float = 0) -> str:
        """A Gantt chart as SVG text: one row per warp, one column per step, with the certified bound.
        `theme` and `font_size` as in :meth:`warpnet.Net.draw`."""
        return self._core.svg(_values.text("theme", theme), _values.real("font_size", font_size))

    def firings(self) -> List[Tuple[int, str]]:
        """(number of the timed step from 1, id) of every firing in a timed step, in order."""
        found = []
        number = 0
        for step in self:
            number += not step.immediate
            found += [(number, transition) for transition in step.fired if not step.immediate]
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schedule) and self._core == other._core

    def __hash__(self) -> int:
        return hash((self.net, self.to_csv()))

    def __repr__(self) -> str:
        return f"<Schedule of {self.net.id!r}: {self.timed_steps} steps>"

    def _repr_svg_(self) -> str:
        return self.draw()


def _unpickled(net: "Net", csv: str) -> Schedule:
    return Schedule(net, _core.Schedule(net._core, csv, "a pickled schedule"))
