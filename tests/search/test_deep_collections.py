"""Collections that are half code have as many candidates as code, which are ranked as before."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pincite.daemon.client.remote_search import remote_search_of
from pincite.daemon.server.search_here import search_here
from pincite.deps import Deps
from pincite.model import EvidencePack, Question, Scope
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.language import guess_language
from pincite.search_steps.collection_facts import CollectionFacts
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.small_search import TopicEncoder, ask, make

PAGES = {f"page{n}.md": "rotate keys " + "and more " * n for n in range(60)}
FILES = {f"src/file{n}.py": f"def rotate_{n}(key): ..." for n in range(60)}


def collection(texts: dict[str, str], *, dense: bool = False) -> Searchable:
    kinds = dict.fromkeys(FILES, "code")
    return asyncio.run(make(TopicEncoder() if dense else None, texts, kinds=kinds))  # type: ignore[arg-type]


def candidates(
    one: Searchable, profile: Profile | None = None, scope: Scope = Scope()
) -> tuple[EvidencePack, int, int]:
    """The pack, the hits and the loaded candidates."""
    trace = Trace(lambda: 0.0)
    pack = ask("how are keys rotated", one, profile=profile, trace=trace, scope=scope)
    steps: dict[str, Any] = {step.stage: step.value for step in trace.steps}
    hits = {hit.id for ranking in steps["retrieve"].rankings for hit in ranking.hits}
    return pack, len(hits), len(steps["load"])


@pytest.mark.parametrize("dense", [False, True])
def test_they_have_as_many_hits_and_candidates_as_code(dense: bool) -> None:
    one = collection({**PAGES, **FILES}, dense=dense)
    _, hits, loaded = candidates(one)
    _, deep_hits, deep_loaded = candidates(replace(one, deep=True))
    _, code_hits, code_loaded = candidates(replace(one, code=True))
    assert hits < deep_hits == code_hits
    assert loaded < deep_loaded == code_loaded


def test_pages_alone_stay_in_their_order() -> None:
    one = collection(PAGES)
    assert candidates(one)[0].evidence == candidates(replace(one, deep=True))[0].evidence


@pytest.mark.parametrize("dense", [False, True])
def test_where_no_code_is_asked_for_hits_and_candidates_are_those_of_text(dense: bool) -> None:
    one, pages = collection({**PAGES, **FILES}, dense=dense), Scope(kinds=("docs",))
    assert candidates(replace(one, deep=True), scope=pages) == candidates(one, scope=pages)


def test_code_alone_of_another_collection_has_the_hits_of_text() -> None:
    one, files = collection({**PAGES, **FILES}), Scope(kinds=("code",))
    limit = Profile().retrieve.sparse_limit
    assert candidates(one, scope=files)[1] == limit < candidates(replace(one, deep=True))[1]


def test_the_scope_says_which_collections_are_deep() -> None:
    one = collection({**PAGES, **FILES})
    assert not CollectionFacts.of([replace(one, deep=True)], Scope(kinds=("docs",))).deep
    assert CollectionFacts.of([replace(one, deep=True)], Scope()).deep == {one.spec.name}
    assert not CollectionFacts.of([one], Scope()).deep


def test_a_profile_may_set_the_depth() -> None:
    one = replace(collection({**PAGES, **FILES}), deep=True)
    few = Profile()
    few = replace(
        few,
        retrieve=replace(few.retrieve, code_limit=1),
        rank_code=replace(few.rank_code, pool=1, by_words=0.0),
    )
    assert candidates(one, few)[1:] == candidates(replace(one, deep=False))[1:]


def test_the_daemon_knows_of_the_depth() -> None:
    one = replace(collection({**PAGES, **FILES}), deep=True)
    deps = Deps([one], informative_terms("english"), guess_language)
    asked = Question("how are keys rotated", Scope(), "explain")
    sent = remote_search_of(asked, deps, one.index, Profile(), logged=True)
    assert sent is not None
    there = asyncio.run(search_here(sent, one.index))  # type: ignore[arg-type]
    assert len(there.found) == candidates(one)[1]
