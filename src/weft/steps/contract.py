"""The output contract: the terminal is held until the text was judged, and a broken promise becomes a failure.

Knows: JSON, a JSON object, a JSON Schema. Must not know: how the promise was asked for.
The schema is judged by `jsonschema`, which comes with the extra `weft[contract]`; the other two need nothing.
"""

import importlib
from typing import Any, Literal

import msgspec

from weft import jsontext
from weft.errors import make_error
from weft.events import BlockStart, End, Event, Note, TextDelta
from weft.steps import Emit

CODE = "bridge.response.invalid_output_format"
"""Seed 001's code of a broken promise."""


class Contract:
    """Judges choice 0's visible text when the stream completed: what was cut, failed or made calls promised nothing."""

    def __init__(self, form: Literal["json", "json_object"] | dict[str, Any]) -> None:
        self._form = form
        self._schema = _validator(form) if isinstance(form, dict) else None
        self._blocks: set[int] = set()
        self._pieces: list[str] = []

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if isinstance(event, BlockStart):
            if event.kind == "text" and event.choice == 0:
                self._blocks.add(event.index)
        elif isinstance(event, TextDelta):
            if event.index in self._blocks:
                self._pieces.append(event.text)
        elif isinstance(event, End) and event.outcome == "completed" and self._promised(event):
            reason = self._broken("".join(self._pieces))
            if reason is not None:
                emit(Note("contract_broken", reason))
                error = make_error("protocol", f"{CODE}: {reason}", code=CODE, parameter="response.output_text")
                event = msgspec.structs.replace(event, outcome="failed", error=error)
        emit(event)

    def _promised(self, event: End) -> bool:
        """An answer that is calls alone, or a refusal, keeps no form."""
        finish = event.finishes[0].reason if event.finishes else None
        return finish not in ("tool_calls", "refusal", "pause")

    def _broken(self, text: str) -> str | None:
        """Why the text does not keep the promise, or None."""
        try:
            value = jsontext.decode(text)
        except ValueError:
            return "the output is not JSON"
        if self._form == "json":
            return None
        if not jsontext.is_object(value) and self._form == "json_object":
            return "the output is not a JSON object"
        if self._schema is None:
            return None
        first = next(iter(self._schema.iter_errors(value)), None)
        return None if first is None else f"{first.json_path}: {first.message}"


def _validator(schema: dict[str, Any]) -> Any:
    try:
        jsonschema = importlib.import_module("jsonschema")
    except ImportError as error:
        raise ImportError("a JSON Schema is judged by jsonschema: pip install 'weft[contract]'") from error
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    return validator(schema)
