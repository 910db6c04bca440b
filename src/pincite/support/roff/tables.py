"""Lines before the rows of a table in a manual page (tbl): options of the table, and its format."""

from __future__ import annotations

import re
from typing import Final

_OPTIONS: Final = re.compile(
    r"(?>(?:(?:all|double)?box|cent(?:er|re)|(?:double)?frame|expand|left|no(?:keep|spaces|warn)"
    r"|(?:tab|delim|linesize|decimalpoint)[ \t]*\([^)\n]{1,20}\)+|[ \t,]++)+)(?:;|\Z)",
    re.IGNORECASE,
)
#: The keys of columns, each with its options: `l cB | nw(20)p-2.`
_FORMAT: Final = re.compile(
    r"[ \t]*+(?:[LRCNAS^_=\-|][ \t]*+(?>(?:[fm](?:\([^)\n]{1,9}\)?|\[[^]\n]{1,20}\]|[A-Z0-9]{1,2})"
    r"|w[ \t]*+(?:\([^)\n]{1,40}\)|\d{1,4})|[pv][-+]?\d{1,3}|[BIUDETXZ]|\d{1,3}|[ \t,|])*))+"
    r"\.?[ \t\r]*",
    re.IGNORECASE,
)


def is_layout(line: str) -> bool:
    """Return whether a line consists of options of a table, or of column keys. Time is linear in
    the line."""
    options = _OPTIONS.match(line)
    rest = line[options.end() :] if options else line
    return not rest.strip() or _FORMAT.fullmatch(rest) is not None
