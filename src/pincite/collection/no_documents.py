"""Collections without any document."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Notice


def no_documents(collections: Sequence[str]) -> Notice:
    """Return the warning about the collections with these names."""
    return Notice(
        "no_documents",
        f"{' and '.join(collections)} {'has' if len(collections) == 1 else 'have'} no documents:"
        " `pincite status` lists what was left out, `pincite index PATH` indexes another folder",
    )
