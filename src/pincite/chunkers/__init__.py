"""Chunkers: cut documents into citable spans."""

from pincite.chunkers.budget import estimate_word_pieces
from pincite.chunkers.chunks import chunk_id, chunks_of
from pincite.chunkers.code.by_line import line_revision, outlined
from pincite.chunkers.code.grammars import grammar_revision, lacks_grammar
from pincite.chunkers.config import ChunkerConfig
from pincite.chunkers.context import context_line
from pincite.chunkers.sections import sections_of

__all__ = [
    "ChunkerConfig",
    "chunk_id",
    "chunks_of",
    "context_line",
    "estimate_word_pieces",
    "grammar_revision",
    "lacks_grammar",
    "line_revision",
    "outlined",
    "sections_of",
]
