"""What cannot be carried from one protocol to another, by what both say of themselves.

Knows: that only that is lost which the source can have and the target cannot say. Must not know: any protocol; what one stream really lost.
"""

from weft.protocol import ProtocolSpec

_ONE_CHOICE = "the target carries one choice"


def lost_by(target: ProtocolSpec) -> dict[str, str]:
    """What a target cannot say, whoever speaks -> why."""
    loses: dict[str, str] = dict(target.encoder.loses) if target.encoder is not None else {}
    one = target.encoder is not None and not target.encoder.choices
    return {"choices": _ONE_CHOICE, **loses} if one else loses


def lost_between(source: ProtocolSpec, target: ProtocolSpec) -> dict[str, str]:
    """What of it this source can have -> why."""
    return {what: why for what, why in lost_by(target).items() if what not in source.never}
