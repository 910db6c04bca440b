"""One index for all frameworks: three pages and a module."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from pincite import Pincite


class Closable(Protocol):
    def close(self) -> None: ...


T = TypeVar("T", bound=Closable)
FILES = {
    "docs/keys.md": "# Keys\n\n## Rotation\n\nTo rotate a key, call `rotate_key` with the new"
    " secret.\n\n## Expiry\n\nA key expires after 30 days unless it is pinned.\n",
    "docs/limits.md": "# Rate limits\n\nA client may send 600 requests a minute. Above that the"
    " server answers 429 with Retry-After.\n",
    "docs/backup.md": "# Backups\n\nSnapshots of the database are taken every night and kept for"
    " two weeks.\n",
    "src/keys.py": 'def rotate_key(secret: str) -> str:\n    """Replace the secret of a key."""\n'
    "    return secret[::-1]\n",
}
QUESTIONS = (
    *("how is a key rotated?", "rotate_key", "when does a key expire", "pinned keys"),
    *(
        "how many requests a minute",
        "429 Retry-After",
        "rate limit of a client",
        "too many requests",
    ),
    *("backups of the database", "how long are snapshots kept", "nightly snapshots", "two weeks"),
    *("replace the secret of a key", "new secret", "def rotate_key", "30 days"),
    *("what does the server answer above the limit", "expiry", "rotation of secrets", "database"),
)


@contextmanager
def without_model(folder: Path) -> Iterator[None]:
    """Nothing can be embedded, so that collections are made without vectors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PINCITE_OFFLINE", "1")
        patch.setenv("PINCITE_MODELS", str(folder / "no models"))
        yield


@pytest.fixture(scope="package")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frameworks")
    for name, text in FILES.items():
        path = folder / "acme" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with without_model(folder), Pincite(folder / ".pincite") as pincite:
        pincite.index(folder / "acme")  # so that searches have a warning
    return folder / ".pincite"


@pytest.fixture(autouse=True)
def _loops_of_frameworks() -> Iterator[None]:
    """Frameworks leave event loops unclosed: they are collected here, not in the next test. What
    was there before is not looked at again: the modules of all frameworks take a second."""
    gc.freeze()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


class Opened(Protocol):
    """Closes at the end of a test what it is given."""

    def __call__(self, one: T) -> T: ...


@pytest.fixture
def opened() -> Iterator[Opened]:
    with ExitStack() as stack:

        def keep(one: T) -> T:
            stack.callback(one.close)
            return one

        yield keep
