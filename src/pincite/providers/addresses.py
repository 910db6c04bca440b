"""Check and join the addresses of servers."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from pincite.errors import ConfigError


def check_url(url: str) -> str:
    """Return the address without a trailing slash. Raises ConfigError if it is not a valid http(s)
    address, or if it has a user name, a query or a fragment: these may contain keys, which messages
    would show."""
    parts = _parts(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"{url!r} is not a valid address", hint="use http://HOST:PORT or https://HOST"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigError(
            f"the address of {parts.hostname} has more than scheme, host, port and path",
            hint="move keys into the provider's environment variable",
        )
    return url.rstrip("/")


def _parts(url: str) -> SplitResult | None:
    """Return the parts of an address, or None if its form, its host or its port is invalid."""
    if not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
        return None if parts.port == 0 else parts  # reading the port checks it
    except ValueError:
        return None


def join(base: str, path: str) -> str:
    """Join an address and a path without repeating `/v1`: the base may be `http://host` or
    `http://host/v1`."""
    version = "/" + path.split("/", 2)[1] + "/"
    if version in ("/v1/", "/v2/") and f"{base}/".endswith(version):
        base = base[: -len(version) + 1]
    return base + path
