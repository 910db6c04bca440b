"""What is shown of a file: exact lines of it, whole units where they fit, and each line once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pincite.chunkers import ChunkerConfig
from pincite.errors import ConfigError
from pincite.model import Candidate, Chosen, Chunk, Context, Signal
from pincite.model.citation import parse_citation
from pincite.stages.context import ContextConfig, Shown, context
from pincite.support.fields import replace
from pincite.support.token_estimate import estimate_tokens
from tests.stages.context_files import COLLECTION, PARTS, Files, Outlines, cut_up


class Whole(Files):
    """An index of an earlier version: the ids of the chunks are unknown."""

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        return ((),) * len(documents)


def show(
    chunks: tuple[Chunk, ...],
    found: list[int],
    config: ContextConfig,
    results: int = 5,
    reserve: int = 0,
    signals: Sequence[Signal] = (),
) -> Shown:
    """The page for the chunks at these places, the best first, the last `reserve` in reserve."""
    signals = signals or [Signal("fused", "rrf", 1 / (r + 1)) for r in range(len(found))]
    hits = tuple(
        Candidate("main", chunks[n], (signal,)) for n, signal in zip(found, signals, strict=True)
    )
    chosen, rest = hits[: len(hits) - reserve], hits[len(hits) - reserve :]
    files: dict[str, list[Chunk]] = {}
    for one in chunks:
        files.setdefault(one.path, []).append(one)
    given = {path: tuple(some) for path, some in files.items()}
    pages = [
        asyncio.run(
            context(
                Chosen(chosen, reserve=rest),
                [replace(COLLECTION, index=index)],
                config,
                results,
            )
        )
        for index in (Files(given), Whole(given), Outlines(given))
    ]
    assert pages[0] == pages[1] == pages[2]  # whether chunks, documents or outlines are read
    return pages[0]


def lines_of(text: str, first: int, last: int) -> str:
    """As the file has them: the newline of the last is not among them."""
    kept = "".join(re.findall(r"[^\n]*\n|[^\n]+\Z", text)[first - 1 : last])
    return kept.removesuffix("\n").removesuffix("\r") if kept.endswith("\n") else kept


def reach(shown: Shown, place: int) -> tuple[int, int]:
    one, around = shown.candidates[place].chunk, shown.contexts[place]
    return (around.start_line, around.end_line) if around else (one.start_line, one.end_line)


_WORDS = st.sampled_from(
    [
        "key",
        "secret",
        "a🦊b",
        "naïve",
        "x" * 30,
        "# Head",
        "## Two",
        "- item",
        "```",
        "鍵を回す",
        "|a|",
    ]
)
_LINE = st.one_of(
    st.lists(_WORDS, max_size=6).map(" ".join),
    st.lists(_WORDS, min_size=40, max_size=60).map(" ".join),
    st.sampled_from(["", "  ", "\t", "\x0c", "    indented", "\tdef f():", "class A:", "  end "]),
)
_TEXT = st.builds(
    lambda lines, ends, bom, last: (
        ("\ufeff" if bom else "")
        + "".join(f"{line}{end}" for line, end in zip(lines, ends * len(lines), strict=False))
        + last
    ),
    st.lists(_LINE, max_size=40),
    st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"], ["\n", "\n", "\r"]]),
    st.booleans(),
    st.sampled_from(["", "the end", "the end  "]),
)


@settings(deadline=None)
@given(
    text=_TEXT,
    path=st.sampled_from(["notes.md", "a.py"]),
    around=st.sampled_from(["unit", "section", "neighbours"]),
    data=st.data(),
)
@example(text="a\n \n\t\nb\n", path="a.py", around="unit", data=None)
def test_what_is_shown_is_the_file_and_no_line_is_shown_twice(
    text: str, path: str, around: Any, data: Any
) -> None:
    chunks = cut_up(text, path)
    if not chunks:
        return
    everything = list(range(len(chunks)))
    found = data.draw(st.permutations(everything)) if data else everything
    config = ContextConfig(around, max_tokens=60, max_chars=200)
    results = data.draw(st.integers(1, 6)) if data else 5
    first = data.draw(st.integers(1, len(found))) if data else len(found)
    shown = show(chunks, found[: results + first], config, results, reserve=max(0, first - 1))

    assert 1 <= len(shown.candidates) <= results
    seen: list[tuple[int, int]] = []
    matched: list[str] = []
    for hit, near in zip(shown.candidates, shown.contexts, strict=True):
        matched += [one.chunk_id for one in near.matches] if near else []
        if near is None:
            seen.append((hit.chunk.start, hit.chunk.end))
            continue
        assert near.text == lines_of(text, near.start_line, near.end_line)
        cited = parse_citation(near.citation)
        assert cited is not None
        assert (cited.start_line, cited.end_line) == (near.start_line, near.end_line)
        assert hit.chunk.text in near.text
        check_matches(near, hit.chunk, chunks)
        many = 2 if near.matches else 1
        if around == "unit":
            most = max(estimate_tokens(hit.chunk.text), many * config.max_tokens)
            assert estimate_tokens(near.text) <= most
        begin = next(one.start for one in chunks if one.start_line == near.start_line)
        assert text[begin : begin + len(near.text)] == near.text
        seen.append((begin, begin + len(near.text)))
    for (_, end), (start, _) in zip(sorted(seen), sorted(seen)[1:], strict=False):
        assert end <= start

    named = [drop.candidate_id for drop in shown.dropped]
    leads = [one.chunk.candidate_id for one in shown.candidates]
    asked = [chunks[n].candidate_id for n in found[: results + first]]
    assert sorted(named + leads) == sorted(asked)
    merged = [drop for drop in shown.dropped if drop.reason.startswith("merged into [")]
    by_id = {one.candidate_id: one.id for one in chunks}
    assert all(by_id[drop.candidate_id] in matched for drop in merged)


def check_matches(near: Context, hit: Chunk, chunks: tuple[Chunk, ...]) -> None:
    lines = [(one.start_line, one.end_line) for one in near.matches]
    assert lines == sorted(lines)
    assert all(near.start_line <= first <= last <= near.end_line for first, last in lines)
    if near.matches:
        assert hit.id in {one.chunk_id for one in near.matches}
        assert len({one.chunk_id for one in near.matches}) == len(near.matches) > 1


CODE = '''import os


class Keys:
    """Holds the keys of an account."""

    def rotate(self, secret):
        """Put a new secret in place of the old one."""
        old = self.secret
        self.secret = secret
        return old

    def forget(self):
        """The key is gone from here on."""
        self.secret = None
        os.remove(self.path)
'''


def test_a_method_is_shown_within_its_class_where_that_fits_and_alone_where_not() -> None:
    chunks = cut_up(CODE, "keys.py", ChunkerConfig(target_tokens=40, max_tokens=60, solo_tokens=8))
    place = next(n for n, one in enumerate(chunks) if "forget" in one.symbols)
    wide = show(chunks, [place], ContextConfig(max_tokens=500)).contexts[0]
    assert wide is not None
    assert wide.text.startswith("class Keys:") or wide.text.startswith("import os")
    assert wide.text.endswith("os.remove(self.path)")
    alone = show(chunks, [place], ContextConfig(max_tokens=10, least_lines=0))
    assert alone.contexts == (None,)


def test_few_lines_grow_by_their_neighbours_up_to_a_floor() -> None:
    chunks = cut_up(PARTS)
    tiny = show(chunks, [5], ContextConfig(least_lines=0, max_tokens=200))
    grown = show(chunks, [5], ContextConfig(least_lines=8, max_tokens=200))
    assert reach(tiny, 0) == (chunks[5].start_line, chunks[5].end_line)
    first, last = reach(grown, 0)
    assert last - first + 1 >= 8


def test_passages_that_meet_are_one_result_and_what_is_in_reserve_takes_the_place() -> None:
    chunks = cut_up(PARTS)
    config = ContextConfig(least_lines=0, max_tokens=80)
    shown = show(chunks, [4, 9, 5, 0], config, results=3, reserve=1)
    assert [one.chunk.id for one in shown.candidates] == [chunks[n].id for n in (4, 9, 0)]
    assert shown.dropped[0].candidate_id == chunks[5].candidate_id
    assert shown.dropped[0].reason == "merged into [1]"
    near = shown.contexts[0]
    assert near is not None
    assert [one.chunk_id for one in near.matches] == [chunks[4].id, chunks[5].id]


def test_other_files_come_first_where_one_file_may_have_so_many_results() -> None:
    one, two = cut_up(PARTS, "a.md"), cut_up(PARTS, "b.md")
    both = (*one, *two)
    wanted = [0, 4, 8, len(one) + 2]
    config = ContextConfig(least_lines=0, file_share=0.4)
    shown = show(both, wanted, config, results=3)
    assert [hit.chunk.path for hit in shown.candidates] == ["a.md", "a.md", "b.md"]
    assert [drop.reason for drop in shown.dropped] == ["more than 2 of its file"]
    assert len(show(both, wanted[:3], config, results=3).candidates) == 3
    # the fourth has .75 of the score of the third
    much = replace(config, file_share_from=0.8)
    shown = show(both, wanted, much, results=3)
    assert [hit.chunk.id for hit in shown.candidates] == [both[n].id for n in wanted[:3]]
    assert [drop.reason for drop in shown.dropped] == ["below the best 3"]
    last = show(both, wanted, much, results=4)
    assert [hit.chunk.id for hit in last.candidates] == [both[n].id for n in wanted]
    # scores of two kinds say nothing about each other
    signals = [
        *(Signal("fused", "rrf", 1 / (r + 1)) for r in range(3)),
        Signal("fused", "dbsf", 0.01),
    ]
    shown = show(both, wanted, much, results=3, signals=signals)
    assert [hit.chunk.path for hit in shown.candidates] == ["a.md", "a.md", "b.md"]


def test_a_page_of_a_record_is_never_shown_with_another() -> None:
    chunks = tuple(
        replace_attributes(one, {"page": n // 2}) for n, one in enumerate(cut_up("word\n\n" * 80))
    )
    shown = show(chunks, [2], ContextConfig(max_tokens=5_000, least_lines=500))
    near = shown.contexts[0]
    assert near is not None
    assert (near.start_line, near.end_line) == (chunks[2].start_line, chunks[3].end_line)


def replace_attributes(one: Chunk, attributes: dict[str, Any]) -> Chunk:

    return replace(one, attributes=attributes)


def test_white_space_that_an_older_index_did_not_keep_ends_what_is_shown() -> None:

    text = "\n  \n".join(f"paragraph number {n} of the text" for n in range(9))
    kept = cut_up(text, "a.py")
    older = tuple(replace(one, space_before="") for one in kept)
    config = ContextConfig(max_tokens=300)
    assert show(kept, [3], config).contexts[0] is not None
    assert show(older, [3], config).contexts == (None,)


@pytest.mark.parametrize(
    "name", ["max_tokens", "max_chars", "least_lines", "file_share", "file_share_from"]
)
def test_sizes_that_cannot_be_are_refused_by_name(name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        replace(ContextConfig(), **{name: -1})
