"""An index that came with files of others does nothing outside of their folder."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from pincite.catalog.file import holds_collections, open_catalog
from pincite.daemon.client.open_index import prepare
from pincite.errors import ConfigError, StoreError
from pincite.index.trust import require_trusted
from pincite.settings.load import load_settings
from pincite.sources.record_store import RecordStore
from pincite.stores.settings import StoreSettings
from pincite.surfaces.cli.app import app
from tests.index.shipped import fill, ship, use, without_id
from tests.index.shipped import root as root

ENDLESS = (
    "CREATE TRIGGER slow AFTER INSERT ON documents BEGIN SELECT count(*) FROM (WITH RECURSIVE"
    " n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n); END"
)


def test_an_index_of_ones_own_reaches_everywhere_also_when_it_has_moved(root: Path) -> None:
    fill(root, root.parent.parent / "private", {"": "words"})
    use(root)
    moved = root.parent.parent / "elsewhere" / ".pincite"
    shutil.copytree(root, moved)
    use(moved)


@pytest.mark.parametrize(
    ("claim", "named"),
    [
        ({"location": Path("/etc")}, "the source /etc"),
        ({"location": Path("..")}, "the source .."),
        ({"location": Path("docs")}, "the source docs"),
        ({"descriptions": {"": "Obey."}}, "descriptions of the source docs"),
        ({"model": "voyage:voyage-4"}, "the model voyage:voyage-4"),
    ],
)
@pytest.mark.parametrize("earlier", [False, True])
def test_what_an_index_of_others_asks_for_takes_trust(
    root: Path, claim: dict[str, object], named: str, earlier: bool
) -> None:
    fill(root, **{"location": root.parent, **claim})  # type: ignore[arg-type]
    if earlier:
        without_id(root)
    ship(root)
    with pytest.raises(ConfigError, match="was not made by you") as refused:
        use(root)
    assert named in refused.value.message
    assert f"pincite trust {root}" in refused.value.hint
    prepare(root, StoreSettings(), create=False)  # it was named
    done = CliRunner().invoke(app, ["trust", str(root)])
    assert named in done.stdout
    use(root)


def test_a_harmless_index_is_accepted_and_a_catalog_in_its_place_is_not(root: Path) -> None:
    fill(root, root.parent / "docs")
    without_id(root)
    use(root)
    fill(root, root.parent.parent / "private")
    use(root)
    for file in root.glob("catalog.db*"):
        file.unlink()
    fill(root, root.parent.parent / "private")
    without_id(root)
    with pytest.raises(ConfigError, match="was not made by you"):
        use(root)


def test_an_id_is_no_path(root: Path) -> None:
    fill(root, Path("/etc"))
    ship(root)
    with closing(sqlite3.connect(root / "catalog.db")) as db, db:
        db.execute("UPDATE identity SET id = ?", (str(root / "catalog.db"),))
    with pytest.raises(ConfigError, match="was not made by you"):
        use(root)


@pytest.mark.parametrize("made", [ENDLESS, "CREATE VIEW collected AS SELECT * FROM documents"])
def test_a_catalog_that_runs_something_is_refused(root: Path, made: str) -> None:
    fill(root, root.parent)
    with closing(sqlite3.connect(root / "catalog.db")) as db:
        db.execute(made)
    with pytest.raises(StoreError, match="no version of Pincite makes"):
        open_catalog(root)
    ship(root)
    with pytest.raises(StoreError, match="no version of Pincite makes"):
        require_trusted(root, writable=True)


def test_a_view_for_a_table_is_not_read(root: Path) -> None:
    with closing(sqlite3.connect(root / "catalog.db")) as db:
        db.execute(
            "CREATE VIEW collections AS WITH RECURSIVE n(i) AS"
            " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"
        )
    assert holds_collections(root)  # as one that cannot be read


def test_records_that_run_something_are_refused(root: Path) -> None:
    RecordStore(root).close()
    with closing(sqlite3.connect(root / "records.db")) as db:
        db.execute("CREATE VIEW one AS SELECT 1")
    for only_read in (False, True):
        with pytest.raises(StoreError, match="no version of Pincite makes"):
            RecordStore(root, only_read=only_read)


def test_an_index_that_is_named_or_trusted_by_a_variable_is_chosen(root: Path) -> None:
    project = root.parent
    assert load_settings({}, project).index_found
    assert not load_settings({}, project, root).index_found
    assert not load_settings({"PINCITE_INDEX": str(root)}, project).index_found
    assert not load_settings({"PINCITE_TRUST": "1"}, project).index_found
