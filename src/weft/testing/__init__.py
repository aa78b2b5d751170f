"""For authors of protocols: our own laws, to be held against somebody else's decoder.

    from weft.testing import check_protocol
    check_protocol(MY_PROTOCOL, [path_or_bytes, ...])

Knows: what must hold for every protocol. Must not know: any protocol in particular.
"""

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

__all__ = [
    "LawBrokenError",
    "check_cuts",
    "check_garbage",
    "check_grammar",
    "check_line_ends",
    "check_prefixes",
    "check_protocol",
    "check_stream_events",
    "check_whole_reply",
]
