"""The token counts of chat.completions, under all the names they are given, in the canonical split.

Knows: which count includes which. Must not know: when counts come, or how snapshots are merged.

Arithmetic decides where it can: a total that is the sum of three proves that reasoning is counted beside the completion,
and more cached tokens than prompt tokens prove that those are counted beside the prompt. A dialect's word decides the rest.
A total that leaves out what was added to a part says nothing: the ledger sums it up anew.
"""

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from weft.events import UsageSource
from weft.jsontext import is_object, whole
from weft.lenient import fit
from weft.protocols.openai_chat.wire import CompletionDetails, Json, PromptDetails, Usage

ReasoningCount = Literal["inside", "beside", "beside_if_more"]
"""Where reasoning is counted: inside the completion, beside it, or beside it whenever it is more."""

Sources = dict[str, UsageSource]

_NO_PROMPT, _NO_COMPLETION = PromptDetails(), CompletionDetails()
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def counts(said: Json, reasoning_count: ReasoningCount) -> tuple[dict[str, int | None], Sources]:
    """Canonical counts, and which of them are derived."""
    usage = _read(said)
    prompt = usage.prompt_tokens_details or usage.prompt_token_details or _NO_PROMPT
    completion = usage.completion_tokens_details or _NO_COMPLETION
    reasoning = _one((completion.reasoning_tokens, usage.reasoning_tokens))
    cached = _one(
        (
            prompt.cached_tokens,
            usage.prompt_cache_hit_tokens,
            usage.cached_tokens,
            usage.num_cached_tokens,
            usage.cache_read_input_tokens,
        )
    )
    sources: Sources = {}
    taken, made = _input(usage, cached, sources), _output(usage, reasoning, reasoning_count, sources)
    values = {
        "input_tokens": taken,
        "output_tokens": made,
        "total_tokens": None
        if sources and (taken or 0) + (made or 0) > (usage.total_tokens or 0)
        else usage.total_tokens,
        "cache_read_tokens": cached,
        "cache_write_tokens": _one(
            (prompt.cache_write_tokens, prompt.cache_creation_input_tokens, usage.cache_creation_input_tokens)
        ),
        "reasoning_tokens": reasoning,
    }
    return values, sources


def _read(said: Json) -> Usage:
    """The counts as typed numbers: digits in quotes are numbers, and what is no number at all is left out."""
    if "promptTokens" in said or "completionTokens" in said:
        said = _snake(said)
    try:
        return msgspec.convert(said, Usage, strict=False)
    except (msgspec.ValidationError, UnicodeError):
        return fit(whole(said) or {}, Usage)[0]


def _snake(said: Json) -> Json:
    """OpenRouter's own SDK spells `promptTokens`, and so on one level below."""
    renamed = {_HUMP.sub("_", name).lower(): value for name, value in said.items()}
    return {
        name: {_HUMP.sub("_", inner).lower(): count for inner, count in value.items()} if is_object(value) else value
        for name, value in renamed.items()
    }


def _one(counts: Iterable[int | None]) -> int | None:
    """The same count under several names: a number goes before a zero, a zero before nothing."""
    return max((count for count in counts if count is not None), default=None)


def _input(usage: Usage, cached: int | None, sources: Sources) -> int | None:
    tokens = usage.prompt_tokens if usage.prompt_tokens is not None else usage.input_tokens
    if tokens is not None and cached is not None and cached > tokens:
        sources["input_tokens"] = "derived"
        return tokens + cached
    return tokens


def _output(usage: Usage, reasoning: int | None, reasoning_count: ReasoningCount, sources: Sources) -> int | None:
    tokens = usage.completion_tokens if usage.completion_tokens is not None else usage.output_tokens
    if tokens is None or not reasoning:
        return tokens
    if usage.total_tokens is not None and usage.prompt_tokens is not None:
        beside = usage.total_tokens == usage.prompt_tokens + tokens + reasoning
    else:
        beside = reasoning_count == "beside"
    if beside or (reasoning_count == "beside_if_more" and reasoning > tokens):
        sources["output_tokens"] = "derived"
        return tokens + reasoning
    return tokens
