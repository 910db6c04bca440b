"""Facts about users in the database of workspaces, so that answers of every host recall them.

A user sees only their own facts. Facts that were stored with a key of one space are kept apart from
the rest, as conversations are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from pincite.daemon.client.open_index import is_shared
from pincite.engine.memory_stores import open_memory
from pincite.errors import ConfigError, MemoryUnavailable, WorkspaceUnavailable
from pincite.ports import DenseEncoder, Memory
from pincite.providers.memory.rows import FactRow, full, is_fact_id, no_fact
from pincite.support.arguments import require_kind
from pincite.workspace import checks
from pincite.workspace.conversations import person_of, require_space
from pincite.workspace.database.transaction import Row, Transaction

if TYPE_CHECKING:
    from pincite.encoders.by_name import Models
    from pincite.settings.load import Settings
    from pincite.workspace.ports import Session, Workspaces


class UsersFacts:
    """The part of `Session` that handles facts."""

    _user_id: str
    _transaction: Transaction

    async def add_fact(self, row: FactRow, most: int, space_id: str | None = None) -> FactRow:
        """See `Session.add_fact`."""
        await require_space(self._transaction, space_id)
        await self._transaction.lock(self._user_id)
        where, values = _of_space(space_id)
        known = await self._transaction.rows(
            f"SELECT id, body, at FROM my_facts WHERE {where} AND id = :id", id=row.id, **values
        )
        if known:
            return _row(known[0])
        ((there,),) = await self._transaction.rows(
            f"SELECT count(*) FROM my_facts WHERE {where}", **values
        )
        if there >= most:
            raise full(there)
        added = await self._transaction.attempt(
            "INSERT INTO my_facts (user_id, id, space_id, number, body, at) VALUES (:user, :id,"
            " :space, (SELECT coalesce(max(number), 0) + 1 FROM my_facts), :body, :at)",
            user=self._user_id,
            id=row.id,
            space=space_id,
            body=row.text,
            at=row.at,
        )
        if not added:
            raise checks.missing("user", self._user_id)
        return row

    async def fact_rows(
        self,
        space_id: str | None = None,
        *,
        vectors: bool = False,
        without: str | None = None,
        after: str = "",
        limit: int | None = None,
    ) -> tuple[FactRow, ...]:
        """See `Session.fact_rows`."""
        require_kind("after", after, str, "the id of a fact")
        await require_space(self._transaction, space_id)
        where, values = _of_space(space_id)
        if after:
            last = await self._number(after, space_id)
            where += " AND (number, id) > (:number, :last)"
            values |= {"number": last, "last": after}
        if without is not None:
            where, values = f"{where} AND encoder <> :encoder", {**values, "encoder": without}
        vector = ", vector" if vectors else ""
        most = "" if limit is None else f" LIMIT {limit:d}"
        rows = await self._transaction.rows(
            f"SELECT id, body, at{vector} FROM my_facts WHERE {where} ORDER BY number, id{most}",
            **values,
        )
        return tuple(map(_row, rows))

    async def _number(self, id_: str, space_id: str | None) -> int:
        where, values = _of_space(space_id)
        sql = f"SELECT number FROM my_facts WHERE {where} AND id = :id"
        found = await self._transaction.rows(sql, id=id_, **values) if is_fact_id(id_) else ()
        if not found:
            raise no_fact(id_)
        return int(found[0][0])

    async def set_fact_vectors(
        self, encoder: str, vectors: Mapping[str, bytes], space_id: str | None = None
    ) -> None:
        """See `Session.set_fact_vectors`."""
        await require_space(self._transaction, space_id)
        await self._transaction.lock(self._user_id)
        where, values = _of_space(space_id)
        for id_, vector in sorted(vectors.items()):
            await self._transaction.run(
                "UPDATE my_facts SET encoder = :encoder, vector = :vector"
                f" WHERE {where} AND id = :id",
                encoder=encoder,
                vector=vector,
                id=id_,
                **values,
            )

    async def forget_facts(self, fact: str = "", space_id: str | None = None) -> int:
        """See `Session.forget_facts`."""
        require_kind("fact", fact, str, "the id of a fact")
        await require_space(self._transaction, space_id)
        if fact and not is_fact_id(fact):
            return 0
        await self._transaction.lock(self._user_id)
        where, values = _of_space(space_id)
        if fact:
            where, values = f"{where} AND id = :id", {**values, "id": fact}
        ((there,),) = await self._transaction.rows(
            f"SELECT count(*) FROM my_facts WHERE {where}", **values
        )
        if there:
            await self._transaction.run(f"DELETE FROM my_facts WHERE {where}", **values)
        return int(there)


class WorkspaceFacts:
    """Implements `FactRows`. A user is a value that `owner_of` made from an access."""

    def __init__(self, workspaces: Workspaces) -> None:
        """The caller that opened `workspaces` closes it."""
        self._workspaces = workspaces

    async def add(self, user: str, row: FactRow, most: int) -> FactRow:
        """See `FactRows.add`."""
        person, space = self._person(user)

        async def work(session: Session) -> FactRow:
            return await session.add_fact(row, most, space)

        with _translated():
            return await self._workspaces.change(person, work)

    async def rows(
        self, user: str, *, vectors: bool, after: str = "", limit: int | None = None
    ) -> Sequence[FactRow]:
        """See `FactRows.rows`."""
        async with self._session(user) as (session, space):
            return await session.fact_rows(space, vectors=vectors, after=after, limit=limit)

    async def without(self, user: str, encoder: str) -> Sequence[FactRow]:
        """See `FactRows.without`."""
        async with self._session(user) as (session, space):
            return await session.fact_rows(space, without=encoder)

    async def set_vectors(self, user: str, encoder: str, vectors: Mapping[str, bytes]) -> None:
        """See `FactRows.set_vectors`."""
        person, space = self._person(user)

        async def work(session: Session) -> None:
            await session.set_fact_vectors(encoder, vectors, space)

        with _translated():
            await self._workspaces.change(person, work)

    async def forget(self, user: str, fact: str) -> int:
        """See `FactRows.forget`."""
        person, space = self._person(user)

        async def work(session: Session) -> int:
            return await session.forget_facts(fact, space)

        with _translated():
            return await self._workspaces.change(person, work)

    async def close(self) -> None:
        """See `FactRows.close`. Closes nothing: the caller closes the database."""

    @asynccontextmanager
    async def _session(self, user: str) -> AsyncIterator[tuple[Session, str | None]]:
        person, space = self._person(user)
        with _translated():
            async with self._workspaces.of(person) as session:
                yield session, space

    def _person(self, user: str) -> tuple[str, str | None]:
        return person_of(user)


def require_shared_memory(settings: Settings) -> None:
    """Raise ConfigError if facts would be stored on one of several machines."""
    if settings.memory.kind == "mem0" and is_shared(settings):
        raise ConfigError(
            'memory.kind is "mem0", which keeps facts on the machine that answers',
            hint='kind = "sqlite" keeps them in the database of workspaces, "none" nowhere',
        )


def memory_of(settings: Settings, models: Models | None, workspaces: Workspaces) -> Memory | None:
    """Return the memory of the `[memory]` settings, with its texts in the database of workspaces.
    None if the settings ask for no memory."""

    def keep(encoder: DenseEncoder | None) -> Memory:
        from pincite.providers.memory.kept import KeptMemory

        return KeptMemory("workspaces", WorkspaceFacts(workspaces), encoder)

    return open_memory(settings, models, keep)


def _of_space(space_id: str | None) -> tuple[str, dict[str, object]]:
    """Return the SQL condition that separates the facts of spaces, and its values."""
    if space_id is None:
        return "space_id IS NULL", {}
    return "space_id = :space", {"space": checks.require_id("space", space_id)}


def _row(row: Row) -> FactRow:
    id_, body, at, *vector = row
    kept = None if not vector or vector[0] is None else bytes(vector[0])
    return FactRow(str(id_), bytes(body), str(at), kept)


@contextmanager
def _translated() -> Iterator[None]:
    """Hide the details of database errors from the person who asks a question."""
    try:
        yield
    except WorkspaceUnavailable as error:
        raise MemoryUnavailable("remembered facts are out of reach for the moment") from error
