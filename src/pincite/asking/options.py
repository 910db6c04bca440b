"""All that a caller may say of a search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from pincite.model import Corpus, Scope, SourceType, TaskMode
from pincite.profile import Profile
from pincite.stages.context import Around
from pincite.stages.retrieve import SearchMode


class QuestionKeywords(TypedDict, total=False):
    """What a question takes besides its text, whether passages or an answer are wanted."""

    limit: int | None
    kinds: SourceType | Iterable[SourceType]
    paths: str | Iterable[str]
    not_paths: str | Iterable[str]
    where: str
    collections: str | Iterable[str]
    sources: str | Iterable[str]
    ref: str | None
    tags: Mapping[str, object] | None
    preset: str | None
    by: SearchMode | None
    context: Around | None
    budget_ms: float | None
    scope: Scope | None
    profile: Profile | None


class SearchKeywords(QuestionKeywords, total=False):
    """What a search takes besides its text, by the names of `SearchOptions`."""

    mode: TaskMode | None
    subqueries: str | Iterable[str]
    show_all: bool


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A question and how it is answered, as it was given: nothing is checked yet.

    A text where several may stand is one of them. `scope` says at once what its fields say one by
    one. `profile` or the `preset` of that name stands in for the configured profile; `limit` for
    its `select.results`, `mode` for its `prepare.mode`, `by` for its `retrieve.mode`, `context` for
    its `context.around`, `corpus` for its names where it has none. `show_all` shows the nearest
    even if none is relevant. `optimise` puts results together as `optimise.enabled` does. `here` is
    the folder that the caller stands in, for paths that count from there."""

    text: str
    limit: int | None = None
    kinds: SourceType | Iterable[SourceType] = ()
    paths: str | Iterable[str] = ()
    not_paths: str | Iterable[str] = ()
    where: str = ""
    collections: str | Iterable[str] = ()
    sources: str | Iterable[str] = ()
    ref: str | None = None
    tags: Mapping[str, object] | None = None
    mode: TaskMode | None = None
    preset: str | None = None
    by: SearchMode | None = None
    context: Around | None = None
    budget_ms: float | None = None
    subqueries: str | Iterable[str] = ()
    scope: Scope | None = None
    profile: Profile | None = None
    show_all: bool = False
    optimise: bool = False
    corpus: Corpus | None = None
    here: str | None = None
