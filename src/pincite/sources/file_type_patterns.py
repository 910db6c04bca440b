"""Check patterns that give types to files, combine them with those of earlier runs, and suggest one
for files of unknown types."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from typing import TYPE_CHECKING, Final

from pincite.errors import UsageError
from pincite.model.left_out import code_of, path_of
from pincite.readers.extraction.extractors import EXTRACTORS
from pincite.readers.given_types import GIVEN_TYPES, similar_suffixes
from pincite.readers.languages import language_called
from pincite.sources.kinds import DOCUMENT_SUFFIXES, suffix_of
from pincite.support.ignore_rules import parse_rules
from pincite.support.terminal import hidden_in, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_EXAMPLE: Final = "'*.tmpl=html'"
_SPECIAL = re.compile(r"[\\*?\[\]]")
_EVERY: Final = "matches every file, also those whose type is known"
_NAMES: Final = ("wombat.md", "kiwi.json", "dingo.py", "emu.b.qjz")
#: Groups of names that have little in common: a pattern that matches all of one is for every file.
_PROBES: Final = tuple(
    tuple(f"{folder}{name}" for name in names for folder in folders)
    for names in (_NAMES, tuple(map(str.upper, _NAMES)), tuple(map(str.title, _NAMES)))
    for folders in (("",), ("lynx/", "a.gnu/"))
)
_MOST_CHARS = 60  # of a suggested pattern


def file_type_text(pattern: str, name: str) -> str:
    """Return a pattern and a type in the form in which a source stores them, `PATTERN=LANGUAGE`.
    `name` may be another name of the language, or a suffix of its files. Raises UsageError for a
    pattern that cannot be used, and for an unknown type."""
    pattern, name = pattern.strip(), name.strip()
    if problem := _problem(pattern):
        raise UsageError(
            f"file type pattern {shown(pattern)} {problem}",
            hint=f"give each pattern the syntax of .gitignore, such as {_EXAMPLE}",
        )
    language = language_called(name)
    if language not in GIVEN_TYPES:
        known = ", ".join(sorted(GIVEN_TYPES))
        said = "cannot be given" if language else "is unknown"
        raise UsageError(
            f"file type {shown(name)} of {shown(pattern)} {said}", hint=f"one of: {known}"
        )
    return f"{pattern}={language}"


def checked_file_types(texts: Iterable[str]) -> tuple[str, ...]:
    """Return `PATTERN=TYPE` options in the form of `with_file_types`. An empty text and an empty
    type are kept. Raises UsageError as `file_type_text` does, and for a text without `=`."""
    found = []
    for text in texts:
        pattern, equals, name = text.rpartition("=")
        if text.strip() and not equals:
            raise UsageError(
                f"file type {shown(text)} lacks a pattern or a type",
                hint=f"PATTERN=TYPE, such as {_EXAMPLE}; PATTERN= removes one",
            )
        if not text.strip() or (pattern.strip() and not name.strip()):
            found.append(f"{pattern.strip()}=" if pattern.strip() else "")
        else:
            found.append(file_type_text(pattern, name))
    return tuple(found)


def with_file_types(kept: Iterable[str], given: Iterable[str]) -> tuple[str, ...]:
    """Return the kept types of a source with the given ones after them. A pattern that is given
    again replaces its former type; `PATTERN=` removes it, and an empty text all before it."""
    found: dict[str, str] = {}
    for text in (*kept, *given):
        pattern, _, language = text.rpartition("=")
        found.pop(pattern, None)
        if not text:
            found.clear()
        elif language:
            found[pattern] = language
    return tuple(f"{pattern}={language}" for pattern, language in found.items())


def suggested_pattern(lines: Iterable[str]) -> str:
    """Return a pattern, quoted for a shell and with a type, for the most frequent kind of text
    files among these lines of left-out files. "" if there are none. Files of a git directory
    (`HEAD`, `refs/heads/main`) do not count."""
    paths = [path_of(one) for one in lines if code_of(one) == "unsupported"]
    of_git = _git_folders(paths)
    names = [one.rpartition("/")[2] for one in paths if not f"/{one}".startswith(of_git)]
    texts = [name for name in names if suffix_of(name) not in DOCUMENT_SUFFIXES]
    counts = Counter(name.rpartition(".")[2] if suffix_of(name) else f"/{name}" for name in texts)
    for kind, _ in counts.most_common():
        plain = _SPECIAL.sub(r"\\\g<0>", kind.removeprefix("/"))
        pattern = plain if kind.startswith("/") else f"*.{plain}"
        if len(pattern) <= _MOST_CHARS and not _problem(pattern):
            return shlex.quote(f"{pattern}=text")
    return ""


def _git_folders(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the folders with `HEAD` and `config`, as `/path/to/folder/`."""
    there = {f"/{one}" for one in paths}
    folders = (one.removesuffix("HEAD") for one in there if one.endswith("/HEAD"))
    return tuple(sorted(one for one in folders if f"{one}config" in there))


def how_to_include(lines: Iterable[str]) -> str:
    """Return one line that says how to index left-out files of unknown types, "" without any."""
    found = suggested_pattern(lines)
    return f"to index files of unknown types: pincite index PATH --file-type {found}" * bool(found)


def shown(text: str) -> str:
    """Return a text in quotation marks, on one line, with at most 60 characters."""
    said = one_line(text)
    return f"'{said[:_MOST_CHARS]}{'...' * (len(said) > _MOST_CHARS)}'"


def _problem(pattern: str) -> str:
    """Return what is wrong with a pattern, "" if nothing is."""
    if not pattern:
        return "is empty"
    if hidden := hidden_in(pattern):
        return f"contains {hidden}"
    if pattern.startswith("!"):
        return "begins with '!': of several patterns that match, the last one decides"
    if not pattern.strip("*/?"):
        return _EVERY
    rules = parse_rules("", [pattern])
    if rules is None:
        return "matches nothing"
    matches = rules.covers if pattern.endswith("/") else rules.verdict
    if any(all(map(matches, names)) for names in _PROBES):
        return _EVERY
    suffix = _only_suffix(pattern)
    if suffix in EXTRACTORS:
        return f"is for .{suffix} files, whose text is extracted"
    return ""


def _only_suffix(pattern: str) -> str:
    """Return the suffix of a pattern. If it is written with classes, return the suffix of an
    extracted format that it matches, unless it also matches similar ones."""
    written, name = suffix_of(pattern), pattern.rpartition("/")[2]
    rules = parse_rules("", [name]) if "[" in name else None
    if rules is None:
        return written
    for suffix in sorted(EXTRACTORS):
        if any(rules.verdict(f"kiwi.{one}") for one in (suffix, suffix.upper())) and not any(
            rules.verdict(f"kiwi.{one}") for one in similar_suffixes(suffix)
        ):
            return suffix
    return written
