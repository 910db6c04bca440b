"""Real processes, killed whenever: what was acknowledged is there whole, and nothing else is."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.daemon.wire import protocol
from pincite.model import Chunk, DocumentRecord
from pincite.ports import SearchRequest
from pincite.providers.sparse.bm25 import Bm25Encoder
from tests.index import crash_client
from tests.index.crash_client import check_whole
from tests.quick_folder import quick_folder
from tests.time_limits import HANGS_S

_FILES = 30
_KILLS = 50
_EVERYTHING = SearchRequest(sparse=Bm25Encoder().encode_query("common"), sparse_limit=100_000)


class Scene:
    """A source, all that its files have ever said, its index, and the log of what was
    acknowledged."""

    def __init__(self, folder: Path) -> None:
        self.source, self.root, self.log = folder / "source", folder / "index", folder / "log"
        self.said: dict[str, set[str]] = {}
        self.source.mkdir()
        self.processes = multiprocessing.get_context("forkserver")
        self.processes.set_forkserver_preload(
            [
                "tests.index.crash_client",
                "pincite.ingest",
                "pincite.chunkers.markup.markdown",
                "numpy",
            ]
        )

    def write(self, dice: random.Random, share: float) -> None:
        """Write or rewrite a share of the files, some sections of each as they were."""
        for number in range(_FILES):
            if dice.random() < share:
                sections = [
                    f"# Part {n}\n\ncommon {' '.join(dice.choices(('fox', 'owl'), k=80))}\n"
                    for n in range(dice.randint(1, 12))
                ]
                path, text = f"{number}.md", "\n".join(sections)
                (self.source / path).write_text(text)
                self.said.setdefault(path, set()).add(text)

    def start(self, root: Path | None = None) -> Any:
        """A process that indexes."""
        arguments = (self.source, root or self.root, self.log)
        process = self.processes.Process(target=crash_client.run, args=arguments)
        process.start()
        return process

    def wait(self, process: Any, documents: int) -> None:
        """Return when so many documents have been acknowledged, or the process has ended."""
        while process.is_alive() and len(self.acknowledged()) < documents:
            time.sleep(0.001)

    def daemon(self) -> int | None:
        """The process that owns the index, as far as is known."""
        try:
            return int((self.root / protocol.LOCK).read_text())
        except (FileNotFoundError, ValueError):
            return None

    def acknowledged(self) -> dict[str, str]:
        """The revision that was acknowledged last, by path. A torn last line is none."""
        lines = self.log.read_text().split("\n")[:-1] if self.log.exists() else []
        return dict(line.rsplit(" ", 1) for line in lines)

    def client(self) -> RemoteIndex:
        return RemoteIndex(self.root, self.root / "models", 60.0)


def kill(pid: int | None) -> None:
    if pid is not None:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def test_kill_9_at_any_time_loses_nothing_that_was_acknowledged() -> None:
    seed = random.SystemRandom().randrange(10_000)
    dice = random.Random(seed)
    with quick_folder() as folder:
        scene = Scene(folder)
        scene.write(dice, 1.0)
        caught = 0
        for number in range(_KILLS):
            print(f"seed {seed}, kill {number}")  # is shown when it fails
            scene.log.unlink(missing_ok=True)
            process = scene.start()
            scene.wait(process, documents=dice.randint(0, _FILES // 3))
            time.sleep(dice.uniform(0.0, 0.005))
            caught += process.is_alive()
            victim = ("daemon", "client", "both", "client")[number % 4]
            if victim != "client":
                kill(scene.daemon())
            if victim == "daemon":
                process.join(HANGS_S)
                assert process.exitcode == 0  # the client starts it again and goes on
            else:
                process.kill()
                process.join(HANGS_S)
            process.close()
            asyncio.run(check_after_kill(scene))
            scene.write(dice, 0.5)
        assert caught > _KILLS // 5  # where the machine is busy, more end before they are killed
        asyncio.run(check_equal_to_clean_build(scene, folder / "clean"))


async def check_after_kill(scene: Scene) -> None:
    if not (scene.root / "catalog.db").exists():
        return
    index = scene.client()
    try:
        infos = await index.collections()
        if not infos:
            return
        (found,) = await index.search("main", _EVERYTHING)  # of all requests the first
        assert infos[0].lost == 0
        assert infos[0].broken == ""
        records = await index.documents("main")
        chunks = await index.page("main", None, 100_000)
        await check_whole(index, records, chunks)
        by_path = {record.path: record.revision for record in records}
        for path, revision in scene.acknowledged().items():
            assert by_path[path] == revision
        check_found_whole(scene, {hit.id for hit in found.hits}, records, chunks)
    finally:
        await index.close()


def check_found_whole(
    scene: Scene, found: set[str], records: Sequence[DocumentRecord], chunks: Sequence[Chunk]
) -> None:
    """The search has found every document with all of its chunks, as one version of its file."""
    assert found == {chunk.id for chunk in chunks}
    for record in records:
        own = [chunk for chunk in chunks if chunk.path == record.path]
        assert {chunk.content_hash for chunk in own} <= {record.content_hash}
        assert any(
            all(text[chunk.start : chunk.end] == chunk.text for chunk in own)
            and sum(chunk.text.count("common") for chunk in own) == text.count("common")
            for text in scene.said[record.path]
        )


async def check_equal_to_clean_build(scene: Scene, clean: Path) -> None:
    resumed, fresh = scene.client(), RemoteIndex(clean, clean / "models", 60.0)
    try:
        for root in (scene.root, clean):
            await crash_client.index(scene.source, root, scene.log)
        assert await resumed.page("main", None, 100_000) == await fresh.page("main", None, 100_000)
        ours = {r.path: r.revision for r in await resumed.documents("main")}
        theirs = {r.path: r.revision for r in await fresh.documents("main")}
        assert ours == theirs
        assert len(ours) == _FILES
    finally:
        for index in (resumed, fresh):
            await index.leave()
            await index.close()
