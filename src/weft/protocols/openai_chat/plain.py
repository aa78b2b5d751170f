"""Answers of servers whose own form is not chat's: a member with text, and what that server puts beside it. Most of them serve chat.completions as well.

Knows: by which member each form is recognised, and where it has its text, calls, finish and counts; a row for each.
Must not know: chunks, other protocols, events.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from weft.assembler import Assembler
from weft.events import FinishReason
from weft.jsontext import is_array, is_object

Json = dict[str, Any]


class Form(NamedTuple):
    """`mark` is the member that betrays the form, of a type of `of`; paths lead through objects and the first item of arrays.

    `whole` has all text of a reply that was not streamed. `unsaid` says that a text is no part of the answer, `last` that a frame is the last;
    `words` are its own for a finish. `weight` is how sure the mark alone makes one that it is this form. Counts under the names of chat.completions are read where those are.
    """

    mark: str
    of: tuple[type, ...]
    text: str
    finish: str = ""
    input: str = ""
    output: str = ""
    reasoning: str = ""
    calls: str = ""
    whole: str = ""
    unsaid: str = ""
    last: str = ""
    words: Mapping[str, FinishReason] = {}
    weight: float = 0.9


_STOPS: Final[Mapping[str, FinishReason]] = {"eos": "stop", "word": "stop", "limit": "length", "normal": "stop"}

FORMS: Final = (
    # Cloudflare Workers AI, whole and streamed
    Form(
        "result.response", (str,), "result.response", input="result.usage.prompt_tokens",
        output="result.usage.completion_tokens", calls="result.tool_calls", last="success",
    ),
    Form(
        "result.response_text", (str,), "result.response_text", input="result.usage.prompt_tokens",
        output="result.usage.completion_tokens", calls="result.tool_calls", last="success",
    ),
    Form("response", (str,), "response", calls="tool_calls", weight=0.7),
    Form("tool_calls", (list,), "", calls="tool_calls", weight=0.4),
    # TGI, streamed and whole
    Form(
        "token.text", (str,), "token.text", "details.finish_reason", "details.input_length", "details.generated_tokens",
        unsaid="token.special", whole="generated_text", last="generated_text",
    ),
    Form(
        "generated_text", (str,), "", "details.finish_reason", "details.input_length", "details.generated_tokens",
        whole="generated_text", last="generated_text",
    ),
    # The completion of llama.cpp
    Form("stop", (bool,), "content", "stop_type", "tokens_evaluated", "tokens_predicted", last="stop", words=_STOPS, weight=0.6),
    # Text generation of watsonx
    Form(
        "results.generated_text", (str,), "results.generated_text", "results.stop_reason", "results.input_token_count",
        "results.generated_token_count",
    ),
    # DashScope, messages and plain text
    Form(
        "output.choices.message", (dict,), "output.choices.message.content", "output.choices.finish_reason",
        reasoning="output.choices.message.reasoning_content", calls="output.choices.message.tool_calls",
    ),
    Form("output.text", (str,), "output.text", "output.finish_reason"),
    # Baidu's ERNIE
    Form("result", (str,), "result", "finish_reason", last="is_end", words=_STOPS, weight=0.5),
)  # fmt: skip


def form_of(frame: Json) -> Form | None:
    """The form that this frame is of."""
    return next((form for form in FORMS if isinstance(_at(frame, form.mark), form.of)), None)


def say(out: Assembler, form: Form, frame: Json, say_call: Callable[[Any], None]) -> None:
    """All that a frame says. `say_call` says a whole call."""
    for path, verb in ((form.reasoning, out.reasoning), (form.text, out.text)):
        for text in [] if _at(frame, form.unsaid) else _texts(_at(frame, path)):
            verb(text)
    whole = _at(frame, form.whole)
    if isinstance(whole, str) and not out.said("text"):
        out.text(whole)
    for call in _list(_at(frame, form.calls)):
        say_call(call)
    _count(out, form, frame)
    finish = _at(frame, form.finish)
    if isinstance(finish, str) and finish:
        out.finish(finish, form.words.get(finish))
    if _at(frame, form.last):
        out.sign("done")


def _count(out: Assembler, form: Form, frame: Json) -> None:
    """Counts under this form's names. A zero says that there is nothing new."""
    paths = {"input_tokens": form.input, "output_tokens": form.output}
    counts = {name: value for name, path in paths.items() if type(value := _at(frame, path)) is int and value}
    if counts:
        out.usage(counts, None, {paths[name]: value for name, value in counts.items()})


def _at(frame: Any, path: str) -> Any:
    """What stands at a path; None if nothing does."""
    found: Any = frame if path else None
    for name in path.split("."):
        if is_array(found):
            found = found[0] if found else None
        found = found.get(name) if is_object(found) else None
    return found


def _texts(found: Any) -> list[str]:
    """Text, or the texts of content parts."""
    if isinstance(found, str):
        return [found]
    parts = [part.get("text") for part in _list(found) if is_object(part)]
    return [text for text in parts if isinstance(text, str)]


def _list(found: Any) -> list[Any]:
    return found if is_array(found) else []
