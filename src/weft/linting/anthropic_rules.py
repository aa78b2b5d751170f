"""The rules of Anthropic Messages, as data.

Knows: what must hold, who fails otherwise and how that is known. Must not know: how it is found out.
"""

from typing import Final

from weft.linting.rule import Rule, all_of, rules

_SDKS: Final = "anthropic-python anthropic-js"

RULES: Final = rules(
    Rule(
        id="anthropic/event-name",
        title="every frame has an `event:` line that says its type",
        effects=all_of("ignore", f"{_SDKS} claude-code"),
        reference="measured",
        explain="The official SDKs go by the line and silently drop frames without it, errors too: `request ended without sending any chunks`, or a cut "
        "answer that passes for a whole one.",
    ),
    Rule(
        id="anthropic/type-missing",
        title="every frame says its `type` inside the data too",
        effects={"anthropic-python": "wrong", **all_of("crash", "anthropic-js ai-sdk claude-code")},
        reference="measured",
        explain="The event's name picks the frame, the type in the JSON says what it is. anthropic for Python fails over a start without it and drops the rest.",
    ),
    Rule(
        id="anthropic/member",
        title="every frame has the members that clients read",
        effects=all_of("crash", f"{_SDKS} ai-sdk claude-code"),
        reference="measured member by member; SaladDay/cc-switch-cli#323, vllm-project/vllm#45376",
        explain="Which member, and who fails without it, is said in the finding. A block begins with empty strings to append to, `message.content` is an "
        "empty array, and `message_delta` always has a usage.",
    ),
    Rule(
        id="anthropic/first-message-start",
        title="`message_start` comes first",
        effects={"anthropic-python": "crash", "anthropic-js": "crash", "amp": "crash", "claude-code": "crash"},
        reference="measured; router-for-me/CLIProxyAPI#530",
        explain="`Unexpected event order`. A ping or an error may come before it.",
    ),
    Rule(
        id="anthropic/message-start-twice",
        title="`message_start` comes once",
        effects={"anthropic-js": "crash", "claude-code": "crash", "anthropic-python": "wrong", "ai-sdk": "wrong"},
        reference="measured; LuthienResearch/luthien-proxy#59, vercel/ai#18331",
        explain="Two messages in one stream are glued together, or refused.",
    ),
    Rule(
        id="anthropic/index-order",
        title="blocks are counted from 0 without a gap",
        effects={"anthropic-python": "crash", "anthropic-js": "wrong", "claude-code": "crash"},
        reference="measured; router-for-me/CLIProxyAPI#3720",
        explain="The index is a place in a list: IndexError in Python, `Content block not found` in Claude Code, lost text in JavaScript.",
    ),
    Rule(
        id="anthropic/index-reused",
        title="every block is started once",
        effects=all_of("wrong", f"{_SDKS} ai-sdk"),
        reference="measured",
        explain="What comes under an index that was used is added to another block.",
    ),
    Rule(
        id="anthropic/blocks-concurrent",
        title="one block is open at a time",
        effects={"claude-code": "hang"},
        reference="farion1231/cc-switch#2303",
        explain="With two calls open at once Claude Code stays at `Waiting…`. Hold the second back until the first has been stopped.",
    ),
    Rule(
        id="anthropic/block-unknown",
        title="a delta or stop names a block that was started",
        effects=all_of("crash", f"{_SDKS} ai-sdk claude-code"),
        reference="measured; ikawrakow/ik_llama.cpp#1524",
        explain="`Content block not found`.",
    ),
    Rule(
        id="anthropic/delta-after-stop",
        title="no delta comes after its block was stopped",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="The AI SDK has closed the part and says that it cannot be found.",
    ),
    Rule(
        id="anthropic/delta-kind",
        title="a delta is of its block's kind",
        effects={"ai-sdk": "crash", "claude-code": "crash"},
        reference="measured; BerriAI/litellm#33224",
        explain="`Content block is not a thinking block`. Open a block when the kind of its first delta is known, and a new one when it changes.",
    ),
    Rule(
        id="anthropic/block-stopped-twice",
        title="every block is stopped once",
        effects={"anthropic-python": "wrong"},
        reference="measured",
        explain="The stream helper gives `content_block_stop`, with the whole block, for each: a program that runs a call there runs it twice.",
    ),
    Rule(
        id="anthropic/after-message-stop",
        title="nothing comes after `message_stop`",
        effects={"anthropic-python": "wrong"},
        reference="measured",
        explain="The stream helper has announced the message as whole by then, and still adds what comes to it. Clients that stop there lose it.",
    ),
    Rule(
        id="anthropic/unknown-event",
        title="only events that Anthropic itself sends",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="@ai-sdk/anthropic holds every frame to a closed schema; the others skip what they do not know.",
    ),
    Rule(
        id="anthropic/unknown-block",
        title="only kinds of block that Anthropic itself sends",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="@ai-sdk/anthropic holds every frame to a closed schema.",
    ),
    Rule(
        id="anthropic/unknown-delta",
        title="only kinds of delta that Anthropic itself sends",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="@ai-sdk/anthropic holds every frame to a closed schema.",
    ),
    Rule(
        id="anthropic/input-json",
        title="the pieces of a call's input add up to JSON",
        effects=all_of("crash", _SDKS),
        reference="measured",
        explain="Both SDKs parse the sum and raise. An object that was cut off they take as far as it came, so that is not held against a stream.",
    ),
    Rule(
        id="anthropic/input-in-start",
        title="the input of a call comes in deltas",
        effects={"claude-code": "ignore"},
        reference="AIClient2API#71, BerriAI/litellm#25321",
        explain="The SDKs read an input that stands in `content_block_start`; clients that only add up deltas call the tool with `{}`, again and again.",
    ),
    Rule(
        id="anthropic/block-not-stopped",
        title="every block is stopped before the message ends",
        effects={"ai-sdk": "ignore"},
        reference="measured",
        explain="The AI SDK announces a call when its block stops: without that it never runs.",
    ),
    Rule(
        id="anthropic/stop-reason-missing",
        title="a message that ends has a stop reason",
        effects=all_of("wrong", f"{_SDKS} ai-sdk"),
        reference="measured",
        explain="It comes with `message_delta`. Without it nobody knows whether tools are to be called.",
    ),
    Rule(
        id="anthropic/message-stop-missing",
        title="the stream ends with `message_stop`, or with an error",
        effects={"claude-code": "hang", "anthropic-js": "crash", "ai-sdk": "wrong", "anthropic-python": "wrong"},
        reference="measured; maximhq/bifrost#2429",
        explain="`stream ended without producing a Message`; Claude Code waits on. An answer that was cut ends with an `error` event instead.",
    ),
    Rule(
        id="anthropic/error-form",
        title='an error is `{"type": "error", "error": {"type": …, "message": …}}`',
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="The SDKs raise for any data under `event: error`; the AI SDK's schema knows the documented form only, and loses the message of others.",
    ),
)  # fmt: skip
