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
from pincite.questions.frames import frames_of
from pincite.scope.choosing import Admit
from pincite.stages.retrieve.places import at_places, beside_places
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


LONGEST = 2_011  # the line of the passage with the most words, which words of a path find last


@dataclass
class File:
    """A file of the index, with passages at these lines; each has ten lines."""

    path: str
    kind: Any = "code"
    lines: tuple[int, ...] = (1, 11, 21)
    source: str = "acme/docs"
    attributes: dict[str, Any] = field(default_factory=dict)
    text: str = "part {} of a file"
    title: str = ""
    of_chunks: tuple[str, ...] = ()  # the attributes that its record does not have


async def _stored(files: list[File], lexical: bool, types: dict[str, Any]) -> Searchable:
    one = await make(None if lexical else TopicEncoder(), TEXTS)
    documents = []
    for file in files:
        path, points = file.path, []
        words = " ".join(path.replace("/", " ").replace(".", " ").split("_"))
        for first in file.lines:
            text = file.text.format(first) + " quantum velvet" * (10 if first == LONGEST else 0)
            vector, length = one.sparse.encode_document(f"{words}\n{text}", 10.0)
            row = None if one.dense is None else (await one.dense.embed_documents([text]))[0]
            held = chunk(
                *(f"{file.source}:{path}#{first}",),
                text=text,
                repo=file.source,
                path=path,
                title=file.title,
                source_type=file.kind,
                start_line=first,
                end_line=first + 9,
                attributes=file.attributes,
            )
            points.append(Point(held, vector, length, row))
        record = DocumentRecord(
            *(file.source, path, f"{file.source}:{path}", "0" * 64, "c0ffee", 1, 1),
            *(len(points), 9),
            source_type=file.kind,
            attributes={k: v for k, v in file.attributes.items() if k not in file.of_chunks},
            chunk_attributes="\n".join(file.of_chunks),
        )
        documents.append(IndexedDocument(record, points))
    spec = replace(one.spec, attributes=types)
    await one.index.create(spec)  # type: ignore[attr-defined]
    await one.index.replace(spec.name, documents)  # type: ignore[attr-defined]
    return replace(one, spec=spec, kinds=frozenset({"docs", "code"}))


def stored(*files: File, lexical: bool = True, **types: Any) -> Searchable:
    return asyncio.run(_stored(list(files), lexical, types))


def filled(lexical: bool = True) -> Searchable:
    return stored(*(File(path, kind) for path, kind in FILES.items()), lexical=lexical)


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
    assert "src/shop/order.py:15 in main: acme/docs:src/shop/order.py" in explain_table(trace)


def test_the_numbers_of_lines_are_no_words_that_are_absent() -> None:
    index = filled()
    for question in ("src/shop/order.py:15:777", "what fails at src/shop/order.py#L15-L222?"):
        absent = ask(question, index).absent_terms
        assert not {"15", "777", "222"} & {*absent.index, *absent.evidence}
    absent = ask("error 777 at src/shop/order.py:15", index).absent_terms
    assert "777" in (*absent.index, *absent.evidence)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ("src/shop/nothing.py:3", "No file that was searched is src/shop/nothing.py."),
        ("docs/guide.md:99", "docs/guide.md has no line 99 in the index."),
        ("/usr/lib/python3/site-packages/click/core.py:3", ""),
        ("docs/guide.md:3", ""),
    ],
)
def test_another_place_that_does_not_exist_is_named(other: str, told: str) -> None:
    verdict = ask(f"src/shop/order.py:15 {other}", filled()).verdict
    assert verdict.level == "grounded"
    assert verdict.reason.endswith(told or "asked for.")


def test_a_name_of_many_files_is_no_place() -> None:
    many = stored(*(File(f"pages/{n}/index.ts") for n in range(6)))
    index = Counting(many.index)
    verdict = ask("index.ts:3", replace(many, index=index)).verdict
    assert "place" not in index.asked
    assert verdict.level != "grounded"
    assert "6 files that were searched end in index.ts: add its folders." in verdict.reason
    assert first("2/index.ts:3", many)[0] == "pages/2/index.ts"


DEEP = tuple(range(1, 4_000, 10))


FEW = replace(
    Profile(), retrieve=replace(Profile().retrieve, dense_limit=9, sparse_limit=9, code_limit=9)
)


def test_the_exact_path_comes_before_longer_ones_with_the_same_end() -> None:
    packages = [File(f"packages/p{n}/src/index.ts", lines=DEEP) for n in range(5)]
    monorepo = stored(*packages, File("src/index.ts", lines=DEEP))
    pack = ask("src/index.ts:2015", monorepo)
    assert (pack.evidence[0].path, pack.evidence[0].start_line) == ("src/index.ts", 2011)
    assert pack.verdict.level == "grounded"
    assert first("at f (/app/packages/p3/src/index.ts:2015:7)", monorepo) == (
        "packages/p3/src/index.ts",
        2011,
    )


