"""OpenAI chat.completions and the many that speak it."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.openai_chat.decode import ChatDecoder
from weft.protocols.openai_chat.dialects import CHAT, ROWS
from weft.protocols.openai_chat.encode import ChatEncoder
from weft.protocols.openai_chat.plain import FORMS
from weft.protocols.openai_chat.reply import reply
from weft.protocols.openai_chat.request import ChatTurn
from weft.protocols.openai_chat.sdk import framed
from weft.protocols.openai_chat.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="openai-chat",
    title="OpenAI chat.completions",
    framing="sse",
    never=frozenset("steps usage_early file_partial".split()),
    decoder=ChatDecoder,
    encoder=ChatEncoder,
    reply=reply,
    turn=ChatTurn,
    dialect=CHAT,
    dialects=ROWS,
    ignores=IGNORES,
    framed=framed,
    signs=(
        Sign("object", "chat.completion", 0.98),
        Sign("choices.delta", None, 0.95),
        Sign("choices.message", None, 0.9),
        Sign("choices", None, 0.6),
        Sign("result.choices", None, 0.9),
        Sign("object", "text_completion", 0.6),
        Sign("id", "chatcmpl", 0.9),
        Sign("choices.text", "", 0.95),
        Sign("usage.prompt_tokens", None, 0.5),
        *(Sign(form.mark, "" if str in form.of else None, form.weight) for form in FORMS),
        Sign("error.type", "", 0.4),
        Sign("error.code", None, 0.3),
        Sign("error.metadata", None, 0.7),
    ),
)
