"""Words ranked by SQLite's FTS5: the contract with its formula, and what strangers ask."""

from __future__ import annotations

import asyncio
import math
import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.model import Chunk, Point, Ranking, SparseVector
from pincite.ports import SearchRequest, Store
from pincite.stores.memory import MemoryStore
from pincite.stores.sqlite.fts import MOST_WORDS, FtsConfig, Tokenizer, terms
from pincite.stores.sqlite.store import SqliteStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, point_of, request_for
from pincite.testing.running import contract
from pincite.testing.stores import StoreContract
from pincite.testing.visibility import COW, FOX, show
from tests.quick_folder import quick_folder

_K1, _B = 1.2, 0.75  # those of FTS5, which cannot be set


class Fts5Formula(MemoryStore):
    """The reference store with the formula of FTS5: IDF of Robertson and Sparck Jones, at least
    1e-6, of all points of the collection; every column counts 1."""

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        self._words = request.words
        return await super().search(collection, request)

    def _products(
        self, collection: str, query: SparseVector, points: Sequence[Point]
    ) -> dict[str, float]:
        if not self._specs[collection].idf:
            return super()._products(collection, query, points)
        held = [p.chunk for of in self._points[collection].values() for p in of.values()]
        texts = [Counter(_tokens(chunk)) for chunk in held]
        mean = sum(text.total() for text in texts) / max(1, len(texts))
        scores = {}
        for chunk in (point.chunk for point in points):
            counts, score = Counter(_tokens(chunk)), 0.0
            for word in re.findall(r"[^\W_]+", self._words.lower()):
                having = sum(word in text for text in texts)
                idf = max(1e-6, math.log((len(texts) - having + 0.5) / (having + 0.5)))
                norm = _K1 * (1 - _B + _B * counts.total() / mean)
                score += idf * counts[word] * (_K1 + 1) / (counts[word] + norm)
            if score > 0:
                scores[chunk.id] = score
        return scores


def _tokens(chunk: Chunk) -> list[str]:
    joined = " ".join((chunk.title, *chunk.headings, chunk.path, chunk.read_as))
    return re.findall(r"[^\W_]+", joined.lower())


class TestSqliteStoreWithFts5(StoreContract):
    exact = Fts5Formula

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        with quick_folder() as folder:
            store = SqliteStore(folder / "points.db", FtsConfig("unicode61"))
            yield store
            await store.close()

    @contract
    async def test_sparse_vectors_are_replaced(self, store: Store) -> None:
        """They are, and FTS5 does not look at them: it weighs what the text has."""
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX, COW)
        before = await store.search("main", request_for("fox", dense=None))
        await store.set_sparse("main", {FOX.chunk.id: SparseVector((7,), (2.0,))})
        assert await store.search("main", request_for("fox", dense=None)) == before
        ((_, changed),) = [
            pair for pair in await store.export("main", None, 9) if pair[1].chunk.id == FOX.chunk.id
        ]
        assert changed.sparse == SparseVector((7,), (2.0,))
        own = request_for("fox", dense=None, sparse=SparseVector((7,), (1.0,)), words="")
        assert [hit.id for hit in (await store.search("main", own))[0].hits] == [FOX.chunk.id]


def searched(
    points: Sequence[Point], words: str, config: FtsConfig = FtsConfig("unicode61")
) -> list[str]:
    """The texts that are found, best first."""

    async def session() -> list[str]:
        with quick_folder() as folder:
            store = SqliteStore(folder / "points.db", config)
            await store.create(DENSE_SPEC)
            await show(store, "r1", *points)
            (ranking,) = await store.search("main", request_for("any", dense=None, words=words))
            found = await store.load("main", [hit.id for hit in ranking.hits])
            await store.close()
            return [one.chunk.text for one in found]

    return asyncio.run(session())


CORPUS = tuple(
    point_of(text)
    for text in ("keys are rotated at night", "the key of a door", "near a fox", "of hens and cows")
)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("NEAR(fox hens)", {"near a fox", "of hens and cows"}),
        ('"fox', {"near a fox"}),
        ('fo* ^fox "hens and" + -fox', {"near a fox", "of hens and cows"}),
        ("title: fox", {"near a fox"}),
        ("{title path} : fox", {"near a fox"}),
        ("fox NOT near", {"near a fox"}),
        ("fox' OR 1=1; DROP TABLE points; --", {"near a fox"}),
        ("fox\0hens", {"near a fox", "of hens and cows"}),
        ("\ud800 fox", {"near a fox"}),
        ('"" * ^ : - ( ) { } \\ %', set()),
        ("rank text words_1", set()),
    ],
)
def test_nothing_that_is_asked_is_syntax(words: str, found: set[str]) -> None:
    corpus = [*CORPUS, *(point_of(f"filler{n}") for n in range(20))]
    assert set(searched(corpus, words)) == found


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.sampled_from(("unicode61", "porter", "trigram")))
def test_what_is_asked_for_any_text_is_taken_for_words(text: str, tokenizer: Tokenizer) -> None:
    asked = terms(text, tokenizer)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE VIRTUAL TABLE t USING fts5(text, tokenize='{tokenizer}')")
        for word in asked:
            assert '"' not in word
            db.execute("SELECT * FROM t WHERE t MATCH ?", (f'"{word}"',)).fetchall()


