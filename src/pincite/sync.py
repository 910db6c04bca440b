"""`AsyncPincite` for callers without an event loop."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from pincite.citations.claims import Claim, ClaimCheck
from pincite.citations.locate import Checked, Passage
from pincite.engine import AsyncPincite
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import IngestReport, Progress
from pincite.model import EvidencePack, Scope, TaskMode
from pincite.ports import CollectionInfo, Reranker, Waiting
from pincite.profile import Profile
from pincite.settings.defaults import WAIT_S
from pincite.settings.load import Settings, load_settings

if TYPE_CHECKING:
    from pincite.maintenance.reembed import Reembedded, Reembedding, ReembedOptions

P = ParamSpec("P")
T = TypeVar("T")


class Pincite:
    """An index folder, open, with the methods of `AsyncPincite`; a context manager.

    Its event loop runs in a thread of its own, so it may be used from several threads, and where
    a loop is running already, as in a notebook.
    """

    def __init__(
        self, index: Path | Settings | None = None, *, reranker: Reranker | None = None
    ) -> None:
        """`index` is an index folder or complete settings; by default what the environment and
        the current folder say. Raises ConfigError."""
        settings = (
            index if isinstance(index, Settings) else load_settings(os.environ, Path.cwd(), index)
        )
        self._engine = AsyncPincite(settings, reranker)
        self._stack = ExitStack()
        self._portal: BlockingPortal = self._stack.enter_context(start_blocking_portal())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up on the daemon and end the thread."""
        with self._stack:
            self._portal.call(self._engine.close)

    def index(
        self,
        locations: Sequence[str | Path] = (),
        *,
        options: IndexOptions | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> tuple[IngestReport, ...]:
        """As `AsyncPincite.index`."""
        return self._call(self._engine.index, locations, options=options, progress=progress)

    def search(
        self,
        text: str,
        *,
        mode: TaskMode = "explain",
        budget_ms: float | None = None,
        scope: Scope = Scope(),
        profile: Profile | None = None,
    ) -> EvidencePack:
        """As `AsyncPincite.search`."""
        asked = partial(self._engine.search, text, mode=mode, budget_ms=budget_ms)
        return self._call(asked, scope=scope, profile=profile)

    def get(self, locator: str, context: int = 0) -> Passage:
        """As `AsyncPincite.get`."""
        return self._call(self._engine.get, locator, context)

    def check(self, claims: Sequence[Claim]) -> tuple[ClaimCheck, ...]:
        """As `AsyncPincite.check`."""
        return self._call(self._engine.check, claims)

    def verify(self, pack: EvidencePack) -> tuple[Checked, ...]:
        """As `AsyncPincite.verify`."""
        return self._call(self._engine.verify, pack)

    def collections(self) -> tuple[CollectionInfo, ...]:
        """As `AsyncPincite.collections`."""
        return self._call(self._engine.collections)

    def reembed(
        self,
        collection: str,
        model: str,
        *,
        options: ReembedOptions | None = None,
        progress: Callable[[Reembedding], None] = lambda _: None,
    ) -> Reembedded:
        """As `AsyncPincite.reembed`."""
        work = partial(self._engine.reembed, collection, model)
        return self._call(work, options=options, progress=progress)

    def drop(self, collection: str, waiting: Waiting = Waiting(WAIT_S)) -> None:
        """As `AsyncPincite.drop`."""
        self._call(self._engine.drop, collection, waiting)

    def forget(self, collection: str, source: str, waiting: Waiting = Waiting(WAIT_S)) -> int:
        """As `AsyncPincite.forget`."""
        return self._call(self._engine.forget, collection, source, waiting)

    def stop(self) -> None:
        """As `AsyncPincite.stop`."""
        self._call(self._engine.stop)

    def _call(self, method: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        return self._portal.call(partial(method, *args, **kwargs))
