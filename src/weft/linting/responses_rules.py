"""The rules of OpenAI Responses, as data.

Knows: what must hold, who fails otherwise and how that is known. Must not know: how it is found out.
"""

from typing import Final

from weft.linting.rule import Rule, all_of, rules

RULES: Final = rules(
    Rule(
        id="responses/first-event-created",
        title="the first event is `response.created`",
        effects=all_of("crash", "openai-python openai-js"),
        reference="measured",
        explain="The stream helpers build their snapshot from the response in it; any other event before it is an error to them.",
    ),
    Rule(
        id="responses/no-terminal",
        title="the stream ends with `response.completed`, `response.incomplete` or `response.failed`",
        effects={"openai-python": "crash", "codex": "hang", "openai-js": "wrong", "ai-sdk": "wrong"},
        reference="measured; openai/codex#41340, router-for-me/CLIProxyAPI#2358",
        explain="Codex says `stream closed before response.completed` and asks again, five times. It ignores the `error` event, so that after one "
        "`response.failed` must still come. The others report an answer that was cut as if it were whole (Codex also takes `response.incomplete` for an error of "
        "the stream and asks again; a stream that was really cut has nothing better to say, so that is no rule).",
    ),
    Rule(
        id="responses/after-terminal",
        title="nothing comes after the terminal event",
        effects={"codex": "ignore"},
        reference="Codex source",
        explain="Codex stops reading at the first terminal event. Usage and all output belong into it or before it.",
    ),
    Rule(
        id="responses/type-missing",
        title="every event says its `type` inside the data",
        effects=all_of("crash", "openai-js ai-sdk"),
        reference="measured",
        explain="No measured client reads the `event:` line: the type in the JSON is the only one.",
    ),
    Rule(
        id="responses/unknown-event",
        title="only events that OpenAI itself sends",
        effects={"openai-js": "crash", "grok-cli": "crash"},
        reference="measured; diegosouzapw/OmniRoute#13964",
        explain="openai for JavaScript throws `Unhandled response stream event`. Not even a ping may have a name of its own: send a comment line.",
    ),
    Rule(
        id="responses/keepalive",
        title="a keep-alive is a comment line, not an event",
        effects={"grok-cli": "crash"},
        reference="diegosouzapw/OmniRoute#13964, router-for-me/CLIProxyAPI#5171",
        explain="Readers with closed types do not know `keepalive`, though OpenAI itself sends it, as rarely as while an image is drawn.",
    ),
    Rule(
        id="responses/error-member",
        title="no event but `error` has a member `error` at its top",
        effects=all_of("crash", "openai-python openai-js"),
        reference="their sources",
        explain="Both raise an APIError for whatever frame has one that is neither null nor empty, before they look at its type. The error of `response.failed` stands "
        "inside its `response`.",
    ),
    Rule(
        id="responses/member",
        title="every event has the members that clients read",
        effects={**all_of("crash", "openai-python openai-js ai-sdk grok-cli"), "codex": "ignore"},
        reference="measured member by member; Codex source; onyx-dot-app/onyx#13624",
        explain="Which member, and who fails without it, is said in the finding: each has its own row. Codex skips an event that does not fit its types, "
        "and with a skipped `response.output_item.done` the whole message or call.",
    ),
    Rule(
        id="responses/last-event",
        title="the terminal event has a response with its id, its status and, if any, a whole usage",
        effects={**all_of("crash", "openai-python openai-js ai-sdk grok-cli"), "codex": "hang"},
        reference="measured member by member; Codex source",
        explain="A `usage` whose details are there but lack `cached_tokens` or `reasoning_tokens` does not fit Codex's types: it skips the event, misses the "
        "end, and asks again. Leave out the whole usage rather than parts of it.",
    ),
    Rule(
        id="responses/sequence-number",
        title="`sequence_number` is an integer that rises",
        effects={"grok-cli": "crash"},
        reference="diegosouzapw/OmniRoute#13964; the official SDKs were measured not to mind",
        explain="Readers with closed types refuse an event without it, and gateways drop an event whose number they have seen.",
    ),
    Rule(
        id="responses/response-id",
        title="the response keeps its id",
        effects=all_of("crash", "openai-python openai-js"),
        reference="measured",
        explain="Both helpers raise `Lifecycle response identity changed`.",
    ),
    Rule(
        id="responses/index-reused",
        title="every item has an output index of its own",
        effects={"openai-python": "crash", "openai-js": "crash", "ai-sdk": "wrong"},
        reference="measured; openai/openai-python#3125",
        explain="The output index is the item's place in the final output, not that of a block in the source. Gaps do no harm.",
    ),
    Rule(
        id="responses/item-not-added",
        title="`response.output_item.added` comes before anything else of its item",
        effects={"openai-python": "crash", "openai-js": "crash", "ai-sdk": "crash", "codex": "ignore"},
        reference="measured",
        explain="A delta or a done for an output index that was never added has nothing to be added to.",
    ),
    Rule(
        id="responses/item-not-done",
        title="every item that was added is done before the response ends",
        effects={"openai-python": "crash", "ai-sdk": "ignore", "codex": "ignore"},
        reference="measured; Wei-Shaw/sub2api#2926",
        explain="Codex reads calls and messages from `response.output_item.done` alone, and the AI SDK never announces a call without it. An item that "
        "was cut off is done with `status: incomplete`. openai for Python raises `unfinished output items` if the final output lacks it too.",
    ),
    Rule(
        id="responses/item-id",
        title="`item_id` is the id that the item was added with",
        effects=all_of("crash", "openai-js"),
        reference="measured",
        explain="openai for JavaScript says which id it expected. Keep one table of ids for a response.",
    ),
    Rule(
        id="responses/item-identity",
        title="an item keeps its id, its type and its call id, also in the final output",
        effects={"openai-python": "crash", "openai-js": "crash", "ai-sdk": "wrong"},
        reference="measured; icebear0828/codex-proxy#83",
        explain="openai for Python raises `Completed output item identity changed`. The call id is what the tool's result will be sent back under.",
    ),
    Rule(
        id="responses/delta-after-done",
        title="no delta comes after its item is done",
        effects={"ai-sdk": "crash", "codex": "ignore"},
        reference="measured",
        explain="The AI SDK has closed the part and says that it cannot be found. Text after a call belongs into a new item.",
    ),
    Rule(
        id="responses/no-active-item",
        title="text and reasoning come while their item is the last one added, and none was done since",
        effects={"codex": "ignore"},
        reference="Codex source",
        explain="Codex keeps one active item, which `output_item.added` sets and any `output_item.done` clears. A delta without one is logged and not "
        "shown; a debug build panics. Finish one item before the next, or interleave nothing but arguments of calls.",
    ),
    Rule(
        id="responses/part-not-added",
        title="`response.content_part.added` comes before the text of its part",
        effects=all_of("crash", "openai-python openai-js"),
        reference="measured",
        explain="Both helpers look the part up by its `content_index`: IndexError, `missing content`.",
    ),
    Rule(
        id="responses/summary-not-added",
        title="`response.reasoning_summary_part.added` comes before the text of its part",
        effects=all_of("crash", "openai-js"),
        reference="measured",
        explain="openai for JavaScript says `missing content at index`.",
    ),
    Rule(
        id="responses/part-twice",
        title="every part is added once",
        effects=all_of("crash", "openai-js"),
        reference="measured",
        explain="A part that is added twice shifts those after it.",
    ),
    Rule(
        id="responses/part-index",
        title="parts are counted from 0 without a gap",
        effects=all_of("crash", "openai-python openai-js"),
        reference="measured",
        explain="`content_index` and `summary_index` are places in the item's own list.",
    ),
    Rule(
        id="responses/output-lost",
        title="the output of `response.completed` has every item that was streamed",
        effects=all_of("wrong", "openai-python openai-js"),
        reference="measured; router-for-me/CLIProxyAPI@fd45dece7",
        explain="A client that asks the helper for the final response gets the list of the last event. Leave `output` null rather than send it empty; "
        "ChatGPT's own Codex backend sends it empty.",
    ),
    Rule(
        id="responses/sum",
        title="what a done event says is what its deltas said",
        effects=all_of("wrong", "ai-sdk codex"),
        reference="inferred from their sources; the OpenAI SDKs take all from the terminal event",
        explain="Codex and the AI SDK take a call's arguments from the done events, others join the deltas. When the two differ, two clients of one "
        "stream run two different calls.",
    ),
)  # fmt: skip
