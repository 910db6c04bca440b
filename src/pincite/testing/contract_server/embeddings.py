"""The endpoints that embed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pincite.testing.contract_server import embeddings_hosted, embeddings_local
from pincite.testing.contract_server.wire import Endpoint

ENDPOINTS: Mapping[tuple[str, str, str], Endpoint] = MappingProxyType(
    {**embeddings_hosted.ENDPOINTS, **embeddings_local.ENDPOINTS}
)
