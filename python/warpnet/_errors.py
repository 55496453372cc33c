"""The exceptions of the package."""

from __future__ import annotations

import keyword
import re
from typing import Any, Optional, TypeVar

Result = TypeVar("Result")

_WHERE = re.compile(r"(?P<file>[^\n:]+):(?P<line>\d+)(?::(?P<column>\d+))?: ")
# A command in quotes, or a flag with the value that it asks for: --ptx FILE, --counts fp32=40,loads=2.
_COMMAND = r"'warpnet (?P<command>[^']*)'"
_FLAG = r"(?<![\w-])--(?P<flag>[a-z][a-z0-9-]*)(?: (?P<value>[A-Z]{2,}(?:\.[a-z]+)?(?![\w=])|\w+=[\w=,]*\w))?"
_WORDS_OF_THE_PROGRAM = re.compile(f"{_COMMAND}|{_FLAG}")


def in_keywords(message: str) -> str:
    """The message with each flag of the program written as the keyword argument of this package."""

    def in_python(found: "re.Match[str]") -> str:
        if found["command"]:
            lists_devices = found["command"] in ("devices", "devices --columns")
            return "warpnet.devices()" if lists_devices else found[0]
        name, value = found["flag"].replace("-", "_"), found["value"]
        name += "_" * keyword.iskeyword(name)
        if value is None:
            return name
        return f"{name}={value!r}" if "=" in value else f"{name}={value}"

    return _WORDS_OF_THE_PROGRAM.sub(in_python, message)


class InputError(ValueError):
    """A file, a net or a parameter that cannot be used. The message has the expected and the found value.

    ``file``, ``line`` and ``column`` (from 1) are the position of the error, or None if it is unknown.

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
        super().__init__(in_keywords(message))
        where = _WHERE.match(message) if file is None else None
        if where:
            file, line = where["file"], int(where["line"])
            column = int(where["column"]) if where["column"] else None
        self.file = file
        self.line = line
        self.column = column


class RenderError(RuntimeError):
    """A valid net could not be drawn: Graphviz is missing, failed or took too long."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a long call. ``result``: the partial result of the call: the finished runs, the longest run and the
    bound found so far, or the visited markings.

    It is a KeyboardInterrupt, so loops and notebooks stop as usual. In the next cell of a notebook the result is
    ``sys.last_value.result``.
    """

    def __init__(self, result: Any) -> None:
        super().__init__(f"{result!r} so far; it is the .result of this exception (sys.last_value.result)")
        self.result = result


def unless_signalled(result: Result, signal: Optional[BaseException]) -> Result:
    """The result. If a signal ended the work early, raises the exception of its handler with the result in it."""
    if signal is None:
        return result
    if type(signal) is KeyboardInterrupt:
        raise Interrupted(result) from None
    signal.result = result  # type: ignore[attr-defined]
    raise signal
