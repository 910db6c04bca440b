"""Where a server listens, and by which names clients may call it."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Final

from pincite.errors import ConfigError, UsageError

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen, and which names clients may use for it. `hosts` are further values of the
    header Host, `origins` of the header Origin, complete and with their port. `command` is what
    messages tell to run instead. Raises ConfigError for an address that others can reach and that
    has no names."""

    host: str = "127.0.0.1"
    port: int = 8765
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    command: str = "pincite mcp --http"

    def __post_init__(self) -> None:
        if self.host not in LOOPBACK and not self.hosts:
            raise ConfigError(
                f"{self.host} can be reached from other machines, so say by which names",
                hint=f"{self.command} --host {self.host} --allow-host NAME:{self.port}",
            )

    def listen(self) -> socket.socket:
        """A socket that clients can connect to. Raises UsageError where it cannot be had."""
        try:
            return socket.create_server(
                (self.host, self.port),
                family=socket.AF_INET6 if ":" in self.host else socket.AF_INET,
            )
        except OSError as error:
            raise UsageError(
                f"{self.host}:{self.port} cannot be listened on: {error.strerror}",
                hint=f"{self.command} --port 0",
            ) from error


def bracketed(host: str) -> str:
    """A host as addresses have it."""
    return f"[{host}]" if ":" in host else host
