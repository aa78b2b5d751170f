"""boto3's events as frames: a dict with one member, whose name is the event's.

Knows: that shape. Must not know: what an event means.
"""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from weft.protocols.bedrock.wire import EVENTS


def framed(value: Any) -> tuple[bytes, str] | None:
    """Payload and name of an event that boto3 parsed; None for anything else. Bytes become base64 again."""
    if not isinstance(value, Mapping) or len(cast(Mapping[str, Any], value)) != 1:
        return None
    (name,) = cast(Mapping[str, Any], value)
    if name in EVENTS:
        return msgspec.json.encode(value[name], enc_hook=str), name
    return None