@pytest.mark.parametrize("tokenizer", ["unicode61", "porter", "trigram"])
@pytest.mark.parametrize(
    "text",
    [
        "fox " * 100_000,
        " ".join(f"w{n}" for n in range(100_000)),
        "x" * 1_000_000,
        "".join(chr(0x4E00 + n % 20_000) for n in range(100_000)),
    ],
    ids=["repeated", "different", "long", "unspaced"],
)
def test_a_question_of_100_000_words_asks_some_of_them(tokenizer: Tokenizer, text: str) -> None:
    asked = terms(text, tokenizer)
    assert 1 <= len(asked) <= MOST_WORDS
    assert sum(asked.values()) <= 1_000
    assert max(map(len, asked)) <= 200
    searched(CORPUS, text, FtsConfig(tokenizer))


def test_a_word_that_is_asked_twice_counts_twice() -> None:
    once = [point_of("fox hen one"), point_of("cow two hen")] + [
        point_of(f"o{n}") for n in range(9)
    ]
    assert searched(once, "fox cow cow")[0] == "cow two hen"
    assert searched(once, "fox fox cow")[0] == "fox hen one"


def test_porter_finds_other_forms_and_trigrams_find_parts_and_chinese() -> None:
    filler = [point_of(f"filler {n}") for n in range(9)]
    corpus = [point_of("rotating keys"), point_of("怎样轮换密钥的说明"), *filler]
    assert searched(corpus, "rotate key", FtsConfig("porter")) == ["rotating keys"]
    assert searched(corpus, "rotate key", FtsConfig("unicode61")) == []
    assert searched(corpus, "otati", FtsConfig("trigram")) == ["rotating keys"]
    assert searched(corpus, "轮换密钥", FtsConfig("trigram")) == ["怎样轮换密钥的说明"]


def test_titles_and_paths_count_what_the_settings_say() -> None:
    titled = point_of("something else", "titled", title="turnstile")
    placed = point_of("anything", "placed", path="turnstile.md")
    texts = [point_of(f"filler {n}") for n in range(9)]
    for config, first in (
        (FtsConfig(title_weight=5.0), "something else"),
        (FtsConfig(path_weight=5.0), "anything"),
    ):
        assert searched([titled, placed, *texts], "turnstile", config)[0] == first
    assert "anything" not in searched([titled, *texts], "turnstile")


def test_an_index_goes_from_one_way_of_ranking_to_another_and_back(tmp_path: Path) -> None:
    path = tmp_path / "points.db"

    async def found(config: FtsConfig | None, words: str) -> tuple[list[str], list[str]]:
        """The ids that are found before and after a chunk has been written and removed."""
        store = SqliteStore(path, config)
        request = request_for("rotated", dense=None, words=words)
        first = (await store.search("main", request))[0].hits
        await show(store, "more", point_of("more of it", dense=False))
        await store.remove("main", ["more"])
        second = (await store.search("main", request))[0].hits
        await store.close()
        return [hit.id for hit in first], [hit.id for hit in second]

    async def session() -> None:
        store = SqliteStore(path)
        await store.create(LEXICAL_SPEC)
        await show(store, "r1", *(replace(point, dense=None) for point in CORPUS))
        await store.close()
        keys, door = CORPUS[0].chunk.id, CORPUS[1].chunk.id
        own = await found(None, "rotated key")
        assert own == ([keys], [keys])  # words are not asked for, the vector is
        for config, ids in (
            (FtsConfig("unicode61"), {keys, door}),
            (FtsConfig("trigram"), {keys, door}),
            (FtsConfig("porter"), {keys, door}),
        ):
            before, after = await found(config, "rotated key")
            assert (set(before), set(after)) == (ids, ids)
        assert await found(None, "rotated key") == own
        store = SqliteStore(path)
        await store.create(LEXICAL_SPEC)  # an indexing run
        await store.close()
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT count(*) FROM word_indexes").fetchone() == (0,)
            tables = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'words%'")
            assert tables.fetchall() == []

    asyncio.run(session())


def test_the_index_of_words_agrees_with_itself_after_random_writes(tmp_path: Path) -> None:
    """`integrity-check` of FTS5 compares structure and sums; scores are those of a clean index."""
    path = tmp_path / "points.db"

    async def ranking(where: Path, points: Sequence[Point]) -> Ranking:
        store = SqliteStore(where, FtsConfig())
        await store.create(DENSE_SPEC)
        for number, point in enumerate(points):
            await show(store, f"r{number}", point)
        (found,) = await store.search("main", request_for("fox key", dense=None))
        await store.close()
        return found

    async def session() -> None:
        store = SqliteStore(path, FtsConfig())
        await store.create(DENSE_SPEC)
        for number in range(60):
            text = f"fox {number} " * (number % 7) + "key " * (number % 5)
            await show(store, f"r{number % 9}", point_of(text, f"chunk {number % 9}"))
            await store.set_attributes("main", {f"r{number % 9}": {}})
            if number % 4 == 0:
                await store.remove("main", [f"r{(number + 3) % 9}"])
        left = [point for _, point in await store.export("main", None, 99)]
        (found,) = await store.search("main", request_for("fox key", dense=None))
        await store.close()
        with closing(sqlite3.connect(path)) as db:
            db.execute("INSERT INTO words_1 (words_1) VALUES ('integrity-check')")
        assert len(left) > 3
        assert found == await ranking(tmp_path / "clean.db", left)

    asyncio.run(session())
