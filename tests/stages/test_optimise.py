"""Results put together: nothing twice, nothing lost, and what is shown is the file."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.errors import ConfigError
from pincite.model import Candidate, Chunk, Context, Document, Match, OnPage, Signal
from pincite.model.citation import cite, parse_citation
from pincite.model.spans import joined
from pincite.stages.optimise import OptimiseConfig, Optimised, optimise
from pincite.support.fields import replace
from pincite.support.token_estimate import estimate_tokens

CONFIG = OptimiseConfig(enabled=True)
ALL = OptimiseConfig(enabled=True, alike=1.0, max_tokens=10**6)
SMALL = ChunkerConfig(target_tokens=16, max_tokens=24, solo_tokens=8)
POEM = "\n".join(f"line {n} of the poem is number {n * n}" for n in range(1, 31)) + "\n"


def piece(text: str, start: int, end: int, **values: Any) -> Chunk:
    """`text[start:end]` of a file with this text, with its lines and columns as the product has
    them."""
    body = text[start:end]
    first = text.count("\n", 0, start) + 1
    last = first + body.count("\n") - body.endswith("\n")
    begins = start == 0 or text[start - 1] == "\n"
    ends = end == len(text) or body.endswith("\n") or text[end] == "\n"
    ends = ends or text[end : end + 2] == "\r\n"
    fields: dict[str, Any] = {
        "id": f"{start}-{end}",
        "repo": "acme",
        "ref": "c0ffee",
        "path": "poem.md",
        "source_type": "docs",
        "language": "markdown",
        "start": start,
        "end": end,
        "start_line": first,
        "end_line": last,
        "text": body,
        "content_hash": "0" * 64,
        "start_column": None if begins else start - text.rfind("\n", 0, start),
        "end_column": None if ends else end - text.rfind("\n", 0, end) - 1,
    }
    return Chunk(**(fields | values))


def lines(first: int, last: int, text: str = POEM, **values: Any) -> Chunk:
    """Lines of a text, without the newline of the last."""
    ends = [0, *(place.end() for place in re.finditer("\n", text))]
    return piece(text, ends[first - 1], ends[last] - 1, **values)


def ranked(*chunks: Chunk) -> tuple[Candidate, ...]:
    return tuple(
        Candidate("main", one, (Signal("fused", "rrf", 1 / rank),))
        for rank, one in enumerate(chunks, start=1)
    )


def put_together(*chunks: Chunk, config: OptimiseConfig = ALL) -> Optimised:
    return optimise(ranked(*chunks), (None,) * len(chunks), config)


def shown(found: Optimised) -> list[tuple[int, int]]:
    return [
        (near.start_line, near.end_line) if near else (one.chunk.start_line, one.chunk.end_line)
        for one, near in zip(found.candidates, found.contexts, strict=True)
    ]


def test_passages_that_overlap_become_one_with_the_citation_of_all_lines() -> None:
    found = put_together(lines(4, 8), lines(20, 22), lines(6, 11))
    assert shown(found) == [(4, 11), (20, 22)]
    near = found.contexts[0]
    assert near is not None
    assert near.text == "\n".join(POEM.split("\n")[3:11])
    assert near.citation == "acme@c0ffee:poem.md#L4-L11"
    assert [(one.start_line, one.end_line) for one in near.matches] == [(4, 8), (6, 11)]
    assert [one.reason for one in found.dropped] == ["merged into [1]"]


def test_passages_that_touch_become_one_at_the_place_of_the_best_and_with_its_signals() -> None:
    best, other = lines(9, 12), lines(5, 8)
    found = put_together(best, lines(20, 21), other)
    assert shown(found) == [(5, 12), (20, 21)]
    assert found.candidates[0].chunk is best
    assert found.candidates[0].signals == (Signal("fused", "rrf", 1.0),)
    assert [one.candidate_id for one in found.dropped] == [other.candidate_id]


def test_a_passage_within_another_is_marked_in_it() -> None:
    found = put_together(lines(7, 8), lines(4, 12))
    assert shown(found) == [(4, 12)]
    near = found.contexts[0]
    assert near is not None
    assert [one.citation for one in near.matches] == [
        "acme@c0ffee:poem.md#L4-L12",
        "acme@c0ffee:poem.md#L7-L8",
    ]


def test_lines_between_passages_keep_them_apart() -> None:
    assert shown(put_together(lines(4, 6), lines(8, 9))) == [(4, 6), (8, 9)]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_what_stands_between_neighbours_is_that_of_the_file(ending: str) -> None:
    text = f"one two three{ending} \t{ending}four five six{ending}"
    first = piece(text, 0, 13)
    gap = text[13 : text.index("four")]
    second = piece(text, text.index("four"), text.index("six") + 3, space_before=gap)
    found = put_together(second, first)
    near = found.contexts[0]
    assert near is not None
    assert near.text == text.removesuffix(ending)
    unknown = replace(second, space_before="")
    assert put_together(unknown, first).contexts == (None, None)


def test_what_is_shown_around_a_passage_is_put_together_as_well() -> None:
    one, other = lines(5, 6), lines(12, 13)
    around = [
        Context(4, 9, "\n".join(POEM.split("\n")[3:9]), "acme@c0ffee:poem.md#L4-L9"),
        Context(9, 14, "\n".join(POEM.split("\n")[8:14]), "acme@c0ffee:poem.md#L9-L14"),
    ]
    found = optimise(ranked(one, other), around, ALL)
    near = found.contexts[0]
    assert near is not None
    assert near.text == "\n".join(POEM.split("\n")[3:14])
    assert near.matches == (
        Match(cite(one), one.id, 5, 6),
        Match(cite(other), other.id, 12, 13),
    )


def test_a_context_that_does_not_hold_its_passage_stays_as_it_is() -> None:
    one, other = lines(5, 6), lines(7, 8)
    wrong = Context(4, 6, "something\nelse\naltogether", "acme@c0ffee:poem.md#L4-L6")
    found = optimise(ranked(one, other), [wrong, None], ALL)
    assert found.contexts == (wrong, None)


@pytest.mark.parametrize(
    "values",
    [
        {"ref": "beef"},
        {"path": "other.md"},
        {"repo": "other"},
        {"content_hash": "1" * 64},
        {"attributes": {"tenant": "south"}},
        {"on_page": OnPage(2), "cited_in": "page"},
        {"on_page": OnPage(0, visual=True)},
        {"end_line": 0, "start_line": 0},
        {"text": "what another program calls its text"},
    ],
)
def test_what_is_not_of_the_same_text_is_never_put_together(values: dict[str, Any]) -> None:
    other = replace(lines(6, 9), **values)
    assert len(put_together(lines(4, 6), other).candidates) == 2


def test_collections_are_never_put_together() -> None:
    one, other = ranked(lines(4, 6), lines(7, 9))
    apart = Candidate("other", other.chunk, other.signals)
    assert len(optimise((one, apart), (None, None), ALL).candidates) == 2


def test_what_would_be_too_long_stays_apart() -> None:
    most = estimate_tokens(lines(4, 9).text)
    at = OptimiseConfig(enabled=True, max_tokens=most)
    below = OptimiseConfig(enabled=True, max_tokens=most - 1)
    assert shown(put_together(lines(4, 6), lines(7, 9), config=at)) == [(4, 9)]
    assert shown(put_together(lines(4, 6), lines(7, 9), config=below)) == [(4, 6), (7, 9)]


def test_a_result_that_a_better_one_holds_nearly_whole_is_left_out_and_named() -> None:
    best = lines(1, 10)
    copied = replace(lines(2, 9), path="copy.md", content_hash="1" * 64, id="x")
    longer = replace(lines(1, 20), path="long.md", content_hash="2" * 64, id="y")
    found = put_together(best, copied, longer, config=CONFIG)
    assert [one.chunk.path for one in found.candidates] == ["poem.md", "long.md"]
    assert [(one.candidate_id, one.reason) for one in found.dropped] == [
        (copied.candidate_id, f"says the same as {best.candidate_id}")
    ]


def test_a_number_that_differs_counts_as_much_as_a_word() -> None:
    text = "The limit of the first plan is 10 requests a minute."
    one = piece(text, 0, len(text))
    other = replace(one, text=text.replace("10", "90"), path="b.md", id="b")
    assert len(put_together(one, other, config=CONFIG).candidates) == 2


def test_a_text_as_long_as_a_book_is_compared_with_nothing() -> None:
    text = "a b c d e " * 5_000
    one = piece(text, 0, len(text))
    other = replace(one, path="b.md", id="b", content_hash="1" * 64)
    assert len(put_together(one, other, config=CONFIG).candidates) == 2


def test_nothing_gives_nothing() -> None:
    assert optimise((), (), CONFIG) == Optimised((), ())


def test_settings_that_make_no_sense_are_refused() -> None:
    for wrong in ({"alike": 0.0}, {"alike": 1.1}, {"max_tokens": 0}):
        with pytest.raises(ConfigError, match="optimise"):
            OptimiseConfig(**wrong)


def test_spans_out_of_order_are_not_joined() -> None:
    assert joined(lines(7, 9), lines(4, 6)) is None


_WORDS = st.sampled_from(["key", "secret", "a🦊b", "naïve", "# Head", "- item", "```", "鍵を回す"])
_LINE = st.one_of(
    st.lists(_WORDS, max_size=6).map(" ".join),
    st.lists(_WORDS, min_size=40, max_size=60).map(" ".join),
    st.sampled_from(["", "  ", "\t", "    indented", "\tdef f():", "class A:", "  end "]),
)
_TEXT = st.builds(
    lambda parts, ends, bom, last: (
        ("\ufeff" if bom else "")
        + "".join(f"{part}{end}" for part, end in zip(parts, ends * len(parts), strict=False))
        + last
    ),
    st.lists(_LINE, max_size=40),
    st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"], ["\n", "\n", "\r"]]),
    st.booleans(),
    st.sampled_from(["", "the end", "the end  "]),
)


def check(text: str, chunks: list[Chunk], config: OptimiseConfig) -> None:
    candidates = ranked(*chunks)
    found = optimise(candidates, (None,) * len(chunks), config)
    gone = {one.candidate_id for one in found.dropped}
    kept = {one.chunk.candidate_id for one in found.candidates}
    assert len(found.dropped) + len(found.candidates) == len(chunks)
    assert gone | kept == {one.candidate_id for one in chunks}
    order = [candidates.index(one) for one in found.candidates]
    assert order == sorted(order)
    marked: list[str] = []
    for one, near in zip(found.candidates, found.contexts, strict=True):
        if near is None:
            marked.append(one.chunk.id)
            continue
        places = text.split("\n")
        whole = "\n".join(places[near.start_line - 1 : near.end_line])
        assert near.text.removesuffix("\n") in (whole, whole.removesuffix("\r"))
        assert one.chunk.text in near.text
        cited = parse_citation(near.citation)
        assert cited is not None
        assert (cited.start_line, cited.end_line) == (near.start_line, near.end_line)
        assert (cited.start_column, cited.end_column) == (None, None)
        marked += [match.chunk_id for match in near.matches] or [one.chunk.id]
    if config.alike == 1.0 and "says the same" not in str(found.dropped):
        assert sorted(marked) == sorted(one.id for one in chunks)
    assert optimise(candidates, (None,) * len(chunks), config) == found


@settings(deadline=None)
@given(text=_TEXT, data=st.data(), config=st.sampled_from([ALL, CONFIG]))
def test_chunks_of_the_product_in_any_order_are_put_together_byte_for_byte(
    text: str, data: st.DataObject, config: OptimiseConfig
) -> None:
    document = Document(
        *("acme", "c0ffee", "notes.md", text),
        encoding="utf-8",
        content_hash="0" * 64,
        source_type="docs",
        language="markdown",
    )
    chunks = chunks_of(document, sections_of(document, SMALL))
    if chunks:
        some = data.draw(st.lists(st.sampled_from(chunks), unique_by=lambda one: one.id))
        check(text, some, config)


@settings(deadline=None)
@given(text=_TEXT, data=st.data())
@example(text="a\r\nb\r\nc", data=None)
def test_pieces_that_overlap_anywhere_are_put_together_byte_for_byte(
    text: str, data: st.DataObject | None
) -> None:
    places = [(0, 1), (0, 4), (3, 7)]
    if data is not None:
        cuts = st.integers(0, len(text))
        pairs = st.tuples(cuts, cuts).map(sorted).map(tuple).filter(lambda pair: pair[0] < pair[1])
        places = data.draw(st.lists(pairs, max_size=8, unique=True)) if text else []  # type: ignore[arg-type]
    check(text, [piece(text, *place) for place in places], ALL)
