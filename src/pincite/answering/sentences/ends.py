"""Find the ends of sentences in a paragraph."""

from __future__ import annotations

import re
from typing import Final

from pincite.answering.sentences.citation_marks import CITATION
from pincite.answering.sentences.verbatim import in_backticks

#: Abbreviations that end with a full stop, in lower case, without it.
_ABBREVIATIONS: Final = frozenset(
    "e.g i.e etc vs cf al fig figs no nos eq eqs sec secs ch chap vol pp approx incl excl jr sr"
    " inc ltd co corp dept est ca resp viz ed eds ref refs min max avg z.b d.h"
    " u.s bzw usw".split()
)
_TITLES: Final = frozenset(("Dr", "Mr", "Mrs", "Ms", "Prof", "St"))
_CITED: Final = rf"(?>(?:\s?{CITATION})*)"
#: The end of a sentence with the closing quotes, brackets and citations that belong to it.
_END: Final = re.compile(
    rf"(?<![.!?…])[.!?…]++[\"'”’»)\]*_\0]*+{_CITED}(?=\s|\Z)|[。！？][」』”）]*+{_CITED}"
)
_WORD: Final = re.compile(r"[^\s(\[\"'“‘]+\Z")
_LETTER: Final = re.compile(r"[^\W\d_]\.")
_MOST_WORD: Final = 40  # characters before a full stop that are read
_INDENT: Final = 40  # of a line after it
#: Links, and brackets within a line. They are not split.
_LINK: Final = re.compile(r"\[[^\[\]\n]{1,300}\](?:\([^()\s]{1,500}\))?")


def sentences_of(part: str, begun: int = 0) -> list[tuple[int, int]]:
    """Return the starts and ends of the sentences of a paragraph, from `begun` on, with the
    white space between them. Code in backticks and links are never split. Takes time linear in
    the text."""
    whole = sorted([*in_backticks(part), *(one.span() for one in _LINK.finditer(part))])
    found, held = [], 0
    for stop in _END.finditer(part):
        while held < len(whole) and whole[held][1] <= stop.start():
            held += 1
        if held < len(whole) and whole[held][0] < stop.start():
            continue
        if part[stop.start()] == "." and _abbreviated(part, stop.start(), stop.end()):
            continue
        found.append((begun, stop.end()))
        begun = stop.end()
    if part[begun:].strip():
        found.append((begun, len(part)))
    return found


def _abbreviated(part: str, dot: int, end: int) -> bool:
    """Return whether this full stop belongs to an abbreviation, an initial or the number of an
    item."""
    if dot == 0:
        return False
    match = _WORD.search(part[max(0, dot - _MOST_WORD) : dot])
    word = match[0] if match else ""
    behind = part[end : end + _INDENT].lstrip()
    following = behind[:1]
    if word.lower() in _ABBREVIATIONS:
        return word.lower() not in ("etc", "no", "al", "min", "max") or not following.isupper()
    letter = len(word) == 1 and word.isalpha()  # as in J. Smith and z. B.
    initial = letter and (word.isupper() or _LETTER.match(behind) is not None)
    return word in _TITLES or (initial and bool(following))
