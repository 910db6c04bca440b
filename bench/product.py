"""The product as its users have it: an index folder and its daemon."""

from __future__ import annotations

import asyncio
import compileall
import fcntl
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.frame import Options
from pincite.catalog.file import holds_index, open_catalog
from pincite.daemon.server.encoder import QueryEncoder
from pincite.daemon.wire.protocol import ServedIndex
from pincite.engine import AsyncPincite
from pincite.index.local import LocalIndex
from pincite.model import CollectionSpec
from pincite.ports import DenseEncoder, Index
from pincite.profile import Profile
from pincite.settings.load import Settings
from pincite.stores.qdrant_edge.store import EdgeStore

_GONE_S = 30.0


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder outside of any repository, removed at the end."""
    with TemporaryDirectory(prefix="pincite-bench-") as name:
        yield Path(name)


def compile_package(package: Path) -> None:
    """Compile all modules, as an installation does. Otherwise each daemon and each worker compiles
    them again where Python keeps no compiled files: .1 s of processor time for a daemon."""
    compileall.compile_dir(package, quiet=2)


def settings_of(root: Path, models: Path) -> Settings:
    """Those of the index folder `root`, whose daemon leaves soon after."""
    return Settings(index=root, models=models, profile=Profile(), idle_s=120.0)


@asynccontextmanager
async def new_index() -> AsyncIterator[LocalIndex]:
    """An empty index in this process, in a temporary folder."""
    with temporary_folder() as folder:
        store = EdgeStore(folder / "store")
        index = LocalIndex(store, open_catalog(folder), store)
        try:
            yield index
        finally:
            await index.close()


@asynccontextmanager
async def open_product(root: Path, options: Options) -> AsyncIterator[AsyncPincite]:
    """An engine on the index folder `root`. At the end its daemon is asked to leave."""
    settings = settings_of(root, options.models)
    async with AsyncPincite(settings) as engine:
        try:
            yield engine
        finally:
            if holds_index(root):
                await release(engine.client(), root)


async def release(client: ServedIndex, root: Path) -> None:
    """Ask the daemon to leave if there is one, and wait until it has let go of the folder."""
    if (root / "owner.lock").exists() and not _free(root):
        await client.leave()
    await client.close()
    async with asyncio.timeout(_GONE_S):
        while not _free(root):  # noqa: ASYNC110 - another process lets go of it
            await asyncio.sleep(0.01)


def _free(root: Path) -> bool:
    with (root / "owner.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


async def spec_of(index: Index, collection: str = "main") -> CollectionSpec:
    """The spec of a collection as it is now."""
    return next(i.spec for i in await index.collections() if i.spec.name == collection)


def dense_of(engine: AsyncPincite, spec: CollectionSpec) -> DenseEncoder | None:
    """The daemon's encoder, as searches use it."""
    if spec.dense is None:
        return None
    return QueryEncoder(engine.client(), str(engine.settings.models), spec.dense, spec.dimensions)


def read_raw(location: Path, path: str) -> bytes:
    """The bytes of a file of a source, read without the product: from a folder or a wheel."""
    if location.is_dir():
        return (location / path).read_bytes()
    with zipfile.ZipFile(location) as archive:
        return archive.read(path)
