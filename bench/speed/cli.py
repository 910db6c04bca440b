"""What a person waits for at the command line. All times are walls of whole processes.

- import: `python -c "import pincite"` less `python -c pass`, medians of 20 in turn; `public names`
  is `from pincite import AsyncPincite`, `help` the whole of `pincite --help`.
- warm search: `pincite search` on an index of this repository whose daemon runs and has
  its model loaded. Cold: no daemon runs; it is asked to leave before each.
- no change: `pincite index` over 5,000 generated Markdown files of which none has changed. `wall`
  is the whole command, `inside` the time that its report names.
- daemon: resident memory (all, and what is not backed by files) of a daemon that has answered
  searches and is idle; `disk` is the space that the index of this repository takes.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.frame import ROOT, Options
from bench.product import release, settings_of, temporary_folder
from bench.synthetic import World
from bench.times import Times, memory_of, times
from pincite.daemon.client.open_index import open_index
from pincite.evals.analysis.statistics import median

_QUESTION = ("how", "are", "equal", "scores", "ordered", "when", "rankings", "are", "fused")
_HOUR_S = 3_600.0
_PER_FOLDER = 50


@dataclass(frozen=True, slots=True)
class CliFigures:
    """Times in milliseconds unless a name says otherwise; sizes in megabytes of 10^6 bytes."""

    python: float
    import_pincite: float
    import_public_names: float
    help: float
    warm_search: Times
    cold_search: Times
    files: int
    first_index_s: float
    no_change_wall: Times
    no_change_inside: Times
    daemon_rss_mb: float
    daemon_private_mb: float
    repository_chunks: int
    repository_disk_mb: float


async def run(options: Options) -> CliFigures:
    """Everything, on temporary indexes."""
    quick = options.quick
    imports = time_imports(3 if quick else 20)
    rounds = 3 if quick else 15
    with temporary_folder() as work:
        at = Commands(work / "repository", options)
        place = ROOT / "src" / "pincite" / "stages" if quick else ROOT
        at.run("index", str(place))
        at.run("search", *_QUESTION)
        warm = [at.run("search", *_QUESTION)[0] for _ in range(rounds)]
        client = open_index(settings_of(at.index, options.models))
        memory = memory_of((await client.hello()).pid)
        info = (await client.collections())[0]
        disk = _space(at.index)
        cold = []
        for _ in range(rounds):
            await release(client, at.index)
            cold.append(at.run("search", *_QUESTION)[0])
        await release(client, at.index)
        files = 200 if quick else 5_000
        first_s, wall, inside = await _no_change(work, files, 3 if quick else 7, options)
    return CliFigures(
        **imports,
        warm_search=times(warm),
        cold_search=times(cold),
        files=files,
        first_index_s=first_s,
        no_change_wall=times(wall),
        no_change_inside=times(inside),
        daemon_rss_mb=memory["VmRSS"],
        daemon_private_mb=memory["RssAnon"],
        repository_chunks=info.chunks,
        repository_disk_mb=round(disk / 1e6, 1),
    )


class Commands:
    """`pincite` on one index folder."""

    def __init__(self, index: Path, options: Options) -> None:
        self.index = index
        self._environ = {
            **os.environ,
            "PINCITE_REFRESH": "manual",
            "PINCITE_INDEX": str(index),
            "PINCITE_MODELS": str(options.models),
            "PINCITE_IDLE_S": "120",
        }

    def run(self, *arguments: str) -> tuple[float, str]:
        """Milliseconds and stdout of one command."""
        return timed((*command(), *arguments), self._environ)


def command() -> tuple[str, ...]:
    """The console script beside this Python, or what it would run."""
    script = Path(sys.executable).parent / "pincite"
    if script.exists():
        return (str(script),)
    return (sys.executable, "-c", "from pincite.surfaces.cli.app import program; program()")


def timed(arguments: Sequence[str], environ: dict[str, str] | None = None) -> tuple[float, str]:
    """Milliseconds and stdout of a process. Raises RuntimeError with its last words."""
    started_s = time.perf_counter()
    done = subprocess.run(
        arguments, env=environ, cwd=ROOT, capture_output=True, text=True, check=False
    )
    spent_ms = (time.perf_counter() - started_s) * 1000
    if done.returncode not in (0, 3):  # 3: nothing relevant
        raise RuntimeError(f"{' '.join(arguments[:3])} failed: {done.stderr.strip()[-300:]}")
    return spent_ms, done.stdout


def time_imports(rounds: int) -> dict[str, float]:
    """Medians, one of each per round, so that a busy moment hits all alike."""
    commands = {
        "python": (sys.executable, "-c", "pass"),
        "import_pincite": (sys.executable, "-c", "import pincite"),
        "import_public_names": (sys.executable, "-c", "from pincite import AsyncPincite"),
        "help": (*command(), "--help"),
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, arguments in commands.items():
            taken[name].append(timed(arguments)[0])
    bare = median(taken["python"])
    return {
        name: round(median(found) - (bare if name.startswith("import") else 0), 1)
        for name, found in taken.items()
    }


async def _no_change(
    work: Path, files: int, rounds: int, options: Options
) -> tuple[float, list[float], list[float]]:
    """Seconds of the first run; walls and insides of those after it, in milliseconds."""
    folder = work / "files"
    make_files(folder, files)
    at = Commands(work / "no-change", options)
    first_ms, _ = at.run("index", str(folder))
    wall, inside = [], []
    for _ in range(rounds):
        spent_ms, printed = at.run("index", str(folder), "--json")
        report = json.loads(printed)[0]
        if report["unchanged"] != files or report["new"] or report["changed"]:
            raise RuntimeError(f"files seem to have changed: {report}")
        wall.append(spent_ms)
        inside.append(report["duration_s"] * 1000)
    await release(open_index(settings_of(at.index, options.models)), at.index)
    return round(first_ms / 1000, 1), wall, inside


def make_files(folder: Path, count: int) -> None:
    """Markdown of about 75 made-up words each, last changed an hour ago, in folders of 50."""
    texts = World(count, 1).texts(count)
    shuffled = random.Random(1)
    past_s = time.time() - _HOUR_S
    for number, text in enumerate(texts):
        path = folder / f"part{number // _PER_FOLDER:03d}" / f"note{number:05d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        title = " ".join(shuffled.sample(text.split(), 3))
        path.write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
        os.utime(path, (past_s, past_s))


def _space(folder: Path) -> int:
    """Bytes on disk, all files together; files may have holes."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
