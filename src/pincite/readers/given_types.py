"""Types of files that a user has given by patterns, before those that names and content tell."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pincite.readers.extraction.extractors import EXTRACTORS, extracted_suffix
from pincite.readers.languages import BY_NAME, BY_SUFFIX, FileType, file_type, is_dot_t, is_header
from pincite.readers.transcripts import is_lines
from pincite.support.ignore_rules import IgnoreRules, parse_rules

if TYPE_CHECKING:
    from pincite.model import Source

#: A pattern, whether it is for all files of a folder, and its type.
_Given = tuple[IgnoreRules, bool, FileType]

_EXTRACTED = {BY_SUFFIX[suffix].language for suffix in EXTRACTORS}
#: The types that a pattern can give, by language. Formats whose text is extracted are not among
#: them. A language with files of several types has the first one.
GIVEN_TYPES = {
    found.language: found
    for found in reversed((*BY_SUFFIX.values(), *BY_NAME.values()))
    if found.language not in _EXTRACTED
}


def given_type(source: Source, path: str) -> FileType | None:
    """Return the type that a pattern of the source gives to this file, None if no pattern matches.
    The last one that matches decides. Files whose text is extracted keep their own type."""
    if not source.file_types or extracted_suffix(path):
        return None
    for rules, whole_folder, found in _compiled(source.file_types):
        if rules.covers(path) if whole_folder else rules.verdict(path):
            return found
    return None


def type_of(source: Source, path: str, head: bytes = b"") -> FileType | None:
    """Return the type of a file of the source: the given one, else as `file_type`."""
    return given_type(source, path) or file_type(path, head)


def names_suffix(file_types: tuple[str, ...], path: str) -> bool:
    """Return whether one of the `PATTERN=TYPE` texts matches this file because of its suffix, as
    `*.dat=text` does for `a.dat`. `data/` and `*.d*` also match files with similar suffixes."""
    if not file_types:
        return False
    stem, dot, suffix = path.rpartition(".")
    similar = [f"{stem}{dot}{one}" for one in similar_suffixes(suffix)]
    return any(
        not whole_folder and rules.verdict(path) and not any(map(rules.verdict, similar))
        for rules, whole_folder, _ in _compiled(file_types)
    )


def similar_suffixes(suffix: str) -> tuple[str, ...]:
    """Return the suffixes that differ from this one in one letter, or have one more."""
    changed = (f"{suffix[:n]}q{suffix[n + 1 :]}" for n in range(len(suffix)))
    return (f"{suffix}q", *(one for one in changed if one != suffix))


def type_mark(source: Source, path: str) -> str:
    """Return words for a given type, "" if the file would be read in the same way without it."""
    given = given_type(source, path)
    if given is None:
        return ""
    by_content = is_header(path) or is_dot_t(path) or is_lines(path)
    if given == file_type(path) and not by_content:
        return ""
    return f"type {given.source_type} {given.language}"


@lru_cache(maxsize=64)
def _compiled(file_types: tuple[str, ...]) -> tuple[_Given, ...]:
    """Return the patterns in the order in which they decide, the last one first. An unknown type,
    as a later version may have stored it, matches nothing."""
    found = []
    for text in reversed(file_types):
        pattern, _, language = text.rpartition("=")
        rules, kind = parse_rules("", [pattern]), GIVEN_TYPES.get(language)
        if rules is not None and kind is not None:
            found.append((rules, pattern.endswith("/"), kind))
    return tuple(found)
