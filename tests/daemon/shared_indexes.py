"""An index that no process owns, opened with a database and a Qdrant server of tests."""

from __future__ import annotations

from pathlib import Path

from pincite.daemon.shared_index import SharedIndex
from pincite.ports import Waiting
from pincite.stores.settings import StoreSettings
from tests.workspace.postgres_server import Database

LONG = Waiting(20.0)


def opened_index(database: Database, url: str, prefix: str = "") -> SharedIndex:
    return SharedIndex(database.operator, StoreSettings("qdrant", url, prefix), None, Path("/"))
