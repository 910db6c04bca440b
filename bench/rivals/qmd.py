"""qmd beside Pincite, on the documentation of the ADK: both as commands, both without a model hub.

The questions of the golden set that expect documentation; a file's gain is the best grade of its
expected lines. qmd has no weights without a hub, so it ranks by words (`qmd search`); Pincite ranks
by words (`--by keyword`) and as shipped, with its bundled model.

- nDCG@10, Success@1: files, in the order in which they first appear.
- empty: questions that got no result.
- search: wall of the whole command in milliseconds, each question asked of each in turn. Pincite's
  daemon runs; `cold` is the first command after it has left. qmd has no daemon, each of its
  commands is cold in that sense.
- index, no change: seconds of the whole commands. disk: megabytes of 10^6 bytes on the disk.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.adk import require_docs
from bench.frame import Options, SkippedError, require
from bench.product import release, settings_of, temporary_folder
from bench.speed.cli import Commands, timed
from bench.times import Times, times
from pincite.daemon.client.open_index import open_index
from pincite.evals.analysis.measures import evaluate
from pincite.evals.analysis.statistics import median
from pincite.evals.golden.questions import read_golden
from pincite.evals.report.tables import table

_DEPTH: Final = 10
#: Passages to ask for, so that ten files are among them.
_PASSAGES: Final = 40
_ROUNDS: Final = 5
_SYSTEMS: Final[Mapping[str, tuple[str, ...]]] = {
    "pincite, keywords only": ("--by", "keyword"),
    "pincite": (),
}


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """One system, see the module's docstring."""

    ndcg_10: float
    success_1: float
    empty: int
    search: Times
    cold_ms: float
    index_s: float
    no_change_s: float
    disk_mb: float


@dataclass(frozen=True, slots=True)
class QmdFigures:
    """All systems by name."""

    version: str
    files: int
    questions: int
    systems: dict[str, SystemFigures]


class _Qmd:
    """`qmd` with a home folder of its own."""

    def __init__(self, command: Path, home: Path) -> None:
        self._command = str(command)
        self.home = home
        self._environ = {
            **os.environ,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_CONFIG_HOME": str(home / "config"),
        }

    def run(self, *arguments: str) -> tuple[float, str]:
        return timed((self._command, *arguments), self._environ)

    def files(self, question: str) -> tuple[float, list[str]]:
        """Milliseconds and the files it finds. A question is one argument, never an option."""
        spent_ms, printed = self.run("search", "-n", str(_DEPTH), "--json", "--", question)
        start = printed.find("[")
        found: list[dict[str, Any]] = json.loads(printed[start:]) if start >= 0 else []
        return spent_ms, [str(one["file"]).partition("://")[2].partition("/")[2] for one in found]


async def run(options: Options) -> QmdFigures:
    """Raises SkippedError where qmd or the data are missing."""
    if options.qmd is None:
        raise SkippedError(
            "no --qmd: npm install @tobilu/qmd@2.8.3 (Node 22), and name its command"
        )
    command = require(options.qmd, "the command of qmd")
    docs = require_docs(options)
    golden = read_golden(require(options.golden / "adk-dev.jsonl", "one question per line"))
    judged = {
        query.id: (query.text, gains)
        for query in golden.queries
        if (gains := _gains((item.path, item.grade) for item in query.expected if _is_docs(item)))
    }
    if options.quick:
        judged = dict(list(judged.items())[:5])
    with temporary_folder() as work:
        shutil.copytree(docs, work / "adk")
        qmd = _Qmd(command, work / "home")
        qmd.home.mkdir()
        _, version = qmd.run("--version")
        systems = {"qmd search": _measure_qmd(qmd, work / "adk", judged)}
        for name, chosen in _SYSTEMS.items():
            at = Commands(work / name.replace(", ", "-"), options)
            systems[name] = await _measure_ours(at, chosen, work / "adk", judged, options)
        for name, one in systems.items():
            print(f"  {name}: {one}", flush=True)
        files = sum(1 for path in (work / "adk").rglob("*.md") if path.is_file())
    return QmdFigures(version.strip(), files, len(judged), systems)


