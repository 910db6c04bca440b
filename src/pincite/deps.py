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

    def dense_weights(self, query: Query, config: FuseConfig, scope: Scope) -> dict[str, float]:
        """How far to trust the dense side of each collection with this query: the less, the fewer
        of its chunks have a vector yet."""
        only_code = kinds_of(scope) == {"code"}
        language = self.language_of(query.text)
        words = len(self.terms(query.text))
        return {
            one.spec.name: one.embedded
            * dense_weight(
                language,
                one.spec.language,
                one.dense.languages,
                config,
                code=one.code or only_code,
                names=bool(query.identifiers),
                words=words,
            )
            for one in self.collections
            if one.dense is not None
        }

    def code(self, scope: Scope) -> frozenset[str]:
        """The collections in which all that this scope lets pass is code, or nearly all."""
        only_code = kinds_of(scope) == {"code"}
        return frozenset(one.spec.name for one in self.collections if one.code or only_code)

    def deep(self, scope: Scope) -> frozenset[str]:
        """The collections that get as many hits and candidates as code: those of `code`, and those
        of which a large part is code."""
        return self.code(scope) | {one.spec.name for one in self.collections if one.deep}

    @property
    def partial(self) -> dict[str, float]:
        """The collections of which some chunks have no dense vector yet, and what part has."""
        return {one.spec.name: one.embedded for one in self.collections if one.embedded < 1}

    def foreign(self) -> frozenset[str]:
        """The collections whose language their dense model does not know."""
        return frozenset(
            one.spec.name
            for one in self.collections
            if one.dense is not None
            and one.dense.languages
            and one.spec.language not in one.dense.languages
        )

    def apart(self, scope: Scope) -> bool:
        """Is the caller kept apart from others, who may have documents in the same collection?
        Then nothing that is said may depend on what these are."""
        return bool(scope.tags or scope.bounds) or any(self.required.values())

    def rarity(
        self, text: str, rankings: Sequence[Ranking], scope: Scope
    ) -> Mapping[str, Mapping[str, float]]:
        """What each term of the question weighs in a collection that has counted them, by
        collection: ln(1 + (N - n + 0.5) / (n + 0.5)) for N chunks, of which n have it. One that is
        nowhere weighs as much as one of a single chunk. Nothing of a collection in another
        language than that of `terms`, nor where the caller is `apart`."""
        if self.apart(scope):
            return {}
        asked = self.terms(text)
        language = self.collections[0].spec.language
        alike = {one.spec.name for one in self.collections if one.spec.language == language}
        found = {}
        for one in rankings:
            counted = one.counted
            if one.collection in alike and counted is not None and one.wording == 0:
                having = {term: max(1, counted.having.get(term_id(term), 0)) for term in asked}
                found[one.collection] = {
                    term: math.log(1 + max(0.0, counted.chunks - n + 0.5) / (n + 0.5))
                    for term, n in having.items()
                }
        return found

    def unmeasured(self) -> frozenset[str]:
        """The collections whose dense model is not the bundled one. The thresholds that the
        verdict comes with were measured with that one; cosines of others lie elsewhere."""
        return frozenset(
            one.spec.name
            for one in self.collections
            if one.dense is not None and one.rung != "bundled-model"
        )

    def kinds(self, scope: Scope) -> frozenset[SourceType]:
        """The kinds of sources that a search may find."""
        there = frozenset(kind for one in self.collections for kind in one.kinds)
        return there & kinds_of(scope)


@cache
def informative_terms(language: str) -> Callable[[str], frozenset[str]]:
    """The distinct terms of a text as the sparse side sees them."""
    analyser = Bm25Encoder(language).analyser
    return lambda text: frozenset(analyser.terms(text))
