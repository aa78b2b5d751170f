"""The chunks of the AI SDK's UI message stream, versions 5 to 7.

Knows: names and types of members that the decoder reads, all optional; one flat type, since an app may make up chunks of its own (`data-…`).
Must not know: what any of it means.
"""

from typing import Any

import msgspec

from weft.provider_state import Metadata


class Wire(msgspec.Struct, gc=False, rename="camel"):
    """What all wire types share: members are written in camel case."""


class Chunk(Wire):
    type: str = ""
    id: str | int | None = None
    delta: str | None = None
    tool_call_id: str | int | None = None
    input_text_delta: str | None = None
    provider_metadata: Metadata | None = None
    tool_name: str | None = None
    input: msgspec.Raw = msgspec.Raw()
    input_encoding: str | None = None
    output: Any = None
    preliminary: bool | None = None
    provider_executed: bool | None = None
    error_text: str | None = None
    url: str | None = None
    media_type: str | None = None
    title: str | None = None
    filename: str | None = None
    kind: str | None = None
    message_id: str | None = None
    message_metadata: Any = None
    finish_reason: str | None = None
    reason: str | None = None


class InputDetails(Wire):
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


class OutputDetails(Wire):
    reasoning_tokens: int | None = None


class Usage(Wire):
    """The app-level usage, if an app puts it into the message's metadata."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    input_token_details: InputDetails | None = None
    output_token_details: OutputDetails | None = None
    cached_input_tokens: int | None = None
    reasoning_tokens: int | None = None


# Known and not read: labels of parts, and what is carried verbatim.
IGNORES = frozenset(
    {
        "dynamic",
        "toolMetadata",
        "sourceId",
        "data",
        "transient",
        "approvalId",
        "approved",
        "isAutomatic",
        "signature",
        "message",
        "stepNumber",
        "citations",
    }
)
