"""The engine: an index folder in, evidence out. Async here; `pincite.sync` is its facade."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from pincite.asking import SearchOptions, checked, checked_tags, profile_of, question_of
from pincite.asking.contexts import Contexts
from pincite.chat.opened import Answerer
from pincite.citations.opened import FileReader
from pincite.daemon.encoder import QueryEncoder
from pincite.deps import Admit
from pincite.errors import UsageError
from pincite.ingestion.options import IndexKeywords, IndexOptions, index_options
from pincite.maintenance.describe import Describer
from pincite.model import EvidencePack, Question, Scope, SourceType, TaskMode
from pincite.ports import CollectionInfo, Reranker, Waiting
from pincite.profile import Profile
from pincite.records.writer import RecordWriter
from pincite.settings.defaults import WAIT_S
from pincite.settings.load import Settings
from pincite.settings.opening import settings_for
from pincite.support.arguments import locations_of, require_count, require_kind, shown, texts_of
from pincite.telemetry.spans import join_process
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.citations.claims import Claim, ClaimCheck
    from pincite.citations.locate import Checked, Passage
    from pincite.ingestion.report import IngestReport, Progress
    from pincite.maintenance.reembed import Reembedded, Reembedding, ReembedOptions
    from pincite.stages.context import Around
    from pincite.stages.retrieve import SearchMode

_MOST_LINES = 1_000_000


class AsyncPincite(RecordWriter, Answerer, FileReader, Describer, Contexts):
    """An index folder, open. Use it as an async context manager; one event loop per instance.

    >>> async with AsyncPincite(".pincite") as pincite:
    ...     reports = await pincite.index("docs", lexical=True)
    ...     pack = await pincite.search("how is a key rotated?")
    >>> pack[0].path
    'docs/keys.md'
    """

    def __init__(
        self,
        index: str | PathLike[str] | Settings | None = None,
        *,
        reranker: Reranker | None = None,
    ) -> None:
        """Open an index; nothing is read or started before the first call.

        Arguments:
            index: the path of an index folder, which need not be there yet; or complete settings;
                by default what the environment and the current folder say (the nearest
                `.pincite`). `pincite.toml` beside the folder is read in any case but the second.
            reranker: an object that implements `pincite.ports.Reranker`, in place of the one that
                the settings name.

        Raises UsageError for an `index` or `reranker` of the wrong kind and for a file in place of
        a folder, ConfigError for settings that are wrong.

        >>> AsyncPincite("docs/keys.md")
        Traceback (most recent call last):
        pincite.errors.UsageError: .../docs/keys.md is a file, and an index is a folder...
        """
        settings = settings_for(index)
        if reranker is not None and not callable(getattr(reranker, "rerank", None)):
            raise UsageError(
                f"reranker is {shown(reranker)}; it takes an object as pincite.ports.Reranker",
                hint='a model by name stands in pincite.toml: [models] rerank = "..."',
            )
        super().__init__(settings, reranker)
        join_process(texts=settings.tracing.texts)

    async def index(
        self,
        locations: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        *,
        options: IndexOptions | None = None,
        progress: Callable[[Progress], None] | None = None,
        **keywords: Unpack[IndexKeywords],
    ) -> tuple[IngestReport, ...]:
        """Make the index mirror these sources: what is new is added, what is gone is removed.

        Arguments:
            locations: a folder, checkout, archive, wheel or file, or several of them; all that the
                index or `pincite.toml` knows if none is named.
            progress: called now and then with how far the run is.
            keywords: the fields of `IndexOptions`, one by one: `collection`, `name`, `ref`,
                `url_rule` and `anchors` of the sources, `include` and `exclude` (a glob or
                several), `language`, `lexical` (True leaves the dense model out), `upgrade`,
                `rebuild`, `beside`, `background` (return when all can be searched by word;
                vectors are made by another process), `model`, `sparse`, `attributes` (of all that
                is indexed; texts such as `course=ml` as `attribute_texts`), `ocr` (whether pages of
                PDFs that are pictures are read), `retry` (files that gave no text before),
                `mask_secrets` (stars in place of what looks like a secret), `wait_s` (seconds, for
                others who write), `on_notice`, `on_fetch`.
            options: the same as one value, in place of `keywords`.

        Returns a report for each source, in the order of `locations`. A file that cannot be read
        is named there and costs only itself. Raises UsageError, SourceError for a source that
        cannot be read, FingerprintMismatch for an index of another model, ModelUnavailable,
        DiskFull, StoreError; what was recorded until then stays.

        >>> (report,) = await pincite.index("docs", include="*.md", lexical=True)
        >>> report.new + report.unchanged
        2
        """
        from pincite.ingest import index_sources  # the write path is heavy, searches are many

        places = locations_of("locations", locations)
        chosen = index_options(options, keywords)
        self._searchables = None
        self.foreign.refuse(chosen.collection)
        client = self.client(create=bool(places or self.settings.sources))
        told = progress or _unheard
        reports = await index_sources(self.settings, client, places, chosen, told)
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
        mode: TaskMode = "explain",
        preset: str | None = None,
        by: SearchMode | None = None,
        context: Around | None = None,
        budget_ms: float | None = None,
        subqueries: str | Iterable[str] = (),
        scope: Scope | None = None,
        profile: Profile | None = None,
        trace: Trace | None = None,
    ) -> EvidencePack:
        """The evidence for a question, best first. A text where several may stand is one of them.

        Arguments:
            text: the question or task, with the exact names of functions, options or errors.
            limit: results at most, 1 to 1,000; None: `select.results` of the profile.
            kinds: only files of these kinds: `docs`, `code`, `data`.
            paths: only these files, or what is below these folders: a path from the root of a
                source (`src/keys.py`, `src/`), an absolute one, or a pattern (`src/**/*.py`; a
                star goes over slashes, too).
            not_paths: none whose path matches one of these.
            where: only what this filter lets pass, such as `kind = 'code' and path ^= src/`.
            collections: only these collections.
            sources: only these sources, by name.
            ref: only this revision, which may be shortened.
            tags: attributes that a passage must have, such as `{"course": "ml"}`: a value, or a
                list of which any fits. What a collection requires must be among them, or in
                `where`.
            mode: what the evidence is for: `build`, `debug`, `explain` or `refactor`.
            preset: a profile by name in place of the configured one.
            by: `vector` (meaning), `keyword` (words) or `hybrid` (both).
            context: what is shown around a passage: its `unit` (function, class, section or list),
                its `neighbours`, all of its `section`, or `none`; None: as the profile says.
            budget_ms: milliseconds after which nothing more is begun that could be left out; the
                pack says what was. None: no limit.
            subqueries: rephrasings, each for one side: `lex: words`, `vec: a sentence`, `hyde: a
                passage as an answer might have it`; `intent: ...` is for a reranker alone.
            scope: all fields from `kinds` to `tags` as one value, in place of them.
            profile: all settings of the search, in place of the configured ones; not with `preset`.
            trace: what happened, step by step, is written into it.

        Returns a pack whose `verdict` says whether the evidence is good enough; nothing relevant is
        a pack without evidence, no error. The same question over the same index gives the same
        evidence. Raises UsageError for an argument that cannot be, with what it takes,
        TagsRequired where tags are missing;
        IndexNotFound where nothing is indexed, IndexUnavailable, FingerprintMismatch.

        >>> pack = await pincite.search("rotate a key", limit=3, where="kind = 'docs'")
        >>> [evidence.path for evidence in pack]
        ['docs/keys.md']
        >>> await pincite.search("rotate a key", kinds="markdown")
        Traceback (most recent call last):
        pincite.errors.UsageError: kinds is 'markdown'; it takes one of 'docs', 'code', 'data'
        """
        asked = SearchOptions(
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
        )
        return await self.find(asked, trace=trace)

    async def find(
        self, asked: SearchOptions, *, trace: Trace | None = None, admit: Admit | None = None
    ) -> EvidencePack:
        """As `search`, of options as one value.

        Arguments:
            asked: what `search` takes, and what only surfaces need besides.
            trace: what happened is written into it; see `ask`.
            admit: asked which documents may leave, before a passage is judged or shown; see
                `pincite.deps`.

        Raises as `search`.

        >>> from pincite.asking import SearchOptions
        >>> pack = await pincite.find(SearchOptions("rotate a key", limit=1))
        >>> len(pack)
        1
        """
        question, profile = question_of(asked), profile_of(asked, self.settings)
        return await self._search(question, profile, _trace(trace), asked.here, admit)

    async def ask(
        self, question: Question, *, profile: Profile | None = None, trace: Trace | None = None
    ) -> EvidencePack:
        """As `search`, of a question as one value.

        Arguments:
            question: the text with its scope, mode and time budget.
            profile: all settings of the search, as they are; None: the configured ones.
            trace: what happened is written into it. One that is not `detailed` may learn the
                query's id alone.

        Raises as `search`.

        >>> from pincite import Question, Scope
        >>> pack = await pincite.ask(Question("rotate a key", Scope(kinds=("code",))))
        >>> [evidence.path for evidence in pack]
        ['src/keys.py']
        """
        question = checked(question)
        chosen = self.settings.profile if profile is None else profile
        require_kind("profile", chosen, Profile, "a Profile")
        return await self._search(question, chosen, _trace(trace))

    async def warm(self) -> None:
        """Start the daemon and open its encoder, so that the first search need not wait for them.

        Raises what `search` raises.

        >>> await pincite.warm()
        """
        deps = await self.deps(Scope())
        for one in deps.collections:
            if isinstance(one.dense, QueryEncoder):
                await one.dense.embed_query("warm")

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """What is indexed: each collection with its models, sources and counts, by name; those of
        other programs at the end.

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
    ) -> Passage:
        """Lines of an indexed file as it is now.

        Arguments:
            locator: a citation; `PATH`, `PATH:LINE` or `PATH:LINE:COUNT` of an indexed file, whose
                path may be shortened from the left; or the `chunk_id` of evidence, with a `#`.
            context: lines to add before and after.
            tags: attributes that the file must have, as in `search`. What has others is answered
                as what there is not.
            collections: only these collections.

        Returns a passage, which says whether the file has changed since it was indexed. Lines
        count from 1. Raises UsageError where nothing or too much has that name, TagsRequired where
        a collection requires tags that are missing, SourceError where the file is gone.

        >>> passage = await pincite.get("docs/keys.md:3:1")
        >>> passage.text
        'To rotate a key, call `rotate_key` with the new secret.'
        """
        from pincite.citations.locate import get

        require_kind("locator", locator, str, "a citation, path or #id as text")
        require_count("context", context, least=0, most=_MOST_LINES)
        among = texts_of("collections", collections)
        folder, asked = self.settings.index, checked_tags(tags)
        found = get(self.client(), locator, context, folder, tags=asked, collections=among)
        return await self.foreign.explain_misses(locator, found)

    async def verify(
        self, pack: EvidencePack, *, tags: Mapping[str, object] | None = None
    ) -> tuple[Checked, ...]:
        """Does the evidence still hold?

        Arguments:
            pack: what `search` gave, now or earlier; see `EvidencePack.from_dict`.
            tags: attributes that the documents of its items must have, as in `search`. One that
                has others is `deleted`, as one that does not exist.

        Returns one status per item, in their order: `fresh`, `moved` (with the lines where the
        text is now), `changed`, `deleted`, `unknown`. Raises UsageError, IndexNotFound, and
        TagsRequired where the collection of an item requires tags that are missing.

        >>> pack = await pincite.search("rotate a key", kinds="docs")
        >>> [one.status for one in await pincite.verify(pack)]
        ['fresh']
        """
        from pincite.citations.locate import verify

        require_kind("pack", pack, EvidencePack, "an EvidencePack")
        theirs = self.foreign.readable()
        folder, asked = self.settings.index, checked_tags(tags)
        return await verify(self.client(), pack, theirs, folder, tags=asked)

    async def check(
        self,
        claims: str | Claim | Iterable[str | Claim],
        *,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
    ) -> tuple[ClaimCheck, ...]:
        """Do citations hold, and do their lines say what is quoted?

        Arguments:
            claims: a citation or the #id of a chunk, with the words that it is cited for in a
                `Claim`; or several of them.
            tags: attributes that what is cited must have, as in `search`. What has others is
                `unknown`, as what is not indexed.
            collections: only these collections.

        Returns one check per claim, in their order: `fresh`, `moved` (with the lines where the
        quote is now), `changed`, `deleted`, `unknown`. Differences in white space do not count.
        Raises UsageError, IndexNotFound, and TagsRequired where a collection requires tags that
        are missing.

        >>> from pincite import Claim
        >>> pack = await pincite.search("rotate a key", kinds="docs")
        >>> (found,) = await pincite.check(Claim(pack[0].citation, "call `rotate_key`"))
        >>> found.status
        'fresh'
        """
        from pincite.citations.claims import check, claims_of

        folder, asked = self.settings.index, checked_tags(tags)
        among = texts_of("collections", collections)
        wanted = claims_of(claims)
        return await check(self.client(), wanted, folder, tags=asked, collections=among)

    async def reembed(
        self,
        collection: str,
        model: str,
        *,
        options: ReembedOptions | None = None,
        progress: Callable[[Reembedding], None] | None = None,
    ) -> Reembedded:
        """Give a collection another dense model, from the texts that are stored in it. It can be
        searched meanwhile.

        Arguments:
            collection: its name.
            model: the name of the new model, such as `bundled` or `voyage:voyage-4`.
            options: see `pincite.maintenance.reembed.ReembedOptions`.
            progress: called now and then with how far it is.

        Returns what was done. Raises UsageError for a collection or model that is unknown or that
        cannot be embedded again, ModelUnavailable, ProviderError, StoreError.

        >>> await pincite.reembed("notes", "bundled")
        Traceback (most recent call last):
        pincite.errors.UsageError: ...notes...
        """
        from pincite.maintenance.reembed import ReembedOptions, reembed

        self._searchables = None
        chosen = options or ReembedOptions()
        heard = progress or _unheard
        return await reembed(self.settings, self.client(), collection, model, chosen, heard)

    async def drop(self, collection: str, waiting: Waiting = Waiting(WAIT_S)) -> None:
        """Remove a collection with all that is in it. Files stay as they are.

        Arguments:
            collection: its name.
            waiting: for how many seconds to wait for others who write to it.

        Raises UsageError if there is none of that name, IndexUnavailable where others write to it
        for too long.

        >>> reports = await pincite.index("docs", collection="old", lexical=True)
        >>> await pincite.drop("old")
        >>> [info.spec.name for info in await pincite.collections()]
        ['main']
        """
        from pincite.maintenance.remove import drop

        self._searchables = None
        self.foreign.refuse(collection)
        await drop(self.client(), collection, waiting, self.settings.index)

    async def forget(self, collection: str, source: str, waiting: Waiting = Waiting(WAIT_S)) -> int:
        """Remove a source from a collection. Files stay as they are.

        Arguments:
            collection: its name.
            source: the name of the source, with which its citations begin.
            waiting: for how many seconds to wait for others who write to the collection.

        Returns how many documents the source had. Raises as `drop`, and UsageError that lists the
        sources if there is none of that name.

        >>> reports = await pincite.index("docs", collection="old", name="acme", lexical=True)
        >>> await pincite.forget("old", "acme")
        2
        >>> await pincite.drop("old")
        """
        from pincite.maintenance.remove import forget

        self._searchables = None
        self.foreign.refuse(collection)
        folder = self.settings.index
        return await forget(self.client(), self._models, collection, source, waiting, folder)

    async def stop(self) -> None:
        """End the daemon of the index, if there is one; the next call starts it again.

        Raises IndexNotFound, IndexUnavailable.

        >>> await pincite.stop()
        """
        await self.client().leave()


def _trace(given: Trace | None) -> Trace:
    if given is None:
        return Trace(time.perf_counter, detailed=False)
    require_kind("trace", given, Trace, "a Trace")
    return given


def _unheard(_: object) -> None:
    """Progress that nobody follows."""
