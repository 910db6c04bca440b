"""Join the lines of a paragraph: with a space, without its hyphen, or directly."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from pincite.readers.pdf.layout import Line

SOFT: Final = "\u00ad"  #: a soft hyphen
_LOOK: Final = 200  # characters to read at the end of a line
_SUFFIX: Final = 2  # letters of suffixes that are words, too: `.in`, `.so`, `.is`
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ASIA = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_BEFORE: Final = tuple(" ‘“'\"(")  # a Korean word
_STOPS: Final = tuple("。、，；：！？")  # after them, no space is written
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff]")
_ADDRESS = re.compile(r"://|\bwww\.|\w@")
_FOLDER = re.compile(r"[^\w~.]*[~.]*/\w|[^/]*\w/[^/]*\w/")
_HOST = re.compile(r"://[\w-]+\.$")  # the beginning of one, not the end of a sentence
_BEHIND_SLASH = re.compile(r"(?<=\w)/ ?[^\W\d_]+(?:-[^\W\d_]+)*")
#: Words that continue a sentence after a path, and are rarely parts of one. `about` and `do` are
#: missing on purpose: many pages have such names.
_GOING_ON: Final = frozenset(
    """although and are as at because before but by can could for from had has have if in into is it
    its like may must never nor not of on only or should since so than that the their then there
    these they this those though to too unless until upon was we were when where whether which
    while who will with within without would you your""".split()
)


def text_with_ending(before: Line, after: Line, words: Collection[str], right: float) -> str:
    """Return the text of a line with its ending. `words` are those of the document, in lower case.
    `right` is the right edge of the paragraph in points. A path, an address or a name is not parted
    by a space if the line had no room for the rest of it."""
    text, more = before.text, after.text
    if text.endswith(SOFT):
        return text[:-1]
    token = text[-_LOOK:].rpartition(" ")[2]
    divided = _divided(token, more) and not (
        had_room(before, after, right) or _goes_on(token, more, words)
    )
    if text.endswith("-") and len(text) > 1:
        if divided:
            return text[:-1] if text[-2] == "/" else text
        if text[-2].isalnum() and _is_located(token):  # no hyphen of a path is deleted
            return text
        return _with_hyphen(text, more, words)
    if divided or text.endswith(_STOPS) or (_ASIA.match(text[-1:]) and _ASIA.match(more[:1])):
        return text
    return text if _is_divided_korean(text, more, words) else f"{text} "


def had_room(before: Line, after: Line, right: float) -> bool:
    """Return whether the first word of the second line would have fitted into the line before,
    which ends at `right`, in points, at most."""
    letter = (before.right - before.left) / max(1, len(before.text))
    word = after.text.split(" ", 1)[0]
    return before.right + (len(word) + 2) * letter < right


def _divided(token: str, more: str) -> bool:
    """Return whether the end of a line, from its last space on, is a part of a path, an address or
    a name, and the next line may be the rest."""
    follows = more[:1].isalnum() or more[:1] in tuple("~._-{<*")
    located = _ADDRESS.search(token) is not None
    if token.endswith(("/", "/-")) and token not in ("/", "/-", "*/"):
        return follows or (located and more.startswith("/"))
    if token.endswith(("_", "@")):
        return len(token) > 1 and token[-2].isalnum() and more[:1].isalnum()
    if token.endswith(":"):
        return more.startswith("//")
    if not _is_located(token):
        return False
    if token.endswith("."):
        return more[:1].islower() or (more[:1].isalnum() and _HOST.search(token) is not None)
    if token.endswith("-"):
        return more[:1].isalnum()
    return located and (token.endswith("=") or more.startswith("/"))


def _is_located(token: str) -> bool:
    """Return whether it is a part of an address, an absolute path or one of several folders."""
    return _ADDRESS.search(token) is not None or _FOLDER.match(token) is not None


def _goes_on(token: str, more: str, words: Collection[str]) -> bool:
    """Return whether the text continues after a path or an address that ends a line with a slash or
    a full stop. It does if the next line begins with another path in the same folder, with a word
    that usually continues a sentence, or with a word that elsewhere follows a slash and a space,
    but no slash alone. Whether the document has the word elsewhere does not matter: parts of paths
    are also words."""
    first = more.split(" ", 1)[0].rstrip(",.;:)").lower()
    if token.endswith("."):
        return first in _GOING_ON and len(first) > _SUFFIX
    if not token.endswith("/"):
        return False
    folder = token.partition("/")[0]
    if folder and more.startswith(f"{folder}/"):
        return True
    if f"/{first}" in words:
        return False
    if first in _GOING_ON:  # `and/or`, `is/are`
        return token.strip("(/").lower() not in _GOING_ON
    return f"/ {first}" in words


def _with_hyphen(text: str, more: str, words: Collection[str]) -> str:
    if text[-2].isalpha() and more[:1].islower():
        head = _WORD.findall(text[-80:-1])[-1:]
        tail = _WORD.match(more[:80])
        if head and tail:
            parted = f"{head[0]}-{tail[0]}".lower()
            if parted in words and parted.replace("-", "") not in words:
                return text
            if "-" in head[0]:  # a compound of more parts keeps its hyphens
                return text
            return text[:-1]
    return text if text[-2].isalnum() else f"{text} "  # before a name or a number


def _is_divided_korean(text: str, more: str, words: Collection[str]) -> bool:
    """Return whether a line ends within a Korean word: after any of its syllables. The document has
    the whole word within a line, but not both parts."""
    if not (_HANGUL.match(text[-1:]) or _HANGUL.match(more[:1])):
        return False
    heads, tail = _WORD.findall(text[-80:]), _WORD.match(more[:80])
    if not heads or not tail or not text.endswith(heads[-1]):
        return False
    head = heads[-1].lower()
    both = head in words and tail[0].lower() in words
    return not both and head + tail[0].lower() in words


def words_of(lines: Sequence[Line]) -> set[str]:
    """Return the words that are whole on a line, in lower case, for `text_with_ending`, and those
    after a slash also with the slash and its space: `/format`, `/ directory`. A Korean word is
    whole if it follows a space, and does not end the line."""
    found: set[str] = set()
    for line in lines:
        inner = line.text[: len(line.text.rstrip("-").rstrip())]
        matches = list(_WORD.finditer(inner))
        last_is_torn = line.text.endswith(("-", SOFT))
        kept = matches[:-1] if last_is_torn else matches
        stop = kept[-1].end() if kept else 0
        found.update(one[0].lower() for one in _BEHIND_SLASH.finditer(inner, 0, stop))
        for one in kept:
            between = inner.startswith(_BEFORE, max(0, one.start() - 1)) and one.end() < len(
                line.text
            )
            if between or not _HANGUL.search(one[0]):
                found.add(one[0].lower())
    return found
