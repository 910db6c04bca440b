"""Haystack: a retriever component; needs `pip install 'pincite[haystack]'`.

>>> pipeline.add_component("retriever", PinciteRetriever(".pincite", top_k=5))
"""

from __future__ import annotations

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from pincite.errors import UsageError
from pincite.model import EvidencePack
from pincite.surfaces.frameworks.evidence_source import EvidenceSource, count_of, metadata_of


@component
class PinciteRetriever:
    """A retriever of passages with their citations, best first; none if nothing is good enough.
    `where` is a filter of Pincite: `kind = 'docs' and path ^= src/`."""

    def __init__(
        self,
        index: str | None = None,
        *,
        top_k: int | None = None,
        collections: list[str] | None = None,
        sources: list[str] | None = None,
        kinds: list[str] | None = None,
        where: str = "",
        tags: dict[str, Any] | None = None,
        preset: str | None = None,
    ) -> None:
        if index is not None and not isinstance(index, str):
            raise UsageError("index: the path of an index folder as text, so that a pipeline keeps")
        self._given = {
            "index": index,
            "top_k": top_k,
            "collections": collections,
            "sources": sources,
            "kinds": kinds,
            "where": where,
            "tags": tags,
            "preset": preset,
        }
        self._source = EvidenceSource(
            index,
            limit=top_k,
            collections=collections or (),
            sources=sources or (),
            kinds=kinds or (),  # type: ignore[arg-type]  # checked by the search
            where=where,
            tags=tags,
            preset=preset,
        )

    @component.output_types(documents=list[Document], verdict=str)
    def run(self, query: str, top_k: int | None = None, where: str = "") -> dict[str, Any]:
        """Return `documents`, best first, and `verdict`: `grounded`, `weak` or `none`."""
        limit = None if top_k is None else count_of(top_k, "top_k")
        return _found(self._source.search(query, limit=limit, where=where))

    @component.output_types(documents=list[Document], verdict=str)
    async def run_async(
        self, query: str, top_k: int | None = None, where: str = ""
    ) -> dict[str, Any]:
        """Return the result of `run`."""
        limit = None if top_k is None else count_of(top_k, "top_k")
        return _found(await self._source.asearch(query, limit=limit, where=where))

    def to_dict(self) -> dict[str, Any]:
        """Return the data of the component in a saved pipeline."""
        return default_to_dict(self, **self._given)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PinciteRetriever:
        """Return the component of a saved pipeline."""
        made: PinciteRetriever = default_from_dict(cls, data)
        return made

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._source.close()


def _found(pack: EvidencePack) -> dict[str, Any]:
    documents = [
        Document(id=one.citation, content=one.text, meta=metadata_of(one, pack), score=one.score)
        for one in pack
    ]
    return {"documents": documents, "verdict": pack.verdict.level}
