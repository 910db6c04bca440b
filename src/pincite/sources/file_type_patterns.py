"""Check patterns that give types to files, combine them with those of earlier runs, and suggest one
for files of unknown types."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from itertools import product
from math import prod
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from pincite.errors import UsageError
from pincite.model.left_out import code_of, path_of
from pincite.readers.extraction.extractors import EXTRACTORS
from pincite.readers.given_types import GIVEN_TYPES
from pincite.readers.languages import language_called
from pincite.sources.kinds import DOCUMENT_SUFFIXES, suffix_of
from pincite.support.ignore_rules import parse_rules, translate
from pincite.support.terminal import hidden_in, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_EXAMPLE: Final = "'*.tmpl=html'"
_SPECIAL = re.compile(r"[\\*?\[\]]")
_EVERY: Final = "matches every file, also those whose type is known"
_NEARLY: Final = "matches nearly every file, also those whose type is known"
#: Names at the top and in folders, one for each letter: no two in a group share a letter.
_PROBES: Final = tuple(
    tuple(
        f"{folder and letter * 2}{folder}{letter * (1 + at % 4)}.{letter * (1 + at % 3)}"
        for at, letter in enumerate(ascii_lowercase)
    )
    for folder in ("", "/")
)
#: guess, unmeasured: a pattern that leaves out two letters, such as `[!x]*`, is no choice of files
_NEARLY_ALL: Final = 24
_TOKEN = re.compile(r"\\.|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|.", re.DOTALL)
_DOTS: Final = frozenset({".", r"\.", "[.]"})
_EXTRACTED: Final = frozenset(EXTRACTORS)
_ASCII: Final = tuple(chr(code) for code in range(1, 128))
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
    if any(sum(map(bool, map(matches, names))) >= _NEARLY_ALL for names in _PROBES):
        return _NEARLY
    if suffix := _only_suffix(pattern):
        return f"is for .{suffix} files, whose text is extracted"
    return ""


def _only_suffix(pattern: str) -> str:
    """Return a suffix that the pattern matches, in lower case, if it matches only suffixes of
    extracted formats; "" otherwise. Stars in the suffix match others, too."""
    tokens = _TOKEN.findall(pattern.rpartition("/")[2])
    dots = [at for at, token in enumerate(tokens) if token in _DOTS and at]
    ends = [_characters_of(token) for token in tokens[dots[-1] + 1 :]] if dots else []
    if not ends or prod(map(len, ends)) not in range(1, len(_EXTRACTED) + 1):
        return ""
    found = sorted(map("".join, product(*ends)))
    return found[0] if _EXTRACTED.issuperset(found) else ""


def _characters_of(token: str) -> set[str]:
    """Return the ASCII characters, in lower case, that a part of a pattern matches; all of them for
    a star."""
    if token[0] not in "[?*":
        return {token[-1].lower()}
    found = translate(token)
    expression = re.compile(found.expression if found else "", re.DOTALL)
    return {one.lower() for one in _ASCII if expression.fullmatch(one)}
