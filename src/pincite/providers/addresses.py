"""Addresses of servers."""

from __future__ import annotations

from urllib.parse import urlsplit

from pincite.errors import ConfigError


def check_url(url: str) -> str:
    """The address without a slash at its end. Raises ConfigError for anything but http(s), and
    where it holds a password, which would end up in messages."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{url!r} is no address", hint="use http://HOST:PORT or https://HOST")
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigError(
            f"the address of {parts.hostname} holds more than scheme, host, port and path",
            hint="put keys into the provider's environment variable",
        )
    return url.rstrip("/")


def join(base: str, path: str) -> str:
    """`/v1` is not said twice: both `http://host` and `http://host/v1` are fine as an address."""
    version = "/" + path.split("/", 2)[1] + "/"
    if version in ("/v1/", "/v2/") and f"{base}/".endswith(version):
        base = base[: -len(version) + 1]
    return base + path
