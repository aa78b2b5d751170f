"""VS Code's response parts: what its classes take.

Knows: the parts. Must not know: lines and framing. Parts stand each for itself: there is neither a beginning nor an end among them.
"""

from typing import Any, Final

from weft.linting.checklist import Checklist
from weft.linting.needs import missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

RULES: Final = rules(
    Rule(
        id="vscode/type",
        title="every part is a text, a thinking, a tool call or a data part",
        effects=all_of("crash", "vscode"),
        reference="VS Code's API",
        explain="`type` is the name of the class that is made of it: no other is there to be made. An error is a text.",
    ),
    Rule(
        id="vscode/member",
        title="every part has what its class is made with",
        effects=all_of("crash", "vscode"),
        reference="VS Code's API",
        explain="A call comes whole: its id, its name and an object for its input.",
    ),
    Rule(
        id="vscode/data",
        title="a data part has its type and one content: base64 `data`, `text` or `json`",
        effects=all_of("wrong", "vscode"),
        reference="VS Code's API",
        explain="The member names the factory that makes it; bytes are base64 on a line.",
    ),
)  # fmt: skip

_NEEDS: Final = needs(
    {"v": "vscode"},
    """
    LanguageModelTextPart      value:text=v
    LanguageModelThinkingPart  value:text=v id:text~=v metadata:object~=v
    LanguageModelToolCallPart  callId:id=v name:id=v input:object=v
    LanguageModelDataPart      mimeType:id=v
    """,
)
_CONTENTS: Final = ("data", "text", "json")


class _Machine:
    """One response."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def done(self) -> None:
        """Nobody minds the marker where the lines are events."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one part."""
        kind = text_of(value.get("type"))
        if kind not in _NEEDS:
            self._report.add("vscode/type", f"no part is called `{kind}`" if kind else "the part has no `type`")
            return
        for need, how in missing(value, _NEEDS[kind]):
            self._report.add("vscode/member", f"{kind}: {how}", clients=need.clients)
        if kind == "LanguageModelDataPart":
            self._data(value)

    def close(self) -> None:
        """A response ends when its parts do."""

    def _data(self, value: dict[str, Any]) -> None:
        said = [name for name in _CONTENTS if name in value]
        if len(said) != 1:
            self._report.add("vscode/data", f"the part has {' and '.join(said) or 'no content'}")
        elif said != ["json"] and not isinstance(value[said[0]], str):
            self._report.add("vscode/data", f"`{said[0]}` is not a string")


CHECKLIST: Final = Checklist(
    protocol="vscode",
    framings=("ndjson", "sse"),
    clients=("vscode",),
    rules=RULES,
    machine=_Machine,
)
