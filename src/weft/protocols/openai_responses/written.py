"""The items of a response as they are written: each knows its own form, from its announcement to its last word.

Knows: one kind of item each, and the events that belong to it.
Must not know: the response around them, sequence numbers, other protocols' items.

An item is made with `say(type, members)`, which adds its place; `item(status)` is what stands in the output.
"""

from collections.abc import Callable
from typing import Any

Say = Callable[[str, dict[str, Any]], None]
Splice = Callable[[str, dict[str, Any]], bytes]
"""Gives the frame of a delta up to where its text stands."""


class Written:
    """One item. `own` is its own form, where the source speaks this protocol.

    A delta's frame is `head` and its text, which is kept in `pieces` as well, since it is said again when the item is done.
    """

    def __init__(self, say: Say, splice: Splice, id: str, own: dict[str, Any] | None = None) -> None:
        self.id = id
        self.own = own
        self._say = say
        self._splice = splice
        self.head = b""
        self.pieces: list[str] = []

    def item(self, status: str) -> dict[str, Any]:
        """The item as it stands in the output with this status."""
        raise NotImplementedError

    def so_far(self) -> dict[str, Any]:
        """The item while it is open, with everything that was said of it."""
        return self.item("in_progress")

    def announce(self) -> None:
        """`output_item.added`."""
        self._say("response.output_item.added", {"item": self.item("in_progress")})

    def close(self, status: str) -> dict[str, Any]:
        """The item's last words; gives the item."""
        item = self.item(status)
        self._say("response.output_item.done", {"item": item})
        return item


class WrittenMessage(Written):
    """A message of text and refusal parts."""

    def __init__(self, say: Say, splice: Splice, id: str, phase: str | None) -> None:
        super().__init__(say, splice, id)
        self.phase = phase
        self._content: list[dict[str, Any]] = []
        self._kind = ""
        self._logprobs: list[Any] = []
        self._annotations: list[dict[str, Any]] = []

    def item(self, status: str) -> dict[str, Any]:
        phase = {} if self.phase is None else {"phase": self.phase}
        return {
            "id": self.id,
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": list(self._content),
            **phase,
        }

    def so_far(self) -> dict[str, Any]:
        item = super().so_far()
        return {**item, "content": [*item["content"], self._part()]} if self._kind else item

    def open_part(self, kind: str) -> None:
        """A part begins; its deltas are spliced behind `head`."""
        self._kind, self.pieces, self._logprobs, self._annotations = kind, [], [], []
        self._say("response.content_part.added", self._place({"part": self._part()}))
        beside: dict[str, Any] = {"logprobs": []} if kind == "text" else {}
        name = "response.output_text.delta" if kind == "text" else "response.refusal.delta"
        self.head = self._splice(name, self._place(beside))

    def text_with_logprobs(self, text: str, tokens: list[dict[str, Any]]) -> None:
        """A delta that is more than its text."""
        self.pieces.append(text)
        self._logprobs += tokens
        self._say("response.output_text.delta", self._place({"delta": text, "logprobs": tokens}))

    @property
    def cites(self) -> bool:
        """Can the open part have citations? A refusal has none."""
        return self._kind == "text"

    def annotate(self, annotation: dict[str, Any]) -> None:
        """A citation of the open part."""
        place = self._place({"annotation_index": len(self._annotations), "annotation": annotation})
        self._annotations.append(annotation)
        self._say("response.output_text.annotation.added", place)

    def close_part(self) -> None:
        """The part is over: its text is said again, whole."""
        part = self._part()
        if self._kind == "text":
            self._say("response.output_text.done", self._place({"text": part["text"], "logprobs": self._logprobs}))
        else:
            self._say("response.refusal.done", self._place({"refusal": part["refusal"]}))
        self._say("response.content_part.done", self._place({"part": part}))
        self._content.append(part)
        self._kind = ""

    def _part(self) -> dict[str, Any]:
        text = "".join(self.pieces)
        if self._kind == "refusal":
            return {"type": "refusal", "refusal": text}
        return {
            "type": "output_text",
            "text": text,
            "annotations": list(self._annotations),
            "logprobs": list(self._logprobs),
        }

    def _place(self, members: dict[str, Any]) -> dict[str, Any]:
        return {"item_id": self.id, "content_index": len(self._content), **members}


