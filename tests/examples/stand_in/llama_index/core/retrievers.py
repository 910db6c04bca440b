"""The base of retrievers, as that of LlamaIndex."""

from __future__ import annotations

from llama_index.core.schema import NodeWithScore, QueryBundle


class BaseRetriever:
    """Asks `_retrieve`, which a subclass has."""

    def retrieve(self, str_or_query_bundle: str) -> list[NodeWithScore]:
        """The nodes for a question."""
        found: list[NodeWithScore] = self._retrieve(QueryBundle(str_or_query_bundle))  # type: ignore[attr-defined]
        return found
