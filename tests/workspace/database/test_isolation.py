"""Random users do random things; what each of them sees and may do is what a model in memory says.

The model knows memberships, documents and feeds. Every example works in the same database, among
what all before it left behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from pincite.errors import Forbidden, NotFound
from pincite.testing.workspaces import HASH, NOBODY
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.model import Access, User
from pincite.workspace.ports import Session
from tests.workspace.postgres_server import Server

Database = SqliteWorkspaces | PostgresWorkspaces
WHO = st.integers(0, 3)
WHICH = st.integers(0, 7)
ROLES = st.sampled_from(["owner", "editor", "viewer"])


@dataclass
class Model:
    """What there is: roles by space and user, spaces of documents, documents of feeds."""

    roles: dict[str, dict[str, str]] = field(default_factory=dict)
    personal: set[str] = field(default_factory=set)
    documents: dict[str, str] = field(default_factory=dict)
    feeds: dict[str, tuple[str, set[str]]] = field(default_factory=dict)

    def spaces_of(self, user: str) -> set[str]:
        return {one for one, roles in self.roles.items() if user in roles}

    def documents_of(self, user: str) -> set[str]:
        mine = self.spaces_of(user)
        return {one for one, space in self.documents.items() if space in mine}

    def feeds_of(self, user: str) -> set[str]:
        mine = self.spaces_of(user)
        return {one for one, (space, _) in self.feeds.items() if space in mine}

    def refusal(self, user: str, space: str, *allowed: str) -> type[Exception] | None:
        """What a user is told who wants to change something in a space."""
        role = self.roles.get(space, {}).get(user)
        if role is None:
            return NotFound
        return None if role in allowed else Forbidden

    def is_last_owner(self, space: str, user: str) -> bool:
        return [u for u, role in self.roles[space].items() if role == "owner"] == [user]


class Isolation(RuleBasedStateMachine):
    """Four users. `database` and `runner` are set by who runs it."""

    database: Database
    runner: asyncio.Runner

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.users: list[User] = []

    @initialize()
    def begin(self) -> None:
        async def add() -> None:
            async with self.database.administration() as operator:
                for name in "abcd":
                    self.users.append(await operator.add_user(name))

        self.runner.run(add())
        for user in self.users:
            self.model.roles[user.personal] = {user.id: "owner"}
            self.model.personal.add(user.personal)

    def named(self, among: Any, which: int) -> str:
        """One of those, or one that there is not."""
        known = sorted(among)
        return known[which % (len(known) + 1)] if which % (len(known) + 1) < len(known) else NOBODY

    def does(
        self,
        user: str,
        work: Callable[[Session], Awaitable[Any]],
        refused: type[Exception] | None,
    ) -> Any:
        """What a user does ends as the model says."""

        async def session() -> Any:
            async with self.database.of(user) as opened:
                return await work(opened)

        if refused is None:
            return self.runner.run(session())
        with pytest.raises(refused):
            self.runner.run(session())
        return None

    @rule(who=WHO)
    def adds_a_space(self, who: int) -> None:
        user = self.users[who].id
        space = self.does(user, lambda s: s.add_space("team"), None)
        self.model.roles[space.id] = {user: "owner"}

    @rule(who=WHO, which=WHICH)
    def deletes_a_space(self, who: int, which: int) -> None:
        user, space = self.users[who].id, self.named(self.model.roles, which)
        refused = self.model.refusal(user, space, "owner")
        if refused is None and space in self.model.personal:
            refused = Forbidden
        self.does(user, lambda s: s.delete_space(space), refused)
        if refused is None:
            del self.model.roles[space]
            for one in [d for d, of in self.model.documents.items() if of == space]:
                del self.model.documents[one]
            for one in [f for f, (of, _) in self.model.feeds.items() if of == space]:
                del self.model.feeds[one]

    @rule(who=WHO, whom=WHO, which=WHICH, role=ROLES)
    def sets_a_member(self, who: int, whom: int, which: int, role: Any) -> None:
        user, other = self.users[who].id, self.users[whom].id
        space = self.named(self.model.roles, which)
        refused = self.model.refusal(user, space, "owner")
        if refused is None and (
            space in self.model.personal
            or (role != "owner" and self.model.is_last_owner(space, other))
        ):
            refused = Forbidden
        self.does(user, lambda s: s.set_member(space, other, role), refused)
        if refused is None:
            self.model.roles[space][other] = role

    @rule(who=WHO, whom=WHO, which=WHICH)
    def removes_a_member(self, who: int, whom: int, which: int) -> None:
        user, other = self.users[who].id, self.users[whom].id
        space = self.named(self.model.roles, which)
        roles = ("owner", "editor", "viewer") if user == other else ("owner",)
        refused = self.model.refusal(user, space, *roles)
        if refused is None and space in self.model.personal:
            refused = Forbidden
        if refused is None and other not in self.model.roles[space]:
            refused = NotFound
        if refused is None and self.model.is_last_owner(space, other):
            refused = Forbidden
        self.does(user, lambda s: s.remove_member(space, other), refused)
        if refused is None:
            del self.model.roles[space][other]

    @rule(who=WHO, which=WHICH)
    def adds_a_document(self, who: int, which: int) -> None:
        user, space = self.users[who].id, self.named(self.model.roles, which)
        refused = self.model.refusal(user, space, "owner", "editor")
        made = self.does(
            user, lambda s: s.add_document(space, "a", HASH, 1, source_ids=("s",)), refused
        )
        if refused is None:
            self.model.documents[made.id] = space

    @rule(who=WHO, which=WHICH, where=WHICH)
    def moves_a_document(self, who: int, which: int, where: int) -> None:
        user, document = self.users[who].id, self.named(self.model.documents, which)
        before, to = self.model.documents.get(document, NOBODY), self.named(self.model.roles, where)
        refusals = {self.model.refusal(user, one, "owner", "editor") for one in (before, to)}
        refused = NotFound if NotFound in refusals else Forbidden if Forbidden in refusals else None
        if Forbidden in refusals and NotFound in refusals:
            return  # whichever is looked at first
        self.does(user, lambda s: s.change_document(document, space_id=to), refused)
        if refused is None:
            self.model.documents[document] = to
            if before != to:
                for _, inside in self.model.feeds.values():
                    inside.discard(document)

    @rule(who=WHO, which=WHICH)
    def deletes_a_document(self, who: int, which: int) -> None:
        user, document = self.users[who].id, self.named(self.model.documents, which)
        space = self.model.documents.get(document, NOBODY)
        refused = self.model.refusal(user, space, "owner", "editor")
        self.does(user, lambda s: s.delete_document(document), refused)
        if refused is None:
            del self.model.documents[document]
            for _, inside in self.model.feeds.values():
                inside.discard(document)

    @rule(who=WHO, which=WHICH)
    def adds_a_feed(self, who: int, which: int) -> None:
        user, space = self.users[who].id, self.named(self.model.roles, which)
        refused = self.model.refusal(user, space, "owner", "editor")
        made = self.does(user, lambda s: s.add_feed(space, "news"), refused)
        if refused is None:
            self.model.feeds[made.id] = (space, set())

    @rule(who=WHO, which=WHICH, document=WHICH)
    def adds_to_a_feed(self, who: int, which: int, document: int) -> None:
        user, feed = self.users[who].id, self.named(self.model.feeds, which)
        one = self.named(self.model.documents, document)
        space, inside = self.model.feeds.get(feed, (NOBODY, set()))
        refused = self.model.refusal(user, space, "owner", "editor")
        if refused is None and self.model.documents.get(one) != space:
            refused = NotFound
        self.does(user, lambda s: s.add_to_feed(feed, [one]), refused)
        if refused is None:
            inside.add(one)

    @rule(who=WHO, which=WHICH)
    def empties_a_feed(self, who: int, which: int) -> None:
        user, feed = self.users[who].id, self.named(self.model.feeds, which)
        space, inside = self.model.feeds.get(feed, (NOBODY, set()))
        refused = self.model.refusal(user, space, "owner", "editor")
        self.does(user, lambda s: s.remove_from_feed(feed, list(inside)), refused)
        if refused is None:
            inside.clear()

    @rule(who=WHO, which=WHICH)
    def deletes_a_feed(self, who: int, which: int) -> None:
        user, feed = self.users[who].id, self.named(self.model.feeds, which)
        space, _ = self.model.feeds.get(feed, (NOBODY, set()))
        refused = self.model.refusal(user, space, "owner", "editor")
        self.does(user, lambda s: s.delete_feed(feed), refused)
        if refused is None:
            del self.model.feeds[feed]

    @rule(who=WHO, first=WHICH, second=WHICH)
    def asks_for_feeds(self, who: int, first: int, second: int) -> None:
        user = self.users[who].id
        feeds = tuple(self.named(self.model.feeds, one) for one in (first, second))
        found = self.does(user, lambda s: s.readable(Access(user, feed_ids=feeds)), None)
        wanted = set()
        for one in set(feeds) & self.model.feeds_of(user):
            wanted |= self.model.feeds[one][1]
        assert (set(found.space_ids), set(found.document_ids)) == (
            self.model.spaces_of(user),
            wanted,
        )

    @invariant()
    def everybody_sees_what_is_theirs(self) -> None:
        for user in self.users:
            self.runner.run(self.looks(user.id))

    async def looks(self, user: str) -> None:
        """By the session, and by raw SQL in its transaction."""
        async with self.database.of(user) as opened:
            spaces = {one.id: one.role for one in await opened.spaces()}
            assert spaces == {
                one: roles[user] for one, roles in self.model.roles.items() if user in roles
            }
            page = await opened.documents(limit=1_000)
            assert {one.id for one in page} == self.model.documents_of(user)
            assert await opened.visible([*self.model.documents, NOBODY]) == {one.id for one in page}
            feeds = {one.id: one.documents for one in await opened.feeds()}
            assert feeds == {
                one: len(self.model.feeds[one][1]) for one in self.model.feeds_of(user)
            }
        async with self.database._transaction(*self.plain(user)) as transaction:
            counted = await transaction.rows(
                "SELECT (SELECT count(*) FROM my_spaces), (SELECT count(*) FROM my_members),"
                " (SELECT count(*) FROM my_documents), (SELECT count(*) FROM my_feeds),"
                " (SELECT count(*) FROM my_feed_documents), (SELECT count(*) FROM my_users)"
            )
        assert tuple(counted[0]) == (
            len(spaces),
            sum(len(self.model.roles[one]) for one in spaces),
            len(page),
            len(feeds),
            sum(feeds.values()),
            1,
        )

    def plain(self, user: str) -> Any:
        return (user,) if isinstance(self.database, SqliteWorkspaces) else ("database", user)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as found:
        yield found


def holds(database: Database, runner: asyncio.Runner, examples: int, steps: int) -> None:
    """The machine runs on this database, which is closed at the end."""
    machine = type("Bound", (Isolation,), {"database": database, "runner": runner})
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        runner.run(database.close())


@pytest.mark.slow
def test_nobody_sees_or_does_more_in_sqlite(tmp_path: Path, runner: asyncio.Runner) -> None:
    database = SqliteWorkspaces(tmp_path / "w.db")
    runner.run(database.migrate())
    holds(database, runner, examples=40, steps=50)


@pytest.mark.slow
def test_nobody_sees_or_does_more_in_postgres(
    postgres: Server, migrated: str, runner: asyncio.Runner
) -> None:
    found = postgres.database(migrated)
    holds(PostgresWorkspaces(found.app, operator=found.operator), runner, examples=20, steps=30)
