"""What the servers that speak chat.completions insist on: one rule a test."""

import pytest

import weft
from tests.turns.told import call, items, lost, message, text, thought
from weft import events as ev
from weft.message import FilePart, Refusal


@pytest.mark.parametrize(
    ("target", "member", "value"),
    [
        ("openai-chat/deepseek", "reasoning_content", "Hm."),
        ("openai-chat/moonshot", "reasoning_content", "Hm."),
        ("openai-chat/zhipu", "reasoning_content", "Hm."),
        ("openai-chat/vllm", "reasoning", "Hm."),
        ("openai-chat/openrouter", "reasoning", "Hm."),
        ("openai-chat/groq", "reasoning", "Hm."),
        ("openai-chat/copilot", "reasoning_text", "Hm."),
        ("openai-chat/minimax", "content", "<think>\nHm.\n</think>\n\nx"),
        ("openai-chat", "content", "<thinking>\nHm.\n</thinking>\n\nx"),
        ("openai-chat/azure", "content", "<thinking>\nHm.\n</thinking>\n\nx"),
    ],
)
def test_reasoning_stands_where_its_server_looks_for_it(target: str, member: str, value: str):
    (item,) = items(message(thought(), text("x"), protocol="gemini"), target)
    assert value == item[member]


def test_mistral_thinks_in_a_part_of_the_content():
    (item,) = items(message(thought(), text("x")), "openai-chat/mistral")
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    assert [thinking, {"type": "text", "text": "x"}] == item["content"]


@pytest.mark.parametrize(("target", "value"), [("deepseek", ""), ("moonshot", " "), ("vllm", None), ("", None)])
def test_calls_without_reasoning_are_refused_by_some(target: str, value: str | None):
    (item,) = items(message(call(), protocol="anthropic"), f"openai-chat/{target}".rstrip("/"))
    assert value == item.get("reasoning_content")


def test_the_models_name_tells_the_server():
    (item,) = items(message(thought(), call(), protocol="anthropic"), "openai-chat", model="deepseek-reasoner")
    assert "Hm." == item["reasoning_content"]


def test_what_the_same_server_said_goes_back_under_the_common_name():
    (item,) = items(message(thought(), text("x"), protocol="openai-chat", model="mine"), "openai-chat")
    assert ("Hm.", "x") == (item["reasoning_content"], item["content"])


def test_copilot_and_litellm_get_their_state_where_it_was():
    chat = ev.Origin("openai-chat")
    opaque = thought(ev.Signature(0, "o", chat, format="reasoning_opaque", encrypted=True))
    blocks = thought(ev.Signature(0, "s", chat, format="thinking_blocks"))
    (copilot,) = items(message(opaque, text("x"), protocol="openai-chat"), "openai-chat/copilot")
    (litellm,) = items(message(blocks, text("x"), protocol="openai-chat"), "openai-chat")
    assert ("o", "Hm.") == (copilot["reasoning_opaque"], copilot["reasoning_text"])
    assert [{"type": "thinking", "thinking": "Hm.", "signature": "s"}] == litellm["thinking_blocks"]
    assert ["signature"] == lost(message(opaque, text("x"), protocol="openai-chat"), "openai-chat/openrouter")


def test_google_gets_its_signature_on_the_call():
    signed = call(signatures=[ev.Signature(0, "g", ev.Origin("openai-chat"))])
    (item,) = items(message(signed, protocol="openai-chat"), "openai-chat")
    assert {"google": {"thought_signature": "g"}} == item["tool_calls"][0]["extra_content"]


def test_refusals_and_free_input_go_where_they_are_known():
    told = message(Refusal(index=0, text="No.", complete=True), call(tool="custom", raw="free"))
    openai, deepseek = (items(told, target)[0] for target in ("openai-chat", "openai-chat/deepseek"))
    assert ("No.", "custom") == (openai["refusal"], openai["tool_calls"][0]["type"])
    assert ("No.", '{"input":"free"}') == (deepseek["content"], deepseek["tool_calls"][0]["function"]["arguments"])
    assert ["refusal", "tool_kind"] == lost(told, "openai-chat/deepseek")


def test_audio_goes_back_by_its_id():
    sound = FilePart(index=0, media_type="audio/*", file_id="audio_1", complete=True)
    (item,) = items(message(sound, text("Hello", channel="transcript"), protocol="openai-chat"), "openai-chat")
    assert {"role": "assistant", "audio": {"id": "audio_1"}} == item


def test_a_call_of_the_old_days_goes_back_as_one():
    replay = weft.replay_turn(message(call(tool="function_call"), protocol="openai-chat"), "openai-chat")
    assert {"name": "f", "arguments": '{"a":1}'} == replay.items[0]["function_call"]
    assert {"c1": None} == replay.call_ids


def test_order_that_nobody_can_see_is_lost():
    assert ["order"] == lost(message(call(), text("x")), "openai-chat")
    assert [] == lost(message(text("x"), call()), "openai-chat")
