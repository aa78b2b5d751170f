"""chat.completions as a source: chunks, choices, text, finishes. Letters and numbers are modes of failures.md."""

import json

import pytest

import weft
from tests.protocols.chat_wire import (
    PROTOCOL,
    call,
    calls,
    chunk,
    codes,
    end,
    envelope,
    read,
    read_events,
    text,
    told,
    usage,
)  # fmt: skip
from weft.events import (
    Annotation,
    BlockEnd,
    BlockStart,
    End,
    File,
    Finish,
    Meta,
    RefusalDelta,
    Start,
    TextDelta,
    Unknown,
    Usage,
)

ROLE = chunk({"role": "assistant", "content": "", "refusal": None})


def test_golden_stream_event_by_event():
    """Atlas 2.1.2: role, text, finish, usage, [DONE]."""
    frames = [ROLE, text("Hi"), text(" you"), end(), envelope([], usage=usage())]
    counts = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    counted = Usage(3, 4, 7, sources=dict.fromkeys(counts, "reported"), raw=usage())
    assert [
        Start("c1", "m", created=1),
        BlockStart(0, "text"),
        TextDelta(0, "Hi"),
        TextDelta(0, " you"),
        counted,
        BlockEnd(0, True),
        End("completed", (Finish(0, "stop", "stop"),), counted),
    ] == read_events(*frames)


def test_a_role_alone_opens_nothing():
    message = read(ROLE, end())
    assert ([], "stop", "completed") == (message.blocks, message.finish, message.outcome)


# -- the shape of a chunk ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choices", [[], None])
def test_chunks_without_choices_are_normal(choices):
    """B1"""
    message = read(envelope(choices), text("x"), envelope(choices), end(), envelope(choices, usage=usage()))
    assert ("x", "completed", 7) == (message.text, message.outcome, message.usage and message.usage.total_tokens)
    assert [] == message.notes
    assert [] == message.unknown


@pytest.mark.parametrize(
    "choice", [{"index": 0, "delta": None}, {"index": 0}, {"index": 0, "delta": {}}, {"delta": {}}]
)
def test_a_choice_without_a_delta_says_nothing(choice):
    """B2"""
    message = read(text("x"), envelope([choice]), end())
    assert ("x", []) == (message.text, message.notes)


def test_azures_first_frame_names_nobody():
    """B3, Q-C4: blank id, model and object; the message begins with its own id."""
    filters = [{"prompt_index": 0, "content_filter_results": {}}]
    first = {"choices": [], "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": filters}
    events = read_events(first, text("x"), end())
    assert [Start("c1", "m", created=1), Meta("prompt_filter_results", filters)] == events[:2]


def test_azures_asynchronous_filter_has_choices_without_a_delta():
    """B2, atlas 2.1.11"""
    results = {"hate": {"filtered": False, "severity": "safe"}}
    choice = {"index": 0, "finish_reason": None, "content_filter_results": results, "content_filter_offsets": {}}
    message = read(text("x"), {**envelope([choice]), "id": "", "model": "", "object": ""}, end())
    assert ("x", "c1", results) == (message.text, message.id, message.meta["content_filter_results"])


def test_a_filtered_answer_tells_its_categories():
    """D11"""
    results = {"violence": {"filtered": True, "severity": "high"}}
    choice = {"index": 0, "delta": {}, "finish_reason": "content_filter", "content_filter_results": results}
    message = read(text("x"), envelope([choice]))
    assert ("incomplete", "content_filter", results) == (
        message.outcome,
        message.finish,
        message.meta["content_filter_results"],
    )
    assert message.error is not None
    assert "content_blocked" == message.error.type


def test_the_first_id_and_model_win_and_late_ones_are_told():
    """B3: relays change the id on each chunk"""
    frames = [{**text("a"), "id": "first", "model": ""}, {**text("b"), "id": "second"}, end()]
    message = read(*frames)
    assert ("first", "m", "ab") == (message.id, message.model, message.text)


