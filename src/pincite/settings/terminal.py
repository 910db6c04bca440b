"""Variables for colour, pager and editor. No file can name a program to run, because it may be from
a repository.

| variable | meaning |
|---|---|
| `NO_COLOR` | anything: no colour, unless `--color always` |
| `TERM` | `dumb`: no colour, no links, no pager |
| `PINCITE_PAGER`, `PAGER`, else `less` | what long results are read in; empty, `cat`: nothing |
| `LESS` | options of `less`; where it is not set, `FRX` |
| `VISUAL`, else `EDITOR` | what the live view opens a result in; else `vi` |
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, NamedTuple

PAGER: Final = "PINCITE_PAGER"
_LESS = "less"
_NO_PAGER = ("", "cat")
_OLDEST_VTE = 5000  # earlier versions show the address of a link as text
#: Terminals that show the escape sequences of a link as text.
_WITHOUT_LINKS = ("", "dumb", "linux", "unknown", "cons25", "emacs", "eterm-color")


class TerminalSettings(NamedTuple):
    """Settings of the terminal. `pager` and `editor` are command lines; an empty `pager` means
    none. `pager_named`: the user has chosen the pager. `variables` are additional environment
    variables for the pager."""

    colour: bool
    links: bool
    pager: str
    pager_named: bool
    editor: str
    variables: Mapping[str, str]


def terminal_settings(environ: Mapping[str, str] | None = None) -> TerminalSettings:
    """Return the settings of `environ`, by default of the environment of the process."""
    known = os.environ if environ is None else environ
    term = known.get("TERM", "")
    named = known.get(PAGER, known.get("PAGER"))
    pager = (_LESS if named is None else named).strip()
    dumb = term in ("", "dumb")
    vte = known.get("VTE_VERSION", "")
    old = vte.isdecimal() and len(vte) < 10 and int(vte) < _OLDEST_VTE
    return TerminalSettings(
        colour=not known.get("NO_COLOR") and term != "dumb",
        links=term not in _WITHOUT_LINKS and not old and "INSIDE_EMACS" not in known,
        pager="" if dumb or pager in _NO_PAGER else pager,
        pager_named=named is not None,
        editor=(known.get("VISUAL") or known.get("EDITOR") or "vi").strip() or "vi",
        variables={"LESS": known.get("LESS", "FRX"), "LV": known.get("LV", "-c")},
    )
