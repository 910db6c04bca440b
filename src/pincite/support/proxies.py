"""Proxies of the environment: which addresses need none, and which variable is wrong.

An HTTP client reads the variables itself, and its errors for wrong ones are of many kinds.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from pincite.errors import ConfigError, PinciteError

_KINDS: Final = ("http", "https", "all")


def is_this_machine(host: str) -> bool:
    """Return whether a host is this machine by its name: `localhost` or a name below it (RFC 6761),
    or an address of loopback in any notation, such as `127.1`. The unspecified addresses `0.0.0.0`
    and `::` count too: a connection to them stays here."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = _address(name)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address is not None and (address.is_loopback or address.is_unspecified)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


@contextmanager
def proxies_for(url: str) -> Iterator[bool]:
    """Make a client for `url` in this block. Yields whether it may use the proxies of the
    environment: not for an address on this machine. Raises ConfigError that names the variable if
    one of them cannot be used."""
    if is_this_machine(_host(url)):
        yield False
        return
    proxies = getproxies()
    if "*" not in (host.strip() for host in proxies.get("no", "").split(",")):
        for kind in _KINDS:
            if proxies.get(kind):
                _check(kind, proxies[kind])
    try:
        yield True
    except Exception as error:
        if isinstance(error, OSError | PinciteError) or not proxies.get("no"):
            raise
        name = _variable("no")
        raise ConfigError(
            f"{name} has a host that is not valid: {error}",
            hint=f"export {name}=HOST,HOST",
        ) from error


def proxy_variable(url: str) -> str:
    """Return the name of the variable with the proxy for `url`, "" if there is none. Exceptions in
    `NO_PROXY` are ignored."""
    if is_this_machine(_host(url)):
        return ""
    proxies = getproxies()
    found = next((kind for kind in (url.partition(":")[0], "all") if proxies.get(kind)), "")
    return _variable(found) if found else ""


def _host(url: str) -> str:
    """Return the host of an address, "" if it cannot be parsed; the client refuses such an
    address."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _check(kind: str, value: str) -> None:
    """Raise ConfigError for a value that is not the address of a proxy. The message leaves it out:
    it may contain a password."""
    name = _variable(kind)
    hint = f"export {name}=http://HOST:PORT, or unset it"
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        host, port = parts.hostname, parts.port  # reading the port checks it
        (host or "").encode("idna")
    except ValueError:
        host, port = None, None
    if not host or port == 0 or not value.isprintable():
        raise ConfigError(f"{name} is not the address of a proxy", hint=hint)
    if parts.scheme not in ("http", "https", "socks5", "socks5h"):
        raise ConfigError(f"{name} names a proxy of the unknown kind {parts.scheme!r}", hint=hint)
    if parts.scheme.startswith("socks") and find_spec("socksio") is None:
        raise ConfigError(
            f"{name} names a SOCKS proxy, which needs the package socksio",
            hint=f"pip install socksio, or {hint}",
        )


def _variable(kind: str) -> str:
    """Return the name of the variable of a kind of proxy, in the case that the environment uses."""
    usual = f"{kind}_proxy"
    names = (usual, usual.upper())
    return next((name for name in names if os.environ.get(name)), names[1])
