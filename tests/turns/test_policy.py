"""What the caller decides, and what each target insists on: one rule a test."""

import asyncio
import json
import re
from typing import Any

import msgspec
import pytest

import weft
from tests.turns.told import call, items, lost, message, text, thought
from tests.turns.turn_one import TARGETS, turn_one
from weft import events as ev
from weft.message import Choice, FilePart, Message, ReasoningPiece, Refusal, ToolResult
from weft.turn_writer import bare

ANTHROPIC = ev.Origin("anthropic", "bedrock", "claude-opus-4-20250514")
OPENAI = ev.Origin("openai-responses", "openai", "gpt-5-2025-08-07", "rs_1")


# -- the policy -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock"])
def test_reasoning_of_another_origin_is_marked_text_or_left_out(target: str):
    told = message(thought(), text("x"), protocol="ollama")
    assert "<thinking>\\nHm.\\n</thinking>" in str(items(told, target))
    assert "Hm." not in str(items(told, target, foreign="drop"))
    assert ["reasoning"] == lost(told, target) == lost(told, target, foreign="drop")


def test_tools_of_another_provider_are_marked_text_or_left_out():
    told = message(
        call("s1", executor="provider"), ToolResult(index=0, call_id="s1", content={"hits": 3, "encrypted_index": "x"}), text("x")
    )  # fmt: skip
    said = items(told, "openai-chat")[0]["content"]
    assert (
        '<tool_use name="f">\n{"a":1}\n</tool_use>\n\n<tool_result name="f">\n{"hits":3}\n</tool_result>\n\nx' == said
    )
    assert [{"role": "assistant", "content": "x"}] == items(told, "openai-chat", foreign="drop")
    assert ["executor", "tool_result"] == lost(told, "openai-chat") == lost(told, "openai-chat", foreign="drop")


@pytest.mark.parametrize("target", TARGETS)
def test_a_call_that_is_not_whole_is_left_out_or_wrapped(target: str):
    told = message(text("x"), call(raw='{"a":', complete=False, arguments=None))
    dropped, wrapped = (weft.replay_turn(told, target, broken=broken) for broken in ("drop", "wrap"))
    assert ({}, ["incomplete"]) == (dropped.call_ids, [loss.what for loss in dropped.losses])
    assert '{"a":' not in str(dropped.items)
    assert (["c1"], ["args_invalid"]) == (list(wrapped.call_ids), [loss.what for loss in wrapped.losses])
    assert "INVALID_JSON" in str(wrapped.items)


@pytest.mark.parametrize("target", TARGETS)
def test_no_arguments_are_an_empty_object(target: str):
    assert "{}" in str(items(message(call(raw="")), target))
    assert [] == lost(message(call(raw="")), target)


@pytest.mark.parametrize("target", TARGETS)
def test_an_empty_turn_has_no_items(target: str):
    assert [] == items(message(), target) == items(message(text("")), target) == items(Message(), target)


def test_the_chosen_choice_goes_back():
    told = message(text("a"))
    told.choices.append(Choice([text("b", choice=1)]))
    assert "b" == items(told, "openai-chat", choice=1)[0]["content"]
    with pytest.raises(IndexError):
        weft.replay_turn(told, "openai-chat", choice=2)


@pytest.mark.parametrize("policy", [{"foreign": "keep"}, {"broken": "keep"}])
def test_a_policy_that_nobody_knows_is_refused(policy):
    """It was taken for the one that leaves out."""
    with pytest.raises(ValueError, match="there is no policy"):
        weft.replay_turn(message(text("x")), "anthropic", **policy)


def test_a_target_without_requests_is_refused():
    with pytest.raises(ValueError, match="no request"):
        weft.replay_turn(Message(), "vscode")
    with pytest.raises(ValueError, match="no request"):
        weft.replay_turn(Message(), "gemini/interactions")


def test_a_message_knows_whose_it_is():
    wire = b'{"model":"q","message":{"role":"assistant","content":"a"},"done":true,"done_reason":"stop"}\n'

    async def pieces():
        yield wire

    pipe = weft.Pipe("ollama", "openai-chat")
    pipe.feed(wire)
    pipe.close()
    collected = asyncio.run(weft.acollect(weft.aread(pieces(), "ollama")))
    read = weft.read(wire, "ollama")
    assert ["ollama"] * 3 == [collected.protocol, weft.collect(read).protocol, pipe.message.protocol]


def test_a_reading_is_the_iterator_that_it_always_was():
    reading = weft.read([b'{"model":"q","message":{"content":"a"},"done":true}\n'], "ollama")
    first = next(reading)
    assert "start" == first.type
    assert "end" == list(reading)[-1].type


