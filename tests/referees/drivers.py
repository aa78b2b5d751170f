"""The child process that runs the SDKs: JSON lines in, JSON lines out, one for each body.

Runs in the referees' environment (`.venv-referees`). Knows which SDK call reads which protocol in which mode;
must not know Weft, the corpus or how a single SDK works.
"""

import json
import logging
import sys
import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import IO, Any

from .reply import Reply

# protocol and mode -> the module and the function that ask; an SDK is imported when it is first asked: each takes long
RUNS = {
    ("openai-chat", "create"): ("sdk_openai", "chat_create"),
    ("openai-chat", "stream"): ("sdk_openai", "chat_stream"),
    ("openai-chat", "whole"): ("sdk_openai", "chat_whole"),
    ("openai-responses", "create"): ("sdk_openai", "responses_create"),
    ("openai-responses", "stream"): ("sdk_openai", "responses_stream"),
    ("openai-responses", "whole"): ("sdk_openai", "responses_whole"),
    ("anthropic-messages", "stream"): ("sdk_anthropic", "stream"),
    ("anthropic-messages", "beta"): ("sdk_anthropic", "beta_stream"),
    ("anthropic-messages", "whole"): ("sdk_anthropic", "whole"),
    ("gemini", "create"): ("sdk_google", "stream"),
    ("gemini", "whole"): ("sdk_google", "whole"),
    ("ollama", "create"): ("sdk_ollama", "chat"),
    ("ollama", "generate"): ("sdk_ollama", "generate"),
    ("ollama", "whole"): ("sdk_ollama", "chat_whole"),
    ("ollama", "whole-generate"): ("sdk_ollama", "generate_whole"),
    ("cohere", "create"): ("sdk_cohere", "stream"),
    ("cohere", "whole"): ("sdk_cohere", "whole"),
    ("bedrock-converse", "create"): ("sdk_bedrock", "converse_stream"),
    ("bedrock-converse", "whole"): ("sdk_bedrock", "converse_whole"),
    ("bedrock-invoke", "create"): ("sdk_bedrock", "invoke_stream"),
    ("bedrock-invoke", "anthropic"): ("sdk_anthropic", "bedrock_stream"),
    ("bedrock-invoke", "whole"): ("sdk_bedrock", "invoke_whole"),
}


class _Notes(logging.Handler):
    """An SDK that skips a frame only logs it: the log goes into the reply's notes."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.reply = Reply()

    def emit(self, record: logging.LogRecord) -> None:
        self.reply.note(f"{record.name}: {record.getMessage()}"[:200])


def answer(ask: dict[str, Any], notes: _Notes) -> dict[str, Any]:
    """Run one SDK over one body; its exception is a result like any other."""
    reply = notes.reply = Reply()
    try:
        module, function = RUNS[ask["protocol"], ask["mode"]]
        getattr(import_module(f".{module}", __package__), function)(ask["url"], reply)
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises is what we came to see
        reply.error = _told(error)
    return {"id": ask["id"], "mode": ask["mode"], **reply.as_dict()}


def _told(error: Exception) -> dict[str, Any]:
    """What the exceptions of these SDKs carry, under one set of names."""
    status = getattr(error, "status_code", getattr(error, "code", None))
    body = getattr(error, "body", None) or getattr(error, "details", None) or getattr(error, "response", None)
    return {
        "class": type(error).__name__,
        "message": str(error)[:500],
        "status": status if isinstance(status, int) else None,
        "body": body if isinstance(body, dict | list | str) else None,
    }


def run(lines: Iterable[str], out: IO[str]) -> None:
    """One answer for each line, flushed, so that the two processes go in step."""
    notes = _Notes()
    logging.getLogger().addHandler(notes)
    for line in lines:
        print(json.dumps(answer(json.loads(line), notes), default=str), file=out, flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr
    run(sys.stdin, answers)
