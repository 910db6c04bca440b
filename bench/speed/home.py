"""A whole home folder, indexed by word and kept up to date: what it costs and how fresh it is.

100,000 files (`--chunks` sets another number) as people have them: notes in many folders, code in
checkouts with a `.git` and a `node_modules` that is ignored, pictures and archives, and transcripts
that grow. Half of the files are to be indexed.

- first: `index` of everything by words. again: the same command when nothing has changed.
- status: `pincite status` as a command.
- quiet: processor time of the daemon and of what it starts while nothing changes, as a share of one
  core, and its memory of its own (`RssAnon`).
- edits: from the end of a write until a search by word has it, for files anywhere.
- growing: a transcript gets a line every 0.2 s; what is asked for is the share of one core that
  keeping up takes meanwhile, and the seconds until the last line is found.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.frame import Options
from bench.product import release, settings_of, temporary_folder
from bench.times import Times, times
from pincite.engine import AsyncPincite
from pincite.evals.report.tables import table
from pincite.settings.sections.refresh import RefreshSettings
from pincite.support.fields import replace

_FILES: Final = 100_000
_PER_FOLDER: Final = 40
_LONGEST_S: Final = 300.0
_LOOK_S: Final = 0.05
_LINE_EVERY_S: Final = 0.2
_WORDS: Final = (
    "rent invoice garden parser socket holiday recipe budget meeting deploy token".split()
)


@dataclass(frozen=True, slots=True)
class HomeFigures:
    """Shares are of one core; memory is in megabytes."""

    files: int
    documents: int
    chunks: int
    first_s: float
    again_s: float
    status: Times
    watched_s: float
    watching: str
    quiet_share: float
    quiet_mb: float
    edits: Times
    growing_share: float
    growing_mb: float
    growing_found_s: float


async def run(options: Options) -> HomeFigures:
    """Measure."""
    files = options.chunks or (1_000 if options.quick else _FILES)
    edits, quiet_s, grows_s = (3, 3.0, 3.0) if options.quick else (10, 30.0, 30.0)
    dice = random.Random(100)
    with temporary_folder() as folder:
        home = folder / "home"
        notes = make_home(home, files, dice)
        settings = settings_of(folder / "index", options.models)
        auto = replace(settings, refresh=RefreshSettings("auto"))
        try:
            first_s = _command(folder, "index", str(home), "--lexical")
            again_s = _command(folder, "index")
            status = [_command(folder, "status") for _ in range(5)]
            async with AsyncPincite(auto) as engine:
                (info,) = await engine.collections()
                watched_s = await _watched(engine)
                watching = (await engine.freshness()).watching
                pid = (await engine.client().hello()).pid
                await asyncio.sleep(5)
                quiet_share = await _share_of(pid, quiet_s)
                quiet_mb = (await engine.client().condition()).memory_mb
                found = []
                for number in range(edits):
                    word = f"edited{number}word"
                    _append(dice.choice(notes), f"\nIt says {word} here.\n")
                    found.append(1000 * await _found(engine, word))
                    await asyncio.sleep(dice.random())
                growing = asyncio.create_task(_grow(home / "logs/chat0.jsonl", grows_s))
                growing_share = await _share_of(pid, grows_s)
                growing_found_s = await _found(engine, await growing)
                growing_mb = (await engine.client().condition()).memory_mb
        finally:
            async with AsyncPincite(settings) as manual:
                await release(manual.client(), settings.index)
    return HomeFigures(
        files=files,
        documents=info.documents,
        chunks=info.chunks,
        first_s=round(first_s, 1),
        again_s=round(again_s, 2),
        status=times([1000 * one for one in status]),
        watched_s=round(watched_s, 2),
        watching=watching,
        quiet_share=round(quiet_share, 4),
        quiet_mb=round(quiet_mb),
        edits=times(found),
        growing_share=round(growing_share, 3),
        growing_mb=round(growing_mb),
        growing_found_s=round(growing_found_s, 2),
    )


def make_home(home: Path, files: int, dice: random.Random) -> list[Path]:
    """So many files; returns the notes."""
    notes = []
    for number in range(files):
        kind = number % 20
        if kind < 8:
            place = home / "notes" / f"n{number // 20 // _PER_FOLDER}" / f"note{number}.md"
            notes.append(place)
            text = f"# Note {number}\n\n{_text(dice, 40)}\n"
        elif kind < 10:
            place = _project(home, number) / "src" / f"module{number}.py"
            text = f"def step_{number}(value):\n    '''{_text(dice, 8)}'''\n    return value\n"
        elif kind < 16:
            place = _project(home, number) / "node_modules" / f"p{number % 50}" / f"i{number}.js"
            text = f"module.exports = {number};\n"
        elif kind < 18:
            place = _project(home, number) / ".git/objects" / f"{number % 256:02x}" / f"{number:x}"
            text = f"{number}"
        else:
            place = home / "pictures" / f"y{number // 20 // _PER_FOLDER}" / f"p{number}.jpg"
            text = "\x00\x01" * 200
        _write(place, text)
    for number in range(20):
        turns = (_turn(f"{_text(dice, 30)}") for _ in range(50))
        _write(home / "logs" / f"chat{number}.jsonl", "".join(turns))
    return notes


def _project(home: Path, number: int) -> Path:
    project = home / "code" / f"project{number // 20 // (5 * _PER_FOLDER)}"
    if not (project / ".gitignore").exists():
        _write(project / ".gitignore", "node_modules/\n")
    return project


def _text(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(_WORDS, k=words))


def _turn(text: str) -> str:
    return msgspec.json.encode({"role": "user", "content": text}).decode() + "\n"


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def _append(place: Path, text: str) -> None:
    with place.open("a", encoding="utf-8") as file:
        file.write(text)


def _command(folder: Path, *words: str) -> float:
    """Seconds that a command takes as a whole."""
    environ = {**os.environ, "PINCITE_INDEX": str(folder / "index"), "PINCITE_REFRESH": "manual"}
    command = (sys.executable, "-m", "pincite.surfaces.cli.app", *words)
    started_s = time.perf_counter()
    subprocess.run(command, env=environ, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - started_s


async def _watched(engine: AsyncPincite) -> float:
    """Seconds from the first search until file events are heard or refused."""
    started_s = time.perf_counter()
    await engine.search("fox", by="keyword", limit=1)
    while not (await engine.freshness()).watching or await _busy(engine):
        if time.perf_counter() - started_s > _LONGEST_S:
            raise TimeoutError("no events are heard")
        await asyncio.sleep(_LOOK_S)
    return time.perf_counter() - started_s


async def _busy(engine: AsyncPincite) -> bool:
    return (await engine.freshness()).indexing


async def _found(engine: AsyncPincite, word: str) -> float:
    """Seconds until a search by word has a text with it."""
    started_s = time.perf_counter()
    while True:
        pack = await engine.search(word, by="keyword", limit=3)
        if any(word in one.text for one in pack):
            return time.perf_counter() - started_s
        if time.perf_counter() - started_s > _LONGEST_S:
            raise TimeoutError(f"{word} was not found within {_LONGEST_S:g} s")
        await asyncio.sleep(_LOOK_S)


async def _grow(place: Path, seconds: float) -> str:
    """Add turns to a transcript; returns a word of the last one."""
    number, until_s = 0, time.perf_counter() + seconds
    while time.perf_counter() < until_s:
        number += 1
        _append(place, _turn(f"And then grown{number}word was said."))
        await asyncio.sleep(_LINE_EVERY_S)
    return f"grown{number}word"


async def _share_of(pid: int, seconds: float) -> float:
    """What the daemon and all that it started take of a core meanwhile."""
    before, started_s = _taken_s(pid), time.perf_counter()
    await asyncio.sleep(seconds)
    return max(0.0, _taken_s(pid) - before) / (time.perf_counter() - started_s)


def _taken_s(pid: int) -> float:
    """Processor time of a process, of its children that have ended, and of those that live."""
    ticks = sum(sum(_times(one)[: 4 if one == pid else 2]) for one in (pid, *_children(pid)))
    return ticks / os.sysconf("SC_CLK_TCK")


def _times(pid: int) -> tuple[int, ...]:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return (0, 0, 0, 0)
    return tuple(int(one) for one in after_name[11:15])


def _children(pid: int) -> Iterator[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return (int(one) for one in text.split())


def home(raw: Any) -> str:
    """What a home folder costs."""
    one = msgspec.convert(raw, HomeFigures)
    rows = (
        ("first `index`, keywords only", f"{one.first_s:.0f} s"),
        ("`index` without changes", f"{one.again_s:.1f} s"),
        ("`status`", f"{one.status.p50 / 1000:.2f} s"),
        ("from the first search until file events arrive", f"{one.watched_s:.1f} s"),
        ("until an edit is found, p50", f"{one.edits.p50 / 1000:.1f} s"),
        ("until an edit is found, longest", f"{one.edits.max / 1000:.1f} s"),
        ("until the last line of a growing transcript is found", f"{one.growing_found_s:.1f} s"),
        ("memory of the idle daemon", f"{one.quiet_mb:.0f} MB"),
        ("processor, idle", f"{one.quiet_share:.1%} of a core"),
        ("processor, a transcript grows by 5 lines a second", f"{one.growing_share:.0%} of a core"),
    )
    return (
        f"{one.files:,} files, of which {one.documents:,} are indexed, in {one.chunks:,} chunks."
        f" The daemon watches {one.watching}.\n\n{table(('', ''), rows)}"
    )