# -- origins ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "target", "provider", "model", "kept"),
    [
        (ANTHROPIC, "anthropic", None, None, True),
        (ANTHROPIC, "anthropic", "bedrock", "claude-sonnet-4-5", True),
        (ANTHROPIC, "anthropic", "vertex", None, False),
        (OPENAI, "openai-responses", None, None, True),
        (OPENAI, "openai-responses", "OpenAI", "gpt-5", True),
        (OPENAI, "openai-responses", None, "gpt-5-mini", False),
        (OPENAI, "openai-responses/azure", None, None, False),
        (OPENAI, "openai-responses/openai", None, None, True),
    ],
)
def test_state_goes_to_its_own_origin_only(
    told: ev.Origin, target: str, provider: str | None, model: str | None, kept: bool
):
    """Claude's blocks are read, or dropped without an error, by other Claudes; OpenAI's content is refused by another model."""
    state = ev.Signature(0, "STATE", told, encrypted=told is OPENAI)
    first = message(thought(state), call(), protocol=told.protocol)
    assert kept == ("STATE" in str(items(first, target, provider=provider, model=model)))
    assert kept == ("signature" not in lost(first, target, provider=provider, model=model))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("claude-opus-4-20250514", "us.anthropic.claude-opus-4-20250514-v1:0"),
        ("gpt-5-2025-08-07", "openai/gpt-5"),
        ("models/gemini-3-pro-preview", "gemini-3-pro"),
        ("claude-sonnet-4@20250514", "claude-sonnet-4-latest"),
    ],
)
def test_one_model_under_two_names(one: str, other: str):
    assert bare(one) == bare(other)


def test_two_models_stay_two():
    assert (
        len({bare(name) for name in ("gpt-5", "gpt-5-mini", "gpt-5.1", "claude-opus-4", "claude-opus-4-1", "qwen2.5")})
        == 6
    )


# -- ids --------------------------------------------------------------------------------------------------------------

ODD_ID = "functions.get weather:0" + "x" * 60


@pytest.mark.parametrize(
    ("target", "sent"),
    [
        ("anthropic", r"[a-zA-Z0-9_-]{1,64}"),
        ("bedrock", r"[a-zA-Z0-9_.:-]{1,64}"),
        ("openai-chat", r".{1,40}"),
        ("openai-chat/mistral", r"[a-zA-Z0-9]{9}"),
        ("openai-responses", r".{1,64}"),
        ("cohere", r".{1,64}"),
        ("gemini", r".{1,64}"),
        ("ollama", r".{1,64}"),
    ],
)
def test_an_id_that_is_refused_is_another_one_and_the_caller_is_told(target: str, sent: str):
    replay = weft.replay_turn(message(call(ODD_ID), protocol="other"), target)
    (told,) = replay.call_ids.values()
    assert told is not None
    assert (told in str(replay.items), [ODD_ID]) == (True, list(replay.call_ids))
    assert re.fullmatch(sent, told)
    assert replay.call_ids == weft.replay_turn(message(call(ODD_ID), protocol="other"), target).call_ids


def test_mistral_wants_nine_letters_and_digits():
    told = message(call("toolu_01"), call("abcDEF123"), protocol="anthropic")
    first, second = weft.replay_turn(told, "openai-chat/mistral").call_ids.values()
    assert first is not None
    assert (9, True, "abcDEF123") == (len(first), first.isalnum(), second)


def test_kimi_keeps_its_own_form_of_ids():
    told = message(call("functions.f:0"), protocol="openai-chat", model="kimi-k2")
    assert {"functions.f:0": "functions.f:0"} == weft.replay_turn(told, "openai-chat").call_ids


@pytest.mark.parametrize("target", ["gemini", "ollama"])
def test_an_id_that_we_made_does_not_go_to_who_gave_none(target: str):
    told = message(call("call_1", made_id=True), protocol=target)
    replay = weft.replay_turn(told, target)
    assert ({"call_1": None}, False) == (replay.call_ids, "call_1" in str(replay.items))


# -- Anthropic --------------------------------------------------------------------------------------------------------


def test_anthropic_gets_neither_blank_nor_trailing_white_space():
    content = items(message(text("a "), text(" \n"), text("b \n")), "anthropic")[0]["content"]
    assert [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}] == content


def test_anthropic_gets_no_turn_that_ends_with_thinking():
    signed = thought(ev.Signature(0, "s", ANTHROPIC))
    assert [] == items(message(signed), "anthropic")
    assert ["reasoning"] == lost(message(signed), "anthropic")


