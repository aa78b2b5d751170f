"""Calls of tools written as text (A12): every family's markers, what is no call, what is lost (nothing)."""

import json

import pytest

from tests.filters.filtered import calls, events, kept, read
from tests.protocols.wire import message, sse
from weft.context import Context
from weft.events import BlockStart, TextDelta
from weft.filters.named import NAMED
from weft.filters.tool_markup import LOOK
from weft.filters.tool_markup.qwen import QwenTools
from weft.message import Text, ToolCall
from weft.tools import ToolIdentity, ToolIdentityMap

HERMES = '<tool_call>\n{"name": "look", "arguments": {"at": "sky"}}\n</tool_call>'
QWEN = "<tool_call>\n<function=look>\n<parameter=at>\nsky\n</parameter>\n</function>\n</tool_call>"
BARE_QWEN = "<function=look>\n<parameter=at>\nsky\n</parameter>\n</function>"
GLM_45 = "<tool_call>look\n<arg_key>at</arg_key>\n<arg_value>sky</arg_value>\n</tool_call>"
GLM_47 = "<tool_call>look<arg_key>at</arg_key><arg_value>sky</arg_value></tool_call>"
KIMI_CALL = '<|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"at": "sky"}<|tool_call_end|>'
KIMI = f"<|tool_calls_section_begin|>{KIMI_CALL}<|tool_calls_section_end|>"
KIMI_3 = (
    '<|open|>tools<|sep|><|open|>call tool="look" index="1"<|sep|>'
    '<|open|>argument key="at" type="string"<|sep|>sky<|close|>argument<|sep|>'
    "<|close|>call<|sep|><|close|>tools<|sep|>"
)
MINIMAX = (
    '<minimax:tool_call>\n<invoke name="look">\n<parameter name="at">sky</parameter>\n</invoke>\n</minimax:tool_call>'
)
_M = "]<]minimax[>["
MINIMAX_3 = f'{_M}<tool_call>\n{_M}<invoke name="look">{_M}<at>sky{_M}</at>{_M}</invoke>\n{_M}</tool_call>'
DEEPSEEK_CALL = '<｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{"at": "sky"}\n```<｜tool▁call▁end｜>'
DEEPSEEK_3 = f"<｜tool▁calls▁begin｜>{DEEPSEEK_CALL}<｜tool▁calls▁end｜>"
DEEPSEEK_31 = (
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{"at": "sky"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
)
DSML = (
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="look">\n<｜DSML｜parameter name="at" string="true">sky</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
)
DSML_4 = DSML.replace("function_calls", "tool_calls")
GEMMA_4 = '<|tool_call>call:look{at:<|"|>sky<|"|>}<tool_call|>'
FUNCTION_GEMMA = "<start_function_call>call:look{at:<escape>sky<escape>}<end_function_call>"

FAMILIES = [
    ("qwen-tools", HERMES),
    ("qwen-tools", QWEN),
    ("qwen-tools", BARE_QWEN),
    ("glm-tools", GLM_45),
    ("glm-tools", GLM_47),
    ("kimi-tools", KIMI),
    ("kimi-tools", KIMI_CALL),
    ("kimi-tools", KIMI_3),
    ("minimax-tools", MINIMAX),
    ("minimax-tools", MINIMAX_3),
    ("deepseek-tools", DEEPSEEK_3),
    ("deepseek-tools", DEEPSEEK_31),
    ("deepseek-tools", DSML),
    ("deepseek-tools", DSML_4),
    ("gemma-tools", GEMMA_4),
    ("gemma-tools", FUNCTION_GEMMA),
]
every_family = pytest.mark.parametrize(("name", "markup"), FAMILIES)
CALL = [("look", '{"at": "sky"}')]


def context(*names: str) -> Context:
    return Context(tools=ToolIdentityMap(ToolIdentity(provider_name=name, requested_name=name) for name in names))


@every_family
def test_markup_becomes_a_call(name, markup):
    """A12: and the finish is corrected."""
    got = read(name, f"Let me look.\n{markup}\n")
    assert ("Let me look.\n", CALL, "tool_calls", []) == (got.text, calls(got), got.finish, got.notes)
    assert ({"at": "sky"}, True) == (got.tool_calls[0].arguments, got.tool_calls[0].complete)


@every_family
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_markers_may_be_split_anywhere(name, markup, size):
    """A12: a proxy that cuts the stream anew."""
    whole = f"I < you, you <t. {markup}\n{markup} Done </tool_ca"
    got = read(name, *(whole[at : at + size] for at in range(0, len(whole), size)))
    assert ("I < you, you <t.  Done </tool_ca", CALL * 2) == (got.text.replace("\n", ""), calls(got))


@every_family
def test_a_call_between_texts_keeps_its_place(name, markup):
    got = read(name, f"One.{markup}\nTwo.")
    assert [Text, ToolCall, Text] == [type(part) for part in got.blocks]
    assert ["One.", "\nTwo."] == [part.text for part in got.blocks if isinstance(part, Text)]


@every_family
def test_white_space_around_calls_is_layout(name, markup):
    got = read(name, f"\n\n{markup}\n\n{markup}\n")
    assert ("", CALL * 2, 2) == (got.text, calls(got), len(got.blocks))


@every_family
@pytest.mark.parametrize("cut", [0.4, 0.7])
def test_markup_that_was_cut_is_text(name, markup, cut):
    """Lossless: what does not parse is said as it came, whatever the end."""
    part = markup[: int(len(markup) * cut)]
    for finish in ("stop", "length", None):
        got = read(name, "Look: ", *part, finish=finish)
        assert (f"Look: {part}", []) == (got.text, got.tool_calls)


@every_family
def test_a_tool_that_was_not_declared_is_not_called(name, markup):
    """Only for declared names, if there are any."""
    got = read(name, f"{markup}.", context=context("other"))
    assert (f"{markup}.", [], "stop") == (got.text, got.tool_calls, got.finish)
    assert CALL == calls(read(name, markup, context=context("other", "look")))


@every_family
def test_a_marker_that_is_only_mentioned_is_let_go_of(name, markup):
    """The text does not stand still until the end of the message."""
    opening = markup[: next(end for end in range(6, len(markup)) if markup[end - 1] in ">=")]
    prose = " is how it would begin, and then goes on with one thing and another" * 4
    said = [e.text for e in events(name, ["See ", opening, prose, " more"]) if isinstance(e, TextDelta)]
    assert f"See {opening}{prose} more" == "".join(said)
    assert " more" == said[-1]


@every_family
def test_without_the_filter_it_is_text(name, markup):
    frame = {"choices": [{"index": 0, "delta": {"content": markup}, "finish_reason": "stop"}]}
    assert (markup, []) == ((got := message(sse(frame, done=True), "openai-chat")).text, got.tool_calls)
    assert CALL == calls(message(sse(frame, done=True), "openai-chat", filters=[name]))


@pytest.mark.parametrize(
    ("name", "markup"),
    [
        ("qwen-tools", HERMES.removesuffix("\n</tool_call>")),
        ("kimi-tools", KIMI.removesuffix("<|tool_calls_section_end|>")),
        ("minimax-tools", MINIMAX.removesuffix("\n</minimax:tool_call>")),
        ("deepseek-tools", DEEPSEEK_3.removesuffix("<｜tool▁calls▁end｜>")),
    ],
)
@pytest.mark.parametrize(("finish", "complete"), [("stop", True), ("length", False), (None, False)])
def test_the_last_marker_may_have_been_the_token_that_ended_the_message(name, markup, finish, complete):
    """A9: whether it was, the finish tells; a cut one is not to be executed."""
    got = read(name, *markup, finish=finish)
    assert (CALL, [complete]) == (calls(got), [call.complete for call in got.tool_calls])


@pytest.mark.parametrize(
    ("name", "markup"),
    [
        ("qwen-tools", '<tool_call>{"name": "look", "arguments": {"a": 1}</tool_call>'),
        ("qwen-tools", '<tool_call>{"name": "look", "arguments": [1]}</tool_call>'),
        ("qwen-tools", '<tool_call>{"arguments": {}}</tool_call>'),
        ("qwen-tools", "<tool_call></tool_call>"),
        ("qwen-tools", "<tool_call><function=look><parameter=at>sky</function></tool_call>"),
        ("qwen-tools", "<tool_call><function=look>sky</function></tool_call>"),
        ("glm-tools", "<tool_call>look and see</tool_call>"),
        ("glm-tools", "<tool_call>look<arg_key>at</arg_key></tool_call>"),
        ("glm-tools", "<tool_call></tool_call>"),
        ("kimi-tools", KIMI.replace("}", "")),
        ("kimi-tools", KIMI.replace("functions.look:0", "")),
        ("kimi-tools", KIMI_3.replace(' tool="look"', "")),
        ("kimi-tools", KIMI_3.replace('"string"', '"number"')),
        ("minimax-tools", MINIMAX.replace("</parameter>", "")),
        ("minimax-tools", MINIMAX_3.replace("sky", f"{_M}<deep>sky{_M}</deep>")),
        ("deepseek-tools", DEEPSEEK_3.replace("}", "")),
        ("deepseek-tools", DEEPSEEK_31.replace("<｜tool▁sep｜>", " ")),
        ("deepseek-tools", DSML.replace('"true"', '"false"')),
        ("deepseek-tools", DSML.replace("</｜DSML｜parameter>", "")),
    ],
)
def test_what_does_not_parse_is_text(name, markup):
    """Lossless, and the finish stays a stop."""
    for pieces in ([markup], list(markup)):
        got = read(name, "a ", *pieces, " b")
        assert (f"a {markup} b", [], "stop") == (got.text, got.tool_calls, got.finish)


# -- arguments -------------------------------------------------------------------------------------------------------


def test_json_arguments_keep_their_own_text():
    """A26."""
    markup = '<tool_call>{"name": "f", "arguments": {"n":1.50,  "s": "\\u00e9 </b>"}}</tool_call>'
    assert [("f", '{"n":1.50,  "s": "\\u00e9 </b>"}')] == calls(read("qwen-tools", markup))


@pytest.mark.parametrize(
    ("call", "raw"),
    [
        ('{"name": "f"}', "{}"),
        ('{"name": "f", "arguments": {}}', "{}"),
        ('{"name": "f", "arguments": ""}', "{}"),
        ('{"name": "f", "parameters": {"a": 1}}', '{"a": 1}'),
        ('{"name": "f", "arguments": "{\\"a\\": 1}"}', '{"a": 1}'),
        ('[{"name": "f", "arguments": {"a": 1}}]', '{"a": 1}'),
    ],
)
def test_json_calls_in_all_their_forms(call, raw):
    assert [("f", raw)] == calls(read("qwen-tools", f"<tool_call>{call}</tool_call>"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("true", True),
        ("null", None),
        ('{"a": [1]}', {"a": [1]}),
        ("sky", "sky"),
        ("007", "007"),
        (' "x" ', "x"),
        ("", ""),
        ("True", "True"),
    ],
)
def test_arguments_without_quotes_are_json_if_they_can_be(text, value):
    """Without a schema nobody knows whether 5 is a number."""
    for name, markup in (
        ("glm-tools", f"<tool_call>f<arg_key>a</arg_key><arg_value>{text}</arg_value></tool_call>"),
        (
            "minimax-tools",
            f'<minimax:tool_call><invoke name="f"><parameter name="a">{text}</parameter></invoke></minimax:tool_call>',
        ),
        ("qwen-tools", f"<tool_call><function=f><parameter=a>\n{text}\n</parameter></function></tool_call>"),
    ):
        (call,) = read(name, markup).tool_calls
        assert {"a": value} == call.arguments


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}}


