"""Several machines with one index: nothing is shared but PostgreSQL and a Qdrant server."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from pincite.diagnostics.status import status, status_table
from pincite.errors import ConfigError, IndexUnavailable, StoreError, WorkspaceUnavailable
from pincite.settings.load import Settings, load_settings
from pincite.support.fields import replace
from pincite.workspace import Access
from pincite.workspace.deployment import Deployment, open_deployment
from pincite.workspace.worker.deps import WorkerConfig, WorkerDeps
from pincite.workspace.worker.loop import work, work_once
from tests.quick_folder import quick_folder
from tests.stores.qdrant_http import Recorder, recording_server
from tests.workspace.postgres_server import Database, Server, away, binary

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]

#: What a server says 503 to.
UNAVAILABLE = (WorkspaceUnavailable, StoreError, IndexUnavailable)


@pytest.fixture
def qdrant() -> Iterator[Recorder]:
    with recording_server() as recorder:
        yield recorder


def settings_of(folder: Path, database: Database, qdrant: Recorder) -> Settings:
    """Of a machine with a folder of its own."""
    environ = {
        "QDRANT_URL": qdrant.url,
        "PINCITE_DATABASE_URL": database.app,
        "PINCITE_DATABASE_OPERATOR_URL": database.operator,
        "PINCITE_OFFLINE": "1",
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pincite.toml").write_text('extends = "workspace"\n')
    return load_settings(environ, folder, folder / "index")


@pytest.fixture
async def hosts(database: Database, qdrant: Recorder) -> AsyncIterator[list[Deployment]]:
    with quick_folder() as folder:
        async with AsyncExitStack() as stack:
            yield [
                await stack.enter_async_context(
                    open_deployment(settings_of(folder / name, database, qdrant), lexical=True)
                )
                for name in "abc"
            ]
            assert [p.name for n in "abc" for p in (folder / n).iterdir()] == ["pincite.toml"] * 3


async def user(host: Deployment) -> tuple[Access, str]:
    async with host.workspaces.administration() as operator:
        made = await operator.add_user("Ada")
    async with host.workspaces.of(made.id) as session:
        return Access(made.id), (await session.user()).personal


async def test_a_fact_that_one_machine_was_told_is_recalled_by_another(
    hosts: list[Deployment],
) -> None:
    one, other, third = hosts
    access, _ = await user(one)
    (fact,) = await one.workspace.remember(access, "prefers examples in Python")
    (found,) = await other.workspace.recall(access, "an example in Python?")
    assert (found.id, found.text) == (fact.id, "prefers examples in Python")
    assert await third.workspace.forget_facts(access, fact.id) == 1
    assert await one.workspace.facts(access) == ()


async def test_the_status_of_an_index_of_several_machines_names_no_folder(
    hosts: list[Deployment],
) -> None:
    access, space = await user(hosts[0])
    await upload(hosts[0], access, space, "a.md", "# Herons\n\nA heron stands still.\n")
    await drain(hosts[0])
    now = await status(hosts[1].workspace._engine)
    assert now.shared
    told = status_table(now)
    assert told.splitlines()[:2] == [
        "index    on servers, for several machines",
        f"daemon   none, version {now.version}",
    ]
    assert str(hosts[1].workspace._engine.settings.index) not in told


async def upload(host: Deployment, access: Access, space: str, name: str, text: str) -> str:
    async def pieces() -> AsyncIterator[bytes]:
        yield text.encode()

    stored = await host.files.put(space, pieces(), 10_000_000)
    async with host.workspaces.of(access.user_id) as session:
        made = await session.add_document(space, name, stored.content_hash, stored.size)
        return made.id


async def drain(host: Deployment) -> int:
    count = 0
    while did := await work_once(WorkerDeps.of(host), WorkerConfig()):
        count += did
    return count


async def found(host: Deployment, access: Access, question: str) -> list[str]:
    pack = await host.workspace.search(access, question, limit=50)
    return sorted(item.path.rpartition("/")[2] for item in (*pack.evidence, *pack.closest))


async def test_what_one_host_takes_another_indexes_and_a_third_finds(
    hosts: list[Deployment],
) -> None:
    one, two, three = hosts
    access, space = await user(one)
    id_ = await upload(one, access, space, "a.md", "The turnstile of the quetzal rotates.")
    assert await found(three, access, "turnstile") == []
    assert await drain(two) == 1
    for host in hosts:
        assert await found(host, access, "turnstile quetzal") == [id_]
    pack = await three.workspace.search(access, "turnstile quetzal")
    passage = await one.workspace.get(access, pack.evidence[0].citation)
    assert "quetzal rotates" in passage.text
    (checked,) = await two.workspace.verify(access, pack)
    assert checked.status == "fresh"


async def test_a_document_that_is_deleted_on_one_host_is_gone_on_all(
    hosts: list[Deployment],
) -> None:
    one, two, three = hosts
    access, space = await user(one)
    id_ = await upload(one, access, space, "a.md", "The turnstile of the quetzal rotates.")
    kept = await upload(two, access, space, "b.md", "A turnstile in the harbour.")
    await drain(one)
    assert await found(three, access, "turnstile") == sorted([id_, kept])
    await two.workspace.delete(Access(access.user_id, scopes=("search", "write")), id_)
    await drain(three)
    for host in hosts:
        assert await found(host, access, "turnstile") == [kept]


async def test_workers_of_all_hosts_at_once_lose_and_double_nothing(
    hosts: list[Deployment], qdrant: Recorder
) -> None:
    access, space = await user(hosts[0])
    wanted = [
        await upload(hosts[n % 3], access, space, f"{n}.md", f"Turnstile number {n} of many.")
        for n in range(8)
    ]
    done = await asyncio.gather(*map(drain, hosts))
    assert sum(done) == len(wanted)
    for host in hosts:
        assert await found(host, access, "turnstile") == sorted(wanted)
    (name,) = [one.name for one in qdrant.engine.get_collections().collections]
    points, _ = qdrant.engine.scroll(name, limit=1_000, with_payload=True)
    held = [p.payload["document_id"] for p in points if p.payload and "text" in p.payload]
    assert sorted(held) == sorted(wanted)


async def test_who_has_the_database_back_from_a_dump_has_texts_and_files_too(
    hosts: list[Deployment], database: Database, postgres: Server, qdrant: Recorder
) -> None:
    access, space = await user(hosts[0])
    text = "The turnstile of the quetzal rotates."
    id_ = await upload(hosts[0], access, space, "a.md", text)
    await drain(hosts[1])
    pack = await hosts[0].workspace.search(access, "turnstile")
    other = postgres.database("template0")
    names = [one.superuser.split("/")[3].split("?")[0] for one in (database, other)]
    reach = (f"--host={postgres.folder}", f"--username={postgres.superuser}")
    dump = [binary("pg_dump"), *reach, "--format=custom", names[0]]
    back = [binary("pg_restore"), *reach, "--exit-on-error", "--single-transaction", "-d", names[1]]
    dumped = await asyncio.to_thread(subprocess.run, dump, capture_output=True, check=True)
    await asyncio.to_thread(subprocess.run, back, input=dumped.stdout, check=True)
    with quick_folder() as folder:
        settings = settings_of(folder, other, qdrant)
        async with open_deployment(settings, lexical=True) as restored:
            assert await found(restored, access, "turnstile") == [id_]
            passage = await restored.workspace.get(access, pack.evidence[0].citation)
            assert passage.text == text
            async with restored.workspaces.of(access.user_id) as session:
                (document,) = await session.documents(None, "", 10)
            assert await restored.files.read(space, document.content_hash) == text.encode()
            await upload(restored, access, space, "b.md", "Another turnstile.")
            assert await drain(restored) == 1


async def test_a_database_that_is_stopped_and_started_needs_no_restart(
    hosts: list[Deployment], postgres: Server
) -> None:
    one, two, _ = hosts
    access, space = await user(one)
    first = await upload(one, access, space, "a.md", "The turnstile of the quetzal rotates.")
    ending = asyncio.Event()
    working = asyncio.create_task(work(WorkerDeps.of(two), WorkerConfig(idle_s=0.1), ending))
    await until_found(one, access, [first])
    with away(postgres):
        with pytest.raises(UNAVAILABLE):
            await one.workspace.search(access, "turnstile")
        with pytest.raises(UNAVAILABLE):
            await two.workspace.check_index()
    second = ""
    for _ in range(10):  # each try of a pool that finds no server takes seconds
        with suppress(*UNAVAILABLE):
            second = await upload(one, access, space, "b.md", "Another turnstile.")
            break
    await until_found(one, access, sorted([first, second]))
    await one.workspace.check_index()
    assert not working.done()
    ending.set()
    await working


async def test_a_store_that_is_away_costs_no_document(
    hosts: list[Deployment], qdrant: Recorder
) -> None:
    one, two, _ = hosts
    access, space = await user(one)
    first = await upload(one, access, space, "a.md", "The turnstile of the quetzal rotates.")
    await drain(two)
    await until_found(one, access, [first])
    second = await upload(one, access, space, "b.md", "Another turnstile.")
    qdrant.failing.extend([503] * 200)
    quick = WorkerConfig(retry_s=0.01, attempts=50)
    assert await work_once(WorkerDeps.of(two), quick)  # in vain
    with pytest.raises(UNAVAILABLE):
        await one.workspace.search(access, "turnstile")
    with pytest.raises(UNAVAILABLE):
        await one.workspace.check_index()
    qdrant.failing.clear()
    await one.workspace.check_index()
    assert await found(one, access, "turnstile") == [first]
    await asyncio.sleep(0.05)
    assert await work_once(WorkerDeps.of(two), quick)
    assert await found(one, access, "turnstile") == sorted([first, second])


async def until_found(host: Deployment, access: Access, wanted: list[str]) -> None:
    for _ in range(300):
        with suppress(*UNAVAILABLE):
            if await found(host, access, "turnstile") == wanted:
                return
        await asyncio.sleep(0.1)
    pytest.fail("it is not found")


async def test_an_operator_is_needed(database: Database, qdrant: Recorder) -> None:
    with quick_folder() as folder:
        settings = settings_of(folder, database, qdrant)
        settings = replace(settings, workspace=replace(settings.workspace, operator=""))
        with pytest.raises(ConfigError, match="operator is not set"):
            async with open_deployment(settings, lexical=True) as host:
                await host.workspace.check_index()
