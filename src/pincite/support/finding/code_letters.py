r"""Find escapes, formats and terminal sequences that end in a letter. A word begins after them:
`\nPress`, `%sfoo`, `\x1b[31mERROR`.
"""

from __future__ import annotations

import re
from typing import Final, Literal

#: Sequences of a text besides those of terminals: of strings in code, or of roff.
Escapes = Literal["", "code", "roff"]

_NOT_ESCAPED: Final = r"(?:^|[^\\])(?:\\\\)*\\"
_ESCAPE: Final = re.compile(rf"{_NOT_ESCAPED}[abdefnrstvwzABDSWZ]\Z")
_CHARACTER: Final = re.compile(
    rf"{_NOT_ESCAPED}(?:u([\da-fA-F]{{4}})|x([\da-fA-F]{{2}})|U([\da-fA-F]{{8}}))\Z"
)
#: Of C, Go, Python and the shell: `%s`, `%3d`, `%-5.2f`, `%ld`, `%v`, `%(name)s`.
_FORMAT: Final = re.compile(
    r"(?:^|[^%\d])(?:%%)*%(?:\(\w{1,16}\))?[-+#]?[\d.*]{0,5}(?:hh?|ll?|[jztLq])?"
    r"[diouxXeEfFgGaAcspvTqwb]\Z"
)
#: Colours and other sequences, with the byte itself or as code writes it.
_TERMINAL: Final = re.compile(
    r"(?:\x1b|\\(?:033|x1[bB]|e|u001[bB]|u\{1[bB]\}))(?:\[[\d;:?]{0,20}[A-Za-z]|[()][AB0])\Z"
)
#: Commands of TeX that begin like an escape.
_TEX: Final = re.compile(
    r"\\(?:alpha|bar|begin|beta|bf|delta|dot|dots|end|epsilon|equiv|eta|forall|frac|nabla|neq|nu|rho"
    r"|right|sigma|sin|sqrt|sum|tan|tau|text\w{0,6}|theta|tilde|times|varepsilon|varphi|vec|zeta)"
    r"(?![A-Za-z])"
)


def may_be_code(before: str) -> bool:
    """Return whether a text has a character with which the sequences of `ends_code` begin."""
    return "\\" in before or "%" in before or "\x1b" in before


def ends_code(before: str, after: str, *, escapes: Escapes) -> bool:
    r"""Return whether the last character of `before` ends a sequence, and not a word. Both texts
    are up to some 24 characters around a place between letters or digits. In a file that is not
    code, a lower-case letter after `\n` or `%s` belongs to the same word: `\nabla` is a command of
    TeX. For roff, both texts are as displayed."""
    if not may_be_code(before):
        return False
    if _TERMINAL.search(before):
        return True
    if character := _CHARACTER.search(before):
        digits = character[1] or character[2] or character[3]
        return int(digits, 16) <= 0x10FFFF and not chr(int(digits, 16)).isalnum()
    if escapes != "code" and after[:1].isascii() and after[:1].islower():
        return False
    if _ESCAPE.search(before):
        return not _TEX.match(f"\\{before[-1]}{after}")
    return _FORMAT.search(before) is not None
