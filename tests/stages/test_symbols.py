"""What kind of question it is, and what follows from that it names a symbol."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.index.local import LocalIndex
from pincite.model import (
    Chunk,
    DocumentRecord,
    Fused,
    IndexedDocument,
    Point,
    Query,
    Question,
    Scope,
    Signal,
    SourceType,
)
from pincite.ports import AnyOf, Searchable
from pincite.stages.load import LoadConfig, within_reach
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.retrieve import RetrieveConfig, retrieve
from pincite.stages.retrieve.symbols import spellings
from pincite.support.fields import replace
from pincite.support.names import bare_words, code_names, last_component, undeclared
from tests.builders import chunk
from tests.small_search import make


def query(text: str) -> Query:
    return prepare(Question(text), PrepareConfig())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *[
            (text, "symbol")
            for text in ("session", "`Session`", "Plug.Conn", "A::b", "rotate_key?")
        ],
        *[(text, "symbol") for text in ("rotate_key send_file", "$scope", "Router.get()")],
        *[(text, "mixed") for text in ("how does rotate_key work", "where is the Router made")],
        *[(text, "prose") for text in ("how are keys rotated", "Where is it made?", "???")],
        ("rotate_key send_file open_it read_it", "mixed"),
    ],
)
def test_a_question_is_a_symbol_prose_or_both(text: str, kind: str) -> None:
    assert query(text).asks == kind


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("where is request defined?", "request"),
        ("Where is the request class defined", "request"),
        ("where is `g` declared ?", "g"),
        ("where are the constant LIMITS defined?", "LIMITS"),
        ("where is Route.matches defined in the code?", "Route.matches"),
        ("where do we define TIMEOUT_S?", "TIMEOUT_S"),
        ("which file defines the setting DEBUG?", "DEBUG"),
        ("what defines Route.matches?", "Route.matches"),
        ("in which file is Route defined?", "Route"),
        ("where's Route defined?", "Route"),
        ("what is the value of MAX_SIZE?", "MAX_SIZE"),
        ("default value of the constant MAX_SIZE", "MAX_SIZE"),
        ("what is defaultTimeout set to?", "defaultTimeout"),
    ],
)
def test_a_question_for_the_place_of_one_name_asks_for_this_name(text: str, name: str) -> None:
    assert undeclared(text) == name
    query = prepare(Question(text), PrepareConfig())
    assert (query.asks, query.symbols) == ("symbol", (name,))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("where is DEBUG defined in settings.py?", "settings.py DEBUG"),
        ("what is the default of `MAX_SIZE` in limits.py", "limits.py MAX_SIZE"),
        ("where is `g` declared in `flask/globals.py`", "flask/globals.py g"),
        ("which file defines g in the file globals.py?", "globals.py g"),
        ("DEBUG in conf/settings.py", "conf/settings.py DEBUG"),
        ("tests/test_app.py::test_get", "tests/test_app.py test_get"),
        ("src/app.py:Route.matches()", "src/app.py Route.matches"),
        ("./src/App.tsx::render", "./src/App.tsx render"),
    ],
)
def test_a_name_in_a_file_is_asked_for_like_the_file_and_the_name(text: str, name: str) -> None:
    assert undeclared(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "std.foo::bar",
        "src/app.py:12",
        "http://example.org/a.py:b",
        "errors in settings.py and urls.py",
        "streams in Node.js",
        "Pagination in next.js",
        "sessions in ASP.NET",
        "timeout in seconds",
    ],
)
def test_other_texts_with_colons_or_in_are_not_names_in_a_file(text: str) -> None:
    assert undeclared(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "where is it defined?",
        "where are they declared",
        "where is the retry logic defined?",
        "where is authentication implemented?",
        "what is the value of the cache?",
        "what is the value of React?",
        "the default of a field is set to what?",
        "what is the value set to?",
        "where is request used?",
        "where do I define routes?",
        "where is request defined, and who calls it?",
    ],
)
def test_other_questions_with_where_stay_as_they_are(text: str) -> None:
    assert undeclared(text) == text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("match-by-path", ("match-by-path",)),
        ("`is-it-open?`", ("is-it-open?", "is-it-open")),
        ("reitit.core/match-by-path", ("reitit.core/match-by-path",)),
        ("query-params->schema", ("query-params->schema",)),
        ("--main-color", ("--main-color",)),
        ("where is `match-by-path` defined?", ("match-by-path",)),
        ("where is match-by-path defined in core.cljc?", ("match-by-path", "core.cljc")),
    ],
)
def test_a_token_with_hyphens_is_one_name_if_it_is_all_that_is_asked_for(
    text: str, names: tuple[str, ...]
) -> None:
    asked = prepare(Question(text), PrepareConfig())
    assert (asked.asks, asked.symbols) == ("symbol", names)


@pytest.mark.parametrize(
    "text",
    [
        "where is the built-in cache defined",
        "two-phase commit",
        "is this read-only?",
        "re-open a read-only file",
        "2026-11-28",
    ],
)
def test_english_with_hyphens_names_nothing(text: str) -> None:
    assert query(text).symbols == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Table::~Table", ("Table::~Table",)),
        ("~Table", ("~Table",)),
        ("what does ~Table close", ("~Table",)),
        ("where is thread_pool::~thread_pool defined?", ("thread_pool::~thread_pool",)),
        ("why are there ~ten keys", ()),
        ("in ~/notes", ()),
        ("line =~ Table", ("Table",)),
    ],
)
def test_a_tilde_begins_the_name_of_a_destructor(text: str, names: tuple[str, ...]) -> None:
    assert query(text).symbols == names


def test_an_arrow_alone_is_a_path_and_a_file_is_not_a_name_with_hyphens() -> None:
    assert code_names("conn->send") == ("conn->send",)
    assert query("conn->send").sought == ("conn->send",)
    assert code_names("docker-compose.yml") == ("docker", "compose.yml")
    assert query("a-" * 5_000).asks == "mixed"


def test_names_are_sought_as_they_stand_and_capitals_of_prose_are_not() -> None:
    assert query("Session").sought == ("Session",)
    assert query("how does rotate_key use the API").sought == ("rotate_key",)
    assert query("how are keys rotated").sought == ()
    assert code_names("what is Flask?") == ("Flask?", "Flask")
    assert bare_words("`Router.get()`? (now)") == ["Router.get", "now"]


@given(st.text(max_size=60))
def test_any_text_has_names_and_their_spellings(text: str) -> None:
    names = code_names(text)
    assert all(name in spellings(names) for name in names)
    assert all(last_component(name) in spellings((name,)) for name in names)


def code(texts: dict[str, str], defines: dict[str, tuple[str, ...]]) -> Searchable:
    """A collection of code in which the texts named define these symbols."""
    made = asyncio.run(make(None, texts, kinds=dict.fromkeys(texts, "code")))

    async def define() -> None:
        for path, symbols in defines.items():
            (one,) = await made.index.document("main", "acme/docs", path)
            await _put(made, replace(one, symbols=symbols))

    asyncio.run(define())
    return replace(made, code=True)


async def _put(made: Searchable, one: Chunk) -> None:
    index = made.index
    assert isinstance(index, LocalIndex)
    vector, length = made.sparse.encode_document(one.text, 10.0)
    record = DocumentRecord("acme/docs", one.path, one.path, "1" * 64, "c0ffee", 1, 1, 1, length)
    await index.replace("main", [IndexedDocument(record, [Point(one, vector, length)])])


USES = {f"use{n}.py": "conn conn conn" for n in range(6)}
FAR = {**USES, "far.py": "class Conn: " + "and much besides " * 30}


@pytest.mark.parametrize("asked", ["Conn", "conn", "Plug.Conn", "what does my_app.Conn do"])
def test_what_defines_a_name_is_found_however_much_uses_it(asked: str) -> None:
    made = code(FAR, {"far.py": ("Plug.Conn", "Conn")})
    config = RetrieveConfig(code_limit=1, sparse_limit=2)

    def found(config: RetrieveConfig) -> tuple[set[str], frozenset[tuple[str, str]]]:
        got = asyncio.run(retrieve(query(asked), [made], Scope(), config))
        return {hit.id for ranking in got.rankings for hit in ranking.hits}, got.defining

    far = chunk("far.py").id
    assert far not in found(replace(config, symbol_limit=0))[0]
    hits, defining = found(config)
    assert far in hits
    assert defining == {("main", far)}


def test_prose_and_collections_of_other_things_are_asked_nothing_more() -> None:
    made = code(FAR, {"far.py": ("Conn",)})
    mixed = replace(made, code=False, kinds=frozenset[SourceType]({"docs", "code"}))
    docs = replace(mixed, kinds=frozenset[SourceType]({"docs"}))
    for text, one in (
        ("how is it opened", made),
        ("Conn", docs),
        ("how is a Conn opened", mixed),
    ):
        got = asyncio.run(retrieve(query(text), [one], Scope(), RetrieveConfig(sparse_limit=2)))
        assert not got.defining


def test_what_was_sought_is_loaded_and_the_last_make_room() -> None:
    fused = [Fused("main", f"n{n}", (Signal("fused", "normalised", 1 - n / 10),)) for n in range(9)]
    config = LoadConfig(pool=4)
    moved = within_reach(fused, frozenset({("main", "n7"), ("main", "n1")}), config)
    assert [one.id for one in moved[:4]] == ["n0", "n1", "n2", "n7"]
    assert sorted(one.id for one in moved) == sorted(one.id for one in fused)
    everything = frozenset(("main", one.id) for one in fused)
    assert [one.id for one in within_reach(fused, everything, config)[:4]] == [
        *("n0", "n1", "n4", "n5")
    ]
    assert within_reach(fused, frozenset(), config) == tuple(fused)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ConfigError, match="symbol_limit"):
        RetrieveConfig(symbol_limit=-1)


def test_the_filter_is_on_symbols() -> None:
    assert AnyOf("symbols", spellings(["Plug.Conn"])).values == (
        *("Plug.Conn", "plug.Conn", "Conn", "conn", "plug.conn", "PLUG.CONN", "CONN"),
    )
