"""An attempt: one way to ask, with one model and one key, and what comes back from opening it.

Knows: what the runner must be told about a way to ask, and what it tells the opener.
Must not know: any HTTP client, any protocol, when and how often an attempt is made.
"""

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec

from weft.message import Message
from weft.protocol import Dialect, ProtocolSpec
from weft.reader import FilterMaker


class Key:
    """A credential. Only its label is ever shown; the secret is for the opener."""

    __slots__ = ("label", "secret")

    def __init__(self, label: str, secret: str = "") -> None:
        self.label = label
        self.secret = secret

    def __repr__(self) -> str:
        return f"Key({self.label!r})"


class Upstream(msgspec.Struct, frozen=True):
    """An answer that has begun. `body` gives bytes, text, parsed frames or an SDK's objects, as `weft.aread` takes them."""

    body: AsyncIterable[Any]
    status: int = 200
    headers: Mapping[str, str] = {}


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """What an opener is told. `so_far` is there only where it has to go on in a message that another attempt began.

    `connected()` ends the connect clock and starts the one for the first event. An opener that does not say it is taken to be connecting
    until it hands over its upstream, so one whose client gives no sign of it should say so at once.
    """

    attempt: "Attempt"
    number: int
    so_far: Message | None
    connected: Callable[[], None]

    @property
    def model(self) -> str:
        """The model to ask."""
        return self.attempt.model

    @property
    def secret(self) -> str:
        """The key to ask with; empty if the attempt has none."""
        return self.attempt.key.secret if self.attempt.key is not None else ""


Open = Callable[[Ask], AbstractAsyncContextManager[Upstream]]


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One way to ask. Attempts of one provider, host, protocol, model and variant are ways to reach the same model: their keys take turns.

    `provider` and `host` are what keys and circuits are counted by. `variant` tells apart requests for one model that differ, such as the
    rungs of a ladder of simpler and simpler ones.
    """

    protocol: str | ProtocolSpec
    model: str
    open: Open
    key: Key | None = None
    provider: str = ""
    host: str = ""
    variant: str = ""
    dialect: str | Dialect | None = None
    filters: tuple[str | FilterMaker, ...] = ()

    @property
    def source(self) -> str:
        """The name of the protocol that the answer will be in."""
        return self.protocol if isinstance(self.protocol, str) else self.protocol.name

    @property
    def key_id(self) -> tuple[str, str]:
        """Whose key it is and which: labels need to differ within one provider only."""
        return self.provider or self.source, self.key.label if self.key is not None else ""

    @property
    def circuit(self) -> tuple[str, str]:
        """What fails together."""
        return self.provider or self.source, self.host

    @property
    def model_id(self) -> tuple[str, ...]:
        """What attempts that differ in their key alone have in common."""
        return (*self.circuit, self.source, self.model, self.variant)


def expand(models: Iterable[Attempt], keys: Iterable[Key]) -> list[Attempt]:
    """Each model with each key, models first: the keys must be good for all of them."""
    ring = list(keys)
    return [msgspec.structs.replace(model, key=key) for model in models for key in ring]