def test_a_place_in_one_of_two_files_is_not_grounded() -> None:
    two = stored(File("a/util.py"), File("b/util.py"))
    pack = ask("util.py:15", two)
    assert {one.path for one in pack.evidence[:2]} == {"a/util.py", "b/util.py"}
    assert pack.verdict.level == "weak"
    assert pack.verdict.reason == "2 files that were searched end in util.py: add its folders."
    assert ask("a/util.py:15", two).verdict.level == "grounded"


def test_the_name_of_the_source_tells_which_file_is_meant() -> None:
    eight = stored(*(File("cli.py", source=name, lines=DEEP) for name in "abcdefgh"))
    for question in ("h/cli.py:2015", 'File "/srv/h/cli.py", line 2015, in main'):
        pack = ask(question, eight, profile=FEW)
        assert (pack.evidence[0].repo, pack.evidence[0].start_line) == ("h", 2011)
        assert pack.verdict.level == "grounded"


def test_a_file_of_which_only_the_name_fits_is_not_grounded() -> None:
    one = stored(File("codes.py"))
    verdict = ask("nope/codes.py:5", one).verdict
    assert verdict.level == "weak"
    assert verdict.reason == "Only the name of the file is that of nope/codes.py."
    assert ask("codes.py:5", one).verdict.level == "grounded"


SIX = tuple(
    File(
        "app/flows.py",
        source=f"s{n}",
        lines=DEEP,
        kind="code" if n == 3 else "data",
        attributes={"team": f"t{n}", "document_id": f"d{n}"},
    )
    for n in range(6)
)


@pytest.mark.parametrize(
    "scope",
    [
        Scope(sources=("s3",)),
        Scope(kinds=("code",)),
        Scope(paths=("s3:app",)),
        Scope(tags={"team": "t3"}),
        Scope(bounds={"team": ("t3",)}),
        Scope(where="team = t3"),
    ],
)
def test_files_outside_of_the_scope_do_not_decide_which_file_is_meant(scope: Scope) -> None:
    pack = ask(
        "app/flows.py:2015", stored(*SIX, team="keyword", document_id="keyword"), scope=scope
    )
    assert (pack.evidence[0].repo, pack.evidence[0].start_line) == ("s3", 2011)
    assert pack.verdict.level == "grounded"


@pytest.mark.parametrize("of_chunks", [(), ("document_id",)])
def test_files_that_a_caller_may_not_see_do_not_decide_which_file_is_meant(
    of_chunks: tuple[str, ...],
) -> None:
    async def only_three(ids: frozenset[str]) -> frozenset[str]:
        return ids & {"d3"}

    files = [replace(one, of_chunks=of_chunks) for one in SIX]
    six = stored(*files, team="keyword", document_id="keyword")
    pack = ask("app/flows.py:2015", six, admit=only_three, profile=FEW)
    assert (pack.evidence[0].repo, pack.evidence[0].start_line) == ("s3", 2011)
    assert pack.verdict.level == "grounded"
    reason = ask("app/flows.py:2015", six).verdict.reason
    assert reason.endswith(
        "6 files that were searched end in app/flows.py: choose its source or collection."
    )


async def _all(ids: frozenset[str]) -> frozenset[str]:
    return ids


@pytest.mark.parametrize("admit", [None, _all])
def test_a_scope_of_which_only_chunks_know_asks_for_all_files_that_fit(admit: Admit | None) -> None:
    of: dict[str, Any] = {"lines": DEEP, "attributes": {"document_id": "d"}}
    one = File("app/flows.py", source="s3", text="zebra {}", **of)
    others = [File("app/flows.py", source=f"s{n}", **of) for n in range(8) if n != 3]
    only, held = Scope(where="text ~ zebra"), stored(one, *others, document_id="keyword")
    pack = ask("app/flows.py:2015", held, scope=only, profile=FEW, admit=admit)
    assert (pack.evidence[0].repo, pack.evidence[0].start_line) == ("s3", 2011)
    assert pack.verdict.level == "grounded"


def test_of_files_that_only_chunks_tell_apart_the_exact_path_comes_first() -> None:
    longer = [File(f"p{n}/app/flows.py", lines=(1, 11)) for n in range(9)]
    exact = File("app/flows.py", text="part {} of a file" + " zebra" * 30)
    only = Scope(where="text ~ part")
    pack = ask("app/flows.py:15", stored(exact, *longer), scope=only, profile=FEW)
    assert pack.evidence[0].path == "app/flows.py"
    assert pack.verdict.level == "grounded"


