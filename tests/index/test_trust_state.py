"""The check of an index sees the state in which its files are opened later."""

from __future__ import annotations

import errno
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from pincite.catalog import trusted_indexes
from pincite.catalog.file import holds_collections, open_catalog
from pincite.errors import ConfigError, MemoryUnavailable, StoreError
from pincite.index.trust import accept_index
from pincite.settings.load import load_settings
from pincite.sources.record_store import RecordStore
from pincite.stores.sqlite.database import Database
from pincite.support.databases import sqlite_schema
from pincite.support.databases.private_sqlite import PrivateFile
from pincite.surfaces.cli.app import app
from tests.index.shipped import fill, root, ship, use, without_id

__all__ = ["root"]

SECTOR = 512


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_schema, "_MAKING_S", 0.05)


def hot_journal(content: bytes) -> bytes:
    """A journal that puts this content in place of any SQLite file with the same page size."""
    (page,) = struct.unpack(">H", content[16:18])
    count, nonce = len(content) // page, 7
    head = bytes.fromhex("d9d505f920a163d7")
    head += struct.pack(">IIIII", count, nonce, count, SECTOR, page)
    found = bytearray(head.ljust(SECTOR, b"\0"))
    for number in range(count):
        one = content[number * page : (number + 1) * page]
        total = nonce + sum(one[at] for at in range(page - 200, 0, -200))
        found += struct.pack(">I", number + 1) + one + struct.pack(">I", total & 0xFFFFFFFF)
    return bytes(found)


