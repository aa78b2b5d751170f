"""Generators of what may happen: verbs in any order, and legal event streams.

The legal streams are drawn from the grammar's own tables, so that a new event joins the tests when it joins the grammar.
"""

from typing import Any

from hypothesis import strategies as st

from weft import events as ev
from weft.assembler import Assembler
from weft.errors import make_error
from weft.grammar import BLOCK_EVENTS

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
SMALL = st.integers(0, 3)
KEYS = st.one_of(st.none(), st.integers(0, 2))
KINDS = st.sampled_from(["text", "reasoning", "refusal", "tool_call", "tool_result", "file", "opaque"])
RAW_FINISHES = st.sampled_from(["stop", "length", "tool_calls", "content_filter", "error", "weird", "", None])
NAMES = st.sampled_from([None, "", "read", "write"])
IDS = st.sampled_from([None, "", "a", "b"])
ARGS = st.sampled_from([None, "", "{", "}", '{"a":1}', '"x', "[]"])

# verb -> what it may be called with; positional arguments in order
VERBS: dict[str, st.SearchStrategy[tuple[Any, ...]]] = {
    "start": st.tuples(IDS, NAMES),
    "meta": st.tuples(st.just("tier"), TEXTS),
    "open": st.tuples(KINDS, st.integers(0, 2)),
    "text": st.tuples(TEXTS, SMALL, KEYS),
    "refusal": st.tuples(TEXTS, SMALL, KEYS),
    "reasoning": st.tuples(TEXTS, SMALL, KEYS),
    "signature": st.tuples(TEXTS, SMALL, KEYS),
    "annotation": st.tuples(st.just("url_citation"), SMALL, KEYS),
    "tool_call": st.tuples(st.one_of(st.none(), SMALL), IDS, NAMES, ARGS, SMALL),
    "args": st.tuples(TEXTS, st.integers(0, 2)),
    "result": st.tuples(IDS, TEXTS, st.integers(0, 2)),
    "file": st.tuples(SMALL, KEYS),
    "opaque": st.tuples(st.just({"a": 1}), KEYS, SMALL),
    "end": st.tuples(st.integers(0, 2), st.booleans()),
    "split": st.tuples(SMALL),
    "step_start": st.just(()),
    "step_end": st.tuples(RAW_FINISHES),
    "usage": st.tuples(st.fixed_dictionaries({"input_tokens": SMALL, "output_tokens": st.one_of(st.none(), SMALL)})),
    "finish": st.tuples(RAW_FINISHES, st.none(), SMALL),
    "sign": st.tuples(st.sampled_from(["done", "terminal"])),
    "fail": st.tuples(st.just(make_error("server", "broken"))),
    "note": st.tuples(st.just("odd"), TEXTS),
    "unknown": st.tuples(st.sampled_from([b"{}", b'{"x":1}', b"noise", b'{"error":{"message":"m"}}'])),
}
CALLS = st.one_of([st.tuples(st.just(verb), arguments) for verb, arguments in VERBS.items()])
PROGRAMS = st.lists(CALLS, max_size=25)


def run(program: list[tuple[str, tuple[Any, ...]]], **options: Any) -> list[ev.Event]:
    """The events that a program of verbs leads to."""
    events: list[ev.Event] = []
    out = Assembler(events.append, **options)
    for verb, arguments in program:
        getattr(out, verb)(*arguments)
    out.close()
    return events


ORIGIN = ev.Origin("events")
_DELTAS: dict[type[ev.Event], Any] = {
    ev.TextDelta: lambda index: st.builds(ev.TextDelta, index, TEXTS.filter(bool)),
    ev.ReasoningDelta: lambda index: st.builds(
        ev.ReasoningDelta, index, TEXTS.filter(bool), SMALL, st.sampled_from(["raw", "summary"])
    ),
    ev.RefusalDelta: lambda index: st.builds(ev.RefusalDelta, index, TEXTS.filter(bool)),
    ev.ArgsDelta: lambda index: st.builds(ev.ArgsDelta, index, TEXTS.filter(bool)),
    ev.Result: lambda index: st.builds(ev.Result, index, st.just("call"), TEXTS),
    ev.File: lambda index: st.builds(ev.File, index, st.just("image/png"), st.just("aGk=")),
    ev.Annotation: lambda index: st.builds(ev.Annotation, index, st.just("url_citation"), SMALL, SMALL),
    ev.Signature: lambda index: st.builds(ev.Signature, index, TEXTS.filter(bool), st.just(ORIGIN)),
    ev.Opaque: lambda index: st.builds(ev.Opaque, index, st.just({"a": 1}), st.just(ORIGIN)),
}


@st.composite
def legal_streams(draw: st.DrawFn, choices: int = 1) -> list[ev.Event]:
    """A legal stream: blocks open, interleave and end as the grammar lets them."""
    events: list[ev.Event] = [ev.Start("m1", "model")]
    open_blocks: dict[int, str] = {}
    next_index = 0
    for _ in range(draw(st.integers(0, 14))):
        action = draw(st.sampled_from(["open", "delta", "delta", "delta", "end"]))
        if action == "open":
            kind = draw(KINDS)
            named = {"id": f"call_{next_index}", "name": "read"} if kind in ("tool_call", "tool_result") else {}
            events.append(
                ev.BlockStart(next_index, kind, choice=draw(st.integers(0, choices - 1)), item=next_index, **named)
            )
            open_blocks[next_index] = kind
            next_index += 1
        elif open_blocks:
            index = draw(st.sampled_from(sorted(open_blocks)))
            kind = open_blocks[index]
            if action == "end":
                events.append(ev.BlockEnd(index, kind != "tool_call"))
                del open_blocks[index]
                continue
            fitting = [event for event, kinds in BLOCK_EVENTS.items() if kind in kinds and event in _DELTAS]
            events.append(draw(_DELTAS[draw(st.sampled_from(fitting))](st.just(index))))
    events += [ev.BlockEnd(index, False) for index in open_blocks]
    usage = draw(st.sampled_from([None, ev.Usage(3, 4, 7, sources={"input_tokens": "reported"})]))
    if usage is not None:
        events.append(usage)
    events.append(draw(_ends(usage)))
    return events


def _ends(usage: ev.Usage | None) -> st.SearchStrategy[ev.End]:
    stop = (ev.Finish(reason="stop", raw="stop"),)
    length = (ev.Finish(reason="length", raw="length"),)
    return st.sampled_from(
        [
            ev.End("completed", stop, usage),
            ev.End("incomplete", length, usage),
            ev.End("failed", (), usage, make_error("overloaded", "busy")),
            ev.End("truncated", (), usage, make_error("truncated", "cut")),
        ]
    )
