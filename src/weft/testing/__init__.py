"""For authors of protocols: our own laws, to be held against somebody else's decoder. For users of the runner: a clock that stands still.

    from weft.testing import check_protocol
    check_protocol(MY_PROTOCOL, [path_or_bytes, ...])

Knows: what must hold for every protocol. Must not know: any protocol in particular. `FakeClock` needs anyio and is imported when asked for.
"""

import typing

from weft.testing.adapters import check_adapter
from weft.testing.contracts import check_stream_events
from weft.testing.laws import (
    LawBrokenError,
    check_cuts,
    check_garbage,
    check_grammar,
    check_line_ends,
    check_prefixes,
    check_protocol,
    check_whole_reply,
)

if typing.TYPE_CHECKING:
    from weft.testing.clock import FakeClock

__all__ = [
    "FakeClock",
    "LawBrokenError",
    "check_adapter",
    "check_cuts",
    "check_garbage",
    "check_grammar",
    "check_line_ends",
    "check_prefixes",
    "check_protocol",
    "check_stream_events",
    "check_whole_reply",
]


def __getattr__(name: str) -> typing.Any:
    if name != "FakeClock":
        raise AttributeError(f"module 'weft.testing' has no attribute {name!r}")
    try:
        from weft.testing.clock import FakeClock
    except ImportError as error:
        raise ImportError("the clock of the tests needs anyio: pip install 'weft[runner]'") from error
    return FakeClock
