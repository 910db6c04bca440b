"""What travels when the daemon is to search, apart from what searches: it is imported before."""

from __future__ import annotations

import msgspec

from pincite.model import CollectionSpec, EvidencePack, Question, SourceType
from pincite.retrieval_log.event import Found


class SearchableState(msgspec.Struct, frozen=True):
    """A `Searchable` without what is open in it."""

    spec: CollectionSpec
    code: bool
    rung: str
    kinds: frozenset[SourceType]
    depth: int
    weight: float
    embedded: float
    exact: bool


class RemoteSearch(msgspec.Struct, frozen=True):
    """What `pincite.search` is called with. `places` are `SearchableState`s and `profile` is a
    `Profile`, both encoded, as they hardly ever change. `logged` asks for what the log keeps
    besides."""

    question: Question
    places: bytes
    profile: bytes
    models: str
    logged: bool = False


class Answer(msgspec.Struct, frozen=True):
    """The pack, and the hits before chunks were loaded, if they are logged."""

    pack: EvidencePack
    found: tuple[Found, ...] = ()
