"""Who else serves the Responses API: one row for each of whom something is known that the bytes do not say.

Knows: where a host differs. What merely leaves out, repeats or adds members is read by the bare protocol, whoever sends it.
Must not know: how a row is obeyed.
"""

from weft.events import Executor
from weft.protocol import Dialect, Sign
from weft.rules import Rules


class ResponsesDialect(Dialect, frozen=True, kw_only=True):
    """`provider` is told with encrypted reasoning: one host's is of no use to another. `custom_tools` says who runs those.

    `ids` are prefixes of response ids that betray the host.
    """

    provider: str | None = None
    custom_tools: Executor = "client"
    ids: tuple[str, ...] = ()


RULES = Rules(ends_on=frozenset({"terminal"}), usage="replace")

RESPONSES = ResponsesDialect(rules=RULES)


def _host(name: str, title: str, evidence: str) -> ResponsesDialect:
    """A host that only makes encrypted reasoning of its own."""
    return ResponsesDialect(name=name, title=title, rules=RULES, provider=name, evidence=evidence)


ROWS: tuple[ResponsesDialect, ...] = (
    _host("azure", "Azure OpenAI", "atlas 2.2.9: deltas before their content part"),
    _host(
        "bedrock", "Amazon Bedrock", "corpus, bedrock mantle: no event lines, reasoning parts, content index 1 alone"
    ),
    _host(
        "codex", "ChatGPT, the backend of Codex", "atlas 7.3 Q-R3: completed with an empty output; response.metadata"
    ),
    _host("deepseek", "DeepSeek", "corpus: response ids without a prefix"),
    _host("llamacpp", "llama.cpp", "atlas 7.3 Q-R2: neither sequence numbers nor indices, all items done at the end"),
    _host("lmstudio", "LM Studio", "atlas 7.3 Q-R4: arguments without deltas, reasoning as text"),
    _host("ollama", "Ollama", "atlas 2.2.9: summaries without their part; encrypted content is the plain thinking"),
    _host("openai", "OpenAI itself", "atlas 4.2: encrypted content goes back to its own origin only"),
    _host("vllm", "vLLM", "atlas 2.2.9: reasoning parts, always completed, an error object in place of the end"),
    ResponsesDialect(
        name="copilot",
        title="GitHub Copilot",
        rules=RULES,
        provider="copilot",
        signs=(Sign("copilot_usage", None, 0.9),),
        evidence="atlas 7.3 Q-R1: another id with each event",
    ),
    ResponsesDialect(
        name="openrouter",
        title="OpenRouter",
        rules=RULES,
        provider="openrouter",
        ids=("gen-",),
        signs=(Sign("response.id", "gen-", 0.9),),
        evidence="atlas 2.2.9: [DONE] after the end, comments, ids of its own",
    ),
    ResponsesDialect(
        name="xai",
        title="xAI",
        rules=RULES,
        provider="xai",
        custom_tools="provider",
        models=("grok-",),
        evidence="vercel/ai#9896: its own searches come as custom tool calls, searches run beside each other",
    ),
    ResponsesDialect(
        name="bamboo",
        title="Those who end with [DONE] alone",
        rules=Rules(ends_on=frozenset({"terminal", "done"}), usage="replace"),
        evidence="atlas 7.3 Q-R12, bigduu/Bamboo-agent#405",
    ),
)


def host_of(id: str | None, model: str | None) -> ResponsesDialect | None:
    """The row that a response id or a model's name betrays."""
    id, model = id or "", (model or "").lower()
    return next((row for row in ROWS if id.startswith(row.ids) or model.startswith(row.models)), None)
