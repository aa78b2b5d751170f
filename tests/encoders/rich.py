"""Legal streams in which every event has every member it can have: what sources really say, in any order.

Knows: the grammar, and what the assembler makes sure of. Must not know: wires. `tests/strategies.py` has the plain ones.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from tests.strategies import TEXTS
from weft import events as ev
from weft.errors import make_error
from weft.jsontext import decode_object

WORDS = TEXTS.filter(str.strip)
ELSEWHERE = ev.Origin("elsewhere", "someone", "model-1", "item-1")
ORIGINS = st.sampled_from(
    [
        ELSEWHERE,
        ev.Origin("anthropic", None, "model"),
        ev.Origin("gemini"),
        ev.Origin("openai-responses", None, "model", "rs_9"),
    ]
)
TOKENS = st.builds(
    lambda token, of, top: {"token": token, "logprob": of, "bytes": list(token.encode()), "top_logprobs": top},
    WORDS,
    st.sampled_from([-0.5, 0, -1.25]),
    st.sampled_from([[], [{"token": "no", "logprob": -3.5, "bytes": [110, 111]}]]),
)
LOGPROBS = st.one_of(
    st.none(),
    st.none(),
    st.lists(TOKENS, min_size=1, max_size=2),
    st.just({"tokens": ["a"], "token_logprobs": [-1.0]}),
)
ARGUMENTS = st.sampled_from(['{"a":1}', '{"a": [1, "zwei"]}', "{}", "", '{"a"', "[1]", '{"a":"\\u2028\u2028"}'])
FREE_INPUT = st.sampled_from(["", "*** Begin Patch\n", 'a "quoted" \\ line', '{"input":"x"}'])
TOOLS = st.sampled_from(["function", "function", "function", "custom", "shell", "local_shell", "apply_patch", "mcp"])
RESULTS = st.sampled_from(["text", "", {"a": 1}, [{"type": "text", "text": "x"}], [1, 2], None, 3])
METAS = st.sampled_from(
    [
        ev.Meta("service_tier", "default"),
        ev.Meta("grounding", {"webSearchQueries": ["q"]}),
        ev.Meta("stop_sequence", "###"),
        ev.Meta("system_fingerprint", "fp_1"),
        ev.Meta("citations", ["https://example.org"]),
        ev.Meta("trace", {"a": 1}),
        ev.Meta("anything", [1]),
    ]
)
KINDS = st.sampled_from(
    ["text", "text", "reasoning", "refusal", "tool_call", "tool_call", "tool_result", "file", "opaque"]
)


@st.composite
def annotations(draw: st.DrawFn, index: int) -> ev.Annotation:
    """A citation of the web, of a document, or of something."""
    start = draw(st.sampled_from([None, 0, 2]))
    url, title = draw(st.sampled_from([None, "https://example.org/a"])), draw(st.sampled_from([None, "A title"]))
    end = None if start is None else start + 1
    text = draw(st.sampled_from([None, "cited"]))
    raw = draw(st.sampled_from([None, {"type": "somewhere", "at": 1}]))
    return ev.Annotation(index, draw(st.sampled_from(["url_citation", "citation"])), start, end, url, title, text, raw)


@st.composite
def files(draw: st.DrawFn, index: int) -> ev.File:
    """A picture or another file, here or elsewhere."""
    media_type = draw(st.sampled_from([None, "image/png", "image/webp", "audio/pcm", "application/pdf"]))
    where: dict[str, Any] = draw(
        st.sampled_from([{"data": "aGk="}, {"url": "https://example.org/f"}, {"file_id": "f1"}, {"data": "aGk="}])
    )
    return ev.File(index, media_type, **where, partial=draw(st.sampled_from([False, False, True])) and "data" in where)


def signatures(index: int) -> st.SearchStrategy[ev.Event]:
    """State of some origin; Gemini's is always base64."""
    values = {True: st.sampled_from(["c2lnbmVk", "c2VhbGVk"]), False: st.sampled_from(["c2lnbmVk", "no base64!"])}
    whose = ORIGINS.flatmap(lambda origin: st.tuples(values[origin.protocol == "gemini"], st.just(origin)))
    return whose.flatmap(
        lambda pair: st.builds(
            ev.Signature,
            st.just(index),
            st.just(pair[0]),
            st.just(pair[1]),
            st.sampled_from([None, None, 0, 1]),
            st.sampled_from([None, "fmt-v1"]),
            st.booleans(),
        )
    )


def opaques(index: int) -> st.SearchStrategy[ev.Event]:
    """A form that no target knows."""
    return st.builds(ev.Opaque, st.just(index), st.sampled_from([{"type": "x", "a": 1}, [1]]), st.just(ELSEWHERE))


