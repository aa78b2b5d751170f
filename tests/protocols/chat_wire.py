"""Short ways to write chunks of chat.completions and to read them."""

from typing import Any

import weft
from tests.protocols.wire import events, sse
from weft.message import Message, ToolCall

PROTOCOL = "openai-chat"


def chunk(delta: Any = None, finish: str | None = None, index: int = 0, /, **members: Any) -> dict[str, Any]:
    """A chunk with one choice; `members` stand beside the choices."""
    choice = {"index": index, "delta": {} if delta is None else delta, "finish_reason": finish}
    return envelope([choice], **members)


def envelope(choices: Any, **members: Any) -> dict[str, Any]:
    """A chunk with these choices."""
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, **members}


def text(content: str, index: int = 0, /) -> dict[str, Any]:
    """A chunk with a piece of text."""
    return chunk({"content": content}, None, index)


def call(
    index: int | None = None, id: str | None = None, name: str | None = None, args: Any = None, **members: Any
) -> dict[str, Any]:
    """One fragment of a call; what is None is not there."""
    function = {key: value for key, value in (("name", name), ("arguments", args)) if value is not None}
    said = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return {**said, "function": function, **members}


def calls(*fragments: dict[str, Any]) -> dict[str, Any]:
    """A chunk with fragments of calls."""
    return chunk({"tool_calls": list(fragments)})


def end(finish: str = "stop", index: int = 0, /, **members: Any) -> dict[str, Any]:
    """The chunk that ends a choice."""
    return chunk({}, finish, index, **members)


def usage(prompt: int | None = 3, completion: int | None = 4, total: int | None = 7, **more: Any) -> dict[str, Any]:
    """A usage object."""
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    return {**{name: count for name, count in counts.items() if count is not None}, **more}


def reply(message: Any, finish: str | None = "stop", **members: Any) -> dict[str, Any]:
    """A whole reply with one choice."""
    choices = [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}]
    return {**envelope(choices, **members), "object": "chat.completion"}


def read(*frames: Any, done: bool = True, dialect: str = "", **options: Any) -> Message:
    """The message of these chunks, `[DONE]` behind them."""
    return weft.collect(weft.read(sse(*frames, done=done), name(dialect), **options))


def read_events(*frames: Any, done: bool = True, dialect: str = "", **options: Any) -> list[Any]:
    """The events of these chunks."""
    return events(sse(*frames, done=done), name(dialect), **options)


def name(dialect: str) -> str:
    """The name of the protocol, or of one of its dialects."""
    return f"{PROTOCOL}/{dialect}" if dialect else PROTOCOL


def told(message: Message) -> list[tuple[str | None, str, str]]:
    """Id (None for one of ours), name and arguments of each call."""
    return [(None if made(each) else each.id, each.name, each.raw) for each in message.tool_calls]


def made(each: ToolCall) -> bool:
    """Is the id of this call one of ours?"""
    return each.made_id


def codes(message: Message) -> list[str]:
    """The codes of all notes."""
    return [note.code for note in message.notes]
