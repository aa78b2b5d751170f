"""The whole reply of chat.completions.

Knows: the form of a message. Must not know: chunks.
"""

from typing import Any

from weft import jsontext
from weft.context import Context
from weft.jsontext import is_object
from weft.losses import Losses
from weft.message import Choice, FilePart, Message, Reasoning, Text, ToolCall
from weft.protocols.openai_chat import words
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
    text = choice.text
    body: dict[str, Any] = {
        "role": "assistant",
        "content": text if text or not calls else None,
        "refusal": choice.refusal or None,
    }
    if choice.reasoning:
        body[words.REASONING.get(context.profile, "reasoning_content")] = choice.reasoning
    if calls:
        body["tool_calls"] = [_call(call) for call in calls]
    logprobs: list[Any] = []
    for part in choice.blocks:
        where = f"block {part.index}"
        if isinstance(part, Text):
            logprobs += part.logprobs
            body |= _cited(part, body)
        elif isinstance(part, Reasoning):
            body |= _signed(part, body)
        elif (
            isinstance(part, FilePart)
            and (part.url or part.data)
            and (part.media_type or "image/").startswith("image/")
        ):
            url = part.url or f"data:{part.media_type};base64,{part.data}"
            body["images"] = [*body.get("images", []), {"type": "image_url", "image_url": {"url": url}}]
        elif not isinstance(part, ToolCall) or part.executor == "provider":
            what = {"tool_call": "executor", "tool_result": "tool_result", "file": "file"}.get(_kind(part), "opaque")
            if _kind(part) != "refusal":
                losses.add(what, ChatEncoder.loses[what], where)
    finish = words.FINISHES[choice.finish]
    return {
        "index": number,
        "message": body,
        "logprobs": {"content": logprobs} if logprobs else None,
        "finish_reason": finish,
    }


def _call(call: ToolCall) -> dict[str, Any]:
    if call.tool == "custom":
        return {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.raw}}
    extra = [{"google": {"thought_signature": state.value}} for state in call.signatures]
    function = {"name": call.name, "arguments": call.raw or ("{}" if call.complete else "")}
    return {"id": call.id, "type": "function", "function": function, **({"extra_content": extra[-1]} if extra else {})}


def _cited(part: Text, body: dict[str, Any]) -> dict[str, Any]:
    cited = [
        note.raw
        if is_object(note.raw) and "url_citation" in note.raw
        else {"type": "url_citation", "url_citation": {"url": note.url, "title": note.title or ""}}
        for note in part.annotations
        if note.url is not None
    ]
    return {"annotations": [*body.get("annotations", []), *cited]} if cited else {}


def _signed(part: Reasoning, body: dict[str, Any]) -> dict[str, Any]:
    states = [
        {"type": "reasoning.text", "signature": state.value, "index": state.part or 0} for state in part.signatures
    ]
    return {"reasoning_details": [*body.get("reasoning_details", []), *states]} if states else {}


def _kind(part: Any) -> Any:
    return part.__struct_config__.tag
