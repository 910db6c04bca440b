"""A server of workspaces under load: 50 clients for two minutes, over loopback, on each database.

Each client is a user with a key and asks one request after the other: mostly searches, with uploads
that the worker beside the server indexes meanwhile. Nobody finds what somebody else has uploaded:
each text has the mark of its user, and a search that shows another mark counts as a leak.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec

from bench.frame import Options
from pincite.evals.report.tables import table
from pincite.workspace.access.keys import make_key
from pincite.workspace.database.open import open_workspaces
from pincite.workspace.ports import Workspaces

CLIENTS: Final = 50
SECONDS: Final = 120.0
_QUICK: Final = (6, 4.0)
_PINCITE: Final = (sys.executable, "-m", "pincite.surfaces.cli.app")
_START_S: Final = 60.0
_POSTGRES: Final = ("listen_addresses=", "max_connections=150")  # what is written is on disk
_WORDS: Final = (
    *("key", "rotate", "backup", "night", "turnstile", "exam", "harbour", "contract", "invoice"),
    *("meeting", "server", "gate", "letter", "report", "limit", "request", "minute", "token"),
)
#: How often each is asked, of 100.
_MIX: Final = {"search": 70, "upload": 15, "documents": 5, "context": 5, "tool": 5}
_MARK: Final = re.compile(r"mark[0-9]{5}")


@dataclass(frozen=True)
class RouteFigures:
    """Requests to one route, and milliseconds of those that were answered."""

    requests: int
    errors: int
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(frozen=True)
class LoadFigures:
    """`database` keeps users and jobs. `errors` by status or kind of fault. `leaks` are answers
    with a text of another user. `waited` are documents that were not indexed at the end. Megabytes
    are those of the server's process."""

    clients: int
    seconds: float
    routes: dict[str, RouteFigures]
    errors: dict[str, int]
    leaks: int
    indexed: int
    waited: int
    start_mb: float
    end_mb: float
    database: str = "sqlite"


@dataclass(frozen=True)
class _Place:
    """Where a server has its index, and its database as `open_workspaces` takes it."""

    folder: Path
    address: str = ""
    operator: str = ""
    owner: str = ""

    @property
    def name(self) -> str:
        return "postgresql" if self.address else "sqlite"

    @property
    def index(self) -> Path:
        return self.folder / "index"

    def open(self) -> Workspaces:
        """The database, for this process too."""
        if not self.address:
            return open_workspaces(self.index)
        return open_workspaces(self.address, operator=self.operator, owner=self.owner)


class _Tally:
    """What the clients have seen."""

    def __init__(self) -> None:
        self.took_ms: dict[str, list[float]] = defaultdict(list)
        self.failed: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.leaks = 0


async def run(options: Options) -> tuple[LoadFigures, ...]:
    """On SQLite, then on PostgreSQL, unless it is `quick` or has not been installed."""
    clients, seconds = _QUICK if options.quick else (CLIENTS, SECONDS)
    found = []
    with tempfile.TemporaryDirectory(prefix="pincite-load-") as name:
        found.append(await _measured(_Place(Path(name)), clients, seconds))
    if not options.quick and _has_postgres():
        from tests.workspace.postgres_server import serving

        with serving(*_POSTGRES) as server, tempfile.TemporaryDirectory() as name:
            of = server.database()
            place = _Place(Path(name), of.app, of.operator, of.owner)
            found.append(await _measured(place, clients, seconds))
    print(load(msgspec.to_builtins(found)))
    return tuple(found)


def _has_postgres() -> bool:
    return any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


async def _measured(place: _Place, clients: int, seconds: float) -> LoadFigures:
    """All clients at once, then what is left to index is counted."""
    keys = await _users(place, clients)
    async with _serving(place) as (url, process):
        start_mb, tally, began_s = _memory_mb(process), _Tally(), time.monotonic()
        until_s = began_s + seconds
        await asyncio.gather(*(_client(url, n, key, until_s, tally) for n, key in enumerate(keys)))
        took_s, end_mb = time.monotonic() - began_s, _memory_mb(process)
        states = await _states(url, keys)
    routes = {name: _figures(took, tally.failed[name]) for name, took in tally.took_ms.items()}
    return LoadFigures(
        clients=clients,
        seconds=round(took_s, 1),
        routes=dict(sorted(routes.items())),
        errors=dict(tally.errors),
        leaks=tally.leaks,
        indexed=states["ready"],
        waited=states["pending"] + states["indexing"],
        start_mb=start_mb,
        end_mb=end_mb,
        database=place.name,
    )


async def _users(place: _Place, count: int) -> list[str]:
    await asyncio.to_thread(place.index.mkdir, 0o700)
    workspaces = place.open()
    await workspaces.migrate()
    keys = []
    try:
        async with workspaces.administration() as operator:
            for number in range(count):
                user, new = await operator.add_user(f"user {number}"), make_key()
                scopes: Any = ("search", "write")
                await operator.add_key(user.id, "load", new.hash, new.prefix, scopes)
                keys.append(new.text)
    finally:
        await workspaces.close()
    return keys


