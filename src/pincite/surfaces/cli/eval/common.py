"""Shared by the commands of `pincite eval`: options, and the configuration under test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pincite.surfaces.cli.options import index_option, preset_option, tag_option, with_options
from pincite.surfaces.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pincite.engine import AsyncPincite
    from pincite.evals.golden.questions import GoldenSet
    from pincite.evals.run.results import Run
    from pincite.evals.run.runner import Subject
    from pincite.model import Scope
    from pincite.profile import Profile

R = TypeVar("R")
FILE = click.Path(path_type=Path, dir_okay=False)
golden_argument = click.argument("golden", type=FILE)
out_option = click.option("-o", "--out", type=FILE, help="Write to this file.")
measure_option = click.option(
    "-m", "--measure", multiple=True, help="Measures as in ir-measures: nDCG@10, R@50, RR, AP ..."
)
collections_option = click.option(
    "-c", "--collection", multiple=True, help="Only these collections."
)
_TRIED = (
    preset_option,
    click.option(
        "--set",
        "values",
        multiple=True,
        metavar="FIELD=VALUE",
        help="Override a value of the profile.",
    ),
    collections_option,
    tag_option,
    index_option,
)


@dataclass(frozen=True, slots=True)
class Tried:
    """A configuration under test: a preset (by default the effective profile) with changed values,
    for collections of an index, restricted to tags."""

    preset: str | None
    values: tuple[str, ...]
    collections: tuple[str, ...]
    tags: tuple[str, ...]
    index: Path | None


def tried_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of the configuration under test to a command, as one argument `tried`."""

    @wraps(command)
    def taking(
        *,
        preset: str | None,
        values: tuple[str, ...],
        collection: tuple[str, ...],
        tags: tuple[str, ...],
        index: Path | None,
        **others: Any,
    ) -> R:
        return command(tried=Tried(preset, values, collection, tags, index), **others)

    return with_options(*_TRIED)(taking)


async def take_run(engine: AsyncPincite, golden: Path, label: str | None, tried: Tried) -> Run:
    """Run the golden set with the configuration under test."""
    from pincite.evals.run.runner import preset_in_use, run_golden

    questions = read_questions(golden)
    profile = profile_of(engine, tried)
    name = label or " ".join((tried.preset or preset_in_use(engine.settings), *tried.values))
    subject = await open_tried(engine, questions, tried)
    with progress_line("asking") as told:
        return await run_golden(subject, questions, profile, name, told)


async def open_tried(engine: AsyncPincite, questions: GoldenSet, tried: Tried) -> Subject:
    """Return the subject of the measurement; warn if expected items are not indexed."""
    from pincite.evals.golden.targets import not_indexed
    from pincite.evals.run.runner import open_subject

    subject = await open_subject(engine, questions, scope_of(tried.collections, tried.tags))
    lost = not_indexed(subject.targets)
    if lost:
        say(f"warning: not_indexed: {lost}")
    return subject


def require_replaceable(out: Path | None, is_earlier: Callable[[str], bool], what: str) -> None:
    """Raise UsageError for an existing file that is not an earlier `what` (a run, a report): it may
    be a golden set, whose judgements would be lost. An empty file may be replaced."""
    from pincite.errors import UsageError

    if out is None or not out.is_file():
        return
    try:
        text = out.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        text = "?"
    if text.strip() and not is_earlier(text):
        raise UsageError(
            f"{out} already exists and is not a {what}",
            hint="choose another file with -o, or remove this one first",
        )


def read_questions(golden: Path) -> GoldenSet:
    """Read the golden set."""
    from pincite.evals.golden.questions import read_golden

    return read_golden(golden)


def profile_of(engine: AsyncPincite, tried: Tried) -> Profile:
    """Return the profile under test. Raises ConfigError, UsageError."""
    from pincite.errors import UsageError
    from pincite.evals.run.runner import measured_profile
    from pincite.evals.sweep.points import parse_values, with_values

    base = measured_profile(engine.settings, tried.preset)
    chosen: dict[str, Any] = {}
    for name, given in parse_values(tried.values).items():
        if not isinstance(given, tuple) or len(given) != 1:
            raise UsageError(f"--set {name} takes one value; to try several: pincite eval sweep")
        chosen[name] = given[0]
    return with_values(base, chosen)


def scope_of(collections: tuple[str, ...], tags: tuple[str, ...]) -> Scope:
    """Return a scope of these collections (all if none is named) and tags."""
    from pincite.asking import tags_of_texts
    from pincite.model import Scope

    return Scope(collections=collections, tags=tags_of_texts(tags))


@contextmanager
def progress_line(words: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to report progress, which takes the number done and the total."""
    from pincite.surfaces.cli.progress import CountLine

    line = CountLine(sys.stderr, words)
    try:
        yield line.count
    finally:
        line.done()
