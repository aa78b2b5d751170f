"""Token counts: a snapshot comes with nearly every chunk, each of them all so far.

Knows: which count includes which, and that a later snapshot may lack what an earlier one had, or correct it downwards.
Must not know: frames, or when counts are said.
"""

from weft.events import UsageSource
from weft.protocols.gemini.wire import UsageMetadata

Counts = tuple[dict[str, int | None], dict[str, UsageSource]]


class Meter:
    """The last word on each count.

    A snapshot that has the same members as the one before replaces it, and nothing is lost. So it need not be looked at: the
    decoder only keeps it in `held`, as long as `no_output` and `no_thoughts` hold for it too, and gives any other to `add`.
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
        sources: dict[str, UsageSource] = {}
        values = {
            "input_tokens": _sum("input_tokens", said.prompt_token_count, said.tool_use_prompt_token_count, sources),
            "output_tokens": _sum("output_tokens", said.candidates_token_count, said.thoughts_token_count, sources),
            "total_tokens": said.total_token_count,
            "cache_read_tokens": said.cached_content_token_count,
            "reasoning_tokens": said.thoughts_token_count,
        }
        return values, sources

    def _settle(self) -> None:
        """What the held snapshot says is said; what it does not, stands."""
        for name in UsageMetadata.__struct_fields__:
            count = getattr(self.held, name)
            if count is not None:
                setattr(self._said, name, count)


def _sum(name: str, part: int | None, other: int | None, sources: dict[str, UsageSource]) -> int | None:
    """Two counts that exclude each other. The sum of two is derived, one alone is what was reported."""
    if part is None or other is None:
        return part if other is None else other
    sources[name] = "derived"
    return part + other
