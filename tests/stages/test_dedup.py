"""Distinct evidence, not repeated slices."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pincite.stages.dedup import DedupConfig, dedup
from tests.builders import candidate


def names(candidates: object) -> list[str]:
    return [one.chunk.path for one in candidates]  # type: ignore[attr-defined]


def test_the_same_chunk_from_two_collections_is_kept_once_in_its_best_place() -> None:
    pool = dedup([candidate("a", 3), candidate("b", 2), candidate("a", 1)], DedupConfig())
    assert names(pool.candidates) == ["docs/a.md", "docs/b.md"]
    assert pool.candidates[0].signals[0].value == 3
    assert pool.dropped[0].reason == f"same chunk as #{candidate('a').chunk.id[:12]}"


def test_chunks_without_lines_are_not_at_the_same_place() -> None:
    nowhere: dict[str, Any] = {
        "path": "docs/one.md",
        "start": 0,
        "end": 0,
        "start_line": 0,
        "end_line": 0,
    }
    pool = dedup([candidate("a", 2, **nowhere), candidate("b", 1, **nowhere)], DedupConfig())
    assert len(pool.candidates) == 2
    lines: dict[str, Any] = {"path": "docs/one.md", "start": 0, "end": 0}
    far = candidate("b", 1, **(lines | {"start_line": 7, "end_line": 9}))
    assert len(dedup([candidate("a", 2, **lines), far], DedupConfig()).candidates) == 2


def test_the_same_lines_under_another_id_are_dropped() -> None:
    again = candidate("b", 1, path="docs/a.md", start=0, end=19, text="text of a\nother bytes")
    first = candidate("a", 2, start=0, end=19)
    pool = dedup([first, again], DedupConfig(same_text=False))
    assert pool.candidates == (first,)
    assert pool.dropped[0].reason.startswith("same lines as")


def test_of_equal_texts_the_richer_provenance_takes_the_better_place() -> None:
    poor = candidate("a", 2, text="the same  words")
    rich = candidate("b", 1, text="the same\nwords", url="https://example.org/b")
    pool = dedup([poor, rich], DedupConfig())
    (kept,) = pool.candidates
    assert kept.chunk == rich.chunk
    assert kept.signals == poor.signals
    assert pool.dropped[0].candidate_id == poor.chunk.candidate_id


def key(name: str) -> tuple[str, str]:
    return "main", candidate(name).chunk.id


def test_the_passage_that_was_asked_for_is_kept_before_a_richer_one() -> None:
    rich = candidate("a", 2, text="same", url="https://example.org/a", symbols=("f",))
    sought = candidate("b", 1, text="same")
    for pair in ([rich, sought], [sought, rich]):
        pool = dedup(pair, DedupConfig(), {key("b")})
        (kept,) = pool.candidates
        assert kept.chunk == sought.chunk
        assert kept.signals == pair[0].signals
        assert pool.dropped[0].candidate_id == rich.chunk.candidate_id


def test_two_passages_that_were_asked_for_both_stay_if_only_their_text_is_equal() -> None:
    equal = [candidate(name, -n, text="same") for n, name in enumerate("abcd")]
    pool = dedup(equal, DedupConfig(), {key("b"), key("c")})
    assert names(pool.candidates) == ["docs/b.md", "docs/c.md"]
    assert len(pool.dropped) == 2
    again = [candidate("a", 2), candidate("a", 1)]
    assert len(dedup(again, DedupConfig(), {key("a")}).candidates) == 1


def test_equal_texts_stay_where_that_rule_is_off() -> None:
    pair = [candidate("a", 2, text="same"), candidate("b", 1, text="same")]
    assert len(dedup(pair, DedupConfig(same_text=False)).candidates) == 2


def test_nothing_in_nothing_out() -> None:
    assert dedup([], DedupConfig()).candidates == ()


@given(st.lists(st.sampled_from("abcdef"), max_size=12))
def test_what_is_kept_and_what_is_dropped_add_up_and_order_stays(letters: list[str]) -> None:
    given_ = [candidate(letter, -n) for n, letter in enumerate(letters)]
    pool = dedup(given_, DedupConfig())
    assert len(pool.candidates) + len(pool.dropped) == len(given_)
    assert names(pool.candidates) == [f"docs/{letter}.md" for letter in dict.fromkeys(letters)]
