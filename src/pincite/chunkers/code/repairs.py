"""Rewrite a source text so that its parser understands more of it. Every rewriting keeps the length
of the text and its newlines, so that offsets and rows stay the same."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from pincite.chunkers.code.branches import drop_branches
from pincite.chunkers.code.macros import MISREAD, MISREAD_TYPE, drop_calls, drop_macros
from pincite.support.late_patterns import late_pattern

_SEVERE = 1000  # broken bytes
_SEVERE_SHARE = 20  # part of a text


def severe_bytes(source: bytes) -> int:
    """Return the number of broken bytes from which an error is severe: a twentieth of the text, at
    least 1,000.

    Of 362 files of curl, 109 have errors, and 10 have severe ones, with 97 % of the broken bytes.
    To parse all 109 again took 9 % of the time of an index, and these 1.2 % (docs/decisions/0101).
    """
    return max(_SEVERE, len(source) // _SEVERE_SHARE)


class Repair(msgspec.Struct, frozen=True):
    """A rewriting that is tried for a tree with errors, or only for `severe` ones."""

    rewrite: Callable[[bytes], bytes]
    severe: bool = False
    #: Code that the parser misunderstands, perhaps without an error. With any of it, the rewritten
    #: text is parsed first.
    misread: tuple[re.Pattern[bytes], ...] = ()

    def is_misread(self, source: bytes) -> bool:
        """Return whether the source has such code."""
        return any(one.search(source) for one in self.misread)


#: The parser of Kotlin needs a newline or `;` after the last member of a body in one line.
_BODY_ENDS = late_pattern(rb"(?<=[^\s{;])[ \t](?=\})")
#: The parser of SQL does not know the names in brackets of T-SQL.
_BRACKETS = late_pattern(rb"\[([A-Za-z_][\w ]{0,127})\]")


def _end_bodies(source: bytes) -> bytes:
    return _BODY_ENDS.sub(b";", source)


def _quote_brackets(source: bytes) -> bytes:
    return _BRACKETS.sub(rb'"\1"', source)


def _drop_both(source: bytes) -> bytes:
    """Return C or C++ without macros that are misread, and without unreadable branches."""
    return drop_branches(drop_macros(source))


def _drop_beside_types(source: bytes) -> bytes:
    """Return C without macros that are misread, and without unreadable branches, if one of the
    macros is that of a structure."""
    return _drop_both(source) if any(one.search(source) for one in MISREAD_TYPE) else source


#: The repairs of languages. A later one is tried for the best tree so far.
OF_C = (
    Repair(_drop_both, severe=True),
    Repair(_drop_beside_types, severe=True, misread=MISREAD_TYPE),
    Repair(drop_calls, severe=True),
)
OF_CPP = (
    Repair(drop_macros, severe=True, misread=MISREAD),
    Repair(drop_branches, severe=True),
    Repair(drop_calls, severe=True),
)
OF_KOTLIN = (Repair(_end_bodies),)
OF_SQL = (Repair(_quote_brackets),)
