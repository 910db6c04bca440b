"""LangChain: a retriever, and documents as records; needs `pip install 'pincite[langchain]'`.

>>> retriever = PinciteRetriever(index=".pincite", k=4)
>>> chain = {"context": retriever, "question": RunnablePassthrough()} | prompt | model
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, PrivateAttr, model_validator

from pincite.model import EvidencePack
from pincite.model.records import Record
from pincite.surfaces.frameworks.evidence_source import EvidenceSource, count_of, metadata_of

_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


class PinciteRetriever(BaseRetriever):
    """A retriever of passages with their citations, best first; none if nothing is good enough.

    `index` is an index folder, by default the nearest one. `k` is the maximum number of passages,
    None for that of the profile. `where` is a filter, and `passage_tags` are attributes that a
    passage must have. `invoke(query, k=3, where="kind = 'docs'")` sets both for one call; its
    filter narrows that of the retriever.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: Any = None
    k: int | None = None
    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kinds: tuple[Any, ...] = ()
    where: str = ""
    passage_tags: Mapping[str, Any] | None = None
    preset: str | None = None
    reranker: Any = None
    _source: EvidenceSource = PrivateAttr()

    @model_validator(mode="after")
    def _open(self) -> PinciteRetriever:
        self._source = EvidenceSource(
            self.index,
            limit=self.k,
            collections=self.collections,
            sources=self.sources,
            kinds=self.kinds,
            where=self.where,
            tags=self.passage_tags,
            preset=self.preset,
            reranker=self.reranker,
        )
        return self

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - the framework's
        **asked: Any,
    ) -> list[Document]:
        return documents_of(self._source.search(query, **_checked(asked)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - the framework's
        **asked: Any,
    ) -> list[Document]:
        return documents_of(await self._source.asearch(query, **_checked(asked)))

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._source.close()


def documents_of(pack: EvidencePack) -> list[Document]:
    """Return the evidence as documents; their `id` is the citation."""
    return [
        Document(id=one.citation, page_content=one.text, metadata=metadata_of(one, pack))
        for one in pack
    ]


def records_of(documents: Iterable[Document]) -> Iterator[Record]:
    """Return documents of any loader as records for `Pincite.upsert`. A document without an id gets
    `source` of its metadata as id, with its `page` if it has one. Further documents of the same
    source and page get `#2`, `#3` and so on appended, in their order. Other metadata become
    attributes.

    >>> pincite.upsert(records_of(loader.lazy_load()), collection="notes")
    """
    ids = _Ids()
    for number, document in enumerate(documents):
        metadata = {name: value for name, value in document.metadata.items() if value is not None}
        source = metadata.pop("source", None)
        page = metadata.get("page")
        made = source if page is None or source is None else f"{source}#{page}"
        wanted = f"document-{number}" if made is None else str(made)
        url = source if isinstance(source, str) and "://" in source else None
        yield Record(
            id=ids.given(document.id) if document.id else ids.made(wanted),
            text=document.page_content,
            title=str(metadata.pop("title", "")),
            url=url,
            attributes=metadata,
        )


class _Ids:
    """Ids of records. One that is made here differs from all ids before it."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}  # by id: the last number appended to it, 1 for none

    def given(self, id_: str) -> str:
        """Return the id of a document. It stays as it is, also the second time."""
        self._last.setdefault(id_, 1)
        return id_

    def made(self, id_: str) -> str:
        """Return the id, with a number if it is taken."""
        if not self._is_taken(id_):
            self._last[id_] = 1
            return id_
        number = self._last.get(id_, 1) + 1
        while self._is_taken(f"{id_}#{number}"):
            number += 1
        self._last[id_] = number
        return f"{id_}#{number}"

    def _is_taken(self, id_: str) -> bool:
        """Numbered ids are not kept: one source may have millions of them."""
        before, _, number = id_.rpartition("#")
        last = self._last.get(before, 1)
        is_number = last > 1 and _NUMBER.fullmatch(number) is not None
        return id_ in self._last or (is_number and 2 <= int(number) <= last)


def _checked(asked: dict[str, Any]) -> dict[str, Any]:
    known = {"k", "where"}
    if unknown := asked.keys() - known:
        raise TypeError(f"invoke() takes k and where, not {', '.join(sorted(unknown))}")
    k = asked.get("k")
    limit = None if k is None else count_of(k, "k")
    return {"limit": limit, "where": asked.get("where", "")}