@pytest.mark.parametrize("created", [1.5, 1700000000000, "1700000000", None])
def test_created_in_any_form(created):
    """Q-C34"""
    message = read({**text("x"), "created": created}, end())
    assert (None if created is None else float(created)) == message.created


@pytest.mark.parametrize("role", ["assistant", "", None])
def test_the_role_drives_nothing(role):
    """B4"""
    assert "ab" == read(chunk({"role": role, "content": "a"}), chunk({"role": role, "content": "b"}), end()).text


def test_payloads_of_nothing_change_nothing():
    """B12: empty content between fragments of a call"""
    empty = chunk({"content": ""})
    frames = [
        text("x"),
        empty,
        calls(call(0, "a", "f", "{")),
        empty,
        calls(call(0, args="}")),
        empty,
        end("tool_calls"),
    ]
    message = read(*frames)
    assert ["text", "tool_call"] == [part.__struct_config__.tag for part in message.blocks]
    assert [("a", "f", "{}")] == told(message)


def test_whitespace_is_text():
    """F5 of the requirements"""
    assert " \n" == read(text(" "), text("\n"), end()).text


def test_a_refusal_is_a_block_of_its_own():
    """D11"""
    events = read_events(ROLE, chunk({"refusal": "I'm "}), chunk({"refusal": "sorry"}), end())
    assert [RefusalDelta(0, "I'm "), RefusalDelta(0, "sorry")] == [e for e in events if isinstance(e, RefusalDelta)]
    assert Finish(0, "refusal", "stop") == events[-1].finishes[0]


def test_one_delta_may_say_several_things_in_a_fixed_order():
    """A19, B13, 4.6: reasoning, text, calls, then the finish"""
    delta = {"content": "hi", "tool_calls": [call(0, "a", "f", "{}"), call(1, "b", "g", "{}")], "reasoning": "hm"}
    message = read(chunk(delta, "tool_calls"))
    assert ["reasoning", "text", "tool_call", "tool_call"] == [part.__struct_config__.tag for part in message.blocks]
    assert ("hm", "hi", ["a", "b"]) == (message.reasoning, message.text, [each.id for each in message.tool_calls])


def test_order_of_first_appearance_is_kept():
    """B13"""
    frames = [text("a"), calls(call(0, "a", "f", "{}")), text("b"), chunk({"reasoning": "c"}), text("d"), end()]
    message = read(*frames)
    assert ["text", "tool_call", "text", "reasoning", "text"] == [p.__struct_config__.tag for p in message.blocks]
    assert "abd" == message.text


def test_text_that_comes_as_the_legacy_member():
    """Q-C31, atlas 2.1.10: /v1/completions, and proxies that speak like it"""
    frames = [envelope([{"index": 0, "text": piece, "finish_reason": None}]) for piece in ("a", "b", "")]
    assert "ab" == read(*frames, envelope([{"index": 0, "text": "", "finish_reason": "stop"}])).text


def test_text_beside_a_delta_is_not_said_twice():
    """Together's chunks have both."""
    choice = {"index": 0, "text": "a", "delta": {"content": "a"}, "finish_reason": None}
    assert "a" == read(envelope([choice]), end()).text


def test_two_choices_with_one_index_are_one():
    """Q-C32: Copilot sends text and call as two choices"""
    pair = [
        {"index": 0, "delta": {"content": "x"}},
        {"index": 0, "delta": {"tool_calls": [call(0, "a", "f", "{}")]}, "finish_reason": "tool_calls"},
    ]
    message = read(envelope(pair))
    assert ("x", [("a", "f", "{}")], 1) == (message.text, told(message), len(message.choices))


def test_choices_are_never_glued():
    """B8, Q-C38"""
    frames = [text("A", 0), text("B", 1), text("zure", 0), text("lue", 1), end("stop", 1), end("length", 0)]
    message = read(*frames)
    assert ["Azure", "Blue"] == [choice.text for choice in message.choices]
    assert [("length", "length"), ("stop", "stop")] == [
        (choice.finish, choice.finish_raw) for choice in message.choices
    ]
    assert "incomplete" == message.outcome


