"""LlamaIndex: a retriever, and postprocessors that rerank nodes and drop what no longer holds;
needs `pip install 'pincite[llamaindex]'`.

>>> engine = RetrieverQueryEngine.from_args(
...     PinciteRetriever(".pincite"), llm=..., node_postprocessors=[PinciteVerify(".pincite")]
... )
"""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from pincite.encoders.functions import OpenModels
from pincite.errors import UsageError
from pincite.model import EvidencePack
from pincite.surfaces.frameworks.evidence_source import EvidenceSource, metadata_of


class PinciteRetriever(BaseRetriever):
    """A retriever of passages with their citations as nodes, best first; none if nothing is good
    enough. It takes the arguments of `EvidenceSource`."""

    def __init__(self, index: Any = None, **searched: Any) -> None:
        self._source = EvidenceSource(index, **searched)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes_of(self._source.search(query_bundle.query_str))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes_of(await self._source.asearch(query_bundle.query_str))

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._source.close()


class PinciteVerify(BaseNodePostprocessor):
    """A postprocessor that keeps Pincite's nodes whose citation is still valid, and drops those
    whose text was changed or removed since indexing. Other nodes pass."""

    _source: EvidenceSource = PrivateAttr()

    def __init__(self, index: Any = None, **others: Any) -> None:
        super().__init__(**others)
        self._source = EvidenceSource(index)

    @classmethod
    def class_name(cls) -> str:
        """Return the name in serialised pipelines."""
        return "PinciteVerify"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002 - the framework's
    ) -> list[NodeWithScore]:
        ours = [one.node.metadata.get("citation", "") for one in nodes]
        cited = [citation for citation in ours if citation]
        checks = iter(self._source.pincite.check(cited) if cited else ())
        kept = []
        for node, citation in zip(nodes, ours, strict=True):
            if not citation or next(checks).status in ("fresh", "moved"):
                kept.append(node)
        return kept

    def close(self) -> None:
        """Close the index; the next call opens it again."""
        self._source.close()


class PinciteRerank(BaseNodePostprocessor):
    """A postprocessor that sorts nodes with a reranker by name, such as `voyage:rerank-2.5`; by
    default that of the index's settings. Keeps the best `top_n`."""

    top_n: int = 10
    model: str = ""
    instruction: str = ""
    index: Any = None

    @classmethod
    def class_name(cls) -> str:
        """Return the name in serialised pipelines."""
        return "PinciteRerank"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return asyncio.run(self._apostprocess_nodes(nodes, query_bundle))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
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


def nodes_of(pack: EvidencePack) -> list[NodeWithScore]:
    """Return the evidence as nodes. Models and embedders see only the text and the citation."""
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