class WrittenReasoning(Written):
    """Reasoning: summary parts, raw parts, and the encrypted content that comes last."""

    def __init__(self, say: Say, splice: Splice, id: str) -> None:
        super().__init__(say, splice, id)
        self.encrypted: str | None = None
        self._signed: int | None = None
        self._summary: list[dict[str, Any]] = []
        self._content: list[dict[str, Any]] = []
        self._open: tuple[str, int] | None = None
        self._turned: set[tuple[str, int]] = set()

    def item(self, status: str) -> dict[str, Any]:
        item: dict[str, Any] = {"id": self.id, "type": "reasoning", "summary": list(self._summary)}
        if self._content or (self._open is not None and self._open[0] == "raw"):
            item["content"] = list(self._content)
        return item if self.encrypted is None else {**item, "encrypted_content": self.encrypted}

    def so_far(self) -> dict[str, Any]:
        item = super().so_far()
        if self._open is None:
            return item
        member = "summary" if self._open[0] == "summary" else "content"
        return {**item, member: [*item[member], self._part()]}

    def sign(self, state: str, part: int | None) -> bool:
        """There is one place for state. False if that of another part stood there."""
        alone = self.encrypted is None or part == self._signed
        self.encrypted, self._signed = state, part
        return alone

    def turn_to(self, part: int, form: str) -> bool:
        """Deltas that come now are of this part; another part or form is a part of its own. False if it was over, and is another now."""
        here = "raw" if form == "raw" else "summary", part
        if self._open == here:
            return True
        self.close_part()
        again = here in self._turned
        self._turned.add(here)
        self._open_part(*here)
        return not again

    def close(self, status: str) -> dict[str, Any]:
        self.close_part()
        return super().close(status)

    def close_part(self) -> None:
        """The open part is over: its text is said again, whole."""
        if self._open is None:
            return
        form, part = self._open[0], self._part()
        text, place = part["text"], self._place()
        if form == "summary":
            self._say("response.reasoning_summary_text.done", {**place, "text": text})
            self._say("response.reasoning_summary_part.done", {**place, "part": part})
            self._summary.append(part)
        else:
            self._say("response.reasoning_text.done", {**place, "text": text})
            self._say("response.content_part.done", {**place, "part": part})
            self._content.append(part)
        self._open, self.pieces = None, []

    def _open_part(self, form: str, part: int) -> None:
        self._open = (form, part)
        place = self._place()
        if form == "summary":
            self._say("response.reasoning_summary_part.added", {**place, "part": {"type": "summary_text", "text": ""}})
            self.head = self._splice("response.reasoning_summary_text.delta", place)
        else:
            self._say("response.content_part.added", {**place, "part": {"type": "reasoning_text", "text": ""}})
            self.head = self._splice("response.reasoning_text.delta", place)

    def _part(self) -> dict[str, Any]:
        summary = self._open is not None and self._open[0] == "summary"
        return {"type": "summary_text" if summary else "reasoning_text", "text": "".join(self.pieces)}

    def _place(self) -> dict[str, Any]:
        raw = self._open is not None and self._open[0] == "raw"
        number = {"content_index": len(self._content)} if raw else {"summary_index": len(self._summary)}
        return {"item_id": self.id, **number}


class WrittenCall(Written):
    """A call that the client executes: a function's, with JSON arguments, or a custom tool's, with any text."""

    def __init__(self, say: Say, splice: Splice, id: str, call_id: str, name: str, custom: bool) -> None:
        super().__init__(say, splice, id)
        self._call = {"call_id": call_id, "name": name}
        self._type, self._member, self._event = (
            ("custom_tool_call", "input", "response.custom_tool_call_input")
            if custom
            else ("function_call", "arguments", "response.function_call_arguments")
        )

    def item(self, status: str) -> dict[str, Any]:
        item = {"id": self.id, "type": self._type, "status": status, **self._call, self._member: "".join(self.pieces)}
        return item if self.own is None else {**self.own, **item}

    def announce(self) -> None:
        super().announce()
        self.head = self._splice(f"{self._event}.delta", {"item_id": self.id})

    def close(self, status: str) -> dict[str, Any]:
        name = {} if self._member == "input" else {"name": self._call["name"]}
        self._say(f"{self._event}.done", {"item_id": self.id, self._member: "".join(self.pieces), **name})
        return super().close(status)


class WrittenNative(Written):
    """A call of a tool that has an item of its own kind (local_shell, shell, apply_patch): announced when it is whole."""

    def __init__(self, say: Say, splice: Splice, id: str, kind: str, call_id: str, action: Any) -> None:
        super().__init__(say, splice, id)
        member = "operation" if kind == "apply_patch" else "action"
        self._form = {"id": id, "type": f"{kind}_call", "call_id": call_id, member: action}

    def item(self, status: str) -> dict[str, Any]:
        return {**self._form, "status": status}


class WrittenImage(Written):
    """A generated image."""

    def __init__(self, say: Say, splice: Splice, id: str) -> None:
        super().__init__(say, splice, id)
        self._result: str | None = None
        self._format: str | None = None
        self._partials = 0

    def item(self, status: str) -> dict[str, Any]:
        form = {} if self._format is None else {"output_format": self._format}
        item = {"id": self.id, "type": "image_generation_call", "status": status, "result": self._result, **form}
        return item if self.own is None else {**self.own, **item}

    def announce(self) -> None:
        super().announce()
        self._say("response.image_generation_call.in_progress", {"item_id": self.id})
        self._say("response.image_generation_call.generating", {"item_id": self.id})

    def image(self, data: str, media_type: str | None, *, partial: bool) -> None:
        """The image, or a preview of it."""
        if media_type is not None:
            self._format = media_type.partition("/")[2]
        if not partial:
            self._result = (self._result or "") + data
            return
        members = {
            "partial_image_index": self._partials,
            "partial_image_b64": data,
            "output_format": self._format or "png",
        }
        self._partials += 1
        self._say("response.image_generation_call.partial_image", {"item_id": self.id, **members})

    def close(self, status: str) -> dict[str, Any]:
        if status == "completed":
            self._say("response.image_generation_call.completed", {"item_id": self.id})
        return super().close(status)


class WrittenOwn(Written):
    """An item of this protocol that is handed on as the source had it, once it is whole."""

    def item(self, status: str) -> dict[str, Any]:
        return self.own or {}
