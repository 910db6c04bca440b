"""Calls of the engine, and what they raise in our words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from pincite.errors import EnginePanicked, PinciteError, StoreError


@contextmanager
def translated(collection: str, verb: str) -> Iterator[None]:
    """What engine calls raise as StoreError or EnginePanicked."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, asyncio.CancelledError, PinciteError):
        raise
    except BaseException as error:
        failed = StoreError if isinstance(error, Exception) else EnginePanicked
        raise failed(
            f"the engine could not {verb} collection {collection!r}: {error}",
            hint=f"pincite collections rebuild {collection}",
        ) from error
