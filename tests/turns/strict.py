"""A provider that is as strict as the real ones are said to be, beyond what their types say: it names what it would refuse a second turn for.

Knows each API's rules for an assistant's turn and the results that follow it; must not know Weft. The rules are those of the vendors' documents
and of the reports that the protocols' request modules name.
"""

import json
import re
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
DUMMY = "skip_thought_signature_validator"


class Provider:
    """One conversation's second request. `issued` are the opaque values that this provider itself gave out."""

    def __init__(self, issued: set[str]) -> None:
        self.issued = issued
        self.refusals: list[str] = []

    def check(self, held: object, why: str) -> None:
        if not held:
            self.refusals.append(why)

    def pair(self, called: list[Any], answered: list[Any]) -> None:
        self.check(len(called) == len(set(called)), f"two calls of one id among {called}")
        self.check(called == answered, f"calls {called} and results {answered} do not pair")


def anthropic(provider: Provider, turn: list[Json]) -> None:
    for at, message in enumerate(turn):
        if message["role"] != "assistant":
            continue
        content = message["content"]
        provider.check(content, "a message without content")
        provider.check(content[-1]["type"] not in ("thinking", "redacted_thinking"), "thinking is the last block")
        served = [block["id"] for block in content if block["type"] in ("server_tool_use", "mcp_tool_use")]
        results = [block["tool_use_id"] for block in content if "tool_use_id" in block]
        awaited = any(block["type"] == "tool_use" for block in content) or content[-1]["type"] == "server_tool_use"
        unpaired = set(served) ^ set(results) if not awaited else set(results) - set(served)
        provider.check(not unpaired, f"server tools {served} and their results {results} do not pair")
        for block in content:
            if block["type"] == "text":
                provider.check(block["text"].strip(), "a blank text")
            elif block["type"] == "thinking":
                provider.check(block["signature"] in provider.issued, "thinking with a signature of somebody else")
            elif block["type"] == "redacted_thinking":
                provider.check(block["data"] in provider.issued, "redacted thinking of somebody else")
            elif block["type"] == "tool_use":
                provider.check(re.fullmatch("[a-zA-Z0-9_-]{1,64}", block["id"]), f"the id {block['id']}")
                provider.check(isinstance(block["input"], dict), "input that is no object")
        if content[-1]["type"] == "text":
            provider.check(content[-1]["text"] == content[-1]["text"].rstrip(), "trailing white space")
        used = [block["id"] for block in content if block["type"] == "tool_use"]
        provider.pair(
            used, [block["tool_use_id"] for block in next_content(turn, at) if block["type"] == "tool_result"]
        )


def next_content(turn: list[Json], at: int) -> list[Json]:
    """The blocks of the user's message that follows."""
    return turn[at + 1]["content"] if at + 1 < len(turn) and turn[at + 1]["role"] == "user" else []


def bedrock(provider: Provider, turn: list[Json]) -> None:
    for at, message in enumerate(turn):
        if message["role"] != "assistant":
            continue
        content = message["content"]
        provider.check(content and "reasoningContent" not in content[-1], "no content, or reasoning is the last of it")
        for block in content:
            provider.check(len(block) == 1, "a block of two kinds")
            provider.check(block.get("text", "x").strip(), "a blank text")
            reasoning = block.get("reasoningContent", {})
            state = reasoning.get("redactedContent") or reasoning.get("reasoningText", {}).get("signature")
            provider.check(not reasoning or state in provider.issued, "reasoning that is not signed here")
            provider.check("image" not in block, "an image of an assistant")
        used = [
            block["toolUse"]["toolUseId"] for block in content if "toolUse" in block and "type" not in block["toolUse"]
        ]
        provider.check(all(re.fullmatch("[a-zA-Z0-9_.:-]{1,64}", id) for id in used), f"an id among {used}")
        provider.pair(
            used, [block["toolResult"]["toolUseId"] for block in next_content(turn, at) if "toolResult" in block]
        )


def openai_chat(provider: Provider, turn: list[Json]) -> None:
    waiting: list[str] = []
    for message in turn:
        if message["role"] == "tool":
            provider.check(waiting and message["tool_call_id"] == waiting.pop(0), "a result that no call awaits")
            continue
        provider.check(not waiting, f"calls {waiting} without results")
        if message["role"] != "assistant":
            continue
        calls = message.get("tool_calls", [])
        said = message.keys() - {"role", "content"} or message.get("content")
        provider.check(said, "a message that says nothing")
        provider.check(calls or message.get("content", "") is not None, "content null without calls")
        for call in calls:
            provider.check(len(call["id"]) <= 40, f"the id {call['id']}")
            if call["type"] == "function":
                provider.check(
                    isinstance(json.loads(call["function"]["arguments"]), dict), "arguments that are no object"
                )
            waiting.append(call["id"])
        for detail in message.get("reasoning_details", []):
            state = detail.get("signature") or detail.get("data")
            provider.check(state is None or state in provider.issued, "a detail of somebody else's")
    provider.check(not waiting, f"calls {waiting} without results")


