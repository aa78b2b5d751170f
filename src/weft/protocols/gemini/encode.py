"""Writes Gemini's chunks so that Google's own SDKs read them.

Knows: this wire. Must not know: other protocols; how a part, a finish or a count is written.
Every chunk is a whole response in one line. Calls and files are said when they are whole; a signed part is a part of its own, so the
first text of a block waits for the rest of its read. Finish and counts come last, and no terminator: there is none.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final

from weft import events as ev
from weft import jsontext, unnamed
from weft.carried import wrapped
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.facts import whose
from weft.jsontext import is_object
from weft.logprobs import spelled_out
from weft.losses import Losses
from weft.protocols.gemini import written
from weft.protocols.gemini.logprobs import result
from weft.protocols.gemini.parts import Open, arguments, function_call, media
from weft.timestamps import stamp

# Fact of a choice -> the member of its candidate that holds it. The last two stand beside the finish.
_FACTS: Final = {
    "grounding": "groundingMetadata",
    "url_context": "urlContextMetadata",
    "finish_message": "finishMessage",
    "safety_ratings": "safetyRatings",
}
_WITH_THE_FINISH: Final = frozenset({"finish_message", "safety_ratings"})
_RECITED: Final = frozenset({"startIndex", "endIndex", "uri", "license"})
"""Members by which one of this wire's own recitations is known."""


class _Lane:
    """One choice: what its last part was, and what waits for its finish."""

    def __init__(self) -> None:
        self.last: str | None = None
        self.said = False
        self.refused = False
        self.broken: list[tuple[str, str, str]] = []
        self.grounded = False
        self.sources: list[dict[str, Any]] = []
        self.beside: dict[str, Any] = {}

    @property
    def has_candidate(self) -> bool:
        """Has the model said anything, or is there anything that needs a candidate to be told?"""
        return bool(self.said or self.broken or self.sources or self.beside.keys() - {"safetyRatings"})


