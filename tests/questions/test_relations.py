"""Questions for what stands in a relation to a name."""

from __future__ import annotations

import time

import pytest

from pincite.questions.relations import relation_of
from tests.time_limits import GROWS_S


def no_terms(_: str) -> frozenset[str]:
    return frozenset()


FORMS = {
    "called": [
        *("who calls load_users", "what calls `load_users`?", "callers of load_users()"),
        *("which functions call the method load_users", "what are the callers of load_users?"),
        *(
            "where is load_users called from?",
            "where do we call load_users",
            "usages of load_users()",
        ),
        *("find all calls to load_users", "does anything call load_users?", "load_users callers"),
        *(
            "functions that call load_users",
            "usages of load_users()",
            "where does load_users get called in the code",
        ),
    ],
    "used": [
        *("where is load_users used?", "find all usages of load_users", "what uses load_users"),
        *(
            'references to "load_users"',
            "is load_users used anywhere?",
            "show me uses of load_users",
        ),
        *(
            "which modules depend on load_users",
            "files that use load_users",
            "who is using load_users",
        ),
    ],
    "imported": [
        *(
            "where is load_users imported?",
            "which file imports load_users",
            "who imports load_users",
        ),
        *("importers of load_users", "where do we use the library load_users"),
    ],
    "read": [
        *("where is load_users read?", "where is the environment variable load_users used"),
        *("where is the setting load_users read in the code?", "what reads load_users"),
    ],
    "heirs": [
        *("subclasses of load_users", "what are the direct subclasses of load_users?"),
        *("which classes extend load_users", "what implements the load_users interface"),
        *("classes that inherit from load_users", "find all implementations of load_users"),
        *("types implementing `load_users`", "where is load_users subclassed?"),
    ],
    "overrides": [
        *("where is Base.load_users overridden?", "which classes override Base#load_users"),
        *("overrides of load_users in subclasses of Base", "what overrides Base::load_users"),
        *("implementations of load_users in subclasses of Base", "overrides of Base.load_users"),
        *("which subclasses of Base override load_users",),
    ],
}
ALL = [(kind, question) for kind, questions in FORMS.items() for question in questions]


@pytest.mark.parametrize(("kind", "question"), ALL)
def test_a_question_of_such_a_form_names_its_relation(kind: str, question: str) -> None:
    found = relation_of(question)
    assert found is not None
    assert (found.kind, found.name, found.certain) == (kind, "load_users", True)
    assert found.owner == ("Base" if kind == "overrides" else "")
    assert not found.tests


@pytest.mark.parametrize(
    "question",
    [
        *(
            "load_users",
            "where is load_users defined?",
            "how is load_users used",
            "import load_users",
        ),
        *("what is used by load_users", "implementation of load_users", "usage of load_users"),
        *(
            "what uses the most memory",
            "what calls load_users and save_users",
            "where is it called",
        ),
        *("where is the password read from the environment", "tests of load_users", ""),
        *("which process calls the kernel when it starts", "how are subclasses of Base registered"),
        "callers of load_users" + " please" * 40,
    ],
)
def test_another_question_has_none(question: str) -> None:
    assert relation_of(question) is None


def test_a_path_gives_the_owner_and_tests_are_asked_for() -> None:
    found = relation_of("which tests call store.Cache#get?")
    assert found is not None
    assert (found.name, found.owner, found.written, found.tests) == (
        *("get", "Cache", "store.Cache#get"),
        True,
    )
    in_tests = relation_of("usages of Cache in the tests")
    assert in_tests is not None
    assert (in_tests.tests, in_tests.owner) == (True, "")


def test_a_plain_word_is_not_certain_unless_it_is_in_quotes() -> None:
    plain, quoted = relation_of("what uses memory"), relation_of("what uses `memory`")
    assert plain is not None
    assert quoted is not None
    assert (plain.certain, quoted.certain) == (False, True)


@pytest.mark.parametrize("part", ["the ", "a.", "which classes ", "`", "is ", "->", "calls ", "[("])
def test_long_and_odd_questions_take_no_time(part: str) -> None:
    begun = time.process_time()
    for question in (part * 40_000, f"who calls {part * 30}", f"subclasses of {part * 30} x"):
        relation_of(question)
    assert time.process_time() - begun < GROWS_S
