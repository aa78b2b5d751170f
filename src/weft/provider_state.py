"""What providers keep beside an SDK's parts: opaque state that must go back to them, and their own ids of items.

Knows: whose state it is and under which name it stands. Must not know: which protocol handed it through, or in which frame.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import chain, count
from typing import Any, Final

from weft.assembler import Assembler
from weft.carried import unwrapped, wrapped
from weft.events import Origin, Signature
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

# An SDK's name of a provider -> its members for a mere proof, and for what only the provider can read.
SLOTS: Final[Mapping[str, tuple[str, str]]] = {
    "anthropic": ("signature", "redactedData"),
    "bedrock": ("signature", "redactedData"),
    "amazonBedrock": ("signature", "redactedData"),
    "google": ("thoughtSignature", "thoughtSignature"),
    "vertex": ("thoughtSignature", "thoughtSignature"),
    "openai": ("reasoningEncryptedContent", "reasoningEncryptedContent"),
    "azure": ("reasoningEncryptedContent", "reasoningEncryptedContent"),
    "xai": ("reasoningEncryptedContent", "reasoningEncryptedContent"),
}

# The protocol that state belongs to -> the provider that an SDK takes for its owner, if it was not one of its own that said it.
OWNERS: Final[Mapping[str, str]] = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "google",
    "openai-responses": "openai",
}

_OURS: Final = "weft"


def item_id(metadata: Metadata | None) -> str | None:
    """The provider's own id of the item that a part belongs to."""
    ids = (members.get("itemId") for members in (metadata or {}).values() if is_object(members))
    return next((id for id in ids if isinstance(id, str)), None)


def say(out: Assembler, metadata: Metadata | None, key: Hashable, model: str | None) -> None:
    """Attach what a part's metadata hold to the keyed block, which is open: state as signatures, and the whole verbatim if it is more than that.

    What stands side by side are states of several parts: else the last would take the place of the others.
    """
    if not metadata:
        return
    states = list(_states(metadata, model))
    known = {state.part for state in states}
    free = chain([None], (part for part in count(1) if part not in known))
    for state in states:
        part = next(free) if state.part is None else state.part
        out.signature(state.value, 0, key, part, None, state.origin, format=state.format, encrypted=state.encrypted)
    if told(states) != metadata:
        out.opaque(metadata, key)


def slot(state: Signature) -> tuple[str, str]:
    """The provider and its member that hold this state; metadata have one of each."""
    owner = _owner(state.origin)
    return (_OURS, "signature") if owner is None else (owner, SLOTS[owner][state.encrypted])


def told(states: Iterable[Signature]) -> Metadata:
    """The metadata that hold these states, each where its provider looks for it; what has no such place is wrapped under our own name."""
    metadata: Metadata = {}
    for state in states:
        owner, name = slot(state)
        if owner == _OURS:
            metadata[owner] = {name: wrapped(state)}
            continue
        members: Metadata = {name: state.value}
        if SLOTS[owner][0] == "reasoningEncryptedContent" and state.origin.item is not None:
            members = {"itemId": state.origin.item, **members}
        metadata[owner] = {**metadata.get(owner, {}), **members}
    return metadata


def _states(metadata: Metadata, model: str | None) -> Iterator[Signature]:
    for provider, members in metadata.items():
        for name, encrypted in STATE.items() if is_object(members) else ():
            value = members.get(name)
            if isinstance(value, str):
                origin = Origin(PROTOCOLS.get(provider, provider), provider, model, item_id(metadata))
                yield unwrapped(0, value, None) or Signature(0, value, origin, encrypted=encrypted)


def _owner(origin: Origin) -> str | None:
    """The SDK's name of the provider that wants this back."""
    provider = origin.provider or ""
    own = provider in SLOTS and PROTOCOLS.get(provider, provider) == origin.protocol
    return provider if own else OWNERS.get(origin.protocol)
