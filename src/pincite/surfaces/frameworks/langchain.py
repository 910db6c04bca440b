"""LangChain: a retriever, and documents as records; needs `pip install 'pincite[langchain]'`.

>>> retriever = PinciteRetriever(index=".pincite", k=4)
>>> chain = {"context": retriever, "question": RunnablePassthrough()} | prompt | model
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Annotated, Any

from pincite.errors import InvalidRecord
from pincite.model import EvidencePack, SourceType
from pincite.model.records import Record
from pincite.records.normalise import MOST_ID_CHARS, id_of, is_address
from pincite.settings.sections.refresh import RefreshMode
from pincite.surfaces.extra import needs_extra
from pincite.surfaces.frameworks.evidence_source import (
    EvidenceSource,
    IndexHandle,
    count_of,
    metadata_of,
)
from pincite.surfaces.frameworks.metadata import attributes_of

with needs_extra("langchain", "langchain_core"):
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict, PrivateAttr, SkipValidation, field_validator, model_validator

_MOST_SOURCE_CHARS = MOST_ID_CHARS - 20  # leaves room for `#` and a number of 18 digits
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


class PinciteRetriever(BaseRetriever):
    """A retriever of passages with their citations, best first; none if nothing is good enough.

    `index` is an index folder, by default the nearest one. `k` is the maximum number of passages;
    None takes the number of the profile. `where` is a filter, and `passage_tags` are attributes
    that a passage must have. `invoke(query, k=3, where="kind = 'docs'")` sets `k` and `where` for
    one call; its filter narrows the retriever's own. `refresh` is that of `EvidenceSource`. A list
    of documents does not say why it is empty or what may be missing; `evidence` and the log do.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: Any = None
    k: int | None = None
    collections: str | Sequence[str] = ()
    sources: str | Sequence[str] = ()
    kinds: Annotated[SourceType | Sequence[SourceType], SkipValidation] = ()
    where: str = ""
    passage_tags: Mapping[str, Any] | None = None
    preset: str | None = None
    reranker: Any = None
    refresh: Annotated[RefreshMode | None, SkipValidation] = None
    _handle: IndexHandle = PrivateAttr(default_factory=IndexHandle)

    @field_validator("collections", "sources", "kinds", mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        several = isinstance(given, Iterable) and not isinstance(given, str)
        return tuple(given) if several else (given,)

    @model_validator(mode="after")
    def _check(self) -> PinciteRetriever:
        self._source()
        return self

    def _source(self) -> EvidenceSource:
        """Return the source for the current values of the fields: they may have been set, or
        updated in a copy. Copies share the open index."""
        self._handle = self._handle.of(self.index, self.reranker, self.refresh)
        if self.k is not None:
            count_of(self.k, "k")
        return EvidenceSource(
            self._handle,
            limit=self.k,
            collections=self.collections,
            sources=self.sources,
            kinds=self.kinds,
            where=self.where,
            tags=self.passage_tags,
            preset=self.preset,
        )

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - the framework's
        **asked: Any,
    ) -> list[Document]:
        return documents_of(self._source().retrieve(query, **_checked(asked)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - the framework's
        **asked: Any,
    ) -> list[Document]:
        return documents_of(await self._source().aretrieve(query, **_checked(asked)))

    def evidence(self, query: str, *, k: int | None = None, where: str = "") -> EvidencePack:
        """Return the complete evidence for a question, with verdict, reason and warnings.
        `documents_of` converts it to documents. Raises the errors of `Pincite.search`."""
        return self._source().search(query, **_checked({"k": k, "where": where}))

    async def aevidence(self, query: str, *, k: int | None = None, where: str = "") -> EvidencePack:
        """Return the evidence as `evidence` does, without blocking the event loop."""
        return await self._source().asearch(query, **_checked({"k": k, "where": where}))

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._handle.close()


def documents_of(pack: EvidencePack) -> list[Document]:
    """Return the evidence as documents; their `id` is the citation."""
    return [
        Document(id=one.citation, page_content=one.text, metadata=metadata_of(one, pack))
        for one in pack
    ]


def records_of(documents: Iterable[Document]) -> Iterator[Record]:
    """Return documents of any loader as records for `Pincite.upsert`, which reports those that it
    refuses, such as empty ones.

    A document without an id gets the `source` of its metadata as id, with its `page` if it has one.
    Without a usable source the id is made from its content. If several documents would get the
    same id, `#2`, `#3` and so on are appended from the second one on. The `url` of the metadata, or
    a source that is a URL, becomes the URL of the record, and `title` its title. Other metadata
    become attributes; `attributes_of` says how.

    >>> report = pincite.upsert(records_of(loader.lazy_load()), collection="notes")
    >>> report.failed
    ()
    """
    ids = _Ids()
    for document in documents:
        metadata = document.metadata
        address = next((name for name in ("url", "source") if is_address(metadata.get(name))), None)
        of_source = None if document.id else _id_of_source(metadata)
        used = {"title", address, "source" if of_source else None}
        title = metadata.get("title")
        yield Record(
            id=ids.given(document.id)
            if document.id
            else ids.made(of_source or _id_of_content(document)),
            text=document.page_content,
            title="" if title is None else str(title),
            url=metadata[address] if address else None,
            attributes=attributes_of({n: held for n, held in metadata.items() if n not in used}),
        )


def _id_of_source(metadata: Mapping[str, Any]) -> str | None:
    """Return the id made from the source and its page. None if there is no source, or if that id is
    invalid or leaves no room for a number."""
    source, page = metadata.get("source"), metadata.get("page")
    made = "" if source is None else str(source) if page is None else f"{source}#{page}"
    try:
        return id_of(made) if len(made) <= _MOST_SOURCE_CHARS else None
    except InvalidRecord:
        return None


def _id_of_content(document: Document) -> str:
    source = document.metadata.get("source")
    said = f"{'' if source is None else source}\0{document.page_content}"
    raw = said.encode("utf-8", "surrogatepass")
    return f"document-{blake2b(raw, digest_size=16).hexdigest()}"


class _Ids:
    """The ids of records so far. `made` returns an id that none of them has."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}  # id -> the last number appended to it, 1 for none

    def given(self, id_: str) -> str:
        """Record and return the id of a document, unchanged even if it is taken."""
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
        """Return whether an id is taken. Numbered ids are not stored, because one source may have
        millions of them: the last number of each source is enough."""
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
