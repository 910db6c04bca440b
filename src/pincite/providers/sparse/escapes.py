"""Terminal escape sequences inside texts, such as colours in a log, read as blanks.

Otherwise their last letters join the word after them: `ESC[31merror` would be the word `31merror`.
A blank stands for each character, so offsets stay. Time is linear: no sequence contains an ESC
before its end, so no character is examined for more than two sequences.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPE: Final = "\x1b"
#: Forms of ECMA-48, and what terminals add. Words after an incomplete sequence stay.
_SEQUENCE: Final = re.compile(
    r"\x1b(?:"
    r"\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor
    r"|[\]PX^_][^\x00-\x1f]*+(?:\x07|\x1b\\)"  # OSC (links, titles), DCS, SOS, PM, APC: one line
    r"|[()*+][0-2AB]"  # character sets
    r"|[78]"  # cursor saved and restored
    r")"
)


def without_escapes(text: str) -> str:
    """Return a text of the same length, with blanks in place of complete escape sequences."""
    return _SEQUENCE.sub(_blanks, text) if _ESCAPE in text else text


def _blanks(sequence: re.Match[str]) -> str:
    return " " * (sequence.end() - sequence.start())
