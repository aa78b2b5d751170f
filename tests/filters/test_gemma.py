"""Gemma's calls: values of every kind, in every quote that was seen, and what is none."""

import json

import pytest

from tests.filters.filtered import calls, read
from weft.context import Context


def args(inside: str, **options):
    got = read("gemma-tools", f"<|tool_call>call:f{{{inside}}}<tool_call|>", **options)
    return [json.loads(raw) for _, raw in calls(got)] or got.text


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("", {}),
        ("n:5,x:-1.5e3,t:true,f:false,z:null", {"n": 5, "x": -1500.0, "t": True, "f": False, "z": None}),
        ('s:<|"|>a, {b}: "c"\\n<|"|>', {"s": 'a, {b}: "c"\\n'}),
        ("s:<escape>it's<escape>", {"s": "it's"}),
        ("s:two words, t : x ", {"s": "two words", "t": "x"}),
        ('<|"|>k<|"|>:<|"|><|"|>', {"k": ""}),
        ('xs:[<|"|>a<|"|>,2,[true]],o:{k:<|"|>v<|"|>,p:{}}', {"xs": ["a", 2, [True]], "o": {"k": "v", "p": {}}}),
        # vllm-project/vllm#51284: plain quotes in containers.
        ('xs:["a\\u00e9"],ys:[\'b\'],o:{"mode": "fast"}', {"xs": ["aé"], "ys": ["b"], "o": {"mode": "fast"}}),
    ],
)
def test_values_of_every_kind(inside, expected):
    assert [expected] == args(inside)


@pytest.mark.parametrize(
    "inside",
    [
        "a",
        "a:",
        "a:1,",
        ",a:1",
        "a:{",
        "a:[1",
        'a:<|"|>open',
        "a:1}{",
        "a b:c:d",
        "{a:1}",
        "a:" + "[" * 200 + "]" * 200,
    ],
)
def test_what_does_not_parse_is_text(inside):
    assert f"<|tool_call>call:f{{{inside}}}<tool_call|>" == args(inside)


def test_a_schema_says_what_is_text():
    properties = {"n": {"type": "string"}, "o": {"type": "object"}}
    function = {"name": "f", "parameters": {"type": "object", "properties": properties}}
    context = Context(request={"tools": [{"type": "function", "function": function}]})
    assert [{"n": "5", "o": {"n": 5}}] == args("n:5,o:{n:5}", context=context)


def test_several_calls_in_one_block_and_names_with_dots_and_hyphens():
    got = read("gemma-tools", "<|tool_call>call:a.b-c{x:1}call: d {}<tool_call|>")
    assert [("a.b-c", '{"x": 1}'), ("d", "{}")] == calls(got)


def test_a_call_whose_end_was_the_end_of_the_message():
    """The closing token is often the one that stops the model."""
    got = read("gemma-tools", '<|tool_call>call:f{a:<|"|>b<|"|>}')
    assert ([("f", '{"a": "b"}')], [True]) == (calls(got), [call.complete for call in got.tool_calls])
