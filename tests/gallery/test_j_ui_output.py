"""Failures J: what UI clients refuse (AI SDK, AG-UI, VS Code). One test for each mode, with where it was seen."""

import pytest

import weft
from tests.gallery.shown import answer, chat, converted
from tests.protocols.chat_wire import call, calls, chunk, end, envelope, text, usage
from tests.protocols.wire import message, sse

FAILED = {"error": {"message": "No.", "type": "server_error"}}
UI = {
    "ai-sdk-ui": {
        "text-start": "text-end",
        "reasoning-start": "reasoning-end",
        "tool-input-start": "tool-input-error",
        "start-step": "finish-step",
    },
    "ag-ui": {
        "TEXT_MESSAGE_START": "TEXT_MESSAGE_END",
        "REASONING_START": "REASONING_END",
        "REASONING_MESSAGE_START": "REASONING_MESSAGE_END",
        "TOOL_CALL_START": "TOOL_CALL_END",
    },
}
"""target -> what opens something, and what closes it when it is cut."""


def steps(*texts: str) -> list[dict]:
    """An AI SDK message of one step for each text, all under the same part id."""
    parts = []
    for said in texts:
        parts += [
            {"type": "start-step"},
            {"type": "text-start", "id": "0"},
            {"type": "text-delta", "id": "0", "delta": said},
            {"type": "text-end", "id": "0"},
            {"type": "finish-step"},
        ]
    return [{"type": "start", "messageId": "m"}, *parts, {"type": "finish"}]


def ids_of(out: list) -> list[tuple[str, str]]:
    """Type and id of each frame that names a part."""
    return [
        (each["type"], each.get("id") or each.get("messageId") or each["toolCallId"])
        for each in out
        if isinstance(each, dict) and each.keys() & {"id", "messageId", "toolCallId"}
    ]


@pytest.mark.parametrize("target", UI)
def test_j01_delta_for_a_part_never_started(target: str):
    """A delta names a part that was not started: each part is started before its first delta, and ended after its last.

    vercel/ai#16433, vercel/ai#15543
    """
    data = answer(chunk({"reasoning": "So"}), text("Hi"), calls(call(0, "c", "f", "{}")))
    out = converted(data, target)
    begun: set[str] = set()
    for kind, id in ids_of(out):
        if kind.lower().endswith("start"):
            begun.add(id)
        assert id in begun
    orphan = sse(
        {"type": "start", "messageId": "m"}, {"type": "text-delta", "id": "7", "delta": "Hi"}, {"type": "finish"}
    )
    assert "text-start" in [each["type"] for each in converted(orphan, "ai-sdk-ui", "ai-sdk-ui")[:-1]]


def test_j02_part_ids_used_again_in_the_next_step():
    """Two steps call their text `0`: the ids that go out are never used twice in one message.

    vercel/ai#10781
    """
    data = sse(*steps("One.", "Two."), done=True)
    starts = [each["id"] for each in converted(data, "ai-sdk-ui", "ai-sdk-ui")[:-1] if each["type"] == "text-start"]
    assert (2, 2) == (len(starts), len(set(starts)))
    assert "One.Two." == message(data, "ai-sdk-ui").text


@pytest.mark.parametrize("target", UI)
@pytest.mark.parametrize("last", [FAILED, None])
def test_j03_open_parts_on_error(target: str, last):
    """The stream fails, or breaks off, while parts are open, and a spinner turns for ever: they are closed, then the error is said.

    pydantic/pydantic-ai#6550, pydantic/pydantic-ai#4963
    """
    data = chat(
        chunk({"reasoning": "So"}), text("Hi"), calls(call(0, "c", "f", '{"a')), *([last] if last else []), done=False
    )
    names = [each["type"] for each in converted(data, target) if each != "[DONE]"]
    for opening, closing in UI[target].items():
        assert names.count(opening) == names.count(closing)
    error = next(at for at, name in enumerate(names) if name in ("error", "RUN_ERROR"))
    assert set() == (set(UI[target].values()) - {"finish-step"}) & set(names[error:])


def test_j04_preamble_twice():
    """A retry upstream says `start` again: the client gets one.

    zirkelc/ai-retry#51
    """
    data = sse({"type": "start", "messageId": "m"}, *steps("Hi"), done=True)
    assert 1 == [each["type"] for each in converted(data, "ai-sdk-ui", "ai-sdk-ui")[:-1]].count("start")
    assert 1 == [each["type"] for each in converted(data, "ag-ui", "ai-sdk-ui")].count("RUN_STARTED")


@pytest.mark.parametrize("target", ["ai-sdk-ui", "ag-ui", "vscode"])
def test_j05_raw_server_errors(target: str):
    """What a server says of its insides reaches a person: only the message that may be shown goes out.

    vercel/ai#15994
    """

    def source():
        yield sse(text("Hi"))
        raise ConnectionError("10.0.0.7:8443 refused, see /srv/pool.py")

    out = weft.convert(source(), "openai-chat", target)
    assert b"The connection to the provider failed." in out
    assert b"10.0.0.7" not in out


@pytest.mark.parametrize(
    "frames",
    [[end()], [chunk({"reasoning": "So"}), end()], [envelope([], usage=usage()), end()], [envelope([], usage=usage())]],
    ids=["nothing", "reasoning alone", "counts first", "counts alone"],
)
def test_j06_response_without_choices(frames):
    """VS Code reads a stream with counts or reasoning alone as one without choices: there is a choice with its role, and one with a finish.

    microsoft/vscode#322209, microsoft/vscode#324335
    """
    out = converted(chat(*frames), "openai-chat", context=weft.Context(profile="copilot"))[:-1]
    choices = [choice for frame in out for choice in frame["choices"]]
    assert "assistant" == choices[0]["delta"]["role"]
    assert ["stop"] == [choice["finish_reason"] for choice in choices if choice["finish_reason"]]
    assert out[0]["choices"]


def test_j07_ids_that_are_names_of_an_object():
    """A part is called `__proto__`: an id is a key like any other, and the ids of parts that go out are ours.

    vercel/ai#16006
    """
    data = sse(
        {"type": "start", "messageId": "m"},
        {"type": "text-start", "id": "__proto__"},
        {"type": "text-delta", "id": "__proto__", "delta": "Hi"},
        {"type": "text-end", "id": "__proto__"},
        {"type": "tool-input-available", "toolCallId": "constructor", "toolName": "f", "input": {}},
        {"type": "finish"},
        done=True,
    )
    got = message(data, "ai-sdk-ui")
    assert ("Hi", ["constructor"]) == (got.text, [each.id for each in got.tool_calls])
    starts = [each["id"] for each in converted(data, "ai-sdk-ui", "ai-sdk-ui")[:-1] if each["type"] == "text-start"]
    assert ["__proto__" not in each and len(each) < 40 for each in starts] == [True]
