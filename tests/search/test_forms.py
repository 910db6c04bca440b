"""Questions with a form, through a whole search: what comes first, why, and the verdict."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from pincite.diagnostics.explain import explain_table
from pincite.model import DocumentRecord, EvidencePack, IndexedDocument, Point, Scope
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.scope.named_place import NamedPlace
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.builders import chunk
from tests.small_search import TEXTS, ask, make

#: Path, text, and the names that it defines.
CODE = [
    ("core.py", "def busy_helper(value):\n    return value", ("busy_helper",)),
    ("app.py", "def main():\n    return busy_helper(1)", ("main",)),
    ("orders.py", '@router.get("/orders/{id}")\ndef read_order(id): ...', ("read_order",)),
    ("tests/test_core.py", "def test_core():\n    assert busy_helper(1)", ("test_core",)),
    *((f"part{n}.py", f"def part{n}(order): ...", (f"part{n}",)) for n in range(9)),
]
CHANGES = "## 2.1.0\n\nInvoices have a column for the month.\n"
BASE = ("base.py", "class Matcher:\n    pass", ("Matcher",))
HEIR = ("regex.py", "class Regex(Matcher):\n    pass", ("Regex",))
SENDS = ("mail.py", "def send(mail): ...", ("send",))


def filled(*code: tuple[str, str, tuple[str, ...]]) -> Searchable:
    async def fill() -> Searchable:
        one = await make(None, {**TEXTS, "CHANGES": CHANGES})
        documents = []
        for path, text, symbols in code:
            vector, length = one.sparse.encode_document(f"{path}\n{text}", 10.0)
            held = chunk(
                path, text=text, path=path, source_type="code", language="python", symbols=symbols
            )
            record = DocumentRecord("acme/docs", path, path, "0" * 64, "c0ffee", 1, 1, 1, length)
            documents.append(IndexedDocument(record, [Point(held, vector, length, None)]))
        await one.index.replace(one.spec.name, documents)  # type: ignore[attr-defined]
        return replace(one, kinds=frozenset({"docs", "code"}))

    return asyncio.run(fill())


def explained(question: str) -> tuple[EvidencePack, dict[str, list[str]]]:
    """Return the result, and the lines of each step, the first with the sentence on it."""
    trace = Trace(lambda ticks=itertools.count(): float(next(ticks)))  # type: ignore[misc]
    pack = ask(question, filled(*CODE), trace=trace)
    steps: dict[str, list[str]] = {}
    for line in explain_table(trace).splitlines():
        if not line.startswith(" "):
            steps[line.split()[0]] = lines = []
        lines.append(line)
    return pack, steps


@pytest.mark.parametrize(
    ("question", "form", "step", "why", "path"),
    [
        ("who calls busy_helper", "relation: called busy_helper", "rank_code", "relation", "app"),
        ("who calls busy_helper in src/", "relation: called busy_helper in src", "", "", ""),
        ("who calls A.busy_helper", "relation: called busy_helper of A", "", "relation", "app"),
        ("GET /orders/5", "route: GET /orders/5", "rank_code", "route", "orders"),
        ("where is the endpoint /orders", "route: /orders", "", "", ""),
        ("busy_helper", "asks for busy_helper", "rank_code", "defined", "core"),
        ("tests of core", "", "rank_code", "tests", "tests/test_core"),
        ("app.py:1", "names app.py:1", "rank_code", "place", "app"),
        ("what is new in 2.1.0", "is about version 2.1.0", "versions_first", "version", "CHANGES"),
    ],
)
def test_an_explanation_names_the_form_and_what_put_a_passage_first(
    question: str, form: str, step: str, why: str, path: str
) -> None:
    pack, steps = explained(question)
    assert form in steps["prepare"][0]
    if path:
        first = pack.evidence[0]
        assert first.path.removesuffix(".py") == path
        assert [one.value for one in first.signals if one.name == why] == [1.0]
    if step:
        assert f"{why} 1.000" in steps[step][1]


def test_a_question_without_a_form_has_no_such_signal() -> None:
    pack, steps = explained("how are invoices sent")
    forms = {"relation", "route", "defined", "tests", "place", "version"}
    assert steps["prepare"] == [steps["prepare"][0]]
    assert all(one.name not in forms for item in pack.evidence for one in item.signals)


@pytest.mark.parametrize(
    "question",
    [
        *("who calls busy_helper", "where is busy_helper used?", "subclasses of busy_helper"),
        *("where is busy_helper imported?", "where is the setting busy_helper read"),
        "where is Base.busy_helper overridden?",
    ],
)
def test_no_verdict_is_about_the_definition_alone(question: str) -> None:
    """`grounded` because "the file defines the name that was asked for" would be wrong."""
    reason = ask(question, filled(*CODE)).verdict.reason
    assert "the name that was asked for" not in reason


@pytest.mark.parametrize(
    "question",
    [
        *("callers of busy_helper", "find all the usages of busy_helper", "who calls busy_helper"),
        *("what invokes busy_helper anywhere", "where is busy_helper declared?"),
    ],
)
def test_the_words_of_a_form_are_not_called_absent(question: str) -> None:
    absent = ask(question, filled(*CODE)).absent_terms
    assert (absent.index, absent.evidence) == ((), ())


def test_a_name_that_the_index_lacks_is_called_absent() -> None:
    assert ask("callers of lazy_helper", filled(*CODE)).absent_terms.index == ("lazy_helper",)


def test_the_definition_of_a_plain_name_makes_the_question_on_topic() -> None:
    verdict = ask("what are the direct subclasses of Matcher?", filled(BASE)).verdict
    assert verdict.level != "none"
    assert "subclasses" not in verdict.reason


def test_an_heir_makes_the_question_on_topic_if_no_passage_defines_the_name() -> None:
    question = "find all the concrete implementations of Matcher in the whole repository"
    found = ask(question, filled(HEIR, *CODE))
    assert (found.verdict.level, found.evidence[0].path) == ("weak", "regex.py")
    assert "But regex.py extends or implements Matcher." in found.verdict.reason
    config = replace(Profile().rank_code, defined_first=0)
    off = replace(Profile(), rank_code=config)
    assert ask(question, filled(HEIR, *CODE), profile=off).verdict.level == "none"


def test_the_owner_of_a_name_is_what_the_question_is_about() -> None:
    calls = ("post.py", "def post(mail):\n    send(mail)", ("post",))
    verdict = ask("who calls KafkaProducer.send?", filled(SENDS, calls)).verdict
    assert verdict.level != "grounded"
    assert ask("who calls send()", filled(SENDS, calls)).verdict.level == "grounded"


def test_without_places_for_definitions_nothing_comes_first() -> None:
    config = replace(Profile().rank_code, defined_first=0)
    pack = ask("GET /orders/5", filled(*CODE), profile=replace(Profile(), rank_code=config))
    assert all(one.name != "route" for item in pack.evidence for one in item.signals)


def test_only_the_shown_passages_name_the_versions_of_a_question() -> None:
    notes = {
        f"v{n}.md": f"## 3.0.{n}\n\nNew: invoices have column {n}, a change.\n" for n in (1, 2, 3)
    }
    there = asyncio.run(make(None, notes))
    question = "new column of invoices in 3.0.1 and 3.0.2"
    assert ask(question, there).verdict.level == "grounded"
    one = replace(Profile(), select=replace(Profile().select, results=1))
    assert ask(question, there, profile=one).verdict.level == "weak"


def test_the_words_of_a_place_that_is_not_there_are_absent() -> None:
    index = filled(*CODE)
    there = ask("what uses OAuth in app.py", index)
    gone = ask("what uses OAuth in nosuch/zebra.py", index)
    assert {"nosuch", "zebra"} <= set(gone.absent_terms.index)
    assert "app" not in there.absent_terms.index


@pytest.mark.parametrize(
    "place", ["app.py", "docs/app.py", "/srv/acme/docs/app.py", "../docs/", "/srv/acme/docs"]
)
def test_the_words_before_a_place_that_is_there_are_not_absent(place: str) -> None:
    """`acme/docs` is the source. No passage of `part3.py` is shown."""
    index = filled(*CODE)
    for file in ("app.py", "part3.py"):
        absent = ask(f"callers of busy_helper in {place.replace('app.py', file)}", index)
        assert (absent.absent_terms.index, absent.absent_terms.evidence) == ((), ())


def test_a_place_that_the_caller_may_not_read_is_absent() -> None:
    mine = Scope(bound_where="path in (core.py, app.py)")
    index = filled(*CODE, ("secret/zebra.py", "def zebra(): ...", ("zebra",)))
    index = replace(index, spec=replace(index.spec, counted=True))
    asked = "callers of busy_helper in secret/zebra.py"
    assert ask(asked, index).absent_terms.index == ()
    assert ask(asked, index, scope=mine).absent_terms.index == ("secret", "zebra")


@pytest.mark.parametrize("place", ["nosuch/zebra.py", "zebra/views", "tests/zebra"])
def test_the_documents_are_listed_once_to_find_a_place(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched, listed = filled(*CODE), list[str]()
    kind = type(searched.index)
    documents = kind.documents

    async def counting(self: Any, collection: str, *args: Any, **more: Any) -> Any:
        listed.append(collection)
        return await documents(self, collection, *args, **more)

    monkeypatch.setattr(kind, "documents", counting)
    ask(f"who calls busy_helper in {place}", searched)
    assert len(listed) == 1


@pytest.mark.parametrize(
    "topic",
    [
        *("TypeScript/JavaScript", "HTTP/1.1", "async/await", "Node.js", "Deno.js", "C/C++"),
        *("TypeScript", "zebra"),
    ],
)
@pytest.mark.parametrize("form", ["who calls busy_helper in {}", "callers of busy_helper in {}"])
def test_a_topic_is_no_place_and_callers_come_first(form: str, topic: str) -> None:
    pack = ask(form.format(topic), filled(*CODE))
    assert (pack.absent_terms.index, pack.absent_terms.evidence) == ((), ())
    assert pack.evidence[0].path == "app.py"
    assert "nowhere" not in pack.verdict.reason


def test_a_mistyped_folder_is_absent_if_the_index_has_a_folder_of_its_path() -> None:
    index = filled(*CODE)
    assert ask("who calls busy_helper in tests/zebra", index).absent_terms.index == ("zebra",)
    assert ask("who calls busy_helper in test/zebra", index).absent_terms.index == ()


def test_a_folder_that_the_caller_may_not_read_makes_no_topic_a_place() -> None:
    mine = Scope(bound_where="path in (core.py, app.py)")
    index = filled(*CODE, ("secret/key.py", "def key(): ...", ("key",)))
    index = replace(index, spec=replace(index.spec, counted=True))
    asked = "callers of busy_helper in secret/zebra"
    assert ask(asked, index).absent_terms.index == ("zebra",)
    assert ask(asked, index, scope=mine).absent_terms.index == ()


def test_a_plain_word_that_nothing_defines_may_be_about_the_topic() -> None:
    index = filled(*CODE, SENDS, ("post.py", "def post(mail):\n    send(mail)", ("post",)))
    assert ask("who calls send in zebra", index).absent_terms.index == ()
    assert ask("who calls orders in zebra", index).absent_terms.index == ("zebra",)


@pytest.mark.parametrize("places", ["src/api or zebra", "zebra and src/api", "core or api"])
def test_one_of_several_places_is_enough(places: str) -> None:
    used = ("src/api/run.py", "def run():\n    return busy_helper(2)", ("run",))
    pack = ask(f"who calls busy_helper in {places}", filled(*CODE, used))
    assert (pack.evidence[0].path, pack.absent_terms.index) == ("src/api/run.py", ())
    assert pack.verdict.level != "none"


def test_several_places_that_are_not_there_are_absent() -> None:
    gone = ask("who calls busy_helper in zebra.py or gnu.py", filled(*CODE))
    assert {*gone.absent_terms.index} == {"zebra", "gnu"}


def test_files_of_a_pattern_come_first() -> None:
    used = ("src/run.ts", "function run() { return busy_helper(2) }", ("run",))
    index = filled(*CODE, used)
    for pattern in ("src/*.ts", "src/**"):
        pack = ask(f"who calls busy_helper in {pattern}", index)
        assert (pack.evidence[0].path, pack.absent_terms.index) == ("src/run.ts", ())
    assert ask("who calls busy_helper in zebra/*", index).absent_terms.index == ("zebra",)


def test_other_tasks_come_in_while_many_documents_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched, turns = filled(*CODE), [0]
    seen = list[int]()
    kind = type(searched.index)
    documents = kind.documents

    async def ticking() -> None:
        while len(seen) < 5_000:
            await asyncio.sleep(0)
            turns[0] += 1

    async def many(self: Any, collection: str, *args: Any, **more: Any) -> Any:
        one = (await documents(self, collection, *args, **more))[0]
        tasks.append(asyncio.create_task(ticking()))
        return [replace(one, path=f"a/{number}.py") for number in range(5_000)]

    def recording(self: NamedPlace, path: str, source: str) -> int:
        seen.append(turns[0])
        return 0

    tasks = list[Any]()
    monkeypatch.setattr(NamedPlace, "parts", recording)
    monkeypatch.setattr(kind, "documents", many)
    ask("what uses OAuth in nosuch/zebra.py", searched)
    assert len(set(seen[-5_000:])) > 2
