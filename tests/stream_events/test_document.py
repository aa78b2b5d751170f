"""The examples of Stream Event v1's own document: its input fragments byte for byte, and the lines it makes of them."""

import pytest

import weft
from weft.stream_events import stream_events, to_json

TARGET = "stream-event-v1"

OPENAI = (
    b"""\
{"choices":[{"delta":{"content":"Hello"}}]}
{"choices":[{"delta":{"tool_calls":[{"id":"call_1","function":{"name":"emit_plan","arguments":"{\\"a\\":1}"}}]}}]}
""",
    b"""\
{"type":"content","channel":"json","text":"Hello"}
{"type":"tool_call","index":0,"id":"call_1","name":"emit_plan","arguments":"{\\"a\\":1}","isDelta":true}
""",
    b"data: [DONE]\n",
)
ANTHROPIC = (
    b"""\
{"type":"message_start","message":{"id":"msg_1"}}
{"type":"content_block_delta","delta":{"type":"output_text_delta","text":"Hi"}}
{"type":"tool_use","id":"tu_1","name":"emit_plan","input":{"a":1}}
""",
    b"""\
{"type":"content","channel":"json","text":"Hi"}
{"type":"tool_call","index":0,"id":"tu_1","name":"emit_plan","arguments":{"a":1},"isDelta":false}
""",
    b'{"type":"message_stop"}\n',
)
OLLAMA = (
    b"""\
{"kind":"json","delta":{"choices":[{"delta":{"content":[{"type":"text","text":"Planning"}]}}]}}
{"kind":"json","delta":{"choices":[{"delta":{"tool_calls":[{"name":"emit_plan","arguments":"{\\"a\\":1}"}]}}]}}
""",
    b"""\
{"type":"content","channel":"json","text":"Planning"}
{"type":"tool_call","index":0,"name":"emit_plan","arguments":"{\\"a\\":1}","isDelta":true}
""",
    b'{"done":true}\n',
)
EXAMPLES = {
    "openai-chat": OPENAI,
    "openai-chat/openrouter": OPENAI,
    "anthropic": ANTHROPIC,
    "ollama": OLLAMA,
}
DONE = b'{"type":"done"}\n'
CUT = (
    b'{"type":"error","code":"UpstreamFailure","detail":"the stream stopped before the source said that it was over"}\n'
)

every_example = pytest.mark.parametrize("protocol", EXAMPLES)


@every_example
def test_the_documents_fragments_become_its_lines_and_their_missing_end_is_told(protocol):
    """The fragments say no end, so the contract's `error` and `done` stand behind them: nobody takes them for an answer."""
    fragments, lines, _ = EXAMPLES[protocol]
    assert lines + CUT + DONE == weft.convert(fragments, protocol, TARGET)


@every_example
def test_with_the_sources_own_end_there_is_done_alone(protocol):
    """Requirements 3.3.7: the document's own Anthropic fragments gave nothing."""
    fragments, lines, end = EXAMPLES[protocol]
    assert lines + DONE == weft.convert(fragments + end, protocol, TARGET)


@every_example
def test_the_typed_events_are_the_same_lines(protocol):
    fragments, lines, end = EXAMPLES[protocol]
    said = [to_json(event) + b"\n" for event in stream_events(fragments + end, protocol)]
    assert lines + DONE == b"".join(said)


@every_example
def test_the_fragments_as_objects_are_the_same(protocol):
    """A front end has them parsed."""
    fragments, lines, _ = EXAMPLES[protocol]
    objects = [weft.jsontext.decode(line) for line in fragments.splitlines()]
    assert lines == b"".join(to_json(event) + b"\n" for event in stream_events(objects, protocol))[: len(lines)]
