"""Dependencies of a search: collections, models and callbacks."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field

from pincite.model import Candidate, Notice
from pincite.ports import LLM, CutTokens, Files, Readable, Reranker, Searchable
from pincite.scope.choosing import DOCUMENT_ID, Admit, Choice, ChosenIndex
from pincite.support.fields import replace


@dataclass(frozen=True, slots=True)
class Admission:
    """The `Admit` of a workspace. It checks again what the bounds of the scope leave out already,
    unless there is a `choice` of documents, which narrows the scope of the search. `compared`
    returns what results are compared with, from the files of the disk."""

    admit: Admit
    choice: Choice | None = None
    compared: Callable[[Files], Files] | None = None

    async def __call__(self, ids: frozenset[str]) -> frozenset[str]:
        return await self.admit(ids)


def chosen_index(index: Readable, admit: Admit | None) -> Readable:
    """Return the index within the choice of an `Admission`, the index itself without one."""
    if not isinstance(admit, Admission) or admit.choice is None:
        return index
    return ChosenIndex(index, admit.choice)


@dataclass(frozen=True, slots=True)
class Deps:
    """Everything that a search needs in addition to its profile.

    `terms` returns the informative words of a text. `notices` name collections that could not be
    opened. `cut` cuts a text with the tokenizer of the reranker; None if that is unknown. `files`
    compares passages with their files before they are shown; None if the files are not available,
    or must not be read, as in an evaluation. `known_wordings` are the rewordings of earlier
    questions by a language model. `admit` decides which passages are judged and shown; None admits
    all of them. It is asked about loaded candidates, among which the others take places, so it is
    an addition to the bounds of the scope.
    """

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
        """Return these dependencies, restricted to the documents that `admit` allows."""
        if admit is None:
            return self
        held = [(one, chosen_index(one.index, admit)) for one in self.collections]
        chosen = tuple(
            one if index is one.index else replace(one, index=index) for one, index in held
        )
        return replace(self, admit=admit, collections=chosen)

    def comparing(self, files: Files) -> Deps:
        """Return these dependencies, with results compared with the files of the disk, or as the
        admission says."""
        compared = self.admit.compared if isinstance(self.admit, Admission) else None
        return replace(self, files=files if compared is None else compared(files))

    async def admitted(self, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return the candidates whose documents `admit` allows.

        The attribute DOCUMENT_ID holds the id of the document. A candidate without this attribute
        is never allowed if there is an `admit`.
        """
        if self.admit is None or not candidates:
            return tuple(candidates)
        ids = [str(one.chunk.attributes.get(DOCUMENT_ID, "")) for one in candidates]
        allowed = await self.admit(frozenset(ids)) - {""}
        return tuple(one for one, id_ in zip(candidates, ids, strict=True) if id_ in allowed)
