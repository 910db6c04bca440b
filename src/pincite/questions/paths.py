"""Find paths of files in a text, with or without a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pincite.support.late_patterns import late_pattern

_PATH: Final = late_pattern(r"(?<![\w.@+~-])[\w.@+~-]++(?>(?:/[\w.@+~-]++)+)")
_MOST_PATHS: Final = 64  # of a text; a long traceback has fewer


def named_files(text: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield those of `paths` that a text names: the whole path ends a path of the text. The name of
    a file without a folder is not enough."""
    named = [f"/{one}" for one in _PATH.findall(text.replace("\\", "/"))[:_MOST_PATHS]]
    for path in paths:
        if "/" in path and any(one.endswith(f"/{path}") for one in named):
            yield path
