"""The frames of a Gemini stream, short to write."""

from typing import Any

Frame = dict[str, Any]


def usage(prompt: int = 7, output: int | None = 2, total: int = 9, **members: Any) -> Frame:
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": output, "totalTokenCount": total, **members}
    return {name: count for name, count in counts.items() if count is not None}


def chunk(*parts: Frame, finish: str | None = None, counts: Frame | None = None, **candidate: Any) -> Frame:
    """A chunk of one candidate, as AI Studio sends it."""
    told: Frame = {"content": {"parts": list(parts), "role": "model"}, "index": 0, **candidate}
    if finish is not None:
        told["finishReason"] = finish
    return {
        "candidates": [told],
        "usageMetadata": usage() if counts is None else counts,
        "modelVersion": "gemini-x",
        "responseId": "resp_1",
    }


def text(words: str, **members: Any) -> Frame:
    return {"text": words, **members}


def thought(words: str, **members: Any) -> Frame:
    return {"text": words, "thought": True, **members}


def call(name: str = "look", args: Any = None, **members: Any) -> Frame:
    return {"functionCall": {"name": name, "args": {} if args is None else args, **members}}


def begun(name: str = "book", **members: Any) -> Frame:
    """A call that will be filled in pieces."""
    return {"functionCall": {"name": name, "willContinue": True}, **members}


def piece(path: str, more: bool = True, **value: Any) -> Frame:
    """A value of the open call; `more` keeps the call open."""
    told: Frame = {"partialArgs": [{"jsonPath": path, **value}]}
    return {"functionCall": told | ({"willContinue": True} if more else {})}


OVER: Frame = {"functionCall": {}}
"""The open call is over."""