def test_calls_of_two_choices_with_the_same_index_are_kept_apart():
    """B8"""
    frames = [
        chunk({"tool_calls": [call(0, "a", "f", "{")]}, None, 0),
        chunk({"tool_calls": [call(0, "b", "g", "[")]}, None, 1),
        chunk({"tool_calls": [call(0, args="}")]}, None, 0),
        chunk({"tool_calls": [call(0, args="]")]}, None, 1),
        end("tool_calls", 0),
        end("tool_calls", 1),
    ]
    message = read(*frames)
    assert [["{}"], ["[]"]] == [[each.raw for each in choice.tool_calls] for choice in message.choices]


def test_a_single_choice_may_have_any_index():
    """Q-C33: mapped by value"""
    message = read(text("x", 1), end("stop", 1))
    assert ["", "x"] == [choice.text for choice in message.choices]


def test_content_as_a_list_of_parts():
    """B5: Mistral, GLM's vision models, Databricks"""
    parts = [{"type": "text", "text": "a"}, "b", {"type": "text", "text": "c"}]
    assert "abc" == read(chunk({"content": parts}), end()).text


def test_references_belong_to_the_text_they_stand_in():
    """B11: Mistral"""
    reference = {"type": "reference", "reference_ids": [1]}
    events = read_events(chunk({"content": [{"type": "text", "text": "a"}, reference, "b"]}), end())
    assert [TextDelta(0, "a"), Annotation(0, "reference", raw=reference), TextDelta(0, "b")] == events[2:5]


def test_a_part_that_nobody_has_named_is_carried():
    """B16"""
    part = {"type": "hologram", "beams": 3}
    message = read(chunk({"content": [part, {"type": "caption", "text": "x"}, 7]}), end())
    assert part == message.blocks[0].opaque.raw
    assert "x" == message.text
    assert ["unknown_part", "broken_part"] == codes(message)


# -- what stands beside text ---------------------------------------------------------------------------------------


def test_citations_belong_to_the_text():
    """B11"""
    citation = {"url": "https://a.example", "title": "A", "start_index": 0, "end_index": 2, "content": "so"}
    annotation = {"type": "url_citation", "url_citation": citation}
    events = read_events(text("so"), chunk({"content": "", "annotations": [annotation]}), end())
    expected = Annotation(0, "url_citation", 0, 2, "https://a.example", "A", "so", annotation)
    assert expected in events


def test_citations_of_the_whole_answer_are_facts_of_it():
    """Perplexity and xAI; on each chunk the same, said once."""
    frames = [{**text(piece), "citations": ["https://a.example"]} for piece in "ab"]
    results = [{"url": "https://a.example"}]
    last = {**end(), "citations": ["https://a.example"], "search_results": results, "usage": usage()}
    events = read_events(*frames, last)
    assert [Meta("citations", ["https://a.example"]), Meta("search_results", results)] == [
        event for event in events if isinstance(event, Meta)
    ]


def test_zhipus_search_and_filter_are_facts():
    found = [{"title": "A", "link": "https://a.example"}]
    message = read({**text("x"), "web_search": found}, {**end(), "content_filter": [{"role": "user", "level": 3}]})
    assert {"web_search": found, "content_filter": [{"role": "user", "level": 3}]} == message.meta


def test_moderation_is_a_fact():
    """Atlas 2.1.2: a chunk without choices"""
    verdict = {"input": {"results": []}}
    assert verdict == read(text("x"), end(), envelope([], moderation=verdict)).meta["moderation"]


def test_images_are_files():
    """B10, Q-C37: a delta with nothing else"""
    url = {"url": "data:image/png;base64,aGk="}
    events = read_events(chunk({"images": [{"type": "image_url", "image_url": url}]}), end())
    assert File(0, "image/png", "aGk=") in events


def test_an_image_among_the_parts_of_content():
    part = {"type": "image_url", "image_url": "https://a.example/i.png"}
    assert File(0, url="https://a.example/i.png") in read_events(chunk({"content": [part]}), end())


