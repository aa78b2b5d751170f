"""The one state machine: loose verbs in, a well-formed event stream out.

Knows: which blocks are open, who owns which number and id, in which phase the stream is, when the one terminal is due.
Must not know: any wire. Decoders (and filters, which wrap these verbs) only say what the provider said.

It keeps no more than it must: the raw arguments of open calls, and the finish until usage had its chance.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from weft import events as ev
from weft import jsontext
from weft.blocks import IMPLICIT, Block, Blocks
from weft.calls import Call
from weft.carried import unwrapped
from weft.ending import Ending
from weft.errors import BRIDGE_INVALID_TRANSITION, Error, error_from_body, is_error_body, make_error
from weft.events import ArgsDelta, ReasoningDelta, TextDelta
from weft.facts import Facts
from weft.fragments import Fragments
from weft.grammar import BLOCK_EVENTS, OUTCOME_PHASE, STRICT_CODES, TERMINAL, Phase
from weft.place import Place
from weft.rules import EndSign, Rules
from weft.step import step_end
from weft.usage import UsageLedger


class Assembler:
    """Made with an `emit`; driven by verbs; closed once. After the terminal nothing more is emitted."""

    def __init__(
        self,
        emit: Callable[[ev.Event], object],
        rules: Rules | None = None,
        *,
        protocol: str = "events",
        place: Place | None = None,
        strict: bool = False,
        response_id: str | None = None,
        on_note: Callable[[ev.Note], ev.Note | None] | None = None,
    ) -> None:
        self.rules = rules or Rules()
        self.place = place or Place()
        self.phase = Phase.IDLE
        self.started: ev.Start | None = None
        self.outcome: ev.Outcome | None = None
        self.failed_at: int | None = None
        self._emit = emit
        self._strict = strict
        self._on_note = on_note
        self._facts = Facts(protocol, response_id)
        self._blocks = Blocks(emit)
        self._ending = Ending(self.rules)
        self._ledger = UsageLedger(self.rules.usage, self.rules.usage_fields)
        self._releasing = False
        self._texting: Block | None = None
        self._thinking: Block | None = None
        self.made_id = self._facts.made_call_id
        self._fragments = Fragments(self, self._blocks, emit)
        self.tool_call, self.nameless = self._fragments.take, self._fragments.nameless
        self._said: set[str] = set()

    # -- the message ---------------------------------------------------------------------------------------------

    def start(
        self,
        id: str | None = None,
        model: str | None = None,
        provider: str | None = None,
        created: float | None = None,
        *,
        made: bool = False,
    ) -> None:
        """Say who answers. May be said again: the first non-empty value wins, and what comes late becomes `Meta`.

        `made` says that the id is one of ours, as it is where our own events are read again.
        """
        self._facts.id_made = self._facts.id_made or made
        for name, value in self._facts.told(id, model, provider, created):
            if self.started:
                self._send(ev.Meta(name, value))
        if id and not self.started:
            self._begin()

    def meta(self, name: str, value: Any) -> None:
        """A fact about the whole message. An unchanged one is not said twice."""
        if self._facts.unsaid(name, value) and self.accepts(name):
            self._facts.said(name, value)
            self._send(ev.Meta(name, value))

    # -- blocks --------------------------------------------------------------------------------------------------

    def open(
        self,
        kind: ev.BlockKind,
        key: Hashable,
        *,
        choice: int = 0,
        item: Hashable = None,
        item_id: str | None = None,
        id: str | None = None,
        name: str | None = None,
        channel: str | None = None,
        arrival: ev.Arrival = "delta",
        executor: ev.Executor = "client",
        tool: str = "function",
        made: bool = False,
    ) -> None:
        """Open a block under the source's own key. A key that is still open ends its block first."""
        if not self.accepts(kind, choice):
            return
        old = self._blocks.keyed.get(key)
        if old is not None:
            self.note("block_reopened", f"block {key!r} was opened again before it ended")
            self._blocks.close(old, complete=False)
        if kind != "tool_call":
            self._blocks.start(
                kind, choice, key, item, item_id,
                id=id, name=name, channel=channel, arrival=arrival, executor=executor, tool=tool, made=made,
            )  # fmt: skip
            return
        call = Call(choice, None, id, name)
        self._blocks.start_call(
            call, key, item, item_id, executor, tool,
            id=id or self.made_id(), channel=channel, arrival=arrival, made=made or not id,
        )  # fmt: skip

    def text(
        self, text: str, choice: int = 0, key: Hashable = None, logprobs: Any = None, channel: str | None = None
    ) -> None:
        """Visible text, to the keyed block or to the choice's current one; opens it if need be. Empty text changes nothing.

        Log probabilities without text (of tokens that show as nothing) go to the text that is open, if one is.
        """
        block = self._texting
        if block is None or block.key != key or block.choice != choice or not text:
            if not text and (logprobs is None or block is None):
                return
            block = self._block_for("text", choice, key, channel)
            if block is None:
                return
            self._texting = block
        self._emit(TextDelta(block.index, text, logprobs))

    def refusal(self, text: str, choice: int = 0, key: Hashable = None, logprobs: Any = None) -> None:
        """A piece of a refusal."""
        if text and (block := self._block_for("refusal", choice, key)) is not None:
            self._emit(ev.RefusalDelta(block.index, text, logprobs))

    def reasoning(
        self, text: str, choice: int = 0, key: Hashable = None, part: int = 0, form: ev.ReasoningForm = "raw"
    ) -> None:
        """A piece of reasoning; `part` and `form` tell summary parts and raw content apart."""
        block = self._thinking
        if block is None or block.key != key or block.choice != choice or not text:
            if not text or (block := self._block_for("reasoning", choice, key)) is None:
                return
            self._thinking = block
        self._emit(ReasoningDelta(block.index, text, part, form))

    def signature(
        self,
        value: str,
        choice: int = 0,
        key: Hashable = None,
        part: int | None = None,
        kind: ev.BlockKind | None = "reasoning",
        origin: ev.Origin | None = None,
        *,
        item: str | None = None,
        format: str | None = None,
        encrypted: bool = False,
    ) -> None:
        """Opaque state of the keyed block, or of the current one if it is of that kind; else it gets an empty block of its own.

        Without a kind it belongs to what was said last, whatever that is.
        """
        if not value:
            return
        block = self._blocks.find(choice, key) if kind or key is not None else self._blocks.latest(choice)
        if block is None or (key is None and kind and block.kind != kind):
            block = self._block_for(kind or "reasoning", choice, key) if kind in (None, *IMPLICIT) else None
        if block is not None:
            state = ev.Signature(
                block.index, value, origin or self._facts.origin(item or block.item_id), part, format, encrypted
            )
            self._send(unwrapped(block.index, value, part) or state)

    def annotation(self, kind: str, choice: int = 0, key: Hashable = None, **fields: Any) -> None:
        """A citation of the keyed block or of the choice's current text; one that comes when no text is open gets an empty text block."""
        block = self._blocks.find(choice, key)
        if block is None:
            block = self._block_for("text", choice, key)
        if block is not None:
            self._send(ev.Annotation(block.index, kind, **fields))

    def result(
        self,
        call_id: str | None,
        content: Any,
        key: Hashable,
        *,
        name: str | None = None,
        is_error: bool = False,
        executor: ev.Executor = "provider",
        **place: Any,
    ) -> None:
        """What an executed tool gave back, as a whole block; `place` is choice, item and item_id as for `open`."""
        if not self.accepts("tool_result", place.get("choice", 0)):
            return
        block = self._blocks.keyed.get(key)
        if block is None or block.kind != "tool_result":
            self.open("tool_result", key, id=call_id, name=name, arrival="whole", executor=executor, **place)
            block = self._blocks.keyed[key]
        self._send(ev.Result(block.index, call_id, content, is_error))

    def file(
        self, choice: int = 0, key: Hashable = None, item: Hashable = None, item_id: str | None = None, **fields: Any
    ) -> None:
        """A file or a piece of one. Without a key it is a block of its own that ends at once."""
        if not self.accepts("file", choice):
            return
        block = self._blocks.keyed.get(key) if key is not None else None
        if block is not None and block.kind not in BLOCK_EVENTS[ev.File]:
            self._blocks.close(block, complete=True)
            block = None
        if block is None:
            block = self._blocks.start("file", choice, key, item, item_id, arrival="whole")
        self._send(ev.File(block.index, **fields))
        if key is None:
            self._blocks.close(block, complete=True)

    def opaque(
        self,
        raw: Any,
        key: Hashable = None,
        choice: int = 0,
        *,
        item: Hashable = None,
        item_id: str | None = None,
        name: str | None = None,
        origin: ev.Origin | None = None,
    ) -> None:
        """A provider's own item, verbatim: attached to the keyed block, or as a block of its own that ends at once."""
        if not self.accepts("opaque"):
            return
        block = self._blocks.keyed.get(key) if key is not None else None
        if block is None:
            block = self._blocks.start(
                "opaque", choice, key, item, item_id, name=name, arrival="whole", executor="provider"
            )
        self._send(ev.Opaque(block.index, raw, origin or self._facts.origin(block.item_id)))
        if key is None:
            self._blocks.close(block, complete=True)

    def end(self, key: Hashable, complete: bool = True) -> None:
        """The source's own end of a keyed block. An unknown key changes nothing."""
        if (block := self._blocks.keyed.get(key)) is not None:
            self._blocks.close(block, complete)

    def split(self, choice: int = 0) -> None:
        """What comes next belongs to a new block, though it may be of the same kind (a signed part and its neighbour)."""
        lane = self._blocks.lanes.get(choice)
        if lane is not None and lane.current is not None:
            self._blocks.close(lane.current, complete=True)

    # -- tool calls ----------------------------------------------------------------------------------------------

    def said_call(self, id: str | None, name: str | None, args: str, choice: int = 0) -> str | None:
        """The arguments so far of a call that a source says again at the end, None if it is a new one. Known by its id, or by all the rest."""
        lane = self._blocks.lanes.get(choice)
        call = lane.router.repeated(id, name, args) if lane is not None else None
        return "".join(call.pieces) if call is not None else None

    def said(self, kind: ev.BlockKind, choice: int = 0) -> bool:
        """Has this choice had a block of that kind?"""
        lane = self._blocks.lanes.get(choice)
        return lane is not None and kind in lane.tally.kinds

    def args(self, text: str, key: Hashable) -> None:
        """A piece of the arguments of the keyed call."""
        block = self._blocks.keyed.get(key)
        if block is None or block.call is None:
            if self.accepts("args"):
                self.note("args_without_call", f"arguments for {key!r}, which is not an open call")
            return
        if text:
            block.call.pieces.append(text)
            self._emit(ArgsDelta(block.index, text))

    def call_args(self, key: Hashable) -> str:
        """The arguments of the keyed call so far, for sources that repeat the whole at the end. Asked once a call, not once a delta."""
        block = self._blocks.keyed.get(key)
        return "".join(block.call.pieces) if block is not None and block.call is not None else ""

    def args_repeated(self, key: Hashable) -> None:
        """The source has repeated the arguments of the keyed call, and they are what came: nothing of them is lost."""
        if (block := self._blocks.keyed.get(key)) is not None and block.call is not None:
            block.call.torn = False

    def call_signature(
        self, index: int, value: str, format: str | None = None, encrypted: bool = False, part: int | None = None
    ) -> None:
        """Opaque state of the call whose block has this index."""
        block = self._blocks.open.get(index)
        if block is not None and value:
            state = ev.Signature(block.index, value, self._facts.origin(block.item_id), part, format, encrypted)
            self._send(unwrapped(block.index, value, part) or state)

    # -- steps, usage, the end -----------------------------------------------------------------------------------

    def step_start(self) -> None:
        """One of several model calls begins. What earlier steps called was answered within the run and decides no finish."""
        if self.accepts("step"):
            self._blocks.forget_calls()
            self._send(ev.StepStart(self._blocks.step))

    def step_end(
        self,
        raw: str | None = None,
        counts: Mapping[str, int | None] | None = None,
        raw_usage: Any = None,
        reason: ev.FinishReason | None = None,
    ) -> None:
        """The step is over; its blocks are closed, its finish and usage are its own."""
        if not self.accepts("step"):
            return
        end = step_end(self.rules, self._blocks.step, raw, reason, counts or {}, raw_usage)
        self._blocks.close_all(lambda block: self._whole_after(end.finish, block))
        self._send(end)
        self._blocks.step += 1

    def usage(
        self, counts: Mapping[str, int | None], sources: Mapping[str, ev.UsageSource] | None = None, raw: Any = None
    ) -> None:
        """A snapshot of the counts. All zeros is a placeholder, not a number."""
        if self.phase in TERMINAL or not any(counts.values()):
            return
        if self._ledger.add(counts, sources or {}, raw) and (snapshot := self._ledger.snapshot()) is not None:
            self._send(snapshot)
        self._maybe_release()

    def finish(self, raw: str | None, reason: ev.FinishReason | None = None, choice: int = 0, why: str = "") -> None:
        """A choice's finish, with the source's words for it: held, since usage and even content may follow. The last one said counts."""
        if self.phase in TERMINAL:
            return
        self._ending.finish(raw, reason, choice, why)
        self._pause()

    def sign(self, sign: EndSign) -> None:
        """The transport's or the protocol's terminator. What is content after it is dropped with a note."""
        if self.phase in TERMINAL:
            return
        self._ending.sign(sign)
        self._pause(over=True)
        self._maybe_release()

    def fail(self, error: Error) -> None:
        """The source failed. The first failure counts; usage may still come."""
        if self.phase in TERMINAL:
            return
        if self._ending.error is None:
            self._ending.error, self.failed_at = error, self.place.offset()
        self._pause(over=True)
        self._maybe_release()

    def note(self, code: str, message: str, parameter: str | None = None, *, offset: int | None = None) -> None:
        """An oddity that ends nothing; in strict mode it ends the stream with seed 001's code. It was at `offset`, else it is here."""
        note = ev.Note(code, message, self.place.offset() if offset is None else offset)
        told = note if self._on_note is None else self._on_note(note)
        if self.phase in TERMINAL:
            return
        if told is not None:
            self._emit(told)
        if self._strict:
            broken = STRICT_CODES.get(code, BRIDGE_INVALID_TRANSITION)
            self.fail(make_error("protocol", message, code=broken, parameter=parameter))

    def lost(self, code: str, message: str) -> None:
        """A frame cannot be read: what it had is missing, perhaps in the arguments of calls that still want some."""
        self._blocks.tear(self._ending.finished)
        self.note(code, message)

    def unknown(self, raw: bytes, name: str = "") -> None:
        """A frame that the decoder cannot name: an error in some provider's words, or carried as it is."""
        try:
            value: Any = jsontext.decode(raw)
        except ValueError:
            value = raw.decode("utf-8", "replace")
        if is_error_body(value):
            self.fail(error_from_body(value))
            return
        if value == {}:
            self.note("keepalive_as_data", "a keep-alive came as data")
            return
        self._ending.strangers = True
        if not self._ending.terminated():
            self.carry(value, name)
        self.note("unknown_frame", f"a frame that this source is not known to send: {name or 'unnamed'}")

    def carry(self, raw: Any, name: str = "", offset: int | None = None, protocol: str | None = None) -> None:
        """A frame that somebody upstream could not name, handed on as such, with its place there."""
        if self.phase not in TERMINAL:
            whose = protocol or self._facts.protocol
            self._emit(ev.Unknown(raw, name, self.place.offset() if offset is None else offset, whose))

    def close(self, cut: Error | None = None) -> None:
        """The input is over. `cut` is the transport's fault or the caller's cancellation; it is ignored after a true end."""
        if self.phase not in TERMINAL:
            self._release(cut)

    @property
    def ending(self) -> bool:
        """The source has said how it ends, and only usage or the transport's end is awaited."""
        return self.phase not in TERMINAL and self._ending.true(list(self._blocks.lanes))

    # -- inside --------------------------------------------------------------------------------------------------

    def _send(self, event: ev.Event) -> None:
        """Emit what is not content, and so may come after the finish; the message begins with it if it had not."""
        if self.phase in TERMINAL:
            return
        if not self.started:
            self._begin()
        self._emit(event)

    def _begin(self) -> None:
        self.phase = Phase.IN_PROGRESS
        self.started = self._facts.start(self.place.frame())
        self._emit(self.started)

    def accepts(self, what: str, choice: int | None = None) -> bool:
        """May it still come? Starts the message; notes content that comes after its choice's finish, drops what comes after the end."""
        if self.phase in TERMINAL or self._ending.terminated() or self._ending.error is not None:
            self._note_once("content_after_end", f"{what} after the end was dropped")
            return False
        if not self.started:
            self._begin()
        if choice is not None and self._ending.reason(choice) is not None:
            self._note_once("content_after_finish", f"{what} after the finish")
        return self._ending.error is None  # in strict mode a note is the end

    def _note_once(self, code: str, message: str) -> None:
        """A note that would be said for each of a thousand deltas is said for the first."""
        if code not in self._said:
            self._said.add(code)
            self.note(code, message)

    def _pause(self, *, over: bool = False) -> None:
        """The source has said something about the end: the next delta is looked at afresh, and once it is over finds no block."""
        self._texting = self._thinking = None
        self._fragments.pause()
        if over:
            self._blocks.keyed.clear()

    def _block_for(self, kind: ev.BlockKind, choice: int, key: Hashable, channel: str | None = None) -> Block | None:
        """The open block that a delta of this kind belongs to, opened if there is none; None after the end."""
        block = self._blocks.find(choice, key)
        if not self.accepts(kind, choice):
            return None
        if block is not None:
            if block.kind == kind:
                return block
            self._blocks.close(block, complete=True)
        return self._blocks.start(kind, choice, key, None, None, channel=channel)

    def _maybe_release(self) -> None:
        """Nothing but usage was awaited, and it is here."""
        if not self._releasing and self._ending.terminated() and self.ending and self._ledger.snapshot() is not None:
            self._release(None)

    def _release(self, cut: Error | None) -> None:
        """Close what is open, as truthfully as it ended, and say the one terminal."""
        self._releasing = True
        if not self.started:
            self._begin()
        self._fragments.announce_all()
        self._blocks.close_all(self._ended_well)
        tallies = {choice: lane.tally for choice, lane in self._blocks.lanes.items()}
        end = self._ending.end(tallies, self._ledger.snapshot(), cut)
        self.outcome, self.phase = end.outcome, OUTCOME_PHASE[end.outcome]
        self._emit(end)

    def _ended_well(self, block: Block) -> bool:
        """Did the end of the stream end this block as it should be ended?"""
        if self._ending.error is not None or not self._ending.finished(block.choice):
            return False
        return self._whole_after(self._ending.reason(block.choice), block)

    def _whole_after(self, reason: ev.FinishReason | None, block: Block) -> bool:
        """Does this finish leave the block whole? What is cut by length or a filter is the last thing said."""
        if reason == "error":
            return False
        if reason not in ("length", "content_filter"):
            return True
        call = block.call
        return call is not None and any(call.pieces) and (call.whole or block.index < max(self._blocks.open))
