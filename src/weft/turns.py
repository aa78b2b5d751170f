"""The next turn: a collected answer in the form in which its target wants it back with the next request.

Knows: how the parts are handed to a target's writer, and what the caller is told of it.
Must not know: any target's form; it stands in the protocols' own `request` modules.
"""

from typing import Any, Final, get_args

import msgspec

from weft.events import Origin
from weft.losses import Loss, Losses
from weft.message import AnyPart, Message
from weft.nearest import UnknownNameError
from weft.planned import planned
from weft.protocol import Dialect, ProtocolSpec, resolve
from weft.tools import ToolIdentityMap
from weft.turn_writer import Broken, Foreign, Turn, TurnWriter

__all__ = ["Replay", "replay_turn"]

_CARRIER: Final = "events"


class Replay(msgspec.Struct, frozen=True):
    """An assistant's turn in a request's own form.

    `items` are plain data: the messages or items to be put into the request, or none if nothing of the turn is left to send.
    `losses` say what does not go back as what it was; empty: nothing. `call_ids` has each client's call that is sent: its id in the message ->
    the id that its result has to bear, or None where the target has no ids and goes by name and order. `demands` are words of
    `turn_writer.DEMANDS`: what the request around must obey.
    """

    items: list[dict[str, Any]]
    losses: list[Loss] = []
    call_ids: dict[str, str | None] = {}
    demands: frozenset[str] = frozenset()


def replay_turn(
    message: Message,
    target: str | ProtocolSpec,
    *,
    foreign: Foreign = "text",
    broken: Broken = "drop",
    dialect: str | Dialect | None = None,
    model: str | None = None,
    provider: str | None = None,
    choice: int = 0,
    tools: ToolIdentityMap | None = None,
) -> Replay:
    """The assistant's turn for the next request to `target`.

    State goes back verbatim to the origin that it is from, and to nobody else. `model` and `provider` are those of the next request; what is not
    said is taken to be as before. `foreign` says what becomes of reasoning and provider-executed tools of another origin, `broken` of calls whose
    arguments are not whole. `tools` are those that the next request is planned with: calls that were restored to the client's own tools go back as the
    functions that stood for them. Raises `ValueError` for a policy that nobody knows and for a target that takes no turns back, `IndexError` for a choice that the message does not have.
    """
    if foreign not in get_args(Foreign):
        raise UnknownNameError("policy for what is foreign", foreign, get_args(Foreign))
    if broken not in get_args(Broken):
        raise UnknownNameError("policy for what is broken", broken, get_args(Broken))
    spec, row = resolve(target, dialect)
    if spec.turn is None or row.name in spec.turn.unwritten:
        raise ValueError(f"{spec.name!r} has no request that a turn could go back with")
    chosen = message.choices[choice] if message.choices or choice else message
    parts = [planned(part, tools or ()) for part in sorted(chosen.blocks, key=_place)]
    losses = Losses()
    writer: TurnWriter = spec.turn(
        Turn(
            parts=parts, id=message.id, protocol=_protocol(message, choice), finish=chosen.finish, meta=message.meta,
            origin=Origin("", message.provider, message.model), dialect=row,
            provider=provider or getattr(row, "provider", None), model=model, foreign=foreign, broken=broken,
        ),
        losses,
    )  # fmt: skip
    for part in parts:
        writer.feed(part)
    return Replay(writer.items(), losses.report(), writer.call_ids, frozenset(writer.demands))


def _protocol(message: Message, choice: int) -> str | None:
    """Whose answer this is: what the message says, else what its state says. Our own lines only hand on what others said."""
    if message.protocol not in (None, _CARRIER):
        return message.protocol
    blocks = message.choices[choice].blocks if message.choices else message.blocks
    forms = (part.opaque.origin.protocol for part in blocks if part.opaque is not None)
    states = (state.origin.protocol for part in blocks for state in part.signatures)
    return next(forms, None) or next(states, None)


def _place(part: AnyPart) -> int:
    """Where a part began: steps may hold one back, but not change its number."""
    return part.index
