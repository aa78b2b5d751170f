"""Reading an error: finding what a body says about its failure, wherever it says it, and weighing one word against another.

Knows: that errors are nested, that the inner layer is the more exact, and that a telling code comes before the HTTP status and
that before the message. Must not know: which provider it listens to (its words are rows of `error_tables`), or the `Error` value.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

import msgspec

from weft import error_tables as tables
from weft.error_tables import ErrorType

DEPTH = 8  # layers of gateways behind gateways
ITEMS = 8  # items of one list of errors
READ = 8_000  # characters of a message that are searched for meaning


def word_type(word: str) -> ErrorType | None:
    """What a code that is a word means: as a whole, then by what stands before its first dot, then by its family."""
    bare = tables.squashed(word)
    head = tables.squashed(word.partition(".")[0])
    family: ErrorType | None = next((kind for start, kind in tables.CODE_STARTS if bare.startswith(start)), None)
    return tables.CODES.get(bare) or tables.CODES.get(head) or family


def status_type(status: int | None) -> ErrorType | None:
    """What an HTTP status of failure means."""
    if status is None or not 400 <= status < 600:
        return None
    return tables.STATUSES.get(status) or ("invalid_request" if status < 500 else "server")


def found(pattern: str, text: str) -> bool:
    """Whether a row's pattern stands in the text. The cache of `re` compiles a pattern when an error first needs it."""
    return re.search(pattern, text, re.IGNORECASE) is not None


# --- is it an error? -----------------------------------------------------------------------------------------------


def is_error_body(obj: Any) -> bool:
    """Whether a decoded object is an error and not a frame or a reply of any protocol, whatever its HTTP status was.

    A Responses object that failed is a reply: its own decoder reads what it holds besides the error.
    """
    if isinstance(obj, list):
        obj = next(iter(cast("list[Any]", obj)), None)
    members = _members(obj)
    if not members:
        return False
    if any(_word(members, name) in tables.ERROR_FRAMES for name in tables.FRAME_MEMBERS):
        return True
    kind = _word(members, "type")
    if kind and not _is_link(kind) and word_type(kind) is None:
        return False  # a frame with a name of its own
    if _word(members, "object") != "response" and any(
        _says(members.get(name)) for name in ("error", "Error", "errors")
    ):
        return True
    base = _members(members.get("base_resp")) or {}
    if members.get("success") is False or _is_failure(base.get("status_code")):
        return True
    return _exception_name(members) is not None or _is_flat(members)


def _says(value: Any) -> bool:
    """Whether an error member means it: some providers put null, or an object of nulls, on every frame."""
    members = _members(value)
    return any(members.values()) if members is not None else bool(value)


def _exception_name(members: dict[str, Any]) -> str | None:
    """The name of an AWS exception frame: an object whose only member is the exception."""
    name = str(next(iter(members))) if len(members) == 1 else ""
    return name if name.endswith("Exception") and isinstance(members.get(name), dict) else None


def _is_failure(code: Any) -> bool:
    """Whether a code member names a failure; many bodies carry one that names success."""
    return isinstance(code, str | int) and code not in tables.SUCCESS_CODES


def _is_flat(members: dict[str, Any]) -> bool:
    """Text beside nothing but an error's usual members, and no code of success. What is null (`data`, often) is not there."""
    if not tables.FLAT_MEMBERS.issuperset(name for name, value in members.items() if value is not None):
        return False
    code = members.get("code")
    if code is not None and not _is_failure(code):
        return False
    texts = (members.get(name) for name in tables.TEXT_MEMBERS)
    return any(text and isinstance(text, str | list) for text in texts)


# --- what it says --------------------------------------------------------------------------------------------------


