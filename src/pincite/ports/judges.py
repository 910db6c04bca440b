"""What judges documents, and what writes text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pincite.model import SignalKind

#: The beginning of a text, of at most so many tokens of a model.
CutTokens = Callable[[str, int], str]
Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "filter", "tools"]


@dataclass(frozen=True, slots=True)
class RerankScore:
    """The score of `documents[index]`. Higher is better."""

    index: int
    score: float


class Reranker(Protocol):
    """Judges documents against a query, all in one go."""

    @property
    def fingerprint(self) -> str:
        """Names provider, model and instruction placement: one printable line."""

    @property
    def kind(self) -> SignalKind:
        """What the scores are: `probability` (0..1), `logit` (unbounded) or `cosine` (-1..1).
        A probability of one model says nothing about that of another."""

    @property
    def listwise(self) -> bool:
        """Does a score depend on the other documents of the call? Then scores of several calls
        must never be put into one order, and the adapter sends all documents in one request."""

    @property
    def instructed(self) -> bool:
        """Does the model get to see an instruction? Where not, `rerank` leaves it out."""

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        """Best first by (-score, index), at most `top_n`, each index once and in range.

        `instruction` says in plain words what counts as relevant; the adapter puts it where the
        model takes it. A service that limits the size of a request gets as few as will do, unless
        it is listwise: then too many documents raise Invalid, and nothing is left out silently.
        Raises the errors of providers only; a wrong number of scores, an index out of range, NaN
        and a score that is not of `kind` are BadResponse.
        """


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


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
        self, messages: Sequence[Message], *, max_tokens: int | None = None
    ) -> AsyncIterator[str]:
        """The same answer in pieces as they arrive, none of them empty; joined they are its text.

        An answer that ends without the service having said so raises BadResponse after its last
        piece: what came is not the whole. Closing the iterator or cancelling closes the request.
        """
