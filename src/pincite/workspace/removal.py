"""Remove a user, with all that nobody else can read. Spaces of others stay.

disable -> empty the personal space, leave or hand over the others -> forget the user

The first steps are changes in the name of the user, as through HTTP, so that the usual jobs remove
the texts from the index. Each step is a transaction; the next call continues a removal that was cut
off.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from pincite.errors import UsageError
from pincite.workspace.checks import missing
from pincite.workspace.model import Membership, Space, User
from pincite.workspace.ports import Session, Workspaces

_PAGE = 1_000
#: Deletes the facts of owners (see `owner_of`): a user, and the user in single spaces.
Forget = Callable[[tuple[str, ...]], Awaitable[None]]


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
    workspaces: Workspaces, user_id: str, heir: str | None = None, forget: Forget | None = None
) -> Belongings:
    """Remove a user with the personal space, the spaces without another member, conversations,
    facts and keys. `heir` becomes the owner of the spaces that would have none. `forget` deletes
    the facts that are not in the database; what it raises ends the removal, with the user disabled.
    Return the former spaces of the user. Raise NotFound for an unknown user or heir, and UsageError
    for a disabled heir and if there are such spaces and no `heir`. Nothing is changed then, but the
    user is disabled if others joined a space or other owners left it during the call."""
    had = await belongings(workspaces, user_id)
    if had.orphaned and heir is None:
        names = ", ".join(f"{one.id} ({one.name})" for one in had.orphaned)
        raise UsageError(
            f"the user is the only owner of spaces that others use: {names}",
            hint="--give-to USER, or let an owner of the space be added first",
        )
    async with workspaces.administration() as operator:
        if heir is not None:
            known = {one.id: one for one in await operator.users() if one.id != user_id}
            if heir not in known:
                raise missing("user", heir)
            if known[heir].disabled is not None:
                raise UsageError(
                    f"the user {heir} is disabled", hint="pincite workspace user enable"
                )
        await operator.disable_user(user_id)  # no new space or member from here on
        of_keys = {one.space_id for one in await operator.keys(user_id) if one.space_id}
    had = await belongings(workspaces, user_id)
    if forget is not None:
        left = {one.id for one in (*had.alone, *had.orphaned, *had.shared)}
        spaces = sorted({had.user.personal} | left | of_keys)
        await forget((user_id, *(f"{user_id}/{one}" for one in spaces)))
    for space in had.orphaned:
        if heir is None:  # it was shared in the meantime
            raise UsageError("others joined a space of the user, now disabled: try again")
        async with workspaces.administration() as operator:
            await operator.give_space(space.id, heir)
    async with workspaces.of(user_id) as session:
        for space in had.alone:
            await session.delete_space(space.id, alone=True)
        for space in (*had.orphaned, *had.shared):
            await session.remove_member(space.id, user_id)
        await _empty(session, had.user.personal)
    async with workspaces.administration() as operator:
        await operator.forget_user(user_id)
    return had


async def _belongings(session: Session, user: User, enabled: frozenset[str]) -> Belongings:
    kinds: dict[str, list[Space]] = {"alone": [], "orphaned": [], "shared": []}
    for space in await session.spaces():
        if not space.personal:
            others = [one for one in await session.members(space.id) if one.user_id != user.id]
            kinds[_kind(space, others, enabled)].append(space)
    return Belongings(user, *(tuple(found) for found in kinds.values()))


def _kind(space: Space, others: list[Membership], enabled: frozenset[str]) -> str:
    if not others:
        return "alone"
    owners = {one.user_id for one in others if one.role == "owner"}
    owned = space.role == "owner" and not owners & enabled
    return "orphaned" if owned else "shared"


async def _empty(session: Session, space_id: str) -> None:
    while found := await session.documents(space_id, limit=_PAGE):
        for document in found:
            await session.delete_document(document.id)
    for feed in await session.feeds(space_id):
        await session.delete_feed(feed.id)
