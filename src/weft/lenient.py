"""Second chances for a frame that is JSON but not of the shape its wire type says.

Knows: how to drop just the member that does not fit, and to say which.
Must not know: any protocol. Comes into play only after the fast parse has failed, so it may take its time.
"""

import re
from typing import Any

import msgspec

from weft.jsontext import is_array, is_object

_PATH = re.compile(r" - at `\$?([^`]*)`$")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
MAX_DROPS = 32


def fit(value: Any, wire: Any) -> tuple[Any, list[str]]:
    """The value as the wire type, without the members that do not fit, and the paths of those.

    Raises `msgspec.ValidationError` if the value as a whole is something else.
    """
    dropped: list[str] = []
    while True:
        try:
            return msgspec.convert(value, wire, strict=False), dropped
        except msgspec.ValidationError as error:
            path = _PATH.search(str(error))
            if path is None or not path.group(1) or len(dropped) >= MAX_DROPS:
                raise
            if not _drop(value, _steps(path.group(1))):
                raise
            dropped.append(path.group(1).lstrip("."))


def _steps(path: str) -> list[str]:
    return [name or number for name, number in _STEP.findall(path)]


def _drop(value: Any, steps: list[str]) -> bool:
    """Delete the member at the end of the path. `[...]` stands for some member of a mapping or list: the whole of it goes."""
    for step in steps[:-1]:
        if step == "...":
            return False
        try:
            value = value[int(step)] if is_array(value) else value[step]
        except (LookupError, TypeError, ValueError):
            return False
    last = steps[-1] if steps else ""
    if last == "..." and (is_object(value) or is_array(value)):
        value.clear()
    elif is_object(value) and last in value:
        del value[last]
    elif is_array(value) and last.isdigit() and int(last) < len(value):
        del value[int(last)]
    else:
        return False
    return True
