"""Gemini's `streamGenerateContent`: what Google's SDKs and the AI SDK hold a stream to.

Knows: chunks, candidates and parts. Must not know: lines and framing.
"""

import base64
import binascii
import re
from typing import Any, Final

from weft.jsontext import is_array, is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import is_int, missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

_SDKS: Final = "google-genai-python google-genai-js"

RULES: Final = rules(
    Rule(
        id="gemini/names",
        title="members are written in camelCase",
        effects={"google-genai-python": "crash", **all_of("wrong", "google-genai-js ai-sdk")},
        reference="measured",
        explain="`finish_reason`, `function_call` and their like are members that nobody looks for: the answer is empty or seems to be cut. "
        "google-genai for Python refuses them inside `usageMetadata`.",
    ),
    Rule(
        id="gemini/shape",
        title="`candidates` and `parts` are arrays, `content` and `usageMetadata` are objects, `text`, `role`, `responseId` and `modelVersion` strings",
        effects={"google-genai-python": "crash", "ai-sdk": "crash", "google-genai-js": "wrong"},
        reference="measured for values; else from the SDKs' types",
        explain="google-genai for Python and the AI SDK hold every chunk to a schema. Any of these members may be absent.",
    ),
    Rule(
        id="gemini/token-count",
        title="token counts are JSON integers",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="Some JSON libraries for protobuf write 64-bit integers as strings; the AI SDK's schema does not take them.",
    ),
    Rule(
        id="gemini/finish-value",
        title="the finish reason is one of Gemini's, in capitals",
        effects=all_of("wrong", f"{_SDKS} ai-sdk"),
        reference="measured",
        explain="The AI SDK reads `stop` as `other`.",
    ),
    Rule(
        id="gemini/signature",
        title="`thoughtSignature` is base64",
        effects={"google-genai-python": "crash"},
        reference="measured",
        explain="It is bytes to google-genai for Python, which raises a ValidationError. Encode another provider's opaque state too.",
    ),
    Rule(
        id="gemini/call-arguments",
        title="`functionCall.args` is an object",
        effects={"google-genai-python": "crash", "ai-sdk": "wrong", "google-genai-js": "wrong"},
        reference="measured",
        explain="A call comes whole. If the model's arguments are no object, the finish is `MALFORMED_FUNCTION_CALL`.",
    ),
    Rule(
        id="gemini/call-name",
        title="a function call has a name",
        effects=all_of("wrong", f"{_SDKS} ai-sdk"),
        reference="measured",
        explain="Nobody can tell which tool is called. Only a call whose arguments are streamed goes on without its name.",
    ),
    Rule(
        id="gemini/finish-missing",
        title="the stream ends with a `finishReason`, a blocked prompt or an error",
        effects=all_of("wrong", f"{_SDKS} ai-sdk"),
        reference="measured",
        explain="Without it the answer was cut. The AI SDK says `interrupted`, Google's SDKs say nothing at all.",
    ),
)  # fmt: skip

_TYPES: Final = needs(
    {"p": "google-genai-python", "a": "ai-sdk"},
    """
    chunk    responseId:text~=p modelVersion:text~=p usageMetadata:object~=pa
    content  role:text~=p
    """,
)
_FINISHES: Final = frozenset(
    "FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL "
    "MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_OTHER IMAGE_RECITATION NO_IMAGE UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS "
    "MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE CONTINUATION".split()
)
_COUNTS: Final = (
    "promptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
)
_SNAKE: Final = re.compile(
    r"finish_reason|finish_message|function_call|function_response|usage_metadata|model_version|response_id|thought_signature|inline_data|"
    r"prompt_feedback|[a-z]+_token_count|executable_code|code_execution_result|file_data|grounding_metadata"
)


class _Machine:
    """One answer. Chunks stand each for itself, but for the end."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._ended = False

    def done(self) -> None:
        """That there is no such marker here, the transport tells."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one chunk."""
        if "error" in value:
            self._ended = True
            return
        self._names(value)
        for need, how in missing(value, _TYPES["chunk"]):
            self._report.add("gemini/shape", how, clients=need.clients)
        feedback = value.get("promptFeedback")
        self._ended = self._ended or (is_object(feedback) and bool(feedback.get("blockReason")))
        self._usage(value.get("usageMetadata"))
        for candidate in self._listed(value, "candidates"):
            self._names(candidate)
            self._candidate(candidate)

    def close(self) -> None:
        """An answer says why it ends."""
        if not self._ended:
            self._report.add("gemini/finish-missing", "the stream ends and no finish reason has come")

    def _names(self, value: dict[str, Any]) -> None:
        for name in value:
            if _SNAKE.fullmatch(name):
                self._report.add("gemini/names", f"a member is called `{name}`")

    def _usage(self, usage: Any) -> None:
        if not is_object(usage):
            return
        self._names(usage)
        for name in _COUNTS:
            if usage.get(name) is not None and not is_int(usage[name]):
                self._report.add("gemini/token-count", f"`{name}` is {usage[name]!r:.40}")

    def _candidate(self, value: dict[str, Any]) -> None:
        finish = value.get("finishReason")
        if finish:
            self._ended = True
            if not isinstance(finish, int) and text_of(finish) not in _FINISHES:
                self._report.add("gemini/finish-value", f"`finishReason` is {finish!r:.40}")
        content = value.get("content")
        if is_object(content):
            for need, how in missing(content, _TYPES["content"]):
                self._report.add("gemini/shape", how, clients=need.clients)
            for part in self._listed(content, "parts"):
                self._names(part)
                self._part(part)
        elif content is not None:
            self._report.add("gemini/shape", "`content` is not an object")

    def _listed(self, value: dict[str, Any], name: str) -> list[dict[str, Any]]:
        """The objects of an array that may be absent."""
        members = value.get(name)
        if is_array(members):
            return [member for member in members if is_object(member)]
        if members is not None:
            self._report.add("gemini/shape", f"`{name}` is not an array")
        return []

    def _part(self, part: dict[str, Any]) -> None:
        text, signature, call = part.get("text"), part.get("thoughtSignature"), part.get("functionCall")
        if text is not None and not isinstance(text, str):
            self._report.add("gemini/shape", "`text` is not a string")
        if signature is not None and not _is_base64(signature):
            self._report.add("gemini/signature", "`thoughtSignature` is not base64")
        if not is_object(call):
            return
        is_streamed = "partialArgs" in call or "willContinue" in call or not call
        if not text_of(call.get("name")) and not is_streamed:
            self._report.add("gemini/call-name", "a function call has no name")
        if call.get("args") is not None and not is_object(call["args"]):
            self._report.add("gemini/call-arguments", "the arguments of a function call are not an object")


def _is_base64(value: Any) -> bool:
    """Is this base64 as pydantic takes it, of either alphabet?"""
    if not isinstance(value, str):
        return False
    try:
        base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


CHECKLIST: Final = Checklist(
    protocol="gemini",
    framings=("sse", "json_array"),
    clients=(*_SDKS.split(), "ai-sdk"),
    rules=RULES,
    machine=_Machine,
)
