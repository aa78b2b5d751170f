"""How a response begins and ends: who answers, what else is told of it, its output once more, its usage, its finish.

Knows: statuses and their terminals; that the whole output at the end says what the stream left out.
Must not know: the events between, what the kinds of items say.
"""

from typing import Any, Final

from weft.assembler import Assembler
from weft.errors import error_from_body, make_error
from weft.protocols.openai_responses.dialects import ResponsesDialect, host_of
from weft.protocols.openai_responses.register import Register, kind_of
from weft.protocols.openai_responses.usage import counts
from weft.protocols.openai_responses.verbatim import Verbatim
from weft.protocols.openai_responses.wire import Event, Response

TERMINALS: Final = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
"""The last event -> the status that it stands for. xAI may call it `done`."""

_ENDS: Final = frozenset(TERMINALS.values())
_OPEN: Final = frozenset({"in_progress", "queued"})

_TOLD: Final = frozenset(
    "type sequence_number response id object created_at model status output output_text usage error incomplete_details".split()
)
"""Members of a response that are said by verbs of their own, or say nothing."""

_FACTS: Final = ("service_tier", "completed_at")
"""Members that change during a stream, and so are facts by themselves; the others are one fact, `response`."""


def begin(out: Assembler, items: Register, dialect: ResponsesDialect, event: Event) -> None:
    """Who answers, and with what settings."""
    response, form = _response(out, event)
    host = dialect if dialect.name else host_of(response.id, response.model) or dialect
    out.start(response.id, response.model, host.provider, response.created_at)
    items.custom = host.custom_tools
    if response.tools:
        items.declared = frozenset(name for tool in response.tools if isinstance(name := tool.get("name"), str))
    _tell(out, form)


def end(out: Assembler, items: Register, event: Event) -> None:
    """The last event, or a whole reply. The status inside counts, if it is one of an end."""
    response, form = _response(out, event)
    status = TERMINALS.get(event.type or "", "completed")
    if response.status in (_ENDS if event.type else _ENDS | _OPEN):
        status = response.status or status
    _output(out, items, response, form)
    for item in items:
        if not item.done:
            item.cut(out, complete=status == "completed")
    if response.usage is not None:
        out.usage(counts(response.usage), None, form.value("usage"))
    if status not in _OPEN:
        _finish(out, items, response, status, event)


def _response(out: Assembler, event: Event) -> tuple[Response, Verbatim]:
    """The response that an event carries, or is: some leave out the wrapper."""
    form = Verbatim(out.place.frame())
    return (event, form) if event.response is None else (event.response, form.member("response"))


def _tell(out: Assembler, form: Verbatim) -> None:
    """What else the response tells of itself: nobody but the same protocol has a place for it."""
    for name in _FACTS:
        out.meta(name, form.value(name))
    rest: dict[str, Any] = {name: form.value(name) for name in form.names() if name not in _TOLD and name not in _FACTS}
    out.meta("response", rest or None)


def _output(out: Assembler, items: Register, response: Response, form: Verbatim) -> None:
    """The whole output: of items that were streamed to their end it says nothing new."""
    output = response.output or []
    for wire in output:
        wire.type = kind_of(wire)
    streamed = bool(items)
    if isinstance(response.reasoning, str) and response.reasoning.strip() and not streamed:
        _loose_reasoning(out, response.reasoning)
    forms = form.elements("output")
    for position, (wire, item) in enumerate(zip(output, items.matched(output), strict=True)):
        if streamed and item is None:
            out.note("item_not_streamed", f"item {position} of the output, a {wire.type}, was not streamed")
        items.finish(out, item, wire, None, forms[position] if position < len(forms) else Verbatim(b"{}"))


def _loose_reasoning(out: Assembler, text: str) -> None:
    """mistral.rs puts its reasoning where others repeat the request's settings for it."""
    out.open("reasoning", "reasoning", arrival="whole")
    out.reasoning(text, 0, "reasoning")
    out.end("reasoning")


def _finish(out: Assembler, items: Register, response: Response, status: str, event: Event) -> None:
    if status == "failed":
        error = response.error if response.error is not None else event.error
        out.finish(status)
        out.fail(error_from_body({"error": error}) if error else make_error("server", "the response failed"))
    elif status == "cancelled":
        out.finish(status)
        out.fail(make_error("cancelled", "the response was cancelled"))
    elif status == "incomplete":
        why = response.incomplete_details.reason if response.incomplete_details is not None else None
        out.finish(why or status, None if why else "other")
        out.sign("incomplete")
    else:
        out.finish(status, "pause" if items.waiting else None)
    out.sign("terminal")
