"""Chunkers: cut documents into citable spans."""

from pincite.chunkers.budget import estimate_tokens
from pincite.chunkers.code.by_line import line_revision, outlined
from pincite.chunkers.code.grammars import grammar_revision, lacks_grammar
from pincite.chunkers.config import ChunkerConfig
from pincite.chunkers.context import context_line
from pincite.chunkers.cutting import chunk_id, cut
from pincite.chunkers.dispatch import chunk_document

__all__ = [
    "ChunkerConfig",
    "chunk_document",
    "chunk_id",
    "context_line",
    "cut",
    "estimate_tokens",
    "grammar_revision",
    "lacks_grammar",
    "line_revision",
    "outlined",
]
