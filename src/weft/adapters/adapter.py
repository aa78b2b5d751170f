"""Seed 000's stream adapter: the three methods that the author of a provider writes, and what they inherit.

    class Parrot(StreamAdapter):
        name = "parrot"

        def process_chunk(self, raw):
            return ProcessedChunk("text", raw["say"]) if "say" in raw else ProcessedChunk("done")

Knows: what an adapter may be asked. Must not know: any provider; streams, timers, orchestrators, I/O.
An adapter keeps what one attempt has accumulated, and nothing else: a factory makes a new one for each attempt.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from weft.adapters.descriptions import describe
from weft.chunks import ProcessedChunk, ProviderError, provider_error
from weft.errors import Error, error_from_body, error_from_exception, is_error_body, make_error

Given = Sequence[ProcessedChunk] | ProcessedChunk | None
"""What a method that gives chunks may return: several, one, or none."""


class StreamAdapter(ABC):
    """Turns one provider's chunks into `ProcessedChunk`s. `process_chunk` alone must be written; the rest has a sensible default."""

    name: str = ""
    """The provider's name, for logs."""

    def begin(self) -> None:  # noqa: B027 - there is nothing that it has to do
        """A stream begins. An adapter that keeps anything of it may refuse a second one: it is made for one attempt."""

    @abstractmethod
    def process_chunk(self, raw: Any) -> Given:
        """What one raw chunk amounts to. Synchronous: no I/O, no timers; only this attempt's accumulation may be kept."""

    def finish(self, error: ProviderError | None = None) -> Given:
        """The stream is over, of itself or by `error`: give what was held back.

        A stream that has said neither `done` nor an error is reported as truncated. Where a provider has no end of its own, return a `done` here.
        """
        return None if error is None else ProcessedChunk("error", error=error)

    def handle_provider_error(self, error: Any) -> ProviderError:
        """What an exception of the provider's SDK, an error body or a text means: typed, with a code, and whether trying again may help."""
        return classified(error)

    def create_error_description(self, error: ProviderError, locale: str = "en") -> str | None:
        """What to tell a person, in their language; None if there is nothing to tell."""
        return describe(error, locale)

    def meaningful(self) -> bool:
        """Whether the last raw chunk meant something though no chunk came of it. A piece of arguments does, a keep-alive does not.

        Asked only then. As long as nothing meaningful comes, a stream counts as hung.
        """
        return True

    @property
    def ending(self) -> bool:
        """The answer is over, and only its usage may still come: whoever reads may stop after a grace. A `done` says so by itself."""
        return False


def classified(error: Any) -> ProviderError:
    """The seed's error for whatever went wrong, by our one taxonomy."""
    if isinstance(error, ProviderError):
        return error
    if isinstance(error, Error):
        return provider_error(error)
    if isinstance(error, BaseException):
        return provider_error(error_from_exception(error), error)
    if isinstance(error, str | Mapping | list) or is_error_body(error):
        return provider_error(error_from_body(error))
    return provider_error(make_error("protocol", original=error))
