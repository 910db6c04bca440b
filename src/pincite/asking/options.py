"""The arguments of a search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from pincite.model import Corpus, Scope, SourceType, TaskMode
from pincite.profile import Profile
from pincite.stages.context import Around
from pincite.stages.retrieve import SearchMode


class QuestionKeywords(TypedDict, total=False):
    """The keyword arguments of a question, the same for passages and for answers."""

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
    """The keyword arguments of a search, by the names of `SearchOptions`."""

    mode: TaskMode | None
    subqueries: str | Iterable[str]
    show_all: bool


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A question with the options of its search, as its caller gave them; nothing is checked yet.

    Where a list is accepted, a single text is a list of one. `scope` replaces the fields from
    `kinds` to `tags`. `profile`, or the profile named `preset`, replaces the configured profile. In
    this profile, `limit` replaces `select.results`, `mode` `prepare.mode`, `by` `retrieve.mode`,
    and `context` `context.around`; `corpus` is used if the profile has no name for the corpus.
    `show_all` shows the nearest passages even if none is relevant. `optimise` merges results as
    `optimise.enabled` does. `here` is the caller's current folder, for relative paths.
    """

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
