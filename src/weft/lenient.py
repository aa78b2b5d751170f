"""Second chances for a frame that is JSON but not of the shape its wire type says.

Knows: how to drop just the member that does not fit, and to say which; that one object where a list is due is a list of one (TGI's calls);
and that a member kept as raw JSON has to be text again.
Must not know: any protocol. Comes into play only after the fast parse has failed, so it may take its time.
"""

import re
from typing import Any

import msgspec

from weft import jsontext
from weft.jsontext import is_array, is_object

_PATH = re.compile(r" - at `\$?([^`]*)`$")
_LONE = re.compile(r"Expected `[^`]*\barray\b[^`]*`, got `object`")
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
            why = str(error)
            path = _PATH.search(why)
            change = _make_raw if why.startswith("Expected `raw`") else _make_list if _LONE.match(why) else _drop
            if path is None or not path.group(1) or not change(*_place(value, _steps(path.group(1)))):
                raise
            if change is _drop:
                dropped.append(path.group(1).lstrip("."))
    return msgspec.convert(value, wire, strict=False), dropped


def _steps(path: str) -> list[str]:
    return [name or number for name, number in _STEP.findall(path)]


def _place(value: Any, steps: list[str]) -> tuple[Any, str]:
    """What holds the member at the end of the path, and the member's name there; None if nothing does."""
    for step in steps[:-1]:
        try:
            value = value[int(step)] if is_array(value) else value[step]
        except (LookupError, TypeError, ValueError):
            return None, ""
    return value, steps[-1] if steps else ""


def _make_raw(holder: Any, name: str) -> bool:
    """A member that is to be kept as it is written."""
    if not is_object(holder) or name not in holder:
        return False
    try:
        holder[name] = msgspec.Raw(jsontext.encode(holder[name]))
    except ValueError:
        return False
    return True


def _make_list(holder: Any, name: str) -> bool:
    """One object where a list of them is due."""
    if not is_object(holder) or name not in holder:
        return False
    holder[name] = [holder[name]]
    return True


def _drop(holder: Any, name: str) -> bool:
    """A member that does not fit. `...` stands for some member of a mapping or list: the whole of it goes."""
    if name == "..." and (is_object(holder) or is_array(holder)):
        holder.clear()
    elif is_object(holder) and name in holder:
        del holder[name]
    elif is_array(holder) and name.isdigit() and int(name) < len(holder):
        del holder[int(name)]
    else:
        return False
    return True
