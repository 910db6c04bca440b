"""Pincite as the retriever of a LlamaIndex program: nodes in, nodes with scores out.

pip install llama-index-core
python examples/llamaindex_style.py
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from pincite import Evidence, Pincite

NODES = [
    TextNode(
        id_="keys-1",
        text="A key is rotated with `rotate_key`. The old one stays valid for an hour.",
        metadata={"file_name": "keys.md", "team": "security", "page": 1, "labels": ["how-to"]},
    ),
    TextNode(
        id_="keys-2",
        text="A key that leaked is revoked at once with `revoke_key`, without the hour.",
        metadata={"file_name": "keys.md", "team": "security", "page": 2, "labels": ["incident"]},
    ),
    TextNode(
        id_="piano-1",
        text="A piano has 88 keys. Each key moves a hammer.",
        metadata={"file_name": "piano.md", "team": "music", "page": 1},
    ),
]


def record_of(node: TextNode) -> dict[str, Any]:
    metadata = dict(node.metadata)
    title = metadata.pop("file_name", "")
    return {"id": node.node_id, "text": node.text, "title": title, "attributes": metadata}


def node_of(item: Evidence) -> NodeWithScore:
    """A passage. `record_id` is the node that it is from, of which it may be a part."""
    metadata = {**item.attributes, "citation": item.citation, "record_id": item.record_id}
    node = TextNode(id_=item.chunk_id, text=item.text, metadata=metadata)
    return NodeWithScore(node=node, score=item.score)


class PinciteRetriever(BaseRetriever):
    """Searches an index. An answer is only given from evidence that is good enough: without it
    there are no nodes."""

    def __init__(self, pincite: Pincite, where: str = "", similarity_top_k: int = 3) -> None:
        self._pincite = pincite
        self._where = where
        self._limit = similarity_top_k
        super().__init__()

    def insert_nodes(self, nodes: Iterable[TextNode]) -> None:
        report = self._pincite.upsert(map(record_of, nodes), lexical=True)
        if report.failed_count:
            raise ValueError(report.failed[0].message)

    def delete_nodes(self, node_ids: list[str]) -> None:
        self._pincite.delete(ids=node_ids)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        pack = self._pincite.search(query_bundle.query_str, where=self._where, limit=self._limit)
        return [node_of(item) for item in pack] if pack.verdict.level == "grounded" else []


def main() -> None:
    with Pincite("nodes-index") as pincite:
        everything = PinciteRetriever(pincite)
        everything.insert_nodes(NODES)
        security = PinciteRetriever(pincite, where="team = security and page <= 2")
        for retriever in (everything, security):
            found = retriever.retrieve("rotate a key")
            print([(one.node.metadata["record_id"], round(one.score or 0.0, 2)) for one in found])
        everything.delete_nodes(["keys-1"])
        print([one.node.metadata for one in security.retrieve("a key that leaked")])
        print(everything.retrieve("the weather of tomorrow"))


if __name__ == "__main__":
    main()
