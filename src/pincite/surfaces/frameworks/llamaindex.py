"""LlamaIndex: a retriever, and postprocessors that rerank nodes and drop those whose citations are
no longer valid; needs `pip install 'pincite[llamaindex]'`.

>>> engine = RetrieverQueryEngine.from_args(
...     PinciteRetriever(".pincite"), llm=..., node_postprocessors=[PinciteVerify(".pincite")]
... )
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from anyio.from_thread import start_blocking_portal

from pincite.asking import checked_tags
from pincite.encoders.functions import OpenModels
from pincite.errors import UsageError
from pincite.model import EvidencePack
from pincite.model.citation import parse_citation
from pincite.providers.names import parse_model
from pincite.providers.registry import find_provider
from pincite.surfaces.extra import needs_extra
from pincite.surfaces.frameworks.evidence_source import (
    EvidenceSource,
    IndexHandle,
    Place,
    SourceKeywords,
    count_of,
    metadata_of,
    require_taken,
    text_of_path,
)

with needs_extra("llamaindex", "llama_index.core"):
    from llama_index.core.bridge.pydantic import ConfigDict, PrivateAttr, field_validator
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode


class PinciteRetriever(BaseRetriever):
    """A retriever of passages with their citations as nodes, best first; none if nothing is good
    enough. It takes the arguments of `EvidenceSource`, and `callback_manager` and `verbose` of its
    base class. A list of nodes does not say why it is empty or what may be missing; `evidence` and
    the log do."""

    def __init__(
        self,
        index: Place | IndexHandle = None,
        *,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
        **searched: Unpack[SourceKeywords],
    ) -> None:
        require_taken("PinciteRetriever", searched, similarity_top_k="limit", top_k="limit")
        self._source = EvidenceSource(index, **searched)
        super().__init__(callback_manager=callback_manager, verbose=verbose)

    @property
    def limit(self) -> int | None:
        """Return the number of passages; None takes the number of the profile. It can be set."""
        return self._source.limit

    @limit.setter
    def limit(self, limit: int | None) -> None:
        self._source.limit = None if limit is None else count_of(limit, "limit")

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes_of(self._source.retrieve(query_bundle.query_str))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes_of(await self._source.aretrieve(query_bundle.query_str))

    def evidence(self, query: str, *, where: str = "") -> EvidencePack:
        """Return the complete evidence for a question, with verdict, reason and warnings.
        `nodes_of` converts it to nodes. Raises the errors of `Pincite.search`."""
        return self._source.search(query, where=where)

    async def aevidence(self, query: str, *, where: str = "") -> EvidencePack:
        """Return the evidence as `evidence` does, without blocking the event loop."""
        return await self._source.asearch(query, where=where)

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._source.close()


class PinciteVerify(BaseNodePostprocessor):
    """A postprocessor that checks the citations of Pincite's nodes. It keeps a node if its text is
    still there, also at another place, and drops it otherwise. Nodes of other origin are kept.
    `collections` and `tags` restrict what it reads; they are needed if the index requires tags."""

    model_config = ConfigDict(extra="forbid")

    index: Any = None
    collections: str | Sequence[str] = ()
    tags: Mapping[str, Any] | None = None
    _handle: IndexHandle = PrivateAttr(default_factory=IndexHandle)

    def __init__(self, index: Place = None, **others: Any) -> None:
        super().__init__(**{"index": index, **others})
        checked_tags(self.tags)

    @field_validator("index", mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        return text_of_path(given)

    @classmethod
    def class_name(cls) -> str:
        """Return the name in serialised pipelines."""
        return "PinciteVerify"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002 - the framework's
    ) -> list[NodeWithScore]:
        ours = [_citation_of(one) for one in nodes]
        cited = [citation for citation in ours if citation]
        self._handle = self._handle.of(self.index)
        bound: dict[str, Any] = {"tags": self.tags, "collections": self.collections}
        checks = iter(self._handle.pincite.check(cited, **bound) if cited else ())
        kept = []
        for node, citation in zip(nodes, ours, strict=True):
            if not citation or next(checks).status in ("fresh", "moved"):
                kept.append(node)
        return kept

    def close(self) -> None:
        """Close the index; the next call opens it again."""
        self._handle.close()


class PinciteRerank(BaseNodePostprocessor):
    """A postprocessor that sorts nodes with a reranker and keeps the best `top_n`. `model` is the
    name of the reranker, such as `voyage:rerank-2.5`, by default that of the index's settings.
    Raises UsageError for a number below 1, and for a name without a reranker of a known provider.
    """

    model_config = ConfigDict(extra="forbid")

    top_n: int = 10
    model: str = ""
    instruction: str = ""
    index: Any = None

    @field_validator("index", mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        return text_of_path(given)

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._check()

    def _check(self) -> None:
        """Check the current fields, which can be changed. Raises UsageError."""
        count_of(self.top_n, "top_n")
        if self.model:
            find_provider(parse_model(self.model).provider, "rerank")

    @classmethod
    def class_name(cls) -> str:
        """Return the name in serialised pipelines."""
        return "PinciteRerank"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        # in another thread, because this one may already run an event loop, as in a notebook
        with start_blocking_portal() as portal:
            return portal.call(self._apostprocess_nodes, nodes, query_bundle)

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        self._check()
        if query_bundle is None:
            raise UsageError("a question is missing: rerankers compare nodes with it")
        if not nodes:
            return []
        texts = [one.node.get_content(MetadataMode.NONE) for one in nodes]
        async with OpenModels(self.index, rerank=self.model) as models:
            ranked = await models.rerank(
                query_bundle.query_str, texts, self.top_n, instruction=self.instruction
            )
        return [NodeWithScore(node=nodes[one.index].node, score=one.score) for one in ranked]


def _citation_of(node: NodeWithScore) -> str:
    """Return the citation of one of Pincite's nodes, "" for any other node, whatever its metadata
    contain."""
    citation = node.node.metadata.get("citation")
    return citation if isinstance(citation, str) and parse_citation(citation) else ""


def nodes_of(pack: EvidencePack) -> list[NodeWithScore]:
    """Return the evidence as nodes. Language models see the text and the citation, embedding models
    only the text."""
    found = []
    for one in pack:
        metadata = metadata_of(one, pack)
        hidden = [name for name in metadata if name != "citation"]
        node = TextNode(
            id_=one.citation,
            text=one.text,
            metadata=metadata,
            excluded_llm_metadata_keys=hidden,
            excluded_embed_metadata_keys=list(metadata),
        )
        found.append(NodeWithScore(node=node, score=one.score))
    return found
