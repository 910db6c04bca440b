"""Proxies of the environment over real HTTP: what uses one, and what a bad one is called."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import ConfigError, PinciteError, Unavailable
from pincite.providers.http import Transport
from pincite.providers.retry import RetryPolicy
from pincite.providers.secret import Secret
from pincite.testing.contract_server import ContractServer
from tests.providers.core.proxy import proxy

BODY = {"model": "text-embedding-3-small", "input": ["a text that must not leave"]}
FAR = "http://model.example:9"


def ask(url: str) -> Any:
    async def session() -> Any:
        transport = Transport("openai", url, key=Secret("k" * 20), retry=RetryPolicy(tries=1))
        try:
            return await transport.post("/v1/embeddings", BODY)
        finally:
            await transport.close()

    return asyncio.run(session())


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{kind}_proxy", raising=False)
        monkeypatch.delenv(f"{kind}_PROXY".upper(), raising=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "0.0.0.0"])
@pytest.mark.parametrize("name", ["http_proxy", "ALL_PROXY"])
def test_a_model_on_this_machine_is_not_asked_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch, name: str, host: str
) -> None:
    with proxy() as (address, asked), ContractServer() as server:
        monkeypatch.setenv(name, address)
        assert len(ask(server.url("openai").replace("127.0.0.1", host))["data"]) == 1
    assert asked == []


def test_a_model_elsewhere_is_asked_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy() as (address, asked):
        monkeypatch.setenv("http_proxy", address)
        with pytest.raises(Unavailable):
            ask(FAR)
    assert asked == [f"{FAR}/v1/embeddings"]


def test_a_proxy_that_is_not_there_is_named_in_the_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy() as (address, _):
        pass
    monkeypatch.setenv("ALL_PROXY", address)
    with pytest.raises(Unavailable) as caught:
        ask(FAR)
    assert "the proxy of ALL_PROXY" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9"),
        ("http_proxy", "http://127.0.0.1:99999"),
        ("HTTPS_PROXY", "ftp://x"),
        ("NO_PROXY", "[::1"),
        ("NO_PROXY", "a.example,\u00e9"),
    ],
)
def test_a_variable_that_cannot_be_used_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=f"^{name} "):
        ask(FAR)


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_of_certificates_that_cannot_be_used_is_named_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "authority.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with pytest.raises(PinciteError) as caught:
        ask("https://model.example:9")
    assert str(file) in caught.value.message
    assert "SSL_CERT_FILE" in caught.value.message


def test_folders_of_certificates_are_a_list_of_which_one_has_to_exist(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    missing = str(tmp_path / "missing")
    monkeypatch.setenv("SSL_CERT_DIR", os.pathsep.join((str(tmp_path), missing)))
    with pytest.raises(Unavailable):
        ask("https://127.0.0.1:9")
    monkeypatch.setenv("SSL_CERT_DIR", os.pathsep.join((missing, missing)))
    with pytest.raises(ConfigError, match="SSL_CERT_DIR"):
        ask("https://127.0.0.1:9")
