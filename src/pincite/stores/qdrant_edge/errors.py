"""Errors of Qdrant Edge, which are plain exceptions and panics, as ours."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from pincite.errors import EnginePanicked, PinciteError, StoreError


@contextmanager
def translated(collection: str, verb: str) -> Iterator[None]:
    """Translate errors of Qdrant Edge's calls to StoreError or EnginePanicked."""
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
