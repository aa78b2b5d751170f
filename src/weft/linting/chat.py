"""OpenAI chat.completions: what the SDK helpers and the AI SDK's two providers hold a stream of chunks to.

Knows: chunks, choices and the fragments of calls. Must not know: lines and framing.
"""

from typing import Any, Final

from weft.jsontext import is_array, is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import is_int, missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

_ALL: Final = "openai-python openai-js ai-sdk ai-sdk-compatible"
_LETTERS: Final = {"p": "openai-python", "j": "openai-js", "a": "ai-sdk", "m": "ai-sdk-compatible"}

RULES: Final = rules(
    Rule(
        id="chat/error-null",
        title="no `error` member in a chunk, not even null",
        effects={"ai-sdk-compatible": "crash"},
        reference="measured",
        explain="@ai-sdk/openai-compatible tells an error by the member being there, and ends with `finish: error` and no text.",
    ),
    Rule(
        id="chat/error-form",
        title='an error is `{"error": {"message": …}}`',
        effects={"openai-python": "ignore", "ai-sdk": "wrong", "openai-js": "crash", "ai-sdk-compatible": "wrong"},
        reference="measured",
        explain='Of an error that is a string the text is lost, and one that is written flat, `{"object": "error"}`, openai for Python skips as a chunk '
        "of another kind: the cut answer passes for a whole one.",
    ),
    Rule(
        id="chat/object",
        title="every chunk says `object: chat.completion.chunk`",
        effects={"openai-python": "ignore"},
        reference="measured",
        explain="The `.stream()` helper silently skips chunks that say anything else, or nothing.",
    ),
    Rule(
        id="chat/member",
        title="what a chunk says is of the type that OpenAI gives it",
        effects=all_of("crash", _ALL),
        reference="measured for openai-python; else the schemas in the providers' sources",
        explain="The AI SDK holds every chunk to a schema and ends the stream with a type validation error: ids and models are strings, `created` is a number, "
        "the role is `assistant` (`@ai-sdk/openai-compatible` takes an empty one). Any of them may be null or absent.",
    ),
    Rule(
        id="chat/choices",
        title="`choices` is always an array of objects, maybe an empty one",
        effects=all_of("crash", _ALL),
        reference="measured",
        explain="`chunk.choices is not iterable`. That is also what becomes of `data: {}` as keep-alive: send a comment line.",
    ),
    Rule(
        id="chat/no-choice",
        title="at least one choice comes",
        effects={"openai-python": "crash", "openai-js": "crash", "ai-sdk": "wrong", "ai-sdk-compatible": "crash"},
        reference="measured; microsoft/vscode#322209",
        explain="A stream of nothing, or of usage alone, is `Response contained no choices` in editors and an AssertionError in openai for Python.",
    ),
    Rule(
        id="chat/choice-index",
        title="every choice has its integer `index`",
        effects=all_of("crash", "openai-python openai-js ai-sdk"),
        reference="measured",
        explain="The index is what chunks of the same choice are told by.",
    ),
    Rule(
        id="chat/choice-order",
        title="choices are announced in the order of their index",
        effects=all_of("crash", "openai-python"),
        reference="measured",
        explain="openai for Python keeps a list and assigns behind its end: IndexError.",
    ),
    Rule(
        id="chat/delta",
        title="every choice has a `delta`, maybe an empty one",
        effects=all_of("crash", "openai-python openai-js"),
        reference="measured",
        explain='Also on the chunk that only brings the finish: `"delta": {}`.',
    ),
    Rule(
        id="chat/role-missing",
        title="a choice says its role",
        effects={"openai-js": "crash", "openai-python": "wrong"},
        reference="measured",
        explain="`missing role for choice 0` at the end of the stream. The first chunk of each choice brings `role: assistant`.",
    ),
    Rule(
        id="chat/role-repeated",
        title="a choice says its role once",
        effects={"openai-python": "wrong"},
        reference="measured",
        explain="openai for Python joins what comes twice: the role becomes `assistantassistant`.",
    ),
    Rule(
        id="chat/content",
        title="`content` is a string or null",
        effects={"ai-sdk": "crash", "openai-python": "wrong", "openai-js": "wrong", "ai-sdk-compatible": "wrong"},
        reference="measured",
        explain="An array of parts, as Mistral sends for its reasoning, is no text to an OpenAI client.",
    ),
    Rule(
        id="chat/call-index",
        title="every fragment of a call has its integer `index`",
        effects=all_of("crash", "openai-python openai-js ai-sdk"),
        reference="measured",
        explain="Fragments are joined by it.",
    ),
    Rule(
        id="chat/call-order",
        title="calls are counted from 0 without a gap, in the order in which they begin",
        effects=all_of("crash", "openai-python openai-js"),
        reference="measured",
        explain="IndexError in Python, and an undefined entry in JavaScript. Count calls, not the blocks of the source.",
    ),
    Rule(
        id="chat/call-shared-index",
        title="two calls never share an index",
        effects=all_of("wrong", "openai-python openai-js"),
        reference="measured",
        explain="Both become one call with the arguments of both behind each other.",
    ),
    Rule(
        id="chat/call-id-missing",
        title="the first fragment of a call has its id",
        effects=all_of("wrong", _ALL),
        reference="measured",
        explain="Without it the result of the tool cannot be sent back.",
    ),
    Rule(
        id="chat/call-type-missing",
        title="the first fragment of a call says `type: function`",
        effects={"openai-js": "crash"},
        reference="measured",
        explain="openai for JavaScript asserts it when the stream ends.",
    ),
    Rule(
        id="chat/call-name-missing",
        title="the first fragment of a call has the name of its function",
        effects={"ai-sdk": "crash", "ai-sdk-compatible": "crash", "openai-python": "wrong", "openai-js": "wrong"},
        reference="measured",
        explain="A call is announced under its name. Hold the first fragment back until it is known.",
    ),
    Rule(
        id="chat/call-id-repeated",
        title="the id of a call comes on its first fragment only",
        effects={"openai-python": "wrong"},
        reference="measured",
        explain="openai for Python joins what comes twice: `call_1call_1`. An empty string does no harm.",
    ),
    Rule(
        id="chat/call-name-repeated",
        title="the name of a call comes on its first fragment only",
        effects={"openai-python": "wrong"},
        reference="measured",
        explain="openai for Python joins what comes twice: `getget`, a tool that nobody has.",
    ),
    Rule(
        id="chat/call-function",
        title="every fragment of a call has its `function` object",
        effects=all_of("crash", _ALL),
        reference="measured",
        explain='Also if it says nothing new: `"function": {"arguments": ""}`.',
    ),
    Rule(
        id="chat/call-arguments",
        title="`arguments` is a string",
        effects={"ai-sdk": "crash", "ai-sdk-compatible": "crash", "openai-js": "wrong", "openai-python": "wrong"},
        reference="measured",
        explain="Arguments are text that is joined and parsed at the end; an object becomes `[object Object]` in JavaScript.",
    ),
    Rule(
        id="chat/finish-missing",
        title="every choice has a finish reason",
        effects={"openai-js": "crash", "ai-sdk-compatible": "crash", "openai-python": "wrong", "ai-sdk": "wrong"},
        reference="measured",
        explain="`missing finish_reason for choice 0`. `[DONE]` alone is no finish, and an answer without one was cut.",
    ),
    Rule(
        id="chat/finish-value",
        title="the finish reason is one of OpenAI's",
        effects=all_of("wrong", "ai-sdk ai-sdk-compatible"),
        reference="measured",
        explain="stop, length, tool_calls, content_filter, function_call. Any other word is read as `other`, so that calls are not run and a cut is not seen.",
    ),
    Rule(
        id="chat/usage",
        title="`usage` has integers for `prompt_tokens` and `completion_tokens`",
        effects=all_of("wrong", "ai-sdk ai-sdk-compatible"),
        reference="measured",
        explain="Without them the counts are unknown to the client.",
    ),
    Rule(
        id="chat/after-done",
        title="nothing comes after `[DONE]`",
        effects={"ai-sdk": "wrong", "ai-sdk-compatible": "wrong", "openai-python": "ignore", "openai-js": "ignore"},
        reference="measured",
        explain="The OpenAI SDKs stop there, the AI SDK reads on: of one stream they make two different answers.",
    ),
)  # fmt: skip

