"""A look at a part of a source sees there what a look at all of it sees."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.daemon.refresh.events import parts_of
from pincite.daemon.refresh.glance import Limits, glance, glance_at
from pincite.index.documents import records_at
from pincite.model import DocumentRecord
from pincite.support.fields import replace
from tests.daemon.refresh.two_pages import docs as docs
from tests.daemon.refresh.two_pages import indexed, record_of
from tests.disks import unreadable
from tests.quick_folder import quick_folder

_NAMES = st.text("\0ab-/.\ud7ff\ue000\U0010ffff", min_size=1, max_size=6)
_PATHS = st.lists(_NAMES, max_size=20, unique=True)


class Held:
    """Records by path, as a catalog gives them."""

    def __init__(self, records: Sequence[DocumentRecord]) -> None:
        self._records = sorted(records, key=lambda one: one.path)

    async def documents_after(
        self, _collection: str, _source: str | None, after: tuple[str, str] | None, limit: int
    ) -> tuple[DocumentRecord, ...]:
        found = [one for one in self._records if after is None or one.path > after[1]]
        return tuple(found[:limit])


def held_at(records: Sequence[DocumentRecord], paths: Sequence[str]) -> list[DocumentRecord]:
    return list(asyncio.run(records_at(Held(records), "main", "docs", paths)))


@given(_PATHS, _NAMES)
@example(["a/"], "a")
@example(["-\U0010ffffa", "."], ".")
@example([*(f"a.\U0010ffff{number}" for number in range(1_001)), "a/b"], "a")
def test_records_at_a_path_are_that_of_the_file_and_those_in_the_folder(
    held: list[str], path: str
) -> None:
    records = [DocumentRecord("docs", one, one, "", "ref", 1, 1, 1, 1) for one in held]
    found = [one.path for one in held_at(records, [path])]
    assert found == sorted(one for one in held if one == path or one.startswith(f"{path}/"))


def test_of_a_part_it_sees_what_a_look_at_everything_sees(docs: Path) -> None:
    dice = random.Random(7)
    for number in range(30):
        (docs / f"d{number % 4}/s{number % 3}").mkdir(parents=True, exist_ok=True)
        (docs / f"d{number % 4}/s{number % 3}/p{number}.md").write_text(f"# {number}\n")
    (docs / ".gitignore").write_text("d3/\n")
    records = [one for one in indexed(docs) if not one.path.startswith("d3/")]
    for number in range(40):
        files = sorted(docs.rglob("*.md"))
        one = dice.choice(files)
        if number % 4 == 0:
            one.unlink()
        elif number % 4 == 1:
            one.write_text(f"# another text {number}\n")
        else:
            one.rename(one.with_name(f"moved{number}.md"))
    whole = glance(record_of(docs), records)
    there = [str(one) for one in docs.iterdir()]
    assert parts_of(there, record_of(docs)) is None  # with an ignore file all may have changed
    paths = parts_of([one for one in there if "ignore" not in one], record_of(docs))
    assert paths is not None
    paths = (*paths, "a.md")
    part = glance_at(record_of(docs), held_at(records, paths), paths)
    assert (part.state, part.named) == (whole.state, whole.named)
    assert set(part.folders) == set(whole.folders) - {str(docs)}
    single = glance_at(record_of(docs), held_at(records, ["inner"]), ["inner"])
    assert single.named == {k: v for k, v in whole.named.items() if k.startswith("inner/")}


def test_a_file_that_is_left_out_counts_as_not_there(docs: Path) -> None:
    records = indexed(docs)
    (docs / ".hidden.md").write_text("# h\n")
    assert glance_at(record_of(docs), (), [".hidden.md", "none/at/all.md"]).state == "same"
    (docs / ".gitignore").write_text("inner/\n")
    found = glance_at(record_of(docs), held_at(records, ["inner/b.md"]), ["inner/b.md"])
    assert found.named == {"inner/b.md": "gone"}


def test_a_named_file_of_the_same_size_and_time_is_compared_by_its_content(docs: Path) -> None:
    """As `tar x` and `rsync -t` write it. `pincite index` finds it by the time that it changed."""
    records = indexed(docs)
    record = replace(record_of(docs), compared_in={"": time.time_ns()})
    before = (docs / "a.md").stat()
    (docs / "a.md").write_text("# z.md\n")
    os.utime(docs / "a.md", ns=(before.st_mtime_ns, before.st_mtime_ns))
    (docs / "inner/b.md").chmod(0o640)
    found = glance_at(record, records, ["a.md", "inner/b.md"])
    assert found.named == {"a.md": "changed"}
    later = replace(record, compared_in={"": time.time_ns() + 10**12})
    assert glance_at(later, records[:1], ["a.md"]).state == "same"


def test_a_named_folder_is_compared_by_the_content_of_its_files(docs: Path) -> None:
    """As `mv docs/inner old; mv x docs/inner` replaces it."""
    records = indexed(docs)
    record = replace(record_of(docs), compared_in={"": time.time_ns()})
    before = (docs / "inner/b.md").stat()
    (docs / "inner").rename(docs.parent / "old")
    (docs / "inner").mkdir()
    (docs / "inner/b.md").write_text("# inner/z.md\n")
    os.utime(docs / "inner/b.md", ns=(before.st_mtime_ns, before.st_mtime_ns))
    assert glance_at(record, records[1:], ["inner"]).named == {"inner/b.md": "changed"}


def test_it_gives_up_as_a_look_at_everything_does(docs: Path) -> None:
    at = (record_of(docs), indexed(docs), ["a.md"])
    assert glance_at(*at, Limits(until_s=0.0)).state == "unknown"
    (docs / ".gitignore").write_text("x\n" * 20_000)
    assert glance_at(*at, Limits.of_daemon(60)).state == "unknown"
    docs.rename(docs.parent / "away")
    assert glance_at(*at).state == "gone"


def test_a_named_file_that_cannot_be_read_is_judged_by_its_size_and_time() -> None:
    with quick_folder() as place:
        place.chmod(0o755)
        (place / "a.md").write_text("# a.md\n")
        record = replace(record_of(place), compared_in={"": 1})
        records = indexed(place)
        with unreadable(place / "a.md"):
            assert glance_at(record, records, ["a.md"]).state == "same"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_not_taken_for_empty(docs: Path) -> None:
    records = indexed(docs)
    (docs / "inner").chmod(0)
    try:
        found = glance_at(record_of(docs), held_at(records, ["inner"]), ["inner/b.md"])
        assert found.state == "unknown"
    finally:
        (docs / "inner").chmod(0o700)
