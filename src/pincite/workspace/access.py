"""What an access comes to, as conditions of a search."""

from __future__ import annotations

from pincite.model import Attributes
from pincite.workspace.model import Access, Readable


def bounds_of(readable: Readable, access: Access) -> Attributes:
    """The bounds of all searches and reads with this access, see `pincite.model.Scope`. The space
    is always among them: who is a member reads all of it, whoever uploaded it. Documents and feeds
    are ids of documents by now. What is empty matches nothing."""
    bounds: dict[str, tuple[str, ...]] = {"space_id": readable.space_ids}
    if readable.document_ids is not None:
        bounds["document_id"] = readable.document_ids
    if access.source_ids is not None:
        bounds["source_ids"] = access.source_ids
    given = {
        "doc_category": access.category,
        "doc_document_type": access.document_type,
        "doc_data_structure": access.data_structure,
    }
    bounds |= {name: (value,) for name, value in given.items() if value is not None}
    return bounds
