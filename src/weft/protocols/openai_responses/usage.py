"""The token counts of the Responses API in the canonical split: its totals include what is cached and what is reasoned.

Knows: which member is which count. Must not know: when counts come, or how snapshots are merged.
"""

from weft.protocols.openai_responses.wire import InputDetails, OutputDetails, Usage

_NO_INPUT, _NO_OUTPUT = InputDetails(), OutputDetails()


def counts(usage: Usage) -> dict[str, int | None]:
    """Canonical counts."""
    taken = usage.input_tokens_details or _NO_INPUT
    made = usage.output_tokens_details or _NO_OUTPUT
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "cache_read_tokens": taken.cached_tokens,
        "cache_write_tokens": taken.cache_write_tokens,
        "reasoning_tokens": made.reasoning_tokens,
    }
