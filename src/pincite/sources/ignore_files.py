"""Read ignore files: those of git, and `.pinciteignore`, which git does not read.

A `.pinciteignore` may be somebody else's, because a checkout can bring one. Its lines with `!`
include files that git ignores only if a person has trusted it.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pincite.model.left_out import code_of, detail_of
from pincite.support.capabilities import open_below
from pincite.support.fields import replace
from pincite.support.ignore_rules import IgnoreRules, parse_rules

OWN_IGNORE_FILE: Final = ".pinciteignore"
IGNORE_FILES: Final = (".gitignore", OWN_IGNORE_FILE)
MAX_IGNORE_BYTES: Final = 1_000_000  # 100,000 patterns take 10 s to compile; a long one has 500


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


def read_rules(root: str, path: str, folder: str) -> IgnoreRules | None:
    """Return the rules in the ignore file `path` of a folder, None without any. Both are relative
    to `root`."""
    raw = read_ignore_file(root, path)
    return (
        None if raw is None else rules_of(raw, str(Path(root, path)), f"{folder}/" * bool(folder))
    )


def rules_of(raw: bytes, place: str, base: str) -> IgnoreRules | None:
    """Return the rules in the bytes of the ignore file `place`, None without any. They apply below
    `base`, a path that ends in a slash, "" for everything."""
    lines = lines_of(raw)
    rules = parse_rules(base, lines)
    if rules is None or os.path.basename(place) != OWN_IGNORE_FILE:  # noqa: PTH119
        return rules
    return replace(rules, of_git=False, untrusted="" if _is_trusted(place, raw, lines) else place)


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
