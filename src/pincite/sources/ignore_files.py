"""Read ignore files: those of git, and `.pinciteignore`, which git does not read.

A `.pinciteignore` may be somebody else's, because a checkout can bring one. Its lines with `!`
include files that git ignores only if a person has trusted it.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Final

from pincite.model.left_out import code_of, detail_of
from pincite.support.capabilities import open_below
from pincite.support.fields import replace
from pincite.support.ignore_rules import IgnoreRules, parse_rules

OWN_IGNORE_FILE: Final = ".pinciteignore"
IGNORE_FILES: Final = (".gitignore", OWN_IGNORE_FILE)
MAX_IGNORE_BYTES: Final = 1_000_000  # of one file; a long one has 500 patterns
#: Estimated microseconds, on a slow machine: to compile the patterns of a walk, for a pattern, and
#: for a star or a class in it. A byte takes one. 5 s are 150,000 names or 110,000 suffixes.
_MOST_US: Final = 5_000_000
_PATTERN_US: Final = 20
_WILDCARD_US: Final = 12


def read_ignore_file(root: str, path: str) -> bytes | None:
    """Return the bytes of an ignore file below `root`; None for links, files of more than a
    megabyte, and files that cannot be read."""
    try:
        with os.fdopen(open_below(root, path), "rb") as opened:  # no link, as in git
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_IGNORE_BYTES:
                return None
            return opened.read(MAX_IGNORE_BYTES)
    except OSError:
        return None


def too_large(path: str, *, together: bool = False) -> str:
    """Return why the folder of an ignore file above the limit is left out. `together`: only with
    the ignore files of the source that come before it."""
    said = f"the ignore files up to {path} are together" if together else f"{path} is"
    size = f"above {MAX_IGNORE_BYTES:,} bytes"
    return (
        f"{said} {size}, so it is not known what it leaves out; shorten it, or exclude the folder"
    )


class TooManyPatterns(Exception):
    """The rules of a folder are not known, because compiling them would take too long. The message
    says what to do."""


class IgnoreReader:
    """Reads the ignore files of one walk. Their patterns together have a limit, because a checkout
    may have very many. Equal files count once."""

    def __init__(self) -> None:
        self._left_us = _MOST_US
        self._paid: set[bytes] = set()

    def read(self, root: str, path: str, folder: str) -> IgnoreRules | None:
        """Return what `read_rules` does. Raises TooManyPatterns above the limits."""
        raw = read_ignore_file(root, path)
        if raw is None:
            if _is_above_limit(root, path):
                raise TooManyPatterns(too_large(path))
            return None
        self._pay(raw, path)
        return rules_of(raw, str(Path(root, path)), _base(folder))

    def _pay(self, raw: bytes, path: str) -> None:
        known = blake2b(raw, digest_size=16).digest()
        if known in self._paid:
            return
        price_us = sum(map(_price_us, raw.split(b"\n")))
        if price_us > self._left_us:
            raise TooManyPatterns(
                f"the patterns up to {path} would take too long, so it is not known what it leaves"
                " out; shorten it, or exclude the folder"
            )
        self._left_us -= price_us
        self._paid.add(known)


def _price_us(line: bytes) -> int:
    if not line or line.startswith(b"#"):
        return 0
    wild = line.count(b"*") + line.count(b"[") + line.count(b"?")
    return _PATTERN_US + len(line) + _WILDCARD_US * wild


def _is_above_limit(root: str, path: str) -> bool:
    try:
        status = Path(root, path).lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > MAX_IGNORE_BYTES


def read_rules(root: str, path: str, folder: str) -> IgnoreRules | None:
    """Return the rules in the ignore file `path` of a folder, None without any. Both are relative
    to `root`."""
    raw = read_ignore_file(root, path)
    return None if raw is None else rules_of(raw, str(Path(root, path)), _base(folder))


def rules_of(raw: bytes, place: str, base: str) -> IgnoreRules | None:
    """Return the rules in the bytes of the ignore file `place`, None without any. They apply below
    `base`, a path that ends in a slash, "" for everything."""
    lines = lines_of(raw)
    rules = parse_rules(base, lines)
    if rules is None or os.path.basename(place) != OWN_IGNORE_FILE:  # noqa: PTH119
        return rules
    return replace(rules, of_git=False, untrusted="" if _is_trusted(place, raw, lines) else place)


def _base(folder: str) -> str:
    return f"{folder}/" if folder else ""


def lines_of(raw: bytes) -> list[str]:
    """Return the lines of an ignore file. A mark of the encoding is no part of the first one, as in
    git."""
    return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape").split("\n")


def including(lines: Iterable[str]) -> list[str]:
    """Return the lines that include files again: those that begin with `!`."""
    return [line for line in lines if line.startswith("!")]


def _is_trusted(place: str, raw: bytes, lines: Iterable[str]) -> bool:
    if not including(lines):
        return True
    from pincite.support.trusted_files import is_trusted_text  # late: few files have such lines

    return is_trusted_text(place, raw)


def read_exclude_file(file: Path) -> tuple[IgnoreRules, ...]:
    """Return the rules of git's `info/exclude`, which are relative to the root of the checkout."""
    found = read_rules(str(file.parent), file.name, "")
    return (found,) if found else ()


def how_to_trust(lines: Iterable[str]) -> str:
    """Return one line that says how to index files that git ignores and that an untrusted
    `.pinciteignore` includes, "" without any among these lines of left-out files."""
    found = next((detail_of(one) for one in lines if code_of(one) == "untrusted"), "")
    return (
        f"git ignores the untrusted files, and a {OWN_IGNORE_FILE} includes them; to index them,"
        f" read it, then: {found}"
    ) * bool(found)
