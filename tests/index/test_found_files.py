"""SQLite files of an index that others made: nothing in them runs, and nothing is without end."""

from __future__ import annotations

import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pincite.catalog.file import holds_collections, open_catalog
from pincite.catalog.schema import IDENTITY, MIGRATIONS, USUAL
from pincite.errors import PinciteError, StoreError
from pincite.index.trust import claims_of_index, require_trusted
from pincite.providers.llm.note_cache import NoteCache
from pincite.sources.record_store import RecordStore
from pincite.stores.sqlite.database import Database, index_of_words
from pincite.support.databases.private_sqlite import PrivateFile
from pincite.support.databases.sqlite_schema import migrate, require_ours
from tests.index.shipped import fill, root, ship, use, without_id

__all__ = ["root"]

#: 4 minutes with 2 MB, and 16 times that with four times as much.
SLOW = "instr(hex(zeroblob(50000000)), hex(zeroblob(20000000)) || '1')"
NAME = "TEXT PRIMARY KEY, spec TEXT NOT NULL"
FORMS = {
    "computed column": ("identity", "id TEXT", f"x TEXT, id TEXT AS ({SLOW})"),
    "stored column": ("identity", "id TEXT", f"x TEXT, id TEXT AS ({SLOW}) STORED"),
    "check": ("collections", NAME, f"{NAME}, CHECK ({SLOW} = 0)"),
    "check of a column": ("collections", "NOT NULL", f"NOT NULL CHECK ({SLOW} = 0)"),
    "default": ("collections", "NOT NULL", f"NOT NULL DEFAULT ({SLOW})"),
    "collation": ("collections", "TEXT PRIMARY KEY", "TEXT COLLATE NOCASE PRIMARY KEY"),
    "unknown collation": ("collections", "TEXT PRIMARY KEY", "TEXT COLLATE mine PRIMARY KEY"),
    "without rowid": ("collections", "NULL)", "NULL) WITHOUT ROWID"),
    "strict": ("collections", "NULL)", "NULL) STRICT"),
    "comment": ("collections", "NULL)", "NULL/**/)"),
    "comment to the end of a line": ("collections", "spec", "--\nspec"),
    "space of another kind": ("collections", "name TEXT", "name\u00a0TEXT"),
    "end of a text": ("collections", "NULL)", "NULL)\0"),
    "another column": ("sources", "name TEXT", "more TEXT, name TEXT"),
    "default of earlier steps": ("documents", "DEFAULT '{}'", "DEFAULT (1)"),
    "long definition": ("collections", "spec", f"{'x' * 100_000} TEXT, spec"),
}
STATEMENTS = {
    "index on an expression": f"CREATE INDEX one ON documents (ref || hex(zeroblob(9)), {SLOW})",
    "partial index": "CREATE INDEX one ON documents (ref) WHERE ref LIKE '%a%a%a%a%b'",
    "unique index": "CREATE UNIQUE INDEX one ON documents (ref DESC)",
    "table": "CREATE TABLE other (x)",
    "virtual table": "CREATE VIRTUAL TABLE other USING fts5(x)",
    "virtual table in place of one": "DROP TABLE sources;"
    " CREATE VIRTUAL TABLE sources USING fts5(collection, name, record)",
    "name in another case": "DROP TABLE identity; CREATE TABLE Identity (id TEXT PRIMARY KEY)",
    "computed statistics": "INSERT INTO term_changes VALUES (1, 'main', x'80'); ANALYZE;"
    " PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE sqlite_stat1 ("
    f"a, b, c, tbl AS (a), idx AS (b), stat AS ({SLOW.replace(chr(39), chr(39) * 2)}))'"
    " WHERE name = 'sqlite_stat1'",
    "many tables": "PRAGMA writable_schema = ON; WITH n (i) AS (SELECT 1 UNION ALL"
    " SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO sqlite_master SELECT 'table', 't' || i,"
    " 't' || i, 3, 'CREATE TABLE t' || i || ' (x)' FROM n",
    "kind of an entry": "PRAGMA writable_schema = ON;"
    " UPDATE sqlite_master SET type = 'index' WHERE name = 'identity'",
}


