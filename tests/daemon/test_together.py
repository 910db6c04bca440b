"""Four processes search while a fifth indexes, and the daemon is killed twice: every answer is one
that was true at some moment between its question and its end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.daemon.wire import protocol
from tests.daemon import together_client
from tests.daemon.together_client import NAMES, ROAMING, Event, path_of, read_journal, text_of
from tests.quick_folder import quick_folder
from tests.time_limits import HANGS_S

_VERSIONS = 12
_SEARCHERS = 4
_ANSWERS = 20  # of each
_KILLED_IN = (3, 8)


class Scene:
    """A source and its index, with processes at work on them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.source, self.root = folder, folder / "source", folder / "index"
        self.journal = folder / "indexed"
        self.source.mkdir()
        self.processes = multiprocessing.get_context("forkserver")
        self.processes.set_forkserver_preload(["tests.daemon.together_client", "pincite.ingest"])

    def start(self, target: Any, *arguments: object) -> Any:
        process = self.processes.Process(target=target, args=arguments)
        process.start()
        return process

    def index(self, versions: Sequence[int]) -> Any:
        arguments = (self.source, self.root, self.journal, versions)
        return self.start(together_client.index_versions, *arguments)

    def search(self, number: int) -> Any:
        arguments = (self.folder / "stop", self.root, self.folder / f"found{number}", number)
        return self.start(together_client.search_until, *arguments)

    def found(self) -> list[list[Event]]:
        return [read_journal(self.folder / f"found{number}") for number in range(_SEARCHERS)]

    def kill_daemon(self, indexing: Any, after: int) -> None:
        """When that many documents of this version and those before have been written."""
        while indexing.is_alive():
            if sum(event.what == "replaced" for event in read_journal(self.journal)) >= after:
                os.kill(int((self.root / protocol.LOCK).read_text()), signal.SIGKILL)
                return
            time.sleep(0.002)
        raise AssertionError("it was all indexed before the daemon could be killed")


def ended_well(process: Any) -> bool:
    process.join(HANGS_S)
    return bool(process.exitcode == 0)


def test_four_search_while_a_fifth_indexes_and_the_daemon_is_killed_twice() -> None:
    with quick_folder() as folder:
        scene = Scene(folder)
        assert ended_well(scene.index([1]))
        searching = [scene.search(number) for number in range(_SEARCHERS)]
        while not all(scene.found()):
            time.sleep(0.01)
        indexing = scene.index(range(2, _VERSIONS + 1))
        for version in _KILLED_IN:
            scene.kill_daemon(indexing, after=version * (len(NAMES) + 1) + 4)
        assert ended_well(indexing)
        while not all(len(events) > _ANSWERS for events in scene.found()):
            time.sleep(0.01)
        (folder / "stop").touch()
        for process in searching:
            assert ended_well(process)
        truth = Truth(read_journal(scene.journal))
        for events in scene.found():
            assert len(events) > _ANSWERS
            assert any(event.items for event in events)
            for event in events:
                truth.judge(event)
        assert (scene.root / protocol.LOG).read_text().count(" owns ") == 3
        asyncio.run(RemoteIndex(scene.root, scene.root / "models", 60.0).leave())


class Truth:
    """What was in the index when, as far as it was acknowledged."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.written = {e.version: e.began for e in events if e.what == "written"}
        self.indexed = {e.version: e.ended for e in events if e.what == "indexed"}
        self.replaced: dict[str, list[Event]] = {}
        for event in events:
            if event.what == "replaced":
                self.replaced.setdefault(event.path, []).append(event)

    def judge(self, event: Event) -> None:
        """Raises AssertionError for an answer that was never true."""
        assert event.error == "", event
        versions = self.possible(event)
        if event.what == "ask_for_pack":
            shown = {self.version_of(event, item) for item in event.items}
            assert shown <= set(versions), (event, versions)
            assert len(shown) <= 1 or event.name == ROAMING, event
        else:
            whole = [set(self.ids(event.name, version)) for version in versions]
            pairs = [one | other for one, other in pairwise(whole) if event.name == ROAMING]
            assert set(event.ids) in (*whole, *pairs), (event, versions)

    def possible(self, event: Event) -> list[int]:
        """The versions that may have been there at some time while it was asked."""
        return [
            version
            for version, written in self.written.items()
            if written <= event.ended and not self.gone(event.name, version, event.began)
        ]

    def gone(self, name: str, version: int, when: float) -> bool:
        """Had the following version been acknowledged by then, and this one removed?"""
        if name == ROAMING:
            return self.indexed.get(version + 1, when) < when
        ended = [e.ended for e in self.replaced[path_of(name, version)]]
        return version < len(ended) and ended[version] < when

    def ids(self, name: str, version: int) -> Sequence[str]:
        """The chunks of that version."""
        return self.replaced[path_of(name, version)][0 if name == ROAMING else version - 1].ids

    def version_of(self, event: Event, item: tuple[str, int, int, str]) -> int:
        """The version that has this text on these lines."""
        path, first, last, text = item
        for version in self.written:
            if path == path_of(event.name, version):
                lines = text_of(event.name, version).split("\n")
                if "\n".join(lines[first - 1 : last]) == text:
                    return version
        raise AssertionError(f"that was never there: {item}")