def test_anthropic_does_not_get_back_what_a_refusal_cut_off():
    told = message(text("Well,"), protocol="anthropic", finish="refusal")
    assert ([], ["refusal"]) == (items(told, "anthropic"), lost(told, "anthropic"))
    assert [{"role": "assistant", "content": "Well,"}] == items(told, "openai-chat")


def test_thinking_has_to_be_off_for_calls_without_it():
    signed = thought(ev.Signature(0, "s", ANTHROPIC))
    assert set() == weft.replay_turn(message(signed, call()), "anthropic").demands
    assert {"thinking_off"} == weft.replay_turn(message(text("x"), call()), "anthropic").demands
    assert set() == weft.replay_turn(message(text("x")), "anthropic").demands


# -- Responses --------------------------------------------------------------------------------------------------------

STORED = {"response": {"store": True}}
NOT_STORED = {"response": {"store": False}}


def responses(*parts: Any, **fields: Any) -> Message:
    return message(*parts, protocol="openai-responses", **fields)


def test_reasoning_goes_back_by_its_id_where_it_was_stored():
    told = responses(thought(item_id="rs_1"), call(item_id="fc_1"), meta=STORED)
    told.blocks[0].pieces = []  # pyright: ignore[reportAttributeAccessIssue]
    replay = weft.replay_turn(told, "openai-responses")
    assert [("reasoning", "rs_1"), ("function_call", "fc_1")] == [(item["type"], item["id"]) for item in replay.items]
    assert {"stored"} == replay.demands


def test_without_its_reasoning_a_call_does_not_bear_its_old_id():
    summary = thought(item_id="rs_1")
    summary.pieces = [ReasoningPiece("Hm.", 0, "summary")]
    told = responses(summary, call(item_id="fc_1"), text("x", item_id="msg_1"), meta=NOT_STORED)
    replay = weft.replay_turn(told, "openai-responses", foreign="drop")
    assert ["function_call", "message"] == [item["type"] for item in replay.items]
    assert [] == [item for item in replay.items if "id" in item]


def test_raw_reasoning_holds_itself():
    replay = weft.replay_turn(responses(thought(item_id="rs_1"), text("x"), meta=NOT_STORED), "openai-responses")
    assert {
        "id": "rs_1", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}],
    } == replay.items[0]  # fmt: skip
    assert frozenset() == replay.demands


def test_reasoning_does_not_go_back_without_the_call_that_it_led_to():
    sealed = thought(ev.Signature(0, "s", OPENAI, encrypted=True))
    cut = call("c1", raw='{"a":', complete=False, arguments=None)
    told = responses(sealed, cut, thought(ev.Signature(0, "t", OPENAI, encrypted=True)), call("c2"))
    replay = weft.replay_turn(told, "openai-responses")
    assert ["reasoning", "function_call"] == [item["type"] for item in replay.items]
    assert "t" == replay.items[0]["encrypted_content"]
    assert ["incomplete", "reasoning"] == [loss.what for loss in replay.losses]


def test_restored_tools_are_items_of_their_kinds():
    told = message(
        call(tool="local_shell", raw='{"type":"exec","command":["ls"],"env":{}}'),
        call("c2", tool="shell"), call("c3", tool="apply_patch"), call("c4", tool="custom", raw="free"), protocol="openai-chat",
    )  # fmt: skip
    kinds = ["local_shell_call", "shell_call", "apply_patch_call", "custom_tool_call"]
    assert kinds == [item["type"] for item in items(told, "openai-responses")]
    assert [] == lost(told, "openai-responses")
    assert "free" == items(told, "openai-responses")[3]["input"]


def test_parts_of_one_message_stay_one():
    told = responses(
        text("a", item_id="msg_1", item=1), Refusal(index=0, text="no", item_id="msg_1", item=1, complete=True)
    )
    (item,) = items(told, "openai-responses")
    assert ["output_text", "refusal"] == [part["type"] for part in item["content"]]


# -- the others -------------------------------------------------------------------------------------------------------


def test_cohere_has_a_plan_beside_calls_and_thinking_in_its_thinkers():
    told = message(thought(), call())
    assert ("Hm.", False) == (items(told, "cohere")[0]["tool_plan"], "content" in items(told, "cohere")[0])
    thinks = items(told, "cohere", model="command-a-reasoning-08-2025")[0]
    assert [{"type": "thinking", "thinking": "Hm."}] == thinks["content"]


def test_bedrock_takes_unsigned_reasoning_of_its_own_models_but_not_claudes():
    told = message(thought(), text("x"), protocol="bedrock")
    assert {"reasoningContent": {"reasoningText": {"text": "Hm."}}} == items(told, "bedrock")[0]["content"][0]
    assert "reasoningContent" not in str(items(told, "bedrock", model="us.anthropic.claude-opus-4-v1:0"))


