"""What boto3 makes of Bedrock's Converse and InvokeModel bodies.

Runs in the referees' environment. Knows the SDK's dicts; must not know Weft, nor correct what the SDK gets wrong.
boto3 assembles nothing: it checks the frames and hands out each event, which is joined here plainly by block index.
"""

from base64 import b64encode
from functools import cache
from typing import Any

import boto3
from botocore.config import Config

from .reply import Call, Reply

MESSAGES: Any = [{"role": "user", "content": [{"text": "x"}]}]


@cache
def _session() -> boto3.Session:
    return boto3.Session(aws_access_key_id="x", aws_secret_access_key="x", region_name="us-east-1")


def _client(url: str) -> Any:
    config = Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=20, proxies={})
    return _session().client("bedrock-runtime", endpoint_url=url, config=config)


def converse_stream(url: str, reply: Reply) -> None:
    """`converse_stream`: blocks joined by their index."""
    blocks: dict[int, dict[str, Any]] = {}
    try:
        for event in _client(url).converse_stream(modelId="m", messages=MESSAGES)["stream"]:
            for kind, payload in event.items():
                EVENTS.get(kind, _ignore)(reply, blocks, payload)
    finally:
        for index in sorted(blocks):
            _take_block(reply, blocks[index])


def converse_whole(url: str, reply: Reply) -> None:
    """A reply that was not streamed."""
    response = _client(url).converse(modelId="m", messages=MESSAGES)
    reply.choice().finish_raw = response.get("stopReason")
    reply.usage = response.get("usage")
    for block in response["output"]["message"]["content"]:
        _take_block(reply, block)


def invoke_stream(url: str, reply: Reply) -> None:
    """`invoke_model_with_response_stream`: the inner bytes of each chunk, as text, in `blocks`."""
    response = _client(url).invoke_model_with_response_stream(modelId="m", body=b"{}")
    for event in response["body"]:
        reply.blocks.append(event["chunk"]["bytes"].decode())


def invoke_whole(url: str, reply: Reply) -> None:
    """A reply that was not streamed: the inner body, as text, in `blocks`."""
    reply.blocks.append(_client(url).invoke_model(modelId="m", body=b"{}")["body"].read().decode())


# kind of block that is opened -> what its deltas are appended to
EMPTY: dict[str, dict[str, Any]] = {"toolUse": {"input": ""}, "toolResult": {"content": []}}


def _ignore(_reply: Reply, _blocks: dict[int, dict[str, Any]], _payload: dict[str, Any]) -> None:
    """Events that say nothing to a reader of the message."""


def _start(_reply: Reply, blocks: dict[int, dict[str, Any]], payload: dict[str, Any]) -> None:
    blocks[payload["contentBlockIndex"]] = {
        name: {**value, **EMPTY.get(name, {})} for name, value in payload["start"].items()
    }


def _delta(_reply: Reply, blocks: dict[int, dict[str, Any]], payload: dict[str, Any]) -> None:
    _join(blocks.setdefault(payload["contentBlockIndex"], {}), payload["delta"])


def _join(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Text, bytes and lists are appended, objects are joined field by field, anything else replaces."""
    for name, value in delta.items():
        if isinstance(value, dict):
            _join(block.setdefault(name, {}), value)
        elif isinstance(value, list) and isinstance(block.get(name), dict):
            block[name]["content"] = [*block[name].get("content", []), *value]
        elif isinstance(value, str | bytes | list) and name in block:
            block[name] += value
        else:
            block[name] = value


def _stop(reply: Reply, _blocks: dict[int, dict[str, Any]], payload: dict[str, Any]) -> None:
    reply.choice().finish_raw = payload["stopReason"]


def _metadata(reply: Reply, _blocks: dict[int, dict[str, Any]], payload: dict[str, Any]) -> None:
    reply.usage = payload.get("usage")


EVENTS = {
    "contentBlockStart": _start,
    "contentBlockDelta": _delta,
    "messageStop": _stop,
    "metadata": _metadata,
}


def _take_block(reply: Reply, block: dict[str, Any]) -> None:
    reply.blocks.append(_plain(block))
    told = reply.choice()
    told.text.append(block.get("text", ""))
    told.text += [part["text"] for part in block.get("citationsContent", {}).get("content", [])]
    reasoning = block.get("reasoningContent", {})
    told.reasoning.append(reasoning.get("reasoningText", reasoning).get("text", ""))
    if use := block.get("toolUse"):
        executor = "provider" if use.get("type") == "server_tool_use" else "client"
        told.calls[len(told.calls)] = Call(use["toolUseId"], use["name"], use.get("input"), executor=executor)


def _plain(value: Any) -> Any:
    """Bytes as base64, the way the wire had them."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
