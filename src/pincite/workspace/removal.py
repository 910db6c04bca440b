"""Remove a user, with all that nobody else can read. Spaces of others stay.

disable and hand over spaces -> leave the others -> empty and delete those of the user -> forget

Most steps are changes in the name of the user, as through HTTP, so that the usual jobs remove the
texts from the index. Documents are deleted page by page, each page in a transaction, so that nobody
waits for all of them. The next call continues a removal that was cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Final

import msgspec

from pincite.errors import (
    ConfigError,
    Forbidden,
    MemoryUnavailable,
    NotFound,
    PinciteError,
    UsageError,
    WorkspaceUnavailable,
)
from pincite.support.fields import replace
from pincite.workspace.checks import missing
from pincite.workspace.model import Membership, Space, User
from pincite.workspace.ports import Administration, Session, Workspaces

_PAGE: Final = 200  # documents that are deleted in one transaction: guess, unmeasured
#: Seconds between two pages. Other processes ask for the lock of a SQLite file at intervals, and
#: would seldom find it free. Guess, unmeasured.
_PAUSE_S: Final = 0.02
_TRIES: Final = 3  # of a removal that others change meanwhile
#: Deletes the facts of owners (see `owner_of`): a user, and the user in single spaces.
Forget = Callable[[tuple[str, ...]], Awaitable[None]]
#: Receives the number of deleted documents and the number of all that are deleted.
Told = Callable[[int, int], None]


class Belongings(msgspec.Struct, frozen=True):
    """The spaces of a user. `alone` are those without another member, which are deleted with the
    user; `orphaned` are those with members but no other enabled owner; `shared` are the
    others."""

    user: User
    alone: tuple[Space, ...] = ()
    orphaned: tuple[Space, ...] = ()
    shared: tuple[Space, ...] = ()


async def belongings(workspaces: Workspaces, user_id: str) -> Belongings:
    """Return the spaces of a user. Raise NotFound."""
    async with workspaces.administration() as operator:
        known = {one.id: one for one in await operator.users()}
    if user_id not in known:
        raise missing("user", user_id)
    enabled = frozenset(one.id for one in known.values() if one.disabled is None)
    async with workspaces.of(user_id) as session:
        return await _belongings(session, known[user_id], enabled)


async def remove_user(
    workspaces: Workspaces,
    user_id: str,
    heir: str | None = None,
    forget: Forget | None = None,
    told: Told | None = None,
) -> Belongings:
    """Remove a user with the personal space, the spaces without another member, conversations,
    facts and keys. `heir` becomes an owner of the spaces that would have no enabled owner. `forget`
    deletes the facts that are not in the database. Return the former spaces of the user.

    Raise NotFound for an unknown user or heir, and UsageError for a disabled heir and if there are
    such spaces and no `heir`; nothing is changed then. Raise UsageError if others change the spaces
    of the user meanwhile, MemoryUnavailable and ConfigError of `forget`, and WorkspaceUnavailable;
    they say if the user is disabled and not removed."""
    await belongings(workspaces, user_id)  # raises NotFound in the usual words

    async def begin(operator: Administration) -> tuple[set[str], tuple[str, ...]]:
        keys = await operator.keys(user_id)
        spaces = {one.space_id for one in keys if one.space_id}
        return spaces, await operator.begin_removal(user_id, heir)

    of_keys, given = await workspaces.administer(begin)
    if given and heir is None:
        raise _needs_heir(await belongings(workspaces, user_id), given)
    try:
        return await _remove(workspaces, user_id, heir, forget, told, given, of_keys)
    except _Conflict as error:
        raise UsageError(_unfinished(error), hint=_again(user_id, heir or error.wanted)) from error
    except WorkspaceUnavailable as error:
        raise WorkspaceUnavailable(_unfinished(error), hint=_again(user_id, heir)) from error


class _Conflict(UsageError):
    """Others have changed a space of the user. `wanted` is `USER` if it needs an heir."""

    def __init__(self, message: str, wanted: str = "") -> None:
        super().__init__(message)
        self.wanted = wanted


async def _remove(
    workspaces: Workspaces,
    user_id: str,
    heir: str | None,
    forget: Forget | None,
    told: Told | None,
    given: Collection[str],
    of_keys: Collection[str],
) -> Belongings:
    """Remove a disabled user who has given away the spaces `given`. Another call that removes the
    same user may do some of the steps."""
    had = await belongings(workspaces, user_id)
    given = {*given, *(one.id for one in had.orphaned)}
    had = replace(
        had,
        orphaned=tuple(one for one in (*had.orphaned, *had.shared) if one.id in given),
        shared=tuple(one for one in had.shared if one.id not in given),
    )
    if forget is not None:
        left = {one.id for one in (*had.alone, *had.orphaned, *had.shared)}
        spaces = sorted({had.user.personal} | left | set(of_keys))
        try:
            await forget((user_id, *(f"{user_id}/{one}" for one in spaces)))
        except MemoryUnavailable as error:
            raise MemoryUnavailable(_unfinished(error), hint=error.hint) from error
        except ConfigError as error:
            raise ConfigError(_unfinished(error), hint=error.hint) from error
    for tries_left in reversed(range(_TRIES)):
        try:
            await _take_leave(workspaces, user_id, heir, told)
        except (UsageError, Forbidden) as error:  # others changed something, or did it already
            if not await _is_there(workspaces, user_id):
                break
            if isinstance(error, _Conflict) and not tries_left:
                raise
            if not tries_left:
                raise _Conflict(error.message) from error
        else:
            break
    return had


async def _take_leave(
    workspaces: Workspaces, user_id: str, heir: str | None, told: Told | None
) -> None:
    now = await belongings(workspaces, user_id)
    if now.orphaned:  # a request that began before the user was disabled has shared a space
        given = await workspaces.administer(lambda operator: operator.begin_removal(user_id, heir))
        if heir is None and given:
            raise _Conflict(_needs_heir(now, given).message, "USER")
    for space in (*now.orphaned, *now.shared):
        try:
            await workspaces.change(user_id, partial(_leave, space.id))
        except (UsageError, Forbidden) as error:
            raise _about(space, error) from error
    async with workspaces.of(user_id) as session:
        mine = [await session.space(now.user.personal), *now.alone]
        counts = [await session.document_count(one.id) for one in mine]
    done, total = 0, sum(counts)
    for space in mine:
        try:
            while count := await _delete_page(workspaces, user_id, space.id):
                done += count
                if told is not None:
                    told(done, max(done, total))
                await asyncio.sleep(_PAUSE_S)
            if not space.personal:
                await workspaces.change(user_id, partial(_delete, space.id))
        except (UsageError, Forbidden) as error:
            raise _about(space, error) from error
    await workspaces.administer(lambda operator: operator.forget_user(user_id))


async def _delete_page(workspaces: Workspaces, user_id: str, space_id: str) -> int:
    return await workspaces.change(
        user_id, lambda session: session.delete_documents(space_id, _PAGE, alone=True)
    )


async def _delete(space_id: str, session: Session) -> None:
    await session.delete_space(space_id, alone=True)


async def _leave(space_id: str, session: Session) -> None:
    await session.remove_member(space_id, session.user_id)


async def _is_there(workspaces: Workspaces, user_id: str) -> bool:
    async with workspaces.administration() as operator:
        return user_id in {one.id for one in await operator.users()}


def _about(space: Space, error: PinciteError) -> _Conflict:
    return _Conflict(f"the space {space.id} ({space.name}): {error.message}")


def _needs_heir(had: Belongings, spaces: Collection[str]) -> UsageError:
    names = {one.id: one.name for one in (*had.alone, *had.orphaned, *had.shared)}
    listed = ", ".join(f"{one} ({names[one]})" if one in names else one for one in spaces)
    return UsageError(
        f"the user is the only owner of spaces that others use: {listed}",
        hint="--give-to USER, or let an owner of the space be added first",
    )


def _unfinished(error: PinciteError) -> str:
    return f"the user is now disabled, and not removed yet: {error.message}"


def _again(user_id: str, heir: str | None) -> str:
    to = f" --give-to {heir}" if heir else ""
    return f"pincite workspace user remove {user_id}{to}"


async def _belongings(session: Session, user: User, enabled: frozenset[str]) -> Belongings:
    kinds: dict[str, list[Space]] = {"alone": [], "orphaned": [], "shared": []}
    for space in await session.spaces():
        if not space.personal:
            try:
                members = await session.members(space.id)
            except NotFound:  # deleted or left since the spaces were listed
                continue
            others = [one for one in members if one.user_id != user.id]
            kinds[_kind(space, others, enabled)].append(space)
    return Belongings(user, *(tuple(found) for found in kinds.values()))


def _kind(space: Space, others: list[Membership], enabled: frozenset[str]) -> str:
    if not others:
        return "alone"
    owners = {one.user_id for one in others if one.role == "owner"}
    owned = space.role == "owner" and not owners & enabled
    return "orphaned" if owned else "shared"
