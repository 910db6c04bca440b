"""Rewrite a source text so that its parser understands more of it. Every rewriting keeps the length
of the text and its newlines, so that offsets and rows stay the same."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from pincite.chunkers.code.branches import NO_CODE, REST, blank, drop_branches
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
    #: Code that the parser misunderstands, perhaps without an error. With it, the rewritten text is
    #: parsed first.
    misread: re.Pattern[bytes] | None = None

    def is_misread(self, source: bytes) -> bool:
        """Return whether the source has such code."""
        return self.misread is not None and self.misread.search(source) is not None


#: The parser of Kotlin needs a newline or `;` after the last member of a body in one line.
_BODY_ENDS = late_pattern(rb"(?<=[^\s{;])[ \t](?=\})")
#: The parser of SQL does not know the names in brackets of T-SQL.
_BRACKETS = late_pattern(rb"\[([A-Za-z_][\w ]{0,127})\]")

_CAPITALS = rb"[A-Z][A-Z0-9_]{2,63}"
_ARGUMENTS = rb"[ \t]{0,20}\((?:[^()\n;{}]|\([^()\n;{}]{0,120}\)){0,200}\)"
_MACRO = rb"(?:" + _CAPITALS + rb"(?:" + _ARGUMENTS + rb")?)"
# Each pattern is for the text behind its first letter, which it looks back at. A search for one of
# some letters is fast.
#: `class EXPORT Name {`, which looks like a function `Name` without parameters.
_TYPE = (
    rb"(?:(?<=\bclass .)|(?<=\bstruct .)|(?<=\bunion .))[A-Z0-9_]{2,63}(?:"
    + _ARGUMENTS
    + rb")?(?=[ \t]+[A-Za-z_]\w*(?:[ \t]+final)?\s*(?:\{|:[^:]))"
)
#: `void run() const REQUIRES(mutex_) {`
_SIGNATURE = (
    rb"(?<=\))(?P<signature>(?:\s+(?:const|override|final|noexcept)\b){0,4})(?:\s+"
    + _MACRO
    + rb"){1,4}(?=\s*(?:[;{]|override\b|= ?0;))"
)
#: `size_t usage_ GUARDED_BY(mutex_);`
_GUARDED = rb"[A-Z0-9_]{0,50}UARDED_(?:BY|VAR)(?:" + _ARGUMENTS + rb")?(?=\s*[;={])"
#: `LIB_API int run(void);`
_PREFIX = (
    rb"[A-Z0-9_]{0,50}(?:INLINE|_API|_EXPORTS?|_EXTERN|_DECL|_CONSTEXPR)"
    rb"(?:_FUNC|\d\d)?(?=\s+[A-Za-z_~])"
)
#: A line that is only a macro: `LIB_BEGIN_NAMESPACE`, `STREAM_FIELDS`, `ERRORS(X)`, `LIB_TRY {`. A
#: last enumerator, or the name above a body, is none.
_ALONE = (
    rb"(?<=\n)[ \t]*(?:(?:(?:[A-Z0-9]{1,30}_){0,4}(?:FIELDS"
    rb"|(?:BEGIN|END)(?:_[A-Z0-9]{1,30}){0,3}(?=\s*[^\s{},=]))|" + _CAPITALS + _ARGUMENTS + rb")"
    rb"(?=[ \t\r]*\n\s*[^\s{])|(?<=[ \t])" + _CAPITALS + rb"(?=[ \t]*\{))"
)
#: A macro that is a whole word in capitals, behind its first letter, or behind a parenthesis.
_MISTAKEN = (
    rb"(?<=[A-Z])(?<!\S.)(?=[A-Z0-9_]{2})(?:"
    + rb"|".join((_TYPE, _GUARDED, _PREFIX))
    + rb")|"
    + _SIGNATURE
)
_MACROS = late_pattern(
    rb"[/\"'\n)A-Z](?:(?P<no_code>"
    + NO_CODE
    + rb"|(?<=\n)[ \t]*#"
    + REST
    + rb")|"
    + _MISTAKEN
    + rb"|"
    + _ALONE
    + rb")"
)
_MISREAD = late_pattern(rb"[A-Z)](?:" + _MISTAKEN + rb")")


def _end_bodies(source: bytes) -> bytes:
    return _BODY_ENDS.sub(b";", source)


def _quote_brackets(source: bytes) -> bytes:
    return _BRACKETS.sub(rb'"\1"', source)


def _drop_macros(source: bytes) -> bytes:
    """Return C or C++ with blanks instead of macros that the parser takes for a type or a name."""
    return _MACROS.sub(_without_macro, b"\n" + source)[1:]


def _without_macro(found: re.Match[bytes]) -> bytes:
    if found["no_code"] is not None:
        return found[0]
    kept = found["signature"]
    size = 0 if kept is None else 1 + len(kept)
    return found[0][:size] + blank(found[0][size:])


def _drop_both(source: bytes) -> bytes:
    """Return C or C++ without such macros, and without branches that cannot be read alone."""
    return drop_branches(_drop_macros(source))


#: The repairs of languages. A later one is tried for the best tree so far.
OF_C = (Repair(_drop_both, severe=True),)
OF_CPP = (
    Repair(_drop_macros, severe=True, misread=_MISREAD),
    Repair(drop_branches, severe=True),
)
OF_KOTLIN = (Repair(_end_bodies),)
OF_SQL = (Repair(_quote_brackets),)
