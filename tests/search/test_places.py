"""Whoever pastes a place of a file, or a traceback, gets the code at that line first."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from pincite.diagnostics.explain import explain_table
from pincite.errors import StoreError
from pincite.model import DocumentRecord, IndexedDocument, Point, Scope
from pincite.ports import Range, Searchable, SearchRequest
from pincite.profile import Profile
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.builders import chunk
from tests.search.recording import Recording
from tests.small_search import TEXTS, TopicEncoder, ask, make

#: `flows` and `case` are in a hundred files, so the words of a path do not find its lines. All
#: files have the same text.
FILES = {
    "src/shop/case/flows.py": "code",
    "src/shop/order.py": "code",
    "docs/guide.md": "docs",
    **{f"src/shop/case/flows_{n}.py": "code" for n in range(100)},
}
TRACE = """Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/click/core.py", line 11, in __call__
  File "/srv/src/shop/order.py", line 11, in close
    flows.close(case)
  File "/srv/src/shop/case/flows.py", line 21, in close
ValueError: the case is open"""


async def _filled(lexical: bool = True) -> Searchable:
    one = await make(None if lexical else TopicEncoder(), TEXTS)
    documents = []
    for path, kind in FILES.items():
        points, words = [], " ".join(path.replace("/", " ").replace(".", " ").split("_"))
        for first in (1, 11, 21):
            text = f"part {first} of a file"
            vector, length = one.sparse.encode_document(f"{words}\n{text}", 10.0)
            row = None if one.dense is None else (await one.dense.embed_documents([text]))[0]
            held = chunk(
                *(f"{path}#{first}",),
                text=text,
                path=path,
                source_type=kind,
                start_line=first,
                end_line=first + 9,
            )
            points.append(Point(held, vector, length, row))
        record = DocumentRecord("acme/docs", path, path, "0" * 64, "c0ffee", 1, 1, 3, 9)
        documents.append(IndexedDocument(record, points))
    await one.index.replace(one.spec.name, documents)  # type: ignore[attr-defined]
    return replace(one, kinds=frozenset({"docs", "code"}))


def filled(lexical: bool = True) -> Searchable:
    return asyncio.run(_filled(lexical))


def first(question: str, one: Searchable, **how: Any) -> tuple[str, int]:
    found = ask(question, one, **how).evidence
    return (found[0].path, found[0].start_line) if found else ("", 0)


@pytest.mark.parametrize("lexical", [True, False])
@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("src/shop/case/flows.py:15", "src/shop/case/flows.py", 11),
        ('File "/srv/src/shop/case/flows.py", line 25, in f', "src/shop/case/flows.py", 21),
        ("/usr/lib/python3/site-packages/shop/order.py:3", "src/shop/order.py", 1),
        ("flows.py:15", "src/shop/case/flows.py", 11),
        ("docs/guide.md:12", "docs/guide.md", 11),
        (TRACE, "src/shop/case/flows.py", 21),
    ],
)
def test_the_lines_at_the_place_come_first(
    question: str, path: str, line: int, lexical: bool
) -> None:
    assert first(question, filled(lexical)) == (path, line)


def test_the_next_frame_of_a_traceback_comes_second() -> None:
    second = ask(TRACE, filled()).evidence[1]
    assert (second.path, second.start_line) == ("src/shop/order.py", 11)


def test_a_place_alone_is_grounded_and_one_among_other_words_at_least_weak() -> None:
    pack = ask("/srv/elsewhere/src/shop/order.py:15", filled())
    assert pack.verdict.level == "grounded"
    assert "src/shop/order.py:15 is the place" in pack.verdict.reason
    words = "zebra quantum ferment velvet orchid walrus tundra"
    pack = ask(f"{words} /usr/lib/python3/site-packages/shop/order.py:15", filled())
    assert pack.verdict.level == "weak"
    assert "names src/shop/order.py:15" in pack.verdict.reason
    strict = replace(Profile(), gate=replace(Profile().gate, defined=False))
    pack = ask(f"{words} /usr/lib/python3/site-packages/shop/order.py:15", filled(), profile=strict)
    assert pack.verdict.level == "none"


def test_a_line_that_the_file_does_not_have_and_a_library_match_nothing() -> None:
    index = Recording(filled().index)
    watched = replace(filled(), index=index)
    assert "place" not in ask("src/shop/order.py:99", watched).verdict.reason
    ask("/usr/lib/python3/site-packages/click/core.py:3", watched)
    assert len([one for one in index.searched if _ranges(one)]) == 1  # of the line 99


def test_a_place_outside_of_the_scope_is_not_shown() -> None:
    inside, outside = Scope(paths=("src/shop/order.py",)), Scope(paths=("docs",))
    assert first("order.py:15", filled(), scope=inside) == ("src/shop/order.py", 11)
    found = ask("order.py:15", filled(), scope=outside)
    assert all(one.path.startswith("docs") for one in (*found.evidence, *found.closest))


@dataclass
class Counting:
    """An index that counts what is asked of it; listing its documents may fail."""

    index: Any
    fails: bool = False
    asked: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    async def search(self, collection: str, request: SearchRequest) -> Any:
        self.asked.append("place" if _ranges(request) else "search")
        return await self.index.search(collection, request)

    async def documents(self, collection: str, source: str | None = None) -> Any:
        self.asked.append("documents")
        if self.fails:
            raise StoreError("broken")
        return await self.index.documents(collection, source)


def _ranges(request: SearchRequest) -> bool:
    return any(isinstance(one, Range) for one in request.filter.must)


@pytest.mark.parametrize(
    "question",
    [
        "how is a key rotated?",
        "rotate_key",
        "src/shop/order.py",
        "connect to localhost:8080 at 12:30",
        "ValueError: Cannot reject order 17",
    ],
)
def test_a_question_without_a_place_makes_no_further_request(question: str) -> None:
    index = Counting(filled().index)
    ask(question, replace(filled(), index=index))
    assert {*index.asked} == {"search"}
    at_place = Counting(filled().index)
    ask("src/shop/order.py:3", replace(filled(), index=at_place))
    assert at_place.asked.count("place") == 1
    assert at_place.asked.count("documents") == 1


def test_an_index_that_does_not_list_its_documents_is_searched_as_before() -> None:
    index = Counting(filled().index, fails=True)
    pack = ask("src/shop/order.py:15", replace(filled(), index=index))
    assert pack.evidence
    assert "place" not in index.asked


def test_at_most_eight_places_of_a_question_are_requested() -> None:
    index = Counting(filled().index)
    lines = " ".join(f"src/shop/case/flows_{n}.py:3" for n in range(20))
    ask(lines, replace(filled(), index=index))
    assert index.asked.count("place") == 8


def test_no_place_is_requested_once_the_time_budget_is_spent() -> None:
    index = Counting(filled().index)
    ask("src/shop/order.py:15", replace(filled(), index=index), budget_ms=1)
    assert "documents" not in index.asked


def test_explain_names_the_places() -> None:
    trace = Trace(time.perf_counter)
    ask("what fails at src/shop/order.py:15?", filled(), trace=trace)
    assert "names src/shop/order.py:15" in explain_table(trace)


def test_a_name_of_many_files_is_no_place() -> None:
    async def many() -> Searchable:
        one = await make(None, TEXTS)
        documents = []
        for n in range(6):
            path = f"pages/{n}/index.ts"
            vector, length = one.sparse.encode_document(f"index ts {n}", 10.0)
            held = chunk(path, text=f"page {n}", path=path, source_type="code", end_line=9)
            record = DocumentRecord("acme/docs", path, path, "0" * 64, "c0ffee", 1, 1, 1, 9)
            documents.append(IndexedDocument(record, [Point(held, vector, length, None)]))
        await one.index.replace(one.spec.name, documents)  # type: ignore[attr-defined]
        return replace(one, kinds=frozenset({"docs", "code"}))

    index = Counting(asyncio.run(many()).index)
    ask("index.ts:3", replace(asyncio.run(many()), index=index))
    assert "place" not in index.asked
    assert first("2/index.ts:3", asyncio.run(many()))[0] == "pages/2/index.ts"
