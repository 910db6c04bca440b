"""Files whose content changes and whose size and time stay, as copies and archives leave them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.model import IndexedDocument
from tests.ingestion.desk import Desk, Index
from tests.sources.helpers import git


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    git(tmp_path, "init", "--quiet")
    made = Desk(tmp_path)
    made.write("docs/a.md", "# A\n\nalpha")
    made.write("src/m.py", "M = 1\n")
    return made


def swap(desk: Desk, path: str, text: str) -> None:
    """Replace the text of a file. The second ends, as times are compared by seconds."""
    place = desk.folder / path
    before = place.stat()
    place.write_text(text, encoding="utf-8")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert place.stat().st_size == before.st_size
    time.sleep(1.1)


@pytest.mark.parametrize("last", ["docs", ".", ""])
def test_a_run_over_one_part_does_not_hide_those_of_another(desk: Desk, last: str) -> None:
    desk.run("docs")
    desk.run("src")
    swap(desk, "docs/a.md", "# A\n\nomega")
    desk.run("src")
    assert sum(one.changed for one in desk.run(*filter(None, [last]))) == 1
    assert any("omega" in one.text for one in desk.chunks())


def test_a_run_over_a_part_does_not_hide_those_of_the_whole_around_it(desk: Desk) -> None:
    desk.run(".")
    swap(desk, "docs/a.md", "# A\n\nomega")
    desk.run("src")
    assert [one.changed for one in desk.run(".")] == [1]


def test_an_interrupted_run_does_not_hide_them(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise KeyboardInterrupt

    desk.run(".")
    swap(desk, "docs/a.md", "# A\n\nomega")
    with monkeypatch.context() as patch:
        patch.setattr(Index, "replace", fail)
        with pytest.raises(KeyboardInterrupt):
            desk.run(".")
    assert [one.changed for one in desk.run(".")] == [1]


def test_those_of_a_run_that_has_read_them_are_found_by_the_next(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Index.replace

    async def swapping(self: Index, name: str, documents: Sequence[IndexedDocument]) -> None:
        await write(self, name, documents)
        await asyncio.to_thread(swap, desk, "docs/a.md", "# A\n\nomega")

    with monkeypatch.context() as patch:
        patch.setattr(Index, "replace", swapping)
        assert [one.new for one in desk.run(".")] == [2]
    assert [one.changed for one in desk.run(".")] == [1]
    assert [one.changed for one in desk.run(".")] == [0]
