"""Blank macros of C and C++ that a parser takes for a type or a name."""

from __future__ import annotations

import re
from typing import Final

from pincite.chunkers.code.branches import NO_CODE, REST, blank, only_code
from pincite.support.late_patterns import late_pattern

_CAPITALS: Final = rb"[A-Z][A-Z0-9_]{2,63}"
_ARGUMENTS: Final = rb"[ \t]{0,20}\((?:[^()\n;{}]|\([^()\n;{}]{0,120}\)){0,200}\)"
_MACRO: Final = rb"(?:" + _CAPITALS + rb"(?:" + _ARGUMENTS + rb")?)"
#: The beginning of an initialiser, which is no member of a class: `{1, 2}`, `{x, y}`, `{.a = 1}`.
_INITIAL: Final = rb"\s{0,99}(?:[\d.+&\"'{!*(-]|[\w:]{1,99}\s{0,9}[,}])"
# Each pattern is for the text behind its first letter, which it looks back at. A search for one of
# some letters is fast.
#: `class EXPORT Name {`, which looks like a function `Name` without parameters. An attribute may be
#: before the macro, and the name may have a path.
_TYPE: Final = (
    rb"(?:(?<=\bclass .)|(?<=\bstruct .)|(?<=\bunion .)|(?<=\]\] .))[A-Z0-9_]{2,63}(?:"
    + _ARGUMENTS
    + rb")?(?=[ \t]+(?!final\b)[A-Za-z_]\w*(?:::\w{1,99}){0,9}(?:[ \t]+final)?\s*(?:\{(?!"
    + _INITIAL
    + rb")|:(?!:|[ \t]*\d)))"
)
#: `class Name LIB_FINAL : public Base {`
_FINAL: Final = (
    rb"(?<!\bclass .)(?<!\bstruct .)(?<!\bunion .)(?<!\benum .)(?<!\bnamespace .)"
    rb"[A-Z0-9_]{0,50}_FINAL(?=\s*(?:\{|:\s*(?:public|protected|private|virtual)\b))"
)
#: `void run() const REQUIRES(mutex_) {`
_SIGNATURE: Final = (
    rb"(?<=\))(?P<signature>(?:\s+(?:const|override|final|noexcept)\b){0,4})(?:\s+"
    + _MACRO
    + rb"){1,4}(?=\s*(?:[;{]|override\b|= ?0;))"
)
#: `size_t usage_ GUARDED_BY(mutex_);`
_GUARDED: Final = rb"[A-Z0-9_]{0,50}UARDED_(?:BY|VAR)(?:" + _ARGUMENTS + rb")?(?=\s*[;={])"
#: `LIB_API int run(void);`, but not the type in `enum LIB_API run(void)`.
_PREFIX: Final = (
    rb"(?!(?:(?<=\benum .)|(?<=\bstruct .)|(?<=\bunion .))\w{1,63}\s{1,20}\w{1,99}\s{0,20}\()"
    rb"[A-Z0-9_]{0,50}(?:INLINE|_API|_EXPORTS?|_EXTERN|_DECL|_CONSTEXPR)"
    rb"(?:_FUNC|\d\d)?(?=\s+[A-Za-z_~])"
)
#: A line that is only a macro: `LIB_BEGIN_NAMESPACE`, `STREAM_FIELDS`, `ERRORS(X)`, `LIB_TRY {`. A
#: last enumerator, the name above a body, or a constructor above its initialisers, is none. Behind
#: parameters, it may be above initialisers.
_ALONE: Final = (
    rb"(?<=\n)[ \t]*(?:(?:(?:[A-Z0-9]{1,30}_){0,4}(?:FIELDS"
    rb"|(?:BEGIN|END)(?:_[A-Z0-9]{1,30}){0,3}(?=\s*[^\s{},=]))|" + _CAPITALS + _ARGUMENTS + rb")"
    rb"(?=[ \t\r]*\n\s*[^\s{:])|(?<=[ \t])" + _CAPITALS + rb"(?=[ \t]*\{))"
    rb"|(?<=\)\n)[ \t]*" + _CAPITALS + _ARGUMENTS + rb"(?=[ \t\r]*\n\s*:)"
)
#: Bases of a class, or initialisers, between `#if` and `#endif`.
_BASES: Final = (
    rb"(?P<bases>(?<=\n)[ \t]*#[ \t]*if[^\n]{1,120}\n(?:[ \t]*//[^\n]{0,120}\n){0,2}[ \t]*[:,]"
    rb"[^;{}#]{1,400}\n[ \t]*#[ \t]*endif[^\n]{0,120})(?=\s{1,120}\{)"
)
_DIRECTIVE: Final = late_pattern(rb"(?:\A|\n)[ \t]*#[^\n]*")
#: The first letter of a macro that is a whole word in capitals.
_FIRST: Final = rb"(?<=[A-Z])(?<!\S.)(?=[A-Z0-9_]{2})"
#: Such a macro, behind its first letter, or macros behind a parenthesis.
_MISTAKEN: Final = (
    _FIRST + rb"(?:" + rb"|".join((_TYPE, _GUARDED, _PREFIX, _FINAL)) + rb")|" + _SIGNATURE
)
_MACROS: Final = late_pattern(
    rb"[/\"'\n)A-Z](?:"
    + _BASES
    + rb"|(?P<no_code>"
    + NO_CODE
    + rb"|(?<=\n)[ \t]*#"
    + REST
    + rb")|"
    + _MISTAKEN
    + rb"|"
    + _ALONE
    + rb")"
)
#: A text with such a macro may be misunderstood without an error.
MISREAD: Final = (late_pattern(rb"[A-Z)](?:" + _MISTAKEN + rb")"),)
#: In C, other macros are errors, most of them small ones. Two patterns that begin with a word are
#: ten times as fast as one that begins with any capital.
MISREAD_TYPE: Final = (
    late_pattern(rb"struct [A-Z]" + _FIRST + _TYPE),
    late_pattern(rb"union [A-Z]" + _FIRST + _TYPE),
)
_NESTED: Final = rb"(?>(?:[^()]+|\)%b\()*)"
#: What is in front of a parenthesis, in a reversed text: a word, the sign of an operator, or the
#: end of another parenthesis.
_CALLED: Final = late_pattern(
    rb"\)"
    + _NESTED % (_NESTED % (_NESTED % (_NESTED % rb"[^()]*")))
    + rb"\(\s{0,20}(?P<name>\w+|[\])>]|[^\w\s]{0,3}rotarepo\b)?"
)
_CALLED_BYTES: Final = 600  # guess, unmeasured; what is longer is taken for parameters
#: Words whose parentheses are no parameters, so that a name in capitals may follow.
_NO_FUNCTIONS: Final = frozenset(
    b"""alignas _Alignas alignof _Atomic __attribute__ __attribute __declspec decltype typeof
    __typeof__ __typeof sizeof _Pragma if while for switch catch return case""".split()
)
_CALLS: Final = late_pattern(rb"\n(?:static[ \t]+)?" + _CAPITALS + rb"[ \t]{0,20}(?P<opened>\()")
_SIGNS: Final = late_pattern(rb"[()#]")
#: What follows a macro that is a statement: `;`, or code on another line.
_BEHIND: Final = late_pattern(rb"(?P<end>[ \t]*;)|[ \t]*\r?\n\s*[^\s{:]|\s*\Z")


