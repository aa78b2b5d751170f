"""A protocol of one's own, whole: the wire of an imaginary provider, Parrot, as a plug-in.

Parrot streams JSON lines: {"hello": ID, "model": NAME} first, then {"think": TEXT} and {"say": TEXT} pieces, whole calls as
{"call": {"id": ..., "name": ..., "args": {...}}}, and at the end {"bye": "done" | "tired", "tokens": {"in": N, "out": N}} or {"squawk": MESSAGE}.
"""

from typing import Any, ClassVar

import msgspec

from weft.assembler import Assembler
from weft.errors import make_error
from weft.protocol import Dialect, ProtocolSpec, Sign
from weft.rules import Rules


# The wire: every member optional, only what is read. Whatever else comes is tolerated.
class Call(msgspec.Struct, gc=False):
    """A whole call."""

    id: str | None = None
    name: str | None = None
    args: msgspec.Raw = msgspec.Raw(b"{}")


class Line(msgspec.Struct, gc=False):
    """Any line."""

    hello: str | None = None
    model: str | None = None
    think: str | None = None
    say: str | None = None
    call: Call | None = None
    bye: str | None = None
    tokens: dict[str, int] | None = None
    squawk: str | None = None


class ParrotDecoder:
    """Says what each line says, in verbs. Blocks, numbers and the end are the assembler's."""

    wire: ClassVar[Any] = Line

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out

    def feed(self, line: Line, name: str) -> None:
        """One line."""
        out = self.out
        if line.say is not None:
            out.text(line.say)
        elif line.think is not None:
            out.reasoning(line.think)
        elif line.call is not None:
            out.tool_call(
                None, line.call.id, line.call.name, bytes(line.call.args).decode("utf-8", "replace"), whole=True
            )
        elif line.hello is not None:
            out.start(line.hello, line.model)
        elif line.bye is not None:
            tokens = line.tokens or {}
            out.usage({"input_tokens": tokens.get("in"), "output_tokens": tokens.get("out")})
            out.finish(line.bye)
            out.sign("terminal")
        elif line.squawk is not None:
            out.fail(make_error("server", line.squawk))
        else:
            out.unknown(out.place.frame(), name)

    def close(self) -> None:
        """Nothing is held back."""


PROTOCOL = ProtocolSpec(
    name="parrot",
    title="Parrot",
    framing="ndjson",
    decoder=ParrotDecoder,
    # A stream is over when Parrot says bye. Its words for why are put into ours.
    dialect=Dialect(rules=Rules(ends_on=frozenset({"terminal"}), finishes={"done": "stop", "tired": "length"})),
    # A host that counts its tokens line by line instead of all at the end would be a row:
    dialects=(
        Dialect(
            name="chatty",
            title="Parrot by way of Chatty, which counts as it goes",
            rules=Rules(ends_on=frozenset({"terminal"}), finishes={"done": "stop", "tired": "length"}, usage="add"),
            evidence="made up, like Parrot",
        ),
    ),
    signs=(Sign("hello", None, 0.6), Sign("bye", None, 0.6)),
)
