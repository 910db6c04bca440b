"""Messages for a search in the daemon. They are separate from the search code, because they are
imported earlier."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from pincite.model import CollectionSpec, EvidencePack, Question
from pincite.ports import SearchableFacts
from pincite.retrieval_log.event import Found

#: A `Searchable` without its open parts.
Place: TypeAlias = tuple[CollectionSpec, SearchableFacts]


class RemoteSearch(msgspec.Struct, frozen=True):
    """The arguments of `pincite.search`. `places` are a tuple of `Place` and `profile` is a
    `Profile`, both encoded, because they rarely change. `logged` also requests the fields of the
    log. `traceparent` names the span of the caller; it is empty if there is none."""

    question: Question
    places: bytes
    profile: bytes
    models: str
    logged: bool = False
    traceparent: str = ""


class Answer(msgspec.Struct, frozen=True):
    """The pack, and, if logged, the hits before chunks were loaded. `told` says that the daemon
    itself sends spans of its stages."""

    pack: EvidencePack
    found: tuple[Found, ...] = ()
    told: bool = False
