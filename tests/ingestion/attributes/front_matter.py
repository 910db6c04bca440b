"""A page with front matter."""

from __future__ import annotations

PAGE = "# Page\n\nThe turnstile rotates.\n"


def front(block: str) -> str:
    return f"---\n{block}\n---\n\n{PAGE}"