def test_audio_comes_in_pieces_with_a_transcript():
    """B10, atlas 2.1.2: the last update has only its expiry"""
    pieces = [{"id": "au1"}, {"data": "aGk="}, {"transcript": "hi"}, {"data": "IQ=="}, {"expires_at": 9}]
    events = read_events(*(chunk({"audio": piece}) for piece in pieces), end())
    assert [File(0, "audio/*", file_id="au1"), File(0, data="aGk="), File(0, data="IQ==")] == [
        event for event in events if isinstance(event, File)
    ]
    spoken = next(event for event in events if isinstance(event, BlockStart) and event.kind == "text")
    assert "transcript" == spoken.channel
    assert Meta("audio_expires_at", 9) in events


def test_tools_that_groq_ran_are_the_providers():
    """B14: reported twice, without and then with the output"""
    tool = {"index": 0, "type": "search", "arguments": '{"query":"x"}'}
    done = {**tool, "output": "found", "search_results": {"results": []}}
    message = read(chunk({"executed_tools": [tool]}), chunk({"executed_tools": [done]}), text("so"), end())
    (ran,) = message.tool_calls
    assert ("search", '{"query":"x"}', "provider") == (ran.name, ran.raw, ran.executor)
    result = message.blocks[1]
    assert ("found", done, ran.id) == (result.content, result.opaque.raw, result.call_id)
    assert "stop" == message.finish


# -- log probabilities ---------------------------------------------------------------------------------------------

ODDS = [{"token": "x", "logprob": -0.1, "bytes": [120], "top_logprobs": []}]


def odds(delta, logprobs):
    return envelope([{"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": None}])


def test_log_probabilities_stay_with_their_text():
    """B9"""
    events = read_events(odds({"content": "x"}, {"content": ODDS, "refusal": None}), end())
    assert TextDelta(0, "x", ODDS) in events


def test_log_probabilities_of_a_refusal():
    events = read_events(odds({"refusal": "x"}, {"content": None, "refusal": ODDS}), end())
    assert RefusalDelta(0, "x", ODDS) in events


def test_log_probabilities_without_text_open_no_block():
    """Tokens that show as nothing: control tokens, and those of hidden reasoning"""
    hidden = odds({"content": ""}, {"content": ODDS})
    message = read(hidden, chunk({"reasoning": "hm"}), hidden, chunk({"reasoning": " so"}), text("x"), hidden, end())
    assert ["reasoning", "text"] == [part.__struct_config__.tag for part in message.blocks]
    assert ODDS == message.blocks[1].logprobs


@pytest.mark.parametrize("logprobs", [{}, {"content": None}, {"content": [], "refusal": None}])
def test_log_probabilities_of_nothing(logprobs):
    assert TextDelta(0, "x") in read_events(odds({"content": "x"}, logprobs), end())


def test_log_probabilities_in_the_old_shape():
    """Q-C28: they kill strict schemas"""
    old = {"tokens": ["x"], "token_logprobs": [-0.1], "top_logprobs": None, "text_offset": [0]}
    events = read_events(odds({"content": "x"}, old), envelope([{"index": 0, "text": "y", "logprobs": old}]), end())
    assert [TextDelta(0, "x", old), TextDelta(0, "y", old)] == [e for e in events if isinstance(e, TextDelta)]


# -- oddities of the bytes ----------------------------------------------------------------------------------------


def test_an_unknown_frame_is_carried():
    """B16"""
    message = read(text("x"), {"kind": "weather", "sky": "blue"}, end())
    unknown = Unknown({"kind": "weather", "sky": "blue"}, offset=message.unknown[0].offset, protocol="openai-chat")
    assert [unknown] == message.unknown
    assert ("x", "completed") == (message.text, message.outcome)


def test_a_wrapped_chunk_is_unwrapped():
    """Requirements A5: OpenRouter's own SDK puts chunks into `data`."""
    assert "ab" == read({"data": text("a")}, {"data": text("b")}, {"data": end()}).text


