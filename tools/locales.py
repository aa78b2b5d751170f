"""Brings the catalogues of what people are told up to date with src/weft/adapters/descriptions.py.

Usage: python tools/locales.py [--check]    (--check writes nothing and fails if anything would change or is not translated)

Writes the template, adds new messages to each language's .po (untranslated), drops those that are gone, and compiles the .mo files.
"""

import io
import sys
from pathlib import Path
from string import Formatter

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from weft.adapters.catalogue import DOMAIN, LOCALES
from weft.adapters.descriptions import messages

ROOT = Path(__file__).parent.parent / "src" / "weft" / "adapters" / "locale"
HEADER = "# {title} of what Weft tells people about errors."

NEEDED = {"Language", "Plural-Forms", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"}


class Plain(Catalog):
    """A catalogue without times and addresses in its head: the same messages are the same bytes."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """Only what gettext needs."""
        return [(name, value) for name, value in super().mime_headers if name in NEEDED]


def template() -> Catalog:
    """All messages, in the order of the code."""
    catalog = Plain(header_comment=HEADER.format(title="Template"), fuzzy=False)
    for message in messages():
        catalog.add(message)
    return catalog


def translated(locale: str) -> Catalog:
    """A language's catalogue with the messages of the template, and no others."""
    old = (
        read_po(io.BytesIO(po_path(locale).read_bytes()), locale=locale)
        if po_path(locale).exists()
        else Catalog(locale)
    )
    catalog = Plain(locale, header_comment=HEADER.format(title=f"{locale} translation"), fuzzy=False)
    for message in messages():
        known = old.get(message if isinstance(message, str) else message[0])
        catalog.add(message, known.string if known is not None else "")
    return catalog


def po_path(locale: str) -> Path:
    """Where a language's text lies."""
    return ROOT / locale / "LC_MESSAGES" / f"{DOMAIN}.po"


def po_bytes(catalog: Catalog) -> bytes:
    """The catalogue as text for translators."""
    out = io.BytesIO()
    write_po(out, catalog, width=0, sort_output=False)
    return out.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    """The catalogue as gettext reads it."""
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def faults(catalog: Catalog) -> list[str]:
    """What is not translated, or has other placeholders than the message."""
    found: list[str] = []
    for message in catalog:
        if not message.id:
            continue
        ids = (message.id,) if isinstance(message.id, str) else message.id
        strings = (message.string,) if isinstance(message.string, str) else tuple(message.string)
        forms = 1 if len(ids) == 1 else catalog.num_plurals
        if len(strings) != forms or not all(strings):
            found.append(f"not translated: {ids[0]}")
        elif any(_names(text) != _names(ids[0]) for text in strings):
            found.append(f"other placeholders: {ids[0]}")
    return found


def _names(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def wanted() -> dict[Path, bytes]:
    """Every file as it should be."""
    files = {ROOT / f"{DOMAIN}.pot": po_bytes(template())}
    for locale in LOCALES:
        catalog = translated(locale)
        files |= {po_path(locale): po_bytes(catalog), po_path(locale).with_suffix(".mo"): mo_bytes(catalog)}
    return files


def main() -> int:
    """Write what changed, or say that something would."""
    check = "--check" in sys.argv[1:]
    stale = [path for path, data in wanted().items() if not path.exists() or path.read_bytes() != data]
    lacking = [f"{locale}: {fault}" for locale in LOCALES for fault in faults(translated(locale))]
    for path in stale:
        print(f"{'stale' if check else 'wrote'}: {path.relative_to(ROOT.parent)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wanted()[path])
    print("\n".join(lacking))
    return int(check and bool(stale)) or int(bool(lacking))


if __name__ == "__main__":
    sys.exit(main())
