"""Text completions of the other model families behind Bedrock's InvokeModel, and of Anthropic's own before Messages.

Knows: in which members each family puts text, finish and counts; one row for each form.
Must not know: how the frames were wrapped. Families that speak a protocol of their own are in `guests`: text alone would be half of what they say.
"""

from typing import Any, Final, NamedTuple

from weft import jsontext
from weft.assembler import Assembler
from weft.protocols.anthropic.wire import METRICS


class Family(NamedTuple):
    """`mark` is the member that betrays the family; where it is a list, each of its items is a completion. `choice` numbers them.

    Text and finish may stand one level deeper than the completion: a dot leads there.
    """

    mark: str
    text: str
    finish: str
    input: str = ""
    output: str = ""
    choice: str = ""


ROWS: Final = (
    Family("completion", "completion", "stop_reason"),  # Claude before Messages
    Family("outputText", "outputText", "completionReason", "inputTextTokenCount", "totalOutputTextTokenCount"),  # Titan
    Family("results", "outputText", "completionReason", "inputTextTokenCount"),
    Family("generation", "generation", "stop_reason", "prompt_token_count", "generation_token_count"),  # Llama
    Family("outputs", "text", "stop_reason"),  # Mistral
    Family("is_finished", "text", "finish_reason", choice="index"),  # Cohere Command
    Family("generations", "text", "finish_reason"),
    Family("completions", "data.text", "finishReason.reason"),  # AI21 Jurassic
)
MEMBERS: Final = frozenset(name.partition(".")[0] for row in ROWS for name in row if name) | {"prompt"}


def find(frame: Any) -> Family | None:
    """The family that this frame is of. A frame with a type of its own is of none, but for `completion`."""
    if not jsontext.is_object(frame) or frame.get("type") not in (None, "completion") or "event_type" in frame:
        return None
    return next((row for row in ROWS if row.mark in frame), None)


def say(out: Assembler, family: Family, frame: dict[str, Any]) -> None:
    """Text, counts and the finish, with which a completion is over."""
    marked = frame[family.mark]
    finished = False
    for number, piece in enumerate(marked if jsontext.is_array(marked) else [frame]):
        if not jsontext.is_object(piece):
            continue
        choice = _count(piece.get(family.choice)) or number
        text, finish = _at(piece, family.text), _at(piece, family.finish)
        if isinstance(text, str):
            out.text(text, choice)
        if isinstance(finish, str):
            out.finish(finish, None, choice)
            finished = True
    _usage(out, family, frame)
    if finished:
        out.sign("terminal")


def _usage(out: Assembler, family: Family, frame: dict[str, Any]) -> None:
    metrics = frame.get(METRICS)
    if jsontext.is_object(metrics):
        names, raw = ("inputTokenCount", "outputTokenCount"), metrics
    else:
        names, raw = (family.input, family.output), frame
    counts = {"input_tokens": _count(raw.get(names[0])), "output_tokens": _count(raw.get(names[1]))}
    out.usage(counts, None, {name: raw[name] for name in names if name in raw})


def _at(piece: dict[str, Any], path: str) -> Any:
    first, _, rest = path.partition(".")
    found = piece.get(first)
    return _at(found, rest) if rest and jsontext.is_object(found) else found


def _count(value: Any) -> int | None:
    """A number of tokens, or of a choice; guardrails make floats of them."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 1 << 53 else None
