"""The text of a cited place as it was indexed, from the chunks of its document."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.citations.lines_and_columns import Columns, chars_of_lines
from pincite.model import Chunk
from pincite.model.citation import Citation
from pincite.model.revisions import names_content, same_revision
from pincite.model.spans import joined


def is_indexed(ref: str, chunk: Chunk) -> bool:
    """Return whether a ref names the revision at which a chunk was indexed."""
    return same_revision(ref, chunk.ref) or names_content(ref, chunk.content_hash)


def text_as_indexed(chunks: Sequence[Chunk], cited: Citation) -> str | None:
    """Return the text of the cited lines, columns or characters from the chunks of a document. None
    if the indexed revision is not the cited one, or if the chunks do not have all of the text."""
    merged: Chunk | None = None
    for chunk in sorted(chunks, key=lambda one: (one.start, one.end)):
        if not is_indexed(cited.ref, chunk):
            return None
        if _touches(chunk, cited):
            merged = chunk if merged is None else joined(merged, chunk)
            if merged is None:
                return None
    return None if merged is None else _cut(merged, cited)


def _touches(chunk: Chunk, cited: Citation) -> bool:
    if cited.start_char is not None and cited.end_char is not None:
        return chunk.start < cited.end_char and cited.start_char < chunk.end
    if cited.start_line is None or cited.end_line is None:
        return False
    return chunk.start_line <= cited.end_line and cited.start_line <= chunk.end_line


def _cut(merged: Chunk, cited: Citation) -> str | None:
    if cited.start_char is not None and cited.end_char is not None:
        if not merged.start <= cited.start_char < cited.end_char <= merged.end:
            return None
        return merged.text[cited.start_char - merged.start : cited.end_char - merged.start]
    first, last = cited.start_line or 1, cited.end_line or 1
    columns: Columns = cited.start_column, cited.end_column
    if merged.end_column is not None and last == merged.end_line and columns[1] is None:
        return None
    before = "\n" * (merged.start_line - 1) + " " * ((merged.start_column or 1) - 1)
    chars = chars_of_lines(before + merged.text, first, last, columns)
    if chars is None or chars[0] < len(before):
        return None
    return (before + merged.text)[slice(*chars)]
