"""What providers keep beside an SDK's parts: opaque state that must go back to them, and their own ids of items.

Knows: whose state it is and under which name it stands. Must not know: which protocol handed it through, or in which frame.
"""

from collections.abc import Hashable, Mapping
from typing import Any, Final

from weft.assembler import Assembler
from weft.events import Origin
from weft.jsontext import is_object

Metadata = dict[str, Any]

# An SDK's name of a provider -> the protocol that its state belongs to; what is not here goes by its own name.
PROTOCOLS: Final[Mapping[str, str]] = {
    "amazonBedrock": "bedrock",
    "google": "gemini",
    "vertex": "gemini",
    "openai": "openai-responses",
    "azure": "openai-responses",
    "xai": "openai-responses",
}

# The member that holds state -> can only its origin read it?
STATE: Final[Mapping[str, bool]] = {
    "signature": False,
    "thoughtSignature": False,
    "redactedData": True,
    "redactedContent": True,
    "reasoningEncryptedContent": True,
}


def item_id(metadata: Metadata | None) -> str | None:
    """The provider's own id of the item that a part belongs to."""
    ids = (members.get("itemId") for members in (metadata or {}).values() if is_object(members))
    return next((id for id in ids if isinstance(id, str)), None)


def say(out: Assembler, metadata: Metadata | None, key: Hashable, model: str | None) -> None:
    """Attach what a part's metadata hold to the keyed block, which is open: state as signatures, the whole verbatim."""
    if not metadata:
        return
    for provider, members in metadata.items():
        for name, encrypted in STATE.items() if is_object(members) else ():
            value = members.get(name)
            if isinstance(value, str):
                origin = Origin(PROTOCOLS.get(provider, provider), provider, model, item_id(metadata))
                out.signature(value, 0, key, origin=origin, encrypted=encrypted)
    out.opaque(metadata, key)
