"""The open resources of all requests, and the limits of a key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from litestar.datastructures import State

from pincite.support.concurrency import OnePerName
from pincite.surfaces.http.rates import KeyRates
from pincite.surfaces.page.colours import Colours
from pincite.workspace.access.issuer_keys import IssuerKeys
from pincite.workspace.access.rates import Rate
from pincite.workspace.database.transaction import utc_now
from pincite.workspace.files.file_store import FileStore
from pincite.workspace.ports import Workspaces
from pincite.workspace.workspace import Workspace

MOST_FILE_BYTES: Final = 50_000_000  # guess, unmeasured


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of one key: `per_minute` requests at once, and as many in each further minute,
    counted over all processes."""

    per_minute: int = 600
    file_bytes: int = MOST_FILE_BYTES
    body_bytes: int = 1_000_000


@dataclass(slots=True)
class Looked:
    """The last health check: the reasons why requests would fail, and its time."""

    reasons: tuple[str, ...] = ()
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Showing:
    """Resources for showing documents on the page. Few pages are drawn at once, because each blocks
    a thread. Each user has one at a time, so that a deliberately slow document leaves threads to
    others."""

    colours: Colours = field(default_factory=Colours)
    turns: OnePerName = field(default_factory=OnePerName)
    pictures: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(2, thread_name_prefix="pincite-pictures")
    )

    async def close(self) -> None:
        """End the processes for colours; pages still waiting are not drawn."""
        self.pictures.shutdown(wait=False, cancel_futures=True)
        await self.colours.close()


@dataclass(frozen=True, slots=True)
class Resources:
    """The open resources of all requests. Tokens of `issuer` are accepted besides keys."""

    workspace: Workspace
    workspaces: Workspaces
    files: FileStore
    limits: RequestLimits = RequestLimits()
    now: Callable[[], datetime] = utc_now
    looked: Looked = field(default_factory=Looked)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    issuer: IssuerKeys | None = None
    showing: Showing = field(default_factory=Showing)
    rates: KeyRates = field(init=False)

    def __post_init__(self) -> None:
        most = self.limits.per_minute
        object.__setattr__(self, "rates", KeyRates(self.workspaces, Rate(most, most)))


def resources_of(state: State) -> Resources:
    """Return the open resources."""
    resources = state["resources"]
    assert isinstance(resources, Resources)
    return resources
