"""Think tags in the text: F1, F2, F3 and F4 of the failure modes, and what is not a tag."""

import pytest

from tests.filters.filtered import codes, events, read
from tests.protocols.wire import message, sse
from weft.assembler import Assembler
from weft.events import BlockStart, ReasoningDelta, TextDelta
from weft.filters.think import Think, ThinkAnywhere, ThinkOpen
from weft.message import Reasoning, Text, ToolCall, collect


@pytest.mark.parametrize(
    ("opens", "closes"),
    [
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<thought>", "</thought>"),
        ("<reasoning>", "</reasoning>"),
        ("<THINK>", "</think>"),
        ("<Thinking>", "</THINKING>"),
        ("<mm:think>", "</mm:think>"),
        ("<seed:think>", "</seed:think>"),
        ("\n\n <think>", "</think>"),
        ("◁think▷", "◁/think▷"),
        ("[THINK]", "[/THINK]"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
    ],
)
@pytest.mark.parametrize("filter", ["think", "think-open", "think-anywhere"])
@pytest.mark.parametrize("size", [1, 3, 99])
def test_every_spelling_is_reasoning(opens, closes, size, filter):
    """F1, F2, Q-C26."""
    whole = f"{opens}Hm. a[0] < 3.{closes}\nSo."
    got = read(filter, *(whole[at : at + size] for at in range(0, len(whole), size)))
    assert ("Hm. a[0] < 3.", "So.", []) == (got.reasoning, got.text, got.notes)


@pytest.mark.parametrize("size", range(1, 12))
def test_tags_may_be_split_anywhere(size):
    """F2: the hold-back is as long as a tag can be."""
    whole = " <thinking>Hm < 3, a </b> and </thin king>.</thinking>\nSo a < b </i>."
    got = read("think", *(whole[at : at + size] for at in range(0, len(whole), size)))
    assert ("Hm < 3, a </b> and </thin king>.", "So a < b </i>.") == (got.reasoning, got.text)


def test_nothing_is_held_that_cannot_be_a_tag():
    """F2: only the longest end that may become a tag waits."""
    said = [
        e.text for e in events("think", ["<think>", "a", "b<", "c</th", "d</think>"]) if isinstance(e, ReasoningDelta)
    ]
    assert ["a", "b", "<c", "</thd"] == said
    assert ["Hello", " you"] == [e.text for e in events("think", ["Hello", " you"]) if isinstance(e, TextDelta)]


def test_one_delta_may_end_reasoning_and_begin_text():
    """F4: it is split into several events."""
    said = events("think", ["<think>a</think>b"])
    assert [("reasoning", "a"), ("text", "b")] == [
        ("reasoning" if isinstance(e, ReasoningDelta) else "text", e.text)
        for e in said
        if isinstance(e, ReasoningDelta | TextDelta)
    ]
    assert ["reasoning", "text"] == [e.kind for e in said if isinstance(e, BlockStart)]


@pytest.mark.parametrize(
    ("after", "text"),
    [("\nSo", "So"), ("\n\nSo", "\nSo"), ("\r\nSo", "So"), ("So", "So"), (" So", " So"), ("\rSo", "\rSo")],
)
@pytest.mark.parametrize("cut", [True, False])
def test_one_line_end_after_the_closing_tag_is_layout(after, text, cut):
    pieces = ["<think>a</think>", *after] if cut else [f"<think>a</think>{after}"]
    assert text == read("think", *pieces).text


def test_white_space_between_reasoning_and_a_call_is_layout():
    """Qwen's template sets both apart by blank lines."""
    got = through(Think, ("text", "<think>a</think>\n\n"), ("tool_call", 0, "c", "look", "{}"), ("finish", "stop"))
    assert ("", [Reasoning, ToolCall]) == (got.text, [type(part) for part in got.blocks])


def test_what_is_never_closed_is_reasoning_to_the_end():
    """F2: the answer is not dropped."""
    got = read("think", "<think>All of ", "it </thi")
    assert ("All of it </thi", "", "completed") == (got.reasoning, got.text, got.outcome)


def test_a_truncated_stream_keeps_what_was_held():
    got = read("think", "<thi", finish=None)
    assert ("<thi", "truncated") == (got.text, got.outcome)


def test_reasoning_may_begin_again_while_nothing_was_said():
    got = read("think", "<think>a</think>\n<think>b</think>c<think>d</think>")
    assert ([("a", Reasoning), ("b", Reasoning), ("c<think>d</think>", Text)]) == [
        (part.text, type(part)) for part in got.blocks
    ]


def test_a_tag_within_the_text_is_text():
    """F3: it counts where the message begins only, unless asked for."""
    assert "Use <think>a</think> so." == read("think", "Use <think>a</think> so.").text


def test_white_space_alone_is_text():
    assert "\n \n" == read("think", "\n", " ", "\n").text
    assert " Hello" == read("think", " ", "Hello").text


def test_the_first_closing_tag_of_its_name_ends_it():
    """F3: a quoted tag cannot be told from a meant one; the rule is the same for a stream and for a whole reply, and a second one is noted."""
    whole = "<think>I write </think> here.</think>So."
    got = read("think", whole)
    assert ("I write ", " here.</think>So.", ["think_closed_again"]) == (got.reasoning, got.text, codes(got))
    assert got.to_dict()["blocks"] == read("think", *whole).to_dict()["blocks"]


def test_a_closing_tag_of_another_name_is_reasoning():
    got = read("think", "<thinking>a </think> b</thinking>c")
    assert ("a </think> b", "c") == (got.reasoning, got.text)


def test_an_orphan_close_is_text_and_noted_once():
    """F2: what was said before it was text; the note says which filter it takes."""
    got = read("think", "Hm.</think>", "So.</think>")
    assert ("", "Hm.</think>So.</think>", ["think_never_opened"]) == (got.reasoning, got.text, codes(got))


@pytest.mark.parametrize("opening", ["", "<think>", "\n<think>"])
def test_a_prompt_may_have_opened_the_tag(opening):
    """F2: the template's open tag; some models repeat it."""
    got = read("think-open", *f"{opening}Hm.</think>\nSo.")
    assert ("Hm.", "So.") == (got.reasoning, got.text)


def test_what_the_prompt_opened_may_have_any_name():
    assert ("Hm.", "So.") == ((got := read("think-open", "Hm.</mm:think>So.")).reasoning, got.text)


def test_without_a_close_all_is_reasoning_if_the_prompt_opened_it():
    got = read("think-open", " Hm", "m.")
    assert (" Hmm.", "") == (got.reasoning, got.text)
    assert "<th" == read("think-open", "<th").reasoning


def test_anywhere_means_anywhere_but_in_code():
    whole = "So <think>a</think>\nit is\n```xml\n<think>b</think>\n```\nand <thought>c</thought>."
    got = read("think-anywhere", whole)
    assert "So it is\n```xml\n<think>b</think>\n```\nand ." == got.text
    assert ["a", "c"] == [part.text for part in got.blocks if isinstance(part, Reasoning)]
    assert got.to_dict()["blocks"] == read("think-anywhere", *whole).to_dict()["blocks"]


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_fence_may_begin_the_text(fence):
    whole = f"{fence}\n<think>a</think>\n{fence}\n<think>b</think>"
    assert f"{fence}\n<think>a</think>\n{fence}\n" == read("think-anywhere", *whole).text


def test_backticks_within_a_line_are_no_fence():
    got = read("think-anywhere", *"a ```<think>b</think>c")
    assert ("b", "a ```c") == (got.reasoning, got.text)


# -- what comes in between -------------------------------------------------------------------------------------------


def through(maker, *verbs):
    said = []
    assembler = Assembler(said.append)
    filter = maker(assembler)
    for verb, *args in verbs:
        getattr(filter, verb)(*args)
    filter.flush()
    assembler.close()
    return collect(said)


def test_a_call_ends_reasoning_that_was_not_closed():
    """F2: the boundary of a tool call closes it."""
    got = through(
        Think,
        ("text", "<think>Hm"),
        ("tool_call", 0, "c", "look", "{}"),
        ("text", "So."),
        ("finish", "stop"),
    )
    assert [Reasoning, ToolCall, Text] == [type(part) for part in got.blocks]
    assert ("Hm", "So.", "tool_calls") == (got.reasoning, got.text, got.finish)


def test_a_keyed_call_ends_it_too():
    got = through(Think, ("text", "<think>Hm</th"), ("open", "tool_call", "c"), ("text", "So."), ("finish", "stop"))
    assert ("Hm</th", "So.") == (got.reasoning, got.text)


def test_facts_that_come_inside_a_tag_do_not_break_it():
    """Usage on every chunk, a finish that says nothing."""
    got = through(
        Think,
        ("text", "<thi"),
        ("usage", {"input_tokens": 1}),
        ("finish", ""),
        ("meta", "tier", "x"),
        ("text", "nk>Hm</think>So"),
        ("finish", "stop"),
    )
    assert ("Hm", "So") == (got.reasoning, got.text)


def test_what_comes_behind_a_text_does_not_overtake_it():
    got = through(
        Think, ("text", "a <"), ("annotation", "url_citation"), ("reasoning", "r"), ("text", "b"), ("finish", "stop")
    )
    assert ["a <", "r", "b"] == [part.text for part in got.blocks]
    assert 1 == len(got.blocks[0].annotations)


def test_choices_do_not_disturb_each_other():
    got = through(
        Think,
        ("text", "<thi", 0),
        ("text", "<think>b", 1),
        ("tool_call", 0, "c", "look", "{}", 1),
        ("finish", "stop", None, 1),
        ("text", "nk>a</think>A", 0),
        ("text", "B", 1),
        ("finish", "stop", None, 0),
    )
    assert [("a", "A"), ("b", "B")] == [(choice.reasoning, choice.text) for choice in got.choices]


def test_each_keyed_block_begins_anew():
    """Sources with blocks, and steps of an agent's run that use an id again."""
    for between in (("end", "0"), ("step_start",)):
        got = through(
            Think,
            ("text", "<think>a</think>A", 0, "0"),
            between,
            ("text", "<think>b</think>B", 0, "0"),
            ("finish", "stop"),
        )
        assert ("a\n\nb", "AB") == (got.reasoning, got.text)


def test_a_prompt_opens_the_first_text_alone():
    got = through(ThinkOpen, ("text", "a</think>A", 0, "0"), ("text", "B", 0, "1"), ("finish", "stop"))
    assert ("a", "AB") == (got.reasoning, got.text)
    again = through(ThinkOpen, ("text", "a</think>A"), ("step_start",), ("text", "b</think>B"), ("finish", "stop"))
    assert ("a\n\nb", "AB") == (again.reasoning, again.text)


def test_log_probabilities_go_with_the_text_that_is_let_through():
    got = through(
        ThinkAnywhere,
        ("text", "a", 0, None, {"content": [1]}),
        ("text", "b<", 0, None, {"content": [2]}),
        ("text", "", 0, None, {"content": [3]}),
        ("finish", "stop"),
    )
    assert [{"content": [1]}, {"content": [2]}, {"content": [3]}] == got.blocks[0].logprobs


def test_a_chat_stream_with_the_filter():
    frames = [
        {"choices": [{"index": 0, "delta": {"content": piece}}]}
        for piece in ("<th", "ink>Hm", ".</", "think>\n", "So.")
    ]
    data = sse(*frames, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, done=True)
    got = message(data, "openai-chat", filters=["think"])
    assert ("Hm.", "So.", "completed") == (got.reasoning, got.text, got.outcome)
    assert ("", "<think>Hm.</think>\nSo.") == ((plain := message(data, "openai-chat")).reasoning, plain.text)


@pytest.mark.parametrize("ending", [[], ["[DONE]"], [{"error": {"message": "x"}}]], ids=["cut", "done", "error"])
def test_however_a_chat_stream_ends_nothing_held_is_lost(ending):
    frame = {"choices": [{"index": 0, "delta": {"content": "So <"}}]}
    for filter in ("think-anywhere", "qwen-tools", "harmony"):
        assert "So <" == message(sse(frame, *ending), "openai-chat", filters=[filter]).text
