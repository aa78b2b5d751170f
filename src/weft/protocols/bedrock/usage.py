"""Bedrock's token counts in the canonical split.

Knows: which count includes which. Must not know: when counts come.
"""

from weft.events import UsageSource
from weft.protocols.bedrock.wire import Usage

Counts = tuple[dict[str, int | None], dict[str, UsageSource]]


def counts(usage: Usage) -> Counts:
    """Canonical counts and where they are from. What was read from or written to the cache is not in `inputTokens`, the total says."""
    fresh, output = usage.input_tokens, usage.output_tokens
    read, written = usage.cache_read_input_tokens, usage.cache_write_input_tokens
    cached = (read or 0) + (written or 0)
    apart = fresh is not None and cached > 0 and usage.total_tokens != fresh + (output or 0)
    values = {
        "input_tokens": fresh + cached if fresh is not None and apart else fresh,
        "output_tokens": output,
        "total_tokens": usage.total_tokens,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
    }
    return values, {"input_tokens": "derived"} if apart else {}
