"""What tells that a question is on topic, whatever its words."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.model import Candidate, Query, Question
from pincite.providers.sparse.analyser import informative_terms
from pincite.search_steps.on_topic import on_topic
from pincite.stages.cover import only_word
from pincite.stages.gate import OnTopic
from pincite.stages.placed import Placed, find_placed
from pincite.stages.prepare import PrepareConfig, prepare
from tests.builders import candidate

TERMS = informative_terms("english")


def asked(question: str) -> Query:
    return prepare(Question(question), PrepareConfig())


def told(question: str, *candidates: Candidate, best: int = 5) -> list[OnTopic]:
    query = asked(question)
    placed = find_placed(query.asked.frames, (), candidates)
    return list(on_topic(query, candidates, placed, TERMS, best))


def test_a_name_that_is_defined_is_never_off_topic() -> None:
    plug = candidate("a", path="plug/conn.ex", symbols=("Plug.Conn",))
    weak = OnTopic("weak", "Plug.Conn is defined in plug/conn.ex.")
    assert weak in told("Other.Conn", candidate("b"), plug)
    assert weak in told("`Conn`", candidate("b"), plug)
    assert told("which port is used", candidate("b"), plug) == []
    other = candidate("a", path="plug/conn.ex", symbols=("Plug.Other",))
    assert told("Plug.Conn", candidate("b"), other) == []


def test_a_passage_with_the_only_word_of_the_question_tells_so() -> None:
    known, other = candidate("a", text="A greenhouse is heated."), candidate("b", text="It snows.")
    assert told(" Greenhouse? ", other, known) == [OnTopic("weak", "docs/a.md has the word.")]
    assert told("Greenhouse", other, known, best=1) == []
    for question in ("what is a greenhouse", "igloo", "it", ""):
        assert only_word(question, [other, known], TERMS) is None
    for name in ("KB-4711", "user_id", "\u691c\u7d22"):  # one word of several terms
        holder = candidate("c", text=f"See {name} below.")
        assert only_word(name, [other, holder], TERMS) == "docs/c.md"


def test_a_plain_name_whose_heirs_are_asked_for_is_sought() -> None:
    base = candidate("a", path="match.rs", symbols=("Matcher",))
    defined = OnTopic("weak", "Matcher is defined in match.rs.")
    assert told("subclasses of Matcher", candidate("b"), base) == [defined]
    assert told("what is a Matcher for?", candidate("b"), base) == []


FRAME = 'File "/usr/lib/python3/site-packages/airflow/timetables/simple.py", line 12, in <module>'


@pytest.mark.parametrize(
    ("question", "path", "found"),
    [
        (FRAME, "airflow/timetables/simple.py", True),
        (FRAME, "timetables/simple.py", True),
        (FRAME.replace("/", "\\"), "timetables/simple.py", True),
        (FRAME, "simple.py", False),  # many folders have one of this name
        (FRAME, "tables/simple.py", False),
        (FRAME, "airflow/timetables/base.py", False),
    ],
)
def test_a_question_that_names_the_file_of_a_candidate_is_not_off_topic(
    question: str, path: str, found: bool
) -> None:
    one = candidate("a", path=path)  # lines 1 and 2
    expected = [OnTopic("weak", f"the question names {path}.")] if found else []
    assert told(question, candidate("b"), one) == expected


METHOD: dict[str, Any] = {
    "path": "app/http.py",
    "headings": ("Client", "close ()"),
    "symbols": ("close",),
}
PLAIN: dict[str, Any] = {
    "path": "app/http.py",
    "headings": ("Client", "close"),
    "symbols": ("close",),
}
DOTTED: dict[str, Any] = {
    "path": "acme.v2/thing.min.py",
    "headings": ("Thing", "close"),
    "symbols": ("close",),
}
MEMBERS: dict[str, Any] = {
    "path": "app/http.py",
    "symbols": ("finish", "Client", "close", "Pool.drain"),
}


@pytest.mark.parametrize(
    ("name", "where", "is_it"),
    [
        ("Client.close", METHOD, True),
        ("app.http.Client.close", METHOD, True),
        ("Client::close", MEMBERS, True),
        ("Pool.drain", MEMBERS, True),
        ("Server.close", METHOD, False),
        ("client.close", METHOD, False),
        ("Client.finish", MEMBERS, False),  # it stands before the class
        ("Client.open", METHOD, False),
        ("http.app.Client.close", METHOD, False),  # another order
        ("app.http.py.Client.close", METHOD, False),
        ("close.close", METHOD, False),
        ("Client.close", PLAIN, True),
        ("close.close", PLAIN, False),  # its own heading is no owner
        ("acme.v2.thing.Thing.close", DOTTED, True),
        ("v2.min.Thing.close", DOTTED, True),
        ("acme.thing.v2.close", DOTTED, False),
    ],
)
def test_a_question_that_is_only_a_name_is_grounded_if_the_first_passage_defines_it(
    name: str, where: dict[str, Any], is_it: bool
) -> None:
    one = candidate("a", text="", **where)
    reason = f"{where['path']} defines {name}, the name that was asked for."
    assert (OnTopic("grounded", reason) in told(name, one)) == is_it
    assert not any(said.level == "grounded" for said in told(name, candidate("b"), one))
    assert not any(said.level == "grounded" for said in told(f"how does {name} end", one))


def test_without_candidates_nothing_is_on_topic() -> None:
    assert not list(on_topic(asked("src/a.py:3"), (), Placed(), TERMS, 5))


def test_a_plain_name_with_an_owner_is_not_sought_alone() -> None:
    other = candidate("a", path="cache.py", symbols=("get",))
    assert told("callers of get in Store", candidate("b"), other) == []
    assert told("callers of get", candidate("b"), other) != []


def test_only_the_best_passages_tell_that_they_have_the_relation() -> None:
    user = candidate("a", path="app.py", signal="relation")
    expected = [OnTopic("weak", "app.py uses load_users.")]
    assert told("who uses load_users", candidate("b"), user) == expected
    assert told("who uses load_users", candidate("b"), user, best=1) == []
