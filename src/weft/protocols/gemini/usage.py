"""Token counts: a snapshot comes with nearly every chunk, each of them all so far.

Knows: which count includes which, and that a later snapshot may lack what an earlier one had, or correct it downwards.
Must not know: frames, or when counts are said.
"""

from weft.events import UsageSource
from weft.protocols.gemini.wire import UsageMetadata

Counts = tuple[dict[str, int | None], dict[str, UsageSource]]


class Meter:
    """The last word on each count.

    A snapshot with the members of the one before replaces it, and nothing is lost. That is nearly every one, so the decoder only keeps it
    in `held` as long as its total is there and `no_output` and `no_thoughts`, which tell of the two that come and go, hold for it; any
    other is given to `add`.
    """

    __slots__ = ("_said", "held", "no_output", "no_thoughts")

    def __init__(self) -> None:
        self.held = UsageMetadata()
        self.no_output: bool | None = None
        self.no_thoughts: bool | None = None
        self._said = UsageMetadata()

    def due(self) -> None:
        """The next snapshot is to be added, whatever its members are."""
        self.no_output = None

    def add(self, usage: UsageMetadata) -> None:
        """Take a snapshot with other members than the one before, or the first."""
        self._settle()
        self.held = usage
        self.no_output = usage.candidates_token_count is None
        self.no_thoughts = usage.thoughts_token_count is None

    def counts(self) -> Counts:
        """All counts in the canonical split, and where they are from."""
        self._settle()
        said = self._said
        return summed(
            prompt=said.prompt_token_count,
            tools=said.tool_use_prompt_token_count,
            output=said.candidates_token_count,
            thoughts=said.thoughts_token_count,
            total=said.total_token_count,
            cached=said.cached_content_token_count,
        )

    def _settle(self) -> None:
        """What the held snapshot says is said; what it does not, stands."""
        for name in UsageMetadata.__struct_fields__:
            count = getattr(self.held, name)
            if count is not None:
                setattr(self._said, name, count)


def summed(
    *,
    prompt: int | None,
    tools: int | None,
    output: int | None,
    thoughts: int | None,
    total: int | None,
    cached: int | None,
) -> Counts:
    """Google's counts in the canonical split: what tools read is prompt too, thoughts are output too. A sum of two is derived."""
    values = {
        "input_tokens": _sum(prompt, tools),
        "output_tokens": _sum(output, thoughts),
        "total_tokens": total,
        "cache_read_tokens": cached,
        "reasoning_tokens": thoughts,
    }
    sources: dict[str, UsageSource] = {}
    if prompt is not None and tools:
        sources["input_tokens"] = "derived"
    if output is not None and thoughts:
        sources["output_tokens"] = "derived"
    return values, sources


def _sum(part: int | None, other: int | None) -> int | None:
    return (part or 0) + (other or 0) if part is not None or other is not None else None
