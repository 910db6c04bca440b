"""What writes text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

#: The beginning of a text, of at most so many tokens of a model.
CutTokens = Callable[[str, int], str]
Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "filter", "tools"]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that goes along with a message: its bytes, and what they are (`image/png`)."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. `images` follow the text; a model that does not take them
    answers with an error."""

    role: Role
    content: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer. `finish` is `length` where the limit of tokens cut it off; tokens are None
    where the service does not count them."""

    text: str
    finish: Finish
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class LLM(Protocol):
    """Writes the next turn of a conversation."""

    @property
    def fingerprint(self) -> str:
        """Names provider, model and its options: one printable line."""

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None
    ) -> Completion:
        """The whole answer. Raises the errors of providers only, Unavailable when it takes too
        long; when cancelled, the request is closed at once."""

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        on_finish: Callable[[Finish], None] | None = None,
    ) -> AsyncIterator[str]:
        """The same answer in pieces as they arrive, none of them empty; joined they are its text.
        `on_finish` is told why it ended, before the iterator ends.

        An answer that ends without the service having said so raises BadResponse after its last
        piece: what came is not the whole. Closing the iterator or cancelling closes the request.
        """
