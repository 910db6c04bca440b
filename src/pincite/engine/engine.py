"""The engine: the asynchronous API of an index folder. `pincite.sync` is its synchronous facade."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from pincite import asking
from pincite.asking.reranker import checked_reranker
from pincite.daemon.client.open_index import stop_daemon
from pincite.daemon.client.start_early import started
from pincite.engine.answers import Answerer
from pincite.engine.contexts import Contexts
from pincite.engine.descriptions import Describer
from pincite.engine.files import FileReader
from pincite.engine.records import RecordWriter
from pincite.ingestion.options import IndexKeywords, IndexOptions, index_options, require_named
from pincite.model import Scope
from pincite.ports import CollectionInfo, Reranker, Waiting
from pincite.profile import Profile
from pincite.settings.defaults import WAIT_S
from pincite.settings.load import Settings
from pincite.settings.of_index import settings_for, with_refresh
from pincite.settings.sections.refresh import RefreshMode
from pincite.stores.validate import check_name
from pincite.support.arguments import (
    locations_of,
    progress_of,
    require_count,
    require_folder,
    require_kind,
    texts_of,
)
from pincite.telemetry.spans import join_process

if TYPE_CHECKING:
    from pincite.asking import SearchOptions
    from pincite.citations.passage import Passage
    from pincite.ingestion.report import IngestReport, Progress
    from pincite.maintenance.reembed import Reembedded, Reembedding, ReembedOptions
    from pincite.model import EvidencePack, Question, SourceType, TaskMode
    from pincite.scope.choosing import Admit
    from pincite.stages.context import Around
    from pincite.stages.retrieve import SearchMode
    from pincite.trace import Trace

_MOST_LINES = 1_000_000


class AsyncPincite(RecordWriter, Answerer, FileReader, Describer, Contexts):
    """An open index folder. Use it as an async context manager, with one event loop per instance.

    >>> async with AsyncPincite(".pincite") as pincite:
    ...     reports = await pincite.index("docs", lexical=True)
    ...     pack = await pincite.search("how is a key rotated?")
    >>> pack[0].path
    'src/keys.py'
    """

    def __init__(
        self,
        index: str | PathLike[str] | Settings | None = None,
        *,
        reranker: Reranker | None = None,
        refresh: RefreshMode | None = None,
    ) -> None:
        """Open an index. Its settings are read now, everything else waits for the first call.

        Arguments:
            index: the path of an index folder, which need not exist yet, or complete settings.
                None: the environment and the current folder decide (the nearest `.pincite`).
                Unless you give settings, `pincite.toml` beside the folder is read.
            reranker: an object that implements `pincite.ports.Reranker`, instead of the configured
                one.
            refresh: `auto`: searches notice changed, new and deleted files, and a background
                process indexes them. `manual`: only `index` and `refresh` do. None: as
                `refresh.mode` of the settings says, which is `manual` by default for programs.

        Raises UsageError if `index` has the wrong type or is a file, if `reranker` lacks an
        attribute of a `Reranker`, or for another `refresh`, and ConfigError for wrong settings.

        >>> AsyncPincite("docs/keys.md")
        Traceback (most recent call last):
        pincite.errors.UsageError: .../docs/keys.md is a file, but an index is a folder...
        """
        settings = with_refresh(settings_for(index), refresh)
        super().__init__(settings, checked_reranker(reranker))
        join_process(texts=settings.tracing.texts)

    async def index(
        self,
        locations: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        *,
        options: IndexOptions | None = None,
        progress: Callable[[Progress], None] | None = None,
        **keywords: Unpack[IndexKeywords],
    ) -> tuple[IngestReport, ...]:
        """Index sources: add new documents, update changed ones, remove deleted ones.

        Arguments:
            locations: a folder, checkout, archive, wheel or file, or several of them. Left out or
                empty: all sources of the index and of `pincite.toml`, collection by collection,
                unless `collection` or the environment names one.
            progress: called repeatedly with the progress of the run.
            keywords: the fields of `IndexOptions`, one by one: `collection`, `name`, `ref`,
                `url_rule` and `anchors` of the sources, `include` and `exclude` (a glob or several;
                left out: those of the last run; `""`: none), `file_types` (types by pattern, such
                as `{"*.tmpl": "html"}`, added to those of the last run; `""`: none), `language`,
                `lexical` (True: no dense vectors), `upgrade`, `rebuild`, `beside`, `background`
                (return once keyword search works; another process makes the vectors), `model`,
                `sparse`, `attributes` (of all documents; texts such as `course=ml` as
                `attribute_texts`), `ocr` (read scanned pages of PDFs), `retry` (try files again
                that gave no text), `mask_secrets` (replace what looks like a secret with stars),
                `wait_s` (seconds to wait for other writers), `on_notice`, `on_fetch`.
            options: the same as one value, instead of `keywords`.

        Returns a report for each source, in the order of `locations`. It lists files that cannot
        be read; the others are indexed. Raises UsageError, also for options that describe sources
        (`name` to `file_types` above) without locations, SourceError for a source that cannot be
        read, FingerprintMismatch for an index of another model, ModelUnavailable, DiskFull,
        StoreError. Documents that were recorded before an error stay. Without locations, sources
        that cannot be opened do not stop the others, and SourcesMissing has the `reports` of these;
        so does CollectionsFailed, if one of several collections fails.

        >>> (report,) = await pincite.index("docs", include="*.md", lexical=True)
        >>> report.new + report.unchanged
        2
        """
        from pincite.sources.open_source import resolved

        told = progress_of(progress)
        places = locations_of("locations", locations)
        for place in places:
            resolved(place)  # a mistyped path leaves no empty index behind
        chosen = index_options(options, keywords)
        if not places:
            require_named(chosen)
        self.reopen()
        self.foreign.refuse(chosen.collection)
        check_name(chosen.collection or self.settings.indexed_collection)
        for each in () if places or chosen.collection else self.settings.sources:
            self.foreign.refuse(each.collection)
            check_name(each.collection or self.settings.indexed_collection)
        client = self.client(create=bool(places or self.settings.sources))
        async with started(client, self.settings.index, shared=self._is_shared) as failed:
            await asyncio.to_thread(import_module, "pincite.ingest")
            from pincite.ingest import index_sources
            from pincite.maintenance.update import update_all

            failed()
            if places:
                reports = await index_sources(self.settings, client, places, chosen, told)
            else:
                reports = await update_all(self.settings, client, chosen, told)
        if chosen.background:
            await self.refresh(wait=False)
        return reports

    async def search(
        self,
        text: str,
        *,
        limit: int | None = None,
        kinds: SourceType | Iterable[SourceType] = (),
        paths: str | Iterable[str] = (),
        not_paths: str | Iterable[str] = (),
        where: str = "",
        collections: str | Iterable[str] = (),
        sources: str | Iterable[str] = (),
        ref: str | None = None,
        tags: Mapping[str, object] | None = None,
        mode: TaskMode | None = None,
        preset: str | None = None,
        by: SearchMode | None = None,
        context: Around | None = None,
        budget_ms: float | None = None,
        subqueries: str | Iterable[str] = (),
        scope: Scope | None = None,
        profile: Profile | None = None,
        show_all: bool = False,
        trace: Trace | None = None,
    ) -> EvidencePack:
        """Search the index. Returns evidence, best first. A single text is a list of one.

        Arguments:
            text: the question or task, with the exact names of functions, options or errors.
            limit: maximum number of results, 1 to 1,000; None: `select.results` of the profile.
            kinds: only files of these kinds: `docs`, `code`, `data`.
            paths: only these files and folders: a path from the root of a source (`src/keys.py`,
                `src/`), an absolute path, or a pattern (`src/**/*.py`; a star also matches
                slashes).
            not_paths: exclude paths that match one of these.
            where: only passages that match this filter, such as `kind = 'code' and path ^= src/`.
            collections: only these collections.
            sources: only these sources, by name.
            ref: only this revision: the beginning of a commit, or a tag, branch or `HEAD` of
                indexed checkouts.
            tags: attributes that a passage must have, such as `{"course": "ml"}`: a value, or a
                list of alternatives. They or `where` must contain the required attributes of
                a collection.
            mode: the purpose of the evidence: `build`, `debug`, `explain` or `refactor`; None:
                `prepare.mode` of the profile, which is `build` in `evidence`, else `explain`.
            preset: name of a profile, instead of the configured one.
            by: `vector` (meaning), `keyword` (words) or `hybrid` (both).
            context: the text shown around a passage: its `unit` (function, class, section or list),
                its `neighbours`, all of its `section`, or `none`; None: as the profile says.
            budget_ms: after this many milliseconds, optional steps are skipped, and the pack names
                them. A provider's vector that is not there by then is not waited for, if keyword
                search can answer. None: no limit.
            subqueries: rephrasings, each for one side: `lex: words`, `vec: a sentence`, `hyde: a
                passage that could be the answer`; `intent: ...` is only for a reranker.
            scope: the arguments from `kinds` to `tags` as one value, instead of these.
            profile: all settings of the search, instead of the configured ones; not with `preset`.
            show_all: show the nearest passages even if none is relevant.
            trace: receives each step of the search.

        Returns a pack whose `verdict` says whether the evidence is good enough. If nothing is
        relevant, the pack has no evidence; this is not an error. The same question over the same
        index gives the same evidence. Raises UsageError for an invalid argument, TagsRequired if
        tags are missing, IndexNotFound if nothing is indexed, IndexUnavailable,
        FingerprintMismatch.

        >>> pack = await pincite.search("rotate a key", limit=3, where="kind = 'docs'")
        >>> [evidence.path for evidence in pack]
        ['docs/keys.md']
        >>> await pincite.search("rotate a key", kinds="markdown")
        Traceback (most recent call last):
        pincite.errors.UsageError: kinds is 'markdown'; it takes one of 'docs', 'code', 'data'
        """
        asked = asking.SearchOptions(
            text,
            limit=limit,
            kinds=kinds,
            paths=paths,
            not_paths=not_paths,
            where=where,
            collections=collections,
            sources=sources,
            ref=ref,
            tags=tags,
            mode=mode,
            preset=preset,
            by=by,
            context=context,
            budget_ms=budget_ms,
            subqueries=subqueries,
            scope=scope,
            profile=profile,
            show_all=show_all,
        )
        return await self.find(asked, trace=trace)

    async def find(
        self, asked: SearchOptions, *, trace: Trace | None = None, admit: Admit | None = None
    ) -> EvidencePack:
        """Like `search`, with all options as one value.

        Arguments:
            asked: the arguments of `search`, and further ones for surfaces.
            trace: receives each step of the search; see `ask`.
            admit: decides which documents may be used before a passage is judged or shown; see
                `pincite.deps`.

        Raises the errors of `search`.

        >>> from pincite.asking import SearchOptions
        >>> pack = await pincite.find(SearchOptions("rotate a key", limit=1))
        >>> len(pack)
        1
        """
        wanted = "SearchOptions; `search` takes a question as text"
        require_kind("asked", asked, asking.SearchOptions, wanted)
        question = asking.question_of(asked)
        profile = asking.profile_of(asked, self.settings)
        return await self._searcher.search(question, profile, _trace(trace), asked.here, admit)

    async def ask(
        self, question: Question, *, profile: Profile | None = None, trace: Trace | None = None
    ) -> EvidencePack:
        """Like `search`, with the question as one value.

        Arguments:
            question: the text with its scope, mode and time budget.
            profile: all settings of the search; None: the configured ones.
            trace: receives each step of the search. A trace that is not `detailed` may receive
                only the id of the query.

        Raises the errors of `search`.

        >>> from pincite import Question, Scope
        >>> pack = await pincite.ask(Question("rotate a key", Scope(kinds=("code",))))
        >>> [evidence.path for evidence in pack]
        ['src/keys.py']
        """
        question = asking.checked(question)
        chosen = self.settings.profile if profile is None else profile
        require_kind("profile", chosen, Profile, "a Profile")
        return await self._searcher.search(question, chosen, _trace(trace))

    async def warm(self) -> None:
        """Start the daemon and open its encoder, so the first search does not wait for them.

        Raises the errors of `search`.

        >>> await pincite.warm()
        """
        from pincite.daemon.server.encoder import QueryEncoder

        deps = await self.deps(Scope())
        for one in deps.collections:
            if isinstance(one.dense, QueryEncoder):
                await one.dense.embed_query("warm")

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """List collections with their models, sources and counts, by name. Collections of other
        programs come last.

        Raises IndexNotFound, IndexUnavailable.

        >>> infos = await pincite.collections()
        >>> [(info.spec.name, info.documents) for info in infos if info.spec.name == "main"]
        [('main', 3)]
        """
        return (*await self.client().collections(), *await self.foreign.infos())

    async def get(
        self,
        locator: str,
        context: int = 0,
        *,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
        here: str | None = None,
    ) -> Passage:
        """Read lines of an indexed file in its current state.

        Arguments:
            locator: a citation; `PATH`, `PATH:LINE` or `PATH:LINE:COUNT` of an indexed file, whose
                path may be shortened from the left; or the `chunk_id` of evidence, with a `#`.
            context: lines to add before and after.
            tags: attributes that the file must have, as in `search`. A file without them is
                treated as missing.
            collections: only these collections.
            here: the caller's folder, if paths count from it, too, as in a terminal: those that
                begin with `./` or `../` at first, others if they name no file, or several.

        Returns a passage, which says whether the file has changed since it was indexed. Lines
        count from 1. Raises UsageError if the locator is unknown or ambiguous, TagsRequired if
        required tags are missing, SourceError if the file is gone.

        >>> passage = await pincite.get("docs/keys.md:3:1")
        >>> passage.text
        'To rotate a key, call `rotate_key` with the new secret.'
        """
        from pincite.citations.get import get

        require_kind("locator", locator, str, "a citation, path or #id as text")
        require_count("context", context, least=0, most=_MOST_LINES)
        require_folder("here", here)
        among = texts_of("collections", collections)
        folder, asked = self.settings.index, asking.checked_tags(tags)
        given = (self.client(), locator, context, folder)
        found = get(*given, tags=asked, collections=among, here=here)
        return await self.foreign.explain_misses(locator, found)

    async def reembed(
        self,
        collection: str,
        model: str,
        *,
        options: ReembedOptions | None = None,
        progress: Callable[[Reembedding], None] | None = None,
    ) -> Reembedded:
        """Move a collection to another dense model, using its stored texts. Searches continue to
        work meanwhile.

        Arguments:
            collection: its name.
            model: the name of the new model, such as `bundled` or `voyage:voyage-4`.
            options: see `pincite.maintenance.reembed.ReembedOptions`.
            progress: called repeatedly with the progress.

        Returns a report. Raises UsageError if the collection or model is unknown or cannot be
        embedded again, ModelUnavailable, ProviderError, StoreError.

        >>> await pincite.reembed("notes", "bundled")
        Traceback (most recent call last):
        pincite.errors.UsageError: ...notes...
        """
        from pincite.maintenance.reembed import ReembedOptions, reembed

        self.reopen()
        self.foreign.refuse(collection)
        chosen = ReembedOptions() if options is None else options
        told = progress_of(progress)
        return await reembed(self.settings, self.client(), collection, model, chosen, told)

    async def drop(self, collection: str, waiting: Waiting = Waiting(WAIT_S)) -> None:
        """Remove a collection and its contents. Files stay unchanged.

        Arguments:
            collection: its name.
            waiting: how many seconds to wait for other writers.

        Raises UsageError if the collection does not exist, IndexUnavailable if another writer
        takes too long.

        >>> reports = await pincite.index("docs", collection="old", lexical=True)
        >>> await pincite.drop("old")
        >>> [info.spec.name for info in await pincite.collections()]
        ['main']
        """
        from pincite.maintenance.remove import drop

        self.reopen()
        self.foreign.refuse(collection)
        await drop(self.client(), collection, waiting, self.settings.index)

    async def forget(self, collection: str, source: str, waiting: Waiting = Waiting(WAIT_S)) -> int:
        """Remove a source from a collection. Files stay unchanged.

        Arguments:
            collection: its name.
            source: the name of the source, which begins its citations.
            waiting: how many seconds to wait for other writers.

        Returns the number of removed documents. Raises the errors of `drop`, and UsageError with
        the names of the sources if this one does not exist.

        >>> reports = await pincite.index("docs", collection="old", name="acme", lexical=True)
        >>> await pincite.forget("old", "acme")
        2
        >>> await pincite.drop("old")
        """
        from pincite.maintenance.remove import forget

        self.reopen()
        self.foreign.refuse(collection)
        folder = self.settings.index
        return await forget(self.client(), self._models, collection, source, waiting, folder)

    async def stop(self) -> bool:
        """Stop the daemon of the index if it runs. The next call starts it again.

        Returns whether it ran. Raises IndexNotFound, IndexUnavailable.

        >>> stopped = await pincite.stop()
        """
        if self._is_shared:
            return False
        runs = await stop_daemon(self.settings.index)
        if self._client is not None:
            await self._client.leave()  # it has no connection any more
        return runs


def _trace(given: Trace | None) -> Trace:
    from pincite.trace import Trace

    if given is None:
        return Trace(time.perf_counter, detailed=False)
    require_kind("trace", given, Trace, "a Trace")
    return given
