"""A source gets another name, and the run ends in the middle."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.model import SourceRecord
from tests.ingestion.desk import Desk, Index

AGAIN = {
    "the same command": (("docs",), "new"),
    "the folder alone": (("docs",), None),
    "no folder": ((), None),
    "a third name": (("docs",), "third"),
}


class Stopping(Index):
    """An index that is stopped before a call of `put_source` or `forget`, counted from one."""

    stop_at = 0

    def _count(self) -> None:
        self.stop_at -= 1
        if self.stop_at == 0:
            raise KeyboardInterrupt

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        self._count()
        await super().put_source(collection, record)

    async def forget(self, collection: str, source: str) -> int:
        self._count()
        return await super().forget(collection, source)


@pytest.mark.parametrize("stop_at", [2, 3])
@pytest.mark.parametrize("again", AGAIN)
def test_the_next_run_leaves_one_name(again: str, stop_at: int, tmp_path: Path) -> None:
    index = Stopping()
    desk = Desk(tmp_path, index)
    for number in range(3):
        desk.write(f"docs/{number}.md", f"# Lamp {number}\n\nIt shines.\n")
    desk.run("docs", name="old")
    index.stop_at = stop_at
    with pytest.raises(KeyboardInterrupt):
        desk.run("docs", name="new")
    assert set(desk.sources()) == {"old", "new"}
    paths, name = AGAIN[again]
    desk.run(*paths, name=name)
    assert len(desk.sources()) == 1
    assert set(desk.sources()) <= ({name} if name else {"old", "new"})
    assert len(desk.chunks()) == 3


def test_an_incomplete_name_is_the_later_one(tmp_path: Path) -> None:
    index = Stopping()
    desk = Desk(tmp_path, index)
    desk.write("docs/a.md", "# Lamp\n\nIt shines.\n")
    desk.run("docs", name="old")
    index.stop_at = 2
    with pytest.raises(KeyboardInterrupt):
        desk.run("docs", name="new")
    desk.run()
    assert set(desk.sources()) == {"new"}
