"""A scope that matches nothing says so, with what there is."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

import pytest

from pincite.errors import StoreError
from pincite.model import DocumentRecord, IndexedDocument, Point, Ranking, Scope
from pincite.ports import Readable, Searchable
from pincite.scope.unmatched import unmatched
from pincite.support.fields import replace
from tests.builders import chunk
from tests.small_search import TEXTS, TopicEncoder, ask, make

PLACES = {f"docs/{path}.md": text for path, text in TEXTS.items()}
ELSEWHERE = "; paths count from the root of a source or checkout, such as "


def said(scope: Scope, text: str = "rotate a key", encoder: TopicEncoder | None = None) -> str:
    """The notice, or nothing."""
    pack = ask(text, asyncio.run(make(encoder, PLACES)), scope=scope)
    found = [one.message for one in pack.warnings if one.code == "nothing_in_scope"]
    return "".join(found).removeprefix("no indexed document matches ")


@pytest.mark.parametrize("encoder", [None, TopicEncoder()])
@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (Scope(where="path ^= keys"), "where='path ^= keys'; near: docs/keys.md"),
        (Scope(where="path = keys.md"), "where='path = keys.md'; near: docs/keys.md"),
        (
            Scope(where="path ^= src/"),
            f"where='path ^= src/'{ELSEWHERE}docs/backups.md, docs/billing.md, docs/keys.md",
        ),
        (Scope(paths=("ba*.md",)), "paths=['ba*.md']; near: docs/backups.md"),
        (Scope(paths=("dosc/*.md",)), "paths=['dosc/*.md']; near: docs/backups.md"),
        (Scope(paths=("docs/kesy.md",)), "paths=['docs/kesy.md']; near: docs/keys.md"),
        (Scope(not_paths=("docs/*",)), "not_paths=['docs/*']"),
        (Scope(sources=("other",)), "sources=['other']; the sources are acme/docs"),
        (Scope(ref="dead"), "ref='dead'; indexed: acme/docs at "),
        (
            Scope(paths=("docs/*",), kinds=("code",)),
            "kinds=['code'], paths=['docs/*']; the indexed files are of the kinds docs",
        ),
        (
            Scope(paths=("docs/*",), ref="dead"),
            "paths=['docs/*'], ref='dead'; indexed: acme/docs at ",
        ),
        (
            Scope(paths=("docs/*",), where="path ^= src/"),
            "paths=['docs/*'], where='path ^= src/'; 3 match the paths alone",
        ),
        (
            Scope(where="not path ^= docs/ and repo = acme/docs", kinds=("docs",)),
            "kinds=['docs'], where='not path ^= docs/ and repo = acme/docs'; near: docs/",
        ),
    ],
)
def test_a_scope_without_a_document_is_named(
    encoder: TopicEncoder | None, scope: Scope, message: str
) -> None:
    assert said(scope, encoder=encoder).startswith(message)


@pytest.mark.parametrize("encoder", [None, TopicEncoder()])
@pytest.mark.parametrize(
    "where", ["language = go", "start_line > 1000", "not text ~ a and url = x"]
)
def test_what_only_chunks_know_is_named(encoder: TopicEncoder | None, where: str) -> None:
    assert said(Scope(where=where), encoder=encoder) == f"where={where!r}"


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("zebra", Scope()),
        ("zebra", Scope(where="path ^= docs/")),
        ("zebra", Scope(where="path ^= docs/ or text ~ zebra")),
        ("rotate a key", Scope(where="path ^= docs/")),
    ],
)
def test_a_scope_with_documents_is_not_blamed(text: str, scope: Scope) -> None:
    assert said(scope, text) == ""


def test_one_of_two_collections_is_enough() -> None:
    first = asyncio.run(make(None, PLACES, "first"))
    second = asyncio.run(make(None, TEXTS, "second"))
    pack = ask("zebra", first, second, scope=Scope(paths=("keys",)))
    assert "nothing_in_scope" not in [one.code for one in pack.warnings]


class Silent:
    """An index that has documents and is not to be asked for all of them."""

    def __init__(self, index: Readable) -> None:
        self._index = index

    async def documents(self, _collection: str, _source: str | None = None) -> NoReturn:
        pytest.fail("all documents were read")

    async def documents_after(self, *_given: object) -> NoReturn:
        pytest.fail("documents were read")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


@pytest.mark.parametrize(
    ("where", "nothing"),
    [("language = go", True), ("start_line > 1000", True), ("not text ~ key", False)],
)
def test_documents_are_read_only_where_the_scope_says_something_of_them(
    where: str, nothing: bool
) -> None:
    made = asyncio.run(make(None, PLACES))
    silent = replace(made, index=Silent(made.index))
    pack = ask("zebra", silent, scope=Scope(where=where))
    assert not pack.evidence
    assert ("nothing_in_scope" in [one.code for one in pack.warnings]) is nothing


def test_documents_are_not_read_for_attributes_where_meaning_found_nothing() -> None:
    made = asyncio.run(make(TopicEncoder(), PLACES))
    spec = replace(made.spec, attributes={"course": "keyword"})
    asyncio.run(made.index.create(spec))  # type: ignore[attr-defined]
    silent = replace(made, spec=spec, index=Silent(made.index))
    pack = ask("rotate a key", silent, scope=Scope(tags={"course": "ml"}))
    assert [one.message for one in pack.warnings] == [
        "no indexed document matches tags={'course': 'ml'}"
    ]


@pytest.mark.parametrize(("share", "nothing"), [(1.0, True), (0.5, False)])
def test_vectors_of_a_part_do_not_say_that_nothing_is_in_scope(share: float, nothing: bool) -> None:
    made = replace(asyncio.run(make(TopicEncoder(), PLACES)), embedded=share)
    empty = Ranking(made.spec.name, "dense", "cosine", (), 0)
    told = asyncio.run(unmatched([empty], [made], Scope(paths=("docs/keys.md",))))
    assert ([one.code for one in told] == ["nothing_in_scope"]) is nothing


async def _of_courses() -> Searchable:
    """By word: a document of the course ml, one of the course bio, one of none whose chunk says a
    page."""
    made = await make(None, {**PLACES, "src/main.go": "Zip it."}, kinds={"src/main.go": "code"})
    spec = replace(
        made.spec,
        attributes={"course": "keyword", "year": "integer", "page": "integer"},
    )
    index: Any = made.index
    await index.create(spec)
    said: dict[str, dict[str, Any]] = {
        "docs/keys.md": {"attributes": {"course": "ml", "year": 2}},
        "docs/backups.md": {"attributes": {"course": "bio", "year": 3}},
        "docs/billing.md": {"chunk_attributes": "page"},
    }
    records = await index.documents("main")
    await index.touch("main", [replace(r, **said[r.path]) for r in records if r.path in said])
    return replace(made, spec=spec)


@pytest.mark.parametrize(
    ("scope", "nothing"),
    [
        (Scope(where="course = mll"), True),
        (Scope(where="course = ml"), False),
        (Scope(tags={"course": "mll"}), True),
        (Scope(tags={"course": "ml", "year": 3}), True),
        (Scope(tags={"course": "ml", "year": 2}), False),
        (Scope(where="year > 100"), True),
        (Scope(where="year > 2"), False),
        (Scope(where="course = ml and year = 3"), True),
        (Scope(where="course = mll or year = 100"), True),
        (Scope(where="course = mll or year = 2"), False),
        (Scope(where="course exists and not course in (ml, bio)"), True),
        (Scope(where="not course in (ml, bio)"), False),
        (Scope(where="page = 3"), True),
        (Scope(where="page = 3 or course = ml"), False),
        (Scope(where="course = ml and language = go"), True),
        (Scope(where="course = ml and language = markdown"), False),
        (Scope(where="language = go"), True),
        (Scope(where="kind = data"), True),
        (Scope(where="kind = code"), False),
        (Scope(where="kind = code and path ^= docs/"), True),
        (Scope(kinds=("code",), paths=("docs/*",)), True),
        (Scope(kinds=("code",), paths=("src/*",)), False),
        (Scope(where="kind = code and course = ml"), True),
        (Scope(where=f"id = {'0' * 32}"), True),
        (Scope(where=f"id = {chunk('docs/keys.md').id}"), False),
        (Scope(where=f"id = {chunk('docs/keys.md').id} and path ^= docs/"), False),
        (Scope(where=f"id = {chunk('docs/keys.md').id} and path ^= src/"), True),
    ],
)
def test_every_filter_that_matches_nothing_is_named_where_words_alone_are_searched(
    scope: Scope, nothing: bool
) -> None:
    pack = ask("zebra", asyncio.run(_of_courses()), scope=scope)
    assert not pack.evidence
    assert ("nothing_in_scope" in [one.code for one in pack.warnings]) is nothing


def test_with_tags_documents_of_others_change_nothing_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pincite.scope.unmatched._PAGE", 2)
    monkeypatch.setattr("pincite.scope.unmatched._MOST_PAGES", 1)
    empty = Ranking("main", "sparse", "bm25", (), 0)

    async def told(others: int, *, chunk_attributes: str = "") -> list[str]:
        texts = {"own.md": "A text.", **{f"secret/{n}.md": "A text." for n in range(others)}}
        made = await make(None, texts)
        spec = replace(made.spec, attributes={"user": "keyword"})
        index: Any = made.index
        await index.create(spec)
        own, *rest = sorted(await index.documents("main"), key=lambda one: one.path)
        theirs = {"chunk_attributes": "user"} if chunk_attributes else {"attributes": {"user": "b"}}
        told = [replace(own, attributes={"user": "a"}), *(replace(one, **theirs) for one in rest)]
        await index.touch("main", told)
        searched = [replace(made, spec=spec)]
        scopes = (
            Scope(where="language = go", bounds={"user": "a"}),
            Scope(where="language = go", tags={"user": "a"}),
            Scope(paths=("secret/*",), bounds={"user": "a"}),
        )
        notices = [await unmatched([empty], searched, scope) for scope in scopes]
        return [one.message for found in notices for one in found]

    alone = asyncio.run(told(0))
    assert len(alone) == 3
    assert asyncio.run(told(9)) == alone
    assert asyncio.run(told(9, chunk_attributes="user")) == alone


async def _of_passages(others: int) -> Searchable:
    """By word: a page with a passage of the user a and one of b, and pages of b alone. Of each page
    only the passages say whose it is."""
    made = await make(None, {})
    spec = replace(made.spec, attributes={"user": "keyword"})
    index: Any = made.index
    await index.create(spec)
    for path, users in (("both.md", "ab"), *((f"{n}.md", "b") for n in range(others))):
        texts = {user: f"An invoice of {user}." for user in users}
        points = []
        for user, text in texts.items():
            sparse, length = made.sparse.encode_document(text, 10.0)
            one = chunk(f"{path}{user}", text=text, path=path)
            points.append(Point(replace(one, attributes={"user": user}), sparse, length, None))
        known = ("acme/docs", path, path, "0" * 64, "c0ffee", 1, 1, len(points), 4)
        record = DocumentRecord(*known, chunk_attributes="user")
        await index.replace("main", [IndexedDocument(record, points)])
    return replace(made, spec=spec)


@pytest.mark.parametrize("others", [0, 9])
@pytest.mark.parametrize("way", ["tags", "bounds", "bound_where", "required"])
@pytest.mark.parametrize(
    ("user", "where", "nothing"),
    [
        ("a", "", False),
        ("a", "text ~ invoice", False),
        ("a", "kind = docs", False),
        ("a", "text ~ a", False),
        ("a", "text ~ b", True),
        ("a", "kind = code", True),
        ("a", "path = 0.md", True),
        ("c", "", True),
        ("c", "text ~ invoice", True),
    ],
)
def test_tags_of_passages_are_compared_with_theirs_and_no_other_document_changes_the_answer(
    user: str, where: str, nothing: bool, way: str, others: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.scope.unmatched._MOST_READ", 2)
    monkeypatch.setattr("pincite.scope.unmatched._MOST_PAGES", 1)
    monkeypatch.setattr("pincite.scope.unmatched._PAGE", 2)
    made = asyncio.run(_of_passages(others))
    fixed = f"user = {user}"
    match way:
        case "tags":
            scope = Scope(where=where, tags={"user": user})
        case "bounds":
            scope = Scope(where=where, bounds={"user": user})
        case "bound_where":
            scope = Scope(where=where, bound_where=fixed)
        case _:
            made = replace(made, spec=replace(made.spec, require=("user",)))
            where = f"{fixed} and {where}" if where else fixed
            scope = Scope(where=where)
    pack = ask("zebra", made, scope=scope)
    said = [one.message for one in pack.warnings if one.code == "nothing_in_scope"]
    assert bool(said) is nothing
    assert not any(".md" in one.replace(where, "") for one in said)


def test_too_many_passages_that_may_be_read_leave_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    made = asyncio.run(_of_passages(2))
    scope = Scope(where="text ~ zebra", tags={"user": "b"})
    empty = Ranking("main", "sparse", "bm25", (), 0)
    for most, notices in ((3, 1), (2, 0)):
        monkeypatch.setattr("pincite.scope.unmatched._MOST_READ", most)
        assert len(asyncio.run(unmatched([empty], [made], scope))) == notices


def test_documents_that_passages_alone_hide_change_nothing_however_many_chunks_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pincite.scope.unmatched._PAGE", 2)
    monkeypatch.setattr("pincite.scope.unmatched._MOST_PAGES", 1)
    empty = Ranking("main", "sparse", "bm25", (), 0)

    async def told(*hidden: str) -> list[str]:
        own = {f"own/{n}.md": "A text." for n in range(5)}
        made = await make(None, own | dict.fromkeys(hidden, "A secret."))
        bound = Scope(bound_where="not text ~ secret")
        scopes = [replace(bound, paths=(path,)) for path in ("secret.md", "secret/*")]
        notices = [await unmatched([empty], [made], scope) for scope in scopes]
        return [one.message for found in notices for one in found]

    alone = asyncio.run(told())
    assert len(alone) == 2
    assert asyncio.run(told("secret.md")) == alone
    assert asyncio.run(told("secret/a.md", "secret/b.md")) == alone


@pytest.mark.parametrize("encoder", [None, TopicEncoder()])
@pytest.mark.parametrize(
    "bound",
    [
        Scope(bound_where="text ~ key"),
        Scope(bound_where="not language = go"),
        Scope(sources="acme/docs", unshown=("sources",)),
        Scope(kinds="docs", unshown=("kinds",)),
    ],
)
def test_what_only_chunks_know_is_named_beside_what_a_program_sets(
    bound: Scope, encoder: TopicEncoder | None
) -> None:
    made = asyncio.run(make(encoder, PLACES))

    def told(where: str) -> list[str]:
        pack = ask("zebra", made, scope=replace(bound, where=where))
        return [one.message for one in pack.warnings if one.code == "nothing_in_scope"]

    for where in ("language = go", "start_line > 1000", "text ~ zebra"):
        (message,) = told(where)
        assert message.endswith(f"matches where={where!r}")
    if encoder is None:
        assert told("text ~ key") == []


def test_too_many_documents_that_may_be_read_leave_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    made = asyncio.run(make(None, PLACES))
    scope = Scope(where="language = go", bound_where="not text ~ zebra")
    empty = Ranking("main", "sparse", "bm25", (), 0)
    for most, notices in ((len(PLACES), 1), (len(PLACES) - 1, 0)):
        monkeypatch.setattr("pincite.scope.unmatched._MOST_READ", most)
        assert len(asyncio.run(unmatched([empty], [made], scope))) == notices


def test_what_is_too_much_to_look_at_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    made = asyncio.run(make(None, {str(n): "A text." for n in range(6)}))
    monkeypatch.setattr("pincite.scope.unmatched._PAGE", 2)
    for pages, nothing in ((4, True), (3, False), (1, False)):
        monkeypatch.setattr("pincite.scope.unmatched._MOST_PAGES", pages)
        pack = ask("zebra", made, scope=Scope(where="language = go"))
        assert ("nothing_in_scope" in [one.code for one in pack.warnings]) is nothing


class Slow:
    """An index that gives the first document and never the next ones."""

    def __init__(self, index: Readable) -> None:
        self._index: Any = index

    async def documents_after(self, *given: Any) -> Any:
        if given[2] is not None:
            await asyncio.Event().wait()
        return await self._index.documents_after(*given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


@pytest.mark.parametrize("encoder", [None, TopicEncoder()])
def test_the_reason_is_looked_for_within_the_time_of_the_search(
    monkeypatch: pytest.MonkeyPatch, encoder: TopicEncoder | None
) -> None:
    monkeypatch.setattr("pincite.scope.unmatched._AT_ONCE", 1)
    made = asyncio.run(make(encoder, PLACES))
    slow = replace(made, index=Slow(made.index))
    where = "path ^= src/"
    pack = ask("rotate a key", slow, scope=Scope(where=where), budget_ms=1)
    said = [one.message for one in pack.warnings if one.code == "nothing_in_scope"]
    assert said == ([f"no indexed document matches where={where!r}"] if encoder else [])


def test_no_more_documents_are_read_once_one_is_in_the_scope(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pincite.scope.unmatched._AT_ONCE", 1)
    made = asyncio.run(make(None, PLACES))
    slow = replace(made, index=Slow(made.index))
    pack = ask("zebra", slow, scope=Scope(where="path ^= docs/backups"))
    assert "nothing_in_scope" not in [one.code for one in pack.warnings]


class Broken(Silent):
    """An index that cannot list its chunks."""

    async def page(self, collection: str, _after: str | None, _limit: int) -> NoReturn:
        raise StoreError(f"{collection} is damaged")


def test_a_collection_that_cannot_say_what_it_has_is_not_said_to_have_nothing() -> None:
    made = asyncio.run(make(None, PLACES))
    pack = ask("zebra", replace(made, index=Broken(made.index)), scope=Scope(where="language = go"))
    assert "nothing_in_scope" not in [one.code for one in pack.warnings]


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (Scope(), "is within what may be searched"),
        (Scope(where="page = 3"), "that may be searched matches where='page = 3'"),
        (
            Scope(paths=("dosc/*.md",)),
            "that may be searched matches paths=['dosc/*.md']; near: docs/keys.md",
        ),
    ],
)
def test_sources_beside_bounds_are_not_named_as_the_callers(scope: Scope, message: str) -> None:
    course = "biology" if scope == Scope() else "ml"
    bound = replace(scope, sources=("acme/docs",), bounds={"course": (course,)})
    pack = ask("zebra", asyncio.run(_of_courses()), scope=bound)
    assert [one.message for one in pack.warnings if one.code == "nothing_in_scope"] == [
        f"no indexed document {message}"
    ]
