"""Code that all adapters share: one index, the part of it to search, and metadata of evidence."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import weakref
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias, TypedDict

from pincite.asking import checked
from pincite.errors import UsageError
from pincite.model import Evidence, EvidencePack, Notice, Question, Scope, SourceType
from pincite.ports import Reranker
from pincite.presets import PRESETS
from pincite.scope.where import parse_where
from pincite.settings.load import Settings
from pincite.settings.of_index import require_refresh, settings_for
from pincite.settings.sections.refresh import RefreshMode
from pincite.support.arguments import require_choice, require_count, require_kind
from pincite.support.fields import replace
from pincite.surfaces.text.parts import verdict_words
from pincite.sync import Pincite

log = logging.getLogger(__name__)
Place: TypeAlias = str | os.PathLike[str] | Settings | None
_MOST = 1_000
_FILTER = "a filter as text, such as \"kind = 'code'\""
_NOT_LOGGED = ("nothing_relevant",)  # the reason of the verdict says the same


class Restrictions(TypedDict, total=False):
    """The restrictions, preset and reranker of an `EvidenceSource` as keyword arguments."""

    collections: str | Iterable[str]
    sources: str | Iterable[str]
    kinds: SourceType | Iterable[SourceType]
    where: str
    tags: Mapping[str, object] | None
    preset: str | None
    reranker: Reranker | None
    refresh: RefreshMode | None


class SourceKeywords(Restrictions, total=False):
    """All arguments of an `EvidenceSource` except its index, as keyword arguments."""

    limit: int | None


class IndexHandle:
    """An index that is opened by the first question, with the same `index` and `reranker` arguments
    as `EvidenceSource`. Safe to use from several threads. A copy, also one in another process,
    opens the index again."""

    def __init__(
        self,
        index: Place = None,
        reranker: Reranker | None = None,
        refresh: RefreshMode | None = None,
    ) -> None:
        require_refresh(refresh)
        self._index = index
        self._reranker = reranker
        self._refresh = refresh
        self._opened: Pincite | None = None
        self._logged: tuple[Notice, ...] = ()

    @property
    def pincite(self) -> Pincite:
        """Return the index, opened if necessary."""
        with _OPENING:
            if self._opened is None:
                settings = settings_for(self._index)
                settings = replace(settings, refresh=settings.refresh.by_itself())
                opened = Pincite(settings, reranker=self._reranker, refresh=self._refresh)
                self._opened = opened
                self._forgotten = weakref.finalize(self, _hang_up, self._opened)
                self._forgotten.atexit = False  # an open index closes itself when Python exits
            return self._opened

    def of(
        self, index: Place, reranker: Reranker | None = None, refresh: RefreshMode | None = None
    ) -> IndexHandle:
        """Return this handle if it has these arguments, otherwise a new one."""
        same = self._reranker is reranker and self._index == index and self._refresh == refresh
        return self if same else IndexHandle(index, reranker, refresh)

    def log(self, pack: EvidencePack) -> None:
        """Log the warnings of a pack that the previous pack did not have, and the reason if it is
        empty."""
        new = [one for one in pack.warnings if one not in self._logged]
        for one in new:
            if one.code not in _NOT_LOGGED:
                log.warning("%s: %s", one.code, one.message)
        self._logged = pack.warnings
        if not pack.evidence:
            log.info("no passage: %s", reason_of(pack))

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        with _OPENING:
            opened, self._opened = self._opened, None
        if opened is not None:
            self._forgotten.detach()
            opened.close()

    def __getstate__(self) -> dict[str, Any]:
        kept = {"_index": self._index, "_reranker": self._reranker, "_refresh": self._refresh}
        return {**kept, "_opened": None, "_logged": ()}


class EvidenceSource:
    """An index, opened by the first question, and the part of it to search.

    `index` is an index folder, complete settings, or a handle that several sources share. By
    default the settings come from the environment and the current folder. `limit` is the number of
    passages; None takes the number of the profile. `collections`, `sources`, `kinds`, `where` and
    `tags` restrict all questions: no call can widen them, and no message about a call shows them.
    The index follows changes of its files as it does for a server, unless settings say otherwise;
    `refresh` (`auto` or `manual`) overrides both. Safe to use from several threads. Raises
    UsageError for an argument with a wrong type or value.
    """

    def __init__(
        self,
        index: Place | IndexHandle = None,
        *,
        limit: int | None = None,
        collections: str | Iterable[str] = (),
        sources: str | Iterable[str] = (),
        kinds: SourceType | Iterable[SourceType] = (),
        where: str = "",
        tags: Mapping[str, object] | None = None,
        preset: str | None = None,
        reranker: Reranker | None = None,
        refresh: RefreshMode | None = None,
    ) -> None:
        if limit is not None:
            count_of(limit, "limit")
        if preset is not None:
            require_choice("preset", preset, tuple(PRESETS))
        require_kind("where", where, str, _FILTER)
        parse_where(where, None)  # messages of a search hide this filter, and so any mistake in it
        given: dict[str, Any] = {"collections": collections, "sources": sources, "kinds": kinds}
        given["tags"] = {} if tags is None else tags
        scope = checked(Question("", Scope(**given, bound_where=where))).scope
        self.limit = limit
        self._scope = replace(scope, unshown=tuple(n for n in given if getattr(scope, n)))
        self._preset = preset
        self._handle = (
            index if isinstance(index, IndexHandle) else IndexHandle(index, reranker, refresh)
        )

    @property
    def pincite(self) -> Pincite:
        """Return the index, opened if necessary."""
        return self._handle.pincite

    def search(self, query: str, *, limit: int | None = None, where: str = "") -> EvidencePack:
        """Return the evidence for a question. Raises the errors of `Pincite.search`."""
        require_kind("where", where, str, _FILTER)
        return self.pincite.search(
            query,
            limit=limit or self.limit,
            scope=replace(self._scope, where=where),
            preset=self._preset,
        )

    def retrieve(self, query: str, *, limit: int | None = None, where: str = "") -> EvidencePack:
        """Return the evidence as `search` does. Log new warnings, and why there is no passage: a
        list of passages does not contain them."""
        pack = self.search(query, limit=limit, where=where)
        self._handle.log(pack)
        return pack

    async def aretrieve(
        self, query: str, *, limit: int | None = None, where: str = ""
    ) -> EvidencePack:
        """Return the evidence as `retrieve` does, without blocking the event loop."""
        return await asyncio.to_thread(self.retrieve, query, limit=limit, where=where)

    async def asearch(
        self, query: str, *, limit: int | None = None, where: str = ""
    ) -> EvidencePack:
        """Return the evidence as `search` does, without blocking the event loop."""
        return await asyncio.to_thread(self.search, query, limit=limit, where=where)

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._handle.close()


#: Held while an index is opened or forgotten, never during a search.
_OPENING = threading.Lock()


def _begin_forked() -> None:
    global _OPENING
    _OPENING = threading.Lock()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_begin_forked)


def _hang_up(opened: Pincite) -> None:
    """Close the index of a handle that was not closed, in a new thread: garbage collection can run
    in any thread, including the one that closing waits for."""
    threading.Thread(target=opened.close, name="pincite-close", daemon=True).start()


def metadata_of(evidence: Evidence, pack: EvidencePack) -> dict[str, Any]:
    """Return everything about a passage except its text, as plain values. A field of the passage
    that is known overrides an attribute of its document with the same name. `verdict` (`grounded`
    or `weak`), `verdict_reason` and `search_warnings` belong to the pack."""
    ours: dict[str, Any] = {
        "citation": evidence.citation,
        "score": evidence.score,
        "verdict": pack.verdict.level,
        "verdict_reason": reason_of(pack),
        "search_warnings": warnings_of(pack),
        "number": evidence.number,
        "source": evidence.url or evidence.path,
        "path": evidence.path,
        "start_line": evidence.start_line,
        "end_line": evidence.end_line,
        "page": evidence.page,
        "title": evidence.title,
        "headings": list(evidence.headings),
        "symbols": list(evidence.symbols),
        "language": evidence.language,
        "kind": evidence.kind,
        "repository": evidence.repo,
        "ref": evidence.ref,
        "collection": evidence.collection,
        "record_id": evidence.record_id,
        "content_hash": evidence.content_hash,
    }
    known = {name: value for name, value in ours.items() if value is not None}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in {**ours, **evidence.attributes, **known}.items()
    }


def reason_of(pack: EvidencePack) -> str:
    """Return the reason of the verdict. It says so if a filter matches nothing."""
    return verdict_words(pack)[1]


def warnings_of(pack: EvidencePack) -> list[str]:
    """Return the warnings of a pack, each as `CODE: MESSAGE`."""
    return [f"{one.code}: {one.message}" for one in pack.warnings]


def count_of(value: object, name: str) -> int:
    """Return a number of passages given by a framework, checked. Raises UsageError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{name} is {value!r}; it takes a whole number")
    require_count(name, value, most=_MOST)
    return value


def require_taken(
    called: str, given: Mapping[str, object], *, limit: str = "limit", **meant: str
) -> None:
    """Raise TypeError for an argument that an `EvidenceSource` does not have. `limit` is the name
    that the adapter has for it, and `meant` maps names that a framework uses to our arguments."""
    taken = {*Restrictions.__annotations__, limit}
    for name in given:
        if name not in taken:
            close = meant.get(name) or next(iter(get_close_matches(name, taken, n=1)), "")
            hint = f"; use {close}=" if close else f"; it takes {', '.join(sorted(taken))}"
            raise TypeError(f"{called}() does not take {name!r}{hint}")


def text_of_path(index: Any) -> Any:
    """Return the path of an index as text, which a framework can save. Anything else is returned
    unchanged."""
    return os.fspath(index) if isinstance(index, os.PathLike) else index