def drop_macros(source: bytes) -> bytes:
    """Return C or C++ with blanks instead of macros that the parser takes for a type or a name, and
    instead of the directives around bases of a class."""
    return _MACROS.sub(_without_macro, b"\n" + source)[1:]


def _without_macro(found: re.Match[bytes]) -> bytes:
    if found["no_code"] is not None:
        return found[0]
    if found["bases"] is not None:
        return _DIRECTIVE.sub(lambda one: blank(one[0]), found[0])
    kept = found["signature"]
    if kept is None:
        return blank(found[0])
    if not _has_parameters(found.string, found.start() + 1):
        return found[0]
    size = 1 + len(kept)
    return found[0][:size] + blank(found[0][size:])


def _has_parameters(text: bytes, end: int) -> bool:
    """Return whether the parenthesis that ends here (exclusive) has the parameters of a function.
    It may also be a cast or an attribute. Reads at most 600 bytes."""
    called = _CALLED.match(text[max(0, end - _CALLED_BYTES) : end][::-1])
    if called is None:
        return True
    return called["name"] is not None and called["name"][::-1] not in _NO_FUNCTIONS


def drop_calls(source: bytes) -> bytes:
    """Return C or C++ with blanks instead of calls of macros at the beginning of a line that are
    statements: `FLAG(int, size, 1 << 10, "…");` may have several lines. Takes time linear in the
    length of the text."""
    code = only_code(source)
    closed: dict[int, int] = {}
    stack: list[int] = []
    for found in _SIGNS.finditer(code):
        if found[0] == b"(":
            stack.append(found.start())
        elif found[0] == b"#":
            stack.clear()  # a macro with branches in it stays
        elif stack:
            closed[stack.pop()] = found.end()
    kept: list[bytes] = []
    done = 0
    for call in _CALLS.finditer(code):
        start, end = call.start(), closed.get(call.start("opened"))
        if end is None or start < done:
            continue
        behind = _BEHIND.match(code, end)
        if behind is not None:
            end = behind.end("end") if behind["end"] else end
            kept += (source[done:start], blank(source[start : end - 1]))
            done = end - 1
    return b"".join((*kept, source[done:]))
