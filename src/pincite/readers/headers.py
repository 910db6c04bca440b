"""Detect the language of a header (`*.h`) by its content: C, C++ or Objective-C."""

from __future__ import annotations

import re
from typing import Final, Literal

from pincite.support.late_patterns import late_pattern

#: Raise it if headers get another language or other definitions: the next run reads them again.
HEADER_RULES: Final = 1
_CHARS: Final = 200_000  # of a header

#: A comment, a literal or an attribute (`[[gnu::packed]]`), up to its end or the last place where
#: it can end. Each character is read once.
_MUTE: Final = late_pattern(
    r"""/\*(?s:.*?)(?:\*/|\Z) | //[^\n]*+ | \[\[[^\]\n]*+
      | "(?>(?:[^"\\\n]++|\\.)*)"? | '(?>(?:[^'\\\n]++|\\.)*)'?""",
    re.VERBOSE,
)
_CONDITIONAL: Final = late_pattern(r"^[ \t]*#[ \t]*(if|ifn?def|el\w+|endif)\b(.*)", re.MULTILINE)
_CODE: Final = late_pattern(r"^[ \t]*[^#\s]", re.MULTILINE)  #: a line that is not a directive
_GUARD: Final = late_pattern(r"(!\s*+(?>(?:defined\b)?)[\s(]*+)?\b(?:__cplusplus|__OBJC__)\b")
_OBJECTIVE_C: Final = late_pattern(
    r"^[ \t]*@(?:interface|protocol|property|implementation|class|end)\b", re.MULTILINE
)
_CPP: Final = late_pattern(
    r"""^[ \t]*(?:
        template[ \t]*< | (?:enum[ \t]+)?class[ \t]+\w | (?:inline[ \t]+)?namespace\b[^;,)]
      | (?:public|private|protected)[ \t]*:(?!:) | using[ \t]+\w
      | \#[ \t]*include[ \t]*<[\w/]+>
    ) | \b[A-Za-z_]\w*::~?[A-Za-z_] | \b(?:(?:static|reinterpret|const)_cast|noexcept)\b""",
    re.VERBOSE | re.MULTILINE,
)
_IMPORT: Final = late_pattern(r"^[ \t]*(?:\#[ \t]*|@)import\b", re.MULTILINE)

_Branch = Literal["for all", "only for C", "not for C"]


def header_language(text: str) -> Literal["c", "cpp", "objective_c"]:
    """Return the language of a header. Comments and literals are ignored. Branches that only
    compilers of C++ or Objective-C read (`#ifdef __cplusplus`) are ignored if there is other code,
    because a header of C may have them."""
    whole = _MUTE.sub(" ", text[:_CHARS].removeprefix("\ufeff"))
    code = _unguarded(whole)
    if not _CODE.search(code):
        code = whole
    if _OBJECTIVE_C.search(code):
        return "objective_c"
    if _CPP.search(code):
        return "cpp"
    return "objective_c" if _IMPORT.search(code) else "c"


def _unguarded(code: str) -> str:
    """Return the code without the branches that a compiler of C does not read."""
    if "__cplusplus" not in code and "__OBJC__" not in code:
        return code
    kept: list[str] = []
    branches: list[_Branch] = []
    hidden, start = 0, 0  # open branches that are not for C; start of the code
    for found in _CONDITIONAL.finditer(code):
        if not hidden:
            kept.append(code[start : found.start()])
        start = found.end()
        word, condition = found[1], found[2]
        before: _Branch = "for all"
        if not word.startswith("if") and branches:
            before = branches.pop()
            hidden -= before == "not for C"
        if word != "endif":
            branches.append(_branch(word, condition, before))
            hidden += branches[-1] == "not for C"
    if not hidden:
        kept.append(code[start:])
    return "".join(kept)


def _branch(word: str, condition: str, before: _Branch) -> _Branch:
    if word == "else":
        return "not for C" if before == "only for C" else "for all"
    guard = _GUARD.search(condition)
    if guard is None:
        return "for all"
    return "only for C" if word == "ifndef" or guard[1] is not None else "not for C"
