"""Nodes, as those of LlamaIndex."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class TextNode:
    """A text with metadata."""

    text: str
    id_: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def node_id(self) -> str:
        """Its id."""
        return self.id_


@dataclass
class NodeWithScore:
    """A node that was found."""

    node: TextNode
    score: float | None = None


@dataclass
class QueryBundle:
    """A question."""

    query_str: str
