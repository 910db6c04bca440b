"""Language models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Literal, Protocol

import msgspec

#: A function that cuts a text to a maximum number of a model's tokens.
CutTokens = Callable[[str, int], str]
Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "filter", "tools"]


class Image(msgspec.Struct, frozen=True):
    """A picture in a message: its bytes and their media type (`image/png`)."""

    data: bytes
    media_type: str


class Message(msgspec.Struct, frozen=True):
    """One turn of a conversation. `images` follow the text; a model without image input responds
    with an error."""

    role: Role
    content: str
    images: tuple[Image, ...] = ()


class Completion(msgspec.Struct, frozen=True):
    """A complete answer. `finish` is `length` if the token limit cut it off. The token counts are
    None if the service does not report them."""

    text: str
    finish: Finish
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class LLM(Protocol):
    """Writes the next turn of a conversation."""

    @property
    def fingerprint(self) -> str:
        """The provider, model and options, as one printable line."""

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None
    ) -> Completion:
        """Return the complete answer. Raises only errors of providers; a timeout raises
        Unavailable. Cancellation closes the request at once."""

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        on_finish: Callable[[Finish], None] | None = None,
    ) -> AsyncIterator[str]:
        """Yield the answer of `complete` in pieces as they arrive. No piece is empty; joined, the
        pieces are the text of the answer. `on_finish` receives the reason for its end before the
        iterator ends.

        If the service does not signal the end of the answer, BadResponse is raised after the last
        piece, because the answer is incomplete. Closing or cancelling the iterator closes the
        request.
        """
