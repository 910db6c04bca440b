"""Places of files that a caller may not read, and of collections that have no files."""

from __future__ import annotations

import asyncio

import pytest

from pincite.model import DocumentRecord, IndexedDocument, Point, Scope
from pincite.ports import Range, Searchable
from pincite.support.fields import replace
from tests.builders import chunk
from tests.search.recording import Recording
from tests.small_search import ask, make

#: A hundred files with the same words, so that words do not find the place, and five of others.
FILES = (
    ("ours", "src/shop/case/flows.py"),
    *(("ours", f"src/shop/case/flows_{n}.py") for n in range(100)),
    *(("theirs", f"src/{n}/case/flows.py") for n in range(5)),
)
ASKED = "case/flows.py:15"


async def _filled(*require: str) -> Searchable:
    one = await make(None, {})
    spec = replace(one.spec, attributes={"team": "keyword"}, require=require)
    await one.index.create(spec)  # type: ignore[attr-defined]
    documents = []
    for team, path in FILES:
        points = []
        for first in (1, 11, 21):
            vector, length = one.sparse.encode_document("flows case", 10.0)
            held = chunk(
                *(f"{path}#{first}",),
                text=f"part {first} of a file",
                repo=team,
                path=path,
                source_type="code",
                start_line=first,
                end_line=first + 9,
                attributes={"team": team},
            )
            points.append(Point(held, vector, length, None))
        counts = (1, 1, 3, 9)
        record = DocumentRecord(
            *(team, path, path, "0" * 64, "c0ffee", *counts), attributes={"team": team}
        )
        documents.append(IndexedDocument(record, points))
    await one.index.replace(spec.name, documents)  # type: ignore[attr-defined]
    return replace(one, spec=spec, kinds=frozenset({"code"}))


def _of_places(one: Searchable, **changes: bool) -> int:
    """How many requests for a place a question makes."""
    index = Recording(one.index)
    ask(ASKED, replace(one, index=index, **changes))
    conditions = (each for request in index.searched for each in request.filter.must)
    return len([each for each in conditions if isinstance(each, Range)])


@pytest.mark.parametrize(
    ("scope", "require"),
    [
        (Scope(tags={"team": "ours"}), ()),
        (Scope(bounds={"team": ("ours",)}), ()),
        (Scope(bound_where="team = ours"), ()),
        (Scope(sources=("ours",), unshown=("sources",)), ()),
        (Scope(where="team = ours"), ("team",)),
    ],
)
def test_files_that_a_caller_may_not_read_hide_no_place(
    scope: Scope, require: tuple[str, ...]
) -> None:
    """Whoever may read all six files of this name did not say which one."""
    there = asyncio.run(_filled(*require))
    best = ask(ASKED, there, scope=scope).evidence[0]
    assert (best.path, best.start_line) == ("src/shop/case/flows.py", 11)


def test_a_collection_of_another_program_is_not_asked_for_places() -> None:
    """It has no documents to list."""

    async def only_ours() -> Searchable:
        one = await _filled()
        await one.index.remove(one.spec.name, [path for team, path in FILES if team == "theirs"])  # type: ignore[attr-defined]
        return one

    there = asyncio.run(only_ours())
    assert _of_places(asyncio.run(_filled())) == 0
    assert _of_places(there) > 0
    assert _of_places(there, foreign=True) == 0
