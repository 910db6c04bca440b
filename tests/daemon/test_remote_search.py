"""A search inside the daemon is the search that the client would have made."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import cast

import pytest
from msgspec.structs import asdict

from pincite.daemon.client.remote_search import remote_search_of
from pincite.daemon.server.encoder import QueryEncoder
from pincite.daemon.server.search_here import search_here
from pincite.daemon.wire import protocol
from pincite.daemon.wire.messages import Answer, Place, RemoteSearch
from pincite.deps import Deps
from pincite.errors import UsageError
from pincite.model import EvidencePack, Question, Scope, Vector
from pincite.ports import Readable, SearchableFacts
from pincite.presets import PRESETS
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.engine_bm25 import EngineBm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import found_by
from pincite.search import search
from pincite.support.fields import replace
from pincite.testing.fakes import OverlapReranker
from pincite.trace import Trace
from tests.small_search import TEXTS, TopicEncoder, make

QUESTION = "how do I rotate a key"


@dataclass
class Host:
    """An index with an encoder, as the daemon is."""

    index: Readable
    encoder: TopicEncoder

    async def embed_query(self, fingerprint: str, text: str, models: str = "") -> Vector:
        assert (fingerprint, models) == (self.encoder.fingerprint, "models")
        return await self.encoder.embed_query(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self.index, name)


def opened(*, dense: bool = True) -> tuple[Host, Deps]:
    """The host, and what a client of it would search."""
    encoder = TopicEncoder()
    one = asyncio.run(make(encoder if dense else None, TEXTS, kinds={"keys": "code"}))
    host = Host(one.index, encoder)
    own = QueryEncoder(host, "models", encoder.fingerprint, encoder.dimensions) if dense else None
    one = replace(one, index=cast(Readable, host), dense=own, code=True, rung="other")
    return host, Deps([one], informative_terms("english"), guess_language)


def told(
    deps: Deps, profile: Profile, scope: Scope = Scope(), text: str = QUESTION
) -> RemoteSearch | None:
    host, question = deps.collections[0].index, Question(text, scope, "build")
    return remote_search_of(question, deps, host, profile, logged=True)


def answered(host: Host, asked: RemoteSearch | None) -> Answer:
    """Over the wire and back."""
    assert asked is not None
    sent = protocol.decode(protocol.encode(asked), RemoteSearch)
    found: Answer = protocol.decode(protocol.encode(asyncio.run(search_here(sent, host))), Answer)  # type: ignore[arg-type]
    return found


def untimed(pack: EvidencePack) -> EvidencePack:
    return replace(pack, timings_ms={})


#: Each with vectors and without, but for what is searched by meaning alone.
WAYS = [
    (name, dense)
    for name, profile in PRESETS.items()
    for dense in (True, False)
    if dense or profile.retrieve.mode != "vector"
]


@pytest.mark.parametrize(("preset", "dense"), WAYS)
@pytest.mark.parametrize("scope", [Scope(), Scope(kinds=("code",)), Scope(paths=("k*",))])
def test_it_is_the_same_pack_and_the_same_line_of_the_log(
    preset: str, dense: bool, scope: Scope
) -> None:
    host, deps = opened(dense=dense)
    profile, trace = PRESETS[preset], Trace(lambda: 0.0)
    expected = asyncio.run(search(Question(QUESTION, scope, "build"), deps, profile, trace))
    found = answered(host, told(deps, profile, scope))
    assert expected.evidence
    assert untimed(found.pack) == untimed(expected)
    assert found.found == found_by(trace)
    assert set(found.pack.timings_ms) == set(expected.timings_ms)


def test_errors_are_those_of_a_search() -> None:
    host, deps = opened()
    with pytest.raises(UsageError, match="the query is empty"):
        answered(host, told(deps, Profile(), text="  "))


def test_what_only_the_client_has_is_searched_there() -> None:
    _, deps = opened()
    one = deps.collections[0]
    assert told(deps, Profile())
    assert told(replace(deps, reranker=OverlapReranker()), Profile()) is None
    for other in (
        replace(one, dense=TopicEncoder()),
        replace(one, sparse=EngineBm25Encoder()),
    ):
        assert told(replace(deps, collections=[other]), Profile()) is None
        assert told(replace(deps, collections=[one, other]), Profile()) is None
    elsewhere = replace(one, index=asyncio.run(make(None, TEXTS)).index)
    assert told(replace(deps, collections=[one, elsewhere]), Profile()) is None


def test_every_fact_of_a_collection_is_sent() -> None:
    facts = SearchableFacts(
        code=True,
        rung="other",
        kinds=frozenset({"code"}),
        depth=7,
        weight=0.5,
        foreign=True,
        store="sqlite",
        embedded=0.5,
        exact=False,
        deep=True,
    )
    assert not {*asdict(facts).items()} & {*asdict(SearchableFacts()).items()}
    _, deps = opened()
    one = replace(deps.collections[0], **asdict(facts))
    asked = told(replace(deps, collections=[one]), Profile())
    assert asked is not None
    assert protocol.decode(asked.places, tuple[Place, ...]) == ((one.spec, facts),)


@pytest.mark.parametrize("preset", ["local", "chat"])
def test_the_daemon_asks_the_store_by_its_name(preset: str) -> None:
    host, deps = opened()
    one = replace(deps.collections[0], store="sqlite")
    asked, heard = told(replace(deps, collections=[one]), PRESETS[preset]), Trace(lambda: 0.0)
    with heard.listening():
        answered(host, asked)
    assert {request.service for request in heard.exchanges} == {"sqlite"}
