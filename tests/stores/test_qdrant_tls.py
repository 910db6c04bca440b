"""TLS is real: what is not known to be the server is not spoken to, and is not told the key."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from pincite.errors import StoreError
from pincite.stores.qdrant.connection import Connection, open_client
from pincite.stores.qdrant.store import QdrantStore
from pincite.testing.points import DENSE_SPEC
from pincite.testing.visibility import COW, FOX, found, show
from tests.stores.qdrant_http import Recorder, recording_server

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
AUTHORITY = trustme.CA()


def server_with(names: str) -> Iterator[Recorder]:
    """A server with a certificate for `names`, of the authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(names).configure_cert(context)
    with recording_server(context) as recorder:
        yield recorder


@pytest.fixture
def server() -> Iterator[Recorder]:
    yield from server_with("127.0.0.1")


@pytest.fixture
def other() -> Iterator[Recorder]:
    """A server that answers at an address that its certificate is not for."""
    yield from server_with("elsewhere.example")


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The authority as users name theirs."""
    AUTHORITY.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))


def use(server: Recorder) -> set[str]:
    """Write and search."""

    async def work() -> set[str]:
        client = open_client(server.url, "secret", grpc_port=None, timeout_s=10)
        store = QdrantStore(Connection(client, server.url, first_wait_s=0.001))
        try:
            await store.create(DENSE_SPEC)
            await show(store, "r1", FOX, COW)
            return await found(store, "fox")
        finally:
            await store.close()

    return asyncio.run(work())


@pytest.mark.usefixtures("trusted")
def test_a_server_of_a_known_authority_is_used_and_gets_the_key(server: Recorder) -> None:
    assert FOX.chunk.id in use(server)
    assert server.wrong == []
    assert all(headers["api-key"] == "secret" for headers in server.headers)


def test_a_server_of_an_unknown_authority_is_told_nothing(server: Recorder) -> None:
    with pytest.raises(StoreError, match="CERTIFICATE_VERIFY_FAILED") as caught:
        use(server)
    assert "SSL_CERT_FILE" in caught.value.hint
    assert server.headers == []


@pytest.mark.usefixtures("trusted")
def test_a_certificate_for_another_name_is_told_nothing(other: Recorder) -> None:
    with pytest.raises(StoreError, match="CERTIFICATE_VERIFY_FAILED"):
        use(other)
    assert other.headers == []