@pytest.mark.parametrize(
    "tools",
    [
        [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}],
        [{"type": "function", "name": "f", "parameters": SCHEMA}],
        [{"name": "f", "input_schema": SCHEMA}],
        [{"functionDeclarations": [{"name": "f", "parameters": SCHEMA}]}],
    ],
    ids=["chat", "responses", "anthropic", "gemini"],
)
def test_a_schema_says_what_is_text(tools):
    """The request declares the names as well."""
    pairs = "<arg_key>a</arg_key><arg_value>5</arg_value><arg_key>n</arg_key><arg_value>5</arg_value>"
    markup = f"<tool_call>f{pairs}</tool_call>"
    asked = Context(request={"tools": tools})
    assert [{"a": "5", "n": 5}] == [call.arguments for call in read("glm-tools", markup, context=asked).tool_calls]
    other = markup.replace(">f<", ">g<")
    assert other == read("glm-tools", other, context=asked).text


def test_names_may_be_given_to_the_filter_itself():
    frame = {"choices": [{"index": 0, "delta": {"content": HERMES}, "finish_reason": "stop"}]}
    data = sse(frame, done=True)
    assert CALL == calls(message(data, "openai-chat", filters=[lambda out: QwenTools(out, tools=["look"])]))
    assert [] == calls(message(data, "openai-chat", filters=[lambda out: QwenTools(out, tools=[])]))


