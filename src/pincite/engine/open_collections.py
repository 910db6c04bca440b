"""The open collections and models of an index, for its searches."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from pincite.collection.searchables import Searchables, open_searchables
from pincite.deps import Deps
from pincite.encoders.by_name import NamedReranker, cutter_of
from pincite.errors import ConfigError, IndexNotFound, PinciteError
from pincite.model import Scope
from pincite.ports import LLM, CollectionInfo, Reranker
from pincite.profile import Profile
from pincite.providers.llm.wording_cache import wordings_beside
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.language import guess_language
from pincite.scope.filter import check_scope

if TYPE_CHECKING:
    from pincite.collection.foreign import ForeignCollections
    from pincite.daemon.wire.protocol import ServedIndex
    from pincite.encoders.by_name import Models
    from pincite.settings.load import Settings

log = logging.getLogger("pincite")

#: Seconds for which the list of collections counts as current. A list costs a request to the daemon
#: or three short queries of a database. Guess, unmeasured.
_CURRENT_S: Final = 3.0


class OpenCollections:
    """The open collections of one index with their encoders, the reranker and the language model.
    The collections are listed with the first search, and again after `reopen`. A search that begins
    more than 3 s after the last list compares it with the present one, because other processes add
    collections."""

    def __init__(
        self,
        settings: Settings,
        client: Callable[[], ServedIndex],
        models: Models,
        foreign: ForeignCollections,
        reranker: Callable[[], Reranker | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`reranker` returns a reranker to use instead of the configured one, or None. `clock`
        returns seconds."""
        self._settings = settings
        self._clock = clock
        self._listed_s = 0.0  # by the clock
        self._client = client
        self._models = models
        self._foreign = foreign
        name = settings.use.rerank
        self._named = NamedReranker(models, name) if name else None
        self._given = reranker
        self._known: Searchables | None = None
        self._listed = False  # at least once
        self._known_wordings = wordings_beside(settings.use.cache)

    @property
    def infos(self) -> Mapping[str, CollectionInfo]:
        """The collections that are open, by name."""
        return self._known.infos if self._known is not None else {}

    def reopen(self) -> None:
        """Make the next search list the collections again."""
        self._known = None

    async def outdated(self) -> bool:
        """Return whether collections were added or removed since they were opened; if so, the next
        search opens them again. Also true after `reopen`, for a search that began before it."""
        if self._known is None:
            return self._listed
        known = self._known.infos
        specs = {info.spec.name: info.spec for info in await self._client().collections()}
        if specs == {name: info.spec for name, info in known.items() if not info.foreign}:
            return False
        self._known = None
        return True

    async def opened(
        self, scope: Scope, profile: Profile, *, asked: bool = False
    ) -> tuple[Searchables, Deps]:
        """Return everything that can be searched, and the dependencies of a search in this scope.
        If `asked`, check the tags of the scope before a provider is opened. Raises TagsRequired."""
        await self._compare()
        known = self._known
        if known is None or known.partial:  # more chunks may have vectors by now
            client = self._client()
            self._listed_s = self._clock()
            infos = await client.collections()
            if not infos and not self._foreign:
                raise IndexNotFound(
                    f"nothing is indexed at {self._settings.index}", hint="pincite index PATH"
                )
            opening = open_searchables(self._settings, self._models, client, infos, self._foreign)
            known = self._known = await opening
            self._listed = True
        chosen, notices = await known.within(scope)
        if not chosen:
            raise IndexNotFound("no indexing run of this index has finished", hint="pincite status")
        if asked:
            check_scope(chosen, scope)
        reranker = await self.reranker(profile)
        llm = await self._llm() if profile.gate.answerable == "llm" else None
        if llm is None and profile.expand.by == "llm" and self._settings.use.llm:
            llm = await self._llm()
        return known, Deps(
            collections=chosen,
            terms=informative_terms(chosen[0].spec.language),
            language_of=guess_language,
            reranker=reranker,
            notices=notices,
            cut=cutter_of(reranker, profile.rerank.tokenizer),
            llm=llm,
            known_wordings=self._known_wordings,
        )

    async def _compare(self) -> None:
        """Compare the open collections with those of the index, unless that was done a moment ago.
        If the list cannot be read, the search goes on with the open ones."""
        if self._known is None or self._clock() - self._listed_s < _CURRENT_S:
            return
        self._listed_s = self._clock()  # first: other searches need not wait for the same list
        try:
            await self.outdated()
        except PinciteError as error:
            log.info("the collections cannot be listed: %s", error.message)

    async def reranker(self, profile: Profile) -> Reranker | None:
        """Return the open reranker, None if none is configured. If it cannot be opened, calling it
        raises the error."""
        if profile.rerank.use == "never":
            return None
        if (given := self._given()) is not None:
            return given
        if self._named is not None:
            await self._named.open(profile.rerank.timeout_s)
        return self._named

    async def _llm(self) -> LLM:
        """Return the configured language model. Raises ConfigError if there is none."""
        name = self._settings.use.llm
        if not name:
            raise ConfigError(
                'gate.answerable is "llm", but no language model is configured',
                hint='set [models] llm = "PROVIDER:MODEL", or gate.answerable = "off"',
            )
        return await self._models.llm(name)
