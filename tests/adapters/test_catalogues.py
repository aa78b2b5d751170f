"""The catalogues: every message in every language, with its placeholders, and compiled as it stands."""

import importlib.util
import io
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.pofile import read_po

from weft.adapters.catalogue import LOCALES, matching
from weft.adapters.descriptions import messages

ROOT = Path(__file__).parent.parent.parent
_spec = importlib.util.spec_from_file_location("locales", ROOT / "tools" / "locales.py")
assert _spec is not None
assert _spec.loader is not None
tool = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tool)


def test_every_file_is_as_the_code_wants_it():
    """`python tools/locales.py` writes them: the template, each language's text, and what is compiled from it."""
    stale = [str(path) for path, data in tool.wanted().items() if path.read_bytes() != data]
    assert [] == stale


@pytest.mark.parametrize("locale", LOCALES)
def test_everything_is_translated_with_the_same_placeholders(locale):
    catalog = tool.translated(locale)
    assert [] == tool.faults(catalog)
    assert len(messages()) == len(catalog)


@pytest.mark.parametrize("locale", LOCALES)
def test_no_message_was_left_in_english(locale):
    catalog = read_po(io.BytesIO(tool.po_path(locale).read_bytes()), locale=locale)
    assert [] == [message.id for message in catalog if message.id and message.id == message.string]


def test_every_folder_is_a_language_that_is_known():
    assert sorted(LOCALES) == sorted(path.name for path in tool.ROOT.iterdir() if path.is_dir())
    assert {"de", "es", "fr", "ja", "ko", "pt", "zh"} == {Locale.parse(name).language for name in LOCALES}
    assert LOCALES == tuple(name for name in LOCALES if matching(name) == name)


@pytest.mark.parametrize(
    ("string", "fault"),
    [("", "not translated"), ("Fehlercode: {kode}", "other placeholders"), ("Fehlercode", "other placeholders")],
)
def test_the_tool_finds_what_is_wrong(string, fault):
    catalog = tool.Plain("de")
    catalog.add("Error code: {code}", string)
    [found] = tool.faults(catalog)
    assert found.startswith(fault)


def test_a_missing_plural_is_found():
    catalog = tool.Plain("de")
    catalog.add(("{count} second", "{count} seconds"), ("{count} Sekunde", ""))
    assert ["not translated: {count} second"] == tool.faults(catalog)
