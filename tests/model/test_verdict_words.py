from __future__ import annotations

from typing import get_args

from pincite.model import AbsentTerms, VerdictLevel
from pincite.model.verdict_words import LEVEL_ADVICE, LEVEL_WORDS, absent_words


def test_every_level_has_words_and_advice() -> None:
    for words in (LEVEL_WORDS, LEVEL_ADVICE):
        assert set(words) == set(get_args(VerdictLevel))
        assert len(set(words.values())) == len(words)


def test_no_word_for_people_claims_that_a_question_is_answered() -> None:
    assert LEVEL_WORDS["grounded"] == "on topic"
    assert not any("grounded" in text for text in LEVEL_WORDS.values())


def test_absent_terms_are_said_of_the_index_and_of_the_passages_apart() -> None:
    assert absent_words(AbsentTerms()) == ()
    assert absent_words(AbsentTerms(("cassandra", "rotateKey"), ("ruby",))) == (
        "Nothing that is indexed has: cassandra, rotateKey.",
        "None of these passages has: ruby.",
    )