@asynccontextmanager
async def _serving(place: _Place) -> AsyncIterator[tuple[str, subprocess.Popen[bytes]]]:
    """`pincite serve` in a process of its own, with its worker."""
    folder = place.folder
    environ = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environ |= {"PINCITE_INDEX": str(folder / "index"), "PINCITE_OFFLINE": "1"}
    if place.address:
        environ |= {
            "PINCITE_DATABASE_URL": place.address,
            "PINCITE_DATABASE_OPERATOR_URL": place.operator,
            "PINCITE_DATABASE_OWNER_URL": place.owner,
        }
    log = folder / "log"
    process = await asyncio.to_thread(_start, folder, environ, log)
    try:
        until_s = time.monotonic() + _START_S
        while not (said := re.search(r" at (http://\S+)", log.read_text(encoding="utf-8"))):
            if process.poll() is not None or time.monotonic() > until_s:
                raise RuntimeError(f"the server did not start: {log.read_text(encoding='utf-8')}")
            await asyncio.sleep(0.05)
        yield said[1], process
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)
        stop = [*_PINCITE, "stop"]
        await asyncio.to_thread(
            subprocess.run, stop, cwd=folder, env=environ, capture_output=True, check=False
        )


def _start(folder: Path, environ: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    command = [*_PINCITE, "serve", "--lexical", "--port", "0"]
    with log.open("wb") as output:
        return subprocess.Popen(command, cwd=folder, env=environ, stdout=output, stderr=output)


async def _client(url: str, number: int, key: str, until_s: float, tally: _Tally) -> None:
    """One user, who asks until the time is over."""
    chance, mark = random.Random(number), f"mark{number:05}"
    headers = {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60.0) as client:
        names, weights = tuple(_MIX), tuple(_MIX.values())
        await _ask(client, "upload", mark, chance, tally)
        while time.monotonic() < until_s:
            name = chance.choices(names, weights)[0]
            await _ask(client, name, mark, chance, tally)


async def _ask(
    client: httpx.AsyncClient, name: str, mark: str, chance: random.Random, tally: _Tally
) -> None:
    words = " ".join(chance.choices(_WORDS, k=5))
    began_s = time.perf_counter()
    try:
        said = await _send(client, name, mark, words, chance)
    except httpx.HTTPError as error:
        tally.failed[name] += 1
        tally.errors[type(error).__name__] += 1
        return
    if said.status_code >= 400:
        tally.failed[name] += 1
        tally.errors[str(said.status_code)] += 1
        return
    tally.took_ms[name].append(1_000 * (time.perf_counter() - began_s))
    tally.leaks += bool(set(_MARK.findall(said.text)) - {mark})


async def _send(
    client: httpx.AsyncClient, name: str, mark: str, words: str, chance: random.Random
) -> httpx.Response:
    if name == "upload":
        lines = [" ".join(chance.choices(_WORDS, k=12)) for _ in range(20)]
        text = f"# {words} {mark}\n\n" + "\n".join(f"{line} of {mark}." for line in lines)
        return await client.post("/v1/documents", params={"filename": "a.md"}, content=text)
    if name == "documents":
        return await client.get("/v1/documents", params={"limit": 20})
    if name == "context":
        return await client.post("/v1/context", json={"question": words, "budget": 2_000})
    if name == "tool":
        return await client.post("/v1/tools/search_documents", json={"query": words})
    return await client.post("/v1/search", json={"question": words, "limit": 10})


async def _states(url: str, keys: list[str]) -> Counter[str]:
    """The states of all documents, before the server ends."""
    found: Counter[str] = Counter()
    for key in keys:
        headers = {"authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60.0) as client:
            cursor: str | None = ""
            while cursor is not None:
                parameters = {"limit": 100} | ({"cursor": cursor} if cursor else {})
                said = await client.get("/v1/documents", params=parameters)
                page = json.loads(said.raise_for_status().content)
                found.update(one["status"] for one in page["items"])
                cursor = page["next"]
    return found


def _figures(took: list[float], errors: int) -> RouteFigures:
    cuts = statistics.quantiles(took, n=100, method="inclusive") if len(took) > 1 else took * 99
    return RouteFigures(
        len(took) + errors, errors, *(round(cuts[place - 1], 1) for place in (50, 95, 99))
    )


def _memory_mb(process: subprocess.Popen[bytes]) -> float:
    """What is resident of the process, on Linux; 0 elsewhere."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    said = re.search(r"VmRSS:\s+(\d+) kB", status)
    return round(int(said[1]) / 1_000, 1) if said else 0.0


def load(raw: Any) -> str:
    """For each database a row for each route, then what else was seen."""
    found = msgspec.convert(raw, tuple[LoadFigures, ...], str_keys=True)
    return "\n\n".join(map(_shown, found))


def _shown(figures: LoadFigures) -> str:
    rows = []
    for name, one in figures.routes.items():
        times = (f"{value:,.0f}" for value in (one.p50_ms, one.p95_ms, one.p99_ms))
        rows.append((name, f"{one.requests:,}", f"{one.errors:,}", *times))
    errors = ", ".join(f"{name}: {count}" for name, count in figures.errors.items()) or "none"
    said = (
        f"{figures.database}: {figures.clients} clients for {figures.seconds:,.0f} s;"
        f" errors: {errors}; texts of others: {figures.leaks};"
        f" indexed meanwhile: {figures.indexed:,}, waiting at the end: {figures.waited:,};"
        f" the server's memory: {figures.start_mb:,.0f} MB,"
        f" at the end {figures.end_mb:,.0f} MB"
    )
    head = ("requests to", "number", "errors", "p50 ms", "p95 ms", "p99 ms")
    return "\n\n".join((table(head, rows), said))
