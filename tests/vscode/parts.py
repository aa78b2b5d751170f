"""A host's side in few words: a progress that keeps what is reported, a logger that keeps what is said, chunks as async streams."""

import asyncio
from collections.abc import Iterable
from typing import Any

import weft
from weft.vscode import LanguageModelTextPart, LanguageModelToolCallPart

FINISH = {"type": "finish", "finishReason": "stop", "totalUsage": {"inputTokens": 3, "outputTokens": 2}}
HI = {"type": "text-delta", "id": "0", "text": "Hi"}
BROKE_OFF = LanguageModelTextPart("\n\n**Error:** the stream stopped before the source said that it was over\n\n")
EMPTY = LanguageModelTextPart("**Error**: No response received from model. Please try again.")


class Progress:
    def __init__(self) -> None:
        self.parts: list[Any] = []

    def report(self, part: Any) -> None:
        self.parts.append(part)


class Log:
    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def debug(self, msg: str, *args: Any) -> None:
        self.said.append(("debug", msg % args))

    def warning(self, msg: str, *args: Any) -> None:
        self.said.append(("warning", msg % args))

    def error(self, msg: str, *args: Any) -> None:
        self.said.append(("error", msg % args))

    def at(self, level: str) -> list[str]:
        return [text for name, text in self.said if name == level]


async def stream(*chunks: Any):
    """Chunks; an exception among them is raised."""
    for chunk in chunks:
        await asyncio.sleep(0)
        if isinstance(chunk, BaseException):
            raise chunk
        yield chunk


def adapted(*chunks: Any, protocol: str = "ai-sdk", **options: Any) -> list[Any]:
    """The parts of a stream."""
    return all_of(weft.VSCodeStreamAdapter(**options).adapt_stream(stream(*chunks), protocol=protocol))


def all_of(parts: Any) -> list[Any]:
    async def everything():
        return [part async for part in parts]

    return asyncio.run(everything())


def text(*values: str) -> list[LanguageModelTextPart]:
    return [LanguageModelTextPart(value) for value in values]


def calls(parts: Iterable[Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(part.callId, part.name, part.input) for part in parts if isinstance(part, LanguageModelToolCallPart)]
