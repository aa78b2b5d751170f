"""The imitators of chat.completions: each has a name, and most need nothing more. Letters and numbers are modes of failures.md."""

from typing import Any

import pytest

import weft
from tests.protocols.chat_wire import call, calls, chunk, codes, end, envelope, read, text, told, usage
from tests.protocols.wire import sse
from weft.detect import detect
from weft.message import Message
from weft.protocol import UnknownNameError, resolve
from weft.protocols.openai_chat.dialects import CHAT, DECLARING, ROWS

NAMES = (
    "deepseek openrouter zhipu minimax xiaomi qwen mistral groq xai azure moonshot together fireworks cerebras perplexity vllm sglang "
    "llamacpp tgi ollama copilot lmstudio google deepinfra huggingface litellm databricks snowflake nvidia gpustack writer venice "
    "watsonx cloudflare vercel snapshots"
).split()


@pytest.mark.parametrize("name", NAMES)
def test_every_dialect_can_be_named(name: str):
    row = resolve(f"openai-chat/{name}")[1]
    assert name == row.name
    assert row.title
    assert row.evidence
    assert "x" == read(text("x"), end(), dialect=name).text


def test_names_are_told_apart():
    assert len(ROWS) == len({row.name for row in ROWS})
    assert set(NAMES) == {row.name for row in ROWS}


def test_a_name_that_nobody_has_names_the_nearest():
    with pytest.raises(UnknownNameError, match="deepseek"):
        resolve("openai-chat/depseek")


def test_a_row_that_declares_nothing_is_the_bare_protocol():
    for row in ROWS:
        declares = (row.rules, row.filters, row.choices_are, row.reasoning_count)
        bare = (CHAT.rules, CHAT.filters, CHAT.choices_are, CHAT.reasoning_count)
        assert (row not in DECLARING) == (declares == bare), row.name


# -- what each does, read by the bare protocol ---------------------------------------------------------------------


def glm(delta: Any, index: int, finish: str | None = None, model: str = "glm-4.6") -> dict[str, Any]:
    return {
        "id": "c1",
        "created": 1,
        "model": model,
        "choices": [{"index": index, "delta": delta, "finish_reason": finish}],
    }


PHASES = [
    ({"role": "assistant", "reasoning_content": "hm"}, 0, None),
    ({"role": "assistant", "content": "x"}, 1, None),
    ({"role": "assistant", "tool_calls": [call(0, "a", "f", "{}")]}, 2, None),
    ({"role": "assistant", "tool_calls": [call(1, "b", "g", "{}")]}, 3, None),
    ({"role": "assistant", "content": ""}, 3, "tool_calls"),
]


@pytest.mark.parametrize(("model", "dialect"), [("glm-4.6", ""), ("GLM-4.5-Air", ""), ("my-alias", "zhipu")])
def test_zhipu_counts_phases_where_others_count_choices(model: str, dialect: str):
    message = read(*(glm(*phase, model=model) for phase in PHASES), dialect=dialect)
    assert ("hm", "x", [("a", "f", "{}"), ("b", "g", "{}")], "tool_calls", 1) == (
        message.reasoning,
        message.text,
        told(message),
        message.finish,
        len(message.choices),
    )


def test_an_index_counts_choices_wherever_else():
    """B8: a gateway that serves GLM may well have several answers"""
    message = read(*(glm(*phase, model="zai-org/GLM-4.6") for phase in PHASES))
    assert 4 == len(message.choices)


def deepseek() -> list[Any]:
    return [
        chunk({"role": "assistant", "content": None, "reasoning_content": "hm"}),
        chunk({"content": "x", "reasoning_content": None}),
        end("stop", usage=usage(10, 5, 15, prompt_cache_hit_tokens=8, prompt_cache_miss_tokens=2)),
    ]


def qwen() -> list[Any]:
    return [
        calls(call(0, "a", "f", "")),
        calls({"index": 0, "id": "", "type": "function", "function": {"arguments": "{"}}),
        calls({"index": 0, "id": "", "type": "function", "function": {"arguments": "}"}}),
        {"id": "c1", "model": "qwen3", "choices": [{"index": 0, "delta": {"tool_calls": [call(0, "", None, "")]}}]},
        end("tool_calls", usage=None),
        envelope([], usage=usage()),
    ]


def mistral() -> list[Any]:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "closed": True}
    return [
        {**chunk({"role": None, "content": [thinking]}), "p": "abc"},
        chunk({"content": [{"type": "text", "text": "x"}]}),
        chunk({"content": "", "tool_calls": [call(None, "abc123def", "f", "{}")]}, "tool_calls", usage=usage()),
    ]


def groq() -> list[Any]:
    return [
        {**chunk({"role": "assistant", "content": ""}), "x_groq": {"id": "req_1"}},
        chunk({"reasoning": "hm", "channel": "analysis"}),
        text("x"),
        end("stop", x_groq={"id": "req_1", "usage": {**usage(), "queue_time": 0.1}}),
    ]


def moonshot() -> list[Any]:
    ending = {"index": 0, "delta": {}, "finish_reason": "tool_calls", "usage": usage(3, 4, 7, cached_tokens=2)}
    return [calls(call(0, "functions.f:0", "f", "{}")), envelope([ending])]


