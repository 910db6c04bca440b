"""Connect to a Chroma server without a proxy."""

from __future__ import annotations

from typing import Any

import httpx
from chromadb.api.fastapi import FastAPI
from chromadb.config import Settings, System


class DirectApi(FastAPI):
    """The HTTP API of chromadb, which has no setting for proxies."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        # without the environment the client would not know SSL_CERT_FILE either
        secure = system.settings.chroma_server_ssl_enabled
        session = httpx.Client(
            timeout=None,
            limits=self.http_limits,
            verify=httpx.create_ssl_context() if secure else False,
            trust_env=False,
            headers=self._session.headers,
        )
        self._session.close()
        self._session = session


class _Direct(Settings):
    """Settings that name `DirectApi` as the client's API. The client sets another name, which is
    ignored."""

    def __getitem__(self, key: str) -> Any:
        if key == "chroma_api_impl":
            return f"{DirectApi.__module__}.{DirectApi.__name__}"
        return super().__getitem__(key)


def direct_settings() -> Settings:
    """Return settings for a client that uses no proxy."""
    return _Direct(anonymized_telemetry=False)
