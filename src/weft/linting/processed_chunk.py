"""ProcessedChunk: what seed 000's contract has the reader of such chunks rely on.

Knows: the four chunks and their order. Must not know: lines and framing.
"""

from typing import Any, Final

from weft.jsontext import is_array, is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

_CONTRACT: Final = "seed 000's contract"

RULES: Final = rules(
    Rule(
        id="processed-chunk/type",
        title="every chunk is text, function_call, error or done",
        effects=all_of("ignore", "chunk-reader"),
        reference=_CONTRACT,
        explain="The union is closed. Usage and reasons of the end stand in the metadata of the last chunk, thoughts on any chunk.",
    ),
    Rule(
        id="processed-chunk/member",
        title="every chunk has the members of its type",
        effects=all_of("crash", "chunk-reader"),
        reference=_CONTRACT,
        explain="A call has a name and, if any, arguments that are an object: it is executed at once. An error says its type, its message and whether a retry "
        "is worth it.",
    ),
    Rule(
        id="processed-chunk/error-type",
        title="the type of an error is one of seed 000's",
        effects=all_of("wrong", "chunk-reader"),
        reference=_CONTRACT,
        explain="People are told by it what to do: api_error, rate_limit, content_blocked, timeout, provider_overloaded, model_error, unknown.",
    ),
    Rule(
        id="processed-chunk/thought",
        title="a thought has its kind, summary or raw, and its content",
        effects=all_of("wrong", "chunk-reader"),
        reference=_CONTRACT,
        explain="Thoughts are logged by their kind and never shown as text.",
    ),
    Rule(
        id="processed-chunk/end-missing",
        title="the stream ends with `done` or `error`",
        effects=all_of("hang", "chunk-reader"),
        reference=_CONTRACT,
        explain="Without either the reader waits for its own timeout, and calls the answer timed out.",
    ),
    Rule(
        id="processed-chunk/after-end",
        title="nothing comes after `done` or `error`",
        effects=all_of("ignore", "chunk-reader"),
        reference=_CONTRACT,
        explain="The reader returns there. An error is an end of its own: no `done` follows it.",
    ),
)  # fmt: skip

_NEEDS: Final = needs(
    {"c": "chunk-reader"},
    """
    text           content:text=c thoughts:list~=c
    function_call  functionCall:object=c functionCall.name:id=c functionCall.args:object?=c thoughts:list~=c
    error          error:object=c error.type:id=c error.message:text=c error.retryable:bool=c
    done           metadata:object~=c
    """,
)
_ERRORS: Final = frozenset(
    "api_error rate_limit content_blocked timeout provider_overloaded model_error unknown".split()
)
_KINDS: Final = frozenset({"summary", "raw"})
_ENDS: Final = frozenset({"done", "error"})


class _Machine:
    """One stream of chunks."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._ended = ""

    def done(self) -> None:
        """Nobody minds the marker where the lines are events."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one chunk."""
        kind = text_of(value.get("type"))
        if kind not in _NEEDS:
            self._report.add(
                "processed-chunk/type", f"no chunk is called `{kind}`" if kind else "the chunk has no `type`"
            )
            return
        if self._ended:
            self._report.add("processed-chunk/after-end", f"`{kind}` comes after `{self._ended}`")
        for need, how in missing(value, _NEEDS[kind]):
            self._report.add("processed-chunk/member", f"{kind}: {how}", clients=need.clients)
        self._thoughts(value.get("thoughts"))
        error = value.get("error")
        if kind == "error" and is_object(error) and text_of(error.get("type")) not in {"", *_ERRORS}:
            self._report.add("processed-chunk/error-type", f"the error is a {error['type']!r:.40}")
        self._ended = self._ended or (kind if kind in _ENDS else "")

    def close(self) -> None:
        """A stream says how it ended."""
        if not self._ended:
            self._report.add("processed-chunk/end-missing", "the stream ends without `done` or `error`")

    def _thoughts(self, thoughts: Any) -> None:
        for thought in thoughts if is_array(thoughts) else ():
            is_whole = is_object(thought) and isinstance(thought.get("content"), str)
            if not is_whole or text_of(thought.get("kind")) not in _KINDS:
                self._report.add("processed-chunk/thought", "a thought has no kind or no content")


CHECKLIST: Final = Checklist(
    protocol="processed-chunk",
    framings=("ndjson", "sse"),
    clients=("chunk-reader",),
    rules=RULES,
    machine=_Machine,
)
