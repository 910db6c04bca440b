"""A name with its path, such as `Route.matches`, means the definition at this path."""

from __future__ import annotations

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.support.fields import replace
from pincite.support.names import code_names, owner_of, undeclared
from tests.builders import chunk

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")


def one(
    name: str, score: float, *symbols: str, path: str = "routing.py", within: str = ""
) -> Candidate:
    headings = (within, *symbols[:1]) if within else ()
    found = chunk(name, id=name, path=path, source_type="code", symbols=symbols, headings=headings)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def first(question: str, *found: Candidate) -> str:
    query = prepare(Question(question), PrepareConfig())
    return rank_code(query, found, ENGLISH, RankCodeConfig(), CODE)[0].chunk.id


def part(question: str, name: str, *found: Candidate) -> float:
    query = prepare(Question(question), PrepareConfig())
    ranked = rank_code(query, found, ENGLISH, RankCodeConfig(), CODE)
    return next(
        signal.value
        for each in ranked
        if each.chunk.id == name
        for signal in each.signals
        if signal.name == "definition"
    )


ROUTE = one("route", 0.9, "matches", within="Route")
MOUNT = one("mount", 1.0, "routes", "matches", within="Mount")
HOST = one("host", 0.95, "matches", within="Host", path="host.py")


@pytest.mark.parametrize(
    "question",
    [
        *("Route.matches", "Route.matches()", "Route::matches", "Route#matches", "route.matches"),
        *("where is Route.matches defined?", "starlette.routing.Route.matches"),
    ],
)
def test_the_definition_in_this_class_comes_first(question: str) -> None:
    assert first(question, MOUNT, ROUTE, HOST) == "route"


def test_a_class_that_is_not_there_changes_nothing() -> None:
    assert first("Router.matches", MOUNT, ROUTE, HOST) == first("matches", MOUNT, ROUTE, HOST)


def test_generic_parameters_and_longer_paths_of_a_heading_do_not_matter() -> None:
    ring = one("ring", 0.9, "push", within="geo::FixedRing<T, N>")
    other = one("other", 1.0, "push", within="Stack")
    assert first("FixedRing::push", other, ring) == "ring"


def test_the_path_of_a_name_may_be_its_own_symbol_or_its_file() -> None:
    elsewhere = one("elsewhere", 1.0, "Conn", path="lib/socket.ex")
    assert first("Plug.Conn", elsewhere, one("own", 0.8, "Plug.Conn", path="lib/a.ex")) == "own"
    in_file = one("in file", 0.8, "Conn", path="lib/plug.ex")
    assert first("Plug.Conn", elsewhere, in_file) == "in file"


def test_a_file_or_a_neighbour_of_this_name_takes_nothing_from_other_definitions() -> None:
    of_class = one("class", 1.0, "get", within="FastAPI", path="applications.py")
    in_file = one("file", 0.3, "get", path="app.py")
    beside = one("beside", 0.3, "app", "get", path="other.py")
    question = "how does app.get add a path operation?"
    alone = part(question, "class", of_class)
    assert part(question, "class", of_class, in_file) >= alone / 2
    assert part(question, "class", of_class, beside) >= alone / 2
    assert part(question, "file", of_class, in_file) > part(question, "class", of_class, in_file)


def test_other_names_of_the_question_count_as_before() -> None:
    question = "does Route.matches call get_route_path?"
    helper = one("helper", 0.2, "get_route_path", path="utils.py")
    assert part(question, "helper", MOUNT, ROUTE, HOST, helper) > 0.3
    assert part(question, "route", MOUNT, ROUTE, HOST, helper) > part(
        question, "host", MOUNT, ROUTE, HOST, helper
    )


def test_a_name_in_another_case_counts_half() -> None:
    exact = part("Route.matches", "route", ROUTE, HOST)
    other = part("Route.MATCHES", "route", ROUTE, HOST)
    assert exact - other == pytest.approx(3 * RankCodeConfig().defines / 2, abs=0.11)


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("http.Response.send", ("Response", "send")),
        ("A::b", ("A", "b")),
        ("a->b", ("a", "b")),
        ("Route#matches", ("Route", "matches")),
        ("send", None),
        ("", None),
    ],
)
def test_the_owner_is_the_part_before_the_last(name: str, owner: tuple[str, str] | None) -> None:
    assert owner_of(name) == owner


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(("def echo", "echo"), ("async def fetch", "fetch"), ("pub fn parse", "parse")),
        *(("func Serve", "Serve"), ("class TestClient", "TestClient"), ("fun load", "load")),
        *(("struct http_parser", "http_parser"), ("def echo(text, nl=True):", "echo")),
        *(("func Serve(w http.ResponseWriter) error {", "Serve"), ("def echo(f=g(1)", "echo")),
        *(("fun load(id: Int): User", "load"), ("async def f() -> None:", "f")),
    ],
)
def test_a_copied_declaration_is_the_name_that_it_declares(text: str, name: str) -> None:
    assert undeclared(text) == name
    assert name in prepare(Question(text), PrepareConfig()).sought


