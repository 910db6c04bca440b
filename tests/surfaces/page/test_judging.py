"""Judgements in a golden set."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import UsageError
from pincite.evals.golden.questions import Expected, GoldenQuery, read_golden, write_golden
from pincite.support.fields import replace
from pincite.surfaces.page.judging import grades_of, judge
from pincite.surfaces.page.requests import Judge


def test_a_golden_set_of_somebody_keeps_what_it_has(tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    theirs = GoldenQuery("q1", "one?", (Expected("a.md", 1, 2, 3),), category="keys")
    write_golden(golden, [theirs, GoldenQuery("q2", "two?", off_topic=True)])
    judge(golden, Judge("one?", 1, "b.md", 4, 5))
    judge(golden, Judge("three?", 2, "notes.pdf#page=3"))
    first, second, third = read_golden(golden).queries
    assert first.category == "keys"
    assert [one.name for one in first.expected] == ["a.md#L1-L2", "b.md#L4-L5"]
    assert second.off_topic
    assert third.expected == (Expected("notes.pdf#page=3", grade=2),)


def test_a_question_without_an_answer_gets_none(tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    write_golden(golden, [GoldenQuery("q2", "two?", off_topic=True)])
    before = golden.read_bytes()
    with pytest.raises(UsageError, match="marks this question as unanswerable"):
        judge(golden, Judge("two?", 1, "b.md"))
    assert golden.read_bytes() == before


def test_a_file_that_is_no_golden_set_stays_as_it_is(tmp_path: Path) -> None:
    golden = tmp_path / "keys.py"
    golden.write_text("import os\n")
    with pytest.raises(UsageError, match="invalid JSON"):
        judge(golden, Judge("one?", 1, "b.md"))
    assert golden.read_text() == "import os\n"


def test_a_question_of_the_page_goes_with_its_last_judgement(tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    for grade in (3, None):
        judge(golden, Judge("one?", grade, "a.md", 1, 2))
    assert golden.read_bytes() == b""
    theirs = GoldenQuery("q1", "two?", (Expected("a.md", 1, 2),), category="keys")
    write_golden(golden, [theirs])
    judge(golden, Judge("one?", 1, "b.md", 1, 2))
    for text, path in (("one?", "b.md"), ("two?", "a.md"), ("three?", "c.md")):
        judge(golden, Judge(text, None, path, 1, 2))
    assert read_golden(golden).queries == (replace(theirs, expected=()),)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is not a file"):
        grades_of(tmp_path / "pipe", "one?")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["one?", "two?"]),
            st.sampled_from(["a.md", "b.md"]),
            st.integers(0, 2),
            st.sampled_from([None, 0, 1, 2, 3]),
        ),
        max_size=12,
    )
)
def test_the_last_judgement_of_each_result_holds(
    said: list[tuple[str, str, int, int | None]],
) -> None:
    with TemporaryDirectory() as folder:
        golden, wanted = Path(folder) / "golden.jsonl", dict[tuple[str, str, int], int]()
        for text, path, line, grade in said:
            judge(golden, Judge(text, grade, path, line, line))
            wanted.pop((text, path, line), None)
            if grade is not None:
                wanted[text, path, line] = grade
        kept = read_golden(golden).queries if wanted else ()
        assert wanted == {
            (query.query, one.path, one.start_line): one.grade
            for query in kept
            for one in query.expected
        }


def test_a_judgement_on_one_question_keeps_those_on_questions_without_an_answer(
    tmp_path: Path,
) -> None:
    golden = tmp_path / "golden.jsonl"
    nothing = GoldenQuery("q2", "two?", (Expected("a.md", 1, 2, 0),), off_topic=True)
    write_golden(golden, [GoldenQuery("q1", "one?", (Expected("a.md", 1, 2),)), nothing])
    judge(golden, Judge("one?", 1, "b.md", 4, 5))
    judge(golden, Judge("two?", 0, "c.md", 1, 1))
    kept = read_golden(golden).queries[1]
    assert [one.name for one in kept.expected] == ["a.md#L1-L2", "c.md#L1"]


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c"])
def test_texts_may_have_any_character(tmp_path: Path, end: str) -> None:
    golden = tmp_path / "golden.jsonl"
    judge(golden, Judge(f"one{end}two?", 1, f"a{end}b.md", 1, 2))
    assert grades_of(golden, f"one{end}two?") == {("", f"a{end}b.md#L1-L2"): 1}


@pytest.mark.parametrize(
    "wrong", [Judge(" ", 1, "b.md", 1, 2), Judge("one?", 1, "notes.pdf#page=3", 1, 2)]
)
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, wrong: Judge) -> None:
    golden = tmp_path / "golden.jsonl"
    judge(golden, Judge("one?", 1, "a.md", 1, 2))
    before = golden.read_bytes()
    with pytest.raises(UsageError):
        judge(golden, wrong)
    assert golden.read_bytes() == before
    assert list(tmp_path.iterdir()) == [golden]


def test_a_link_to_a_golden_set_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "golden.jsonl"
    link.symlink_to(tmp_path / "there" / "golden.jsonl")
    judge(link, Judge("one?", 1, "a.md", 1, 2))
    judge(link, Judge("one?", 2, "a.md", 1, 2))
    assert link.is_symlink()
    assert grades_of(tmp_path / "there" / "golden.jsonl", "one?") == {("", "a.md#L1-L2"): 2}
