"""File names of one word count more, the earlier this word is in the question."""

from __future__ import annotations

import pytest

from pincite.model import Question
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig
from pincite.stages.rank_code.names import name_parts
from pincite.stages.rank_code.words import Vocabulary

VOCABULARY = Vocabulary(informative_terms("english"))
NAMED = RankCodeConfig(asked=0.0, folder=0.0, placed=0.0)  # covered .5 and same .3 remain
OTHERS = ("other.py", "another_one.py")


def part(question: str, path: str) -> float:
    asked = VOCABULARY.asked(prepare(Question(question), PrepareConfig()))
    return name_parts(asked, (path, *OTHERS), VOCABULARY, NAMED)[path]


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("session tokens that expire", 1.0),
        ("how session tokens expire", 1.0),  # function words have no place
        ("expire session tokens", 2 / 3),
        ("tokens expire for the session", 1 / 3),
        ("session", 1.0),
    ],
)
def test_a_name_of_one_word_counts_by_its_place(question: str, share: float) -> None:
    assert part(question, "session.py") == pytest.approx(0.8 * share)


def test_the_first_word_that_is_most_like_the_name_has_the_place() -> None:
    begun = part("arguments parsed into args", "args.py")  # "arguments" is less like it
    assert begun == pytest.approx(0.8 / 3)
    assert part("sessions of a session store", "session.py") == pytest.approx(0.8)


def test_names_of_several_words_and_questions_that_are_names_count_whole() -> None:
    assert part("expire a session token", "session_token.py") == pytest.approx(0.5)
    assert part("Store.session", "session.py") == pytest.approx(0.8)
    assert part("who sorts the keys in src/session.py", "session.py") == pytest.approx(0.5)
    assert part("nothing of it", "session.py") == 0.0


@pytest.mark.parametrize(
    "name",
    [
        *("session.py", "session.test.js", "session.module.ts", "src/session.py:12"),
        *("session/__init__.py", "session/index.ts", "session/store.py", "web/session.get"),
    ],
)
def test_a_name_with_what_follows_it_counts_whole(name: str) -> None:
    assert part(f"who sorts the keys in {name}", "session.py") == pytest.approx(0.5)
