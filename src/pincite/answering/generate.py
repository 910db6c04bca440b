"""Stream a model's answer, and report how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from pincite.errors import PinciteError
from pincite.model import Notice
from pincite.ports import LLM, Finish, Message
from pincite.ports.failures import rate_notices
from pincite.support.concurrency import within

#: The stream is closed after this many characters per allowed token, for services that ignore the
#: limit of tokens.
_MOST_CHARS_PER_TOKEN: Final = 20
_THINKS: Final = "<think>"
_THOUGHT: Final = "</think>"


@dataclass(frozen=True, slots=True)
class Written:
    """The whole text of the model, and the notices about it. `failed` means that the answer did not
    reach its end, so the text is a part of one, or empty."""

    text: str
    failed: bool = False
    notices: tuple[Notice, ...] = ()


async def generate(
    llm: LLM, messages: Sequence[Message], max_tokens: int, timeout_s: float
) -> AsyncIterator[str | Written]:
    """Yield the pieces of the answer as they arrive, then a `Written` for all of them. The model's
    thoughts before the answer (`<think>`) are left out. Errors of providers are not raised: they
    become a `Written` that has failed, with a notice. Closing or cancelling closes the request."""
    thoughts = _Thoughts()
    pieces: list[str] = []
    finishes: list[Finish] = []
    notices: tuple[Notice, ...] = ()
    left = max_tokens * _MOST_CHARS_PER_TOKEN
    end = asyncio.get_running_loop().time() + timeout_s
    failed = False
    try:
        stream = llm.stream(messages, max_tokens=max_tokens, on_finish=finishes.append)
        async with aclosing(stream) as opened:  # type: ignore[type-var]
            while left > 0 and (raw := await _next(opened, end)) is not None:
                raw = raw[:left]  # one piece may be a book
                left -= len(raw)
                if piece := thoughts.without(raw):
                    pieces.append(piece)
                    yield piece
    except TimeoutError:
        failed = True
        said = f"{llm.fingerprint} did not finish within {timeout_s:g} s (answer.timeout_s)"
        notices = (Notice("llm_failed", said),)
    except PinciteError as error:
        failed = True
        said = f"{type(error).__name__}: {error}"
        notices = (Notice("llm_failed", said), *rate_notices(error))
    if tail := thoughts.rest():
        pieces.append(tail)
        yield tail
    text = "".join(pieces)
    if not failed:
        failed, notices = _ended(text, finishes, llm.fingerprint, max_tokens, stopped=left <= 0)
    yield Written(text, failed, notices)


def _ended(
    text: str, finishes: Sequence[Finish], name: str, max_tokens: int, *, stopped: bool
) -> tuple[bool, tuple[Notice, ...]]:
    finish = finishes[-1] if finishes else "stop"
    if finish == "filter":
        said = f"{name} or its service withheld the answer (content filter)"
        return True, (Notice("answer_filtered", said),)
    if finish == "tools":
        return True, (Notice("llm_failed", f"{name} tried to call a tool, but it has none"),)
    if not text.strip():
        return True, (Notice("llm_failed", f"{name} wrote nothing"),)
    if finish == "length" or stopped:
        said = f"the answer was cut off after {max_tokens} tokens (answer.answer_tokens)"
        return False, (Notice("answer_length", said),)
    return False, ()


async def _next(stream: AsyncIterator[str], end: float) -> str | None:
    async with within(end - asyncio.get_running_loop().time()):
        return await anext(stream, None)


class _Thoughts:
    """Removes the model's thoughts from the beginning of its text, in time linear in the text."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "beginning"  # then "thinking" or "answering"

    def without(self, piece: str) -> str:
        """Return the part of this piece and of the text held back that belongs to the answer."""
        if self._state == "answering":
            return piece
        self._held += piece
        if self._state == "beginning":
            self._begin()
        if self._state == "thinking":
            self._think()
        if self._state != "answering":
            return ""
        answer, self._held = self._held, ""
        return answer

    def _begin(self) -> None:
        self._held = self._held.lstrip()
        if self._held.startswith(_THINKS):
            self._state = "thinking"
        elif not _THINKS.startswith(self._held):
            self._state = "answering"

    def _think(self) -> None:
        """Hold back only text that may begin the end mark. After it, another thought may begin."""
        _, end, rest = self._held.partition(_THOUGHT)
        self._held = rest if end else self._held[-len(_THOUGHT) :]
        if end:
            self._state = "beginning"
            self._begin()
            if self._state == "thinking":
                self._think()

    def rest(self) -> str:
        """Return the text held back if it is a part of the answer, "" within an unended thought."""
        return self._held if self._state == "beginning" else ""
