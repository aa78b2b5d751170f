"""Cohere's token counts in the canonical split.

Knows: that `tokens` are what the model read and wrote, and `billed_units` what is paid for. Must not know: when counts come.
"""

from weft.events import UsageSource
from weft.protocols.cohere.wire import Tokens, Usage

Counts = tuple[dict[str, int | None], dict[str, UsageSource]]

_NONE = Tokens()
_MOST = 1 << 53


def counts(usage: Usage) -> Counts:
    """Canonical counts and where they are from. What is paid for leaves parts of the prompt out, so it is but an estimate."""
    billed = usage.billed_units or _NONE
    tokens = usage.tokens or billed
    values = {
        "input_tokens": whole(tokens.input_tokens),
        "output_tokens": whole(tokens.output_tokens),
        "cache_read_tokens": whole(usage.cached_tokens),
        "reasoning_tokens": whole(tokens.reasoning_tokens),
    }
    return values, {} if usage.tokens is not None else {"input_tokens": "estimated", "output_tokens": "estimated"}


def whole(count: float | None) -> int | None:
    """A count as an integer; what is beyond all counting is none."""
    return None if count is None or not -_MOST < count < _MOST else int(count)
