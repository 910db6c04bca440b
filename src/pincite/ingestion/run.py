"""A run that writes to a collection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from pincite.model import DocumentRecord


class Stopped(Exception):
    """A run was asked to stop. What it has finished stays, and the next one continues there."""


class Only(msgspec.Struct, frozen=True):
    """The files and folders that a run looks at, instead of whole sources. `records` returns their
    records in a collection and a source."""

    paths: tuple[str, ...]
    records: Callable[[str, str], Awaitable[tuple[DocumentRecord, ...]]]


class Refresh(msgspec.Struct, frozen=True):
    """A run that nobody requested: it updates a known source, described as in the collection.

    It uses no paid model unless the settings allow it, and removes nothing if the disk of the
    source seems to be missing. `only` limits it to these files and folders. It ends with Stopped
    after a batch in which `stop` is set."""

    source: str
    only: Only | None = None
    stop: asyncio.Event | None = None
