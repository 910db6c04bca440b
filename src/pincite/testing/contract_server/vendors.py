"""All vendors of the server, with the endpoints from each file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pincite.testing.contract_server import chat, embeddings, reranking
from pincite.testing.contract_server.errors import ERRORS, NEED_KEY
from pincite.testing.contract_server.wire import Endpoint, Vendor

#: Each table is (vendor, method, path) -> endpoint.
TABLES: tuple[Mapping[tuple[str, str, str], Endpoint], ...] = (
    embeddings.ENDPOINTS,
    reranking.ENDPOINTS,
    chat.ENDPOINTS,
)


def _gather() -> Mapping[str, Vendor]:
    found: dict[str, dict[tuple[str, str], Endpoint]] = {name: {} for name in ERRORS}
    for table in TABLES:
        for (vendor, method, path), endpoint in table.items():
            found[vendor][method, path] = endpoint
    return MappingProxyType(
        {n: Vendor(n, each, ERRORS[n], n in NEED_KEY) for n, each in found.items()}
    )


VENDORS = _gather()
