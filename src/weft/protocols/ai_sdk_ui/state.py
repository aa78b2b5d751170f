"""Opaque state of a block as the SDK's provider metadata, so that it goes back to its origin with the conversation.

Knows: under which name each provider keeps its state there. Must not know: chunks.
What has no name there is wrapped under ours, and restored when it comes back.
"""

from collections.abc import Mapping
from typing import Any, Final

from weft.carried import wrapped
from weft.events import Signature

# The protocol that the state is of -> its provider's name in the SDK, and there the members for a proof and for what is encrypted.
SLOTS: Final[Mapping[str, tuple[str, str, str]]] = {
    "anthropic": ("anthropic", "signature", "redactedData"),
    "bedrock": ("bedrock", "signature", "redactedData"),
    "gemini": ("google", "thoughtSignature", "thoughtSignature"),
    "openai-responses": ("openai", "reasoningEncryptedContent", "reasoningEncryptedContent"),
}


def metadata_of(state: Signature, item_id: str | None) -> dict[str, Any]:
    """The provider's member with this state in it, and with the id of the item where that is part of the state."""
    slot = SLOTS.get(state.origin.protocol)
    if slot is None:
        return {"weft": {"signature": wrapped(state)}}
    provider, proof, encrypted = slot
    members = {encrypted if state.encrypted else proof: state.value}
    if provider == "openai" and (id := state.origin.item or item_id) is not None:
        members["itemId"] = id
    return {provider: members}