def _is_docs(item: Any) -> bool:
    return bool(item.path.endswith(".md"))


def _gains(expected: Any) -> dict[str, int]:
    gains: dict[str, int] = {}
    for path, grade in expected:
        gains[path] = max(gains.get(path, 0), grade)
    return gains


Judged = Mapping[str, tuple[str, Mapping[str, int]]]


def _measure_qmd(qmd: _Qmd, folder: Path, judged: Judged) -> SystemFigures:
    index_ms, _ = qmd.run("collection", "add", str(folder), "--name", "adk")
    same = [qmd.run("update")[0] for _ in range(_ROUNDS)]
    taken, found = [], {}
    for name, (text, _) in judged.items():
        spent_ms, found[name] = qmd.files(text)
        taken.append(spent_ms)
    return _figures(judged, found, taken, taken[0], index_ms, same, qmd.home)


async def _measure_ours(
    at: Commands, chosen: Sequence[str], folder: Path, judged: Judged, options: Options
) -> SystemFigures:
    words_alone = ("--lexical",) if chosen else ()
    index_ms, _ = at.run("index", str(folder), *words_alone)
    same = [at.run("index", str(folder), *words_alone)[0] for _ in range(_ROUNDS)]
    taken, found = [], {}
    settings = settings_of(at.index, options.models)
    await release(open_index(settings), at.index)
    cold_ms = 0.0
    for number, (name, (text, _)) in enumerate(judged.items()):
        asked = ("search", "-n", str(_PASSAGES), "--all", "--json", *chosen, "--", text)
        spent_ms, printed = at.run(*asked)
        if number == 0:
            cold_ms = spent_ms
            spent_ms, printed = at.run(*asked)
        taken.append(spent_ms)
        files = dict.fromkeys(one["path"] for one in json.loads(printed)["evidence"])
        found[name] = list(files)[:_DEPTH]
    await release(open_index(settings), at.index)
    return _figures(judged, found, taken, cold_ms, index_ms, same, at.index)


def _figures(
    judged: Judged,
    found: Mapping[str, Sequence[str]],
    taken: Sequence[float],
    cold_ms: float,
    index_ms: float,
    same: Sequence[float],
    folder: Path,
) -> SystemFigures:
    measures = ("nDCG@10", "Success@1")
    values = evaluate(measures, {name: gains for name, (_, gains) in judged.items()}, found)
    disk = sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
    return SystemFigures(
        ndcg_10=round(values["nDCG@10"], 4),
        success_1=round(values["Success@1"], 3),
        empty=sum(not each for each in found.values()),
        search=times(list(taken)),
        cold_ms=round(cold_ms, 1),
        index_s=round(index_ms / 1000, 2),
        no_change_s=round(median(list(same)) / 1000, 2),
        disk_mb=round(disk / 1e6, 1),
    )


def qmd(raw: Any) -> str:
    """A row for each system."""
    figures = msgspec.convert(raw, QmdFigures)
    head = (
        *("", "nDCG@10", "first is right", "no result", "search p50, ms", "cold, ms"),
        *("index, s", "no change, s", "disk, MB"),
    )
    rows = [
        (
            *(name, f"{one.ndcg_10:.3f}", f"{one.success_1:.0%}", f"{one.empty}"),
            *(f"{one.search.p50:.0f}", f"{one.cold_ms:.0f}", f"{one.index_s:.1f}"),
            *(f"{one.no_change_s:.2f}", f"{one.disk_mb:.1f}"),
        )
        for name, one in figures.systems.items()
    ]
    return (
        f"{table(head, rows)}\n\n{figures.questions} questions, {figures.files} files,"
        f" {figures.version}."
    )
