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
        *("usage of load_users", "find usages load_users", "show all references load_users"),
        *("references to “load_users”", "where’s ‘load_users’ used", "who uses <load_users>"),
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
        "who includes <load_users>",
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
        *("subclasses of load_users<T>", "what implements load_users<K,V[]>?"),
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
        *("what is used by load_users", "implementation of load_users", "usage of memory"),
        *(
            "what uses the most memory",
            "what calls load_users and save_users",
            "where is it called",
        ),
        *("where is the password read from the environment", "tests of load_users", ""),
        "what uses the memory variable of the project",
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


@pytest.mark.parametrize(
    "part", ["the ", "a.", "which classes ", "`", "is ", "->", "calls ", "[(", "and, "]
)
def test_long_and_odd_questions_take_no_time(part: str) -> None:
    begun = time.process_time()
    for question in (part * 40_000, f"who calls {part * 30}", f"subclasses of {part * 30} x"):
        relation_of(question)
    relation_of(f"callers of x in {part * 20}")
    assert time.process_time() - begun < GROWS_S


def test_a_setting_in_capitals_is_certain_if_it_is_read() -> None:
    read, used = relation_of("where is the setting PORT read"), relation_of("what uses PORT")
    assert read is not None
    assert used is not None
    assert (read.kind, read.certain, used.certain) == ("read", True, False)


@pytest.mark.parametrize(
    "question",
    [
        *("what calls the parse method of Parser", "callers of the parse method of `Parser`?"),
        *(
            "who calls Parser.parse",
            "callers of parse in Parser",
            "callers of parse in http.Parser",
        ),
    ],
)
def test_the_class_of_a_method_is_its_owner(question: str) -> None:
    found = relation_of(question)
    assert found is not None
    assert (found.kind, found.name, found.owner) == ("called", "parse", "Parser")
    assert not found.is_path


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("who calls load_users in src/app", "src/app"),
        ("who calls load_users in `./src/app/`?", "src/app"),
        ("callers of load_users in src/app", "src/app"),
        ("callers of load_users in app.py", "app.py"),
        ("where is load_users called in the file src/app.py", "src/app.py"),
        ("what calls load_users() in the blueprints folder", "blueprints"),
        ("what calls load_users() in folder blueprints", "blueprints"),
        ("callers of load_users in Sources/App/Main", "Sources/App/Main"),
        ("callers of load_users in Sources/", "Sources"),
        ("which code uses load_users in C:\\app\\Models", "app/Models"),
        ("subclasses of load_users in app\\models", "app/models"),
        ("which code uses load_users in app/Models", "app/Models"),
        ("where is load_users used in `app/Models`", "app/Models"),
        ("subclasses of load_users in app/Models", "app/Models"),
        ("callers of load_users in Sources/Networking", "Sources/Networking"),
        ("callers of load_users in packages/UI", "packages/UI"),
        ("callers of load_users in src/über", "src/über"),
        ("callers of load_users in ./Sources", "Sources"),
        ("callers of load_users in ./LIB/API", "LIB/API"),
        ("callers of load_users in `LIB/API`", "LIB/API"),
        ("callers of load_users in ../shop/Sources/UI/", "shop/Sources/UI"),
        ("callers of load_users in /srv/shop/Sources/a.py", "srv/shop/Sources/a.py"),
        ("where is load_users used in the file Node.js", "Node.js"),
        ("callers of load_users in the file Node.js", "Node.js"),
        ("callers of load_users in the code", ""),
        ("callers of load_users in the folder", ""),
        ("callers of load_users in this folder", ""),
        ("usages of load_users in the file", ""),
        ("where is load_users used in this class", ""),
        ("callers of my load_users function in our package", ""),
    ],
)
def test_a_file_or_folder_at_the_end_is_the_place(question: str, place: str) -> None:
    found = relation_of(question)
    assert found is not None
    assert (found.name, found.owner, found.places) == (
        "load_users",
        "",
        (place,) if place else (),
    )


@pytest.mark.parametrize(
    ("said", "places", "is_path"),
    [
        ("src/app or src/general", ("src/app", "src/general"), False),
        ("src/app and `src/general`", ("src/app", "src/general"), False),
        ("app or general", ("app", "general"), False),
        ("app.py, src/*.ts, and lib/", ("app.py", "src/*.ts", "lib"), True),
        ("the app and general folders", ("app", "general"), True),
        ("the app folder or in the lib folder", ("app", "lib"), True),
        ("directories app and lib", ("app", "lib"), True),
        ("app or app", ("app",), False),
        ("src/ or Node.js", ("src", "Node.js"), False),
    ],
)
@pytest.mark.parametrize("form", ["who calls load_users in {}?", "callers of load_users in {}"])
def test_there_may_be_several_places(
    form: str, said: str, places: tuple[str, ...], is_path: bool
) -> None:
    found = relation_of(form.format(said))
    assert found is not None
    assert (found.name, found.owner) == ("load_users", "")
    assert (found.places, found.is_path) == (places, is_path)