@pytest.mark.parametrize(
    "text",
    [
        *("type checking", "function arguments", "class diagram", "interface design", "def"),
        "def send(self, request) does not call close_pool after a timeout",
        *("func Serve(w http.ResponseWriter) in server.go", "fun fact(s) about our company"),
        "async def read(path) blocks the event loop, why?",
        *("fun facts about it", "module loading", "define echo", "how to def echo", "fnord x"),
    ],
)
def test_a_phrase_is_no_declaration(text: str) -> None:
    assert undeclared(text) == text


def test_a_copied_declaration_finds_its_definition_first() -> None:
    uses = one("uses", 1.0, "_pause_echo", path="testing.py")
    defines = one("defines", 0.7, "echo", path="utils.py")
    assert code_names("def echo") == ("echo",)
    assert first("def echo", uses, defines) == "defines"


def test_the_definition_of_a_name_with_hyphens_comes_before_those_of_its_words() -> None:
    path = one("path", 1.0, "path", path="path.clj")
    match = one("match", 0.9, "match", "by", path="match.clj")
    defines = one("defines", 0.2, "match-by-path", path="core.clj")
    assert first("match-by-path", path, match, defines) == "defines"
    assert first("where is match-by-path defined?", path, match, defines) == "defines"


def guide(name: str, score: float) -> Candidate:
    found = chunk(name, id=name, path=f"{name}.md", source_type="docs")
    return Candidate("docs", found, (Signal("fused", "normalised", score),))


def order(question: str, *found: Candidate, defined_first: int = 3) -> list[str]:
    query = prepare(Question(question), PrepareConfig())
    ranked, without = (
        rank_code(query, found, ENGLISH, RankCodeConfig(defined_first=most))
        for most in (defined_first, 0)
    )
    values = [sorted(each.rank_signal.value for each in these) for these in (ranked, without)]
    assert values[0] == values[1]  # they exchange their scores
    return [each.chunk.id for each in ranked]


PAGES = [guide(f"page{n}", 1.0 - n / 100) for n in range(8)]
BASKET = one("basket", 0.3, "Basket", path="shop.py")
TOTAL = one("total", 0.2, "total", within="Basket", path="shop.py")
USE = one("use", 0.6, "checkout", path="checkout.py")


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        *(("Basket", "basket"), ("Basket.total", "total")),
        *(("where is Basket.total defined?", "total"), ("def total(self):", "total")),
        ("Where is the class `CheckoutPage` implemented?", "page0"),
    ],
)
def test_a_definition_comes_before_the_pages_that_mention_it(question: str, meant: str) -> None:
    found = order(question, *PAGES, BASKET, TOTAL, USE)
    assert found[0] == meant
    pages = [name for name in found if name.startswith("page")]
    assert pages == sorted(pages)


def test_one_definition_of_a_plain_word_comes_before_the_pages_and_none_in_code_alone() -> None:
    total = one("total", 0.2, "total", path="sums.py")
    other = one("other", 0.15, "total", path="invoice.py")
    assert order("total", *PAGES, total, other)[:2] == ["total", "page0"]
    before = one("before", 1.0, "sum_of", path="total.py")
    assert order("total", before, other, total)[0] == "before"


@pytest.mark.parametrize(
    "found",
    [
        one("method", 0.2, "total", within="Basket", path="shop.py"),
        one("tested", 0.2, "total", path="tests/test_sums.py"),
        one("example", 0.2, "total", path="examples/sums.py"),
    ],
)
def test_a_plain_word_is_a_topic_before_it_is_the_name_of_a_detail(found: Candidate) -> None:
    assert order("total", *PAGES, found)[0] == "page0"


def test_a_capitalised_topic_is_not_asked_for_a_fixture_of_this_name() -> None:
    fixture = one("fixture", 0.2, "Caching", path="tests/test_views.py")
    assert order("Caching", *PAGES, fixture)[0] == "page0"
    assert order("Caching", *PAGES, one("own", 0.2, "Caching", path="caching.py"))[0] == "own"


def test_of_a_name_that_many_files_define_some_come_first() -> None:
    many = [one(f"m{n}", 0.5 - n / 100, "Basket", path=f"m{n}.py") for n in range(5)]
    assert order("Basket", *PAGES, *many)[3] == "page0"
    assert order("Basket", *PAGES, *many, defined_first=1)[1] == "page0"
    assert order("Basket", *PAGES, *many, defined_first=0)[0] == "page0"


@pytest.mark.parametrize("question", ["how does Basket work", "basket totals", "Shelf"])
def test_other_questions_keep_their_order(question: str) -> None:
    found = [*PAGES, BASKET, TOTAL, USE]
    assert order(question, *found) == order(question, *found, defined_first=0)


def valued(found: Candidate) -> Candidate:
    """The same passage, whose symbols name values."""
    named = replace(found.chunk, named_values=len(found.chunk.symbols))
    return replace(found, chunk=named)