class Reading:
    """All that one error says of itself. `hear` it, then `understand` it."""

    def __init__(self) -> None:
        self.code: str | None = None
        self.message = ""
        self.status: int | None = None
        self.parameter: str | None = None
        self.wait: float | None = None
        self.retryable: bool | None = None
        self._words: list[tuple[int, str]] = []
        self._number: str | None = None
        self._number_type: ErrorType | None = None
        self._texts: list[str] = []
        self._depths = {"code": -1, "message": -1, "status": -1}

    def hear(self, value: Any, depth: int = 0, *, aside: bool = False) -> None:
        """Take in one layer and those inside it. What is said `aside` helps to understand the error but is not its name."""
        if depth > DEPTH:
            return
        if isinstance(value, str):
            self._hear_text(value, depth, aside=aside)
        elif isinstance(value, list):
            for item in cast("list[Any]", value)[:ITEMS]:
                self.hear(item, depth, aside=aside)
        elif (members := _members(value)) is not None:
            self._hear_names(members, depth, aside=aside)
            self._hear_circumstances(members, depth)
            for name in tables.TEXT_MEMBERS + (tables.ASIDE_TEXTS if aside else ()):
                if isinstance(members.get(name), str):
                    self._hear_text(members[name], depth, aside=aside)
            self._hear_inside(members, depth, aside=aside)

    def hear_headers(self, headers: Mapping[str, str] | None) -> None:
        """How long to wait, whether to try again, and AWS's name for the error."""
        named = {str(name).lower(): str(value).strip() for name, value in (headers or {}).items()}
        if word := named.get("x-amzn-errortype"):
            self._hear_name(word.partition(":")[0], 0, aside=False)
        if (should := named.get("x-should-retry")) in ("true", "false"):
            self._hope(should == "true")
        waits = (
            self.wait,
            seconds(named.get("retry-after-ms"), 0.001),
            seconds(named.get("retry-after")),
            _seconds_between(named.get("date"), named.get("retry-after")),
        )
        self.wait = next((wait for wait in waits if wait is not None), None)

    def _hear_names(self, members: dict[str, Any], depth: int, *, aside: bool) -> None:
        if (exception := _exception_name(members)) is not None:
            self._hear_name(exception, depth, aside=aside)
            self.hear(members[exception], depth + 1, aside=aside)
        for name in tables.CODE_MEMBERS:
            if isinstance(value := members.get(name), bool) or not _is_failure(value):
                continue
            code = str(value)
            if code.isascii() and code.isdigit():
                self._number = self._number or code
                self._number_type = tables.NUMBERS.get(name, {}).get(code) or self._number_type
                if _as_status(code) is not None:
                    continue  # a status is a code only where there is no better one
            self._hear_name(code, depth, aside=aside)

    def _hear_name(self, code: str, depth: int, *, aside: bool) -> None:
        if code.lower() in tables.NOT_CODES or _is_link(code):
            return
        self._words.append((depth, code))
        if not aside and self._deeper("code", depth):
            self.code = code.rpartition("#")[2]

    def _hear_circumstances(self, members: dict[str, Any], depth: int) -> None:
        for name in tables.STATUS_MEMBERS:
            status = _as_status(members.get(name))
            if status is not None and self._deeper("status", depth):
                self.status = status
        for name, scale in tables.WAIT_MEMBERS.items():
            self.wait = seconds(members.get(name), scale) if self.wait is None else self.wait
        for name in tables.RETRYABLE_MEMBERS:
            self._hope(members[name] if isinstance(members.get(name), bool) else None)
        for name in tables.PARAMETER_MEMBERS:
            self.parameter = self.parameter or _as_parameter(members.get(name))
        for path in tables.HEADER_PATHS:
            self.hear_headers(_members(_at(members, path)))

    def _hear_text(self, text: str, depth: int, *, aside: bool) -> None:
        inner = _embedded(text)
        if inner is not None:
            self.hear(inner, depth + 1, aside=aside)
        elif not aside and (_has_words(text) or (text.strip() and not self.message)) and self._deeper("message", depth):
            self.message = text.strip()
        self._texts.append(text)

    def _hear_inside(self, members: dict[str, Any], depth: int, *, aside: bool) -> None:
        for path in tables.INNER_PATHS:
            value = _at(members, path)
            if path not in tables.TEXT_MEMBERS or not isinstance(value, str):
                self.hear(value, depth + 1, aside=aside)
        for path in tables.ASIDE_PATHS:
            self.hear(_at(members, path), depth + 1, aside=True)

    def _deeper(self, what: str, depth: int) -> bool:
        """Whether this layer is the innermost so far to speak of it; within one layer the first word counts."""
        if depth <= self._depths[what]:
            return False
        self._depths[what] = depth
        return True

    def understand(self, status: int | None) -> ErrorType:
        """The type of the error, its HTTP status being this one; settles `code`, `wait` and `retryable` on the way."""
        text = "\n".join(self._texts)[:READ]
        if self.wait is None:
            self.wait = _wait_in(text)
        named, by_status = self._named_type(), status_type(status)
        kind = named or by_status or "server"
        if by_status is not None and by_status != "server" and kind in tables.VAGUE:
            kind = by_status
        if kind == by_status:
            self._hope(tables.RETRYABLE.get(str(status)))
        if found(tables.HOPELESS_WORDING, text):
            self._hope(False)
        self._hope(tables.RETRYABLE.get(tables.squashed(self.code or "")))
        self.code = self.code or self._number
        settled = self.wait is not None or (named is not None and named not in tables.VAGUE)
        return _reworded(kind, text, settled=settled)

    def _named_type(self) -> ErrorType | None:
        """What the codes say: the innermost telling one, else the innermost vague one, else a number."""
        vague: ErrorType | None = None
        for _, word in sorted(self._words, key=lambda word: -word[0]):
            kind = word_type(word)
            if kind is not None and kind not in tables.VAGUE:
                return kind
            vague = vague or kind
        return vague or self._number_type

    def _hope(self, retryable: bool | None) -> None:
        """Whether to try again: the first to say so counts."""
        self.retryable = retryable if self.retryable is None else self.retryable


