"""VS Code's side of a chat (seed 004): an adapter from streams to response parts, and the parts under VS Code's own names.

Knows: the public names. Must not know: how a stream becomes parts; that is the target `vscode`, and nothing besides it.
"""

from weft.vscode.adapter import AdapterLogger, Progress, StreamUsage, VSCodeStreamAdapter
from weft.vscode.parts import (
    LanguageModelDataPart,
    LanguageModelResponsePart,
    LanguageModelTextPart,
    LanguageModelThinkingPart,
    LanguageModelToolCallPart,
    LanguageModelToolResultPart,
    from_json,
)

__all__ = [
    "AdapterLogger",
    "LanguageModelDataPart",
    "LanguageModelResponsePart",
    "LanguageModelTextPart",
    "LanguageModelThinkingPart",
    "LanguageModelToolCallPart",
    "LanguageModelToolResultPart",
    "Progress",
    "StreamUsage",
    "VSCodeStreamAdapter",
    "from_json",
]
