"""A pack is a value that iterates, and that is the same as JSON and back."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pincite.errors import UsageError
from pincite.model import EvidencePack
from pincite.support.fields import replace
from pincite.surfaces.text.render import pack_from_json, to_json
from tests.small_search import TEXTS, TopicEncoder, ask, make

PACK = ask("How is a key rotated, at night, by month?", asyncio.run(make(TopicEncoder(), TEXTS)))
EMPTY = replace(PACK, evidence=())


def test_a_pack_iterates_over_its_evidence_best_first() -> None:
    assert len(PACK) == len(PACK.evidence) == 3
    assert tuple(PACK) == PACK.evidence
    assert [one.number for one in PACK] == [1, 2, 3]
    assert PACK[0].number == 1
    assert PACK[-1].number == 3
    assert PACK[:2] == PACK.evidence[:2]
    assert PACK.evidence[1] in PACK
    with pytest.raises(IndexError):
        _ = PACK[3]


def test_a_pack_without_evidence_is_an_answer_and_true() -> None:
    assert len(EMPTY) == 0
    assert list(EMPTY) == []
    assert EMPTY
    assert (EMPTY or PACK) is EMPTY


def test_as_a_dict_it_is_the_json_of_the_command_line() -> None:
    found = PACK.to_dict()
    assert found == json.loads(to_json(PACK)) == json.loads(PACK.to_json())
    assert found == json.loads(json.dumps(found))
    assert type(found["evidence"]) is list
    assert PACK.to_json() == to_json(PACK)
    assert "\n" not in PACK.to_json(indent=0)


def test_from_a_dict_it_is_the_same_again() -> None:
    assert EvidencePack.from_dict(PACK.to_dict()) == PACK
    assert EvidencePack.from_dict(PACK.to_dict() | {"new": 1}) == PACK
    assert pack_from_json(PACK.to_json().encode()) == PACK


def _nested(depth: int) -> Any:
    found: Any = {}
    for _ in range(depth):
        found = {"a": found}
    return found


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        [],
        "pack",
        "\ud800",
        None,
        3,
        PACK.to_dict() | {"evidence": "none"},
        PACK.to_dict() | {"verdict": _nested(100_000)},
    ],
    ids=range(8),
)
def test_what_is_no_pack_is_wrong_usage(wrong: Any) -> None:
    with pytest.raises(UsageError, match="invalid evidence pack"):
        EvidencePack.from_dict(wrong)


def test_an_indent_is_a_number_of_spaces_or_none() -> None:
    one_line = PACK.to_json(indent=0)
    assert "\n" not in one_line
    assert PACK.to_json(indent=None) == PACK.to_json(indent=-1) == one_line
    assert json.loads(PACK.to_json(4)) == json.loads(one_line)
    wrong: Any
    for wrong in ("", 1.5, [], True, 10**30):
        with pytest.raises(UsageError, match=r"^indent is .*; it takes a whole number"):
            PACK.to_json(indent=wrong)


def test_evidence_says_its_lines_and_what_searches_call_it() -> None:
    one = replace(PACK[0], start_line=3, end_line=9)
    assert one.lines == range(3, 10)
    assert (len(one.lines), 9 in one.lines) == (7, True)
    assert not replace(one, start_line=0, end_line=0).lines
    assert (one.kind, one.source) == (one.source_type, one.repo) == ("docs", "acme/docs")
