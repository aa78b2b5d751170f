"""The shapes that bridges from chat.completions were measured with (section 0.2 of the survey), through ours: to Messages and to Responses.

Each row is what a strict client of either target understands of it. There the measured bridges glued two calls into one, dropped calls, made
valid ones of cut ones, or called a broken stream complete.
"""

from typing import Any, NamedTuple

import pytest

import weft
from tests.gallery.shown import Answer, answer, as_anthropic_reads, as_responses_reads, chat, frames
from tests.protocols.chat_wire import call, calls, chunk, end, envelope, text, usage
from tests.protocols.wire import message, sse

READ, LIST = '{"path":"a.txt"}', '{"path":"/srv"}'
BOTH = (("a", "read", READ), ("b", "list", LIST))
ONE = (("a", "read", READ),)

ENDINGS = {
    "stop": ("end_turn", "completed"),
    "calls": ("tool_use", "completed"),
    "length": ("max_tokens", "incomplete max_output_tokens"),
    "cut": ("error api_error", "failed server_error"),
    "quota": ("error billing_error", "failed insufficient_quota"),
}
"""How it ends -> in the words of Messages, of Responses."""


class Shape(NamedTuple):
    """Bytes from upstream, and what is to be understood of them. An id of None is one that we make."""

    data: bytes
    end: str
    text: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str | None, str, str], ...] = ()
    tokens: int | None = None
    lost: str = ""
    filters: tuple[str, ...] = ()


IMAGE = {"type": "image_url", "image_url": {"url": "https://pictures.example/a.png"}}
HI = text("Hi")
LEAST = {"index": 0, "finish_reason": None}

SHAPES: dict[str, Shape] = {
    "two whole calls, both index 0": Shape(
        chat(calls(call(0, "a", "read", READ)), calls(call(0, "b", "list", LIST)), end("tool_calls")), "calls", calls=BOTH
    ),
    "no index, in pieces": Shape(
        chat(
            calls(call(None, "a", "read", READ[:6])), calls(call(args=READ[6:])),
            calls(call(None, "b", "list", LIST[:6])), calls(call(args=LIST[6:])), end("tool_calls"),
        ),
        "calls", calls=BOTH,
    ),
    "name and id on each chunk": Shape(
        chat(*(calls(call(0, "a", "read", piece)) for piece in (READ[:3], READ[3:6], READ[6:])), end("tool_calls")),
        "calls", calls=ONE,
    ),
    "arguments as an object": Shape(
        chat(calls(call(0, "a", "read", {"n": 1})), end("tool_calls")), "calls", calls=(("a", "read", '{"n": 1}'),)
    ),
    "no id": Shape(chat(calls(call(0, None, "read", READ)), end("tool_calls")), "calls", calls=((None, "read", READ),)),
    "first index is 1": Shape(chat(calls(call(1, "a", "read", READ)), end("tool_calls")), "calls", calls=ONE),
    "stop beside a call": Shape(chat(calls(call(0, "a", "read", READ)), end("stop")), "calls", calls=ONE),
    "arguments cut by length": Shape(
        chat(calls(call(0, "a", "read", READ[:9])), end("length")), "length", calls=(("a", "read", READ[:9]),)
    ),
    "the socket closes after text": Shape(chat(HI, done=False), "cut", "Hi"),
    "the socket closes in a call": Shape(
        chat(calls(call(0, "a", "read", READ[:9])), done=False), "cut", calls=(("a", "read", READ[:9]),)
    ),
    "an error body at status 200": Shape(
        b'{"error":{"message":"No credit.","type":"insufficient_quota","code":"insufficient_quota"}}', "quota"
    ),
    "a comment behind an id line": Shape(sse(HI) + b"id: 7\n: ping\n\n" + sse(end(), done=True), "stop", "Hi"),
    "an empty data line": Shape(sse(HI) + b"data:\n\n" + sse(end(), done=True), "stop", "Hi"),
    "one frame that is no JSON": Shape(answer(HI, "{oops", text("!")), "stop", "Hi!"),
    "counts so far on each chunk": Shape(
        chat(HI | {"usage": usage(10, 2, 12)}, text("!") | {"usage": usage(10, 5, 15)}, end("stop", 0, usage=usage(10, 5, 15))),
        "stop", "Hi!", tokens=15,
    ),
    "counts inside the choice": Shape(
        chat(HI, envelope([{**LEAST, "delta": {}, "finish_reason": "stop", "usage": usage(10, 5, 15)}])), "stop", "Hi", tokens=15
    ),
    "counts never": Shape(answer(HI), "stop", "Hi"),
    "the last chunk twice": Shape(chat(HI, end(), end()), "stop", "Hi"),
    "null choices, null delta, no delta": Shape(
        answer(envelope(None), envelope([{**LEAST, "delta": None}]), envelope([LEAST]), HI), "stop", "Hi"
    ),
    "reasoning": Shape(answer(chunk({"reasoning": "So."}), HI), "stop", "Hi", "So."),
    "reasoning_content": Shape(answer(chunk({"reasoning_content": "So."}), HI), "stop", "Hi", "So."),
    "tags left in the text": Shape(answer(text("<thi"), text("nk>So.</think>Hi")), "stop", "<think>So.</think>Hi"),
    "tags taken out": Shape(answer(text("<thi"), text("nk>So.</think>Hi")), "stop", "Hi", "So.", filters=("think",)),
    "an image and nothing else": Shape(answer(chunk({"images": [IMAGE]})), "stop", lost="file"),
    "arguments in turns": Shape(
        chat(
            calls(call(0, "a", "read", READ[:6])), calls(call(1, "b", "list", LIST[:6])), calls(call(0, args=READ[6:])),
            calls(call(1, args=LIST[6:])), end("tool_calls"),
        ),
        "calls", calls=BOTH,
    ),
}  # fmt: skip


