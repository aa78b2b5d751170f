"""Plug-ins: the documented example keeps the laws, and real entry points are found."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import weft
from tests.protocols.wire import ndjson
from weft.protocol import Dialect
from weft.testing import LawBrokenError, check_protocol

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

STREAM = ndjson(
    {"hello": "p1", "model": "macaw"},
    {"think": "Hm."},
    {"say": "Polly wants"},
    {"say": " a cracker."},
    {"call": {"id": "c1", "name": "fetch", "args": {"what": "cracker", "n": 1.0}}},
    {"bye": "done", "tokens": {"in": 3, "out": 7}},
)


@pytest.fixture
def parrot() -> ModuleType:
    spec = importlib.util.spec_from_file_location("parrot", EXAMPLES / "parrot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_reads(parrot):
    message = weft.collect(weft.read(STREAM, parrot.PROTOCOL))
    assert ("p1", "Polly wants a cracker.", "Hm.", "tool_calls", "completed") == (
        message.id, message.text, message.reasoning, message.finish, message.outcome,
    )  # fmt: skip
    assert ['{"what": "cracker", "n": 1.0}'] == [call.raw for call in message.tool_calls]
    assert 10 == message.usage.total_tokens


def test_the_example_keeps_the_laws(parrot):
    assert 1 == check_protocol(parrot.PROTOCOL, [STREAM])


def test_the_example_converts(parrot):
    assert b"message_stop" in weft.convert(STREAM, parrot.PROTOCOL, "anthropic")


def test_a_row_changes_what_it_declares(parrot):
    lines = ndjson({"hello": "p"}, {"bye": "done", "tokens": {"in": 1, "out": 1}})
    assert 2 == weft.collect(weft.read(lines, parrot.PROTOCOL, dialect="chatty")).usage.total_tokens


def test_entry_points_are_found_by_name(tmp_path, parrot):
    """A real distribution on the path, asked for in a fresh interpreter."""
    (tmp_path / "parrot.py").write_text((EXAMPLES / "parrot.py").read_text())
    (tmp_path / "acme.py").write_text(
        "from weft.protocols.openai_chat.dialects import ChatDialect\nDIALECT = ChatDialect(name='acme', title='Acme')\n"
    )
    info = tmp_path / "parrot-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[weft.protocols]\nparrot = parrot:PROTOCOL\n[weft.dialects]\nopenai-chat/acme = acme:DIALECT\n"
    )
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import weft\n"
        "from weft.protocol import names, resolve\n"
        "assert 'parrot' in names()\n"
        f"assert weft.collect(weft.read({STREAM!r}, 'parrot')).text == 'Polly wants a cracker.'\n"
        "assert resolve('openai-chat/acme')[1].title == 'Acme'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_plug_in_that_cannot_be_used_takes_no_other_down(tmp_path):
    """`--from auto` and `weft protocols` ask all of them, and ended in somebody else's traceback."""
    (tmp_path / "parrot.py").write_text((EXAMPLES / "parrot.py").read_text())
    (tmp_path / "sound.py").write_text(
        "from weft.protocol import Dialect\nDIALECT = Dialect(name='acme', models=('acme-',))\nNUMBER = 5\n"
    )
    info = tmp_path / "zoo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zoo\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[weft.protocols]\nparrot = parrot:PROTOCOL\ngone = gone:PROTOCOL\nnumber = sound:NUMBER\n"
        "[weft.dialects]\nopenai-chat/acme = sound:DIALECT\nopenai-chat/gone = gone:DIALECT\n"
    )
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import weft\n"
        "from weft.detect import detect\n"
        "from weft.protocol import PlugInError, specs\n"
        "told = []\n"
        "rows = [row.name for spec in specs(lambda error: told.append(str(error))) for row in spec.dialects]\n"
        f"print(len(told), 'acme' in rows, detect({STREAM!r})[0].name)\n"
        'print(detect(b\'data: {"model":"acme-1","choices":[{"delta":{}}]}\\n\\n\')[0].name)\n'
        "for name in ('gone', 'number', 'openai-chat/gone'):\n"
        "    try:\n"
        "        weft.read(b'', name)\n"
        "    except PlugInError as error:\n"
        "        print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True).stdout
    missing = "cannot be used: ModuleNotFoundError: No module named 'gone'"
    assert [
        "3 True parrot",
        "openai-chat/acme",
        f"the plug-in 'gone' (gone:PROTOCOL) {missing}",
        "the plug-in 'number' (sound:NUMBER) cannot be used: it is no ProtocolSpec",
        f"the plug-in 'openai-chat/gone' (gone:DIALECT) {missing}",
    ] == said.splitlines()


class Broken:
    """A decoder that breaks a law in the way its name says."""

    wire = dict

    def __init__(self, out, dialect) -> None:
        self.out = out

    def close(self) -> None:
        pass


class Raises(Broken):
    def feed(self, message, name):
        self.out.text(message["say"].upper())


class ClaimsTooEarly(Broken):
    def feed(self, message, name):
        self.out.finish("stop")
        self.out.text(str(message.get("say", "")))


class CountsReads(Broken):
    """Says something that hangs on how the bytes were cut."""

    reads = 0

    def feed(self, message, name):
        CountsReads.reads += 1
        self.out.text(f"{CountsReads.reads}")
        self.out.finish("stop")


@pytest.mark.parametrize(("decoder", "law"), [(Raises, "law 3"), (ClaimsTooEarly, "law 2"), (CountsReads, "law 1")])
def test_a_broken_protocol_is_found_out(decoder, law, parrot):
    import msgspec

    spec = msgspec.structs.replace(parrot.PROTOCOL, decoder=decoder, dialect=Dialect())
    with pytest.raises(LawBrokenError, match=law):
        check_protocol(spec, [STREAM])


def test_no_sample_is_no_proof(parrot):
    with pytest.raises(LawBrokenError, match="no sample"):
        check_protocol(parrot.PROTOCOL, [])


def test_the_page_shows_the_example():
    page = (EXAMPLES.parent / "docs" / "plugins.md").read_text()
    assert "examples/parrot.py" in page
