"""The whole reply of chat.completions.

Knows: the form of a message. Must not know: chunks.
"""

from typing import Any

import msgspec

from weft import jsontext
from weft.context import Context
from weft.facts import whose
from weft.losses import Losses
from weft.message import AnyPart, Choice, FilePart, Message, Reasoning, Text, ToolCall, ToolResult
from weft.protocols.openai_chat import members, words
from weft.protocols.openai_chat.encode import ChatEncoder
from weft.unfold import error_alone, failed, lost


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body."""
    if failed(message):
        lost(ChatEncoder, error_alone(message, losses), context, losses)
        return jsontext.line({"error": message.error and words.error(message.error)})
    body: dict[str, Any] = {
        "id": context.response_id or message.id,
        "object": "chat.completion",
        "created": int(message.created or context.created),
        "model": message.model or "",
        **({} if message.provider is None else {"provider": message.provider}),
        **{name: value for name, value in sorted(message.meta.items()) if name in words.FACTS},
        "choices": [
            _choice(number, choice, context) | _facts(message, number) for number, choice in enumerate(message.choices)
        ],
    }
    if "audio_expires_at" in message.meta and body["choices"]:
        said = body["choices"][0]["message"]
        said["audio"] = {**said.get("audio", {}), "expires_at": message.meta["audio_expires_at"]}
    if message.usage is not None:
        body["usage"] = words.usage(message.usage)
    lost(ChatEncoder, message, msgspec.structs.replace(context, include_usage=True), losses)
    return jsontext.line(body)


def _facts(message: Message, number: int) -> dict[str, Any]:
    """What is known beside a choice."""
    facts = {whose(name): value for name, value in message.meta.items()}
    return {name: value for (name, choice), value in facts.items() if name in words.CHOICE_FACTS and choice == number}


def _choice(number: int, choice: Choice, context: Context) -> dict[str, Any]:
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
        _beside(part, body)
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


def _beside(part: AnyPart, body: dict[str, Any]) -> None:
    """What a part is beside its text."""
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
    elif isinstance(part, ToolResult):
        form = part.opaque
        _add(body, "executed_tools", [form.raw if form is not None and form.origin.protocol == members.OWN else None])
    elif isinstance(part, FilePart):
        image = members.image(part.media_type, part.data, part.url)
        sound = members.audio(part.media_type, part.data, part.file_id)
        _add(body, "images", [image])
        if sound:
            body["audio"] = {**body.get("audio", {}), **sound}


def _add(body: dict[str, Any], member: str, items: list[Any]) -> None:
    said = [item for item in items if item is not None]
    if said:
        body[member] = [*body.get(member, []), *said]
