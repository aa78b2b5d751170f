"""The content blocks of one Anthropic message: what is open under which index, and what their deltas say.

Knows: kinds of blocks and deltas, and the ways in which hosts and proxies open and close them.
Must not know: the message around them, events, numbers. The verbs are handed in with each call, since a filter may step in between.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Literal

from weft import jsontext
from weft.assembler import Assembler
from weft.events import Arrival, Executor
from weft.protocols.anthropic import source
from weft.protocols.anthropic.opaque import Held
from weft.protocols.anthropic.source import Form
from weft.protocols.anthropic.wire import Block, Delta

State = Literal["text", "reasoning", "call", "args", "result", "opaque"]
"""Of an open block. A `call` has no arguments yet, from `args` on it has."""

UNNUMBERED: Final = -1
"""The key of a block whose index nobody told."""

CALLS: Final[Mapping[str, Executor]] = {"tool_use": "client", "server_tool_use": "provider", "mcp_tool_use": "provider"}
_CALLING: Final = ("call", "args")
_SPEAKING: Final = ("text", "reasoning")
_OUR_WORDS: Final = frozenset({"type", "id", "name", "input"})
"""Members of a call that the events have words for; with any other it is carried in its own form, too."""


class Content:
    """The blocks of one message. `open` is read for each delta, so it is a plain dict."""

    def __init__(self) -> None:
        self.open: dict[Hashable, State] = {}
        self._inputs: dict[Hashable, str] = {}
        self._held: dict[Hashable, Held] = {}
        self._unsure: list[Hashable] = []
        self._last_call: Hashable = None
        self._strays: dict[Hashable, Hashable] = {}

    # -- whole blocks --------------------------------------------------------------------------------------------

    def whole(self, out: Assembler, blocks: list[Block]) -> None:
        """The content of a whole reply, or what a stream's message began with.

        Whether the last block, if it is a call, was cut by the token limit only the finish can tell, so its end is left to that.
        """
        forms = source.content(out.place.frame(), blocks) if blocks else []
        for position, (block, form) in enumerate(zip(blocks, forms, strict=True)):
            key = ("whole", position)
            self.start(out, key, block, form, whole=True)
            self.stop(out, key, unsure=position + 1 == len(blocks) and block.type in CALLS)

    # -- starts --------------------------------------------------------------------------------------------------

    def start(self, out: Assembler, key: Hashable, block: Block, form: Form, *, whole: bool = False) -> None:
        """A block begins; `form` is the source's own wording of it, `whole` says that no deltas will come."""
        for unsure in self._unsure:
            self._end(out, unsure)
        self._unsure.clear()
        if key in self.open:
            self._say(out, key)
        if key == UNNUMBERED:
            self._end(out, key)
        opener = _OPENERS.get(block.type) or (_open_result if is_result(block.type) else _open_opaque)
        opener(self, out, key, block, form, whole)

    # -- deltas --------------------------------------------------------------------------------------------------

    def delta(self, out: Assembler, key: Hashable, delta: Delta) -> bool:
        """Any delta of a block. False if nobody can say what it is."""
        held = self._held.get(key)
        if held is not None:
            held.add(source.delta(out.place.frame()))
            return True
        take = _DELTAS.get(delta.type)
        if take is not None:
            take(self, out, key, delta)
        return take is not None

    def text(self, out: Assembler, key: Hashable, delta: Delta) -> None:
        """Visible text."""
        if delta.text:
            out.text(delta.text, 0, self._spoken(out, "text", key))

    def thinking(self, out: Assembler, key: Hashable, delta: Delta) -> None:
        """Reasoning; a proxy may put the signature into the same delta."""
        if delta.thinking:
            out.reasoning(delta.thinking, 0, self._spoken(out, "reasoning", key))
        self.signature(out, key, delta)

    def signature(self, out: Assembler, key: Hashable, delta: Delta) -> None:
        """The whole signature of a block."""
        if delta.signature:
            out.signature(delta.signature, 0, key)

    def citation(self, out: Assembler, key: Hashable, delta: Delta) -> None:
        """One citation of a text."""
        if delta.citation:
            spoken = key if self.open.get(key) in ("text", "result", "opaque") else self._spoken(out, "text", key)
            cite(out, spoken, delta.citation)

    def input(self, out: Assembler, key: Hashable, delta: Delta) -> None:
        """A fragment of arguments. One whose index is of no open call belongs to the call that was opened last."""
        if not delta.partial_json:
            return
        if self.open.get(key) not in _CALLING:
            key = self._stray(out, key)
        if self.open.get(key) == "call":
            self.open[key] = "args"
            self._inputs.pop(key, None)
        out.args(delta.partial_json, key)

    def _spoken(self, out: Assembler, kind: Literal["text", "reasoning"], key: Hashable) -> Hashable:
        """The key under which text of this kind is to be said. It takes the place of other text, and stands beside anything else."""
        state = self.open.get(key)
        place = key if state in _SPEAKING or state is None else ("beside", key)
        if self.open.get(place) == kind:
            return place
        if state is None:
            out.note("block_not_started", f"{kind} for a block that was not started")
        else:
            out.note("delta_of_other_kind", f"{kind} in a block of another kind")
        self.open[place] = kind
        return place

    def _stray(self, out: Assembler, key: Hashable) -> Hashable:
        """The open call that a fragment under a wrong index is for; noted once for each index."""
        call = self._strays.get(key, self._last_call)
        if self.open.get(call) not in _CALLING:
            return key
        if key not in self._strays:
            out.note("args_rerouted", f"arguments for {key!r}, which is not an open call, went to {call!r}")
            self._strays[key] = call
        return call

    def calling(self, key: Hashable, input: str) -> None:
        """The block under this key is a call. Input that stands in the block itself is said at its end: if deltas come all the same, they count."""
        self.open[key] = "call"
        self._last_call = key
        if input:
            self._inputs[key] = input

    def hold(self, key: Hashable, form: Form) -> None:
        """The block under this key is carried, once it is whole."""
        self.open[key] = "opaque"
        self._held[key] = Held(form)

    # -- ends ----------------------------------------------------------------------------------------------------

    def stop(self, out: Assembler, key: Hashable, *, unsure: bool = False) -> None:
        """A block is over. A call without arguments may have been cut before the first: what follows tells whether it was."""
        self._say(out, key)
        if unsure or self.open.get(key) == "call":
            self._unsure.append(key)
        else:
            self._end(out, key)

    def settle(self, out: Assembler) -> None:
        """The message is over: what is held of blocks that nobody ended is said; their end is left to the finish."""
        for key in [*self._inputs, *self._held]:
            self._say(out, key)

    def _say(self, out: Assembler, key: Hashable) -> None:
        if (text := self._inputs.pop(key, None)) is not None:
            self.open[key] = "args"
            out.args(text, key)
        if (held := self._held.pop(key, None)) is not None:
            out.opaque(held.block(), key)

    def _end(self, out: Assembler, key: Hashable) -> None:
        self.open.pop(key, None)
        out.end(key)


