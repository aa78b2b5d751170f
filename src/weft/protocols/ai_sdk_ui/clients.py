"""What each version of the AI SDK understands, as rows.

Knows: which chunks and members came with which version. Must not know: how chunks are made.
A row is what the first release of its version accepts: those validate strictly, and one member too many ends the stream.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

_APPROVAL: Final = frozenset({"tool-approval-request"})
_OWN: Final = _APPROVAL | {"tool-approval-response", "custom"}


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """One version. `own` are chunks of the SDK itself that are carried as they came, beside an app's `data-…`, which all know."""

    own: frozenset[str] = _OWN
    finish_reason: bool = True
    input_error: bool = True
    output_denied: bool = True
    preliminary: bool = True
    output_metadata: bool = True
    reasoning_file: bool = True
    abort_reason: bool = True
    text_input: bool = False


# By client profile; None is the row of those who did not say.
CLIENTS: Final[Mapping[str | None, Client]] = {
    None: Client(),
    "v5": Client(
        own=frozenset(), finish_reason=False, input_error=False, output_denied=False, preliminary=False,
        output_metadata=False, reasoning_file=False, abort_reason=False,
    ),
    "v6": Client(own=_APPROVAL, output_metadata=False, reasoning_file=False, abort_reason=False),
    "v7": Client(),
    "v7-latest": Client(own=_OWN | {"steering-message", "reset-step"}, text_input=True),
}  # fmt: skip

PROFILES: Final[Mapping[str, str]] = {
    "v5": "AI SDK 5: without chunks and members of later versions",
    "v6": "AI SDK 6: without chunks and members of later versions",
    "v7": "AI SDK 7, the same as without a profile",
    "v7-latest": "the latest AI SDK 7: the input of custom tools is text, and there are steering and reset chunks",
}
