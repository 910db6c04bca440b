"""The share of the question's terms that the best passage of a file has."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.model import Candidate, Query, Question, Signal
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.known import asked_terms
from pincite.support.term_share import term_share
from tests.builders import chunk

CODE = frozenset(("main",))
#: All other parts of the score of a file.
OFF: dict[str, Any] = {
    **dict.fromkeys(("coherence", "covered", "asked", "folder", "same", "placed"), 0.0),
    **dict.fromkeys(("defines", "mentions", "overlap", "words_again"), 0.0),
    **dict.fromkeys(("tests", "prose", "minor", "dominant"), 1.0),
}
QUESTION = "how is the sticky session kept"
RARITY = {"main": {"sticky": 4.0, "session": 1.0, "kept": 1.0}}


def terms(text: str) -> frozenset[str]:
    """All words but three that say nothing."""
    return frozenset(text.lower().split()) - {"the", "is", "how"}


def asked(question: str) -> Query:
    return prepare(Question(question), PrepareConfig())


def one(name: str, score: float, path: str, **values: Any) -> Candidate:
    found = chunk(name, id=name, path=path, source_type="code", **values)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def found() -> list[Candidate]:
    """Two files of two definitions: `session.py` has the better score, `policy.py` the rare
    word."""
    return [
        one("a", 1.0, "session.py", text="session kept", symbols=("A",)),
        one("b", 0.5, "session.py", text="tickets", symbols=("B",)),
        one("c", 0.9, "policy.py", text="sticky session", symbols=("C",)),
        one("d", 0.5, "policy.py", text="weights", symbols=("D",)),
    ]


def test_a_file_whose_best_passage_has_the_rare_words_goes_ahead() -> None:
    # Four definitions gather in two files: all of it counts. By rarity, the best passage of
    # session.py has 2 of 6, that of policy.py 5 of 6: 1 + .5 / 3 = 1.17, .9 + .5 * 5 / 6 = 1.32.
    config = RankCodeConfig(terms=0.5, defined_first=0, **OFF)
    ranked = rank_code(asked(QUESTION), found(), terms, config, CODE, rarity=RARITY)
    assert ranked[0].chunk.id == "c"
    parts = {each.chunk.id: each.signal("terms") for each in ranked}
    values = {name: part.value for name, part in parts.items() if part is not None}
    assert values == pytest.approx({"a": 2 / 6, "b": 2 / 6, "c": 5 / 6, "d": 5 / 6})
    without = RankCodeConfig(terms=0.0, defined_first=0, **OFF)
    ranked = rank_code(asked(QUESTION), found(), terms, without, CODE, rarity=RARITY)
    assert ranked[0].chunk.id == "a"


def test_without_counts_each_term_weighs_the_same() -> None:
    config = RankCodeConfig(terms=0.5, defined_first=0, **OFF)
    ranked = rank_code(asked(QUESTION), found(), terms, config, CODE)
    values = [part.value for each in ranked if (part := each.signal("terms")) is not None]
    assert values == pytest.approx([2 / 3] * 4)
    assert ranked[0].chunk.id == "a"


def test_files_of_one_definition_are_ranked_without_it() -> None:
    apart = [each for each in found() if each.chunk.id in ("a", "c")]
    config = RankCodeConfig(terms=0.5, defined_first=0, **OFF)
    ranked = rank_code(asked(QUESTION), apart, terms, config, CODE, rarity=RARITY)
    assert [each.chunk.id for each in ranked] == ["a", "c"]
    assert all(part.value == 0 for each in ranked if (part := each.signal("terms")) is not None)


def test_the_name_of_the_only_source_is_no_term() -> None:
    assert asked_terms("how is the sticky caddy", terms, {"caddy"}) == {"sticky"}
    assert asked_terms("caddy", terms, {"caddy"}) == {"caddy"}
    assert asked_terms("sticky caddy", terms, {"caddy", "other"}) == {"sticky", "caddy"}


def test_a_share_is_by_weight_and_none_of_nothing() -> None:
    assert term_share({"a", "b"}, {"b", "c"}, {"b": 3.0}) == 0.75
    assert term_share({"a", "b"}, {"b"}, {}) == 0.5
    assert term_share(set(), {"b"}, {}) == 0.0


def test_the_sixteen_best_files_by_the_other_parts_are_compared_with_the_terms() -> None:
    text = {"text": "sticky session kept"}
    candidates = [
        one(f"{name}{n:02}", (1 - n / 100) * worth, f"{n:02}.py", symbols=(f"{name}{n}",), **text)
        for n in range(20)
        for name, worth in (("first", 1.0), ("second", 0.5))
    ]
    config = RankCodeConfig(terms=0.5, defined_first=0, **OFF)
    ranked = rank_code(asked(QUESTION), candidates, terms, config, CODE, rarity=RARITY)
    known = {each.chunk.path: each.signal("terms") for each in ranked}
    values = [part.value for _, part in sorted(known.items()) if part is not None]
    assert values == [1.0] * 16 + [0.0] * 4
