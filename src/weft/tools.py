"""Which tool of the client's request a provider's function stands for.

Knows: names and types on both sides. Must not know: how a request is made, or how a call is written.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

Execution = Literal["client", "provider_managed"]


class ToolIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """One tool: as the client asked for it (`custom`, `shell`, `function`, ...) and as the provider was told of it."""

    provider_name: str
    requested_name: str
    requested_type: str = "function"
    provider_type: str = "function"
    execution: Execution = "client"


class ToolIdentityMap:
    """Identities by the provider's name. A name stands for one tool: another under the same name is refused."""

    def __init__(self, identities: Iterable[ToolIdentity] = ()) -> None:
        self._by_name: dict[str, ToolIdentity] = {}
        for identity in identities:
            self.add(identity)

    def add(self, identity: ToolIdentity) -> None:
        """Take one identity. Raises `ValueError` if its provider name stands for another tool already."""
        held = self._by_name.setdefault(identity.provider_name, identity)
        if held != identity:
            raise ValueError(f"{identity.provider_name!r} stands for {held.requested_name!r} already")

    def get(self, provider_name: str | None) -> ToolIdentity | None:
        """The tool that this function stands for, if it stands for any."""
        return self._by_name.get(provider_name or "")

    def __iter__(self) -> Iterator[ToolIdentity]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)