def minimax() -> list[Any]:
    nulls = {"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": "}"}}
    detail = {
        "type": "reasoning.text",
        "id": "reasoning-text-1",
        "format": "MiniMax-response-v1",
        "index": 0,
        "text": "hm",
    }
    return [
        chunk({"role": "assistant", "name": "MiniMax AI", "reasoning_details": [detail], "audio_content": ""}),
        calls(call(0, "a", "f", "{")),
        calls(nulls),
        {**end("tool_calls"), "input_sensitive": False, "output_sensitive": False},
        envelope(None, usage=usage(), base_resp={"status_code": 0, "status_msg": ""}),
    ]


def copilot() -> list[Any]:
    pair = [
        {"index": 0, "delta": {"content": "x", "reasoning_text": "hm"}},
        {"index": 0, "delta": {"tool_calls": [call(0, "a", "f", "{}")]}, "finish_reason": "tool_calls"},
    ]
    return [
        {"choices": [], "created": 0, "id": "", "prompt_filter_results": []},
        envelope(pair, usage=usage(3, 4, 7, reasoning_tokens=0), copilot_usage={"total_nano_aiu": 0}),
    ]


def sglang() -> list[Any]:
    first = chunk({"role": None, "content": None, "reasoning_content": "hm", "tool_calls": None}, "None")
    first["choices"][0]["matched_stop"] = None
    return [first, chunk({"role": None, "content": "x"}, ""), end("stop", usage=usage())]


def llamacpp() -> list[Any]:
    return [
        chunk({"role": "assistant", "content": None}),
        chunk({"reasoning_content": "hm"}),
        calls(call(0, "a", "f")),
        calls(call(0, args={"x": 1})),
        end("tool_calls", usage=usage(), timings={"predicted_ms": 1.5}),
    ]


def tgi() -> list[Any]:
    whole = {
        "index": 0,
        "id": "0",
        "type": "function",
        "function": {"description": None, "name": "f", "arguments": {"x": 1}},
    }
    return [
        {**chunk({"role": "assistant", "content": "", "tool_calls": [whole]}), "object": "text_completion"},
        end("eos_token"),
    ]


def nvidia() -> list[Any]:
    return [calls(call(0, None, "f", "{")), calls(call(0, None, "f", "}")), end("tool_calls")]


WILD: dict[str, tuple[list[Any], tuple[str, str, list[Any], int | None]]] = {
    "deepseek": (deepseek(), ("hm", "x", [], 8)),
    "qwen": (qwen(), ("", "", [("a", "f", "{}")], None)),
    "mistral": (mistral(), ("hm", "x", [("abc123def", "f", "{}")], None)),
    "groq": (groq(), ("hm", "x", [], None)),
    "moonshot": (moonshot(), ("", "", [("functions.f:0", "f", "{}")], 2)),
    "minimax": (minimax(), ("hm", "", [("a", "f", "{}")], None)),
    "copilot": (copilot(), ("hm", "x", [("a", "f", "{}")], None)),
    "sglang": (sglang(), ("hm", "x", [], None)),
    "llamacpp": (llamacpp(), ("hm", "", [("a", "f", '{"x": 1}')], None)),
    "tgi": (tgi(), ("", "", [("0", "f", '{"x": 1}')], None)),
    "nvidia": (nvidia(), ("", "", [(None, "f", "{}")], None)),
}


def seen(message: Message) -> tuple[str, str, list[Any], int | None]:
    return message.reasoning, message.text, told(message), message.usage.cache_read_tokens if message.usage else None


@pytest.mark.parametrize("named", [True, False], ids=["by its row", "bare"])
@pytest.mark.parametrize("name", WILD)
def test_what_it_adds_is_read(name: str, named: bool):
    frames, expected = WILD[name]
    message = read(*frames, dialect=name if named else "")
    assert expected == seen(message)
    assert ("completed", [], []) == (message.outcome, codes(message), message.unknown)
    assert message.finish == ("tool_calls" if message.tool_calls else "stop")
    assert message.usage is not None or name in {"tgi", "nvidia"}


@pytest.mark.parametrize("name", WILD)
def test_strict_mode_knows_what_it_adds(name: str):
    assert "completed" == read(*WILD[name][0], strict=True).outcome


def test_tgi_without_a_space_and_without_done():
    """E5"""
    message = weft.collect(weft.read(sse(*tgi()).replace(b"data: ", b"data:"), "openai-chat"))
    assert ("completed", "tool_calls") == (message.outcome, message.finish)


@pytest.mark.parametrize(
    ("dialect", "frames"),
    [
        ("zhipu", [glm({"content": "x"}, 0)]),
        ("xai", [{**text("x"), "model": "grok-4"}]),
        ("openrouter", [{**text("x"), "id": "gen-1", "provider": "P"}]),
        ("groq", groq()),
        ("deepseek", [{**text("x"), "model": "deepseek-chat"}]),
        ("copilot", copilot()),
        ("azure", [{"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}, text("x")]),
        ("ollama", [{**text("x"), "system_fingerprint": "fp_ollama"}]),
        ("moonshot", [{**text("x"), "model": "kimi-k2"}]),
        ("perplexity", [{**text("x"), "search_results": [{"url": "https://a.example"}]}]),
        (None, [text("x"), end()]),
    ],
)
def test_it_is_recognised(dialect: str | None, frames: list[Any]):
    found = detect(sse(*frames))[0]
    assert ("openai-chat", dialect) == (found.protocol, found.dialect)
