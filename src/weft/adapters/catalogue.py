"""The gettext catalogues that lie beside this file, and which of them a locale means.

Knows: languages and how locales are written. Must not know: what is said.
English is what stands in the code, so it has no catalogue; a locale that nobody has translated is English.
"""

import gettext
from functools import cache
from importlib import resources
from typing import Final

DOMAIN: Final = "weft"
LOCALES: Final = ("de", "es", "fr", "ja", "ko", "pt", "zh_CN", "zh_TW")
_CHINESE: Final = {"hans": "zh_CN", "hant": "zh_TW", "tw": "zh_TW", "hk": "zh_TW", "mo": "zh_TW"}
"""What a part of a Chinese locale's name means: the script before the place, since `zh-Hans-HK` is written as in Beijing."""


def matching(locale: str) -> str | None:
    """The catalogue for a locale in any spelling (`de_AT.UTF-8`, `pt-BR`, `zh-Hant-HK`); None for English and what is not there."""
    language, *rest = locale.partition(".")[0].partition("@")[0].replace("-", "_").lower().split("_")
    if language == "zh":
        return next((name for part, name in _CHINESE.items() if part in rest), "zh_CN")
    return language if language in LOCALES else None


def translations(locale: str) -> gettext.NullTranslations:
    """What translates into that locale."""
    return _loaded(matching(locale))


@cache
def _loaded(name: str | None) -> gettext.NullTranslations:
    if name is None:
        return gettext.NullTranslations()
    with resources.files("weft.adapters").joinpath("locale", name, "LC_MESSAGES", f"{DOMAIN}.mo").open("rb") as file:
        return gettext.GNUTranslations(file)
