"""The token counts of chat.completions, under all the names they are given, in the canonical split.

Knows: which count includes which, by dialect. Must not know: when counts come, or how snapshots are merged.
"""

from weft.events import UsageSource
from weft.protocols.openai_chat.wire import CompletionDetails, PromptDetails, Usage

_NO_PROMPT, _NO_COMPLETION = PromptDetails(), CompletionDetails()

Counts = tuple[dict[str, int | None], dict[str, UsageSource]]


def counts(usage: Usage, *, exclusive: bool) -> Counts:
    """Canonical counts and where they are from. `exclusive`: completion_tokens leaves the reasoning out (xAI)."""
    prompt = usage.prompt_tokens_details or usage.prompt_token_details or _NO_PROMPT
    completion = usage.completion_tokens_details or _NO_COMPLETION
    reasoning = completion.reasoning_tokens if completion.reasoning_tokens is not None else usage.reasoning_tokens
    cached = next(
        (
            count
            for count in (
                prompt.cached_tokens,
                usage.prompt_cache_hit_tokens,
                usage.cached_tokens,
                usage.num_cached_tokens,
            )
            if count is not None
        ),
        None,
    )
    written = prompt.cache_write_tokens if prompt.cache_write_tokens is not None else prompt.cache_creation_input_tokens
    output, sources = _output(usage, reasoning, exclusive)
    values = {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": output,
        "total_tokens": usage.total_tokens,
        "cache_read_tokens": cached,
        "cache_write_tokens": written,
        "reasoning_tokens": reasoning,
    }
    return values, sources


def _output(usage: Usage, reasoning: int | None, exclusive: bool) -> tuple[int | None, dict[str, UsageSource]]:
    """Reasoning is added where it was left out: by declaration, or because more reasoning than completion is counted."""
    output = usage.completion_tokens
    if output is None or not reasoning:
        return output, {}
    if exclusive or reasoning > output:
        return output + reasoning, {"output_tokens": "derived"}
    return output, {}
