"""Conversion of Python values for the engine: numbers, names, markings, flags of a command."""

from __future__ import annotations

import operator
import os
import warnings
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._errors import InputError, in_keywords

#: Tokens by the ids of their places (missing places hold none), or one number per place in the net's order.
Marking = Union[Mapping[str, int], Sequence[int], "np.ndarray[Any, Any]"]
Path = Union[str, "os.PathLike[str]"]

_MOST = 2**63 - 1
_REPEATED = ("measured", "metrics")  # flags that are repeated for each value


def whole(name: str, value: Any, least: int = 0, most: int = _MOST) -> int:
    """A whole number in a range, of any type that has one (int, NumPy's integers)."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name}: expected a whole number, found {value!r}") from None
    if isinstance(value, bool) or not least <= number <= most:
        raise InputError(f"{name}: expected a whole number from {least} to {most}, found {value!r}")
    return number


def size(name: str, value: Any) -> int:
    """A number of bytes, or a text with a unit: ``"500M"``, ``"4G"``."""
    if not isinstance(value, str):
        return whole(name, value, 1)
    number = value.removesuffix("B").removesuffix("i")
    shift = 10 * (1 + "KMGT".find(number[-1:].upper())) if number else 0
    digits = number[:-1] if shift else number
    if not shift or not digits.isascii() or not digits.isdecimal():
        raise InputError(f"{name}: expected bytes, or a text with a unit such as '500M' or '4G', found {value!r}")
    return whole(name, int(digits) << shift, 1)


def threads(number: Any) -> int:
    """The number of threads that a call may use, even if there are fewer cores; 0: all cores."""
    allowed = whole("threads", number, 0, 4096)
    _core.allow_threads(allowed)
    return allowed


def maybe_whole(name: str, value: Any, least: int = 0, most: int = _MOST) -> Optional[int]:
    return None if value is None else whole(name, value, least, most)


def real(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a number, found {value!r}") from None


def maybe_seconds(name: str, value: Any) -> Optional[float]:
    return None if value is None else real(name, value)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name}: expected a text, found {value!r}")
    return value


def array_of_marking(marking: Marking, places: Mapping[str, int]) -> "np.ndarray[Any, Any]":
    """A marking as one number per place. `places`: their positions by id."""
    if isinstance(marking, Mapping):
        tokens = np.zeros(len(places), dtype=np.int64)
        for place, count in marking.items():
            if place not in places:
                raise InputError(f"marking: the net has no place {place!r}")
            tokens[places[place]] = whole(f"marking of {place!r}", count)
        return tokens
    tokens = np.asarray(marking)
    if tokens.dtype.kind not in "iu" and tokens.size > 0:
        raise InputError(f"marking: expected whole numbers, found an array of {tokens.dtype}")
    return tokens.astype(np.int64)


def flags(parameters: Mapping[str, Any]) -> List[str]:
    """The flags of a command: ``shared_latency=2`` is ``--shared-latency 2``, ``units={"C": 1}`` is ``--units C=1``.

    A name may end in an underscore, for keywords of Python: ``global_=20``. None and False are omitted, True is a flag
    without a value, a mapping becomes NAME=VALUE,..., a sequence A,B,C, a sequence of sequences repeats the flag.
    """
    words: List[str] = []
    for name, value in parameters.items():
        if value is None or value is False:
            continue
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(flag)
        elif name in _REPEATED and isinstance(value, (list, tuple)):
            for item in value:
                words += [flag, word(item)]
        elif isinstance(value, Mapping):
            words += [flag, ",".join(f"{key}={word(item)}" for key, item in value.items())]
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)):
            for item in value:
                words += [flag, ",".join(word(number) for number in item)]
        elif isinstance(value, (list, tuple)):
            words += [flag, ",".join(word(item) for item in value)]
        else:
            words += [flag, word(value)]
    return words


def word(value: Any) -> str:
    """A value in the form of the command line."""
    if isinstance(value, (str, os.PathLike)):
        text = str(os.fspath(value))
        if text == "-":
            raise InputError("expected the name of a file, found '-': the standard input is that of Python")
        return text
    if isinstance(value, (bool, np.bool_)):
        raise InputError(f"expected a number or a text, found {value!r}")
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    raise InputError(f"expected a number or a text, found {value!r}")


def warn(messages: Iterable[str]) -> None:
    """The warnings of the engine about its input, as warnings of Python."""
    for message in messages:
        warnings.warn(in_keywords(message), UserWarning, stacklevel=3)
