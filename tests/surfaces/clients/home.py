"""A user's home with clients in it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pincite.surfaces.clients import jsonc
from pincite.surfaces.clients.install import (
    Change,
    apply,
    install,
    uninstall,
)
from pincite.surfaces.clients.known import CLIENTS, Client, Places, Where

COMMAND = ("/opt/bin/pincite", "mcp", "--index", "/home/me/my index/.pincite")


class Home:
    """A user's home with all clients installed, and a project."""

    def __init__(self, folder: Path) -> None:
        self.places = Places(folder / "me", folder / "me" / "proj", {}, "linux")
        self.places.project.mkdir(parents=True)
        for client in CLIENTS.values():
            client.folder(self.places).mkdir(parents=True, exist_ok=True)

    def path(self, name: str, where: Where = "user") -> Path:
        path = CLIENTS[name].file(self.places, where)
        assert path is not None
        return path

    def write(self, name: str, text: str) -> Path:
        path = self.path(name)
        path.write_bytes(text.encode())
        return path

    def install(
        self, name: str, where: Where = "user", *, called: str = "pincite", force: bool = False
    ) -> Change:
        change = install(CLIENTS[name], self.places, where, called, COMMAND, force=force)
        apply(change)
        return change

    def uninstall(
        self, name: str, where: Where = "user", *, called: str = "pincite", force: bool = False
    ) -> Change:
        change = uninstall(CLIENTS[name], self.places, where, called, force=force)
        apply(change)
        return change

    def servers(self, name: str, where: Where = "user") -> Any:
        return said(CLIENTS[name], self.path(name, where).read_bytes())[CLIENTS[name].root]


def said(client: Client, raw: bytes) -> Any:
    text = raw.decode("utf-8-sig")
    return tomllib.loads(text) if client.toml else jsonc.parse(text).data
