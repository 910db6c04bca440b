"""Limit the number of sections of a document: a small file may have very many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pincite.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pincite.model import Section

#: 5 MB of JSON have 40,000. A table of 10 MB with one long word would have a million sections.
MOST_SECTIONS: Final = 100_000


def limited(sections: Iterable[Section]) -> Iterator[Section]:
    """Yield the sections. Raises SourceError instead of the first one above the limit, so that no
    more of them are made."""
    for number, section in enumerate(sections):
        if number == MOST_SECTIONS:
            raise SourceError(f"more than {MOST_SECTIONS:,} chunks, the most of one file")
        yield section
