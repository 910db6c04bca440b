"""Which chunker cuts which language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.chunkers.lines import Lines
from pincite.chunkers.packing import Packer

if TYPE_CHECKING:
    from pincite.chunkers.config import ChunkerConfig
    from pincite.model import Document, Section


def chunk_document(document: Document, config: ChunkerConfig) -> tuple[Section, ...]:
    """Sections of any document, see `ports.Chunker.chunk`; never fails on a text."""
    if not document.text.strip():
        return ()
    lines = Lines(document.text)
    packer = Packer(document, lines, config)
    language = document.language
    if language == "markdown":
        from pincite.chunkers.markdown import markdown_pieces

        return tuple(packer.pack(markdown_pieces(lines, packer.room)))
    from pincite.chunkers.grammars import GRAMMARS

    if language in GRAMMARS:
        from pincite.chunkers.code import chunk_code

        return chunk_code(lines, packer, GRAMMARS[language])
    from pincite.chunkers.text import text_pieces

    return tuple(packer.pack(text_pieces(lines)))
