"""The imitators of chat.completions, one row each, so that their names can be used.

Knows: where an imitator contradicts the protocol, and by what it is recognised. Most contradict nothing: they add members, which
the wire types tolerate, and the bare protocol reads them as well as their row does.
Must not know: how a row is obeyed.
"""

from typing import Literal

from weft.protocol import Dialect, Sign
from weft.protocols.openai_chat.usage import ReasoningCount
from weft.rules import Rules


class ChatDialect(Dialect, frozen=True, kw_only=True):
    """What a chat source declares beside the rules of all sources.

    `choices_are` phases: the choice index counts phases of one answer. `reasoning_count`: where reasoning tokens are counted.
    """

    choices_are: Literal["answers", "phases"] = "answers"
    reasoning_count: ReasoningCount = "inside"


RULES = Rules(ends_on=frozenset({"finish", "done"}), usage="replace")

CHAT = ChatDialect(rules=RULES)

DECLARING: tuple[ChatDialect, ...] = (
    ChatDialect(
        name="zhipu",
        title="Zhipu / Z.ai GLM",
        evidence="the choice index counts reasoning, text and calls of one answer (atlas 2.1.11; corpus: crush, zai-glm4.6)",
        rules=RULES,
        choices_are="phases",
        models=("glm-",),
        signs=(Sign("web_search", None, 0.6),),
    ),
    ChatDialect(
        name="xai",
        title="xAI",
        evidence="completion_tokens leaves the reasoning out (atlas 2.1.6 and 6.4)",
        rules=RULES,
        reasoning_count="beside",
        models=("grok-",),
        signs=(Sign("usage.num_sources_used", None, 0.7),),
    ),
    ChatDialect(
        name="deepinfra",
        title="DeepInfra",
        evidence="Gemini and Gemma: completion_tokens and total_tokens leave the reasoning out (atlas 6.4)",
        rules=RULES,
        reasoning_count="beside_if_more",
        signs=(Sign("usage.estimated_cost", None, 0.6),),
    ),
    ChatDialect(
        name="vercel",
        title="Vercel AI Gateway",
        evidence="Gemini: completion_tokens and total_tokens leave the reasoning out (corpus: fantasy, testvercelcommon-gemini)",
        rules=RULES,
        reasoning_count="beside_if_more",
        signs=(Sign("generationId", None, 0.9), Sign("choices.delta.provider_metadata", None, 0.8)),
    ),
    ChatDialect(
        name="google",
        title="Google's OpenAI-compatible endpoint",
        evidence="names in pieces (failures A5, continuedev/continue#5849)",
        rules=Rules(ends_on=RULES.ends_on, usage="replace", names="append"),
        signs=(Sign("choices.delta.tool_calls.extra_content.google", None, 0.9),),
    ),
    ChatDialect(
        name="minimax",
        title="MiniMax",
        evidence="think tags in the text unless reasoning_split is asked for (atlas 2.1.5 and 2.1.11)",
        rules=RULES,
        filters=("think",),
        models=("minimax-", "abab"),
        signs=(Sign("base_resp", None, 0.8), Sign("input_sensitive", None, 0.8)),
    ),
    ChatDialect(
        name="fireworks",
        title="Fireworks",
        evidence="think tags in the text (atlas 2.1.5 and 2.1.11; corpus: llama-stack, deepseek-r1)",
        rules=RULES,
        filters=("think",),
        models=("accounts/fireworks/",),
    ),
    ChatDialect(
        name="lmstudio",
        title="LM Studio",
        evidence="think tags in the text or reasoning_content, as it is set (atlas 2.1.5 and 2.1.11)",
        rules=RULES,
        filters=("think",),
    ),
    ChatDialect(
        name="snapshots",
        title="any source whose text, reasoning and arguments repeat what was said before",
        evidence="failures B7 and A20 (QwenLM/qwen-code#3896, saberjack/SHTUCodeProxy#1)",
        rules=RULES,
        filters=("snapshots",),
    ),
)
"""Rows that declare where they contradict the protocol."""


def _tolerated(name: str, title: str, adds: str, *models: str, signs: tuple[Sign, ...] = ()) -> ChatDialect:
    """A row that contradicts nothing. `adds` says by what it is still different (atlas 2.1.11, unless it says otherwise)."""
    return ChatDialect(
        name=name, title=title, evidence=f"no contradiction: {adds}", rules=RULES, models=models, signs=signs
    )


