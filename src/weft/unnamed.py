"""A frame that nobody could name, said again in the framing that it came in.

Knows: how a decoded frame stands in server-sent events, and in lines. Must not know: any protocol, or what the frame says.
"""

import re
from typing import Any, Final

from weft import jsontext
from weft.events import Unknown

_BREAKS: Final = re.compile(rb"\r\n|\r|\n")


def as_event(event: Unknown) -> bytes:
    """An event of its name, if it has one."""
    name = event.name.encode("utf-8", "replace")
    head = b"event: %b\n" % name if name and not _BREAKS.search(name) else b""
    return head + b"".join(b"data: %b\n" % line for line in _BREAKS.split(payload(event.raw))) + b"\n"


def as_line(event: Unknown) -> bytes:
    """One line."""
    return _BREAKS.sub(b" ", payload(event.raw)) + b"\n"


def payload(raw: Any) -> bytes:
    """What stood in the frame: JSON, or text that was none."""
    if isinstance(raw, str):
        try:
            jsontext.decode(raw)
        except ValueError:
            return raw.encode("utf-8", "replace")
    return jsontext.line(raw)
