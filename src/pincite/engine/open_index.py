"""An open index folder: the base of all public methods."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import cache, partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pincite.catalog.file import holds_index
from pincite.collection.foreign import ForeignCollections
from pincite.daemon.client.open_index import is_shared, open_index, prepare
from pincite.daemon.refresh.freshness import Freshness, wish_of
from pincite.daemon.wire.protocol import ServedIndex
from pincite.encoders.by_name import Models
from pincite.model import Notice, Scope
from pincite.settings.load import Settings

if TYPE_CHECKING:
    from pincite.deps import Deps
    from pincite.engine.searcher import Searcher
    from pincite.ports import Reranker
    from pincite.retrieval_log import Recorder

log = logging.getLogger("pincite")

_LOOK_S = 0.05


class OpenIndex:
    """The daemon, the models, other programs' collections and the log of an index folder. Each is
    opened when it is first used; `log` returns the log of searches. The subclasses in
    `pincite.engine` have the public methods."""

    def __init__(self, settings: Settings, reranker: Reranker | None = None) -> None:
        self.settings = settings
        self._models = Models(settings, _log_notice)
        self._reranker = reranker
        self.foreign = ForeignCollections(settings, self._models)
        self._client: ServedIndex | None = None
        self._is_shared = is_shared(settings)
        self._made_searcher: Searcher | None = None
        self.log: Callable[[], Recorder] = cache(partial(_recorder, settings))

    @property
    def _searcher(self) -> Searcher:
        """The searcher of this index, opened when it is first used."""
        if self._made_searcher is None:
            from pincite.engine.searcher import Searcher  # late: an indexing run needs none

            self._made_searcher = Searcher(
                *(self.settings, self.client, self._models, self.foreign),
                log=lambda: self.log(),
                reranker=lambda: self._reranker,
            )
        return self._made_searcher

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Disconnect from the daemon and from providers. The daemon keeps running. Leaving the
        context manager calls this method.

        >>> await pincite.close()
        """
        await self._models.close()
        await self.foreign.close()
        if self._client is not None:
            await self._client.close()

    def client(self, *, create: bool = False) -> ServedIndex:
        """Return the connection to the daemon of the index, for calls that have no method here.

        Arguments:
            create: create the folder if there is no index yet.

        Raises IndexNotFound unless there is an index or `create` is set.

        >>> infos = await pincite.client().collections()
        >>> [info.spec.name for info in infos]
        ['main']
        """
        root = self.settings.index
        here = not self._is_shared
        if here and (self._client is None or not holds_index(root)):
            create = create or bool(self.foreign)
            prepare(root, self.settings.store, create=create, found=self.settings.index_found)
        if self._client is None:
            self._client = open_index(self.settings)
        return self._client

    def reopen(self) -> None:
        """Make the next search list the collections again, because other processes may have changed
        them. Call it now and then in a long-running program. It costs the next search a few
        milliseconds.

        >>> pincite.reopen()
        """
        if self._made_searcher is not None:
            self._made_searcher.collections.reopen()

    async def refresh(self, *, wait: bool = True) -> Freshness:
        """Update indexed folders, checkouts and archives, also if `refresh.mode` is `manual`. A
        background process does the work. It adds no new sources, and removes nothing if a whole
        folder is missing.

        Arguments:
            wait: return when the update is done. If False, return at once; searches find the
                changes later.

        Returns the state of the index: what is still being indexed, and `troubles` with what could
        not be. Raises IndexNotFound, IndexUnavailable.

        >>> fresh = await pincite.refresh()
        >>> fresh.pending
        ()
        """
        daemon = self.client()
        found = await daemon.look(wish_of(self.settings, now=True))
        number = found.wanted
        while wait and found.done < number:
            await asyncio.sleep(_LOOK_S)
            found = (await daemon.condition()).freshness
        self.reopen()
        return found

    async def freshness(self) -> Freshness:
        """Return the state of the index: the time of the last scan, what is being indexed, and
        whether file events are watched. Raises IndexNotFound, IndexUnavailable.

        >>> (await pincite.freshness()).indexing
        False
        """
        return (await self.client().condition()).freshness

    async def deps(self, scope: Scope = Scope()) -> Deps:
        """Return the dependencies of a search: collections with encoders, the reranker, language
        rules.

        Arguments:
            scope: the part of the index that is searched.

        Raises IndexNotFound, IndexUnavailable, FingerprintMismatch, UsageError for an unknown
        collection.

        >>> deps = await pincite.deps()
        >>> [one.spec.name for one in deps.collections]
        ['main']
        """
        return (await self._searcher.collections.opened(scope, self.settings.profile))[1]

    async def reranker(self) -> Reranker | None:
        """Return the open reranker, None if none is configured. If it cannot be opened, calling it
        raises the error.

        >>> await pincite.reranker() is None
        True
        """
        return await self._searcher.collections.reranker(self.settings.profile)


def _recorder(settings: Settings) -> Recorder:
    from pincite.retrieval_log import file_recorder  # late, as above

    return file_recorder(settings.index, settings.log)


def _log_notice(notice: Notice) -> None:
    log.warning("%s: %s", notice.code, notice.message)
