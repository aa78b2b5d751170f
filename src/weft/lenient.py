"""Second chances for a frame that is JSON but not of the shape its wire type says.

Knows: how to drop just the member that does not fit, and to say which; and that a member kept as raw JSON has to be text again.
Must not know: any protocol. Comes into play only after the fast parse has failed, so it may take its time.
"""

import re
from typing import Any

import msgspec

from weft import jsontext
from weft.jsontext import is_array, is_object

_PATH = re.compile(r" - at `\$?([^`]*)`$")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
MAX_CHANGES = 64


def fit(value: Any, wire: Any) -> tuple[Any, list[str]]:
    """The value as the wire type, without the members that do not fit, and the paths of those.

    Raises `msgspec.ValidationError` if the value as a whole is something else, UnicodeError if half a character stands where no text is due.
    """
    dropped: list[str] = []
    for _ in range(MAX_CHANGES):
        try:
            return msgspec.convert(value, wire, strict=False), dropped
        except msgspec.ValidationError as error:
            path = _PATH.search(str(error))
            raw = str(error).startswith("Expected `raw`")
            if path is None or not path.group(1) or not _change(value, _steps(path.group(1)), raw=raw):
                raise
            if not raw:
                dropped.append(path.group(1).lstrip("."))
    return msgspec.convert(value, wire, strict=False), dropped


def _steps(path: str) -> list[str]:
    return [name or number for name, number in _STEP.findall(path)]


def _change(value: Any, steps: list[str], *, raw: bool) -> bool:
    """Delete the member at the end of the path, or make it raw. `[...]` stands for some member of a mapping or list: the whole of it goes."""
    for step in steps[:-1]:
        if step == "...":
            return False
        try:
            value = value[int(step)] if is_array(value) else value[step]
        except (LookupError, TypeError, ValueError):
            return False
    last = steps[-1] if steps else ""
    if raw and is_object(value) and last in value:
        try:
            value[last] = msgspec.Raw(jsontext.encode(value[last]))
        except ValueError:
            return False
    elif last == "..." and (is_object(value) or is_array(value)):
        value.clear()
    elif is_object(value) and last in value:
        del value[last]
    elif is_array(value) and last.isdigit() and int(last) < len(value):
        del value[int(last)]
    else:
        return False
    return True
