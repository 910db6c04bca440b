"""Dependencies of a search: collections, models and callbacks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from pincite.model import Candidate, Notice
from pincite.ports import LLM, CutTokens, Files, Reranker, Searchable
from pincite.scope.choosing import DOCUMENT_ID, Choice, ChosenIndex
from pincite.support.fields import replace

#: From ids of documents to those of them whose passages may leave. What it raises ends the search.
Admit: TypeAlias = Callable[[frozenset[str]], Awaitable[frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Admission:
    """An `Admit` for a search within documents that `choice` chooses, besides its scope."""

    admit: Admit
    choice: Choice

    async def __call__(self, ids: frozenset[str]) -> frozenset[str]:
        return await self.admit(ids)


@dataclass(frozen=True, slots=True)
class Deps:
    """What a search needs besides its profile. `terms` are the informative words of a text,
    `notices` say which collections could not be opened. `cut` cuts a text by the tokenizer of the
    reranker, None where that is not known. `files` are looked at before passages of them are shown;
    None where they are not at hand, or not meant, as in an evaluation. `known_wordings` are those
    that a language model gave for questions before. `admit` is asked before a passage is judged or
    shown; None admits all."""

    collections: Sequence[Searchable]
    terms: Callable[[str], frozenset[str]]
    language_of: Callable[[str], str]
    reranker: Reranker | None = None
    notices: tuple[Notice, ...] = ()
    cut: CutTokens | None = None
    llm: LLM | None = None
    files: Files | None = None
    known_wordings: MutableMapping[tuple[str, str, str], str] = field(default_factory=dict)
    admit: Admit | None = None

    def admitting(self, admit: Admit | None) -> Deps:
        """The same, of what is admitted alone."""
        if admit is None:
            return self
        chosen = self.collections
        if isinstance(admit, Admission):
            held = [(one, ChosenIndex(one.index, admit.choice)) for one in chosen]
            chosen = tuple(replace(one, index=index) for one, index in held)
        return replace(self, admit=admit, collections=chosen)

    async def admitted(self, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Those of documents that may leave. Documents have their id as the attribute DOCUMENT_ID;
        what has none does not leave where anything is checked."""
        if self.admit is None or not candidates:
            return tuple(candidates)
        ids = [str(one.chunk.attributes.get(DOCUMENT_ID, "")) for one in candidates]
        allowed = await self.admit(frozenset(ids)) - {""}
        return tuple(one for one, id_ in zip(candidates, ids, strict=True) if id_ in allowed)
