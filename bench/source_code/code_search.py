"""Questions about repositories of code, answered by files, with semble beside it.

`code-search-dev` has repositories in 18 languages and the files that answer each question. Every
repository is indexed by the product into an index of its own, by words alone and with the bundled
model, and asked for ten results, which are merged to files.

- nDCG@10 over distinct files, binary; a target counts at the rank of the first file whose path is
  it or ends with it, or the other way round. The ideal has as many hits as there are targets.
- `plain`: the same without the ranking of code (`rank_code`), as deep as it was without it.
- distinct: files among the ten results.
- index: seconds until all can be searched, the start of the daemon included; there: the same into
  another collection once the daemon is there, as semble's process is. command: the whole of
  `pincite index --lexical` into a new index, and of a process that imports semble and indexes;
  medians of three in turn. query: milliseconds of `AsyncPincite.search`.
- semble: its release as `--semble PYTHON` has it, without a model, as its users get it offline:
  ten results of its own search. Both are timed in turn, repository by repository.
"""

from __future__ import annotations

import asyncio
import json
import math
import tarfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.frame import Options, SkippedError
from bench.product import open_product, temporary_folder
from bench.rivals.whole_commands import WORKER, whole_commands
from bench.unpacking import extract
from pincite.engine import AsyncPincite
from pincite.evals.analysis.statistics import median
from pincite.evals.run.runner import measured
from pincite.ingestion.options import IndexOptions
from pincite.profile import Profile
from pincite.support.fields import replace

_RESULTS = 10
QUICK = ("express", "sinatra")


