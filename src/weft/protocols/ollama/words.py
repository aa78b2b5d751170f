"""The words of this wire for what is the same in a line and in a whole reply: finishes, counts and failures.

Knows: names and tables. Must not know: lines, or when anything is said.
"""

from typing import Any, Final

from weft.errors import Error, says_all
from weft.events import Finish, FinishReason, Usage
from weft.jsontext import is_object

_FINISHES: Final[dict[FinishReason | None, str]] = {"length": "length"}
# Said in other words by this wire: a stop with calls beside it is one for them.
PLAIN: Final = frozenset({"stop", "tool_calls", "length", None})

_DURATIONS: Final = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")

NO_TIME: Final = "0001-01-01T00:00:00Z"
"""What Go writes where no time is set; the member has to be there."""


def finish(said: Finish) -> str:
    """Our word, which is any word the source has where nobody knows what it means."""
    return said.raw if said.reason == "other" and said.raw else _FINISHES.get(said.reason, "stop")


def usage(counts: Usage) -> dict[str, int]:
    """The two counts, with the durations that are this wire's own. Nobody's clock is read for others."""
    own: dict[str, Any] = counts.raw if is_object(counts.raw) else {}
    said = {"prompt_eval_count": counts.input_tokens, "eval_count": counts.output_tokens}
    said |= {name: own[name] for name in _DURATIONS if isinstance(own.get(name), int)}
    return {name: count for name, count in said.items() if count is not None}


def is_plain(counts: Usage) -> bool:
    """Are the two counts all that is known?"""
    return not (counts.cache_read_tokens or counts.cache_write_tokens or counts.reasoning_tokens)


def tells_all(fault: Error) -> bool:
    """Does the text alone say all that is known of a failure?"""
    return says_all({"error": fault.message}, fault)
