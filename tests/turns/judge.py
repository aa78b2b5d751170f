"""What the vendors' SDKs say of a turn: their own types of what a request may hold.

Runs in the referees' environment (`.venv-referees`): one JSON list of {target, items} in, one of complaints out, each None or a text.
Knows which type of which SDK describes a turn; must not know Weft.
"""

import base64
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

import anthropic.types
import anthropic.types.beta
import botocore.session
import botocore.validate
import cohere
import google.genai.types
import ollama
import openai.types.chat
import openai.types.responses
import pydantic

Adapter = pydantic.TypeAdapter[Any]
_chat: Adapter = pydantic.TypeAdapter(openai.types.chat.ChatCompletionMessageParam)
_responses: Adapter = pydantic.TypeAdapter(openai.types.responses.ResponseInputItemParam)
_anthropic: Adapter = pydantic.TypeAdapter(anthropic.types.MessageParam)
_anthropic_beta: Adapter = pydantic.TypeAdapter(anthropic.types.beta.BetaMessageParam)
_content = google.genai.types.Content
_cohere = {"assistant": cohere.AssistantChatMessageV2, "tool": cohere.ToolChatMessageV2}
_converse = botocore.session.get_session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape

# Members that servers other than OpenAI add to the message of chat.completions: no type of OpenAI's has them.
_ADDED = {"reasoning_content", "reasoning", "reasoning_details", "reasoning_text", "reasoning_opaque", "thinking_blocks", "extra_content"}  # fmt: skip


def drained(value: Any) -> Any:
    """pydantic looks at what an Iterable holds when somebody iterates over it, and not before."""
    if isinstance(value, dict):
        return {name: drained(member) for name, member in value.items()}
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return value
    return [drained(member) for member in value]


def chat(item: dict[str, Any]) -> None:
    """Against the parameter type, less what other servers add; a member that nobody knows is refused."""
    plain = {name: value for name, value in item.items() if name not in _ADDED}
    if "tool_calls" in plain:
        plain["tool_calls"] = [{n: v for n, v in call.items() if n not in _ADDED} for call in plain["tool_calls"]]
    if isinstance(plain.get("content"), list) or plain["role"] == "function":
        return
    told = drained(_chat.validate_python(plain, strict=True))
    known = {"assistant": openai.types.chat.ChatCompletionAssistantMessageParam, "tool": openai.types.chat.ChatCompletionToolMessageParam}  # fmt: skip
    unknown = plain.keys() - known[plain["role"]].__annotations__.keys()
    if unknown or not told:
        raise ValueError(f"unknown members {unknown}")


def responses(item: dict[str, Any]) -> None:
    drained(_responses.validate_python(item))


def messages(item: dict[str, Any]) -> None:
    """The beta knows more kinds of blocks."""
    drained(_anthropic_beta.validate_python(item))
    if not json.dumps(item).count('"mcp_'):
        drained(_anthropic.validate_python(item))


def gemini(item: dict[str, Any]) -> None:
    """Unknown members are refused by the SDK's own model."""
    _content.model_validate(item)


def converse(item: dict[str, Any]) -> None:
    """boto3 checks what it is given before it sends it; bytes are bytes there."""
    for block in item["content"]:
        reasoning = block.get("reasoningContent", {})
        if "redactedContent" in reasoning:
            reasoning["redactedContent"] = base64.b64decode(reasoning["redactedContent"], validate=True)
    report = botocore.validate.ParamValidator().validate({"modelId": "m", "messages": [item]}, _converse)
    if report.has_errors():
        raise ValueError(report.generate_report())


def chat_v2(item: dict[str, Any]) -> None:
    """The SDK's models take anything; a strict reading of the same models does not."""
    model = _cohere[item["role"]]
    told = model.model_validate(item, strict=False)
    dumped = json.loads(told.model_dump_json(by_alias=True, exclude_unset=True))
    if dumped != item:
        raise ValueError(f"reads as {dumped}")


def ollama_chat(item: dict[str, Any]) -> None:
    ollama.Message.model_validate(item)


JUDGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic": messages,
    "gemini": gemini,
    "bedrock": converse,
    "cohere": chat_v2,
    "ollama": ollama_chat,
}


def complaint(target: str, items: list[dict[str, Any]]) -> str | None:
    """What the SDK has against these items."""
    for item in items:
        try:
            JUDGES[target](item)
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises is its verdict
            return f"{type(error).__name__}: {str(error)[:600]} in {json.dumps(item, default=str)[:400]}"
    return None


if __name__ == "__main__":
    json.dump([complaint(case["target"], case["items"]) for case in json.load(sys.stdin)], sys.stdout)
