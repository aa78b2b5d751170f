"""VS Code's response parts (seed 004), one a line. `type` is the name of the class, the other members are its constructor's arguments.

    {"type":"LanguageModelTextPart","value":"Hi"}
    {"type":"LanguageModelThinkingPart","value":"Hm.","id":"rs_1","metadata":{"signature":"…"}}
    {"type":"LanguageModelToolCallPart","callId":"call_1","name":"look","input":{"at":"sky"}}
    {"type":"LanguageModelDataPart","mimeType":"image/png","data":"…base64…"}
    {"type":"LanguageModelDataPart","mimeType":"application/json","json":{"a":1}}
    {"type":"LanguageModelDataPart","mimeType":"text/csv","text":"a,b"}

Of a data part, the member with the content names the factory: `json` and `text` are `LanguageModelDataPart.json` and `.text`, `data` is the
constructor, or `.image` where the type is one.

Knows: these parts. Must not know: other protocols.
A thinking part is a proposed API; a client profile says that it is absent. An error is a text: there is no other part that a person would see.
Calls and files are said when they are whole, so nothing waits for them.
"""

import re
from base64 import b64decode
from collections.abc import Callable
from typing import Any, ClassVar, Final

import msgspec

from weft import events as ev
from weft import jsontext
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.losses import Losses
from weft.protocol import ProtocolSpec
from weft.unfold import at_once

# Client profiles whose VS Code has no LanguageModelThinkingPart.
WITHOUT_THINKING: Final = frozenset({"no-thinking"})

_WORD: Final = r"[A-Za-z0-9!#$&^_.+'*|~`%-]+"
_MEDIA_TYPE: Final = re.compile(rf'({_WORD}/{_WORD})(?:\s*;\s*(?:{_WORD}=(?:{_WORD}|"[^"]*"))?)*\s*')
_CHARSET: Final = re.compile(r';\s*charset="?([^";\s]+)', re.IGNORECASE)
_UTF_8: Final = ("utf-8", "utf8", "us-ascii")

_TEXT: Final = b'{"type":"LanguageModelTextPart","value":'
_THINKING: Final = b'{"type":"LanguageModelThinkingPart","value":'


class _Open(msgspec.Struct):
    """A block that is open, and what is held to its end."""

    start: ev.BlockStart
    pieces: list[str]
    media_type: str | None = None
    part: tuple[int, ev.ReasoningForm] | None = None
    tail: bytes = b"}\n"


