"""Regular expressions that are compiled when they are first used. A process that indexes a small
repository needs half of those that its modules have."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast


def late_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a stand-in for `re.compile(pattern, flags)` that compiles with the first call of a
    method. An invalid pattern raises `re.error` there. `re.sub` and the like do not take it."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))


class _Late(Generic[AnyStr]):
    """Has the methods of the pattern once it is compiled."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._given: tuple[AnyStr, int] = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # of pickle, copy and inspect
            raise AttributeError(name)
        compiled = re.compile(*self._given)
        self.__dict__.update({one: getattr(compiled, one) for one in _METHODS})
        return getattr(compiled, name)


_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")
