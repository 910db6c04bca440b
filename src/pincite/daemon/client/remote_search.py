"""Decide whether a daemon can run a whole search, and build the message for it: one round trip
instead of three.

The daemon searches collections whose models it has: the bundled dense model, or none, and BM25.
Searches that need a provider, a reranker or a trace of every step run in the client, with the same
`pincite.search`. So do searches of a store on a server: one more round trip costs little there, and
the log shows the requests to the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from pincite.daemon.server.encoder import QueryEncoder
from pincite.daemon.wire.messages import Place, RemoteSearch
from pincite.deps import Deps
from pincite.model import Question
from pincite.ports import Readable, Searchable
from pincite.ports.tracing import traceparent
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.memoize import memoize_last


def remote_search_of(
    question: Question, deps: Deps, daemon: Readable, profile: Profile, *, logged: bool
) -> RemoteSearch | None:
    """Return a search as a message to `daemon`, None if it needs a part that only the client
    has."""
    known = _hosted(deps.collections)
    asked = deps.reranker is not None or deps.llm is not None
    others = asked or deps.admit is not None
    if known is None or known.daemon is not daemon or others or deps.notices:
        return None
    return RemoteSearch(
        question, known.places, _encoded(profile), known.models, logged, traceparent()
    )


@memoize_last
def _encoded(profile: Profile) -> bytes:
    return msgspec.msgpack.encode(profile)


class _Hosted(NamedTuple):
    """Collections that one daemon can search by itself."""

    daemon: Readable
    places: bytes
    models: str


@memoize_last
def _hosted(collections: Sequence[Searchable]) -> _Hosted | None:
    models = {one.dense.models for one in collections if isinstance(one.dense, QueryEncoder)}
    daemon = collections[0].index
    if len(models) > 1 or not all(_is_hosted(one, daemon) for one in collections):
        return None
    places: tuple[Place, ...] = tuple((one.spec, one.facts) for one in collections)
    return _Hosted(daemon, msgspec.msgpack.encode(places), models.pop() if models else "")


def _is_hosted(one: Searchable, daemon: Readable) -> bool:
    dense = one.dense is None or isinstance(one.dense, QueryEncoder)
    near = one.store in ("edge", "sqlite")
    return one.index is daemon and near and dense and isinstance(one.sparse, Bm25Encoder)
