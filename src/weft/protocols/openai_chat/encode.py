"""Writes chat.completions chunks that the strictest clients accept.

Knows: this wire. Must not know: other protocols.
The role comes first and once, calls are numbered densely from 0, id and name are said once, the finish once, then the usage, then [DONE].
The envelope of a chunk is frozen when the message starts; a delta is spliced into it.
"""

from collections.abc import Callable
from itertools import chain, repeat
from typing import Any, ClassVar

from weft import events as ev
from weft import jsontext, unnamed
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.errors import says_all
from weft.facts import whose
from weft.losses import Losses
from weft.protocols.openai_chat import members, words
from weft.protocols.openai_chat.row import Row, Thought


class ChatEncoder(Encoder):
    """One stream of chunks."""

    own: ClassVar = "openai-chat"
    drops: ClassVar = {ev.Note: "", ev.StepStart: "", ev.StepEnd: "steps"}
    loses: ClassVar = {
        "steps": "there are no steps",
        "unknown": "a frame that Weft does not know is passed on to its own protocol only",
        "signature": "only reasoning, text and the client's calls can carry opaque state, and texts that run together only one piece",
        "tool_kind": "there are functions and custom tools: a tool of another kind reads as a function",
        "tool_result": "results of tools that another provider ran cannot be expressed",
        "opaque": "another protocol's items cannot be expressed",
        "order": "reasoning, text and calls are separate members, so their relative order is lost",
        "blocks": "text, reasoning and audio have no blocks: neighbours run together",
        "executor": "every call is for the client to execute, so calls that another provider runs are left out",
        "reasoning_form": "reasoning is one text",
        "annotation": "only URL citations can be expressed",
        "file": "only images and audio can be expressed",
        "file_partial": "there are no previews",
        "channel": "text has no channels",
        "meta": "this fact cannot be expressed",
        "finish_other": "there is no such finish reason: it reads as another",
        "usage": "the client did not ask for usage",
        "error_detail": "an error has a type, a code and a message",
        "incomplete": "a call does not say whether it was cut off; the finish does, for the last call only",
    }
    profiles: ClassVar = words.PROFILES
    choices: ClassVar = True

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._envelope: dict[str, Any] = {}
        self._late = False
        self._facts: dict[str, Any] = {}
        self._beside: dict[int, dict[str, Any]] = {}
        self._head = b""
        self._tail = b'],"usage":null}\n\n' if context.include_usage else b"]}\n\n"
        self._kinds: dict[int, ev.BlockStart] = {}
        self._splices: dict[int, tuple[bytes, bytes]] = {}
        self._spoken: dict[int, tuple[bytes, bytes]] = {}
        self._thought: Thought | None = None
        self._reasoning = words.REASONING.get(context.profile, "reasoning_content").encode()
        self._numbers: dict[int, int] = {}
        self._calls: dict[int, int] = {}
        self._complete: set[int] = set()
        self._whole: dict[int, str] = {}
        self._said: set[int] = set()
        self._refused: set[int] = set()
        self._own: set[int] = set()
        self._cut: list[str] = []
        self._executed: dict[str | None, str] = {}
        self._states: dict[int, dict[int | None, ev.Signature]] = {}
        self._signed: dict[tuple[int, int | None], int] = {}
        self._images: dict[int, list[ev.File]] = {}
        self._heard: dict[int, str] = {}
        self._sounding: dict[int, int] = {}
        self._roles: set[int] = set()
        self._listed: dict[tuple[int, str], int] = {}
        self._row = Row()

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.RefusalDelta: self._refuse,
            ev.ArgsDelta: self._args,
            ev.Signature: self._sign,
            ev.Annotation: self._annotate,
            ev.File: self._file,
            ev.Result: self._result,
            ev.Opaque: self._opaque,
            ev.BlockEnd: self._block_end,
            ev.Usage: self._count,
            ev.Unknown: self.unnamed,
            ev.End: self._end,
        }

    def more(self, texts: list[str]) -> None:
        if self.like is not None:
            head, tail = (self._splices if type(self.like) is ev.ArgsDelta else self._spoken)[self.like.index]
            self._write(jsontext.spliced(head, texts, repeat(tail)))

    def carry(self, event: ev.Unknown) -> None:
        self._write(unnamed.as_event(event))

    # -- the envelope --------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        context = self._context
        self._envelope = {
            "id": context.response_id or event.id,
            "object": "chat.completion.chunk",
            "created": int(event.created or context.created),
            "model": event.model or "",
        }
        if event.provider is not None:
            self._envelope["provider"] = event.provider
        self._freeze()

    def _meta(self, event: ev.Meta) -> None:
        """Who answers may become known late; facts that this wire has members for stand in the last chunk of the message."""
        if event.name in ("model", "provider", "created"):
            self._envelope[event.name] = int(event.value) if event.name == "created" else event.value
            self._freeze()
            self._late = True
        elif event.name in words.FACTS:
            self._facts[event.name] = event.value
        elif (fact := whose(event.name))[0] in words.CHOICE_FACTS:
            self._beside.setdefault(fact[1], {})[fact[0]] = event.value
        elif event.name == "audio_expires_at":
            self._choice(0, b'{"audio":{"expires_at":%b}}' % jsontext.line(event.value))
        elif event.name != "id":
            self.lose("meta", event.name)

    def _freeze(self) -> None:
        self._head = b"data: " + jsontext.line(self._envelope)[:-1] + b',"choices":['
        self._splices.clear()
        self._spoken.clear()

    def _choice(self, choice: int, delta: bytes, finish: bytes = b"null", logprobs: bytes = b"null") -> None:
        """One chunk of one choice; choices are announced with their role, in order, so that no client meets the second first."""
        self._announce(choice)
        self._chunk(choice, delta, finish, logprobs)

    def _announce(self, choice: int) -> None:
        for number in range(choice + 1):
            if number not in self._roles:
                self._roles.add(number)
                self._chunk(number, b'{"role":"assistant","content":""}', b"null", b"null")

    def _chunk(self, choice: int, delta: bytes, finish: bytes, logprobs: bytes) -> None:
        self._late = False
        self._write(
            b'%b{"index":%d,"delta":%b,"logprobs":%b,"finish_reason":%b}%b'
            % (self._head, choice, delta, logprobs, finish, self._tail)
        )

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._kinds[event.index] = event
        if event.channel and event.channel != words.TRANSCRIPT:
            self.lose("channel", place_of(event))
        if event.kind != "tool_call":
            return
        if event.executor == "provider":
            self._executed[event.id] = place_of(event)
            return
        if event.tool not in words.TOOLS:
            self.lose("tool_kind", place_of(event))
        self._enter(event)
        number = self._calls[event.choice] = self._calls.get(event.choice, -1) + 1
        self._numbers[event.index] = number
        call: dict[str, Any] = {"index": number, "id": event.id, "type": "function"}
        if event.tool == "custom":
            call |= {"type": "custom", "custom": {"name": event.name or "", "input": ""}}
        else:
            call["function"] = {"name": event.name or "", "arguments": ""}
        self._choice(event.choice, b'{"tool_calls":[' + jsontext.line(call) + b"]}")

    def _enter(self, start: ev.BlockStart) -> None:
        """What is said now is of this block: say what of their order nobody will see."""
        word, left = self._row.enter(start)
        if word is not None:
            self.lose(word, place_of(start))
        if start.kind == "tool_call":
            self._spoken.clear()  # what goes on behind a call is looked at again
        elif left is not None:
            self._spoken.pop(left, None)

    def _text(self, event: ev.TextDelta) -> None:
        splice = self._spoken.get(event.index)
        if splice is None or event.logprobs is not None:
            start = self._kinds[event.index]
            self._enter(start)
            before, after = words.SPOKEN if start.channel == words.TRANSCRIPT else words.CONTENT
            delta = before + jsontext.line(event.text) + after
            self._choice(start.choice, delta, b"null", _logprobs(event, "content"))
            self._spoken[event.index] = self._frozen(start.choice, before, after)
        else:
            self._write(splice[0] + jsontext.line(event.text) + splice[1])
        self.like = event

    def _think(self, event: ev.ReasoningDelta) -> None:
        splice = self._spoken.get(event.index)
        if splice is None or self._thought != (event.index, event.part, event.form):
            splice = self._turn(event)
        self._write(splice[0] + jsontext.line(event.text) + splice[1])
        self.like = event if event.form == "raw" and not event.part else None

    def _turn(self, event: ev.ReasoningDelta) -> tuple[bytes, bytes]:
        """Reasoning is one text: a blank line stands before each of its parts but the first."""
        if event.form != "raw" or event.part:
            self.lose("reasoning_form", place_of(event))
        start = self._kinds[event.index]
        thought: Thought = (event.index, event.part, event.form)
        self._enter(start)
        self._announce(start.choice)
        splice = self._spoken[event.index] = self._frozen(start.choice, b'{"%b":' % self._reasoning, b"}")
        if self._row.turned(start.choice, thought):
            self._write(splice[0] + rb'"\n\n"' + splice[1])
        self._thought = thought
        return splice

    def _refuse(self, event: ev.RefusalDelta) -> None:
        start = self._kinds[event.index]
        self._enter(start)
        self._refused.add(start.choice)
        self._choice(start.choice, b'{"refusal":%b}' % jsontext.line(event.text), b"null", _logprobs(event, "refusal"))

    def _args(self, event: ev.ArgsDelta) -> None:
        splice = self._splices.get(event.index)
        if splice is None:
            if event.index not in self._numbers:
                return
            splice = self._freeze_args(self._kinds[event.index])
        self._write(splice[0] + jsontext.line(event.text) + splice[1])
        self.like = event

    def _freeze_args(self, start: ev.BlockStart) -> tuple[bytes, bytes]:
        member = b'"custom":{"input":' if start.tool == "custom" else b'"function":{"arguments":'
        call = b'{"tool_calls":[{"index":%d,%b' % (self._numbers[start.index], member)
        self._said.add(start.index)
        splice = self._splices[start.index] = self._frozen(start.choice, call, b"}}]}")
        return splice

    def _frozen(self, choice: int, before: bytes, after: bytes) -> tuple[bytes, bytes]:
        """A chunk up to where its text stands, and from there on."""
        self._late = False
        head = b'%b{"index":%d,"delta":%b' % (self._head, choice, before)
        return head, after + b',"logprobs":null,"finish_reason":null}' + self._tail

    def _block_end(self, event: ev.BlockEnd) -> None:
        start = self._kinds[event.index]
        if start.kind in ("tool_result", "opaque") and event.index not in self._own:
            self.lose(start.kind, place_of(event))
        elif event.index in self._states:
            self._seal(start, [*self._states.pop(event.index).values()])
        elif event.index in self._images:
            self._show(start, self._images.pop(event.index))
        elif event.index in self._numbers:
            self._end_call(start, complete=event.complete)

    def _end_call(self, start: ev.BlockStart, *, complete: bool) -> None:
        """No arguments are an empty object: clients parse what they get."""
        if not complete:
            self._cut.append(place_of(start))
            return
        self._complete.add(start.choice)
        self._whole[start.choice] = place_of(start)
        if start.index not in self._said and start.tool != "custom":
            splice = self._freeze_args(start)
            self._write(splice[0] + b'"{}"' + splice[1])

    # -- what stands beside --------------------------------------------------------------------------------------

    def _sign(self, event: ev.Signature) -> None:
        """A call's state and a text's go where Google has them, reasoning's where OpenRouter has it."""
        start, number = self._kinds[event.index], self._numbers.get(event.index)
        if number is not None:
            self._sign_call(start, number, event)
        elif start.kind == "reasoning":
            self._states.setdefault(event.index, {})[event.part] = event
        elif start.kind == "text":
            self._enter(start)
            before = self._signed.setdefault((start.choice, event.part), start.index)
            if before != start.index:
                self.lose("signature", f"block {before}")
            self._choice(
                start.choice, b'{"content":"","extra_content":%b}' % jsontext.line(members.extra_content(event))
            )
        else:
            self.lose("signature", place_of(event))

    def _seal(self, start: ev.BlockStart, states: list[ev.Signature]) -> None:
        """The state of reasoning ends it; of several of one part the last one counts."""
        self._enter(start)
        self._list(start.choice, "reasoning_details", *map(members.detail, states))
        self._row.sealed(start)

    def _list(self, choice: int, member: str, *entries: dict[str, Any]) -> None:
        """Entries of a list that a client puts together: each has its place in it, or openai for Python raises."""
        first = self._listed.get((choice, member), 0)
        self._listed[choice, member] = first + len(entries)
        said = [{**entry, "index": place} for place, entry in enumerate(entries, first)]
        self._choice(choice, b'{"%b":%b}' % (member.encode(), jsontext.line(said)))

    def _sign_call(self, start: ev.BlockStart, number: int, event: ev.Signature) -> None:
        detail = members.call_detail(event, start.id or "")
        if detail is not None:
            self._list(start.choice, "reasoning_details", detail)
            return
        inner = {"custom": {"input": ""}} if start.tool == "custom" else {"function": {"arguments": ""}}
        call = {"index": number, **inner, "extra_content": members.extra_content(event)}
        self._choice(start.choice, b'{"tool_calls":[' + jsontext.line(call) + b"]}")

    def _annotate(self, event: ev.Annotation) -> None:
        citation = members.citation(event)
        if citation is None:
            self.lose("annotation", place_of(event))
            return
        self._list(self._kinds[event.index].choice, "annotations", citation)

    def _file(self, event: ev.File) -> None:
        """Audio goes on piece by piece, an image is one URL."""
        start = self._kinds[event.index]
        if event.partial:
            self.lose("file_partial", place_of(event))
        elif sound := members.audio(event.media_type or self._heard.get(event.index), event.data, event.file_id):
            self._heard[event.index] = event.media_type or "audio/*"
            if self._sounding.setdefault(start.choice, event.index) != event.index:
                self._sounding[start.choice] = event.index
                self.lose("blocks", place_of(event))
            self._choice(start.choice, b'{"audio":%b}' % jsontext.line(sound))
        elif start.kind == "file":
            self._images.setdefault(event.index, []).append(event)
        else:
            self.lose("file", place_of(event))

    def _show(self, start: ev.BlockStart, pieces: list[ev.File]) -> None:
        data = "".join(piece.data for piece in pieces if piece.data is not None) or None
        image = members.image(pieces[0].media_type, data, pieces[-1].url)
        if image is None:
            self.lose("file", place_of(start))
        else:
            self._list(start.choice, "images", image)

    def _runs(self, start: ev.BlockStart) -> bool:
        """Is this a call of a tool that the provider runs?"""
        return start.kind == "tool_call" and start.executor == "provider"

    def _result(self, event: ev.Result) -> None:
        """Said in its own form, which follows, or not at all."""

    def _opaque(self, event: ev.Opaque) -> None:
        """A part of the content, or a tool that was run, as this wire had it."""
        start = self._kinds[event.index]
        if event.origin.protocol != members.OWN or start.kind not in ("tool_result", "opaque"):
            if start.kind not in ("reasoning", "tool_result", "opaque") and not self._runs(start):
                self.lose("opaque", place_of(event))
            return
        self._own.add(event.index)
        member = b"content"
        if start.kind == "tool_result":
            member = b"executed_tools"
            self._executed.pop(start.id, None)
        self._choice(start.choice, b'{"%b":[%b]}' % (member, jsontext.line(event.raw)))

    # -- the end -------------------------------------------------------------------------------------------------

    def _count(self, event: ev.Usage) -> None:
        """The terminal has the last word on the counts."""

    def _end(self, event: ev.End) -> None:
        for place in self._executed.values():
            self.lose("executor", place)
        if event.outcome in ("failed", "truncated") or (event.error is not None and event.error.type == "cancelled"):
            self._failed(event)
            return
        for place in self._cut:
            self.lose("incomplete", place)
        for finish in event.finishes or (ev.Finish(),):
            self._finish(finish)
        self._usage_chunk(event.usage)
        self._write(b"data: [DONE]\n\n")

    def _finish(self, finish: ev.Finish) -> None:
        """A choice whose source gave no reason has the one that its calls tell."""
        choice, reason = finish.choice, finish.reason
        refused = reason == "refusal" and choice not in self._refused
        word = words.finish(reason, calls=choice in self._complete, refused=choice in self._refused)
        if refused or reason in ("pause", "other"):
            self.lose("finish_other")
        if reason in ("length", "content_filter") and choice in self._whole:
            self.lose("incomplete", self._whole[choice])
        tail = self._tail
        if self._facts:
            self._tail = tail[:-3] + b"," + jsontext.line(dict(sorted(self._facts.items())))[1:] + b"\n\n"
            self._facts = {}
        beside = self._beside.pop(choice, None)
        self._choice(choice, b"{}", jsontext.line(word) + (b"," + jsontext.line(beside)[1:-1] if beside else b""))
        self._tail = tail

    def _failed(self, event: ev.End) -> None:
        """An error frame and nothing after it: no finish, and no terminator that would read as a clean end."""
        error = event.error
        if error is None:
            return
        for name in [*self._facts, *chain.from_iterable(self._beside.values())]:
            self.lose("meta", name)
        if not says_all({"error": words.error(error)}, error):
            self.lose("error_detail")
        if self._late:
            self._write(self._head + self._tail)  # an error does not name the model
        self._usage_chunk(event.usage)
        self._write(b'data: {"error":' + jsontext.line(words.error(error)) + b"}\n\n")
        if self._context.profile in words.DONE_AFTER_ERROR:
            self._write(b"data: [DONE]\n\n")

    def _usage_chunk(self, usage: ev.Usage | None) -> None:
        if usage is None:
            return
        if not self._context.include_usage:
            self.lose("usage")
            return
        self._write(self._head + b'],"usage":' + jsontext.line(words.usage(usage)) + b"}\n\n")


def _logprobs(event: ev.TextDelta | ev.RefusalDelta, of: str) -> bytes:
    """The entries of the tokens; the lists of /v1/completions stay as they are."""
    tokens: Any = event.logprobs
    if tokens is None:
        return b"null"
    return jsontext.line({of: tokens} if jsontext.is_array(tokens) else tokens)