def test_gemini_gets_its_files_back():
    picture = FilePart(index=0, media_type="image/png", data="aW1n", complete=True)
    assert [{"inlineData": {"mimeType": "image/png", "data": "aW1n"}}] == items(message(picture), "gemini")[0]["parts"]
    assert ["file"] == lost(message(picture), "anthropic")


def test_a_run_of_steps_goes_back_as_its_messages():
    """Calls whose results are in the turn await none; those of a call that is not sent are not sent either."""
    told = message(
        call("c1"), call("c2", raw="{", complete=False, arguments=None),
        ToolResult(index=0, call_id="c1", content="one", executor="client"),
        ToolResult(index=0, call_id="c2", content="bad", executor="client", is_error=True),
        text("x", step=1), call("c3", step=1),
    )  # fmt: skip
    replay = weft.replay_turn(told, "anthropic")
    assert ["assistant", "user", "assistant"] == [item["role"] for item in replay.items]
    assert (["c3"], ["incomplete", "tool_result"]) == (list(replay.call_ids), [loss.what for loss in replay.losses])


def test_the_turn_of_a_turn_is_left_alone():
    """Nothing of the message is changed by sending it back."""
    for target in TARGETS:
        told = turn_one("anthropic-server-tools")
        before = told.to_json()
        weft.replay_turn(told, target)
        assert before == told.to_json()


def test_restored_tools_go_back_to_their_provider_as_the_functions_that_they_were():
    """What `Restore` did for the client is undone for the provider, names included."""
    kinds = {
        "f_shell": ("shell", "shell"),
        "f_run": ("run", "custom"),
        "f_patch": ("patch", "apply_patch"),
        "f_ls": ("ls", "local_shell"),
    }
    tools = weft.ToolIdentityMap(
        weft.ToolIdentity(provider_name=name, requested_name=requested, requested_type=kind)
        for name, (requested, kind) in kinds.items()
    )
    asked = {
        "f_shell": {"commands": ["ls"]},
        "f_run": {"input": "x = 1\n"},
        "f_patch": {"operation": {"type": "delete_file", "path": "a"}},
        "f_ls": {"command": ["ls"], "env": {}},
    }
    calls = [
        {
            "index": at,
            "id": f"c{at}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for at, (name, arguments) in enumerate(asked.items())
    ]
    chunk = {"id": "x", "choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}]}
    pipe = weft.Pipe("openai-chat", "openai-responses", context=weft.Context(tools=tools))
    pipe.feed(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())
    pipe.close()
    assert {"shell", "custom", "apply_patch", "local_shell"} == {call.tool for call in pipe.message.tool_calls}
    (item,) = items(pipe.message, "openai-chat", tools=tools)
    told = {call["function"]["name"]: json.loads(call["function"]["arguments"]) for call in item["tool_calls"]}
    assert asked == told


def test_a_stored_message_is_as_good_as_a_fresh_one():
    """Conversations are kept: a message through JSON and back goes to the next request like the one it was."""
    for name in ("anthropic-server-tools", "openai-responses", "gemini", "openrouter", "bedrock-redacted"):
        fresh = turn_one(name)
        stored = msgspec.json.decode(msgspec.json.encode(fresh), type=Message)
        for target in TARGETS:
            assert weft.replay_turn(fresh, target) == weft.replay_turn(stored, target)


def served(finish: str | None, *more: Any) -> Message:
    raw = {"type": "server_tool_use", "id": "s1", "name": "f", "input": {}}
    origin = ev.Origin("anthropic")
    return message(
        call("s1", raw="", executor="provider", opaque=ev.Opaque(0, raw, origin)), *more, protocol="anthropic", finish=finish
    )  # fmt: skip


@pytest.mark.parametrize(
    ("finish", "kept"), [("pause", True), ("tool_calls", True), ("stop", False), ("length", False)]
)
def test_a_server_tool_without_its_result_goes_back_where_its_provider_goes_on(finish: str, kept: bool):
    """A pause is continued; code that calls the client's tools waits for their results."""
    told = served(finish, *([call("c1")] if finish == "tool_calls" else [text("x")] if finish != "pause" else []))
    assert kept == ("server_tool_use" in str(items(told, "anthropic")))
    assert kept == ("executor" not in lost(told, "anthropic"))


def test_a_plan_whose_calls_are_not_sent_is_text():
    told = message(thought(channel="tool_plan"), call(raw="{", complete=False, arguments=None), protocol="cohere")
    assert [{"role": "assistant", "content": [{"type": "text", "text": "Hm."}]}] == items(told, "cohere")
    assert ["incomplete", "reasoning"] == lost(told, "cohere")
