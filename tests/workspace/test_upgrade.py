"""Two servers are upgraded one after the other, while clients ask and upload all the time: nobody
sees an error, as long as clients turn to the other server where one cannot be reached."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import anyio
import httpx
import pytest

import pincite
from pincite.workspace.database.schema_steps import steps_of
from tests.quick_folder import quick_folder
from tests.stores.qdrant_http import recording_server
from tests.workspace.cut_proxy import cable
from tests.workspace.machines import Host, Site, environ_of, until, user
from tests.workspace.postgres_server import Database, Server

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
STEP = f"{len(steps_of('postgres')) + 1:04d}_next"
SQL = """
    ALTER TABLE documents ADD COLUMN note text;
    CREATE INDEX documents_by_note ON documents (note);
"""


def next_version(folder: Path) -> Path:
    """This version with one more step of its schema. Returns what goes into PYTHONPATH."""
    here, there = Path(pincite.__file__).parent, folder / "pincite"
    steps = Path("workspace", "database", "migrations")
    (there / steps.parent).mkdir(parents=True)
    for folder_of_package in (here, here / steps.parts[0], here / steps.parent):
        for one in folder_of_package.iterdir():
            if one.relative_to(here) not in (*steps.parents, steps):
                (there / one.relative_to(here)).symlink_to(one)
    shutil.copytree(here / steps, there / steps)
    (there / steps / "postgres" / f"{STEP}.sql").write_text(SQL)
    return folder


class Clients:
    """Programs that search and upload, at whichever server answers. What fails is in `errors`."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.errors: list[str] = []
        self.uploaded: list[str] = []
        self.answers: Counter[str] = Counter()  # by the address of who gave them
        self.turned = 0
        self._ending = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(n,)) for n in range(2)]

    def __enter__(self) -> Clients:
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for one in self._threads:
            one.join()

    def _run(self, number: int) -> None:
        with httpx.Client(headers=self.site.client.headers, timeout=60, trust_env=False) as client:
            count = 0
            while not self._ending.is_set():
                if count % 8 == 0:
                    self._upload(client, f"{number}-{count}.md")
                else:
                    self._ask(client, "search", json={"question": "turnstile", "limit": 3})
                count += 1
                self._ending.wait(0.1)

    def _upload(self, client: httpx.Client, name: str) -> None:
        said = self._ask(
            client,
            "documents",
            params={"space_id": self.site.space, "filename": name},
            content=f"A turnstile in harbour {name}.".encode(),
            headers={"Idempotency-Key": name},
        )
        if said is not None:
            self.uploaded.append(name)

    def _ask(self, client: httpx.Client, path: str, **given: object) -> httpx.Response | None:
        """Each request may be sent twice: a search changes nothing, an upload has a key."""
        last = "nobody was asked"
        end_s = time.monotonic() + 30
        while time.monotonic() < end_s:
            for host in self.site.hosts:
                url = host.url
                try:
                    said = client.post(f"{url}/v1/{path}", **given)  # type: ignore[arg-type]
                except httpx.TransportError as error:
                    last = f"{type(error).__name__}: {error}"
                    self.turned += 1
                    continue
                if said.status_code in (200, 202):
                    self.answers[url] += 1
                    return said
                self.errors.append(f"{said.status_code} {said.text}")
                return None
        self.errors.append(last)
        return None

    def heard(self, *hosts: Host) -> None:
        """Return once each of these has answered five more requests."""
        before = Counter(self.answers)
        until(
            lambda: (
                bool(self.errors)
                or all(self.answers[one.url] >= before[one.url] + 5 for one in hosts)
            )
        )


@pytest.fixture
def site(postgres: Server, database: Database) -> Iterator[Site]:
    key, space = anyio.run(user, database)
    with ExitStack() as stack:
        qdrant = stack.enter_context(recording_server())
        hosts = []
        for name in ("one", "two"):
            folder = stack.enter_context(quick_folder()) / name
            folder.mkdir()
            (folder / "pincite.toml").write_text('extends = "workspace"\n')
            cables = (
                stack.enter_context(cable(postgres.folder / ".s.PGSQL.5432")),
                stack.enter_context(cable(qdrant.port)),
            )
            environ = environ_of(folder, database, cables)
            environ["PINCITE_DATABASE_OWNER_URL"] = database.owner
            hosts.append(Host(folder, *cables, environ))
            stack.callback(hosts[-1].end)
        headers = {"Authorization": f"Bearer {key}"}
        client = stack.enter_context(httpx.Client(headers=headers, timeout=60, trust_env=False))
        yield Site(hosts, qdrant, space, client)


def migrated_by(host: Host, newer: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pincite.surfaces.cli.app", "workspace", "migrate"],
        cwd=host.folder,
        env=host.environ | newer,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_an_upgrade_one_server_after_the_other_costs_no_request(site: Site) -> None:
    one, two = site.hosts
    workers = {id(one): "--worker", id(two): "--no-worker"}
    with ThreadPoolExecutor() as threads:
        for started in [threads.submit(host.serve, workers[id(host)]) for host in site.hosts]:
            started.result()
    with quick_folder() as folder:
        newer = {"PYTHONPATH": str(next_version(folder))}
        with Clients(site) as clients:
            clients.heard(one)
            assert STEP in migrated_by(one, newer)
            for host in site.hosts:  # the former version, with the schema of the next one
                assert site.client.get(f"{host.url}/readyz").status_code == 200
            clients.heard(one)
            for host in site.hosts:
                host.environ |= newer
                host.running[-1].terminate()
                assert host.running[-1].wait(60) == 0
                host.serve(workers[id(host)])
            clients.heard(one)
        assert clients.errors == []
        assert clients.turned > 0
        assert len(clients.uploaded) == len(set(clients.uploaded)) >= 6
        until(lambda: set(listed(site).values()) == {"ready"})
        assert sorted(listed(site)) == sorted(clients.uploaded)
        expected = sorted(f"A turnstile in harbour {name}." for name in clients.uploaded)
        assert site.points() == expected
        for host in site.hosts:
            host.end()  # before its version is deleted


def listed(site: Site) -> dict[str, str]:
    """All documents with their status, each once."""
    found: dict[str, str] = {}
    cursor = ""
    while True:
        parameters = {"limit": 100, **({"cursor": cursor} if cursor else {})}
        said = site.ask(site.hosts[1], "GET", "documents", params=parameters)
        assert said.status_code == 200, said.text
        page = said.json()
        names = [item["filename"] for item in page["items"]]
        assert not set(names) & set(found), "a document is there twice"
        found |= {item["filename"]: item["status"] for item in page["items"]}
        cursor = page.get("next") or ""
        if not cursor:
            return found
