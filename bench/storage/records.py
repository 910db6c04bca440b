"""Records in and out: as many as are wanted, through the product as a user has it.

`made_records.py` says what a record is: 40 words, two of its own, six attributes. This process
writes with `AsyncPincite.upsert`, the daemon is the product's, and `records_searcher.py` asks every
100 ms from a third process and checks each answer. The phases:

- lexical: 1,000,000 records (`--chunks` for others) without a dense model; dense: 20,000 with the
  bundled one. In each of them: all are written; all are written again unchanged; 1 % get a new
  text; 1 % other attributes; 1 % are deleted by their ids and 1 % by a filter; and in the end all
  are read out and held against what was put in.
- import: `pincite import` of 100,000 lines of JSON, with the memory of its process.

Memory is what a process has at most: resident, and of that what is not backed by files. What has
been measured is kept in the cache; `--phase` takes single ones anew.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.frame import ROOT, Options
from bench.made_records import Work
from bench.product import open_product
from bench.storage.records_searcher import Seen, plain
from bench.times import memory_of
from pincite.daemon.client.spawn import daemon_pid
from pincite.engine import AsyncPincite
from pincite.ingestion.options import IndexOptions

PHASES: Final = ("lexical", "dense", "import")
STEPS: Final = ("load", "same", "update", "attributes", "delete ids", "delete where")
_WINDOW = 100_000  # records whose rate is told at the beginning and at the end
_PAGE = 1_000
_OPTIMISED_S = 150.0  # what waits longer goes on meanwhile
_SETTLE_S = 1.0  # searches beside nothing, after each step


class Step(msgspec.Struct, frozen=True):
    """Records, and seconds until the call returned."""

    records: int
    seconds: float


class Memory(msgspec.Struct, frozen=True):
    """Megabytes at most, resident and of that not backed by files."""

    rss_mb: float
    private_mb: float


class Written(msgspec.Struct, frozen=True):
    """A collection of records. Rates are records a second, over the first and the last window of
    the load. `disk_mb` is by part of the index folder, after the load and its optimising. `wrong`
    are records that were not as they were put in; `searched` is what the other process saw."""

    records: int
    steps: dict[str, Step]
    first_per_s: float
    last_per_s: float
    client: Memory
    daemon: Memory
    client_at: dict[int, float]
    disk_mb: dict[str, float]
    searched: Seen
    read_s: float
    read: int
    wrong: int


class Imported(msgspec.Struct, frozen=True):
    """A file of so many records, and the process that imported it."""

    records: int
    seconds: float
    rss_mb: float


class RecordFigures(msgspec.Struct, frozen=True):
    """What there is of each phase."""

    written: dict[str, Written]
    imported: Imported | None = None


async def run(options: Options) -> RecordFigures:
    """Measure the phases that are not there yet, or those that are wanted."""
    total = options.chunks or (3_000 if options.quick else 1_000_000)
    work = options.cache / f"records-{total}"
    work.mkdir(parents=True, exist_ok=True)
    wanted = options.phases or tuple(name for name in PHASES if not _kept(work, name).exists())
    for name in wanted or PHASES:
        print(f"  {name}", flush=True)
        root = work / "index"
        shutil.rmtree(root, ignore_errors=True)
        count = min(total, {"dense": 20_000, "import": 100_000}.get(name, total))
        try:
            if name == "import":
                found: Any = await asyncio.to_thread(_import, root, Work(count), options)
            else:
                found = await _write(root, Work(count), options, lexical=name == "lexical")
        finally:
            shutil.rmtree(root, ignore_errors=True)
        _kept(work, name).write_bytes(msgspec.json.encode(found))
    written = {
        name: msgspec.json.decode(_kept(work, name).read_bytes(), type=Written)
        for name in ("lexical", "dense")
        if _kept(work, name).exists()
    }
    kept = _kept(work, "import")
    held = msgspec.json.decode(kept.read_bytes(), type=Imported) if kept.exists() else None
    return RecordFigures(written, held)


def _kept(work: Path, name: str) -> Path:
    return work / f"{name}.json"


async def _write(root: Path, work: Work, options: Options, *, lexical: bool) -> Written:
    steps: dict[str, Step] = {}
    client_at: dict[int, float] = {}
    paces: list[tuple[int, float]] = []
    chosen = IndexOptions(lexical=lexical)
    disk: dict[str, float] = {}
    async with open_product(root, options) as engine:
        await engine.upsert([], options=chosen)  # the daemon and its folder are there
        await engine.upsert([{"id": "first", "text": "first"}], options=chosen)
        await engine.delete(ids=["first"])
        with _Watched(lambda: daemon_pid(root)) as memory:
            async with _searcher(root, work, options) as tell:
                for name in STEPS:
                    numbers, started_s = work.numbers(name), time.perf_counter()
                    tell(name, 0)

                    def progress(told: Any, name: str = name, started_s: float = started_s) -> None:
                        if told.stage == "write":
                            tell(name, told.done)
                        if name == "load" and told.stage == "write":
                            paces.append((told.done, time.perf_counter() - started_s))
                            if told.done % (work.total // 10) == 0:
                                client_at[told.done] = memory_of(os.getpid())["VmRSS"]
                                _print(told.done, time.perf_counter() - started_s)

                    if name == "delete ids":
                        await engine.delete(ids=numbers)
                    elif name == "delete where":
                        await engine.delete(where=work.gone_where)
                    else:
                        records = work.given_records(name)
                        await engine.upsert(records, options=chosen, progress=progress)
                    steps[name] = Step(len(numbers), time.perf_counter() - started_s)
                    tell(name, len(numbers))
                    print(f"  {name}: {steps[name].seconds:.1f} s", flush=True)
                    if name == "load":
                        disk = {**_disk(root), "optimised after s": await _optimised(engine)}
                        disk |= {f"{k}, optimised": v for k, v in _disk(root).items()}
                    await asyncio.sleep(_SETTLE_S)
                searched = await tell.over()
            started_s = time.perf_counter()
            read, wrong = await _read_out(engine, work)
            read_s = time.perf_counter() - started_s
    window = min(_WINDOW, work.total // 10)
    return Written(
        work.total,
        steps,
        _pace(paces, 0, window),
        _pace(paces, work.total - window, work.total),
        *memory.most(),
        client_at,
        disk,
        searched,
        read_s,
        read,
        wrong,
    )


def _print(done: int, seconds: float) -> None:
    print(f"  {done:,} after {seconds:.0f} s", flush=True)


def _pace(paces: list[tuple[int, float]], start: int, end: int) -> float:
    began_s = max((s for done, s in paces if done <= start), default=0.0)
    ended_s = min(s for done, s in paces if done >= end)
    return (end - start) / (ended_s - began_s)


async def _optimised(engine: AsyncPincite) -> float:
    """Seconds until nothing is optimised any more, or those that it is waited for."""
    started_s = time.perf_counter()
    while (seconds := time.perf_counter() - started_s) < _OPTIMISED_S:
        if not any(info.optimising for info in await engine.collections()):
            break
        await asyncio.sleep(0.5)
    return seconds


def _disk(root: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for path in root.rglob("*"):
        part = path.relative_to(root).parts[0].split("-")[0]
        if path.is_file() and part in ("collections", "catalog.db", "records.db"):
            found[part] = found.get(part, 0.0) + path.stat().st_blocks * 512 / 1e6
    return found


async def _read_out(engine: AsyncPincite, work: Work) -> tuple[int, int]:
    """How many records there are, and how many are not as they have to be, missing ones too."""
    seen, wrong, read = bytearray(work.total), 0, 0
    after: str | None = None
    client = engine.client()
    while page := await client.page("main", after, _PAGE):
        after = page[-1].id
        for chunk in page:
            number = int(chunk.path)
            expected = work.at_last(number)
            same = expected is not None and (chunk.text, plain(chunk.attributes)) == (
                expected["text"],
                expected["attributes"],
            )
            wrong += not same or seen[number]
            seen[number] = 1
            read += 1
    wrong += sum(not seen[n] and work.at_last(n) is not None for n in range(work.total))
    return read, wrong


class _Watched:
    """The memory of this process and of the daemon, looked at twice a second."""

    def __init__(self, pid: Callable[[], int | None]) -> None:
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._most = {"client": [0.0, 0.0], "daemon": [0.0, 0.0]}

    def __enter__(self) -> _Watched:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.5):
            for name, pid in (("client", os.getpid()), ("daemon", self._pid())):
                try:
                    memory = memory_of(pid or 0)
                except (OSError, KeyError):
                    continue  # it has just gone
                now = (memory["VmRSS"], memory["RssAnon"])
                self._most[name] = [max(pair) for pair in zip(self._most[name], now, strict=True)]

    def most(self) -> tuple[Memory, Memory]:
        """Of this process, and of the daemon."""
        return Memory(*self._most["client"]), Memory(*self._most["daemon"])


class _Teller:
    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self._child = child
        self._seen: Seen | None = None

    def __call__(self, phase: str, done: int) -> None:
        if self._child.stdin is not None:
            self._child.stdin.write(f"{phase} {done}\n".encode())

    async def over(self) -> Seen:
        """Tell the other process that all is done; what it saw."""
        if self._seen is None:
            if self._child.stdin is not None:
                self._child.stdin.close()
            output, _ = await self._child.communicate()
            self._seen = msgspec.json.decode(output.splitlines()[-1], type=Seen)
        return self._seen


@asynccontextmanager
async def _searcher(root: Path, work: Work, options: Options) -> AsyncIterator[_Teller]:
    arguments = map(str, (root, options.models, work.total, work.seed))
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.storage.records_searcher", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    if child.stdout is None or (await child.stdout.readline()).strip() != b"ready":
        raise RuntimeError("the searching process did not start")
    try:
        yield _Teller(child)
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


def _import(root: Path, work: Work, options: Options) -> Imported:
    """`pincite import` of a file, as a process of its own."""
    file = root.parent / "records.jsonl"
    with file.open("wb") as lines:
        for record in work.given_records("load"):
            lines.write(msgspec.json.encode(record) + b"\n")
    command = str(Path(sys.executable).with_name("pincite"))
    given = ("import", str(file), "--index", str(root), "--lexical")
    environment = {**os.environ, "PINCITE_MODELS": str(options.models)}
    started_s = time.perf_counter()
    output = os.open(os.devnull, os.O_WRONLY)
    try:
        pid = os.posix_spawn(
            command,
            (command, *given),
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, output, 1)],
        )
        _, status, usage = os.wait4(pid, 0)
    finally:
        os.close(output)
        file.unlink()
    if code := os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"pincite import ended with {code}")
    seconds = time.perf_counter() - started_s
    asyncio.run(_leave(root, options))
    return Imported(work.total, seconds, usage.ru_maxrss / 1e3)


async def _leave(root: Path, options: Options) -> None:
    async with open_product(root, options):
        pass
