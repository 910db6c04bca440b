"""Whoever has lost the lease of a collection changes nothing in a store that others write to."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest

from pincite.daemon.shared_index import UNGUARDED, GuardedStore
from pincite.errors import IndexUnavailable
from pincite.ports import Store
from pincite.testing.points import LEXICAL_SPEC

METHODS: Final = frozenset(
    name for name, _ in inspect.getmembers(Store, inspect.isfunction) if not name.startswith("_")
)
CHANGES: Final = "create drop publish remove set_attributes set_sparse stage".split()


class Calls:
    """A store that notes which of its methods were called."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Callable[[object], Awaitable[None]]:
        async def call(_: object) -> None:
            self.called.append(name)

        return call


async def lost(collection: str) -> None:
    assert collection == LEXICAL_SPEC.name
    raise IndexUnavailable("another process writes there now")


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_refused_before_it_begins(name: str) -> None:
    store: Any = Calls()
    guarded: Any = GuardedStore(store, lost)
    changed = LEXICAL_SPEC if name == "create" else LEXICAL_SPEC.name
    with pytest.raises(IndexUnavailable, match="writes there now"):
        asyncio.run(getattr(guarded, name)(changed))
    assert not store.called


def test_everything_else_needs_no_lease() -> None:
    store: Any = Calls()
    guarded: Any = GuardedStore(store, lost)
    assert sorted(METHODS - UNGUARDED) == CHANGES
    assert METHODS >= UNGUARDED
    for name in sorted(UNGUARDED):
        asyncio.run(getattr(guarded, name)(LEXICAL_SPEC.name))
    assert store.called == sorted(UNGUARDED)
