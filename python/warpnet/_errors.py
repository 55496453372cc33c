"""What can go wrong, as exceptions."""

from __future__ import annotations

import re
from typing import Any, Optional, TypeVar

Result = TypeVar("Result")

_WHERE = re.compile(r"(?P<file>[^\n:]+):(?P<line>\d+)(?::(?P<column>\d+))?: ")


class InputError(ValueError):
    """A file, a net or a parameter that cannot be used; the message says what was expected and what was found.

    ``file``, ``line`` and ``column`` (from 1) say where, as far as that is known; else they are None.

    >>> import warpnet as wn
    >>> try:
    ...     wn.reads("<pnml>\\n  <net id='n'", "broken.pnml")
    ... except wn.InputError as error:
    ...     print(error.file, error.line)
    broken.pnml 2
    """

    def __init__(
        self,
        message: str,
        file: Optional[str] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        where = _WHERE.match(message) if file is None else None
        if where:
            file, line = where["file"], int(where["line"])
            column = int(where["column"]) if where["column"] else None
        self.file = file
        self.line = line
        self.column = column


class RenderError(RuntimeError):
    """A picture could not be made though the net is fine: Graphviz is missing, failed or took too long."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a long call. ``result``: what the call would have returned, as far as it was known by then: the runs
    that had ended, the longest run and the bound that were found, the markings that were seen.

    It is a KeyboardInterrupt, so loops and notebooks stop as usual. In the next cell of a notebook the result is
    ``sys.last_value.result``.
    """

    def __init__(self, result: Any) -> None:
        super().__init__(f"{result!r} so far; it is the .result of this exception (sys.last_value.result)")
        self.result = result


def unless_signalled(result: Result, signal: Optional[BaseException]) -> Result:
    """The result, or where a signal has ended the work early the exception of its handler, which then carries it."""
    if signal is None:
        return result
    if type(signal) is KeyboardInterrupt:
        raise Interrupted(result) from None
    signal.result = result  # type: ignore[attr-defined]
    raise signal