ROWS: tuple[ChatDialect, ...] = (
    *DECLARING,
    _tolerated(
        "azure", "Azure OpenAI", "filter results, a blank first frame, choices without a delta",
        signs=(Sign("prompt_filter_results", None, 0.8), Sign("choices.content_filter_results", None, 0.8)),
    ),
    _tolerated(
        "openrouter", "OpenRouter", "reasoning_details, provider, native_finish_reason, the finish twice",
        signs=(Sign("choices.native_finish_reason", None, 0.8), Sign("id", "gen-", 0.9)),
    ),
    _tolerated(
        "deepseek", "DeepSeek", "reasoning_content beside a null content, prompt_cache_hit_tokens", "deepseek-",
        signs=(Sign("usage.prompt_cache_hit_tokens", None, 0.8),),
    ),
    _tolerated("qwen", "Qwen / DashScope, compatible mode", "empty ids on later fragments (deployments that repeat: snapshots)", "qwen"),
    _tolerated(
        "mistral", "Mistral", "content as a list of parts, calls without an index, num_cached_tokens",
        "mistral-", "ministral-", "magistral-", "codestral-", "devstral-", "pixtral-",
    ),
    _tolerated("groq", "Groq", "x_groq.usage, executed_tools, tool_use_failed", signs=(Sign("x_groq", None, 0.95),)),
    _tolerated("moonshot", "Moonshot Kimi", "usage inside the choice, cached_tokens at its top", "kimi-", "moonshot-"),
    _tolerated("xiaomi", "Xiaomi MiMo", "reasoning_content (requirements A6)", "mimo-"),
    _tolerated(
        "perplexity", "Perplexity", "a message so far beside each delta, usage and results on each chunk", "sonar",
        signs=(Sign("search_results", None, 0.8), Sign("object", "chat.completion.done", 0.9)),
    ),
    _tolerated("cerebras", "Cerebras", "reasoning, time_info", signs=(Sign("time_info", None, 0.8),)),
    _tolerated("together", "Together", "finish `eos`, token ids", signs=(Sign("object", "completion.chunk", 0.8),)),
    _tolerated(
        "copilot", "GitHub Copilot", "reasoning_text, reasoning_opaque, two choices with one index",
        signs=(Sign("copilot_usage", None, 0.95), Sign("choices.delta.reasoning_opaque", None, 0.8)),
    ),
    _tolerated("vllm", "vLLM", "reasoning, token_ids, stop_reason, usage on each chunk", signs=(Sign("choices.token_ids", None, 0.6),)),
    _tolerated("sglang", "SGLang", "finish `None`, matched_stop", signs=(Sign("choices.matched_stop", None, 0.8),)),
    _tolerated("llamacpp", "llama.cpp", "arguments as an object, timings", signs=(Sign("timings.predicted_ms", None, 0.8),)),
    _tolerated("tgi", "Hugging Face TGI", "arguments as an object, finish `eos_token`, errors with an error_type"),
    _tolerated("huggingface", "Hugging Face router", "the union of those behind it"),
    _tolerated("ollama", "Ollama's /v1", "reasoning; a stream that fails just stops", signs=(Sign("system_fingerprint", "fp_ollama", 0.95),)),
    _tolerated("litellm", "LiteLLM's proxy", "thinking_blocks, a finish for the first choice alone", signs=(Sign("stream_options", None, 0.6),)),
    _tolerated("databricks", "Databricks", "content as a list of reasoning and text"),
    _tolerated("snowflake", "Snowflake Cortex", "no finish, empty ids, empty custom tools beside functions"),
    _tolerated("nvidia", "NVIDIA NIM", "calls without ids"),
    _tolerated("gpustack", "GPUStack", "errors as an SSE field, calls without an index", signs=(Sign("usage.draft_tokens", None, 0.8),)),
    _tolerated("writer", "Writer", "a copy of each delta as a message", "palmyra-", signs=(Sign("choices.delta.graph_data", None, 0.9),)),
    _tolerated("venice", "Venice", "cost, its own parameters", signs=(Sign("venice_parameters", None, 0.9),)),
    _tolerated("watsonx", "watsonx, chat", "model_version, warnings of the system", signs=(Sign("model_version", None, 0.6),)),
    _tolerated("cloudflare", "Cloudflare Workers AI", "the finish twice", "@cf/"),
)  # fmt: skip
