"""Ollama's own chat: what its clients for Python and JavaScript hold a stream to.

Knows: the lines of an answer. Must not know: lines as bytes, and framing.
"""

from typing import Any, Final

from weft.jsontext import is_array, is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import is_int, missing, needs
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

RULES: Final = rules(
    Rule(
        id="ollama/member",
        title="every line has the members that clients read",
        effects=all_of("crash", "ollama-python"),
        reference="measured member by member",
        explain="ollama for Python holds every line to its types: a `message` with its role on the last line too, `created_at` as a string, the "
        "arguments of a call as an object.",
    ),
    Rule(
        id="ollama/count",
        title="counts and durations are integers",
        effects=all_of("crash", "ollama-python"),
        reference="measured",
        explain="Durations are nanoseconds without a fraction. What is not known is left out.",
    ),
    Rule(
        id="ollama/role",
        title="the role is `assistant`",
        effects=all_of("wrong", "ollama-python"),
        reference="measured",
        explain="The client hands the role on as it came.",
    ),
    Rule(
        id="ollama/done-missing",
        title="the stream ends with a line that says `done: true`, or with an error",
        effects={"ollama-js": "crash", "ollama-python": "wrong"},
        reference="measured; ollama-js source",
        explain="`Did not receive done or success response in stream.` The client for Python takes the cut answer for a whole one.",
    ),
    Rule(
        id="ollama/error-form",
        title="an error is a string",
        effects={"ollama-python": "crash", "ollama-js": "wrong"},
        reference="measured; ollama-js source",
        explain="Both clients make it the message of their exception; the one for Python fails over an object with a TypeError that tells nothing.",
    ),
)  # fmt: skip

_NEEDS: Final = needs(
    {"p": "ollama-python"},
    """
    line  message:object=p message.role:text=p message.content:text~=p message.thinking:text~=p created_at:text~=p done:bool~=p
    line  model:text~=p done_reason:text~=p message.tool_calls:list~=p message.images:list~=p
    call  function:object=p function.name:text=p function.arguments:object=p
    """,
)
_COUNTS: Final = (
    "total_duration",
    "load_duration",
    "prompt_eval_count",
    "prompt_eval_duration",
    "eval_count",
    "eval_duration",
)


class _Machine:
    """One answer."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._ended = False

    def done(self) -> None:
        """That there is no such marker here, the transport tells."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one line."""
        if "error" in value:
            self._ended = True
            if not isinstance(value["error"], str):
                self._report.add("ollama/error-form", "`error` is not a string")
            return
        self._ended = self._ended or value.get("done") is True
        for count in _COUNTS:
            if value.get(count) is not None and not is_int(value[count]):
                self._report.add("ollama/count", f"`{count}` is {value[count]!r:.40}")
        if not isinstance(value.get("response"), str):  # the lines of /api/generate have their text there
            self._chat(value)

    def close(self) -> None:
        """An answer says that it is done."""
        if not self._ended:
            self._report.add("ollama/done-missing", "the stream ends without `done: true`")

    def _chat(self, value: dict[str, Any]) -> None:
        self._need("line", value)
        message = value.get("message")
        if not is_object(message):
            return
        if isinstance(message.get("role"), str) and message["role"] != "assistant":
            self._report.add("ollama/role", f"the role is {message['role']!r:.40}")
        calls = message.get("tool_calls")
        for call in calls if is_array(calls) else ():
            self._need("call", call)

    def _need(self, row: str, value: Any) -> None:
        for need, how in missing(value, _NEEDS[row]):
            self._report.add("ollama/member", f"{'a call: ' if row == 'call' else ''}{how}", clients=need.clients)


CHECKLIST: Final = Checklist(
    protocol="ollama",
    framings=("ndjson",),
    clients=("ollama-python", "ollama-js"),
    rules=RULES,
    machine=_Machine,
)
