"""Endpoints with OpenAI's chat completions: `POST /v1/chat/completions`.

These are OpenAI itself and local servers: llama.cpp, Ollama, vLLM, LM Studio.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Protocol, get_args

import msgspec

from pincite.errors import BadResponse, PinciteError, Unavailable
from pincite.ports import LLM, Completion, Finish, Message
from pincite.ports.tracing import model_call
from pincite.providers.bodies import ANSWER_BYTES
from pincite.providers.facts import Facts
from pincite.providers.http import Load, Transport
from pincite.providers.tokens import estimate_tokens
from pincite.providers.translate import said

if TYPE_CHECKING:
    from pincite.providers.registry import Setup

FACTS = Facts("the window of the model", "is an error")
PATH: Final = "/v1/chat/completions"
_IMAGE_TOKENS: Final = 1_600  # the largest picture that vendors do not scale down
_MOST_TOKENS: Final = 2**53  # of a count in JSON; anything above is a mistake
_DATA, _DONE = "data:", "[DONE]"
_JSON: Final = ("{", "[")  # the beginning of JSON that is not in an event
_FINISHES: Final[Mapping[str, Finish]] = {
    **{name: name for name in get_args(Finish)},
    "content_filter": "filter",
    "tool_calls": "tools",
    "function_call": "tools",
}


class OpenLLM(LLM, Protocol):
    """An `LLM` with open connections."""

    async def close(self) -> None:
        """Close the connections."""


class ChatModel:
    """An `LLM` over chat completions. Use it in one event loop and close it at the end.

    Temperature and other parameters are sent only if `body` of the provider's options has them:
    reasoning models refuse parameters that local ones need.
    """

    def __init__(
        self,
        transport: Transport,
        name: str,
        model: str,
        *,
        body: Mapping[str, Any],
        limit_field: str = "max_tokens",
        deadline_s: float = 120.0,
    ) -> None:
        """Prepare the model. `limit_field` is the endpoint's name for the maximum of tokens of an
        answer."""
        self._transport = transport
        self._model = model
        self._body = dict(body)
        self._limit_field = limit_field
        self._deadline_s = deadline_s
        self._name = name
        # The fingerprint appears in logs and answers, so it contains only hashes of texts.
        options = msgspec.json.encode(_shown(self._body), order="sorted").decode()
        options = options if body else "as-is"
        self.fingerprint = f"{name}/{options}"

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None
    ) -> Completion:
        """See `LLM.complete`."""
        with model_call("chat", self._name, len(messages)) as span:
            completion = await self._complete(messages, max_tokens)
            span.set("gen_ai.response.finish_reasons", (completion.finish,))
            if completion.prompt_tokens is not None:
                span.set("gen_ai.usage.input_tokens", completion.prompt_tokens)
            if completion.completion_tokens is not None:
                span.set("gen_ai.usage.output_tokens", completion.completion_tokens)
        return completion

    async def _complete(self, messages: Sequence[Message], max_tokens: int | None) -> Completion:
        answer = await self._transport.post(
            PATH, self._request(messages, max_tokens), self._load(messages, max_tokens)
        )
        return self._completion(answer)

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        on_finish: Callable[[Finish], None] | None = None,
    ) -> AsyncIterator[str]:
        """See `LLM.stream`."""
        finished: Finish | None = None
        redaction = self._transport.redaction()
        with model_call("chat", self._name, len(messages), current=False) as span:
            try:
                pieces = self._pieces(messages, max_tokens)
                async with aclosing(pieces) as opened:  # type: ignore[type-var]
                    async for text, reason in opened:
                        finished = reason or finished
                        if piece := redaction.without(text):
                            yield piece
                if finished is None:
                    raise self._bad("a response that was cut off")
            except PinciteError:
                if piece := redaction.rest():
                    yield piece
                raise
            if piece := redaction.rest():
                yield piece
            span.set("gen_ai.response.finish_reasons", (finished,))
        if on_finish is not None:
            on_finish(finished)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _pieces(
        self, messages: Sequence[Message], max_tokens: int | None
    ) -> AsyncIterator[tuple[str, Finish | None]]:
        """Yield the texts of a streamed answer, each with the finish reason, or None before the
        end."""
        body = self._request(messages, max_tokens) | {"stream": True}
        loop = asyncio.get_running_loop()
        end = loop.time() + self._deadline_s
        wrote = False
        opening = self._transport.lines(PATH, body, self._load(messages, max_tokens))
        async with opening as lines, aclosing(lines) as open_lines:  # type: ignore[type-var]
            while (line := await self._next(open_lines, end - loop.time())) is not None:
                line = line.strip()
                data = line.removeprefix(_DATA).strip()
                if data == _DONE:
                    break
                if line.startswith(_JSON):  # an error, or an answer that is not streamed
                    whole = await self._whole(line, open_lines, end, wrote=wrote)
                    yield whole.text, whole.finish
                    break
                if line.startswith(_DATA):
                    text, reason = self._read(data)
                    wrote = wrote or bool(text)
                    yield text, reason

    def _request(self, messages: Sequence[Message], max_tokens: int | None) -> dict[str, object]:
        turns = [{"role": one.role, "content": _content(one)} for one in messages]
        limit = {} if max_tokens is None else {self._limit_field: max_tokens}
        named = {"model": self._model} if self._model else {}
        return {**named, "messages": turns, **limit, **self._body}

    def _load(self, messages: Sequence[Message], max_tokens: int | None) -> Load:
        """Return the load of a request: services count the tokens of the prompt and the maximum of
        the answer."""
        return Load(
            len(messages),
            lambda: sum(map(_tokens, messages)) + (max_tokens or 0),
        )

    async def _next(self, lines: AsyncIterator[str], remaining_s: float) -> str | None:
        """Return the next line, or None at the end."""
        try:
            async with asyncio.timeout(max(0.0, remaining_s)):
                return await anext(lines, None)
        except TimeoutError as error:
            raise Unavailable(
                f"{self._name} was still writing after {self._deadline_s:g} s",
                hint="raise deadline_s of this provider in pincite.toml, or limit the answer",
            ) from error

    def _read(self, data: str) -> tuple[str, Finish | None]:
        """Return the text of a chunk and the finish reason, or None if the answer goes on."""
        try:
            chunk: Any = msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._bad(f"a chunk that is not JSON: {self._quoted(data)}") from error
        if not isinstance(chunk, dict) or "error" in chunk:
            raise self._failed(data)
        if not chunk.get("choices"):
            return "", None  # the chunk with the usage has none
        try:
            choice = chunk["choices"][0]
            text = (choice.get("delta") or {}).get("content") or ""
            if isinstance(text, str):
                reason = choice.get("finish_reason")
                return text, None if reason is None else _FINISHES.get(str(reason), "stop")
        except (AttributeError, KeyError, IndexError, TypeError):
            pass
        raise self._bad(f"a chunk without text: {self._quoted(data)}")

    async def _whole(
        self, line: str, lines: AsyncIterator[str], end: float, *, wrote: bool
    ) -> Completion:
        """Read JSON that is not in an event, from its first line on: the answer of a server that
        does not stream. Raises the error that other servers send before they close the
        connection."""
        text, answer = line, _decoded(line)
        if answer is None:
            text = await self._rest(line, lines, end)
            answer = _decoded(text)
        if wrote or not isinstance(answer, dict) or "choices" not in answer:
            raise self._failed(text)
        return self._completion(answer)

    async def _rest(self, line: str, lines: AsyncIterator[str], end: float) -> str:
        """Return a line and all lines after it. If the connection breaks, the error quotes them."""
        loop = asyncio.get_running_loop()
        found, chars = [line], len(line)
        try:
            while (more := await self._next(lines, end - loop.time())) is not None:
                found.append(more)
                chars += len(more)
                if chars > ANSWER_BYTES:
                    raise self._bad("an answer that is too long")
        except Unavailable as error:
            sent = self._told("\n".join(found))
            raise Unavailable(f"{error.message}; it had sent: {sent}", hint=error.hint) from error
        return "\n".join(found)

    def _completion(self, answer: Any) -> Completion:
        """Read an answer that is not streamed."""
        try:
            choice = answer["choices"][0]
            text, reason = choice["message"]["content"], choice["finish_reason"]
        except (KeyError, IndexError, TypeError) as error:
            raise self._bad("a response without choices[0].message and finish_reason") from error
        if not isinstance(text, str):
            raise self._bad(f"no text; the finish reason is {self._quoted(str(reason))}")
        usage = answer.get("usage")
        return Completion(
            text,
            _FINISHES.get(str(reason), "stop"),
            _count(usage, "prompt_tokens"),
            _count(usage, "completion_tokens"),
        )

    def _failed(self, text: str) -> PinciteError:
        return Unavailable(f"{self._name} failed while writing: {self._told(text)}")

    def _told(self, text: str) -> str:
        """Return the reason that a text gives, otherwise its beginning."""
        return said(self._transport.redact(text).encode()) or "no reason given"

    def _bad(self, what: str) -> BadResponse:
        return BadResponse(f"{self._name} at {PATH} returned {what}")

    def _quoted(self, text: str) -> str:
        return repr(self._transport.redact(text)[:80])


def _content(message: Message) -> str | list[dict[str, object]]:
    """Return the text, or parts with text and pictures. Pictures are embedded, no address is
    sent."""
    if not message.images:
        return message.content
    parts: list[dict[str, object]] = [{"type": "text", "text": message.content}]
    for one in message.images:
        url = f"data:{one.media_type};base64,{b64encode(one.data).decode('ascii')}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def _tokens(message: Message) -> int:
    return estimate_tokens(message.content) + _IMAGE_TOKENS * len(message.images)


def _decoded(raw: str) -> Any:
    """Return the decoded value, or None if the text is not JSON."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _shown(value: object) -> object:
    """Return options with a hash in place of each text, which may be a password."""
    if isinstance(value, str):
        return f"#{blake2b(value.encode(errors='replace'), digest_size=4).hexdigest()}"
    if isinstance(value, Mapping):
        return {name: _shown(one) for name, one in value.items()}
    return [_shown(one) for one in value] if isinstance(value, list | tuple) else value


def _count(usage: object, name: str) -> int | None:
    count = usage.get(name) if isinstance(usage, dict) else None
    known = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST_TOKENS
    return count if known else None


async def open_llm(setup: Setup) -> OpenLLM:
    """Return a chat model at the address of the provider."""
    hosted = setup.provider.name == "openai" and not setup.name.url and not setup.options.url
    return ChatModel(
        setup.transport(),
        str(setup.name),
        setup.name.model,
        body=setup.options.body,
        # OpenAI's reasoning models refuse the older field, local servers ignore the newer one.
        limit_field="max_completion_tokens" if hosted else "max_tokens",
        deadline_s=setup.options.deadline_s,
    )
