"""Where sentences begin and end, in answers and in what they cite."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pincite.answering.cited import CITATION

#: What ends with a full stop and no sentence. Lower case, without that full stop.
_ABBREVIATIONS: Final = frozenset(
    "e.g i.e etc vs cf al fig figs no nos eq eqs sec secs ch chap vol pp approx incl excl jr sr"
    " inc ltd co corp dept est ca resp viz ed eds ref refs min max avg z.b d.h"
    " u.s bzw usw".split()
)
_TITLES: Final = frozenset(("Dr", "Mr", "Mrs", "Ms", "Prof", "St"))
_CITED: Final = rf"(?:\s?{CITATION})"
#: The end of a sentence with the closing quotes, brackets and citations that belong to it.
_END: Final = re.compile(
    rf"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+{_CITED}*+(?=\s|\Z)|[。！？][」』”）]*+{_CITED}*+"
)
_FENCE: Final = re.compile(r"[ \t]*(```+|~~~+)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_HEADING: Final = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_ROW: Final = re.compile(r"[ \t]*\|")
_WORD: Final = re.compile(r"[^\s(\[\"'“‘]+\Z")
_LETTER: Final = re.compile(r"[^\W\d_]\.")
_MOST_WORD = 40  # characters before a full stop that are looked at
_INDENT = 40  # of a line after it
#: Of what is not split: code in backticks, links, and brackets of a line.
_WHOLE: Final = re.compile(r"`[^`\n]{1,300}`|\[[^\[\]\n]{1,300}\](?:\([^()\s]{1,500}\))?")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text[start:end]`, without white space around it. `paragraph` counts those of the text. Code
    is a line in a fence or of an indented block; a heading and a row of a table are by themselves.
    """

    start: int
    end: int
    paragraph: int = 0
    code: bool = False
    heading: bool = False


def split(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text, in order. A line break ends none, but for a blank line, a heading,
    an item of a list, a row of a table and lines of code. What marks an item is no part of it. No
    citation is ever split, and `[1]` behind a full stop belongs to the sentence before it. Takes
    time linear in the text."""
    found: list[Sentence] = []
    paragraph, begun, at, fence = 0, -1, 0, ""
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        end = at + len(line)
        marked = _FENCE.match(line)
        if fence:
            if marked and marked[1].startswith(fence) and bare == marked[1]:
                fence = ""
            elif bare:
                found.append(_trimmed(text, at, end, paragraph, code=True))
        elif marked or not bare or _starts_anew(line):
            if begun >= 0:
                found += _prose(text, begun, at, paragraph)
                begun = -1
            if marked:
                fence = marked[1]
            elif not bare:
                paragraph += 1
            elif _HEADING.match(line) or _ROW.match(line):
                heading = _HEADING.match(line) is not None
                found.append(_trimmed(text, at, end, paragraph, heading=heading))
            else:
                begun = at
        elif begun < 0:
            begun = at
        at = end
    if begun >= 0:
        found += _prose(text, begun, len(text), paragraph)
    return tuple(found)


def _starts_anew(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_ITEM, _HEADING, _ROW))


def _trimmed(
    text: str, start: int, end: int, paragraph: int, *, code: bool = False, heading: bool = False
) -> Sentence:
    part = text[start:end]
    kept = part.rstrip() if code else part.strip()
    begin = start if code else start + len(part) - len(part.lstrip())
    return Sentence(begin, begin + len(kept), paragraph, code, heading)


def _prose(text: str, start: int, end: int, paragraph: int) -> list[Sentence]:
    """The sentences of a run of lines."""
    part = text[start:end]
    whole = [one.span() for one in _WHOLE.finditer(part)]
    marker = _ITEM.match(part)
    found, begun, held = [], marker.end() if marker else 0, 0
    for stop in _END.finditer(part):
        while held < len(whole) and whole[held][1] <= stop.start():
            held += 1
        if held < len(whole) and whole[held][0] < stop.start():
            continue  # inside of code or a link
        if part[stop.start()] == "." and _abbreviated(part, stop.start(), stop.end()):
            continue
        found.append((begun, stop.end()))
        begun = stop.end()
    if part[begun:].strip():
        found.append((begun, len(part)))
    spans = (_trimmed(text, start + one, start + other, paragraph) for one, other in found)
    return [one for one in spans if one.end > one.start]


def _abbreviated(part: str, dot: int, end: int) -> bool:
    """Is this full stop that of an abbreviation, an initial or the number of an item?"""
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
