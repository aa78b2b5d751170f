"""The output contract: the terminal is held until the text was judged, and a broken promise becomes a failure.

Knows: JSON, a JSON object, a JSON Schema. Must not know: how the promise was asked for.
The schema is judged by `jsonschema`, which comes with the extra `weft[contract]`; the other two need nothing.
"""

import importlib
from typing import Any, Literal

import msgspec

from weft import jsontext
from weft.errors import make_error
from weft.events import BlockStart, End, Event, Finish, Note, TextDelta
from weft.finish import outcome_of
from weft.steps import Emit

CODE = "bridge.response.invalid_output_format"
"""Seed 001's code of a broken promise."""

_LONGEST_REASON = 300


class Contract:
    """Judges the visible text of each answer that completed: what was cut, failed, refused or made calls promised nothing.

    Of a run of several steps the last one is the answer; what a model says to comment on its work is none. A schema refers to nothing outside of itself.
    """

    def __init__(self, form: Literal["json", "json_object"] | dict[str, Any]) -> None:
        if not isinstance(form, dict) and form not in ("json", "json_object"):
            raise ValueError(f"a contract is 'json', 'json_object' or a JSON Schema, not {form!r}")
        self._form = form
        self._schema = _Schema(form) if isinstance(form, dict) else None
        self._choices: dict[int, int] = {}
        self._texts: dict[int, tuple[int, list[str]]] = {}

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if isinstance(event, BlockStart):
            self._begin(event)
        elif isinstance(event, TextDelta):
            if event.index in self._choices:
                self._texts[self._choices[event.index]][1].append(event.text)
        elif isinstance(event, End):
            event = self._judged(event, emit)
        emit(event)

    def _begin(self, start: BlockStart) -> None:
        if start.kind != "text" or start.channel == "commentary":
            return
        self._choices[start.index] = start.choice
        step, _ = self._texts.get(start.choice, (-1, []))
        if start.step > step:
            self._texts[start.choice] = (start.step, [])

    def _judged(self, end: End, emit: Emit) -> End:
        said = end.outcome == "completed" or (end.outcome == "incomplete" and len(end.finishes) > 1)
        if said and end.error is None:
            for finish in end.finishes or (Finish(),):
                reason = self._broken(finish)
                if reason is None:
                    continue
                where = f"choice {finish.choice}: " if finish.choice else ""
                emit(Note("contract_broken", f"{where}{reason}"))
                error = make_error("protocol", f"{CODE}: {where}{reason}", code=CODE, parameter="response.output_text")
                end = msgspec.structs.replace(end, outcome="failed", error=error)
                break
        self._choices, self._texts = {}, {}
        return end

    def _broken(self, finish: Finish) -> str | None:
        """Why this answer does not keep the promise, or None."""
        if outcome_of(finish) != "completed" or finish.reason in ("tool_calls", "refusal", "pause"):
            return None
        _, pieces = self._texts.get(finish.choice, (0, []))
        try:
            value = jsontext.decode("".join(pieces))
        except ValueError:
            return "the output is not JSON"
        if self._form == "json_object" and not jsontext.is_object(value):
            return "the output is not a JSON object"
        return None if self._schema is None else self._schema.broken_by(value)


class _Schema:
    """A schema and what is wrong with a value by it. Nothing is fetched: a reference that leads out of the schema is none."""

    def __init__(self, schema: dict[str, Any]) -> None:
        try:
            jsonschema = importlib.import_module("jsonschema")
        except ImportError as error:
            raise ImportError("a JSON Schema is judged by jsonschema: pip install 'weft[contract]'") from error
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        known = importlib.import_module("jsonschema_specifications").REGISTRY
        self._unresolvable = importlib.import_module("referencing.exceptions").Unresolvable
        self._validator = validator(schema, registry=known)

    def broken_by(self, value: Any) -> str | None:
        """The first thing that is wrong, or None. What cannot be judged is not kept."""
        try:
            first = next(self._validator.iter_errors(value), None)
        except RecursionError:
            return "the output is nested too deeply to be judged"
        except self._unresolvable as error:
            return f"the schema refers to what it does not have: {error}"[:_LONGEST_REASON]
        return None if first is None else f"{first.json_path}: {first.message}"[:_LONGEST_REASON]
