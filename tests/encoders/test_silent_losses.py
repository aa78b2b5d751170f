"""What was lost without a word until many generated streams were read back: each of these was one.

Knows: the smallest stream that showed it. Must not know: how a target writes.
"""

import weft
from tests.encoders.saying import CALLED, STOP, call, failed, opened, reasoning, said, start, text
from tests.encoders.test_totality import encode
from weft import events as ev
from weft.errors import make_error

STATE = ev.Origin("elsewhere", "someone", "model-1")


def test_a_model_known_late_is_named_before_an_error():
    greeting = [ev.Start("m1"), *text(0, "Hi"), ev.Meta("model", "heron-2")]
    for target in ("openai-chat", "ollama", "gemini"):
        assert "heron-2" == weft.collect(weft.read(encode(target, [*greeting, failed()])[0], target)).model


def test_what_a_failure_drops_is_told():
    cited = [ev.BlockStart(0, "text"), ev.Annotation(0, "url_citation", url="https://example.org"), ev.TextDelta(0, "x"), ev.BlockEnd(0, True)]  # fmt: skip
    events = [start(), ev.Meta("service_tier", "default"), ev.Meta("grounding", {"webSearchQueries": ["q"]}), *cited]
    lost = {
        target: [loss.what for loss in encode(target, [*events, failed()])[1].report()]
        for target in ("gemini", "bedrock")
    }
    assert (["meta", "meta", "annotation"], 2) == (
        [what for what in lost["gemini"] if what != "usage_split"],
        lost["bedrock"].count("meta"),
    )


def test_a_call_cut_by_a_limit_before_another_is_told():
    """A reader takes only the last call for the one that was cut."""
    events = [start(), *call(0, '{"a":1}', complete=False), *call(1, "{", complete=False)]
    cut = ev.End("incomplete", (ev.Finish(reason="length", raw="length"),))
    for target in ("bedrock", "cohere"):
        losses = encode(target, [*events, cut])[1].report()
        assert ["block 0"] == [loss.where for loss in losses if loss.what == "incomplete"]


def test_a_broken_call_behind_a_blocked_prompt_is_told():
    blocked = ev.End(
        "incomplete", (ev.Finish(reason="content_filter", raw="SAFETY"),), None, make_error("content_blocked", "No.")
    )
    assert "incomplete" in said("gemini", start(), call(0, "[1]", complete=False), blocked)[1]


def test_wrapped_state_keeps_its_part():
    states = [ev.Signature(0, value, STATE, part) for value, part in (("one", None), ("two", 0))]
    out, _ = encode("openai-chat", [start(), ev.BlockStart(0, "text"), *states, ev.BlockEnd(0, True), ev.End("completed", STOP)])  # fmt: skip
    (block,) = weft.collect(weft.read(out, "openai-chat")).blocks
    assert [("one", None), ("two", 0)] == [(state.value, state.part) for state in block.signatures]


def test_states_side_by_side_in_metadata_are_all_kept():
    states = [
        ev.Signature(0, "c2ln", ev.Origin(name), number)
        for number, name in enumerate(("anthropic", "openai-responses"))
    ]
    out, losses = encode("ai-sdk-ui", [start(), ev.BlockStart(0, "reasoning"), *states, ev.BlockEnd(0, True), ev.End("completed", STOP)])  # fmt: skip
    (block,) = weft.collect(weft.read(out, "ai-sdk-ui")).blocks
    assert ["anthropic", "openai-responses"] == [state.origin.protocol for state in block.signatures]
    assert "signature" not in {loss.what for loss in losses.report()}


def test_a_result_before_the_end_of_its_call_is_told_and_the_call_stays():
    early = [
        ev.BlockStart(1, "tool_result", id="call_0", executor="provider"),
        ev.Result(1, "call_0", "x"),
        ev.BlockEnd(1, True),
    ]
    out, losses = encode("ai-sdk-ui", [start(), opened(0), *early, ev.ArgsDelta(0, "{}"), ev.BlockEnd(0, True), ev.End("completed", CALLED)])  # fmt: skip
    assert ["call_0"] == [made.id for made in weft.collect(weft.read(out, "ai-sdk-ui")).tool_calls]
    assert "tool_result" in {loss.what for loss in losses.report()}


def test_what_an_item_of_responses_has_one_place_for_is_told():
    alternating = reasoning(0, ("a", 0, "summary"), ("b", 0, "raw"), ("c", 0, "summary"))
    signed = reasoning(1, ("a", 0, "raw"), states=(("s", STATE, 0), ("t", STATE, 1)))
    refused = [ev.BlockStart(2, "refusal", item=2), ev.RefusalDelta(2, "No"), ev.Annotation(2, "c", 0, 1, "https://example.org"), ev.BlockEnd(2, True)]  # fmt: skip
    phases = [
        *text(3, "x", channel="final_answer"),
        ev.BlockStart(4, "text", item=3),
        ev.TextDelta(4, "y"),
        ev.BlockEnd(4, True),
    ]
    lost = said("openai-responses", start(), alternating, signed, refused, phases, ev.End("completed", STOP))[1]
    assert {"reasoning_form": 1, "signature": 1, "annotation": 1, "channel": 1} == lost


def test_the_state_of_an_empty_text_behind_a_call_is_not_the_calls():
    signed = [ev.BlockStart(1, "text"), ev.Signature(1, "text's", STATE), ev.BlockEnd(1, True)]
    events = [
        start(),
        opened(0),
        ev.Signature(0, "call's", STATE),
        *signed,
        ev.BlockEnd(0, True),
        ev.End("completed", CALLED),
    ]
    message = weft.collect(weft.read(encode("openai-chat", events)[0], "openai-chat"))
    assert [["call's"], ["text's"]] == [[state.value for state in block.signatures] for block in message.blocks]


def test_two_sounds_of_one_choice_run_together_and_that_is_told():
    """A message has one audio."""
    sounds = [
        [ev.BlockStart(index, "file"), ev.File(index, "audio/pcm", "aGk="), ev.BlockEnd(index, True)]
        for index in (0, 1)
    ]
    assert {"blocks": 1} == said("openai-chat", start(), *sounds, ev.End("completed", STOP))[1]
