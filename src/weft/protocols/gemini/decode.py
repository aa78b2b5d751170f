"""Reads Gemini's chunks, and whole replies, which are the same thing, and says what they say, in verbs.

Knows: frames, candidates, which part is text, when counts are said. Must not know: events, blocks, other protocols.
Order within a candidate: its parts, what they cite, the finish; which is only a candidate, since some servers send one with each chunk.
Counts come with each chunk, all so far: they are said with the first, with a finish, at the end, and when they do not just grow.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec

from weft import jsontext
from weft.assembler import Assembler
from weft.errors import error_from_body, is_error_body
from weft.facts import fact_of
from weft.finish import finish_reason
from weft.protocol import Dialect
from weft.protocols.gemini.calls import FunctionCalls
from weft.protocols.gemini.citations import Citations
from weft.protocols.gemini.envelope import (
    candidates_of,
    counts_in,
    inside,
    parts_of,
    says_nothing,
    says_something,
    unnamed_parts,
)
from weft.protocols.gemini.interactions import Interactions
from weft.protocols.gemini.items import Items
from weft.protocols.gemini.logprobs import tokens
from weft.protocols.gemini.times import seconds
from weft.protocols.gemini.usage import Counts, Meter
from weft.protocols.gemini.wire import Candidate, Frame, Part, UsageMetadata
from weft.protocols.gemini.words import block_word, finish_word

_NO_COUNTS = UsageMetadata()


class GeminiDecoder:
    """One stream. Made with the assembler (or a filter before it) and the dialect's row."""

    wire: ClassVar[Any] = Frame

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out
        self._calls = FunctionCalls()
        self._citations = Citations()
        self._items = Items()
        self._interactions = Interactions()
        self._meter = Meter()
        self._plain = False
        self._attentive = False
        self._inside = False
        self._unnamed_in = b""
        self._unnamed: Iterator[dict[str, Any]] = iter(())
        self._said_counts: Counts = ({}, {})

    def feed(self, frame: Frame, name: str) -> None:
        """One chunk, or a whole reply."""
        candidates = frame.candidates
        if not candidates or len(candidates) > 1 or not (self._plain or self._seems_plain(frame)):
            self._unusual(frame, name)
            return
        out, candidate = self.out, candidates[0]
        content = candidate.content
        if (
            content is None
            or candidate.finish_reason is not None
            or (candidate.grounding_metadata is not None and (candidate.grounding_metadata or not self._attentive))
            or candidate.citation_metadata is not None
            or candidate.logprobs_result is not None
            or candidate.url_context_metadata is not None
        ):
            out.start(None, frame.model_version)
            self._candidate(candidate)
        else:
            for part in content.parts or ():
                text = part.text
                if not text or part.thought_signature is not None or self._attentive:
                    self._part(part, candidate.index or 0)
                elif part.thought:
                    out.reasoning(text, candidate.index or 0, None, 0, "summary")
                else:
                    out.text(text, candidate.index or 0)
        usage = frame.usage_metadata
        if usage is not None:
            meter = self._meter
            if (
                (usage.candidates_token_count is None) is meter.no_output
                and (usage.thoughts_token_count is None) is meter.no_thoughts
                and usage.total_token_count is not None
            ):
                meter.held = usage
            else:
                self._count(usage)
        if frame.error is not None or frame.prompt_feedback is not None:
            self._verdict(frame)

    def close(self) -> None:
        """The counts of the last snapshot, if the end came before a finish."""
        self._say_counts(msgspec.to_builtins(self._meter.held))

    # -- frames --------------------------------------------------------------------------------------------------

    def _seems_plain(self, frame: Frame) -> bool:
        """Nothing says that this frame, which is not the first, is spelled otherwise; once a member with two spellings was read, none is."""
        if self._inside or not self.out.started:
            return self.out.started is not None
        self._plain = frame.usage_metadata is not None or frame.model_version is not None
        return self._plain or b"_" not in self.out.place.frame()

    def _unusual(self, frame: Frame, name: str) -> None:
        """The first frame, or one that has not just one candidate: it may be wrapped, or spelled otherwise."""
        out, text = self.out, self.out.place.frame()
        within = None if self._inside else inside(frame, text)
        if within is not None:
            self._inside = True
            out.place.inner(within, name)
            self._inside = False
            return
        out.start(frame.response_id, frame.model_version, None, seconds(frame.create_time))
        if frame.usage_metadata is not None:
            self._count(frame.usage_metadata)
        for candidate in candidates_of(frame):
            self._candidate(candidate)
        self._verdict(frame)
        if says_nothing(frame) and not self._interactions.take(out, text):
            out.unknown(text, name)

    def _verdict(self, frame: Frame) -> None:
        """The prompt was blocked, or the source failed."""
        out, feedback = self.out, frame.prompt_feedback
        reason = block_word(feedback.block_reason) if feedback is not None else None
        if feedback is not None and reason is not None:
            out.meta("safety_ratings", _plain(feedback.safety_ratings))
            out.finish(reason, "content_filter", 0, feedback.block_reason_message or "")
        if frame.error is not None and is_error_body({"error": frame.error}):
            out.fail(error_from_body({"error": frame.error}))

    # -- candidates ----------------------------------------------------------------------------------------------

    def _candidate(self, candidate: Candidate) -> None:
        """Any candidate. What it cites belongs to its text, or to the text before a part that has none."""
        choice = candidate.index or 0
        parts = parts_of(candidate)
        if candidate.grounding_metadata is not None:
            self._citations.expect(self.out, choice)
            self._attentive = self._attentive or self._citations.listening
        spoken = any(part.text and not part.thought for part in parts)
        if not spoken:
            self._about_text(candidate, choice)
        for part in parts:
            self._part(part, choice)
        if spoken:
            self._about_text(candidate, choice)
        if candidate.finish_reason is not None:
            self._finish(candidate, choice)

    def _about_text(self, candidate: Candidate, choice: int) -> None:
        self._citations.take(self.out, candidate, choice)
        if candidate.logprobs_result is not None:
            self.out.text("", choice, None, tokens(candidate.logprobs_result))

    def _finish(self, candidate: Candidate, choice: int) -> None:
        raw = finish_word(candidate.finish_reason)
        if not raw:
            return
        out, reason = self.out, finish_reason(raw)
        if reason == "stop":
            self._calls.end(out, choice)
        elif reason == "content_filter":
            out.meta(fact_of("safety_ratings", choice), _plain(candidate.safety_ratings))
        out.meta(fact_of("finish_message", choice), candidate.finish_message)
        out.finish(raw, reason, choice, candidate.finish_message or "")
        self._meter.due()

    # -- parts ---------------------------------------------------------------------------------------------------

    def _part(self, part: Part, choice: int) -> None:
        """Any part. One that says nothing changes nothing, not even an open call."""
        out, call = self.out, part.function_call
        if call is not None and self._calls.go_on(out, call, choice, part.thought_signature):
            return
        if part.text:
            self._say(part, part.text, choice)
        if call is not None:
            self._citations.cut(choice)
            self._calls.take(out, call, choice, part.thought_signature)
            self._attentive = self._calls.pending or self._citations.listening
        elif part.text:
            self._attentive = self._citations.listening
        elif self._items.knows(part):
            self._calls.end(out, choice)
            self._citations.cut(choice)
            self._items.take(out, part, choice)
            self._citations.expect(out, choice)
            self._attentive = True
        elif part.thought_signature:
            self._say(part, "", choice)
        else:
            self._carry(choice)

    def _say(self, part: Part, text: str, choice: int) -> None:
        """Text or a thought. A signed part is a block of its own, since its signature is for just that; a thought without text signs the one before it."""
        out, signature = self.out, part.thought_signature
        if text:
            self._calls.end(out, choice)
        if signature or part.thought:
            self._citations.cut(choice)
        if signature and (text or not part.thought):
            out.split(choice)
        if part.thought:
            out.reasoning(text, choice, None, 0, "summary")
        else:
            self._citations.hear(text, choice)
            out.text(text, choice)
        if signature:
            out.signature(signature, choice, None, None, "reasoning" if part.thought else "text")
            out.split(choice)
            self._citations.cut(choice)

    def _carry(self, choice: int) -> None:
        """A part that holds nothing we have a name for: handed on as it is."""
        text = self.out.place.frame()
        if self._unnamed_in is not text:
            self._unnamed_in, self._unnamed = text, unnamed_parts(text)
        part = next(self._unnamed, None)
        if part is not None and says_something(part):
            self._calls.end(self.out, choice)
            self._citations.cut(choice)
            self.out.opaque(part, None, choice, name=next(iter(part)))

    # -- counts --------------------------------------------------------------------------------------------------

    def _count(self, usage: UsageMetadata) -> None:
        """A snapshot that has to be said, unless it is one without counts."""
        if usage == _NO_COUNTS:
            return
        self._meter.add(usage)
        raw = counts_in(self.out.place.frame())
        self.out.meta("service_tier", raw.get("serviceTier"))
        self._say_counts(raw)

    def _say_counts(self, raw: dict[str, Any]) -> None:
        counts = self._meter.counts()
        if counts != self._said_counts:
            self._said_counts = counts
            self.out.usage(*counts, raw)


def _plain(raw: msgspec.Raw) -> Any:
    """A member that is kept as it came, as a value."""
    try:
        return jsontext.decode(bytes(raw)) if raw else None
    except ValueError:
        return None