def bridged(shape: Shape, target: str) -> tuple[list[Any], set[str]]:
    """The frames that go out, and what is reported as lost."""
    pipe = weft.Pipe("openai-chat", target, filters=shape.filters)
    out = pipe.feed(shape.data) + pipe.close()
    return frames(out), {loss.what for loss in pipe.losses}


def expected(shape: Shape, ending: str, got: Answer) -> Answer:
    """What is to be understood; ids that we make are as they are, if they are told apart."""
    ids = [id for id, _, _ in got.calls]
    assert all(ids)
    assert len(ids) == len(set(ids))
    known = tuple((id or made, name, args) for (id, name, args), made in zip(shape.calls, ids, strict=True))
    return Answer(shape.text, shape.reasoning, known, ending)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_chat_to_anthropic(shape: Shape):
    out, lost = bridged(shape, "anthropic")
    got = as_anthropic_reads(out)
    assert expected(shape, ENDINGS[shape.end][0], got) == got
    assert {shape.lost} - {""} <= lost
    counts = [each["usage"] for each in out if each["type"] == "message_delta"]
    assert all((shape.tokens or 0) == each["input_tokens"] + each["output_tokens"] for each in counts)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_chat_to_responses(shape: Shape):
    out, lost = bridged(shape, "openai-responses")
    got = as_responses_reads(out)
    assert expected(shape, ENDINGS[shape.end][1], got) == got
    assert {shape.lost} - {""} <= lost
    counts = out[-1]["response"]["usage"]
    assert shape.tokens == (counts and counts["total_tokens"])


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_cut_call_is_not_complete_on_the_other_side(shape: Shape):
    """Read back from either target, a call is complete if and only if it was when it came."""
    source = message(shape.data, "openai-chat", filters=shape.filters)
    for target in ("anthropic", "openai-responses"):
        back = message(weft.convert(shape.data, "openai-chat", target, filters=shape.filters), target)
        assert [each.complete for each in source.tool_calls] == [each.complete for each in back.tool_calls]