def script_of(form: str) -> str:
    if form in STATEMENTS:
        return STATEMENTS[form]
    table, old, new = (one.replace("'", "''") for one in FORMS[form])
    return (
        "PRAGMA writable_schema = ON; UPDATE sqlite_master"
        f" SET sql = replace(sql, '{old}', '{new}') WHERE name = '{table}'"
    ).replace("\0", "' || char(0) || '")


def run_in(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)


@pytest.mark.parametrize("form", [*FORMS, *STATEMENTS])
@pytest.mark.parametrize("in_log", [False, True])
def test_a_catalog_has_only_what_pincite_makes(root: Path, form: str, in_log: bool) -> None:
    fill(root, root.parent)
    ship(root)
    if in_log:
        with closing(sqlite3.connect(root / "catalog.db")) as db:
            db.executescript(script_of(form))
            shutil.copytree(root, root.parent / "copy")
        shutil.rmtree(root)
        (root.parent / "copy").rename(root)
        assert (root / "catalog.db-wal").stat().st_size
    else:
        run_in(root / "catalog.db", script_of(form))
    for look in (
        lambda: require_trusted(root, writable=True),
        lambda: claims_of_index(root),
        lambda: open_catalog(root),
    ):
        with pytest.raises(StoreError, match=r"which no version of Pincite makes|cannot be"):
            look()
    assert holds_collections(root)


def test_a_catalog_may_have_the_statistics_of_sqlite(root: Path) -> None:
    fill(root, root.parent)
    run_in(root / "catalog.db", "INSERT INTO term_changes VALUES (1, 'main', x'80'); ANALYZE")
    require_trusted(root, writable=True)
    assert holds_collections(root)


def put_note(path: Path) -> int:
    """A cache that is not used says so when it is asked what it has."""
    cache = NoteCache(path)
    cache.put({b"k" * 16: "text"})
    return cache.kept()


OPENERS: dict[str, Callable[[Path], object]] = {
    "records.db": lambda path: RecordStore(path.parent),
    "points.db": Database,
    "memory.db": lambda path: PrivateFile(path, "the memory", 0, ("CREATE TABLE a (x)",)).rows(
        "SELECT 1 FROM a"
    ),
    "image-notes.db": put_note,
}


@pytest.mark.parametrize("name", OPENERS)
def test_other_files_have_only_what_pincite_makes(tmp_path: Path, name: str) -> None:
    """With statistics that are computed while SQLite opens the file."""
    look = OPENERS[name]
    (tmp_path / name).touch()
    look(tmp_path / name)
    run_in(
        tmp_path / name,
        "CREATE TABLE planted (x); CREATE INDEX one ON planted (x); INSERT INTO planted VALUES (1);"
        f"{STATEMENTS['computed statistics'].split(';', 1)[1]}",
    )
    with pytest.raises(PinciteError, match="which no version of Pincite makes"):
        look(tmp_path / name)


def test_records_to_be_read_are_looked_at_as_well(tmp_path: Path) -> None:
    RecordStore(tmp_path).close()
    run_in(tmp_path / "records.db", "CREATE INDEX one ON records (hex(title))")
    with pytest.raises(StoreError, match="the index 'one', which no version"):
        RecordStore(tmp_path, only_read=True)


