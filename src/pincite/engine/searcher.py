"""Searches of an open index. This is imported with the first search: an indexing run needs none of
it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pincite.asking.paths import is_placed, place_paths
from pincite.asking.revisions import find_commits, names_commit
from pincite.catalog.file import holds_index
from pincite.collection.members import visible
from pincite.collection.no_documents import no_documents
from pincite.collection.searchables import Searchables, open_searchables
from pincite.collection.tracing import watched_search
from pincite.collection.unfinished import is_written, unfinished, unfinished_notice
from pincite.current_files.files import FilesOnDisk
from pincite.daemon.client.remote_search import remote_search_of
from pincite.daemon.refresh.freshness import wish_of
from pincite.deps import Admission, Admit, Deps, informative_terms
from pincite.encoders.by_name import NamedReranker, cutter_of
from pincite.errors import ConfigError, IndexNotFound, PinciteError, StoreError, UsageError
from pincite.model import (
    DocumentRecord,
    EvidencePack,
    Notice,
    Question,
    Scope,
    SourceRecord,
)
from pincite.ports import LLM, CollectionInfo, Reranker
from pincite.profile import Profile
from pincite.providers.llm.wording_cache import wordings_beside
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import Asked, Entry, Recorder
from pincite.scope.filter import check_scope
from pincite.scope.paths import path_test
from pincite.scope.tagged_index import named_infos, within_tags
from pincite.scope.unshown import unnamed
from pincite.scope.warnings import is_bound
from pincite.search import search
from pincite.support.fields import replace
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.collection.external import ForeignCollections
    from pincite.daemon.refresh.freshness import Freshness
    from pincite.daemon.wire.protocol import ServedIndex
    from pincite.encoders.by_name import Models
    from pincite.settings.load import Settings

#: The notice of a search if a collection was removed while it ran.
_OVERTAKEN = ("collection_failed", "context_unavailable")


class Searcher:
    """Searches one open index. Its collections and their encoders are opened with the first search,
    and again after `reopen`."""

    def __init__(
        self,
        settings: Settings,
        client: Callable[[], ServedIndex],
        models: Models,
        foreign: ForeignCollections,
        log: Callable[[], Recorder],
        reranker: Callable[[], Reranker | None],
    ) -> None:
        """`log` returns the current log, `reranker` what replaces the configured one, or None."""
        self._settings = settings
        self._client = client
        self._models = models
        self._foreign = foreign
        self._log = log
        name = settings.use.rerank
        self._named = NamedReranker(models, name) if name else None
        self._given = reranker
        self._searchables: Searchables | None = None
        self._known_wordings = wordings_beside(settings.use.cache)
        self._files = FilesOnDisk(self._sources)

    @property
    def infos(self) -> Mapping[str, CollectionInfo]:
        """The collections that are open, by name."""
        return self._searchables.infos if self._searchables is not None else {}

    def reopen(self) -> None:
        """Make the next search list the collections again."""
        self._searchables = None

    async def opened(
        self, scope: Scope, profile: Profile, *, asked: bool = False
    ) -> tuple[Searchables, Deps]:
        """Everything that can be searched, and the dependencies of a search in this scope. If
        `asked`, the tags of the scope are checked before a provider is opened. Raises
        TagsRequired."""
        known = self._searchables
        if known is None or known.partial:  # more chunks may have vectors by now
            client = self._client()
            infos = await client.collections()
            if not infos and not self._foreign:
                raise IndexNotFound(
                    f"nothing is indexed at {self._settings.index}", hint="pincite index PATH"
                )
            opening = open_searchables(self._settings, self._models, client, infos, self._foreign)
            known = self._searchables = await opening
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

    async def reranker(self, profile: Profile) -> Reranker | None:
        """The open reranker; None if none is configured. If it cannot be opened, calling it raises
        the error."""
        if profile.rerank.use == "never":
            return None
        if (given := self._given()) is not None:
            return given
        if self._named is not None:
            await self._named.open(profile.rerank.timeout_s)
        return self._named

    async def _llm(self) -> LLM:
        """The configured language model. Raises ConfigError if there is none."""
        name = self._settings.use.llm
        if not name:
            raise ConfigError(
                'gate.answerable is "llm", but no language model is configured',
                hint='set [models] llm = "PROVIDER:MODEL", or gate.answerable = "off"',
            )
        return await self._models.llm(name)

    async def search(
        self,
        question: Question,
        profile: Profile,
        steps: Trace,
        here: str | None = None,
        admit: Admit | None = None,
    ) -> EvidencePack:
        """Run and log a search. It is repeated once if collections were added or removed. Errors do
        not show the names of unshown collections; their cause does."""
        try:
            return await self._logged(question, profile, steps, here, admit)
        except PinciteError as error:
            if (told := unnamed(error, question.scope)) is error:
                raise
            raise told from error

    async def _logged(
        self,
        question: Question,
        profile: Profile,
        steps: Trace,
        here: str | None,
        admit: Admit | None,
    ) -> EvidencePack:
        if not is_placed(question.scope) or names_commit(question.scope):
            question = replace(question, scope=await self._placed(question.scope, here))
        with (
            watched_search(question, profile, steps) as watched,
            self._log().entry(Asked.of(_told(question, admit), profile), steps) as entry,
        ):
            once = partial(self._once, question, profile, steps, entry, admit)
            try:
                entry.pack = await once()
                failed = any(one.code in _OVERTAKEN for one in entry.pack.warnings)
            except UsageError:
                if not await self.outdated():
                    raise
                entry.pack = await once()
            else:
                if failed and await self.outdated():
                    entry.pack = await once()
            watched.found(entry.pack, told=entry.told)
            return entry.pack

    async def _placed(self, scope: Scope, here: str | None) -> Scope:
        """The scope with paths that count from the roots of sources, and with the commits that its
        `ref` names there. Of the sources those count that the scope's tags let be read. Where it is
        not even to be searched, the search says so."""
        if self._foreign and not holds_index(self._settings.index):
            return scope
        client = self._client()
        try:
            infos = named_infos(visible(await client.collections()), scope.collections)
            within = within_tags(client, infos, scope.tags, scope.bounds)
        except UsageError:
            return scope
        read: dict[str, tuple[DocumentRecord, ...]] = {}

        async def documents(info: CollectionInfo) -> tuple[DocumentRecord, ...]:
            name = info.spec.name
            if name not in read:
                try:
                    read[name] = await within.documents(name)
                except StoreError:
                    read[name] = ()  # the search raises the error
            return read[name]

        sources: dict[tuple[str, str], SourceRecord] = {}
        for info in infos:
            of_files = [one for one in info.sources if one.source.kind != "records"]
            if of_files and within.keeps_back(info.spec.name):
                named = {one.source for one in await documents(info)}
                of_files = [one for one in of_files if one.source.name in named]
            sources |= {(info.spec.name, one.source.name): one for one in of_files}

        async def known(path: str) -> bool:
            fits = path_test((path,))
            for info in infos:
                if any(fits(one.source, one.path) for one in await documents(info)):
                    return True
            return False

        if names_commit(scope):
            scope = await find_commits(scope, sources.values())
        if is_placed(scope):
            return scope
        return await place_paths(scope, [one.source for one in sources.values()], here, known)

    async def _once(
        self,
        question: Question,
        profile: Profile,
        steps: Trace,
        entry: Entry,
        admit: Admit | None,
    ) -> EvidencePack:
        steps.steps.clear()
        entry.found = None
        notices = await self._look(question.scope) if self._settings.refresh.auto else ()
        known, deps = await self.opened(question.scope, profile, asked=True)
        deps = deps.admitting(admit)
        entry.infos = [known.infos[one.spec.name] for one in deps.collections]
        notices += await self._unfinished(entry.infos, question.scope)
        asked, daemon = None, self._client()
        if not steps.detailed:
            asked = remote_search_of(question, deps, daemon, profile, logged=self._log().enabled)
        if asked is None:
            pack = await search(question, replace(deps, files=self._files), profile, steps)
        else:
            answer = await daemon.ask(asked)
            entry.found, entry.told, pack = answer.found, answer.told, answer.pack
        if not (pack.evidence or pack.closest or notices):
            notices = await self._empty(entry.infos, question.scope)
            if notices:
                verdict = replace(pack.verdict, reason="The index has no documents.")
                pack = replace(pack, verdict=verdict)
        return replace(pack, warnings=(*pack.warnings, *notices)) if notices else pack

    async def _empty(self, infos: Sequence[CollectionInfo], scope: Scope) -> tuple[Notice, ...]:
        """Warn if none of the searched collections has a document, and nobody is writing some."""
        if any(info.documents or info.foreign for info in infos) or is_written(self._settings):
            return ()
        names = {info.spec.name for info in infos}
        now = [info for info in await self._client().collections() if info.spec.name in names]
        if any(info.documents for info in now):
            return ()
        called = sorted({scope.called(info.spec.public_name) for info in now})
        return (no_documents(called),) if now else ()

    async def _look(self, scope: Scope) -> tuple[Notice, ...]:
        """Trigger a scan of the folders if one is due, and report what is not indexed yet."""
        if not holds_index(self._settings.index):
            return ()
        found = await self._client().look(wish_of(self._settings))
        return refreshing_notices(found, scope, self._settings)

    async def _unfinished(
        self, infos: Sequence[CollectionInfo], scope: Scope
    ) -> tuple[Notice, ...]:
        """Warn about collections whose last run was cut off. While somebody writes, a run is only
        not finished yet; one that has ended since the collections were listed may have been it."""
        before = unfinished(infos, scope, self._settings)
        if not before or is_written(self._settings):
            return ()
        now = unfinished(await self._client().collections(), scope, self._settings)
        if is_written(self._settings):
            return ()
        if set(before) - set(now):
            self._searchables = None  # the next search lists them again
        return tuple(dict.fromkeys(unfinished_notice(n, scope) for n in before if n in now))

    async def _sources(self, collection: str) -> Sequence[SourceRecord]:
        if collection in self._foreign.readable():  # the daemon does not know it and need not start
            return ()
        return await self._client().sources(collection)

    async def outdated(self) -> bool:
        """Were collections added or removed since they were opened? Then open them again."""
        if self._searchables is None:
            return False
        known = self._searchables.infos
        specs = {info.spec.name: info.spec for info in await self._client().collections()}
        if specs == {name: info.spec for name, info in known.items() if not info.foreign}:
            return False
        self._searchables = None
        return True


def refreshing_notices(found: Freshness, scope: Scope, settings: Settings) -> tuple[Notice, ...]:
    """Warnings about documents that are still being indexed, and about what cannot be indexed. If a
    collection requires tags, or the search has tags or restrictions that a program set, they name
    neither sources nor numbers."""

    def concerned(collection: str, source: str) -> bool:
        elsewhere = scope.collections and collection and collection not in scope.collections
        return not elsewhere and not (scope.sources and source and source not in scope.sources)

    def hidden(collection: str) -> bool:
        options = settings.use.options.get(collection)
        any_requires = not collection and any(o.require for o in settings.use.options.values())
        required = any_requires or (options is not None and options.require)
        return bool(scope.tags or is_bound(scope) or required)

    said = [
        f"files of {scope.called(one.collection)}"
        if hidden(one.collection)
        else f"{one.files:,} file{'s' * (one.files != 1)} of {one.source}"
        for one in found.pending
        if concerned(one.collection, one.source)
    ]
    notices = []
    if said:
        named = ", ".join(dict.fromkeys(said))
        one_only = said == [said[0]] and said[0].startswith("1 file ")
        verb = "is" if one_only else "are"
        notices.append(Notice("refreshing", f"{named} changed and {verb} being indexed"))
    troubles = [
        f"{scope.called(one.collection) if one.collection else 'the index'} is not kept up to date"
        if hidden(one.collection)
        else f"{one.source or one.collection or 'the index'} is not kept up to date: {one.message}"
        for one in found.troubles
        if concerned(one.collection, one.source)
    ]
    notices += [Notice("not_refreshed", text) for text in dict.fromkeys(troubles)]
    return tuple(notices)


def _told(question: Question, admit: Admit | None) -> Question:
    """The question as the log keeps it. Without any bounds where they are not all in the scope:
    what is asked again is refused then, and never sees more."""
    if not isinstance(admit, Admission):
        return question
    return replace(question, scope=replace(question.scope, bounds={}))