def is_result(type: str) -> bool:
    """Is this the result of a tool that the provider ran? New tools come often, and all are named alike."""
    return type.endswith("tool_result")


def is_block(type: str) -> bool:
    """Is this a kind of block that we have words for?"""
    return type in _OPENERS or is_result(type)


def cite(out: Assembler, key: Hashable, citation: dict[str, Any]) -> None:
    """A citation in our words. Its offsets are those of the cited document, not of this text, so they stay in `raw`."""
    fields = {
        ours: next((citation[name] for name in names if isinstance(citation.get(name), str)), None)
        for ours, names in _CITATION.items()
    }
    out.annotation(str(citation.get("type") or "citation"), 0, key, raw=citation, **fields)


_CITATION: Final = {"url": ("url", "source"), "title": ("title", "document_title"), "text": ("cited_text",)}


# -- one function for each kind of block ---------------------------------------------------------------------------


def _open_text(content: Content, out: Assembler, key: Hashable, block: Block, form: Form, whole: bool) -> None:
    out.open("text", key)
    content.open[key] = "text"
    if block.text:
        out.text(block.text, 0, key)
    for citation in block.citations or ():
        if jsontext.is_object(citation):
            cite(out, key, citation)


def _open_thinking(content: Content, out: Assembler, key: Hashable, block: Block, form: Form, whole: bool) -> None:
    out.open("reasoning", key)
    content.open[key] = "reasoning"
    out.reasoning(block.thinking or "", 0, key)
    out.signature(block.signature or "", 0, key)


def _open_redacted(content: Content, out: Assembler, key: Hashable, block: Block, form: Form, whole: bool) -> None:
    """Reasoning of which only the encrypted form is given."""
    out.open("reasoning", key, arrival="whole")
    content.open[key] = "reasoning"
    out.signature(block.data or "", 0, key, encrypted=True)
    out.opaque(form, key)


def _open_call(content: Content, out: Assembler, key: Hashable, block: Block, form: Form, whole: bool) -> None:
    input = source.input_text(block)
    arrival: Arrival = "whole" if whole or input else "delta"
    executor = CALLS[block.type]
    out.open("tool_call", key, id=block.id, name=block.name, arrival=arrival, executor=executor)
    content.calling(key, input)
    if executor == "provider" or not _OUR_WORDS.issuperset(form):
        out.opaque({name: value for name, value in form.items() if name != "input"}, key)


def _open_result(content: Content, out: Assembler, key: Hashable, block: Block, form: Form, whole: bool) -> None:
    result = form.get("content")
    kind = result.get("type") if jsontext.is_object(result) else None
    failed = bool(block.is_error) or (isinstance(kind, str) and kind.endswith("_error"))
    out.result(block.tool_use_id, result, key, is_error=failed)
    out.opaque(form, key)
    content.open[key] = "result"


def _open_opaque(content: Content, out: Assembler, key: Hashable, block: Block, form: Form, whole: bool) -> None:
    """A kind without words of ours (compaction, container_upload, fallback, whatever comes next): carried as it is."""
    out.open("opaque", key, name=block.type, arrival="whole", executor="provider")
    content.hold(key, form)


_OPENERS: Final[Mapping[str, Callable[[Content, Assembler, Hashable, Block, Form, bool], None]]] = {
    "text": _open_text,
    "thinking": _open_thinking,
    "redacted_thinking": _open_redacted,
    **dict.fromkeys(CALLS, _open_call),
}

_DELTAS: Final[Mapping[str, Callable[[Content, Assembler, Hashable, Delta], None]]] = {
    "text_delta": Content.text,
    "output_text_delta": Content.text,
    "thinking_delta": Content.thinking,
    "signature_delta": Content.signature,
    "input_json_delta": Content.input,
    "citations_delta": Content.citation,
}
"""`output_text_delta` is seed 002's."""
