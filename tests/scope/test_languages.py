"""Languages in filters: usual names are understood, unknown ones are refused."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.model import Scope
from pincite.ports import AnyOf, Filter
from pincite.readers.languages import LANGUAGES
from pincite.scope.filter import check_scope_of, given_filter
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC
from tests.small_search import TEXTS, ask, make

PAGE = (Path(__file__).parents[2] / "docs/languages.md").read_text(encoding="utf-8")


def values_of(where: str) -> tuple[str, ...]:
    scope = Scope(where=where)
    (condition,) = given_filter(scope, check_scope_of([DENSE_SPEC], scope)).conditions
    assert isinstance(condition, AnyOf)
    return condition.values


@pytest.mark.parametrize(
    ("called", "meant"),
    [
        *(("c#", "c_sharp"), ("C#", "c_sharp"), ("csharp", "c_sharp"), ("cs", "c_sharp")),
        *(("c++", "cpp"), ("C++", "cpp"), ("CPP", "cpp"), ("golang", "go"), ("Go", "go")),
        *(("js", "javascript"), ("ts", "typescript"), ("py", "python"), ("Python", "python")),
        *(("sh", "bash"), ("shell", "bash"), ("rs", "rust"), ("md", "markdown")),
        *(("objective-c", "objective_c"), ("'Objective C'", "objective_c"), ("yml", "yaml")),
    ],
)
def test_a_language_has_its_usual_names(called: str, meant: str) -> None:
    assert meant in values_of(f"language = {called}")
    assert meant in values_of(f"language != {called}")
    assert meant in values_of(f"language in (rust, {called})")


def test_the_name_of_a_language_is_that_language_alone() -> None:
    for name in LANGUAGES:
        assert values_of(f"language = {name}") == (name,)


def test_a_choice_with_another_field_knows_them_too() -> None:
    scope = Scope(where="language = py or path ^= src/")
    given = given_filter(scope, check_scope_of([DENSE_SPEC], scope))
    assert AnyOf("language", ("py", "python")) in given.should
    assert given_filter(Scope(where="path = py"), ()) == Filter((AnyOf("path", ("py",)),))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            "kind = code and language = pyhton",
            "where: no language is named 'pyhton', at character 28 ('pyhton'); expected python",
        ),
        ("not language in (go, 'jvaa')", "no language is named 'jvaa', at character 22"),
        ("language = foo", "expected asciidoc, assembly, astro, awk"),
    ],
)
def test_an_unknown_language_is_refused(where: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        check_scope_of([DENSE_SPEC], Scope(where=where))
    with pytest.raises(UsageError, match="no language is named"):
        ask("rotate a key", asyncio.run(make(None, TEXTS)), scope=Scope(where=where))


def test_collections_of_other_programs_have_languages_of_any_name() -> None:
    theirs = replace(asyncio.run(make(None, TEXTS)), foreign=True)
    pack = ask("rotate a key", theirs, scope=Scope(where="language = klingon"))
    assert pack.evidence == ()


def test_the_page_names_every_language() -> None:
    section = PAGE.partition("## Names of languages")[2]
    named = section.partition("```text")[2].partition("```")[0].split()
    assert {name for name in named if name[-1] != ":"} == LANGUAGES