@pytest.mark.parametrize("depth", [2, 300])
def test_wrappers_inside_wrappers_are_unknown(depth):
    frame = json.dumps(text("a"))
    for _ in range(depth):
        frame = f'{{"data":{frame}}}'
    message = read(frame, end())
    assert ("", 1, "completed") == (message.text, len(message.unknown), message.outcome)


@pytest.mark.parametrize("member", ['"usage":%s', '"usage":{"promptTokens":%s}', '"citations":[%s]', '"error":%s'])
def test_nothing_is_too_deep(member):
    """Law 3: what is nested as deep as a parser can bear is borne by what follows as well"""
    deep = '{"a":' * 900 + "1" + "}" * 900
    frame = json.dumps(text("x"))[:-1] + "," + member.replace("%s", deep) + "}"
    assert "error" in member or "xx" == read(frame, frame, end()).text
    assert read(frame, frame, end()).outcome in {"completed", "failed"}


def test_camel_case_as_openrouters_own_sdk_has_it():
    """Requirements A5"""
    delta = {
        "content": "x",
        "toolCalls": [call(0, "a", "f", "{}")],
        "reasoningDetails": [{"type": "reasoning.text", "text": "hm", "index": 0}],
    }
    counts = {"promptTokens": 3, "completionTokens": 4, "totalTokens": 7, "promptTokensDetails": {"cachedTokens": 2}}
    last = {"index": 0, "delta": {}, "finishReason": "tool_calls"}
    message = read(chunk(delta), envelope([last], usage=counts))
    assert ("hm", "x", [("a", "f", "{}")], "tool_calls") == (
        message.reasoning, message.text, told(message), message.finish_raw,
    )  # fmt: skip
    assert message.usage is not None
    assert (3, 4, 7, 2) == (
        message.usage.input_tokens, message.usage.output_tokens, message.usage.total_tokens,
        message.usage.cache_read_tokens,
    )  # fmt: skip


def test_a_member_of_the_wrong_type_costs_itself_alone():
    """B16, D9"""
    message = read({**text("x"), "usage": "none"}, chunk({"content": 7, "reasoning": "hm"}), end())
    assert ("x", "hm") == (message.text, message.reasoning)
    assert {"member_dropped"} == set(codes(message))


def test_one_broken_frame_is_skipped():
    """D9"""
    message = read(text("a"), '{"choices": [{"ind', text("b"), end())
    assert ("ab", "completed", ["broken_frame"]) == (message.text, message.outcome, codes(message))


@pytest.mark.parametrize("noise", ["null", '""', "ping", "{}", ": OPENROUTER PROCESSING"])
def test_keep_alives_that_come_as_data(noise):
    """E2, Q-T6, Q-T7"""
    message = read(text("a"), noise, text("b"), end())
    assert ("ab", "completed", []) == (message.text, message.outcome, message.unknown)


def test_a_hundred_equal_chunks_are_a_hundred_chunks():
    """B15"""
    assert "x" * 300 == read(*[text("x")] * 300, end()).text


def test_sdk_objects_and_plain_dicts_are_read_alike():
    frames = [text("x"), calls(call(0, "a", "f", {"b": 1})), end("tool_calls")]
    message = weft.collect(weft.read(frames, PROTOCOL))
    assert ("x", [("a", "f", '{"b":1}')], "completed") == (message.text, told(message), message.outcome)


def test_strict_mode_accepts_what_openai_sends():
    frames = [
        {**ROLE, "service_tier": "default", "system_fingerprint": "fp", "obfuscation": "ab"},
        text("x"),
        calls(call(0, "a", "f", "{}", type="function")),
        end("tool_calls"),
        envelope([], usage=usage(3, 4, 7, completion_tokens_details={"reasoning_tokens": 0})),
    ]
    message = read(*frames, strict=True)
    assert ("completed", []) == (message.outcome, message.notes)


def test_strict_mode_refuses_what_nobody_knows():
    message = read({**text("x"), "colour": "blue"}, end(), strict=True)
    assert "failed" == message.outcome
    assert message.error is not None
    assert ("bridge.stream.invalid_transition", "colour") == (message.error.code, message.error.parameter)