def openai_responses(provider: Provider, turn: list[Json]) -> None:
    called, answered = [], []
    for at, item in enumerate(turn):
        kind = item.get("type", "message")
        if kind == "reasoning":
            following = turn[at + 1].get("type", "message") if at + 1 < len(turn) else "nothing"
            provider.check(
                following != "nothing" and not following.endswith("_output"), "reasoning without its following item"
            )
            provider.check("status" not in item, "Unknown parameter: 'status'")
            sealed = item.get("encrypted_content")
            provider.check(sealed is None or sealed in provider.issued, "encrypted content that was not issued here")
            provider.check(item["id"] in provider.issued, "a reasoning item of somebody else's")
        elif kind.endswith("_output"):
            answered.append(item["call_id"])
        elif "call_id" in item:
            called.append(item["call_id"])
            provider.check(len(item["call_id"]) <= 64, f"the call id {item['call_id']}")
            if kind == "function_call":
                provider.check(isinstance(json.loads(item["arguments"]), dict), "arguments that are no object")
                provider.check(item.get("id", "fc_").startswith("fc"), "an id that does not begin with fc")
        elif kind == "message" and "id" in item:
            provider.check(item["id"].startswith("msg"), "an id that does not begin with msg")
    provider.pair(called, answered)


def gemini(provider: Provider, turn: list[Json]) -> None:
    for at, content in enumerate(turn):
        if content["role"] != "model":
            continue
        parts = content["parts"]
        provider.check(parts, "a content without parts")
        calls = [part for part in parts if "functionCall" in part]
        signed = {part["thoughtSignature"] for part in parts if "thoughtSignature" in part}
        provider.check(signed <= provider.issued | {DUMMY}, "a signature of somebody else")
        provider.check(not calls or "thoughtSignature" in calls[0], "a function call is missing a thought_signature")
        provider.check(all(isinstance(call["functionCall"]["args"], dict) for call in calls), "args that are no object")
        given = turn[at + 1]["parts"] if at + 1 < len(turn) and turn[at + 1]["role"] == "user" else []
        answers = [part["functionResponse"] for part in given if "functionResponse" in part]
        names = [call["functionCall"]["name"] for call in calls]
        provider.check(names == [answer["name"] for answer in answers], f"{names} and their responses do not pair")
        ids = [call["functionCall"].get("id") for call in calls]
        provider.check(ids == [answer.get("id") for answer in answers], f"the ids {ids} are not those of the responses")


def ollama(provider: Provider, turn: list[Json]) -> None:
    waiting: list[str] = []
    for message in turn:
        if message["role"] == "tool":
            provider.check(waiting and message["tool_name"] == waiting.pop(0), "a result of no tool that was called")
        elif message["role"] == "assistant":
            provider.check(isinstance(message["content"], str), "content that is no text")
            for call in message.get("tool_calls", []):
                provider.check(isinstance(call["function"]["arguments"], dict), "arguments that are no object")
                waiting.append(call["function"]["name"])
    provider.check(not waiting, f"{waiting} without results")


def cohere(provider: Provider, turn: list[Json]) -> None:
    waiting: list[str] = []
    for message in turn:
        if message["role"] == "tool":
            provider.check(waiting and message["tool_call_id"] == waiting.pop(0), "a result that no call awaits")
        elif message["role"] == "assistant":
            calls = message.get("tool_calls", [])
            provider.check(calls or message.get("content"), "a message that says nothing")
            provider.check(calls or "tool_plan" not in message, "a plan without calls")
            provider.check(
                all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls), "no object"
            )
            waiting += [call["id"] for call in calls]
    provider.check(not waiting, f"{waiting} without results")


RULES: dict[str, Callable[[Provider, list[Json]], None]] = {
    "anthropic": anthropic,
    "bedrock": bedrock,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
    "ollama": ollama,
    "cohere": cohere,
}


def refusals(target: str, turn: list[Json], issued: set[str]) -> list[str]:
    """Why this provider would refuse the second request; empty if it would not."""
    provider = Provider(issued)
    RULES[target](provider, turn)
    return provider.refusals


# -- what a caller adds: the results of its tools ----------------------------------------------------------------------

OUTPUTS = {"custom_tool_call": "custom_tool_call_output"}


def results(target: str, items: list[Json], call_ids: dict[str, str | None]) -> list[Json]:
    """The results of the calls that are sent, as a caller writes them who has run the tools: by the ids that it was told."""
    sent = list(call_ids.values())
    if not sent:
        return []
    if target == "anthropic":
        return [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"} for id in sent]}
        ]
    if target == "bedrock":
        blocks = [{"toolResult": {"toolUseId": id, "content": [{"text": "ok"}]}} for id in sent]
        return [{"role": "user", "content": blocks}]
    if target == "openai-responses":
        kinds = {item["call_id"]: item["type"] for item in items if "call_id" in item}
        return [{"type": f"{kinds[id]}_output", "call_id": id, "output": "ok"} for id in sent if id is not None]
    if target == "gemini":
        names = [part["functionCall"]["name"] for part in items[-1]["parts"] if "functionCall" in part]
        given = [{"name": name, "response": {"output": "ok"}} for name in names]
        named = [{**one, **({} if id is None else {"id": id})} for one, id in zip(given, sent, strict=True)]
        return [{"role": "user", "parts": [{"functionResponse": one} for one in named]}]
    if target == "ollama":
        names = [call["function"]["name"] for call in items[-1]["tool_calls"]]
        return [{"role": "tool", "tool_name": name, "content": "ok"} for name in names]
    return [{"role": "tool", "tool_call_id": id, "content": "ok"} for id in sent if id is not None]