_TYPES: Final = needs(
    _LETTERS,
    """
    chunk     id:text~=am created:number~=am model:text~=am
    choice    finish_reason:text~=am logprobs:object~=pa
    delta     role:text~=am refusal:text~=a reasoning_content:text~=m reasoning:text~=m tool_calls:list~=pjam
    fragment  id:text~=am function.name:text~=am
    """,
)
_FINISHES: Final = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})


class _Call:
    """One call: what its fragments have said."""

    __slots__ = ("at", "id", "name", "type")

    def __init__(self, at: int) -> None:
        self.at = at
        self.id = self.name = self.type = ""


class _Choice:
    """One choice: how it was announced and how it ended."""

    __slots__ = ("at", "calls", "finished", "has_role")

    def __init__(self, at: int) -> None:
        self.at = at
        self.has_role = self.finished = False
        self.calls: dict[int, _Call] = {}


class _Machine:
    """One stream of chunks."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._choices: dict[int, _Choice] = {}
        self._failed = False
        self._done = False

    def done(self) -> None:
        """The marker of the end."""
        self._done = True

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one chunk."""
        if self._done:
            self._report.add("chat/after-done", "a chunk comes after `[DONE]`")
        if value.get("error") or value.get("object") == "error":
            self._error(value)
            return
        if "error" in value:
            self._report.add("chat/error-null", "the chunk has a member `error`, though it is none")
        if value.get("object") != "chat.completion.chunk":
            self._report.add("chat/object", f"`object` is {value.get('object')!r:.40}")
        self._types("chunk", value)
        self._usage(value.get("usage"))
        choices = value.get("choices")
        if not is_array(choices):
            self._report.add("chat/choices", "`choices` is not an array")
            return
        for choice in choices:
            if is_object(choice):
                self._choice(choice)
            else:
                self._report.add("chat/choices", "a choice is not an object")

    def close(self) -> None:
        """A choice that was announced has been finished, unless an error came."""
        if self._failed:
            return
        if not self._choices:
            self._report.add("chat/no-choice", "the stream ends and no choice has come")
        for index, choice in self._choices.items():
            if not choice.has_role:
                self._report.add("chat/role-missing", f"choice {index} never says its role", at=choice.at)
            if not choice.finished:
                self._report.add("chat/finish-missing", f"the stream ends and choice {index} has no finish reason")
            for at, call in choice.calls.items():
                self._whole_call(at, call)

    def _types(self, row: str, value: dict[str, Any]) -> None:
        for need, how in missing(value, _TYPES[row]):
            self._report.add("chat/member", how, clients=need.clients)

    def _whole_call(self, index: int, call: _Call) -> None:
        for member, rule in (("id", "chat/call-id-missing"), ("name", "chat/call-name-missing")):
            if not getattr(call, member):
                self._report.add(rule, f"call {index} never says its {member}", at=call.at)

    def _error(self, value: dict[str, Any]) -> None:
        self._failed = True
        error = value.get("error")
        if not is_object(error):
            clients = ("openai-python", "openai-js") if error is None else ("ai-sdk", "ai-sdk-compatible")
            self._report.add("chat/error-form", "the error is not an object under `error`", clients=clients)
        elif not text_of(error.get("message")):
            self._report.add("chat/error-form", "the error has no message", clients=("ai-sdk", "ai-sdk-compatible"))

    def _usage(self, usage: Any) -> None:
        if usage is None:
            return
        for member in ("prompt_tokens", "completion_tokens"):
            if not is_object(usage) or not is_int(usage.get(member)):
                self._report.add("chat/usage", f"`usage` has no integer `{member}`")

    def _choice(self, value: dict[str, Any]) -> None:
        index = value.get("index")
        if not is_int(index):
            self._report.add("chat/choice-index", "a choice has no integer `index`")
            index = 0
        choice = self._choices.get(index)
        if choice is None:
            if index > len(self._choices):
                self._report.add("chat/choice-order", f"choice {index} comes before choice {len(self._choices)}")
            choice = self._choices[index] = _Choice(self._report.at)
        self._types("choice", value)
        self._delta(choice, value.get("delta"))
        finish = value.get("finish_reason")
        if finish:
            choice.finished = True
            if text_of(finish) not in _FINISHES:
                self._report.add("chat/finish-value", f"`finish_reason` is {finish!r:.40}")

    def _delta(self, choice: _Choice, delta: Any) -> None:
        if not is_object(delta):
            self._report.add("chat/delta", "a choice has no `delta`")
            return
        self._types("delta", delta)
        role = delta.get("role")
        if isinstance(role, str) and role != "assistant":
            clients = ("ai-sdk", "ai-sdk-compatible") if role else ("ai-sdk",)
            self._report.add("chat/member", f"the role is {role!r:.40}", clients=clients)
        if role:
            if choice.has_role:
                self._report.add("chat/role-repeated", "the role comes a second time")
            choice.has_role = True
        content = delta.get("content")
        if content is not None and not isinstance(content, str):
            self._report.add("chat/content", f"`content` is {'an array' if is_array(content) else 'no string'}")
        calls = delta.get("tool_calls")
        for fragment in calls if is_array(calls) else ():
            if is_object(fragment):
                self._fragment(choice, fragment)

    def _fragment(self, choice: _Choice, value: dict[str, Any]) -> None:
        self._types("fragment", value)
        index = value.get("index")
        if not is_int(index):
            self._report.add("chat/call-index", "a fragment of a call has no integer `index`")
            return
        call = choice.calls.get(index)
        is_first = call is None
        if call is None:
            if index != len(choice.calls):
                self._report.add("chat/call-order", f"call {index} begins where {len(choice.calls)} is due")
            call = choice.calls[index] = _Call(self._report.at)
        call.type = call.type or text_of(value.get("type"))
        if is_first and not call.type:
            self._report.add("chat/call-type-missing", f"call {index} begins without its `type`")
        self._identity(call, index, text_of(value.get("id")))
        if call.type != "custom":
            self._function(call, index, value.get("function"))
        else:
            call.name = "custom"

    def _identity(self, call: _Call, index: int, said: str) -> None:
        if not said:
            return
        if not call.id:
            call.id = said
        elif call.id == said:
            self._report.add("chat/call-id-repeated", f"the id of call {index} comes a second time")
        else:
            self._report.add("chat/call-shared-index", f"`{said}` and `{call.id}` are both call {index}")
            call.id, call.name = said, ""

    def _function(self, call: _Call, index: int, function: Any) -> None:
        if not is_object(function):
            self._report.add("chat/call-function", f"a fragment of call {index} has no `function`")
            return
        name = text_of(function.get("name"))
        if name and call.name:
            self._report.add("chat/call-name-repeated", f"the name of call {index} comes a second time")
        call.name = call.name or name
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            self._report.add("chat/call-arguments", f"the arguments of call {index} are no string")


CHECKLIST: Final = Checklist(
    protocol="openai-chat",
    framings=("sse",),
    clients=tuple(_ALL.split()),
    former=("openai-go",),
    rules=RULES,
    machine=_Machine,
)
