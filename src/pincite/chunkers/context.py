"""The line before a chunk's text in the input of encoders, and its cost."""

from __future__ import annotations

CONTEXT_CHARS = 160  # about 50 word pieces; longer paths lose their middle
_CHARS_PER_TOKEN = 3.0  # low on purpose: paths have more pieces than prose


def context_line(title: str, headings: tuple[str, ...], path: str) -> str:
    """Return path, title and heading path on one line of at most CONTEXT_CHARS characters.

    A title that equals the file's name is left out.
    """
    if title and path.endswith(title):
        title = ""
    parts = [part for part in (title, *headings) if part]
    if len(parts) > 1 and parts[0] == parts[1]:
        parts = parts[1:]
    line = " ".join(" > ".join((_shorten(path, CONTEXT_CHARS // 2), *parts)).split())
    return _shorten(line, CONTEXT_CHARS)


def context_cost(title: str, headings: tuple[str, ...], path: str) -> int:
    """Return a high estimate of the line's word pieces, with the two special tokens around the
    input."""
    return 3 + int(len(context_line(title, headings, path)) / _CHARS_PER_TOKEN)


def _shorten(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = (limit - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