@pytest.mark.parametrize(
    "question", ["MAX_AGE", "Basket.MAX_AGE", "where is max_age defined?", "MAX_AGE?"]
)
def test_a_value_is_meant_by_its_name(question: str) -> None:
    limit = valued(one("limit", 0.2, "MAX_AGE", within="Basket", path="shop.py"))
    name = question.replace("max_age", "MAX_AGE")
    assert order(name, *PAGES, limit, USE)[0] == "limit"


def test_words_of_prose_do_not_name_the_fields_of_a_type() -> None:
    question = "how is the total of a basket paid"
    fields = one("fields", 0.5, "total", "paid", within="Row", path="row.py")
    assert part(question, "fields", fields, USE) > 0
    assert part(question, "fields", valued(fields), USE) == 0


def test_a_field_makes_no_definition_of_the_same_name_common() -> None:
    fields = [valued(one(f"f{n}", 0.4, "total", path=f"f{n}.py")) for n in range(9)]
    defined = one("total", 0.3, "total", path="sums.py")
    assert part("total", "total", defined, *fields) == part("total", "total", defined)


def test_a_declaration_prefers_the_passage_that_contains_it() -> None:
    field = valued(one("prompt: str", 0.9, "prompt", path="option.py"))
    function = one("def prompt(text): ...", 0.2, "prompt", path="terminal.py")
    assert order("def prompt", field, function)[0] == function.chunk.id


def test_where_a_plain_word_is_defined_is_a_topic_beside_pages_and_a_definition_in_code() -> None:
    question = "where is the total defined?"
    tested = one("tested", 0.9, "total", path="tests/test_sums.py")
    field = valued(one("field", 0.8, "total", within="Basket", path="shop.py"))
    defined = one("defined", 0.2, "total", path="sums.py")
    assert order(question, *PAGES, tested, field)[0] == "page0"
    assert order(question, *PAGES, tested, field, defined)[:2] == ["defined", "page0"]
    assert order(question, tested, field, defined)[0] == "defined"
    assert order(question, USE, field)[0] == "field"


def test_a_field_in_a_passage_of_several_types_is_not_on_the_top_level() -> None:
    packed = one("packed", 0.3, "Basket", "total", path="shop.py")
    packed = replace(packed, chunk=replace(packed.chunk, named_values=1))
    assert order("total", *PAGES, packed)[0] == "page0"
    assert order("total", *PAGES, valued(one("own", 0.2, "total", path="sums.py")))[0] == "own"


@pytest.mark.parametrize(
    "question", ["print.basket", "`print.basket`", "where is print.basket defined?"]
)
def test_the_whole_name_comes_before_its_end_elsewhere(question: str) -> None:
    end = one("end", 0.9, "format.basket", "basket", path="print.R")
    whole = one("whole", 0.2, "print.basket", "basket", path="shop.R")
    assert order(question, *PAGES, end, whole)[:2] == ["whole", "end"]


def test_a_type_comes_before_the_properties_and_fixtures_of_its_name() -> None:
    own = one("own", 0.9, "CascadeMode", path="failure.cs", within="Failure")
    packed = one("packed", 0.8, "Message", "CascadeMode", path="rule.cs", within="Rule")
    tested = one("tested", 0.7, "CascadeMode", path="tests/cascade.cs")
    kind = one("kind", 0.2, "CascadeMode", path="enums.cs")
    found = order("CascadeMode", *PAGES, own, packed, tested, kind, defined_first=4)
    assert found[:3] == ["kind", "own", "packed"]


def test_a_class_is_as_far_out_where_its_passage_is_named_for_its_first_member() -> None:
    main = one("main", 0.9, "SqlMapper", "Compare", path="SqlMapper.cs")
    main = replace(main, chunk=replace(main.chunk, headings=("SqlMapper", "Compare")))
    part = one("part", 0.5, "SqlMapper", "DontMap", path="SqlMapper.DontMap.cs")
    assert order("SqlMapper", main, part) == ["main", "part"]


def in_file(name: str, score: float, symbol: str, within: str = "") -> Candidate:
    return one(name, score, symbol, path="net/iostream.py", within=within)


BASE = in_file("base", 1.0, "fileno", "BaseIOStream")
STREAM = in_file("stream", 0.5, "fileno", "IOStream")
OUTER = in_file("outer", 0.8, "fileno")


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("IOStream.fileno", "stream"),
        ("net.iostream.IOStream.fileno", "stream"),
        ("where is IOStream.fileno defined?", "stream"),
        ("BaseIOStream.fileno", "base"),
        ("iostream.fileno", "outer"),
        ("IOSTREAM.fileno", "stream"),
    ],
)
def test_a_class_called_like_its_file_precedes_the_other_classes_there(
    question: str, best: str
) -> None:
    assert first(question, BASE, STREAM, OUTER) == best


def test_the_name_of_a_file_is_its_class_if_only_classes_define_the_name() -> None:
    assert first("iostream.fileno", BASE, STREAM) == "stream"
    assert first("iostream.fileno", BASE, HOST) == "base"
