"""Near questions that are made from a corpus."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.evals.golden.near import generate_near
from pincite.evals.golden.questions import GoldenQuery
from pincite.model import Chunk
from pincite.ports import Searchable
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.fields import replace
from tests.builders import chunk
from tests.small_search import make

ANALYSER = Bm25Encoder().analyser


def terms(text: str) -> frozenset[str]:
    return frozenset(ANALYSER.terms(text))


CHUNKS = (
    chunk(
        "a",
        text="def rotate_key(secret): ...",
        path="src/keys.py",
        source_type="code",
        symbols=("rotate_key",),
    ),
    chunk(
        "b",
        text="def send_invoice(month): ...",
        path="src/billing.py",
        source_type="code",
        symbols=("send_invoice",),
    ),
    chunk(
        "c",
        text="Backups can be compressed and encrypted.",
        path="docs/backups.md",
        headings=("Guide", "Night backups"),
    ),
    chunk(
        "d",
        text="Redis keeps the sessions.",
        path="docs/sessions.md",
        headings=("User sessions",),
    ),
)


class Chunks:
    """An index that has these chunks."""

    def __init__(self, chunks: tuple[Chunk, ...]) -> None:
        self.chunks = chunks

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        rest = [one for one in sorted(self.chunks, key=lambda c: c.id) if one.id > (after or "")]
        return tuple(rest[:limit])


def near(count: int, seed: int = 0, chunks: tuple[Chunk, ...] = CHUNKS) -> tuple[GoldenQuery, ...]:
    one: Searchable = asyncio.run(make(None, {}))
    holding = replace(one, index=Chunks(chunks))
    return asyncio.run(generate_near([holding], count, terms, seed=seed))


def test_near_questions_are_marked_as_what_they_are() -> None:
    found = near(6)
    assert len(found) == 6
    assert len({one.text for one in found}) == 6
    for one in found:
        assert one.off_topic
        assert one.near
        assert one.expected == ()
        assert one.synthetic in ("near: swapped name", "near: sibling feature")
    assert {one.synthetic for one in found} == {"near: swapped name", "near: sibling feature"}


def test_a_name_that_is_made_up_is_called_like_those_of_the_corpus_and_is_nowhere() -> None:
    made = {one.text for one in near(20) if one.text.startswith("what does")}
    assert made <= {"what does rotate_invoice do?", "what does send_key do?"}
    assert made


def test_a_product_that_the_corpus_mentions_is_not_asked_for() -> None:
    asked = [one.text for seed in range(8) for one in near(30, seed)]
    assert any(" with " in text for text in asked)
    assert not any("Redis" in text for text in asked)


def test_a_thing_is_not_asked_for_with_a_verb_that_stands_beside_it() -> None:
    asked = {one.text for seed in range(40) for one in near(30, seed)}
    assert "How do I encrypt user sessions?" in asked
    assert "How do I encrypt night backups?" not in asked
    assert "How do I compress night backups?" not in asked


def test_an_empty_corpus_gives_no_question() -> None:
    assert near(5, chunks=()) == ()


@given(st.integers(0, 99), st.integers(1, 12))
@settings(max_examples=20, deadline=None)
def test_the_same_seed_gives_the_same_questions_and_fewer_are_the_first(
    seed: int, count: int
) -> None:
    assert near(count, seed) == near(count, seed)
    assert near(count, seed) == near(count + 3, seed)[:count]