class VSCodeEncoder(Encoder):
    """One response."""

    drops: ClassVar = {
        ev.Meta: "meta",
        ev.Note: "",
        ev.Annotation: "annotation",
        ev.Opaque: "opaque",
        ev.Result: "tool_result",
        ev.StepStart: "",
        ev.StepEnd: "steps",
        ev.Usage: "usage",
        ev.Unknown: "unknown",
    }
    loses: ClassVar = {
        "id": "no part has a place for it",
        "model": "no part has a place for it",
        "created": "no part has a place for it",
        "meta": "no part has a place for it",
        "annotation": "a text has no citations",
        "opaque": "another protocol's items cannot be expressed",
        "tool_result": "a result belongs to the request that answers its call",
        "steps": "no part says where a step ends",
        "usage": "no part has token counts",
        "unknown": "a frame that Weft does not know cannot be written in another protocol",
        "reasoning": "this client has no part for thinking, or only the origin can read it",
        "reasoning_form": "thinking is one text",
        "signature": "only a thinking part can carry opaque state",
        "refusal": "a refusal is sent as text like any other",
        "order": "a call or a file is sent when it is whole: what began after it and arrived before its end comes first",
        "blocks": "texts have no blocks: neighbours run together",
        "logprobs": "a text has no log probabilities",
        "channel": "a text has no channel",
        "executor": "every call is for the receiver to execute, so calls that the provider runs are left out",
        "tool_call": "a call that was cut off would be executed, so it is left out",
        "tool_kind": "the input of a tool must be an object",
        "args_stream": "a call is sent when it is complete",
        "file": "a data part needs the file's content and its media type",
        "file_partial": "a data part cannot be replaced by a later one",
        "finish": "no part says why it stopped",
        "error_detail": "an error is a text",
    }
    profiles: ClassVar = dict.fromkeys(WITHOUT_THINKING, "thinking is left out: this VS Code has no part for it")
    sequential: ClassVar = True
    beside: ClassVar = frozenset({"tool_call", "file"})

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._open: dict[int, _Open] = {}
        self._after_text = False
        self._latest = -1
        self._thinks = context.profile not in WITHOUT_THINKING

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self.lose_head,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.ArgsDelta: self._args,
            ev.Signature: self._sign,
            ev.File: self._file,
            ev.BlockEnd: self._block_end,
            ev.End: self._end,
        }

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._open[event.index] = block = _Open(event, [])
        if event.kind == "reasoning" and event.item_id is not None:
            block.tail = b',"id":' + jsontext.line(event.item_id) + b"}\n"
        if event.kind not in self.beside:
            self._latest = event.index
        if event.kind in ("text", "refusal"):
            if self._after_text:
                self.lose("blocks", place_of(event))
            self._after_text = True
            self.lose_kind_of_text(event)

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        if not event.text:
            return
        self._write(_TEXT + jsontext.line(event.text) + b"}\n")

    def _think(self, event: ev.ReasoningDelta) -> None:
        block = self._open.get(event.index)
        if block is None or not self._thinks or event.form == "encrypted":
            self.lose("reasoning", place_of(event))
            return
        text = event.text
        if event.form != "raw" or event.part:
            self.lose("reasoning_form", place_of(event))
        if block.part not in (None, (event.part, event.form)):
            text = "\n\n" + text
        block.part = event.part, event.form
        self._after_text = False
        self._write(_THINKING + jsontext.line(text) + block.tail)

    def _sign(self, event: ev.Signature) -> None:
        """State is the metadata of a thinking part without text, which belongs to those before it; `origin` says to whom it may go back."""
        block = self._open.get(event.index)
        if block is None or block.start.kind != "reasoning" or not self._thinks:
            self.lose("signature", place_of(event))
            return
        metadata = {"redactedData" if event.encrypted else "signature": event.value, "origin": event.origin}
        self._write(_THINKING + b'"","metadata":' + jsontext.line(metadata) + block.tail)

    def _args(self, event: ev.ArgsDelta) -> None:
        self._open[event.index].pieces.append(event.text)

    def _file(self, event: ev.File) -> None:
        block = self._open.get(event.index)
        if event.partial:
            self.lose("file_partial", place_of(event))
        elif event.data is None:
            self.lose("file", place_of(event))
        elif block is not None and block.start.kind == "file":
            block.pieces.append(event.data)
            block.media_type = event.media_type or block.media_type
        else:
            self._data(event.data, event.media_type, event)

    def _block_end(self, event: ev.BlockEnd) -> None:
        block = self._open.pop(event.index, None)
        if block is None:
            return
        if block.start.kind == "tool_call":
            self._call(block, complete=event.complete)
        elif block.start.kind == "file" and block.pieces:
            if event.index < self._latest:
                self.lose("order", place_of(event))
            self._data("".join(block.pieces), block.media_type, event)

    def _call(self, block: _Open, *, complete: bool) -> None:
        start, raw = block.start, "".join(block.pieces)
        if start.executor == "provider":
            self.lose("executor", place_of(start))
            return
        custom = start.tool == "custom"
        if not complete or (not custom and jsontext.decode_object(raw) is None):
            self.lose("tool_call", place_of(start))
            return
        if start.index < self._latest:
            self.lose("order", place_of(start))
        if start.tool != "function":
            self.lose("tool_kind", place_of(start))
        if start.arrival == "delta":
            self.lose("args_stream", place_of(start))
        call = jsontext.line({"type": "LanguageModelToolCallPart", "callId": start.id or "", "name": start.name or ""})
        value = jsontext.line({"input": raw}) if custom else jsontext.one_line(raw)
        self._write(call[:-1] + b',"input":' + value + b"}\n")
        self._after_text = False

    def _data(self, data: str, media_type: str | None, event: ev.Event) -> None:
        """A data part, if what is said to be its type can be one."""
        given = media_type or "application/octet-stream"
        match = _MEDIA_TYPE.fullmatch(given)
        if match is None:
            self.lose("file", place_of(event))
            return
        content = _content(data, match[1].lower(), _CHARSET.search(given))
        self._write(jsontext.line({"type": "LanguageModelDataPart", "mimeType": given, **content}) + b"\n")
        self._after_text = False

    # -- the end -------------------------------------------------------------------------------------------------

    def _end(self, event: ev.End) -> None:
        error = event.error
        if error is None:
            if any(finish.reason not in ("stop", "tool_calls", None) for finish in event.finishes):
                self.lose("finish")
            return
        self.lose("error_detail")
        if error.type != "cancelled":
            message = error.message.removeprefix("undefined: ")
            self._write(_TEXT + jsontext.line(f"\n\n**Error:** {message}\n\n") + b"}\n")


def _content(data: str, essence: str, charset: re.Match[str] | None) -> dict[str, Any]:
    """The content under the name of its factory. What does not hold what its type says stays as it is."""
    as_json = essence == "application/json" or essence.endswith("+json")
    as_text = essence.startswith("text/") or essence == "application/xml" or essence.endswith("+xml")
    if essence.startswith("image/") or not (as_json or as_text):
        return {"data": data}
    if as_text and charset is not None and charset[1].lower() not in _UTF_8:
        return {"data": data}
    try:
        text = b64decode(data, validate=True).decode()
        if as_json:
            jsontext.decode(text)
            return {"json": msgspec.Raw(jsontext.one_line(text))}
    except ValueError:
        return {"data": data}
    return {"text": text}


PROTOCOL = ProtocolSpec(
    name="vscode", title="VS Code response parts", framing="ndjson", encoder=VSCodeEncoder, reply=at_once(VSCodeEncoder)
)
