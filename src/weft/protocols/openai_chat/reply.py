"""The whole reply of chat.completions.

Knows: the form of a message. Must not know: chunks.
"""

from typing import Any

from weft import jsontext
from weft.context import Context
from weft.losses import Losses
from weft.message import AnyPart, Choice, FilePart, Message, Reasoning, Refusal, Text, ToolCall, ToolResult
from weft.protocols.openai_chat import members, words
from weft.protocols.openai_chat.encode import ChatEncoder


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body."""
    if message.error is not None and message.outcome in ("failed", "truncated"):
        return jsontext.line({"error": words.error(message.error)})
    body: dict[str, Any] = {
        "id": context.response_id or message.id,
        "object": "chat.completion",
        "created": int(message.created or context.created),
        "model": message.model or "",
        "choices": [_choice(number, choice, context, losses) for number, choice in enumerate(message.choices)],
    }
    if message.usage is not None:
        body["usage"] = words.usage(message.usage)
    return jsontext.line(body)


def _choice(number: int, choice: Choice, context: Context, losses: Losses) -> dict[str, Any]:
    calls = [call for call in choice.tool_calls if call.executor == "client"]
    text = "".join(part.text for part in choice.blocks if isinstance(part, Text) and part.channel != words.TRANSCRIPT)
    body: dict[str, Any] = {
        "role": "assistant",
        "content": text if text or not calls else None,
        "refusal": choice.refusal or None,
    }
    if choice.reasoning:
        body[words.REASONING.get(context.profile, "reasoning_content")] = choice.reasoning
    if calls:
        body["tool_calls"] = [_call(call) for call in calls]
    for part in choice.blocks:
        _beside(part, body, losses)
    logprobs = [token for part in choice.blocks if isinstance(part, Text) for token in part.logprobs]
    called = any(call.complete for call in calls)
    return {
        "index": number,
        "message": body,
        "logprobs": {"content": logprobs} if logprobs else None,
        "finish_reason": words.finish(choice.finish, calls=called, refused=bool(choice.refusal)),
    }


def _call(call: ToolCall) -> dict[str, Any]:
    if call.tool == "custom":
        return {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.raw}}
    plain = [state for state in call.signatures if members.call_detail(state, call.id) is None]
    extra = {"extra_content": members.extra_content(plain[-1])} if plain else {}
    function = {"name": call.name, "arguments": call.raw or ("{}" if call.complete else "")}
    return {"id": call.id, "type": "function", "function": function, **extra}


def _beside(part: AnyPart, body: dict[str, Any], losses: Losses) -> None:
    """What a part is beside its text, or that it is lost."""
    if isinstance(part, Text):
        _add(body, "annotations", [members.citation(note) for note in part.annotations])
        if part.channel == words.TRANSCRIPT:
            body["audio"] = {**body.get("audio", {}), "transcript": part.text}
        if part.signatures:
            body["extra_content"] = members.extra_content(part.signatures[-1])
    elif isinstance(part, Reasoning):
        _add(body, "reasoning_details", [members.detail(state) for state in part.signatures])
    elif isinstance(part, ToolCall) and part.executor == "client":
        _add(body, "reasoning_details", [members.call_detail(state, part.id) for state in part.signatures])
    elif isinstance(part, FilePart):
        image = members.image(part.media_type, part.data, part.url)
        sound = members.audio(part.media_type, part.data, part.file_id)
        _add(body, "images", [image])
        if sound:
            body["audio"] = {**body.get("audio", {}), **sound}
        if image is None and sound is None:
            losses.add("file", ChatEncoder.loses["file"], f"block {part.index}")
    elif not isinstance(part, Refusal):
        what = "executor" if isinstance(part, ToolCall) else "tool_result" if isinstance(part, ToolResult) else "opaque"
        losses.add(what, ChatEncoder.loses[what], f"block {part.index}")


def _add(body: dict[str, Any], member: str, items: list[Any]) -> None:
    said = [item for item in items if item is not None]
    if said:
        body[member] = [*body.get(member, []), *said]
