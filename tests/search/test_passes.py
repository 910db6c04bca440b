"""Second tries, widening, time budgets, engine-side fusion and context, on the reference store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from pincite.errors import StoreError
from pincite.model import (
    Candidate,
    Chosen,
    Chunk,
    EvidencePack,
    Query,
    Question,
    Ranking,
    Scope,
    SignalKind,
    Vector,
)
from pincite.ports import AnyOf, Readable, RerankScore, Searchable, SearchRequest
from pincite.presets import PRESETS
from pincite.profile import Profile
from pincite.stages.context import ContextConfig, Shown, context
from pincite.stages.fuse import FuseConfig, fuse
from pincite.stages.load import LoadConfig
from pincite.stages.next_pass import NextPassConfig
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.retrieve import RetrieveConfig, retrieve
from pincite.stages.select import SelectConfig
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.builders import candidate, chunk
from tests.small_search import TEXTS, TopicEncoder, ask, make


@dataclass
class Watched:
    """An index that keeps the requests that it was sent."""

    index: Readable
    requests: list[SearchRequest] = field(default_factory=list)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        self.requests.append(request)
        return await self.index.search(collection, request)

    def __getattr__(self, name: str) -> object:
        return getattr(self.index, name)


def watched(collection: Searchable) -> tuple[Searchable, Watched]:
    spy = Watched(collection.index)
    return replace(collection, index=spy), spy


MIXED = {f"doc{n}": f"the key number {n} is rotated by rotate_key" for n in range(6)} | {
    "code0": "def rotate_key(secret): return secret",
    "code1": "def other(): pass",
}
KINDS = {"code0": "code", "code1": "code"}


def mixed() -> tuple[Searchable, Watched]:
    made = asyncio.run(make(TopicEncoder(), MIXED, kinds=KINDS))  # type: ignore[arg-type]
    return watched(made)


def codes(pack: EvidencePack) -> list[str]:
    return [notice.code for notice in pack.warnings]


def test_a_kind_that_is_short_is_asked_for_by_itself_with_larger_limits() -> None:
    collection, spy = mixed()
    profile = Profile(
        retrieve=RetrieveConfig(dense_limit=4, sparse_limit=4),
        select=SelectConfig(results=4, code=3),
    )
    pack = ask("rotate the key number", collection, profile=profile, mode="build")
    assert pack.plan.passes == ("first", "widened code")
    assert [(r.dense_limit, r.filter.must) for r in spy.requests] == [
        *((4, ()), (4, ()), (6, (AnyOf("source_type", ("code",)),))),
    ]
    assert pack.coverage["code"] == 1
    assert "coverage_unmet" not in codes(pack)
    assert ask("rotate the key number", collection, profile=profile).plan.passes == ("first",)


EXPANDING = Profile(
    prepare=PrepareConfig(
        expansions={"*": ("backups at night: {query}",), "other": ("x {query}",)}
    ),
    select=SelectConfig(on_none="keep"),
)


def test_expansions_are_asked_once_where_the_first_pass_was_poor() -> None:
    collection, spy = watched(asyncio.run(make(TopicEncoder(), TEXTS)))
    pack = ask("zebra stripes", collection, profile=EXPANDING)
    assert pack.plan.passes == ("first", "expanded")
    assert len(spy.requests) == 3  # once for each pass, once for the one expansion that is for it
    assert pack.evidence[0].path == "backups"
    names = {signal.name for signal in pack.evidence[0].signals}
    assert "fused" in names


def test_a_good_first_pass_embeds_the_question_alone() -> None:
    collection, spy = watched(asyncio.run(make(TopicEncoder(), TEXTS)))
    enough = replace(EXPANDING, again=NextPassConfig(few=1))
    pack = ask("how do I rotate a key with a new secret", collection, profile=enough)
    assert pack.plan.passes == ("first",)
    assert len(spy.requests) == 1


def test_templates_with_identifiers_are_used_on_code_like_signals_only() -> None:
    config = PrepareConfig(expansions={"*": ("in code: {identifiers} {query}", "docs: {query}")})
    plain = prepare(Question("how are keys rotated"), config)
    named = prepare(Question("what does rotate_key do"), config)
    assert [one.text for one in plain.expansions] == ["docs: how are keys rotated"]
    assert named.expansions[0].text == "in code: rotate_key what does rotate_key do"


def test_identifiers_weigh_more_on_the_sparse_side_where_that_is_asked_for() -> None:
    collection, spy = watched(asyncio.run(make(None, TEXTS)))

    def weights(weight: float) -> dict[int, float]:
        config = RetrieveConfig(identifier_weight=weight)
        query = prepare(Question("call rotate_key"), PrepareConfig())
        asyncio.run(retrieve(query, [collection], Scope(), config))
        sparse = spy.requests[-1].sparse
        assert sparse is not None
        return dict(zip(sparse.indices, sparse.values, strict=True))

    plain, heavy = weights(0.0), weights(0.5)
    assert plain.keys() == heavy.keys()
    raised = {index for index in plain if heavy[index] == 1.5 * plain[index]}
    assert raised
    assert all(heavy[index] == plain[index] for index in plain.keys() - raised)


@dataclass
class Judge:
    """Likes long documents."""

    fingerprint: str = "judge"
    kind: SignalKind = "probability"
    listwise: bool = False
    instructed: bool = True

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        scores = [RerankScore(n, min(1.0, len(text) / 300)) for n, text in enumerate(documents)]
        return tuple(sorted(scores, key=lambda one: (-one.score, one.index)))


def test_a_spent_budget_leaves_out_reranking_and_the_second_pass_and_says_so() -> None:
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    # the clock of `ask` counts a second with every step: six of them come before reranking
    tight = ask("zebra stripes", collection, profile=EXPANDING, budget_ms=6000, reranker=Judge())
    assert {"budget_no_rerank", "budget_no_second_pass"} <= set(codes(tight))
    assert tight.plan.passes == ("first",)
    ample = ask("zebra stripes", collection, profile=EXPANDING, budget_ms=60_000, reranker=Judge())
    assert not [code for code in codes(ample) if code.startswith("budget")]
    assert ample.plan.passes == ("first", "expanded")


def test_the_pack_names_the_reranker_and_what_it_was_told() -> None:
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    pack = ask("rotate a key with a new secret", collection, reranker=Judge(), mode="debug")
    other = ask("rotate a key with a new secret", collection, reranker=Judge(), mode="build")
    assert (pack.plan.reranker, pack.plan.mode) == ("judge", "debug")
    assert len(pack.plan.instruction) == 64
    assert pack.plan.instruction != other.plan.instruction
    assert ask("rotate a key", collection).plan.instruction == ""


@pytest.mark.parametrize("method", ["rrf", "dbsf"])
def test_fusion_in_the_engine_is_ours_up_to_ties(method: str) -> None:
    texts = {f"t{n}": f"{'key ' * (n % 5)}{'secret ' * (n % 3)}backup {n}" for n in range(40)}
    collection, spy = watched(asyncio.run(make(TopicEncoder(), texts)))
    query = Query("rotate a key with a new secret in the backup")

    def fused(config: RetrieveConfig) -> list[tuple[str, float]]:
        found = asyncio.run(retrieve(query, [collection], Scope(), config))
        ours = FuseConfig(method=method)  # type: ignore[arg-type]
        return [(one.id, one.score) for one in fuse(found.rankings, ours)]

    limits = {"dense_limit": 20, "sparse_limit": 30}
    engine = fused(RetrieveConfig(**limits, engine_fusion=method, engine_limit=25))  # type: ignore[arg-type]
    request = spy.requests[-1]
    assert (request.fusion, request.fusion_k, request.fusion_limit) == (method, 60, 25)
    ours = fused(RetrieveConfig(**limits))  # type: ignore[arg-type]
    assert [score for _, score in engine] == pytest.approx([score for _, score in ours[:25]])
    assert {key for key, score in engine if score > engine[-1][1]} <= {key for key, _ in ours}


def part(name: str, text: str, start: int, line: int, *headings: str) -> Chunk:
    """A chunk that begins at this character and line."""
    end, last = start + len(text), line + text.count("\n")
    place = {"start": start, "end": end, "start_line": line, "end_line": last}
    return chunk(name, text=text, headings=headings, **place)


class Pages:
    """One document of four chunks, of which two make a section."""

    chunks: tuple[Chunk, ...] = (
        part("1", "# One", 0, 1, "One"),
        part("2", "first\nhalf", 7, 3, "One", "Two"),
        part("3", "second", 20, 7, "One", "Two"),
        part("4", "end", 27, 8, "One", "Three"),
    )

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        if path == "gone":
            raise StoreError("the engine is down")
        return self.chunks

    async def chunk_ids(
        self,
        collection: str,
        documents: Sequence[tuple[str, str]],
    ) -> tuple[tuple[str, ...], ...]:
        return ((),) * len(documents)


async def shown(*hits: Candidate, config: ContextConfig, results: int = 5) -> Shown:
    there = replace(await make(None, {}), index=Pages())
    return await context(Chosen(hits), [there], config, results)


@pytest.mark.parametrize(
    ("config", "lines", "text"),
    [
        (ContextConfig("section"), (3, 7), "first\nhalf\n\n\nsecond"),
        (ContextConfig("neighbours"), (1, 7), "# One\n\nfirst\nhalf\n\n\nsecond"),
        (ContextConfig("neighbours", max_chars=20), (3, 7), "first\nhalf\n\n\nsecond"),
        (ContextConfig(), (1, 8), "# One\n\nfirst\nhalf\n\n\nsecond\nend"),
        (ContextConfig(max_tokens=12), (3, 7), "first\nhalf\n\n\nsecond"),
    ],
)
def test_context_is_the_file_around_a_passage(
    config: ContextConfig, lines: tuple[int, int], text: str
) -> None:
    hit = replace(candidate(), chunk=Pages.chunks[1])
    (around,) = asyncio.run(shown(hit, config=config)).contexts
    assert around is not None
    assert ((around.start_line, around.end_line), around.text) == (lines, text)


def test_context_that_cannot_be_had_costs_no_evidence() -> None:
    found = asyncio.run(shown(candidate("a", path="gone"), config=ContextConfig("section")))
    assert (len(found.candidates), found.contexts) == (1, (None,))
    assert [notice.code for notice in found.notices] == ["context_unavailable"]
    assert asyncio.run(shown(candidate(), config=ContextConfig("none"))).contexts == (None,)


def test_a_pool_is_shared_and_what_one_collection_cannot_fill_is_lent_to_the_other() -> None:
    encoder = TopicEncoder()
    many = {f"a{n}": f"the key {n} and its secret" for n in range(8)}
    first = asyncio.run(make(encoder, many, "many"))
    second = asyncio.run(make(encoder, {f"b{n}": "a key for a month" for n in range(2)}, "few"))
    third = asyncio.run(make(encoder, {f"c{n}": f"a month {n}" for n in range(8)}, "third"))
    profile = replace(
        Profile(),
        load=replace(Profile().load, pool=6, share=0.5),
        select=SelectConfig(results=6, on_none="keep"),
    )
    shared = ask("which key secret", first, third, profile=profile)
    assert [item.collection for item in shared.evidence].count("many") == 3
    lent = ask("which key secret", first, second, profile=profile)
    assert [item.collection for item in lent.evidence].count("many") == 4


def test_collections_of_one_model_embed_the_question_once() -> None:
    encoder = TopicEncoder()
    asked: list[str] = []

    class Counting(TopicEncoder):
        async def embed_query(self, text: str) -> Vector:
            asked.append(text)
            return await encoder.embed_query(text)

    both = [asyncio.run(make(Counting(), TEXTS, name)) for name in ("one", "two")]
    asked.clear()
    ask("rotate a key with a new secret", *both)
    assert asked == ["rotate a key with a new secret"]
    other = replace(both[1], dense=Counting(fingerprint="topics/2"))
    asked.clear()
    ask("rotate a key with a new secret", both[0], other)
    assert len(asked) == 2


@pytest.mark.parametrize(("reranker", "loaded"), [(None, 2), (Judge(), 3)])
def test_fewer_candidates_are_loaded_where_nothing_reranks_them(
    reranker: Judge | None, loaded: int
) -> None:
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    profile = Profile(load=LoadConfig(pool=3, alone=2 / 3), select=SelectConfig(2))
    trace = Trace(lambda: 0.0)
    ask("a key, a backup, a month", collection, profile=profile, trace=trace, reranker=reranker)
    (value,) = [step.value for step in trace.steps if step.stage == "load"]
    assert isinstance(value, tuple)
    assert len(value) == loaded


def test_the_evidence_preset_is_the_source_of_its_limits() -> None:
    profile = PRESETS["evidence"]
    retrieve_ = profile.retrieve
    assert (retrieve_.dense_limit, retrieve_.sparse_limit, retrieve_.hnsw_ef) == (80, 120, 256)
    assert (profile.load.pool, profile.rerank.pool, profile.select.results) == (180, 180, 12)
    assert round(retrieve_.engine_limit * retrieve_.widened) == 90