def test_typed_arguments_keep_their_types():
    dsml = DSML.replace('string="true">sky', 'string="false">{"deep": [1.50]}')
    assert [("look", '{"at": {"deep": [1.50]}}')] == calls(read("deepseek-tools", dsml))
    text = DSML.replace(">sky<", ">5<")
    assert [("look", '{"at": "5"}')] == calls(read("deepseek-tools", text))
    kimi = KIMI_3.replace('"string"<|sep|>sky', '"number"<|sep|>5').replace('key="at"', 'key="a &quot;t&quot;"')
    assert [{'a "t"': 5}] == [call.arguments for call in read("kimi-tools", kimi).tool_calls]
    raw = KIMI_3.replace(
        'argument key="at" type="string"<|sep|>sky<|close|>argument', 'json<|sep|>{"at": 1.50}<|close|>json'
    )
    assert [("look", '{"at": 1.50}')] == calls(read("kimi-tools", raw))


def test_the_native_id_of_a_call_is_kept():
    """Kimi wants its own ids back; other families have none, and get ours."""
    (call,) = read("kimi-tools", KIMI).tool_calls
    assert ("functions.look:0", False) == (call.id, call.made_id)
    first, second = read("qwen-tools", HERMES + HERMES).tool_calls
    assert (True, True) == (first.made_id, first.id != second.id)


