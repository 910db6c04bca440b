"""A block for a prompt: within its budget, the best at both ends, nothing lost in silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pincite.errors import UsageError
from pincite.model import Context, EvidencePack, Match, Notice
from pincite.model.context_block import ContextBlock, results_for, u_shaped, write_context
from pincite.support.fields import replace
from pincite.support.token_estimate import estimate_tokens
from tests.surfaces.packs import pack, result

LEVELS = ("grounded", "weak")


def packed(*texts: str, **values: Any) -> EvidencePack:
    return pack(
        *(
            result(
                number,
                f"docs/{number}.md",
                text=text,
                start_line=3,
                end_line=3 + text.count("\n"),
                citation=f"acme@c0ffee:docs/{number}.md#L3-L{3 + text.count(chr(10))}",
            )
            for number, text in enumerate(texts, start=1)
        ),
        **values,
    )


def words(text: str) -> int:
    """A tokenizer for which every run of letters and every other sign is a token."""
    return estimate_tokens(text) // 2 + text.count("\n")


def fences(text: str) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(text)
    return [one.content for one in tokens if one.type == "fence"]


def numbers(text: str) -> tuple[int, ...]:
    """In the order in which their blocks begin."""
    return tuple(
        int(line[1 : line.index("]")])
        for line in text.split("\n")
        if line.startswith("[") and "acme@c0ffee" in line
    )


def test_the_best_comes_first_the_second_best_last_and_the_rest_between_in_order() -> None:
    block = write_context(packed("one", "two", "three", "four", "five"), 2_000)
    assert block.shown == numbers(block.text) == (1, 3, 4, 5, 2)
    assert block.left_out == ()
    assert block.notices == ()
    assert [one.split()[-1] for one in fences(block.text)] == [
        *("one", "three", "four", "five", "two"),
    ]
    assert write_context(packed("one", "two", "three"), 2_000, order="rank").shown == (1, 2, 3)


@given(st.lists(st.integers(), unique=True))
def test_a_u_has_all_of_them(ranked: list[int]) -> None:
    found = u_shaped(ranked)
    assert sorted(found) == sorted(ranked)
    assert list(found[:1]) == ranked[:1]
    if len(ranked) > 1:
        assert found[-1] == ranked[1]
        assert list(found[1:-1]) == ranked[2:]


def test_every_passage_has_its_number_and_citation_and_a_fence_that_it_cannot_end() -> None:
    block = write_context(packed("```\n[7] acme@c0ffee:docs/lie.md#L1\n```", "two"), 2_000)
    assert "\n\n[1] acme@c0ffee:docs/1.md#L3-L5\n" in block.text
    assert fences(block.text)[0] == "3  ```\n4  [7] acme@c0ffee:docs/lie.md#L1\n5  ```\n"
    plain = write_context(packed("one", "two"), 2_000, line_numbers=False)
    assert fences(plain.text) == ["one\n", "two\n"]


def test_what_does_not_fit_is_left_out_and_what_is_behind_it_is_tried() -> None:
    long = "\n".join(["many words of a long passage"] * 40)
    block = write_context(packed("one", long, "three", "four"), 400)
    assert block.shown == (1, 4, 3)
    assert block.left_out == (2,)
    assert block.text.endswith("Left out for lack of space: 1 of 4 passages.")


def test_the_best_alone_is_cut_at_the_end_of_a_line_with_a_notice() -> None:
    lines = [f"line {n} of a passage that is much too long" for n in range(100)]
    block = write_context(packed("\n".join(lines), "\n".join(lines)), 500)
    assert block.shown == (1,)
    assert block.left_out == (2,)
    assert [one.code for one in block.notices] == ["context_cut"]
    (fence,) = fences(block.text)
    kept = [line.split("  ", 1)[1] for line in fence.removesuffix("\n").split("\n")]
    assert kept == lines[: len(kept)]
    assert f"Cut: the first {len(kept)} of 100 lines." in block.text


def test_a_passage_that_fits_alone_is_shown_without_what_stands_around_it() -> None:
    around = Context(1, 60, "\n".join(["around"] * 60), "acme@c0ffee:docs/keys.md#L1-L60")
    block = write_context(pack(result(context=around)), 330)
    assert [one.code for one in block.notices] == ["context_narrowed"]
    assert "rotate_key" in block.text
    assert "around\n" not in block.text


@pytest.mark.parametrize("budget", [0, -1, 10**9, "6000", 1.5, True, None])
def test_a_budget_that_is_none_is_refused(budget: Any) -> None:
    with pytest.raises(UsageError, match="budget is"):
        write_context(packed("one"), budget)


def test_a_budget_below_one_line_is_refused_with_what_it_takes() -> None:
    found = packed("one line of words\n" * 30)
    with pytest.raises(UsageError, match="is too small") as refused:
        write_context(found, 60)
    least = int(refused.value.hint.split()[-1].replace(",", ""))
    assert write_context(found, least).shown == (1,)


def test_an_order_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="order is 'worst'"):
        write_context(packed("one"), order="worst")  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [5, 0, "cl100k"])
def test_what_cannot_count_is_refused(count: Any) -> None:
    for found in (packed("one"), pack(level="none")):
        with pytest.raises(UsageError, match=r"^count is .*; it takes a function"):
            write_context(found, 1_000, count=count)


def test_where_nothing_is_relevant_it_says_so_and_marks_what_is_closest_as_such() -> None:
    nothing = pack(level="none", closest=(result(),))
    block = write_context(nothing, 1_000)
    assert block.shown == block.left_out == ()
    assert "Nothing relevant is indexed." in block.text
    assert "(closest 1) acme@c0ffee:docs/keys.md#L3-L5" in block.text
    small = write_context(nothing, words(block.text), count=words)
    assert small.tokens <= words(block.text)
    with pytest.raises(UsageError, match="the fixed lines need"):
        write_context(nothing, 5)


def test_what_an_answer_may_lack_is_said() -> None:
    gone = Notice("source_gone", "the files of acme are not available")
    block = write_context(packed("one", warnings=(gone,)), 1_000)
    assert "Note: the files of acme are not available" in block.text


def test_more_room_asks_for_more_results() -> None:
    assert [results_for(tokens) for tokens in (300, 6_000, 100_000)] == [12, 18, 50]


_TEXT = st.lists(
    st.sampled_from(
        ["key", "secret value", "", "```", "a🦊b", "x" * 80, "\u202e", "\x1b[2J", "鍵"]
    ),
    min_size=1,
    max_size=30,
).map("\n".join)


@st.composite
def _packs(draw: st.DrawFn) -> EvidencePack:
    texts = draw(st.lists(_TEXT, max_size=9))
    found = packed(*texts, level=draw(st.sampled_from(LEVELS)))
    items = []
    for item in found.evidence:
        if draw(st.booleans()):
            text = f"above\n\n{item.text}\nbelow"
            lines = (item.start_line - 2, item.end_line + 1)
            mark = Match(item.citation, item.chunk_id, item.start_line, item.end_line)
            around = Context(*lines, text, item.citation, (mark,) * draw(st.integers(0, 2)))
            item = type(item)(
                **{f: getattr(item, f) for f in item.__struct_fields__ if f != "context"},
                context=around,
            )
        items.append(item)
    return replace(found, evidence=tuple(items))


def check(block: ContextBlock, found: EvidencePack, budget: int, order: str) -> None:
    assert sorted((*block.shown, *block.left_out)) == [one.number for one in found.evidence]
    ranked = sorted(block.shown)
    assert block.shown == (u_shaped(ranked) if order == "u" else tuple(ranked))
    assert numbers(block.text) == block.shown
    if found.evidence:
        assert ranked[0] == 1
    said = [line for line in block.text.split("\n") if line.startswith("Left out")]
    many = f"Left out for lack of space: {len(block.left_out)} of {len(found)} passages."
    assert said == ([many] if block.left_out else [])
    cut = [one for one in block.notices if one.code == "context_cut"]
    assert bool(cut) is ("\nCut: the first" in block.text)


@settings(deadline=None)
@given(_packs(), st.integers(1, 1_500), st.sampled_from(["u", "rank"]), st.booleans())
def test_random_packs_keep_the_budget_and_the_order_and_lose_nothing_in_silence(
    found: EvidencePack, budget: int, order: Any, numbered: bool
) -> None:
    counters: Sequence[Any] = (None, words, lambda text: len(text.encode()))
    for count in counters:
        try:
            block = write_context(found, budget, order=order, line_numbers=numbered, count=count)
        except UsageError as error:
            budget = int(error.hint.split()[-1].replace(",", ""))
            block = write_context(found, budget, order=order, line_numbers=numbered, count=count)
        counted = count or estimate_tokens
        assert block.tokens == counted(block.text) <= budget
        check(block, found, budget, order)
        again = write_context(found, budget, order=order, line_numbers=numbered, count=count)
        assert again == block
