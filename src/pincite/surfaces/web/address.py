"""The address of a server, and the host names and origins that its clients may use."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from pincite.errors import ConfigError, UsageError
from pincite.support.arguments import shown

_EXAMPLE: Final = "https://app.example"
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
#: An origin as sent by browsers: in lower case and ASCII, without a user, and without a final
#: slash. A page without an origin sends `null`.
_ORIGIN: Final = re.compile(
    r"null|(?P<scheme>[a-z][a-z0-9+.-]*)://"
    r"(?:(?:(?![/?#*A-Z@:\[\]\\])[!-~])+|\[[0-9a-f:.]+\])(?::(?P<port>[1-9][0-9]{0,4}))?"
)
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True)
class Address:
    """An address to listen at, with the names that clients may use for it. `hosts` are further
    accepted values of the header Host, `origins` of the header Origin; both are complete, with
    their port. `command` is the command in hints of errors. Raises ConfigError if other machines
    can reach the address and `hosts` is empty, and for an origin that no browser sends."""

    host: str = "127.0.0.1"
    port: int = 8765
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    command: str = "pincite mcp --http"

    def __post_init__(self) -> None:
        if self.host not in LOOPBACK and not self.hosts:
            raise ConfigError(
                f"other machines can reach {self.host}, so name the hosts that requests may use",
                hint=f"{self.command} --host {self.host} --allow-host NAME:{self.port}",
            )

        for origin in self.origins:
            if not _is_origin(origin):
                raise ConfigError(
                    f"{shown(origin)} is not an origin that a browser sends",
                    hint=f"{self.command} --allow-origin {_as_sent(origin)}",
                )

    def listen(self) -> socket.socket:
        """Return a socket that clients can connect to. Raises UsageError if the address is not
        available.

        Accepted sockets inherit TCP_NODELAY. asyncio sets it only on sockets made with
        IPPROTO_TCP, which these are not. Without it, each response on a kept connection waits for
        a delayed ACK, about 40 ms."""
        try:
            listener = socket.create_server(
                (self.host, self.port),
                family=socket.AF_INET6 if ":" in self.host else socket.AF_INET,
            )
        except OSError as error:
            raise UsageError(
                f"cannot listen on {self.host}:{self.port}: {error.strerror}",
                hint=f"{self.command} --port 0",
            ) from error
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener


def _is_origin(text: str) -> bool:
    found = _ORIGIN.fullmatch(text)
    if found is None or found["port"] is None:
        return found is not None
    return int(found["port"]) < 2**16 and found["port"] != _DEFAULT_PORTS.get(found["scheme"])


def _as_sent(text: str) -> str:
    """Return the origin as a browser sends it, or an example if that is not clear."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        written = host.encode("idna")
    except ValueError:
        return _EXAMPLE
    shown_port = "" if port is None or str(port) == _DEFAULT_PORTS.get(parts.scheme) else f":{port}"
    found = f"{parts.scheme}://{bracketed(written.decode())}{shown_port}"
    alike = written.decode("idna") == host  # if not, browsers may encode it differently
    return found if alike and _is_origin(found) else _EXAMPLE


def bracketed(host: str) -> str:
    """Return a host in the form of URLs: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host
