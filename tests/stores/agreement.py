"""Random changes to two stores, which must hold the same after each."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import ExitStack
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pincite.model import Point
from pincite.ports import Store
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.optimise import copy_sparse
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.points import DENSE_SPEC, SPARSE, id_of, point_of, request_for
from pincite.testing.scores import assert_ordered, assert_same
from tests.quick_folder import quick_folder

NAMES = tuple("abcdefgh")
REVISIONS = ("r1", "r2", "r3", "r4")
TEXTS = ("fox", "fox cow", "cow cow hen", "", "hen owl fox", "🎉 owl")
revisions = st.sampled_from(REVISIONS)
texts = st.sampled_from(TEXTS)
points = st.builds(lambda name, text: point_of(text, name), st.sampled_from(NAMES), texts)


class Agreement(RuleBasedStateMachine):
    @initialize()
    def open(self) -> None:
        self.stack = ExitStack()
        self.runner = self.stack.enter_context(asyncio.Runner())
        self.folder = self.stack.enter_context(quick_folder())
        self.edge, self.exact = self.make(), MemoryStore()
        self.staged: set[str] = set()
        self.names: dict[str, set[str]] = {}  # ids that a revision may have
        self.visible: set[str] = set()
        self.stale = False  # IDF may count points that were removed or replaced
        for store in self.stores:
            self.runner.run(store.create(DENSE_SPEC))

    def make(self) -> Any:
        """The store under test, on its folder."""
        return EdgeStore(self.folder)

    @property
    def stores(self) -> tuple[Store, Store]:
        return self.edge, self.exact

    def held(self) -> dict[str, int]:
        return dict(self.runner.run(self.exact.revisions("main")))

    @rule(revision=revisions, staged=st.lists(points, max_size=6))
    def stage(self, revision: str, staged: list[Point]) -> None:
        others = {name for name in self.names if name != revision}
        rivals = others if revision in self.visible else others & self.staged
        taken = {key for name in rivals for key in self.names[name]}
        staged = [point for point in staged if point.chunk.id not in taken]
        self.names.setdefault(revision, set()).update(point.chunk.id for point in staged)
        before = sum(self.held().values())
        for store in self.stores:
            self.runner.run(store.stage("main", {revision: staged}))
        self.stale |= sum(self.held().values()) < before + len(staged)
        if revision not in self.visible:
            self.staged.add(revision)

    @rule(revision=revisions, replaces=st.none() | revisions)
    def publish(self, revision: str, replaces: str | None) -> None:
        for store in self.stores:
            self.runner.run(store.publish("main", {revision: replaces}))
        self.stale = True
        self.staged.discard(revision)
        if replaces is not None and replaces != revision:
            self.staged.discard(replaces)
            self.names.pop(replaces, None)
        self.visible = set(self.held()) - self.staged

    @rule(gone=st.sets(revisions))
    def remove(self, gone: set[str]) -> None:
        for store in self.stores:
            self.runner.run(store.remove("main", sorted(gone)))
        self.stale |= bool(gone)
        for revision in gone:
            self.names.pop(revision, None)
        self.staged -= gone
        self.visible -= gone

    @rule(names=st.sets(st.sampled_from(NAMES)), text=texts)
    def weigh(self, names: set[str], text: str) -> None:
        vector, _ = SPARSE.encode_document(text, 3.0)
        for store in self.stores:
            vectors = {id_of(name): vector for name in sorted(names)}
            self.runner.run(store.set_sparse("main", vectors))
        self.stale |= bool(names)

    @rule()
    def optimise(self) -> None:
        self.runner.run(self.edge._shards["main"].optimise())
        self.stale = False

    @rule()
    def flush(self) -> None:
        self.runner.run(self.edge.flush())

    @rule()
    def reopen(self) -> None:
        self.remove(set(self.staged))  # what was staged may be visible afterwards, or not
        self.runner.run(self.edge.close())
        self.edge = self.make()
        self.runner.run(self.edge.create(DENSE_SPEC))

    @rule()
    def crash(self) -> None:
        """What is on disk without any farewell: a copy of the folder as it is now."""
        copy = self.stack.enter_context(quick_folder())
        shutil.copytree(self.folder, copy, dirs_exist_ok=True, copy_function=copy_sparse)
        self.runner.run(self.edge.close())
        self.folder = copy
        self.edge = self.make()
        self.runner.run(self.edge.create(DENSE_SPEC))
        for revision in sorted(self.visible):
            self.runner.run(self.edge.publish("main", {revision: None}))
        self.remove(set(self.staged))

    @invariant()
    def answers_agree(self) -> None:
        ours, theirs = (dict(self.runner.run(s.revisions("main"))) for s in self.stores)
        assert ours == theirs
        ours_page, their_page = (self.runner.run(s.page("main", None, 99)) for s in self.stores)
        assert ours_page == their_page
        request = request_for("fox cow", exact=True, dense_limit=50, sparse_limit=50)
        mine, exact = (self.runner.run(store.search("main", request)) for store in self.stores)
        if self.stale:
            assert_same(mine[:1], exact[:1])
            assert_ordered(mine[1])
            assert {hit.id for hit in mine[1].hits} == {hit.id for hit in exact[1].hits}
        else:
            assert_same(mine, exact)

    def teardown(self) -> None:
        if hasattr(self, "edge"):
            self.runner.run(self.edge.close())
            self.stack.close()
