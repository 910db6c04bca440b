"""Open the memory and the conversations that the settings configure."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pincite.errors import ConfigError
from pincite.index.folder import make_folder, require_own
from pincite.model import Fact
from pincite.ports import Conversations, Memory
from pincite.settings.load import Settings
from pincite.settings.sections.memory import BUNDLED

if TYPE_CHECKING:
    from pincite.encoders.by_name import Models
    from pincite.ports import DenseEncoder
    from pincite.providers.memory.sqlite import SqliteMemory

MEMORY: Final = "memory.db"
MEM0: Final = "mem0"
CONVERSATIONS: Final = "conversations.db"


def open_memory(
    settings: Settings,
    models: Models | None = None,
    keep: Callable[[DenseEncoder | None], Memory] | None = None,
) -> Memory | None:
    """Return the memory that `[memory]` configures, None if there is none. Neither a file nor a
    model is opened before the first call. The memory uses the models of `models`; without these, it
    opens its own and closes them. `keep` makes the memory that stores texts unchanged, by default
    in an SQLite file."""
    memory = settings.memory
    if memory.kind == "none":
        return None
    place = _place(settings, MEM0 if memory.kind == "mem0" else MEMORY)
    make = partial(_make, settings, place)
    keep = keep or partial(_in_file, place, make)
    if memory.kind == "sqlite" and not memory.dense:
        return keep(None)
    return _LateMemory(partial(_opened, settings, place, make, keep), models, settings)


def open_fact_file(settings: Settings) -> SqliteMemory:
    """Return the memory in the SQLite file of an index folder, even if `[memory]` now configures
    another kind. No file is opened before the first call."""
    from pincite.providers.memory.sqlite import SqliteMemory

    return SqliteMemory(place_of_fact_file(settings))


def place_of_fact_file(settings: Settings) -> Path:
    """Return the path of the file of `open_fact_file`, which need not exist."""
    if settings.memory.kind == "sqlite":
        return _place(settings, MEMORY)
    return settings.index / MEMORY


def place_of_mem0(settings: Settings) -> Path:
    """Return the path of the folder of mem0, which need not exist."""
    return _place(settings, MEM0)


def open_conversations(settings: Settings) -> Conversations:
    """Return the conversations of the index folder. No file is opened before the first call."""
    from pincite.providers.conversations.sqlite import SqliteConversations

    place = settings.index / CONVERSATIONS
    return SqliteConversations(place, place=partial(_make, settings, place))


def _in_file(place: Path, make: Callable[[], None], encoder: DenseEncoder | None) -> Memory:
    from pincite.providers.memory.sqlite import SqliteMemory

    return SqliteMemory(place, encoder, place=make)


async def _opened(
    settings: Settings,
    place: Path,
    make: Callable[[], None],
    keep: Callable[[DenseEncoder | None], Memory],
    models: Models,
) -> Memory:
    memory = settings.memory
    encoder = await _encoder(settings, models)
    if memory.kind == "sqlite":
        return keep(encoder)
    from pincite.providers.memory.mem0 import Mem0Memory

    llm = None
    if memory.infer:
        if not settings.use.llm:
            raise ConfigError(
                "memory.infer is true, but no language model is configured",
                hint='set [models] llm = "PROVIDER:MODEL", or infer = false',
            )
        llm = await models.llm(settings.use.llm)
    return Mem0Memory(place, encoder, llm, infer=memory.infer, place=make)


async def _encoder(settings: Settings, models: Models) -> DenseEncoder:
    if settings.memory.dense in ("", BUNDLED):
        from pincite.encoders.bundled import open_encoder

        return await asyncio.to_thread(open_encoder, settings.models, threads=settings.threads)
    return await models.dense(settings.memory.dense)


def _place(settings: Settings, name: str) -> Path:
    given = settings.memory.path
    return settings.index / Path(given).expanduser() if given else settings.index / name


def _make(settings: Settings, place: Path) -> None:
    """Create the folder of a database; new folders are private. Raises IndexUnavailable if the
    index folder belongs to another user."""
    if place.is_relative_to(settings.index):
        require_own(settings.index)
        if not settings.index.exists():
            make_folder(settings.index)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)


class _LateMemory:
    """A `Memory` that needs models, and is therefore opened by its first call."""

    def __init__(
        self,
        opening: Callable[[Models], Awaitable[Memory]],
        models: Models | None,
        settings: Settings,
    ) -> None:
        self._opening = opening
        self._models = models
        self._own: Models | None = None
        self._settings = settings
        self._memory: Memory | None = None
        self._lock = asyncio.Lock()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the memory; until it is open, its kind and model from the settings."""
        if self._memory is not None:
            return self._memory.fingerprint
        memory = self._settings.memory
        return f"{memory.kind}/{memory.dense or BUNDLED}"

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """See `Memory.remember`."""
        return await (await self._open()).remember(user, text)

    async def recall(self, user: str, query: str, limit: int) -> tuple[Fact, ...]:
        """See `Memory.recall`."""
        return await (await self._open()).recall(user, query, limit)

    async def facts(self, user: str, after: str = "", limit: int | None = None) -> tuple[Fact, ...]:
        """See `Memory.facts`."""
        return await (await self._open()).facts(user, after, limit)

    async def forget(self, user: str, fact: str = "") -> int:
        """See `Memory.forget`."""
        return await (await self._open()).forget(user, fact)

    async def close(self) -> None:
        """See `Memory.close`."""
        if self._memory is not None:
            await self._memory.close()
        if self._own is not None:
            await self._own.close()

    async def _open(self) -> Memory:
        async with self._lock:
            if self._memory is None:
                self._memory = await self._opening(self._models or self._made())
            return self._memory

    def _made(self) -> Models:
        from pincite.encoders.by_name import Models

        if self._own is None:
            self._own = Models(self._settings)
        return self._own