def test_a_file_outside_of_the_scope_is_not_known() -> None:
    verdict = ask("src/shop/order.py:15", filled(), scope=Scope(kinds=("docs",))).verdict
    assert "No file that was searched is src/shop/order.py." in verdict.reason


def test_a_copy_of_the_file_that_was_asked_for_does_not_replace_it() -> None:
    copies = stored(File("src/retry.py", title="Retry"), File("legacy/retry.txt", kind="docs"))
    assert first("src/retry.py:15", copies) == ("src/retry.py", 11)
    assert first("legacy/retry.txt:15", copies) == ("legacy/retry.txt", 11)


@pytest.mark.parametrize("lexical", [True, False])
@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("src/shop/order.py:999", "src/shop/order.py has no line 999 in the index."),
        ("src/shop/nothing.py:12", "No file that was searched is src/shop/nothing.py."),
    ],
)
def test_a_place_that_does_not_exist_is_not_grounded(
    question: str, reason: str, lexical: bool
) -> None:
    verdict = ask(question, filled(lexical)).verdict
    assert verdict.level in ("none", "weak")
    assert verdict.reason.endswith(reason)
    strict = replace(Profile(), gate=replace(Profile().gate, defined=False))
    assert reason not in ask(question, filled(lexical), profile=strict).verdict.reason


def test_no_file_is_said_to_be_lacking_if_not_all_were_compared() -> None:
    index = Counting(filled().index, fails=True)
    verdict = ask("src/shop/nothing.py:12", replace(filled(), index=index)).verdict
    assert verdict.level != "grounded"
    assert verdict.reason.endswith("No passage that was found is at src/shop/nothing.py:12.")


@pytest.mark.parametrize(("line", "shown"), [(15, 1), (2, 31), (30, 1), (31, 31), (45, 0)], ids=str)
def test_a_line_between_passages_shows_the_one_before_it(line: int, shown: int) -> None:
    lines = (31,) if line == 2 else (1, 31)
    pack = ask(f"src/gaps.py:{line}", stored(File("src/gaps.py", lines=lines)))
    if line == 31:
        assert pack.verdict.level == "grounded"
    elif not shown:
        assert "src/gaps.py has no line 45 in the index." in pack.verdict.reason
    else:
        assert (pack.evidence[0].start_line, pack.verdict.level) == (shown, "weak")
        said = f"src/gaps.py:{line} is in no passage, only next to lines {shown}-{shown + 9}."
        assert pack.verdict.reason == said


@dataclass
class Slow:
    """An index that reads a document in two seconds."""

    index: Any
    reads: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    async def document(self, *asked: Any) -> Any:
        self.reads += 1
        await asyncio.sleep(2)
        return await self.index.document(*asked)


def test_the_passages_next_to_a_line_are_read_within_the_time_budget() -> None:
    gaps = stored(File("src/gaps.py", lines=(1, 31)))
    index = Slow(gaps.index)
    asked = {frame: SearchRequest() for frame in frames_of("src/gaps.py:15")}

    async def look(left_ms: float) -> tuple[float, bool]:
        places = await at_places(asked, gaps, None, None)
        begun_s = time.monotonic()
        _, found = await beside_places(places, [()], asked, replace(gaps, index=index), left_ms)
        return time.monotonic() - begun_s, bool(found)

    for left_ms, reads in ((0.0, 0), (100.0, 1)):
        took_s, found = asyncio.run(look(left_ms))
        assert (found, index.reads) == (False, reads)
        assert took_s < 0.8


@pytest.mark.parametrize("kind", ["lex", "vec"])
def test_a_place_in_a_subquery_is_searched(kind: str) -> None:
    deep = stored(File("src/large.py", lines=DEEP), lexical=kind == "lex")
    asked = (f"vec: src/large.py:{LONGEST + 4}", f"{kind}: In src/large.py:{LONGEST + 4}?")
    pack = ask("what happens here?", deep, subqueries=asked, profile=FEW)
    assert (pack.evidence[0].path, pack.evidence[0].start_line) == ("src/large.py", LONGEST)
    assert kind == "vec" or f"names src/large.py:{LONGEST + 4}" in pack.verdict.reason


def test_places_of_a_made_up_passage_are_not_searched() -> None:
    index = Counting(filled().index)
    asked = ("lex: close an order", "hyde: It is closed at src/shop/order.py:15.")
    ask("what happens here?", replace(filled(), index=index), subqueries=asked)
    assert "documents" not in index.asked