@dataclass(frozen=True, slots=True)
class Query:
    """A question, the files that answer it, and what kind of question it is."""

    text: str
    targets: tuple[str, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository and its questions; `root` is the folder that is indexed."""

    name: str
    language: str
    root: Path
    queries: tuple[Query, ...]


@dataclass(slots=True)
class Outcome:
    """One system over all repositories: nDCG@10 of each question by repository and category."""

    ndcg: dict[str, list[float]] = field(default_factory=dict)
    categories: dict[str, list[float]] = field(default_factory=dict)
    distinct: list[int] = field(default_factory=list)
    query_ms: list[float] = field(default_factory=list)
    index_s: dict[str, float] = field(default_factory=dict)
    there_s: dict[str, float] = field(default_factory=dict)
    command_s: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """Means over the questions. `languages` and `categories` give nDCG@10."""

    ndcg_10: float
    languages: Mapping[str, float]
    categories: Mapping[str, float]
    distinct: float
    query_p50_ms: float
    index_s: float
    there_s: float = 0.0
    command_s: float = 0.0


@dataclass(frozen=True, slots=True)
class CodeSearchFigures:
    """All systems by name."""

    repositories: int
    questions: int
    semble: str
    systems: dict[str, SystemFigures]


async def run(options: Options) -> CodeSearchFigures:
    """Measure all repositories. Raises SkippedError naming what is missing."""
    with temporary_folder() as work:
        repositories = chosen(options, work / "repositories")
        systems: dict[str, Outcome] = {}
        rival = await open_semble(options.semble) if options.semble else None
        try:
            for one in repositories:
                for name, lexical in (("lexical", True), ("hybrid", False)):
                    root = work / name / one.name
                    await _ours(name, one, root, lexical, options, systems)
                if rival is not None:
                    await rival.measure(one, systems.setdefault("semble", Outcome()))
                await _commands(one, options, systems)
                print(f"  {one.name}: {_line(systems, one.name)}", flush=True)
        finally:
            if rival is not None:
                await rival.close()
    return CodeSearchFigures(
        len(repositories),
        sum(len(one.queries) for one in repositories),
        rival.version if rival else "",
        {name: _figures(outcome, repositories) for name, outcome in systems.items()},
    )


def chosen(options: Options, work: Path) -> list[Repository]:
    """The repositories of a run, unpacked below `work`: few if it is quick. Raises SkippedError
    naming what is missing."""
    data = options.folder("code-search-dev", "repos.json, queries.jsonl and NAME.tar.xz")
    return [one for one in read(data, work) if not options.quick or one.name in QUICK]


def read(data: Path, work: Path) -> list[Repository]:
    """The repositories, unpacked below `work`, with their questions."""
    queries: dict[str, list[Query]] = {}
    for line in (data / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        targets = tuple(_path(one) for one in (*row["relevant"], *row["secondary"]))
        query = Query(row["query"], targets, row.get("category") or "none")
        queries.setdefault(row["repo"], []).append(query)
    found = []
    for row in json.loads((data / "repos.json").read_text(encoding="utf-8")):
        name, folder = row["repo"], work / row["repo"]
        archive = data / f"{name}.tar.xz"
        if not archive.exists():
            raise SkippedError(f"{archive} is missing; set --data")
        with tarfile.open(archive) as packed:
            extract(packed, folder)
        (inner,) = folder.iterdir()
        root = inner / (row.get("root") or "")
        found.append(Repository(name, row["language"], root, tuple(queries[name])))
    return found


def _path(target: str | Mapping[str, Any]) -> str:
    return target if isinstance(target, str) else str(target["path"])


async def _ours(
    name: str,
    one: Repository,
    root: Path,
    lexical: bool,
    options: Options,
    systems: dict[str, Outcome],
) -> None:
    async with open_product(root, options) as engine:
        started_s = time.perf_counter()
        await engine.index([one.root], options=IndexOptions(lexical=lexical, name=one.name))
        index_s = time.perf_counter() - started_s
        there_s = await _once_more(engine, one) if lexical else 0.0
        shipped = engine.settings.profile
        for label, profile in ((name, shipped), (f"{name} plain", plain(shipped))):
            outcome = systems.setdefault(label, Outcome())
            outcome.index_s[one.name] = index_s
            outcome.there_s[one.name] = there_s
            for query in one.queries:
                started_s = time.perf_counter()
                pack = await engine.search(query.text, profile=showing(profile))
                outcome.query_ms.append((time.perf_counter() - started_s) * 1000)
                count(outcome, one.name, query, [item.path for item in pack.evidence])


async def _commands(one: Repository, options: Options, systems: Mapping[str, Outcome]) -> None:
    took = asyncio.to_thread(whole_commands, one.root, options.semble, quick=options.quick)
    for name, seconds in zip(("lexical", "semble"), await took, strict=True):
        if name in systems:
            systems[name].command_s[one.name] = seconds


async def _once_more(engine: AsyncPincite, one: Repository) -> float:
    """Seconds to index by word into another collection, with the daemon there."""
    again = IndexOptions(collection="again", lexical=True, name=one.name)
    started_s = time.perf_counter()
    await engine.index([one.root], options=again)
    took_s = time.perf_counter() - started_s
    await engine.client().drop("again")
    return took_s


def plain(profile: Profile) -> Profile:
    """The profile without the ranking of code."""
    return replace(
        profile,
        rank_code=replace(profile.rank_code, enabled=False),
        retrieve=replace(profile.retrieve, code_limit=1),
    )


def showing(profile: Profile) -> Profile:
    """The profile with ten results, those below the threshold included."""
    shown = measured(profile).showing(_RESULTS)
    return replace(shown, select=replace(shown.select, on_none="keep"))


def count(outcome: Outcome, repository: str, query: Query, paths: Sequence[str]) -> None:
    """Take in what was found for a question, best first."""
    files = list(dict.fromkeys(paths))
    value = ndcg(files, query.targets)
    outcome.ndcg.setdefault(repository, []).append(value)
    outcome.categories.setdefault(query.category, []).append(value)
    outcome.distinct.append(len(files))


def _same(path: str, target: str) -> bool:
    return path == target or path.endswith(f"/{target}") or target.endswith(f"/{path}")


def ndcg(
    files: Iterable[str], targets: Sequence[str], same: Callable[[str, str], bool] = _same
) -> float:
    """nDCG@10 of distinct files; a target counts once. `same` has a file and a target."""
    left, gained = list(targets), 0.0
    for place, path in enumerate(list(files)[:10]):
        hit = next((one for one in left if same(path, one)), None)
        if hit is not None:
            left.remove(hit)
            gained += 1 / math.log2(place + 2)
    ideal = math.fsum(1 / math.log2(place + 2) for place in range(min(10, len(targets))))
    return gained / ideal if ideal else 0.0


class Semble:
    """The worker, started."""

    def __init__(self, process: asyncio.subprocess.Process, version: str) -> None:
        self._process = process
        self.version = version

    async def measure(self, one: Repository, outcome: Outcome) -> None:
        """One repository."""
        found = await self.ask(one.root, [query.text for query in one.queries])
        outcome.index_s[one.name] = found["index_s"]
        outcome.query_ms += found["query_ms"]
        for query, paths in zip(one.queries, found["files"], strict=True):
            count(outcome, one.name, query, paths)

    async def ask(self, root: Path, texts: Sequence[str], *, pages: bool = False) -> dict[str, Any]:
        """What the worker prints for a folder: ten results for each text. With `pages`, pages are
        indexed as well as code."""
        job = {"root": str(root), "queries": texts, "results": _RESULTS, "pages": pages}
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{json.dumps(job)}\n".encode())
        await self._process.stdin.drain()
        found: dict[str, Any] = json.loads(await self._process.stdout.readline())
        return found

    async def close(self) -> None:
        """End the worker."""
        if self._process.stdin:
            self._process.stdin.close()
        await self._process.wait()


async def open_semble(python: Path) -> Semble:
    """Start the worker. Raises SkippedError where that Python has no semble."""
    process = await asyncio.create_subprocess_exec(
        *(str(python), str(WORKER)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=64 * 1024 * 1024,
    )
    assert process.stdout
    version = (await process.stdout.readline()).decode().strip()
    if not version:
        raise SkippedError(f"{python} has no semble: pip install semble into it")
    return Semble(process, version)


def _figures(outcome: Outcome, repositories: Sequence[Repository]) -> SystemFigures:
    languages = {one.name: one.language for one in repositories}
    everything = [value for values in outcome.ndcg.values() for value in values]
    return SystemFigures(
        ndcg_10=mean(everything),
        languages={languages[name]: mean(values) for name, values in outcome.ndcg.items()},
        categories={name: mean(values) for name, values in sorted(outcome.categories.items())},
        distinct=mean(outcome.distinct),
        query_p50_ms=median(outcome.query_ms),
        index_s=math.fsum(outcome.index_s.values()),
        there_s=math.fsum(outcome.there_s.values()),
        command_s=math.fsum(outcome.command_s.values()),
    )


def mean(values: Sequence[float]) -> float:
    """0 for no values."""
    return math.fsum(values) / max(1, len(values))


def _line(systems: Mapping[str, Outcome], repository: str) -> str:
    return ", ".join(
        f"{name} {mean(outcome.ndcg[repository]):.3f}" for name, outcome in systems.items()
    )
