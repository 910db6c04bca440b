"""A limit for the time that patterns of ignore files take: it grows with their number times the
length of a path, and whoever made a tree chooses both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from pincite.support.ignore_rules import IgnoreRules

#: Estimated nanoseconds: to ask one ignore file, and to match a pattern, for each folder and each
#: character of a path. 200 usual patterns and a path of 100 characters took 72 µs (estimate: 105),
#: 10,000 patterns with stars and 400 folders 138 ms (estimate: 176). A character that is tried at
#: every position counts as a pattern: a literal took 1.5 ns, `[a-z]` with 10 characters 17. Of
#: random hostile patterns, none took more than nine times its estimate.
_FILE_NS: Final = 1_000
_FOLDER_NS: Final = 40
_CHARACTER_NS: Final = 2


class MatchTime:
    """Counts the time of one listing: `most_s` seconds, and `each_us` microseconds more for each
    path that is granted."""

    def __init__(self, most_s: float, each_us: float) -> None:
        self._left_ns = most_s * 1e9
        self._each_ns = each_us * 1e3

    def pays(self, rules: tuple[IgnoreRules, ...], paths: Collection[str], granted: int) -> bool:
        """Count the match of these paths with all rules, and return whether time is left for it.
        If not, nothing is counted. `granted` is the number of the paths that bring time."""
        if not rules or not paths:
            return True
        folders = characters = 0
        for path in paths:
            folders += path.count("/")
            characters += len(path)
        patterns = sum(each.patterns for each in rules)
        tried = patterns + sum(each.retried for each in rules)
        price_ns = len(paths) * len(rules) * _FILE_NS
        price_ns += patterns * folders * _FOLDER_NS + tried * characters * _CHARACTER_NS
        left_ns = self._left_ns + granted * self._each_ns - price_ns
        if left_ns < 0:
            return False
        self._left_ns = left_ns
        return True
