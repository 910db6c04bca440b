"""Machines that share two servers and nothing else, as processes: what becomes of it when one of
them stands still or is cut off and comes back, and when a server is away."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack

import anyio
import httpx
import pytest

from tests.quick_folder import quick_folder
from tests.stores.qdrant_http import recording_server
from tests.workspace.cut_proxy import cable
from tests.workspace.machines import Host, Site, environ_of, until, user
from tests.workspace.postgres_server import Server

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


@pytest.fixture
def site(postgres: Server, migrated: str) -> Iterator[Site]:
    database = postgres.database(migrated)
    key, space = anyio.run(user, database)
    with ExitStack() as stack:
        qdrant = stack.enter_context(recording_server())
        hosts = []
        for name in ("one", "two", "three"):
            folder = stack.enter_context(quick_folder()) / name
            folder.mkdir()
            (folder / "pincite.toml").write_text('extends = "workspace"\n')
            cables = (
                stack.enter_context(cable(postgres.folder / ".s.PGSQL.5432")),
                stack.enter_context(cable(qdrant.port)),
            )
            hosts.append(Host(folder, *cables, environ_of(folder, database, cables)))
            stack.callback(hosts[-1].end)
        headers = {"Authorization": f"Bearer {key}"}
        client = stack.enter_context(httpx.Client(headers=headers, timeout=60, trust_env=False))
        yield Site(hosts, qdrant, space, client)


def test_a_host_that_stands_still_or_is_cut_off_costs_no_document_and_tells_nothing_wrong(
    site: Site,
) -> None:
    one, two, three = site.hosts
    workers = [host.start("worker", "--lease", "2") for host in (two, three)]
    for host in (one, two):
        host.serve()

    site.upload(one, "a.md", "The turnstile of the quetzal rotates, edition 1.")
    until(lambda: site.statuses(two) == {"a.md": "ready"})
    for host in (one, two):
        assert site.found(host, "turnstile quetzal") == (
            200,
            ["The turnstile of the quetzal rotates, edition 1."],
        )

    workers[0].send_signal(signal.SIGSTOP)  # with whatever it has in hand
    one.cut()
    names = [f"{n}.md" for n in range(4)]
    for name in names:
        site.upload(two, name, f"A turnstile in harbour {name}.")
    until(lambda: set(site.statuses(two).values()) == {"ready"})
    status, texts = site.found(one, "turnstile harbour")
    assert (status, texts) == (503, [])
    assert site.client.get(f"{one.url}/healthz").status_code == 200

    one.mend()
    workers[0].send_signal(signal.SIGCONT)
    site.upload(two, "last.md", "The last turnstile of all.")
    until(lambda: site.statuses(two).get("last.md") == "ready")
    until(lambda: site.found(one, "turnstile harbour")[0] == 200)
    expected = sorted(
        (
            "The turnstile of the quetzal rotates, edition 1.",
            *(f"A turnstile in harbour {name}." for name in names),
            "The last turnstile of all.",
        )
    )
    for host in (one, two):
        assert sorted(site.found(host, "turnstile")[1]) == expected
    assert site.points() == expected
    for host in site.hosts:
        assert not (host.folder / "index").exists()