def endless(path: Path, table: str) -> None:
    """Make the root of a table a page whose children are all itself."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        (page,) = db.execute("PRAGMA page_size").fetchone()
        asked = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        number = 1 if table == "sqlite_master" else db.execute(asked, (table,)).fetchone()[0]
    raw = bytearray(path.read_bytes())
    start = (number - 1) * page
    head = 100 if number == 1 else 0
    cells, size = 100, 5
    first = page - cells * size
    inner = struct.pack(">BHHHBI", 5, 0, cells, first, 0, number)
    inner += b"".join(struct.pack(">H", first + at * size) for at in range(cells))
    raw[start + head : start + head + len(inner)] = inner
    raw[start + first : start + page] = b"".join(
        struct.pack(">IB", number, at + 1) for at in range(cells)
    )
    path.write_bytes(bytes(raw))


@pytest.mark.parametrize("table", ["sources", "documents", "term_changes", "sqlite_master"])
def test_pages_that_are_their_own_children_are_no_rows_without_end(root: Path, table: str) -> None:
    fill(root, root.parent)
    without_id(root)
    ship(root)
    endless(root / "catalog.db", table)
    with pytest.raises(StoreError, match="cannot be read"):
        use(root)
    with pytest.raises(StoreError, match="cannot be read"):
        claims_of_index(root)


def test_two_tables_with_the_same_pages_are_refused(root: Path) -> None:
    fill(root, root.parent)
    ship(root)
    run_in(
        root / "catalog.db",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM"
        " sqlite_master WHERE name = 'term_changes') WHERE name = 'sources'",
    )
    with pytest.raises(StoreError, match="cannot be read"):
        use(root)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("zeroblob(17000000)", "too big"),
        ("zeroblob(9)", "sources.record that is not a text"),
        ("NULL", "sources.record that is not a text|NULL"),
        ("'{\"x\":' || replace(hex(zeroblob(100000)), '00', '[') || '}'", "cannot be read"),
        ("'[]'", "cannot be read"),
    ],
)
def test_a_value_that_no_index_has_is_refused(root: Path, value: str, said: str) -> None:
    fill(root, root.parent)
    ship(root)
    run_in(
        root / "catalog.db",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'record TEXT NOT"
        " NULL', 'record TEXT') WHERE name = 'sources'",
    )
    run_in(root / "catalog.db", f"UPDATE sources SET record = {value}")
    run_in(
        root / "catalog.db",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'record TEXT',"
        " 'record TEXT NOT NULL') WHERE name = 'sources'",
    )
    with pytest.raises(StoreError, match=said):
        use(root)


def test_more_rows_than_an_index_has_are_refused(root: Path) -> None:
    fill(root, root.parent)
    ship(root)
    run_in(
        root / "catalog.db",
        "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001)"
        " INSERT INTO identity SELECT i FROM n",
    )
    with pytest.raises(StoreError, match="more than 100,000 rows"):
        use(root)


@pytest.mark.parametrize("steps", range(1, len(MIGRATIONS) + 1))
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16"])
def test_catalogs_of_all_earlier_versions_are_accepted(
    root: Path, steps: int, encoding: str
) -> None:
    """Also if the lines of the statements were others."""
    earlier = [" ".join(one.split()).replace(", ", "\n ,\t") for one in MIGRATIONS[:steps]]
    with closing(sqlite3.connect(root / "catalog.db", isolation_level=None)) as db:
        db.execute(f"PRAGMA encoding = '{encoding}'")
        db.execute("PRAGMA journal_mode = WAL")
        migrate(db, earlier, "the catalog")
    use(root)
    open_catalog(root)


def test_the_usual_schema_is_that_of_the_last_step() -> None:
    """Without other scripts the digest alone is compared."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db, MIGRATIONS, "the catalog")
        db.execute(IDENTITY)
        require_ours(db, "the catalog", (), usual=USUAL)
        db.execute("CREATE TABLE other (x)")
        with pytest.raises(StoreError):
            require_ours(db, "the catalog", MIGRATIONS, (IDENTITY,), usual=USUAL)


def test_a_store_may_have_any_number_of_indexes_of_words(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "points.db")) as db:
        for number, tokenizer in enumerate(("porter", "unicode61", "trigram", "porter")):
            db.execute(index_of_words(f"words_{number + 8}", tokenizer))
    Database(tmp_path / "points.db").close()
    run_in(tmp_path / "points.db", "CREATE VIRTUAL TABLE words_2 USING fts5(title, path, text)")
    with pytest.raises(StoreError, match="'words_2"):
        Database(tmp_path / "points.db")
