"""The body of a function of C precedes its declarations, and a constructor its class."""

from __future__ import annotations

import time

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.declared import only_declares
from tests.builders import chunk

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")


def passage(
    name: str,
    score: float,
    text: str,
    *symbols: str,
    path: str = "shop.cc",
    within: tuple[str, ...] = (),
    language: str = "cpp",
    start: int = 0,
    named_values: int = 0,
) -> Candidate:
    found = chunk(
        name,
        id=name,
        text=text,
        path=path,
        source_type="code",
        language=language,
        symbols=symbols,
        headings=within,
        start=start,
        named_values=named_values,
    )
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def order(question: str, *found: Candidate) -> list[str]:
    query = prepare(Question(question), PrepareConfig())
    return [one.chunk.id for one in rank_code(query, found, ENGLISH, RankCodeConfig(), CODE)]


@pytest.mark.parametrize("language", ["c", "cpp", "objective_c"])
def test_a_body_precedes_the_header_that_declares_it(language: str) -> None:
    header = passage(
        "header", 1.0, "int shop_open(int a);\n", "shop_open", path="shop.h", language=language
    )
    body = passage("body", 0.3, "int shop_open(int a) {\n", "shop_open", language=language)
    assert order("shop_open", header, body)[0] == "body"


@pytest.mark.parametrize("question", ["FinishErase", "Cache::FinishErase", "Cache.FinishErase"])
def test_a_body_precedes_the_list_of_members_in_its_file(question: str) -> None:
    text = "class Cache {\n  bool FinishErase(Handle* e) const;\n"
    members = passage("members", 1.0, text, "Cache", "FinishErase", within=("Cache",), start=5)
    text = "bool Cache::FinishErase(Handle* e) const {\n"
    body = passage("body", 0.3, text, "FinishErase", within=("Cache", "FinishErase"), start=90)
    assert order(question, members, body)[0] == "body"


@pytest.mark.parametrize(
    ("text", "name", "declares"),
    [
        ("int run(int (*f)(int), char c);", "run", True),
        ("int run(int a)\n    REQUIRES(m);\nint run();", "run", True),
        ("int run(int a);\nint run() { return 1; }", "run", False),
        ("Shop::Shop(int a) : a_(a) {}", "Shop", False),
        ("#define run(x) walk(x);", "run", False),
        ("class EXPORT Shop {\n  Shop();\n};", "Shop", False),
        ("struct shop *open(struct shop *s);", "open", True),
        ("struct shop *open(struct shop *s);", "shop", False),
        ("~Shop();", "Shop", False),
        ("int run;", "run", False),
        ("shop->run(1);", "run", False),
        ("int run(", "run", False),
        ("void (*run)(int);", "run", False),
    ],
)
def test_a_declaration_has_no_body(text: str, name: str, declares: bool) -> None:
    assert only_declares(passage("one", 1.0, text, name).chunk, {name}) is declares


def test_other_languages_have_no_declarations() -> None:
    found = passage("one", 1.0, "run(a);", "run", language="javascript")
    assert not only_declares(found.chunk, {"run"})


def test_a_definition_precedes_a_field_of_its_name_in_its_class() -> None:
    field = passage(
        "field",
        1.0,
        "int end;",
        "end",
        path="a.rs",
        within=("Match",),
        language="rust",
        named_values=1,
    )
    method = passage(
        "method", 0.3, "fn end() {", "end", path="a.rs", within=("Match",), language="rust", start=9
    )
    assert order("Match::end", field, method)[0] == "method"


@pytest.mark.parametrize("language", ["cpp", "c_sharp", "java"])
def test_a_constructor_precedes_the_class_if_it_is_asked_for(language: str) -> None:
    text = "public partial class Shop\n{\n"
    part = passage("part", 1.0, text, "Shop", within=("Shop",), path="Shop.Part", language=language)
    text = "  Shop(int a)\n  {\n"
    own = passage("own", 0.3, text, "Shop", within=("Shop", "Shop"), path="Shop", language=language)
    assert order("Shop::Shop", part, own)[0] == "own"


def test_a_class_that_declares_its_constructor_is_no_constructor() -> None:
    text = "class Shop {\n  Shop();\n  ~Shop();\n"
    type_ = passage("type", 1.0, text, "Shop", within=("Shop",), path="shop.h")
    text = "Shop::Shop() {\n"
    own = passage("own", 0.3, text, "Shop", within=("Shop", "Shop"))
    assert order("Shop::Shop", type_, own)[0] == "own"
    assert order("Shop", own, type_)[0] == "type"
    packed = passage("packed", 0.2, "namespace shop {\nShop::Shop() {\n", "shop", "Shop")
    assert order("Shop::Shop", type_, packed)[0] == "packed"


@pytest.mark.parametrize("question", ["Shop::~Shop", "~Shop", "Shop::~Shop()"])
def test_a_destructor_is_a_name(question: str) -> None:
    text = "Shop::Shop() {\n"
    constructor = passage("constructor", 1.0, text, "Shop", within=("Shop", "Shop"))
    text = "Shop::~Shop() {\n"
    destructor = passage("destructor", 0.3, text, "~Shop", within=("Shop", "~Shop"), start=90)
    assert order(question, constructor, destructor)[0] == "destructor"


@pytest.mark.parametrize(
    "part", ["run(", "run (run", "run();", "struct A ", "(", "run\t\t", ")run("]
)
def test_hostile_text_takes_linear_time(part: str) -> None:
    def seconds(size: int) -> float:
        found = passage("one", 1.0, part * (size // len(part)), "run").chunk
        begun_s = time.thread_time()
        only_declares(found, {"run"})
        return time.thread_time() - begun_s

    seconds(100)
    assert seconds(400_000) < 40 * max(seconds(40_000), 0.002)