class GeminiEncoder(Encoder):
    """One stream of chunks."""

    own: ClassVar = "gemini"
    drops: ClassVar = {ev.Note: "", ev.StepStart: "", ev.StepEnd: "steps", ev.Usage: ""}
    loses: ClassVar = {
        "steps": "a response has no steps",
        "unknown": "a frame that Weft does not know is passed on to its own protocol only",
        "reasoning_form": "a thought is a summary in one text",
        "blocks": "neighbouring texts run together, unless one is signed",
        "signature": "a part has one signature",
        "refusal": "a refusal is sent as text, with the finish reason of a filter",
        "args_stream": "a call is sent when it is whole",
        "args_text": "arguments are sent on one line",
        "args_invalid": "arguments must be an object: a call with other arguments ends the message as malformed",
        "incomplete": "a call that was cut off is left out: a client would execute it",
        "tool_kind": "there are only functions, whose arguments are a JSON object",
        "executor": "another provider ran this tool, and the client must not run it again",
        "tool_result": "results of another provider's tools cannot be expressed",
        "annotation": "of another protocol's citations, only those with a URL can be expressed",
        "annotation_offsets": "a source of another protocol does not say where the text cites it, and which of its words",
        "file": "only files as base64 or with a URL can be expressed",
        "file_partial": "there are no previews",
        "opaque": "another protocol's items cannot be expressed",
        "logprobs": "log probabilities are those of single tokens",
        "channel": "text has no channels",
        "usage_split": "tokens written to a cache are not counted, and thoughts are part of the output",
        "finish_other": "there is no such finish reason: it reads as a stop",
        "error_detail": "an error has a message, a status and a reason",
        "meta": "this fact cannot be expressed",
    }
    sequential: ClassVar = True
    choices: ClassVar = True

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._envelope: dict[str, Any] = {}
        self._after = b""
        self._lanes: dict[int, _Lane] = {}
        self._blocks: dict[int, Open] = {}
        self._splices: dict[int, tuple[bytes, bytes]] = {}
        self._held: dict[int, str] = {}
        """The first text of a block, as long as nothing of it is written."""
        self._tier: Any = None
        self._late = False

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.ArgsDelta: self._args,
            ev.Signature: self._sign,
            ev.Annotation: self._cite,
            ev.File: self._file,
            ev.Result: self._result,
            ev.Opaque: self._opaque,
            ev.BlockEnd: self._block_end,
            ev.Unknown: self.unnamed,
            ev.End: self._end,
        }

    def flush(self) -> None:
        """A read is over: the first texts of blocks are said, whether or not they will be signed."""
        while self._held:
            self._release(next(iter(self._held)))

    def carry(self, event: ev.Unknown) -> None:
        self.flush()
        self._write(unnamed.as_event(event))

    # -- the envelope --------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        if event.provider is not None:
            self.lose("meta", "provider")
        created = event.created or self._context.created
        members = {
            "modelVersion": event.model,
            "responseId": self._context.response_id or event.id,
            "createTime": stamp(created) if created else None,
        }
        self._seal({name: value for name, value in members.items() if value})

    def _seal(self, more: dict[str, Any]) -> None:
        """Freeze what stands in every chunk after its candidates."""
        self._envelope |= more
        self._after = b"," + jsontext.line(self._envelope)[1:] + b"\n\n" if self._envelope else b"}\n\n"

    def _meta(self, event: ev.Meta) -> None:
        name, choice = whose(event.name)
        if name == "model":
            self._late = True
            self._seal({"modelVersion": event.value})
        elif name == "service_tier":
            self._tier = event.value
        elif name not in _FACTS:
            if name not in ("id", "created"):
                self.lose("meta", event.name)
        else:
            self._fact(name, event.value, choice)

    def _fact(self, name: str, value: Any, choice: int) -> None:
        """Grounding that supports no text in particular is told with the finish, as Google does."""
        lane = self._lane(choice)
        if name in _WITH_THE_FINISH:
            lane.beside[_FACTS[name]] = value
        elif is_object(value):
            lane.grounded = lane.grounded or name == "grounding"
            if name == "grounding" and "groundingSupports" not in value:
                lane.beside[_FACTS[name]] = value
                return
            self.flush()
            self._candidate(choice, {_FACTS[name]: value})
        else:
            self.lose("meta", name)

    # -- text ----------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._blocks[event.index] = Open(event)
        if event.channel and event.kind != "file":
            self.lose("channel", place_of(event))
        if event.kind == "refusal":
            self._lane(event.choice).refused = True

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        splice = self._splices.get(event.index)
        if splice is None or event.logprobs is not None:
            self._first(event.index, event.text)
            if event.logprobs is not None:
                self._measure(event)
            return
        self._write(splice[0] + jsontext.line(event.text) + splice[1])

    def _think(self, event: ev.ReasoningDelta) -> None:
        block, text = self._blocks[event.index], event.text
        if event.form != block.form or event.part != block.part:
            if event.form != "summary" or event.part:
                self.lose("reasoning_form", place_of(event))
            if block.form is not None:
                text = "\n\n" + text
            block.form, block.part = event.form, event.part
        splice = self._splices.get(event.index)
        if splice is None:
            self._first(event.index, text)
        else:
            self._write(splice[0] + jsontext.line(text) + splice[1])

    def _first(self, index: int, text: str) -> None:
        """Text of a block that has no splice yet: the first waits, the second lets both go."""
        if index in self._held:
            self._release(index)
        elif index not in self._splices:
            self._held[index] = text
            return
        if text:
            head, tail = self._splices[index]
            self._write(head + jsontext.line(text) + tail)

    def _release(self, index: int) -> None:
        """Say what is held, unsigned; the rest of the block is spliced into the same frame."""
        text, block = self._held.pop(index), self._blocks[index]
        thought = block.start.kind == "reasoning"
        lane = self._lane(block.start.choice)
        kind = "thought" if thought else "text"
        if lane.last == kind:
            self.lose("blocks", place_of(block.start))
            text = "\n\n" + text if thought else text
        tail = b'%b]},"index":%d}]%b' % (b',"thought":true}' if thought else b"}", block.start.choice, self._after)
        head = b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":'
        self._splices[index] = head, tail
        lane.last, lane.said = kind, True
        self._write(head + jsontext.line(text) + tail)

    def _signed(self, block: Open) -> None:
        thought = {"thought": True} if block.start.kind == "reasoning" else {}
        self._part(block, {"text": self._held.pop(block.start.index, ""), **thought})

    def _measure(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        said = result(event.logprobs)
        if said is None or not spelled_out(event.logprobs):
            self.lose("logprobs", place_of(event))
        if said is None:
            return
        self.flush()
        self._candidate(self._blocks[event.index].start.choice, {"logprobsResult": said})

    # -- whole parts ---------------------------------------------------------------------------------------------

    def _args(self, event: ev.ArgsDelta) -> None:
        self._blocks[event.index].args.append(event.text)

    def _file(self, event: ev.File) -> None:
        block = self._blocks[event.index]
        if event.partial:
            self.lose("file_partial", place_of(event))
        elif block.start.kind == "file":
            block.files.append(event)
        else:
            self.lose("file", place_of(event))

    def _sign(self, event: ev.Signature) -> None:
        """It stands on the part that it signs, so it waits for the end of the block, or of the read."""
        block = self._blocks[event.index]
        if block.signature is not None and block.signature.part != event.part:
            self.lose("signature", place_of(event))
        block.signature = event

    def _result(self, event: ev.Result) -> None:
        """Said in its own form, which follows."""

    def _opaque(self, event: ev.Opaque) -> None:
        """A part in this wire's own words, from the source itself."""
        block = self._blocks[event.index]
        if event.origin.protocol == "gemini" and is_object(event.raw):
            block.own = event.raw
        elif block.start.kind in ("text", "refusal") or (block.start.kind, block.start.executor) == (
            "tool_call",
            "client",
        ):
            self.lose("opaque", place_of(event))

    def _block_end(self, event: ev.BlockEnd) -> None:
        block = self._blocks[event.index]
        kind = block.start.kind
        if block.own is not None:
            self._part(block, block.own)
        elif kind in ("text", "refusal", "reasoning"):
            self._text_end(block)
        elif kind == "file":
            self._media(block)
        elif kind == "tool_call" and block.start.executor == "client":
            self._call(block, event.complete)
        else:
            self.lose("executor" if kind == "tool_call" else kind, place_of(event))
        del self._blocks[event.index]
        self._splices.pop(event.index, None)
        self._held.pop(event.index, None)

    def _text_end(self, block: Open) -> None:
        """What is signed as a whole is one part; what was begun is signed by an empty part after it."""
        if block.signature is not None:
            if block.start.kind != "reasoning" and block.start.index in self._splices:
                self.lose("blocks", place_of(block.start))
            self._signed(block)
        elif block.start.index in self._held:
            self._release(block.start.index)

    def _call(self, block: Open, complete: bool) -> None:
        """A call that can be executed; one that cannot is kept for the finish."""
        start, args = block.start, arguments(block)
        if start.tool != "function":
            self.lose("tool_kind", place_of(start))
        raw = "".join(block.args)
        if args is None or not complete:
            self._lane(start.choice).broken.append((start.name or "", raw, place_of(start)))
            if block.signature is not None:
                self.lose("signature", place_of(start))
            return
        if len(block.args) > 1:
            self.lose("args_stream", place_of(start))
        if start.tool != "custom" and raw and args != raw.encode("utf-8", "replace"):
            self.lose("args_text", place_of(start))
        self._part(block, function_call(start, args))

    def _media(self, block: Open) -> None:
        part = media(block) if block.files else None
        if part is None:
            self.lose("file", place_of(block.start))
            if block.signature is not None:
                self.lose("signature", place_of(block.start))
        else:
            self._part(block, part)

    def _part(self, block: Open, part: dict[str, Any]) -> None:
        """A whole part, with its signature: of another origin it is wrapped, so that it is base64, and nobody's but its own."""
        state = block.signature
        if state is not None:
            value = state.value if state.origin.protocol == "gemini" else wrapped(state)
            part = {**part, "thoughtSignature": value}
        lane = self._lane(block.start.choice)
        lane.last, lane.said = None, True
        self._candidate(block.start.choice, {"content": {"role": "model", "parts": [part]}})

    def _cite(self, event: ev.Annotation) -> None:
        """What Google cites is in its grounding, which was said, or a recitation; of another origin the source at least is said, at the end."""
        raw: dict[str, Any] = event.raw if is_object(event.raw) else {}
        choice = self._blocks[event.index].start.choice
        lane = self._lane(choice)
        if "chunk" in raw and lane.grounded:
            return
        if raw.keys() & _RECITED:
            self.flush()
            self._candidate(choice, {"citationMetadata": {"citations": [raw]}})
        elif event.url is not None:
            source = {"web": {"uri": event.url, **({"title": event.title} if event.title else {})}}
            if (event.start, event.end, event.text) != (None, None, None) or source in lane.sources:
                self.lose("annotation_offsets", place_of(event))
            if source not in lane.sources:
                lane.sources.append(source)
        else:
            self.lose("annotation", place_of(event))

    # -- the end -------------------------------------------------------------------------------------------------

    def _end(self, event: ev.End) -> None:
        usage = self._usage(event.usage)
        if written.is_failure(event):
            self._failed(event, usage)
            return
        finishes = event.finishes or (ev.Finish(),)
        for finish in finishes:
            counts = usage if finish is finishes[-1] else {}
            lane = self._lane(finish.choice)
            if written.of_prompt(finish, event.usage) and not lane.has_candidate:
                self._blocked(finish, event, lane, counts)
            else:
                self._candidate(finish.choice, self._finish(finish, event, lane), counts)

    def _finish(self, finish: ev.Finish, event: ev.End, lane: _Lane) -> dict[str, Any]:
        word = written.finish(finish)
        if finish.reason is None and event.outcome == "incomplete":
            word = "OTHER"
        if finish.reason == "pause" and word == "STOP":
            self.lose("finish_other")
        if finish.reason == "refusal" or lane.refused:
            self.lose("refusal")
        beside = dict(lane.beside)
        if lane.broken and event.outcome == "completed":
            word, beside["finishMessage"] = written.MALFORMED, _malformed(lane)
        for _, _, where in lane.broken:
            self.lose("args_invalid" if event.outcome == "completed" else "incomplete", where)
        if lane.sources:
            grounding = beside.get("groundingMetadata", {})
            chunks = [*grounding.get("groundingChunks", []), *lane.sources]
            beside["groundingMetadata"] = {**grounding, "groundingChunks": chunks}
        return {"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": word, **beside}

    def _blocked(self, finish: ev.Finish, event: ev.End, lane: _Lane, counts: dict[str, Any]) -> None:
        """There is no candidate at all."""
        feedback: dict[str, Any] = {"blockReason": finish.raw}
        if event.error is not None:
            feedback["blockReasonMessage"] = event.error.message
        if "safetyRatings" in lane.beside:
            feedback["safetyRatings"] = lane.beside["safetyRatings"]
        self._chunk({"promptFeedback": feedback, **counts})

    def _failed(self, event: ev.End, usage: dict[str, Any]) -> None:
        """The error object, and no finish that would read as an end."""
        for lane in self._lanes.values():
            if lane.refused:
                self.lose("refusal")
            for _, _, where in lane.broken:
                self.lose("incomplete", where)
            for name in lane.beside:
                self.lose("meta", name)
            if lane.sources:
                self.lose("annotation")
        if usage or self._late:
            self._write(b"data: " + jsontext.line({**usage, **self._envelope}) + b"\n\n")
        if event.error is not None:
            if not written.tells_all(event.error):
                self.lose("error_detail")
            self._write(b"data: " + jsontext.line({"error": written.error(event.error)}) + b"\n\n")

    def _usage(self, usage: ev.Usage | None) -> dict[str, Any]:
        counts = written.usage(usage) if usage is not None else {}
        if usage is not None and not written.is_split(usage):
            self.lose("usage_split")
        if self._tier is not None and self._tier != counts.get("serviceTier"):
            self.lose("meta", "service_tier")
        return {"usageMetadata": counts} if counts else {}

    # -- chunks --------------------------------------------------------------------------------------------------

    def _lane(self, choice: int) -> _Lane:
        lane = self._lanes.get(choice)
        if lane is None:
            lane = self._lanes[choice] = _Lane()
        return lane

    def _candidate(self, choice: int, members: dict[str, Any], beside: dict[str, Any] | None = None) -> None:
        self._chunk({"candidates": [{**members, "index": choice}], **(beside or {})})

    def _chunk(self, members: dict[str, Any]) -> None:
        self._write(b"data: " + jsontext.line(members)[:-1] + self._after)


def _malformed(lane: _Lane) -> str:
    """What the model tried to call, in the words of this wire's own servers."""
    return "Malformed function call: " + ", ".join(f"{name}({raw})" for name, raw, _ in lane.broken)
