"""The patterns of a source, which are kept for its next runs until others are given."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from pincite.errors import SourceError
from pincite.model import Notice, SourceRecord
from pincite.model.left_out import lies_in, outer_parts
from pincite.settings.sections.sources import SourceConfig, configured_at
from pincite.sources import OpenSource, Selection
from pincite.sources.file_type_patterns import with_file_types
from pincite.sources.reopening import selection_of
from pincite.support.ignore_rules import parse_rules

_ANY_FILE: Final = "\x7f"  # a file name that only patterns for all names match
_SPECIAL = re.compile(r"[\\*?\[\]]")


def kept_patterns(records: Iterable[SourceRecord], name: str | None) -> Selection:
    """Return the patterns with which the source of this name was last indexed, none if unknown."""
    named = (one for one in records if one.source.name == name)
    return next(map(selection_of, named), Selection())


def with_kept(given: Selection, kept: Selection) -> Selection:
    """Return the given patterns; for `include` and `exclude`, if none are given, those kept from
    the last run. A single empty pattern removes the kept ones. Given file types are added to the
    kept ones (`with_file_types`)."""
    return Selection(
        include=tuple(one for one in given.include or kept.include if one),
        exclude=tuple(one for one in given.exclude or kept.exclude if one),
        file_types=with_file_types(kept.file_types, given.file_types),
    )


def check_part(
    source: OpenSource,
    place: Path,
    given: Selection,
    kept: Selection,
    on_notice: Callable[[Notice], None],
) -> None:
    """Raise SourceError for a part of a source that its kept patterns leave out, with a hint that
    keeps all other patterns. For a folder, send a notice with the patterns that limit it."""
    name, part = source.source.name, source.within
    exclude = () if given.exclude else kept.exclude
    if _covers(exclude, part):
        by = [one for one in exclude if _covers((one,), part)]
        raise SourceError(
            f"{place} is excluded by a pattern of the source {name}: {', '.join(by)}",
            hint=_command(place, "--exclude", [one for one in exclude if one not in by]),
        )
    include = () if given.include else kept.include
    is_folder = part.endswith("/")
    if not parse_rules("", include) or _covers(include, part + _ANY_FILE * is_folder):
        return
    patterns = ", ".join(include)
    fix = _command(place, "--include", [*include, "/" + _escaped(part)])
    if not is_folder:
        raise SourceError(f"{place} does not match the patterns of {name}: {patterns}", hint=fix)
    said = f"only files of {name} that match {patterns} are indexed, as before"
    on_notice(Notice("include_kept", f"{said}; for all: {fix}"))


def outdated_parts(
    opened: Sequence[tuple[OpenSource, Selection]],
    records: Iterable[SourceRecord],
    configured: Sequence[SourceConfig],
) -> list[Notice]:
    """Return a notice for each source whose patterns or file types this run changes while it does
    not open all of its parts: the other parts are as before until they are indexed again. Patterns
    for what lies in an opened part do not count, nor do parts with a table in the configuration:
    a run over those reads the table again and forgets the options of this run."""
    found = []
    for record in records:
        name = record.source.name
        ours = [one for one in opened if one[0].source.name == name]
        parts = [source.within for source, _ in ours]
        left = [
            part
            for part in outer_parts(record.within)
            if not any(lies_in(part, one) for one in parts)
            and configured_at(Path(record.source.location, part).resolve(), configured) is None
        ]
        if not ours or not left or ours[0][0].source.location != record.source.location:
            continue
        before = selection_of(record)
        types = {one.source.file_types for one, _ in ours} != {before.file_types}
        within = tuple("/" + _escaped(one) for one in parts)
        if types or any(
            not text.startswith(within)
            for _, now in ours
            for one, other in ((now.include, before.include), (now.exclude, before.exclude))
            for text in {*one} ^ {*other}
        ):
            what = "file types" if types else "patterns"
            text = f"the {what} of {name} have changed, and its other files are as before"
            places = [str(Path(record.source.location, part)) for part in left]
            again = shlex.join(["pincite", "index", *places])
            found.append(Notice("part_only", f"{text} until they are indexed: {again}"))
    return found


def _escaped(path: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", path)


def _covers(patterns: Sequence[str], path: str) -> bool:
    rules = parse_rules("", patterns)
    return rules is not None and rules.covers(path)


def _command(place: Path, option: str, patterns: Sequence[str]) -> str:
    """Return the command that indexes a place with only these patterns."""
    words = [word for one in patterns or ("",) for word in (option, one)]
    return shlex.join(["pincite", "index", str(place), *words])
