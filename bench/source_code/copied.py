"""Text that is copied from code: a message, a line, a flag, as people paste them from a terminal.

Of each Python package that is installed here, and of each repository of `code-search-dev`, up to 60
of three kinds are drawn: the text of a string literal with four words or more, a line of code of 30
to 100 characters, and a flag (`--name`) in quotes. Each stands in one place of the code. They are
asked as they are, by words and, where there are at most 600,000 bytes of code, with the bundled
model; one index for each package or repository.

- first, shown: the share of those whose line is in the first result, or in one of five.
- without: the same without the weight of copied text in the ranking of code.

`code-search-dev` is in `--data`; without it, only the packages are asked.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from bench.frame import Options, SkippedError
from bench.product import open_product, temporary_folder
from bench.source_code.code_search import chosen
from bench.source_code.symbols import PACKAGES, folder_of
from pincite.engine import AsyncPincite
from pincite.ingestion.options import IndexOptions
from pincite.model import Evidence
from pincite.readers import file_type
from pincite.support.fields import replace

KINDS: Final = ("message", "line", "flag")
_EACH: Final = 60
_SEED: Final = 11
_SHOWN: Final = 5
_LONGEST_FILE: Final = 400_000
_MOST_ENCODED: Final = 600_000  # bytes; encoding a megabyte takes a minute
_LITERAL: Final = re.compile(r'"([^"\\\n{}%$]{20,120})"')
_FLAG: Final = re.compile(r"""["'](--[a-z][a-z-]{2,30})["']""")
_COMMENT: Final = ("#", "//", "/*", "*", "--", ";", '"""')


class Copy(NamedTuple):
    """A text that one place of the code has: its file and the number of its line."""

    text: str
    path: str
    line: int


@dataclass(slots=True)
class Found:
    """Counts for one kind of text."""

    asked: int = 0
    first: int = 0
    shown: int = 0


@dataclass(frozen=True, slots=True)
class CopiedFigures:
    """By way of searching, place and kind: `shipped`, and `without` the weight of copied text."""

    shipped: dict[str, dict[str, dict[str, Found]]] = field(default_factory=dict)
    without: dict[str, dict[str, dict[str, Found]]] = field(default_factory=dict)


async def run(options: Options) -> CopiedFigures:
    """Measure packages and repositories. Raises SkippedError if there are none."""
    figures = CopiedFigures()
    with temporary_folder() as work:
        places = {"packages": {one: root for one in PACKAGES if (root := folder_of(one))}}
        try:
            repositories = chosen(options, work / "repositories")
            places["repositories"] = {one.name: one.root for one in repositories}
        except SkippedError as missing:
            print(f"  {missing}", flush=True)
        if not any(places.values()):
            raise SkippedError("neither packages nor repositories are there")
        for place, roots in places.items():
            for name, root in list(roots.items())[: 1 if options.quick else None]:
                await _measure(place, name, root, work, options, figures)
    return figures


async def _measure(
    place: str, name: str, root: Path, work: Path, options: Options, figures: CopiedFigures
) -> None:
    copies = draw(texts_of(root), 5 if options.quick else _EACH)
    size = sum(len(line) + 1 for *_, line in _lines(root))
    ways = {"keywords only": True, "with the model": False}
    for way, lexical in list(ways.items())[: 2 if size <= _MOST_ENCODED else 1]:
        async with open_product(work / way / name, options) as engine:
            await engine.index([root], options=IndexOptions(lexical=lexical, name=name))
            for into, weight in ((figures.shipped, None), (figures.without, 0.0)):
                counts = into.setdefault(way, {}).setdefault(place, {})
                await _ask(engine, copies, counts, weight)
    print(f"  {name}: {sum(map(len, copies.values()))} texts", flush=True)


async def _ask(
    engine: AsyncPincite,
    copies: Mapping[str, Sequence[Copy]],
    counts: dict[str, Found],
    weight: float | None,
) -> None:
    profile = engine.settings.profile.showing(_SHOWN)
    if weight is not None:
        profile = replace(profile, rank_code=replace(profile.rank_code, copied=weight))
    for kind, some in copies.items():
        found = counts.setdefault(kind, Found())
        for one in some:
            pack = await engine.search(one.text, profile=profile)
            hits = [_has(item, one) for item in pack.evidence]
            found.asked += 1
            found.first += hits[:1] == [True]
            found.shown += any(hits)


def _has(item: Evidence, copy: Copy) -> bool:
    """Does the result show the line?"""
    shown = item.context or item
    return item.path.endswith(copy.path) and shown.start_line <= copy.line <= shown.end_line


def texts_of(root: Path) -> dict[str, list[Copy]]:
    """All texts of each kind that stand in one line of one file of code."""
    lines = list(_lines(root))
    often = Counter(stripped for *_, line in lines if (stripped := line.strip()))
    found: dict[str, list[Copy]] = {kind: [] for kind in KINDS}
    for path, number, line in lines:
        stripped = line.strip()
        if often[stripped] == 1 and 30 <= len(stripped) <= 100 and _is_code(stripped):
            found["line"].append(Copy(stripped, path, number))
        for text in _LITERAL.findall(line):
            if len(text.split()) >= 4:
                found["message"].append(Copy(text, path, number))
        found["flag"] += [Copy(text, path, number) for text in _FLAG.findall(line)]
    for kind in ("message", "flag"):
        times = Counter(one.text for one in found[kind])
        found[kind] = [one for one in found[kind] if times[one.text] == 1]
    return found


def _lines(root: Path) -> Iterator[tuple[str, int, str]]:
    for file in sorted(root.rglob("*")):
        kind = file_type(file.name)
        is_code = kind is not None and kind.source_type == "code" and file.is_file()
        if not is_code or file.is_symlink() or file.stat().st_size > _LONGEST_FILE:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        path = file.relative_to(root).as_posix()
        for number, line in enumerate(text.split("\n"), start=1):
            yield path, number, line


def _is_code(line: str) -> bool:
    return not line.startswith(_COMMENT) and re.search(r"[=(].*\w", line) is not None


def draw(texts: Mapping[str, Sequence[Copy]], most: int) -> dict[str, list[Copy]]:
    """Draw texts of each kind, the same ones each time."""
    dice = random.Random(_SEED)
    return {kind: dice.sample(some, min(most, len(some))) for kind, some in texts.items()}