@pytest.mark.parametrize(
    ("said", "places", "tests"),
    [
        *(("the code and the tests", (), False), ("the tests and the code", (), False)),
        *(("the source and the tests", (), False), ("the repo and tests", (), False)),
        ("the code, the tests and the docs", (), False),
        ("our whole code base or in the test suite", (), False),
        *(
            ("the tests", (), True),
            ("the test suite", (), True),
            ("test or in the tests", (), True),
        ),
        ("src/app and the tests", ("src/app", "tests"), False),
        ("the tests folder", ("tests",), False),
        ("the code and tests folders", ("code", "tests"), False),
        ("code/ and `tests`", ("code", "tests"), False),
    ],
)
@pytest.mark.parametrize("form", ["who calls load_users in {}?", "callers of load_users in {}"])
def test_all_of_the_code_is_no_place_and_tests_alone_are_asked_for(
    form: str, said: str, places: tuple[str, ...], tests: bool
) -> None:
    found = relation_of(form.format(said))
    assert found is not None
    assert (found.name, found.owner) == ("load_users", "")
    assert (found.places, found.tests) == (places, tests)


@pytest.mark.parametrize("form", ["who calls load_users in {}", "uses of load_users in {}?"])
@pytest.mark.parametrize(
    "topic",
    [
        *("TypeScript/JavaScript", "C#/F#", "C/C++", "TCP/IP", "I/O", "Linux/macOS", "HTTP/1.1"),
        *("and/or", "async/await", "v1/v2", "app/Models", ".NET/Mono", "React/Vue.js"),
        *("Node.js", "Deno.js", "Svelte.js", "socket.io", "ASP.NET", "src", "C++"),
    ],
)
def test_what_may_be_a_topic_is_a_place_only_if_the_index_has_it(form: str, topic: str) -> None:
    found = relation_of(form.format(topic))
    assert found is not None
    assert (found.name, found.places, found.is_path) == ("load_users", (topic,), False)
    assert found.owner == (topic if topic == "src" and form.startswith("uses") else "")


@pytest.mark.parametrize(
    "place",
    [
        *("src/*.ts", "src/**", "*.py", "app/views.py", "nosuch.js", "src/App.js", "`Deno.js`"),
        *("src/", "/srv/app", "./app", "../app", "app\\Models", "`app/Models`", "the lib folder"),
    ],
)
def test_what_is_written_as_only_a_path_is_is_a_place(place: str) -> None:
    found = relation_of(f"who calls load_users in {place}")
    assert found is not None
    assert found.places
    assert found.is_path


@pytest.mark.parametrize(
    "question",
    [
        *("where is the method of the parent called", "who uses the method of moments"),
        *("is the constant of the module used", "what implements the interface of the plugin"),
        *("find references section", "show references page", "list implementations available"),
        *("callers of my function", "who calls the function", "who uses this class"),
    ],
)
def test_articles_and_nouns_are_no_names(question: str) -> None:
    found = relation_of(question)
    assert found is None or (found.name not in ("the", "a") and not (found.places or found.owner))
    if question.startswith(("find", "show", "list", "callers", "who calls the", "who uses this")):
        assert found is None


def test_a_technology_is_no_owner() -> None:
    found = relation_of("callers of the parse method of Node.js")
    assert found is not None
    assert (found.name, found.owner, found.places) == ("parse", "", ())


@pytest.mark.parametrize(
    ("question", "kind", "name"),
    [
        ("find subclasses Base", "heirs", "Base"),
        ("list all callers Model", "called", "Model"),
        ("find implementations Storage", "heirs", "Storage"),
        ("list overrides draw", "overrides", "draw"),
        ("find all usages foo", "used", "foo"),
        ("find usages Foo", "used", "Foo"),
        ("subclasses of A", "heirs", "A"),
        ("where is A used", "used", "A"),
        ("callers of my function load", "called", "load"),
        ("who uses `function`", "used", "function"),
    ],
)
def test_a_name_may_be_a_plain_word_or_a_capital(question: str, kind: str, name: str) -> None:
    found = relation_of(question)
    assert found is not None
    assert (found.kind, found.name, found.owner) == (kind, name, "")
