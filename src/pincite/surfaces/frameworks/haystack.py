"""Haystack: a retriever component; needs `pip install 'pincite[haystack]'`.

>>> pipeline.add_component("retriever", PinciteRetriever(".pincite", top_k=5))
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from pincite.errors import UsageError
from pincite.model import EvidencePack, SourceType
from pincite.settings.sections.refresh import RefreshMode
from pincite.support.arguments import shown, texts_of
from pincite.surfaces.extra import needs_extra
from pincite.surfaces.frameworks.evidence_source import (
    EvidenceSource,
    IndexHandle,
    count_of,
    metadata_of,
    reason_of,
    text_of_path,
    warnings_of,
)

with needs_extra("haystack", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict


@component
class PinciteRetriever:
    """A retriever of passages with their citations, best first; none if nothing is good enough.
    `where` is a filter of Pincite: `kind = 'docs' and path ^= src/`."""

    def __init__(
        self,
        index: str | os.PathLike[str] | None = None,
        *,
        top_k: int | None = None,
        collections: str | Iterable[str] | None = None,
        sources: str | Iterable[str] | None = None,
        kinds: SourceType | Iterable[SourceType] | None = None,
        where: str = "",
        tags: dict[str, Any] | None = None,
        preset: str | None = None,
        refresh: RefreshMode | None = None,
    ) -> None:
        index = text_of_path(index)
        if index is not None and not isinstance(index, str):
            raise UsageError(
                f"index is {shown(index)}; it takes the path of an index folder, because a saved"
                " pipeline contains it"
            )
        self.index = index
        self.top_k = top_k
        self.collections = _listed("collections", collections)
        self.sources = _listed("sources", sources)
        self.kinds = _listed("kinds", kinds)
        self.where = where
        self.tags = tags
        self.preset = preset
        self.refresh = refresh
        self._handle = IndexHandle(index, refresh=refresh)
        self._source()

    def _source(self) -> EvidenceSource:
        """Return the source for the current values of the attributes, which a program can set."""
        self._handle = self._handle.of(self.index, refresh=self.refresh)
        if self.top_k is not None:
            count_of(self.top_k, "top_k")
        return EvidenceSource(
            self._handle,
            limit=self.top_k,
            collections=self.collections or (),
            sources=self.sources or (),
            kinds=self.kinds or (),  # type: ignore[arg-type]  # checked here
            where=self.where,
            tags=self.tags,
            preset=self.preset,
        )

    @component.output_types(documents=list[Document], verdict=str, reason=str, warnings=list[str])
    def run(self, query: str, top_k: int | None = None, where: str = "") -> dict[str, Any]:
        """Return `documents`, best first, the `verdict` (`grounded`, `weak` or `none`) with its
        `reason`, and `warnings`."""
        limit = None if top_k is None else count_of(top_k, "top_k")
        return _found(self._source().retrieve(query, limit=limit, where=where))

    @component.output_types(documents=list[Document], verdict=str, reason=str, warnings=list[str])
    async def run_async(
        self, query: str, top_k: int | None = None, where: str = ""
    ) -> dict[str, Any]:
        """Return the result of `run`, without blocking the event loop."""
        limit = None if top_k is None else count_of(top_k, "top_k")
        return _found(await self._source().aretrieve(query, limit=limit, where=where))

    def to_dict(self) -> dict[str, Any]:
        """Return the component's data for a saved pipeline."""
        return default_to_dict(
            self,
            index=self.index,
            top_k=self.top_k,
            collections=self.collections,
            sources=self.sources,
            kinds=self.kinds,
            where=self.where,
            tags=self.tags,
            preset=self.preset,
            refresh=self.refresh,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PinciteRetriever:
        """Return the component with the data of a saved pipeline."""
        made: PinciteRetriever = default_from_dict(cls, data)
        return made

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._handle.close()


def _found(pack: EvidencePack) -> dict[str, Any]:
    documents = [
        Document(id=one.citation, content=one.text, meta=metadata_of(one, pack), score=one.score)
        for one in pack
    ]
    return {
        "documents": documents,
        "verdict": pack.verdict.level,
        "reason": reason_of(pack),
        "warnings": warnings_of(pack),
    }


def _listed(name: str, given: str | Iterable[str] | None) -> list[str] | None:
    """Return the texts as a list, as a saved pipeline contains them."""
    return None if given is None else [*texts_of(name, given)]
