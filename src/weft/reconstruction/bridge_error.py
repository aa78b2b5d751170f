"""What this component alone raises, and only to a caller who misuses it.

Knows: seed 001's codes and what they are raised with. Must not know: the machine.
"""

import msgspec

from weft.errors import (
    BRIDGE_DELTA_AFTER_TERMINAL,
    BRIDGE_INCOMPLETE_TOOL_CALL,
    BRIDGE_INVALID_TRANSITION,
    BRIDGE_MISSING_TERMINAL,
    BRIDGE_OUTPUT_BEFORE_START,
    Error,
    make_error,
)

__all__ = [
    "BRIDGE_DELTA_AFTER_TERMINAL",
    "BRIDGE_INCOMPLETE_TOOL_CALL",
    "BRIDGE_INVALID_TRANSITION",
    "BRIDGE_MISSING_TERMINAL",
    "BRIDGE_OUTPUT_BEFORE_START",
    "BridgeContext",
    "BridgeError",
]


class BridgeContext(msgspec.Struct, frozen=True):
    """Where it happened: which provider, which model, and the path of the member that is wrong, if one is."""

    provider: str = ""
    model: str = ""
    parameter: str | None = None


class BridgeError(Exception):
    """A verb that may not come now, or a delta that breaks the contract. Nothing was changed by it, and nothing is lost."""

    status = 400

    def __init__(self, code: str, message: str, context: BridgeContext) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.context = context

    def as_error(self) -> Error:
        """The same as the value that a terminal carries, for whoever must tell it to a client."""
        return make_error("protocol", str(self), code=self.code, parameter=self.context.parameter)