class Telling:
    """One stream while it is drawn."""

    def __init__(self, draw: st.DrawFn, choices: int) -> None:
        self.draw = draw
        self.choices = choices
        self.events: list[ev.Event] = []
        self.open: dict[int, ev.BlockStart] = {}
        self.args: dict[int, str] = {}
        self.parts: dict[int, int] = {}
        self.called: list[str] = []
        self.count = 0
        self.step = 0
        self.complete: set[int] = set()
        self.counts: ev.Usage | None = None
        self.late: list[ev.Meta] = []

    def begin(self) -> None:
        """The message begins; who answers may become known later."""
        known: dict[str, Any] = {}
        for name, value in (("model", "model"), ("provider", "someone"), ("created", 1700000000)):
            when = self.draw(st.sampled_from(["now", "now", "late", "never"]))
            known[name] = value if when == "now" else None
            self.late += [ev.Meta(name, value)] if when == "late" else []
        self.events.append(ev.Start("m1", **known, made=self.draw(st.booleans())))

    def meta(self) -> None:
        """A fact about the message."""
        self.events.append(self.late.pop() if self.late else self.draw(METAS))

    def block(self) -> None:
        """A block opens, with all that a block can say of itself."""
        draw, index = self.draw, self.count
        kind = draw(KINDS)
        fields: dict[str, Any] = {}
        if kind == "tool_call":
            executor = draw(st.sampled_from(["client", "client", "provider"]))
            id = draw(st.sampled_from([f"call_{index}", f"functions.read:{index}", f"call_{index}" + "x" * 70]))
            fields = {"id": id, "name": "read", "executor": executor, "made": draw(st.booleans())}
            fields["tool"] = draw(TOOLS) if executor == "client" else draw(st.sampled_from(["function", "web_search"]))
            if fields["tool"] in ("shell", "local_shell", "apply_patch"):
                fields["name"] = fields["tool"]
            self.called.append(id)
        elif kind == "tool_result":
            id = draw(st.sampled_from([*self.called, f"call_{index}"]))
            fields = {"id": id, "name": draw(st.sampled_from([None, "read"])), "executor": "provider"}
        elif kind == "opaque":
            fields = {"name": "thing", "executor": "provider"}
        elif kind == "text":
            fields = {"channel": draw(st.sampled_from([None, None, "text", "final_answer", "odd"]))}
        if kind in ("tool_result", "file", "opaque"):
            fields["arrival"] = "whole"
        else:
            fields["arrival"] = draw(st.sampled_from(["delta", "delta", "whole"]))
        last = max(self.open, default=None)
        together = last is not None and kind in ("text", "refusal") and self.open[last].kind in ("text", "refusal")
        choice = self.open[last].choice if together and last is not None else draw(st.integers(0, self.choices - 1))
        item = self.open[last].item if together and last is not None and draw(st.booleans()) else index
        start = ev.BlockStart(
            index, kind, choice=choice, item=item, item_id=draw(st.sampled_from([None, None, f"item_{item}"])),
            step=self.step, **fields,
        )  # fmt: skip
        self.events.append(start)
        self.open[index] = start
        self.count += 1
        if start.arrival == "whole":
            for _ in range(draw(st.integers(0, 3))):
                self.delta(index)
            self.end(index)

    def delta(self, index: int | None = None) -> None:
        """Something is said in an open block."""
        index = self.draw(st.sampled_from(sorted(self.open))) if index is None else index
        start, kind = self.open[index], self.open[index].kind
        rare = self.draw(st.sampled_from(["own"] * 6 + ["annotation", "signature", "opaque"]))
        if rare == "annotation":
            self.events.append(self.draw(annotations(index)))
        elif rare == "signature":
            self.events.append(self.draw(signatures(index)))
        elif rare == "opaque" or kind == "opaque":
            self.events.append(self.draw(opaques(index)))
        elif kind == "text":
            self.events.append(ev.TextDelta(index, self.draw(WORDS), self.draw(LOGPROBS)))
        elif kind == "refusal":
            self.events.append(ev.RefusalDelta(index, self.draw(WORDS), self.draw(LOGPROBS)))
        elif kind == "reasoning":
            part = self.parts[index] = self.parts.get(index, 0) + self.draw(st.integers(0, 1))
            form = self.draw(st.sampled_from(["raw", "summary"]))
            self.events.append(ev.ReasoningDelta(index, self.draw(WORDS), part, form))
        elif kind == "tool_call":
            self.arguments(start)
        elif kind == "tool_result":
            self.events.append(ev.Result(index, start.id, self.draw(RESULTS), self.draw(st.booleans())))
        else:
            self.file(index)

    def file(self, index: int) -> None:
        """A file comes in pieces, or is elsewhere. It is of one type, and a preview stands before it: after it there is none."""
        last = next((e for e in reversed(self.events) if isinstance(e, ev.File) and e.index == index), None)
        if last is None or last.data is not None:
            file = self.draw(files(index))
            if last is not None:
                preview = file.partial and last.partial
                file = msgspec.structs.replace(file, media_type=last.media_type, partial=preview)
            if last is None or file.data is not None:
                self.events.append(file)

    def arguments(self, start: ev.BlockStart) -> None:
        """Arguments come once, in one piece or cut in two."""
        if start.index in self.args:
            return
        raw = self.args[start.index] = self.draw(FREE_INPUT if start.tool == "custom" else ARGUMENTS)
        cut = self.draw(st.integers(0, len(raw))) if start.arrival == "delta" else len(raw)
        self.events += [ev.ArgsDelta(start.index, piece) for piece in (raw[:cut], raw[cut:]) if piece]

    def end(self, index: int | None = None, *, cut: bool = False) -> None:
        """An open block ends; a call is complete only if its arguments are."""
        index = self.draw(st.sampled_from(sorted(self.open))) if index is None else index
        start = self.open.pop(index)
        complete = not cut and self.draw(st.sampled_from([True, True, True, False]))
        if start.kind == "tool_call" and start.tool != "custom":
            complete = complete and decode_object(self.args.get(index, "")) is not None
        if complete and start.kind == "tool_call" and start.executor == "client":
            self.complete.add(start.choice)
        self.events.append(ev.BlockEnd(index, complete))

    def steps(self) -> None:
        """A step is over, and the next begins. What earlier steps called was answered, and decides no finish."""
        while self.open:
            self.end()
        self.complete.clear()
        usage = self.draw(st.sampled_from([None, ev.Usage(1, 1, 2)]))
        self.events.append(ev.StepEnd(self.step, self.draw(st.sampled_from([None, "stop", "tool_calls"])), None, usage))
        self.step += 1
        self.events.append(ev.StepStart(self.step))

    def usage(self) -> None:
        """The counts so far."""
        drawn = {
            "input_tokens": 5,
            "output_tokens": 4,
            "total_tokens": 9,
            "cache_read_tokens": self.draw(st.sampled_from([None, 2])),
            "cache_write_tokens": self.draw(st.sampled_from([None, 1])),
            "reasoning_tokens": self.draw(st.sampled_from([None, 3])),
        }
        said = {name: value for name, value in drawn.items() if value is not None}
        self.counts = msgspec.structs.replace(self.counts or ev.Usage(), **said)
        self.events.append(self.counts)

    def last(self) -> None:
        """The terminal, as the content bears it out."""
        draw = self.draw
        if draw(st.booleans()):
            self.usage()
        outcome = draw(
            st.sampled_from(["completed", "completed", "incomplete", "filtered", "failed", "truncated", "cancelled"])
        )
        finishes = tuple(self.finish(choice, outcome) for choice in range(self.choices))
        error = {
            "filtered": make_error("content_blocked", "Filtered."),
            "truncated": make_error("truncated", "It broke off."),
            "cancelled": make_error("cancelled", "Stopped by the caller."),
        }.get(outcome)
        if outcome == "failed":
            kind = draw(st.sampled_from(["overloaded", "rate_limit", "server", "context_length", "protocol"]))
            error = make_error(
                kind, "What went wrong.", code=draw(st.sampled_from([None, "own_code"])),
                retry_after=draw(st.sampled_from([None, 2.5])), parameter=draw(st.sampled_from([None, "messages"])),
            )  # fmt: skip
        real = {"filtered": "incomplete", "cancelled": "incomplete"}.get(outcome, outcome)
        self.events.append(ev.End(real, finishes, self.counts, error))

    def finish(self, choice: int, outcome: str) -> ev.Finish:
        if outcome in ("failed", "truncated", "cancelled"):
            return ev.Finish(choice)
        if outcome == "incomplete":
            return ev.Finish(choice, "length", "max_tokens")
        if outcome == "filtered":
            return ev.Finish(choice, "content_filter", "SAFETY")
        reasons: Sequence[str | None] = (
            ["tool_calls"] if choice in self.complete else ["stop", "stop", "pause", "other", None]
        )
        reason = self.draw(st.sampled_from(reasons))
        return ev.Finish(choice, reason, reason)


@st.composite
def rich_streams(draw: st.DrawFn, choices: int = 1) -> list[ev.Event]:
    """A legal stream of so many choices."""
    telling = Telling(draw, choices)
    telling.begin()
    actions = ["block", "block", "delta", "delta", "delta", "delta", "end", "meta", "usage", "unknown", "note", "steps"]
    for _ in range(draw(st.integers(0, 16))):
        action = draw(st.sampled_from(actions))
        if action == "unknown":
            telling.events.append(ev.Unknown({"type": "news"}, "news"))
        elif action == "note":
            telling.events.append(ev.Note("odd", "something was odd"))
        elif action in ("block", "meta", "usage", "steps") or telling.open:
            getattr(telling, action)()
    while telling.open:
        telling.end(cut=draw(st.booleans()))
    telling.last()
    return telling.events
