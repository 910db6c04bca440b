"""What encoders read of a chunk: its text, and what is added to it and never cited."""

from __future__ import annotations

from pincite.chunkers import context_line
from pincite.model import Chunk


def enrich(chunk: Chunk) -> str:
    """Where the chunk stands (path, title, headings) on a line of its own, then its text: without
    markup, and with what its lines show of other files. A record's id says nothing of its text, and
    is left out."""
    path = "" if chunk.cited_in == "char" else chunk.path
    return f"{context_line(chunk.title, chunk.headings, path)}\n{own_text(chunk)}"


def own_text(chunk: Chunk) -> str:
    """The same without the first line, for encoders that know by other chunks where it stands."""
    return chunk.read_as
