"""What all programs share: options, what was skipped, the machine, and the file of results."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from pincite.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results"

_PACKAGES = ("qdrant-edge-py", "onnxruntime", "tokenizers", "numpy", "msgspec", "ir-measures")


class SkippedError(Exception):
    """A subject cannot be measured here. The message says what is missing and how to get it."""


@dataclass(frozen=True, slots=True)
class Options:
    """Where things are, and how much is measured.

    `quick` takes subsets, for a smoke test: such figures mean nothing. `torch` is a Python that
    has `sentence-transformers`, `semble` one that has semble, `frameworks` one that has the keyword
    retrievers of LlamaIndex and LangChain, `llama` one that has the server of llama-cpp-python,
    which is given the weights `gguf`; `qmd` is a command; `wheel` is the golden set's wheel, else
    it is downloaded. `trees` has checkouts named `OWNER+NAME`, which `hybrid` encodes too. `chunks`
    (0: as many as the subject takes by itself) and `phases` (empty: those that are not there yet)
    are for the subjects on stores.
    """

    data: Path
    golden: Path
    cache: Path
    models: Path
    wheel: Path | None = None
    torch: Path | None = None
    semble: Path | None = None
    quick: bool = False
    chunks: int = 0
    phases: tuple[str, ...] = ()
    documents: Path | None = None
    qmd: Path | None = None
    llama: Path | None = None
    gguf: Path | None = None
    frameworks: Path | None = None
    trees: Path | None = None
    hybrid: bool = False

    def folder(self, name: str, layout: str) -> Path:
        """A folder of the data. Raises SkippedError that names it and its layout."""
        return require(self.data / name, layout)


def require(place: Path, layout: str) -> Path:
    """The place itself. Raises SkippedError if it is not there."""
    if not place.exists():
        raise SkippedError(f"{place} is missing ({layout}); set --data or --golden")
    return place


@dataclass(frozen=True, slots=True)
class Machine:
    """What the figures were taken on."""

    cores: int
    memory_gb: float
    cpu: str
    system: str
    python: str
    packages: dict[str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One subject's figures, or why there are none. `figures` is the subject's own dataclass."""

    date: str
    commit: str
    pincite: str
    quick: bool
    duration_s: float
    machine: Machine
    load: float
    skipped: str = ""
    figures: Any = None


@dataclass(slots=True)
class Results:
    """All subjects by name."""

    subjects: dict[str, Entry] = field(default_factory=dict)


def describe_machine() -> Machine:
    """Cores, memory, processor, system, Python and the packages that matter."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            packages[name] = "none"
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        memory_gb=round(pages / 1e9, 1),
        cpu=_cpu(),
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        packages=packages,
    )


def _cpu() -> str:
    """The model's name, and the instructions that decide how fast int8 is."""
    fields: dict[str, str] = {}
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            fields.setdefault(key.strip(), value.strip())
    except OSError:
        return platform.machine()
    flags = fields.get("flags", "").split()
    wanted = [flag for flag in ("avx2", "avx512_vnni", "avx_vnni", "amx_int8") if flag in flags]
    return f"{fields.get('model name', platform.machine())} ({', '.join(wanted) or 'no avx2'})"


def commit() -> str:
    """The checkout's commit, with a `+` where files differ from it."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--", "src") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def entry(quick: bool, duration_s: float, figures: object, skipped: str = "") -> Entry:
    """An entry for now and here."""
    return Entry(
        date=datetime.now(UTC).date().isoformat(),
        commit=commit(),
        pincite=VERSION,
        quick=quick,
        duration_s=round(duration_s, 1),
        machine=describe_machine(),
        load=round(os.getloadavg()[0], 1),
        skipped=skipped,
        figures=figures,
    )


def load_results(path: Path) -> Results:
    """The results in a file; none where there is no file."""
    if not path.exists():
        return Results()
    return msgspec.json.decode(path.read_bytes(), type=Results)


def save_results(path: Path, results: Results) -> None:
    """Write the file, indented, subjects by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ordered = Results(dict(sorted(results.subjects.items())))
    path.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=1) + b"\n")


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock, and of the processor in all threads of the process."""

    wall_s: float
    cpu_s: float


class Clock:
    """Wall and processor seconds since it was made."""

    def __init__(self) -> None:
        self._wall_s, self._cpu_s = time.perf_counter(), time.process_time()

    def cost(self) -> Cost:
        """Until now, all threads of this process."""
        return Cost(
            round(time.perf_counter() - self._wall_s, 2),
            round(time.process_time() - self._cpu_s, 2),
        )
