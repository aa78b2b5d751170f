"""What the bytes do not hold and only the caller can know.

Knows: names and defaults. Must not know: what they are used for.
"""

from typing import Any

import msgspec

from weft.tools import ToolIdentityMap


class Context(msgspec.Struct, frozen=True):
    """The request and the ids around a stream. What is missing is derived from the stream, never from a clock."""

    request: Any = None
    created: int = 0
    response_id: str | None = None
    thread_id: str | None = None
    run_id: str | None = None
    tools: ToolIdentityMap | None = None
    profile: str | None = None
    include_usage: bool = True
