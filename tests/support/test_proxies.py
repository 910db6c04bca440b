"""Which addresses are asked without a proxy, and which variable is named if it is wrong."""

from __future__ import annotations

import pytest

from pincite.errors import ConfigError
from pincite.support.proxies import is_this_machine, proxies_for, proxy_variable

FAR = "https://api.example.org"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{kind}_proxy", raising=False)
        monkeypatch.delenv(f"{kind}_PROXY".upper(), raising=False)


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST", "localhost.", "models.localhost", "127.0.0.1", "127.9.9.9"),
        *("127.1", "2130706433", "0x7f000001", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"),
    ],
)
def test_this_machine_is_known_by_each_of_its_names(host: str) -> None:
    assert is_this_machine(host)


@pytest.mark.parametrize(
    "host",
    ["", "localhost.example.org", "notlocalhost", "10.0.0.1", "128.0.0.1", "::2", "127.0.0.1.x"],
)
def test_other_machines_are_not_this_one(host: str) -> None:
    assert not is_this_machine(host)


def test_this_machine_needs_no_proxy_whatever_the_variables_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://x")
    monkeypatch.setenv("NO_PROXY", "[::1")
    with proxies_for("http://[::1]:8080/v1") as proxied:
        assert not proxied
    assert proxy_variable("http://localhost") == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("socks5://127.0.0.1:9", "SOCKS proxy, which needs the package socksio"),
        ("http://127.0.0.1:99999", "is not the address of a proxy"),
        ("http://127.0.0.1:0", "is not the address of a proxy"),
        ("http://me:a-password@h:x", "is not the address of a proxy"),
        ("http://[::1", "is not the address of a proxy"),
        ("http://", "is not the address of a proxy"),
        ("http://a..b", "is not the address of a proxy"),
        ("ftp://x", "of the unknown kind 'ftp'"),
    ],
)
@pytest.mark.parametrize("name", ["ALL_PROXY", "http_proxy", "HTTPS_PROXY"])
def test_a_proxy_that_cannot_be_used_is_named_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=said) as caught, proxies_for(FAR):
        pass
    assert caught.value.message.startswith(f"{name} ")
    assert "a-password" not in str(caught.value)


def test_a_proxy_may_have_no_scheme_and_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "me:a-password@proxy.example.org:3128")
    with proxies_for(FAR) as proxied:
        assert proxied
    assert proxy_variable(FAR) == "https_proxy"
    assert proxy_variable("http://api.example.org") == ""


def test_a_host_of_no_proxy_is_blamed_on_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "[::1")
    with (
        pytest.raises(ConfigError, match="NO_PROXY has a host that is not valid"),
        proxies_for(FAR),
    ):
        raise ValueError("Invalid port: ':1'")  # as httpx does


def test_without_exceptions_an_error_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="of another kind"), proxies_for(FAR):
        raise ValueError("of another kind")
    monkeypatch.setenv("NO_PROXY", "example.org")
    with pytest.raises(FileNotFoundError), proxies_for(FAR):
        raise FileNotFoundError("certificates")


def test_a_star_means_that_no_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://x")
    monkeypatch.setenv("NO_PROXY", "a.example, *")
    with proxies_for(FAR) as proxied:
        assert proxied
