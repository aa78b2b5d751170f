"""The AI SDK's token counts in the canonical split, and its words for how a model finished.

Knows: the members of all versions; totals include what is cached and what was thought. Must not know: when they come.
"""

from collections.abc import Mapping

from weft.events import FinishReason
from weft.finish import finish_reason
from weft.protocols.ai_sdk.wire import Finish, FinishStep, InputDetails, OutputDetails, Tokens, Usage, Word

Counts = dict[str, int | None]

_NO_INPUT, _NO_OUTPUT = InputDetails(), OutputDetails()

# What a provider can mean by its own word and the SDK has no word for.
_FINER = ("refusal", "pause")


def counts(usage: Usage | None) -> Counts:
    """Canonical counts; None where nobody said."""
    if usage is None:
        return {}
    read, written = _tokens(usage.input_tokens), _tokens(usage.output_tokens)
    inside, outside = usage.input_token_details or _NO_INPUT, usage.output_token_details or _NO_OUTPUT
    return {
        "input_tokens": _first(read.total, usage.prompt_tokens),
        "output_tokens": _first(written.total, usage.completion_tokens),
        "total_tokens": usage.total_tokens,
        "cache_read_tokens": _first(read.cache_read, inside.cache_read_tokens, usage.cached_input_tokens),
        "cache_write_tokens": _first(read.cache_write, inside.cache_write_tokens),
        "reasoning_tokens": _first(written.reasoning, outside.reasoning_tokens, usage.reasoning_tokens),
    }


def added(sum_so_far: Mapping[str, int | None], step: Counts) -> Counts:
    """The counts of one more step; a number that only some steps said is the sum of those."""
    names = sum_so_far.keys() | step.keys()
    return {name: _sum(sum_so_far.get(name), step.get(name)) for name in names}


def finish_of(part: Finish | FinishStep) -> tuple[str | None, FinishReason | None]:
    """The provider's own word, or else the SDK's, and what it means."""
    said = part.finish_reason
    unified, raw = (said.unified, said.raw) if isinstance(said, Word) else (said, part.raw_finish_reason)
    ours, own = finish_reason(unified), finish_reason(raw)
    if ours in (None, "other") or own in _FINER:
        ours = own or ours
    return raw or unified, ours


def _tokens(value: int | Tokens | None) -> Tokens:
    return value if isinstance(value, Tokens) else Tokens(total=value)


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other