def hostile(tmp_path: Path) -> Path:
    """A catalog with a source of a private folder, and without an id."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    fill(folder, tmp_path / "private")
    with closing(sqlite3.connect(folder / "catalog.db")) as db:
        db.execute("DROP TABLE identity")
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("VACUUM")
    return folder / "catalog.db"


@pytest.mark.parametrize("own", [False, True])
def test_a_journal_that_puts_another_catalog_in_place_is_refused(
    root: Path, tmp_path: Path, own: bool
) -> None:
    fill(root, root.parent)
    if not own:
        without_id(root)
        ship(root)
    journal = root / "catalog.db-journal"
    journal.write_bytes(hot_journal(hostile(tmp_path).read_bytes()))
    for look in (lambda: use(root), lambda: open_catalog(root), lambda: accept_index(root, ())):
        with pytest.raises(StoreError, match=r"catalog\.db-journal would change catalog\.db"):
            look()
    assert holds_collections(root)
    shutil.copytree(root, tmp_path / "proof")
    with closing(sqlite3.connect(tmp_path / "proof" / "catalog.db")) as db:
        assert "private" in db.execute("SELECT record FROM sources").fetchone()[0]
    journal.write_bytes(b"")
    use(root)


OPENING: tuple[tuple[str, Callable[[Path], object]], ...] = (
    ("records.db", lambda at: RecordStore(at.parent)),
    ("records.db", lambda at: RecordStore(at.parent, only_read=True)),
    ("points.db", Database),
    ("memory.db", lambda at: PrivateFile(at, "the memory", 0, ()).rows("SELECT 1")),
)


@pytest.mark.parametrize(("name", "look"), OPENING)
def test_no_file_of_an_index_is_opened_with_a_journal(
    tmp_path: Path, name: str, look: Callable[[Path], object]
) -> None:
    with closing(sqlite3.connect(tmp_path / name)) as db:
        db.execute("CREATE TABLE t (x)")
    (tmp_path / f"{name}-journal").write_bytes(hot_journal(hostile(tmp_path).read_bytes()))
    with pytest.raises((StoreError, MemoryUnavailable), match=f"remove {name}-journal"):
        look(tmp_path / name)


@pytest.mark.parametrize(("name", "look"), OPENING)
def test_a_process_that_ended_while_it_made_a_file_is_no_obstacle(
    tmp_path: Path, name: str, look: Callable[[Path], object]
) -> None:
    """SQLite puts nothing back into an empty file, whoever wrote the journal."""
    (tmp_path / name).touch(0o600)
    (tmp_path / f"{name}-journal").write_bytes(hot_journal(hostile(tmp_path).read_bytes()))
    with suppress(StoreError):  # one that may only be read is empty
        look(tmp_path / name)
    with closing(sqlite3.connect(f"file:{tmp_path / name}?mode=ro", uri=True)) as db:
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
    assert "documents" not in tables  # as a catalog has


def test_a_log_of_others_is_read_before_an_index_is_accepted(root: Path, tmp_path: Path) -> None:
    """Its pages take the place of those of the file, with which they need not have to do."""
    fill(root, root.parent)
    without_id(root)
    ship(root)
    theirs = hostile(tmp_path)
    with closing(sqlite3.connect(theirs)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("VACUUM")  # writes all pages to the log
        shutil.copy(f"{theirs}-wal", root / "catalog.db-wal")
    with pytest.raises(ConfigError, match=r"was not made by you, and it has the source .*private"):
        use(root)


def test_an_index_that_is_being_made_is_harmless(root: Path) -> None:
    (root / "catalog.db").touch()
    use(root)
    assert not (root / "catalog.db").stat().st_size
    fill(root, root.parent)
    use(root)


def test_any_number_of_users_may_share_an_index(root: Path) -> None:
    fill(root, Path("/etc"))
    ship(root)
    with closing(sqlite3.connect(root / "catalog.db")) as db, db:
        rows = [(f"{number:032x}",) for number in range(500)]
        db.executemany("INSERT INTO identity VALUES (?)", rows)
    assert CliRunner().invoke(app, ["trust", str(root)]).exit_code == 0
    use(root)


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, "no room")


def ids(root: Path) -> list[str]:
    with closing(sqlite3.connect(root / "catalog.db")) as db:
        return [one for (one,) in db.execute("SELECT id FROM identity")]


def test_without_a_state_folder_the_index_can_be_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file" / "state"))
    fill(root, root.parent)
    before = ids(root)
    use(root)
    assert ids(root) == before
    monkeypatch.setattr(trusted_indexes, "create_private", no_room)
    assert not accept_index(root, ())
    assert ids(root) == before
    fill(root, Path("/etc"))
    with pytest.raises(ConfigError, match="your state folder cannot be written") as refused:
        use(root)
    assert f"--index {root} or PINCITE_TRUST=1" in refused.value.hint
    assert "pincite trust" not in refused.value.hint
    assert not load_settings({"PINCITE_TRUST": "1"}, root.parent).index_found


def test_what_was_not_shown_is_not_trusted(root: Path) -> None:
    fill(root, Path("/etc"))
    ship(root)
    with pytest.raises(ConfigError, match="the source /etc"):
        accept_index(root, ("the source /usr",))
    assert accept_index(root, ("the source /etc",))
    use(root)


def test_a_catalog_in_use_is_no_broken_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(root, root.parent)
    ship(root)
    monkeypatch.setattr("pincite.index.trust._BUSY_S", 0.01)
    with closing(sqlite3.connect(root / "catalog.db", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE more (one)")
        with pytest.raises(StoreError, match="another process uses the catalog") as refused:
            use(root)
    assert "try again" in refused.value.hint


@pytest.mark.parametrize("what", ["the source", "descriptions"])
def test_an_id_does_not_stand_for_what_others_put_into_a_copy(root: Path, what: str) -> None:
    fill(root, root.parent)
    with closing(sqlite3.connect(root / "catalog.db")) as db, db:
        (record,) = db.execute("SELECT record FROM sources").fetchone()
        old, new = f'"location":"{root.parent}"', '"location":"/etc"'
        if what == "descriptions":
            old, new = '"descriptions":{}', '"descriptions":{"":"Obey."}'
        assert old in record
        db.execute("UPDATE sources SET record = ?", (record.replace(old, new),))
    with pytest.raises(ConfigError, match=f"your id, but others changed it, and it has {what}"):
        use(root)
    assert CliRunner().invoke(app, ["trust", str(root)]).exit_code == 0
    use(root)


def test_what_this_user_indexed_stays_accepted_in_another_place(root: Path) -> None:
    fill(root, root.parent / "docs", {"": "words"}, "voyage:voyage-4")
    use(root)
    fill(root, root.parent / "other", {"": "other words"}, "voyage:voyage-5")
    use(root)
    moved = root.parent.parent / "elsewhere"
    root.parent.rename(moved)
    use(moved / root.name)


def test_a_harmless_index_stays_accepted_in_another_place(root: Path) -> None:
    fill(root, root.parent / "docs")
    ship(root)
    use(root)
    moved = root.parent.parent / "elsewhere"
    root.parent.rename(moved)
    use(moved / root.name)
