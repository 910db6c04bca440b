"""Whatever is done to them, in whatever order, the other stores agree with the exact one, too."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import rule
from qdrant_client import AsyncQdrantClient

from pincite.ports import Store
from pincite.stores.chroma.database import Database, open_client
from pincite.stores.chroma.store import ChromaStore
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.store import QdrantStore
from pincite.stores.sqlite.store import SqliteStore
from pincite.testing.points import DENSE_SPEC
from tests.stores.agreement import Agreement


class Elsewhere(Agreement):
    """A store that keeps what is staged, whatever dies."""

    def make(self) -> Store:
        return SqliteStore(self.folder / "points.db")

    @rule()
    def reopen(self) -> None:
        self.runner.run(self.edge.close())
        self.anew()

    @rule()
    def crash(self) -> None:
        """Without any farewell."""
        self.anew()

    def anew(self) -> None:
        self.edge = self.make()
        self.runner.run(self.edge.create(DENSE_SPEC))

    @rule()
    def optimise(self) -> None:
        self.runner.run(self.edge.optimise("main"))


class OnQdrant(Elsewhere):
    def make(self) -> Store:
        if not hasattr(self, "client"):
            self.client = AsyncQdrantClient(":memory:")
        return QdrantStore(Connection(self.client, "the local engine"))

    @rule()
    def reopen(self) -> None:
        self.anew()  # to close the local engine is to lose it


class OnChroma(Elsewhere):
    def make(self) -> Store:
        return ChromaStore(Database(open_client("", self.folder), "a folder"))


_SETTINGS = settings(
    max_examples=15,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestSqlite = Elsewhere.TestCase
TestSqlite.settings = _SETTINGS
TestChroma = OnChroma.TestCase
TestChroma.settings = _SETTINGS
TestQdrant = pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")(
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")(
        OnQdrant.TestCase
    )
)
TestQdrant.settings = _SETTINGS