def _reworded(kind: ErrorType, text: str, *, settled: bool) -> ErrorType:
    """The type that the message proves against this one, which is `settled` if more than a status or a vague code says it."""
    for row in tables.WORDINGS:
        if kind not in row.overrules or (row.weak and settled):
            continue
        if found(row.pattern, text) and not found(row.unless, text):
            return row.kind
    return kind


# --- bodies, members, numbers --------------------------------------------------------------------------------------


def decoded_body(body: Any) -> Any:
    """A body as JSON if it is JSON; the error frame if it is an event stream; else its text. None if there is nothing in it."""
    if isinstance(body, bytes | bytearray):
        body = body.decode("utf-8", "replace")
    if not isinstance(body, str):
        return body
    text = body.strip()
    value = _json(text)
    if isinstance(value, dict | list):
        return cast("Any", value)
    if text.startswith(("event:", "data:", ":")):
        frames = (_json(line[5:]) for line in text.splitlines() if line.startswith("data:"))
        return next((frame for frame in frames if is_error_body(frame)), text)
    return text or None


def _json(text: str) -> Any:
    """The JSON value, or None: text that is none, or nests too deep, says what it says as text."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None


def _has_words(text: str) -> bool:
    """Whether a text says anything: some put `{}`, `null` or `ERROR` where the error of someone behind them was due."""
    said = text.strip()
    return any(char.isalnum() for char in said) and said.lower() not in tables.NOT_CODES


def _embedded(text: str) -> Any:
    """The error body that a message holds as JSON, whole or after words of its own."""
    start, end = text.find("{"), text.rfind("}")
    inner = _json(text[start : end + 1]) if 0 <= start < end else None
    return inner if is_error_body(inner) else None


def _members(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _word(members: dict[str, Any], name: str) -> str:
    value = members.get(name)
    return value if isinstance(value, str) else ""


def _at(members: dict[str, Any], path: str) -> Any:
    first, _, rest = path.partition(".")
    value = members.get(first)
    return (_members(value) or {}).get(rest) if rest else value


def _is_link(code: str) -> bool:
    """A problem document names its type by a link."""
    return code.startswith(("http://", "https://", "about:"))


def _as_status(value: Any) -> int | None:
    """A number or numeric text that is an HTTP status of failure."""
    if isinstance(value, str) and len(value) == 3 and value.isascii() and value.isdigit():
        value = int(value)
    return value if isinstance(value, int) and 400 <= value < 600 else None


def _as_parameter(value: Any) -> str | None:
    """The parameter's name; FastAPI gives a path of names and indices."""
    parts = cast("list[Any]", value) if isinstance(value, list) else [value]
    return ".".join(str(part) for part in parts if isinstance(part, str | int)) or None


# --- times ---------------------------------------------------------------------------------------------------------


def seconds(value: Any, scale: float = 1.0) -> float | None:
    """A wait as a number, a numeric text, a duration ("1m30s"), or protobuf's {seconds}. None if it is none of these."""
    members = _members(value)
    if members is not None:
        value = members.get("seconds")
    if isinstance(value, str):
        if not re.fullmatch(r"\d{1,12}(\.\d{1,12})?", value):
            return _duration(value)
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        return None
    return round(value * scale, 6)


def _duration(text: str) -> float | None:
    parts: list[tuple[str, str]] = re.findall(tables.DURATION, text[:100], re.IGNORECASE)
    total = sum(float(number) * tables.unit_seconds(unit) for number, unit in parts)
    return round(total, 6) if parts else None


def _wait_in(text: str) -> float | None:
    wait = re.search(tables.WAIT_WORDING, text, re.IGNORECASE)
    return _duration(wait[1]) if wait else None


def _seconds_between(date: str | None, until: str | None) -> float | None:
    """The wait that an HTTP-date means. There is no clock here: without the response's own date it means nothing."""
    start, end = _http_date(date), _http_date(until)
    return max((end - start).total_seconds(), 0.0) if start is not None and end is not None else None


def _http_date(text: str | None) -> datetime | None:
    parts = re.fullmatch(tables.HTTP_DATE, text) if text else None
    if parts is None or parts[2] not in tables.MONTHS:
        return None
    day, year, hour, minute, second = (int(parts[group]) for group in (1, 3, 4, 5, 6))
    try:
        return datetime(year, tables.MONTHS[parts[2]], day, hour, minute, second)  # noqa: DTZ001 both ends are GMT
    except ValueError:
        return None
