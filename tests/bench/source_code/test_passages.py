from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from bench.frame import SkippedError
from bench.source_code.passages import Answer, PassageFigures, judged, place_of, read_questions
from bench.source_code.passages_table import passages

from tests.answering.evidence import evidence

ANSWERS = (Answer("a.py", 10, 20), Answer("b.py", 1, 3))


def test_every_question_has_one_to_three_ranges() -> None:
    repositories = read_questions()
    assert len(repositories) == 6
    assert len({one.language for one in repositories}) == 6
    asked = [question for one in repositories for question in one.questions]
    assert len({question.question for question in asked}) == len(asked) == 143
    for question in asked:
        assert 1 <= len(question.answers) <= 3
        assert all(1 <= one.first <= one.last for one in question.answers)


@pytest.mark.parametrize(
    ("path", "start", "end", "right"),
    [
        ("a.py", 1, 11, True),  # two lines
        ("a.py", 1, 10, False),  # one of ten
        ("a.py", 20, 21, True),  # half of two
        ("a.py", 21, 30, False),
        ("c.py", 10, 20, False),
    ],
)
def test_a_passage_is_right_with_two_lines_or_half_of_its_own(
    path: str, start: int, end: int, right: bool
) -> None:
    found = evidence("x", path=path, start_line=start, end_line=end)
    values = judged([found], ANSWERS)
    assert values["first"] == float(right)
    assert values["mrr"] == float(right)
    assert values["wrong passage"] == float(path == "a.py" and not right)


def test_the_table_has_each_repository_and_all() -> None:
    figures = PassageFigures(
        {"first": {"x": [1.0, 0.0], "y": [1.0]}, "mrr": {"x": [1.0, 0.5], "y": [1.0]}}
    )
    rows = passages(msgspec.to_builtins(figures)).splitlines()
    assert [cell.strip() for cell in rows[-1].split("|")][1:-1] == ["all", "3", "0.667", "0.833"]
    assert len(rows) == 5


def test_a_missing_checkout_says_how_to_get_it(tmp_path: Path) -> None:
    (one, *_) = read_questions()
    with pytest.raises(SkippedError, match=f"git checkout {one.commit}"):
        place_of(one, tmp_path)
