"""Machines that share two servers and nothing else, as processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from pincite.workspace.access.keys import make_key
from pincite.workspace.database.postgres import PostgresWorkspaces
from tests.stores.qdrant_http import Recorder
from tests.workspace.cut_proxy import Cable
from tests.workspace.postgres_server import Database

PATIENCE_S = 60.0


@dataclass
class Host:
    """A machine: its own folder, and its own way to each server."""

    folder: Path
    database: Cable
    qdrant: Cable
    environ: dict[str, str]
    running: list[subprocess.Popen[str]] = field(default_factory=list)
    url: str = ""

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "pincite.surfaces.cli.app", *arguments, "--lexical"]
        made = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environ,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        self.running.append(made)
        return made

    def serve(self, worker: str = "--no-worker") -> None:
        made = self.start("serve", worker, "--port", "0")
        assert made.stderr is not None
        said = []
        for line in made.stderr:
            said.append(line)
            if found := re.search(r"at (http://\S+)", line):
                self.url = found[1]
                return
        pytest.fail(f"the server did not start: {''.join(said)}")

    def cut(self) -> None:
        for one in (self.database, self.qdrant):
            one.cut()

    def mend(self) -> None:
        for one in (self.database, self.qdrant):
            one.mend()

    def end(self) -> None:
        for one in self.running:
            one.send_signal(signal.SIGCONT)
            one.terminate()
        for one in self.running:
            try:
                one.wait(15)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait(10)
            if one.stderr is not None:
                one.stderr.close()


@dataclass
class Site:
    """Three machines and the servers that they share."""

    hosts: list[Host]
    qdrant: Recorder
    space: str
    client: httpx.Client

    def ask(self, host: Host, method: str, path: str, **given: object) -> httpx.Response:
        return self.client.request(method, f"{host.url}/v1/{path}", **given)  # type: ignore[arg-type]

    def upload(self, host: Host, name: str, text: str) -> str:
        said = self.ask(
            host,
            "POST",
            "documents",
            params={"space_id": self.space, "filename": name},
            content=text.encode(),
        )
        assert said.status_code in (200, 201, 202), said.text
        return str(said.json()["id"])

    def found(self, host: Host, query: str) -> tuple[int, list[str]]:
        said = self.ask(host, "POST", "search", json={"question": query, "limit": 50})
        if said.status_code != 200:
            return said.status_code, []
        pack = said.json()
        return 200, [one["text"] for one in (*pack["evidence"], *pack["closest"])]

    def statuses(self, host: Host) -> dict[str, str]:
        said = self.ask(host, "GET", "documents", params={"limit": 100})
        assert said.status_code == 200, said.text
        return {one["filename"]: one["status"] for one in said.json()["items"]}

    def points(self) -> list[str]:
        """The texts of all points that can be seen."""
        texts = []
        for one in self.qdrant.engine.get_collections().collections:
            records, _ = self.qdrant.engine.scroll(one.name, limit=1_000)
            payloads = [record.payload or {} for record in records]
            hidden = {p["hidden_revision"] for p in payloads if "hidden_revision" in p}
            texts += [p["text"] for p in payloads if "text" in p and p["revision"] not in hidden]
        return sorted(texts)


def until(what: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    """Wait until it is so."""
    end_s = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end_s, "it did not become so in time"
        time.sleep(0.1)


async def user(database: Database) -> tuple[str, str]:
    """A key, and the space of its user."""
    workspaces = PostgresWorkspaces(database.app, operator=database.operator)
    new = make_key()
    async with workspaces.administration() as operator:
        made = await operator.add_user("Ada")
        await operator.add_key(made.id, "k", new.hash, new.prefix, ("search", "write"))
    async with workspaces.of(made.id) as session:
        space = (await session.user()).personal
    await workspaces.close()
    return new.text, space


def environ_of(folder: Path, database: Database, cables: tuple[Cable, Cable]) -> dict[str, str]:
    name = database.operator.split("/")[3].split("?")[0]
    port = cables[0].port
    given = {key: os.environ[key] for key in ("PATH", "LANG", "PYTHONPATH") if key in os.environ}
    return given | {
        "HOME": str(folder),
        "PINCITE_CONFIG": str(folder / "pincite.toml"),
        "PINCITE_INDEX": str(folder / "index"),
        "PINCITE_OFFLINE": "1",
        "PINCITE_DATABASE_URL": f"postgresql://web@127.0.0.1:{port}/{name}",
        "PINCITE_DATABASE_OPERATOR_URL": f"postgresql://works@127.0.0.1:{port}/{name}",
        "QDRANT_URL": f"http://127.0.0.1:{cables[1].port}",
        "NO_PROXY": "*",
    }
