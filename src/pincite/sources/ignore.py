"""Ignore files with the semantics of git: the deepest file decides, its last match wins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of one folder. `base` is its path with a final slash, "" for the root."""

    base: str
    spec: GitIgnoreSpec

    def verdict(self, path: str) -> bool | None:
        """True = ignored, False = explicitly kept, None = no pattern matches. A folder's
        path ends in a slash."""
        return self.spec.check_file(path[len(self.base) :]).include


def parse_rules(base: str, lines: Iterable[str]) -> IgnoreRules | None:
    """The rules in some lines, or None where there are none. Malformed lines match nothing."""
    patterns = []
    for line in lines:
        bare = line.rstrip("\r\n")
        if bare.strip() and not bare.startswith("#"):
            # `a/**` is what is inside of `a`; pathspec takes it for the folder itself as well
            patterns.append(f"{bare}/*" if bare.endswith("/**") else bare)
    if not patterns:
        return None
    try:
        return IgnoreRules(base, GitIgnoreSpec.from_lines(patterns))
    except (ValueError, re.error):  # one bad pattern: keep the others
        return IgnoreRules(base, GitIgnoreSpec.from_lines(p for p in patterns if _is_valid(p)))


def _is_valid(pattern: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([pattern])
    except (ValueError, re.error):
        return False
    return True


def is_ignored(path: str, rules: tuple[IgnoreRules, ...]) -> bool:
    """`rules` go from the root down; folders above `path` were not ignored themselves."""
    for each in reversed(rules):
        verdict = each.verdict(path)
        if verdict is not None:
            return verdict
    return False
