"""Resolve an access: the calls that it allows and the conditions that it adds to a search."""

from __future__ import annotations

from pincite.errors import Forbidden
from pincite.model import Attributes
from pincite.workspace.model import Access, KeyScope, Readable


def bounds_of(readable: Readable, access: Access) -> Attributes:
    """Return the bounds of all searches and reads with this access; see `pincite.model.Scope`. The
    spaces are always bounds: a member may read all of a space, whoever uploaded the documents.
    Documents and feeds are resolved to ids of documents. An empty set of values matches nothing."""
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


def require_scope(access: Access, scope: KeyScope) -> None:
    """Raise Forbidden if the key of the access does not have the scope."""
    if scope not in access.scopes:
        raise Forbidden(f"the key lacks the scope {scope}")
