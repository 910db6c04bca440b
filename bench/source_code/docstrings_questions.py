"""Packages without their documentation, and questions from what the documentation said.

`docstrings_packages.json` names the archives with their hashes. Of each package, the first
sentences of docstrings and doc comments are questions, and names that one file alone defines. Both
are drawn by a fixed seed, in turn by kind: modules, classes and functions; names of one word and of
several. A sentence has 4 to 30 words, describes definitions of one file only, and stands nowhere
else in the package. Tests and examples give no question; they are searched. Pages of documentation
are left out, but for the files beside the code's folder (README, CHANGELOG): they answer such
questions as well as the code does, and only the code is known to be relevant.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Final

import msgspec

from bench.answering.reading_corpora import Archive, Project, fetch
from bench.source_code.code_search import Query, Repository
from bench.source_code.doc_comments import LANGUAGES, Undocumented, undocumented
from pincite.readers.languages import file_type

PACKAGES: Final = Path(__file__).with_name("docstrings_packages.json")
SENTENCES: Final = ("module", "class", "function")
NAMES: Final = ("one word", "several words")
_SEED: Final = 17
_SENTENCES: Final = 15
_NAMES: Final = 10
_WORDS: Final = range(4, 31)
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,}")
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_NO_ANSWER: Final = re.compile(
    r"(?:^|/)(?:tests?|docs?|examples?|demos|benchmarks?|tutorial|_support)/"
    r"|(?:^|/)(?:test_[^/]*|conftest|setup|noxfile)\.py\Z",
    re.I,
)
_NO_QUESTION: Final = re.compile(r"copyright|licen[sc]e|https?:|eslint|\A\W|@[a-z]", re.I)


@dataclass(frozen=True, slots=True)
class Package:
    """An archive, the language of most of its files, and whether it is also measured with the
    bundled model, which takes minutes for a megabyte."""

    name: str
    language: str
    model: bool
    archive: Archive


@dataclass(frozen=True, slots=True)
class Prepared:
    """A package as it is indexed; `dropped` files could not be parsed."""

    repository: Repository
    files: int
    dropped: int


def read_packages(path: Path = PACKAGES) -> list[Package]:
    """The packages."""
    return msgspec.json.decode(path.read_bytes(), type=list[Package])


def prepare(package: Package, cache: Path, place: Path) -> Prepared:
    """Download the package, write it to `place` without documentation, and draw its questions.
    Raises SkippedError."""
    shutil.rmtree(place / package.name, ignore_errors=True)
    root = fetch(Project((package.archive,)), package.name, cache, place)
    known: dict[str, Undocumented] = {}
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    dropped = 0
    for path in paths:
        kind = file_type(path.name)
        if kind is not None and kind.source_type == "docs" and path.parent != root:
            path.unlink()
        if kind is None or kind.language not in ("python", *LANGUAGES):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found = undocumented(text, kind.language)
        if found is None:
            path.unlink()
            dropped += 1
            continue
        path.write_text(found.text, encoding="utf-8")
        known[path.relative_to(root).as_posix()] = found
    left = " ".join(_words(path.read_bytes()) for path in paths if path.exists())
    queries = tuple(choose(package.name, known, left))
    repository = Repository(package.name, package.language, root, queries)
    files = sum(path.exists() for path in paths)
    return Prepared(repository, files, dropped)


def choose(name: str, files: Mapping[str, Undocumented], left: str) -> list[Query]:
    """Draw the questions of a package; `left` has the words of all that is indexed."""
    drawn = random.Random(f"{_SEED} {name}")
    return [
        *islice(_in_turn(drawn, _sentences(files, left), SENTENCES), _SENTENCES),
        *islice(_in_turn(drawn, _names(files), NAMES), _NAMES),
    ]


def _in_turn(
    drawn: random.Random, queries: Iterable[Query], kinds: Iterable[str]
) -> Iterator[Query]:
    by_kind: dict[str, list[Query]] = {kind: [] for kind in kinds}
    for query in queries:
        by_kind[query.category].append(query)
    for some in by_kind.values():
        drawn.shuffle(some)
    for turn in zip_longest(*by_kind.values()):
        yield from (query for query in turn if query is not None)


def _sentences(files: Mapping[str, Undocumented], left: str) -> list[Query]:
    places: dict[str, set[str]] = {}
    found: dict[str, Query] = {}
    for path, file in sorted(files.items()):
        for one in file.said:
            words = _words(one.sentence.encode())
            places.setdefault(words, set()).add(path)
            found.setdefault(words, Query(one.sentence, (path,), one.kind))
    return [
        query
        for words, query in found.items()
        if len(places[words]) == 1
        and not _NO_ANSWER.search(query.targets[0])
        and len(words.split()) in _WORDS
        and not _NO_QUESTION.search(query.text)
        and f" {words} " not in f" {left} "
    ]


def _names(files: Mapping[str, Undocumented]) -> list[Query]:
    counts = Counter(name for file in files.values() for name in set(file.defined))
    return [
        Query(name, (path,), NAMES[len(_PART.findall(name)) > 1])
        for path, file in sorted(files.items())
        if not _NO_ANSWER.search(path)
        for name in sorted(set(file.defined))
        if counts[name] == 1 and _NAME.fullmatch(name)
    ]


def _words(raw: bytes) -> str:
    return " ".join(re.findall(r"[^\W_]+", raw.decode("utf-8", "replace").lower()))
