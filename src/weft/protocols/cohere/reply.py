"""The whole reply: the events of a stream of the same message, put together.

Knows: what a message is when it is whole. Must not know: when anything is said; the encoder does.
"""

from typing import Any

from weft import jsontext
from weft.context import Context
from weft.losses import Losses
from weft.message import Message
from weft.protocols.cohere import words
from weft.protocols.cohere.encode import CohereEncoder
from weft.unfold import end, error_alone, first_choice, unfold


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body, for `http_status(message.error)`."""
    failure = words.failure(end(message))
    is_error = failure is not None and failure[1] is not None
    whole = _Whole(losses)
    encoder = CohereEncoder(whole.take, context, losses)
    for event in unfold(error_alone(message, losses) if is_error else first_choice(message, losses)):
        encoder.feed(event)
    if failure is not None and is_error:
        return jsontext.line({"message": failure[1]})
    return jsontext.line(whole.body())


class _Whole:
    """What the events amount to."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._body: dict[str, Any] = {}
        self._plan = ""
        self._contents: list[dict[str, Any]] = []
        self._logprobs: list[Any] = []
        self._calls: list[dict[str, Any]] = []
        self._called: set[int] = set()
        self._citations: list[Any] = []

    def take(self, frame: bytes) -> None:
        """One event."""
        event: dict[str, Any] = jsontext.read_object(frame.partition(b"data: ")[2])
        delta: dict[str, Any] = event.get("delta", {})
        said: dict[str, Any] = delta.get("message", {})
        kind: str = event["type"]
        if kind == "message-start":
            self._body["id"] = event["id"]
        elif kind == "message-end":
            self._body |= delta
        elif kind == "tool-plan-delta":
            self._plan += said["tool_plan"]
        elif kind == "content-start":
            if self._calls:
                self._losses.add("order", "a reply has its calls after all of its content")
            self._contents.append(said["content"])
        elif kind == "content-delta":
            content = self._contents[-1]
            content |= {name: content[name] + text for name, text in said["content"].items()}
            self._logprobs += [event["logprobs"]] if "logprobs" in event else []
        else:
            self._rare(kind, event, said)

    def body(self) -> dict[str, Any]:
        """The reply."""
        said = {
            "tool_plan": self._plan,
            "content": self._contents,
            "tool_calls": [call for index, call in enumerate(self._calls) if self._is_whole(index)],
            "citations": self._citations,
        }
        message = {"role": "assistant", **{name: value for name, value in said.items() if value}}
        beside = {"logprobs": self._logprobs} if self._logprobs else {}
        return {**self._body, "message": message, **beside}

    def _rare(self, kind: str, event: dict[str, Any], said: dict[str, Any]) -> None:
        if kind == "tool-call-start":
            self._calls.append(said["tool_calls"])
        elif kind == "tool-call-delta":
            function = self._calls[-1]["function"]
            function["arguments"] += said["tool_calls"]["function"]["arguments"]
        elif kind == "tool-call-end":
            self._called.add(event["index"])
        elif kind == "citation-start":
            self._citations.append(said["citations"])

    def _is_whole(self, index: int) -> bool:
        """A call that was not ended would read as one to execute."""
        if index in self._called:
            return True
        self._losses.add("incomplete", CohereEncoder.loses["incomplete"], f"call {index}")
        return False