def test_several_calls_in_one_section():
    two = KIMI.replace(KIMI_CALL, KIMI_CALL + "\n" + KIMI_CALL.replace(":0", ":1"))
    assert ["functions.look:0", "functions.look:1"] == [call.id for call in read("kimi-tools", two).tool_calls]
    both = DEEPSEEK_3.replace(DEEPSEEK_CALL, DEEPSEEK_CALL * 2)
    assert CALL * 2 == calls(read("deepseek-tools", both))


def test_a_call_without_arguments():
    for name, markup in (
        ("glm-tools", "<tool_call>now</tool_call>"),
        ("minimax-tools", "<minimax:tool_call><invoke name='now'></invoke></minimax:tool_call>"),
        ("qwen-tools", "<tool_call><function=now></function></tool_call>"),
        ("deepseek-tools", '<｜DSML｜tool_calls><｜DSML｜invoke name="now"></｜DSML｜invoke></｜DSML｜tool_calls>'),
    ):
        got = read(name, markup)
        assert [("now", "{}", True)] == [(call.name, call.raw, call.complete) for call in got.tool_calls]


# -- with others -----------------------------------------------------------------------------------------------------


def test_reasoning_then_a_call():
    frame = {
        "choices": [{"index": 0, "delta": {"content": f"<think>\nHm.\n</think>\n\n{QWEN}"}, "finish_reason": "stop"}]
    }
    got = message(sse(frame, done=True), "openai-chat", filters=["think", "qwen-tools"])
    assert ("\nHm.\n", "", CALL, "tool_calls") == (got.reasoning, got.text, calls(got), got.finish)


def test_which_filter_comes_first_decides_about_calls_in_reasoning():
    """F2: a call can end reasoning that was never closed, or be a thought."""
    frame = {"choices": [{"index": 0, "delta": {"content": f"<think>Hm.{HERMES}"}, "finish_reason": "stop"}]}
    thought = message(sse(frame, done=True), "openai-chat", filters=["think", "qwen-tools"])
    assert (f"Hm.{HERMES}", []) == (thought.reasoning, thought.tool_calls)
    called = message(sse(frame, done=True), "openai-chat", filters=["qwen-tools", "think"])
    assert ("Hm.", CALL, "tool_calls") == (called.reasoning, calls(called), called.finish)


def test_calls_come_whole():
    said = [e for e in events("qwen-tools", [HERMES]) if isinstance(e, BlockStart)]
    assert [("tool_call", "whole")] == [(block.kind, block.arrival) for block in said]


def test_every_named_filter_can_be_made():
    for name in NAMED:
        assert (
            "Hello" == read(name, "Hel", "lo").text
            if name != "think-open"
            else "Hello" == read(name, "Hel", "lo").reasoning
        )


def test_characters_that_json_cannot_hold_do_no_harm():
    markup = "<tool_call>f<arg_key>a</arg_key><arg_value>\ud83d \x00 \u2028</arg_value></tool_call>"
    (call,) = read("glm-tools", markup).tool_calls
    assert {"a": "? \x00 \u2028"} == json.loads(call.raw)


def test_what_became_of_every_character_can_be_seen():
    whole = f"One. {HERMES}\n{HERMES}"
    assert [("say", "One. "), ("markup", HERMES), ("markup", "\n"), ("markup", HERMES)] == [
        (kind, text) for kind, text in kept("qwen-tools", [whole]) if text
    ]


@pytest.mark.parametrize("distance", range(LOOK - 2, LOOK + 3))
def test_how_far_is_looked_does_not_depend_on_the_cuts(distance):
    """A marker that was but mentioned, and a call right after it."""
    inner = HERMES.removesuffix("</tool_call>")
    whole = f"<tool_call>{'x' * (distance - len(inner))}{HERMES}"
    got, cut = read("qwen-tools", whole), read("qwen-tools", *whole)
    assert got.to_dict() == cut.to_dict()
    assert ([] if distance < LOOK else CALL) == calls(got)


def test_white_space_alone_is_text():
    assert "\n \n" == read("qwen-tools", "\n", " ", "\n").text
