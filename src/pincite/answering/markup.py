"""What marked-up documentation says: its text without HTML tags and front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pincite.answering.sentences import Sentence, split
from pincite.answering.verbatim import UNSEEN, decoded, verbatim
from pincite.support.fields import replace

#: Languages whose text may have tags.
_MARKED_UP: Final = frozenset(("html", "markdown", "mdx"))
_TAG: Final = re.compile(r"<(?:!--|[!?]|/?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]))")
_OF_FRONT: Final = re.compile(r"[\w-]+:|[ \t#-]|\s*\Z")
_ROW: Final = re.compile(r"[ \t]*\|")
_LOOKED_AT: Final = 12  # parts before a term's text
_BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset"
    " figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html legend li"
    " link main menu meta nav noscript ol option p pre script section select style summary table"
    " tbody template tfoot thead title tr ul".split()
)
_INLINE: Final = frozenset(
    "a abbr acronym b bdo big br button cite code col colgroup del em font i iframe img input ins"
    " kbd label mark nobr q s samp small span strike strong sub sup td th tt u var wbr".split()
)
_HEADINGS: Final = frozenset(("title", "h1", "h2", "h3", "h4", "h5", "h6"))
_SKIPPED: Final = frozenset(("script", "style"))


def words_of_markup(text: str, language: str) -> tuple[str, tuple[Sentence, ...]]:
    """The text with tags replaced, and its sentences. The text has the same length: each character
    of an inline tag is `UNSEEN`. Tags of blocks end sentences; titles, `h1` to `h6` and front
    matter are headings. A term of a list belongs to the sentence that follows it, and a row of a
    table is one sentence. `&lt;` and its like are the characters that they name, except in code of
    Markdown. Takes time linear in the text."""
    if language not in _MARKED_UP or not ("<" in text or "&" in text or text.startswith("---")):
        return text, split(text)
    page = _Page(text, is_html=language == "html")
    page.read()
    words = "".join(page.parts)
    return decoded(words, page.code), tuple(page.placed(split(words)))


def _front_matter(text: str) -> int:
    """Where the front matter ends, 0 for none."""
    end = 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        end += len(line)
        is_fence = line.rstrip() == "---"
        if is_fence and number:
            return end
        if not (is_fence or _OF_FRONT.match(line)) or (not number and not is_fence):
            return 0
    return 0


def shown(words: str) -> str:
    """Words of a text with markup as they are displayed."""
    return words.replace(UNSEEN, "")


@dataclass(slots=True)
class _Page:
    """Replaces the tags of a text, in order. `headings` are the places of headings, `code` those of
    code in Markdown."""

    text: str
    is_html: bool
    parts: list[str] = field(default_factory=list)
    headings: list[tuple[int, int]] = field(default_factory=list)
    code: list[tuple[int, int]] = field(default_factory=list)
    at: int = 0
    is_row: bool = False  # of a table of Markdown: the line of `at`
    last: str = ""  # the block that was opened or closed last
    text_of_term: int = -1  # the part after which the text of a term begins
    opened: int = -1  # where the heading begins that is open
    in_row: bool = False

    def read(self) -> None:
        text, ends = self.text, _Ends(self.text)
        self.is_row = _ROW.match(text) is not None
        front = 0 if self.is_html else _front_matter(text)
        if front:
            self.headings.append((0, front))
            self._keep(front)
        self.code = [] if self.is_html else verbatim(text, self.at)
        code = iter(self.code)
        skipped = next(code, None)
        while (tag := _TAG.search(text, self.at)) is not None:
            start = tag.start()
            while skipped is not None and skipped[1] <= start:
                skipped = next(code, None)
            if skipped is not None and skipped[0] <= start:
                self._keep(skipped[1])
                continue
            name = (tag[1] or "").lower()
            end = ends.after("-->" if tag[0] == "<!--" else ">", start)
            if end < 0 or (tag[1] and text.find("<", start + 1, end) >= 0):
                self._keep(tag.end())
                continue
            if not tag[1]:
                self._put(start, end, " " * (end - start))
            elif name in _BLOCKS or name in _INLINE:
                self._tag(name, start, end, ends)
            elif self.is_html:
                self._put(start, end, UNSEEN * (end - start))
            else:
                self._keep(end)
        self._keep(len(text))

    def placed(self, found: tuple[Sentence, ...]) -> Iterator[Sentence]:
        """The sentences, those of headings as headings."""
        place = 0
        for one in found:
            while place < len(self.headings) and self.headings[place][1] <= one.start:
                place += 1
            inside = place < len(self.headings) and self.headings[place][0] <= one.start
            yield replace(one, heading=True) if inside else one

    def _tag(self, name: str, start: int, end: int, ends: _Ends) -> None:
        closes = self.text[start + 1] == "/"
        if name in _SKIPPED and not closes:
            stop = ends.after(f"</{name}", end)
            end = stop if stop > 0 else end
        size = end - start
        self._keep(start)
        in_table = self.in_row or self.is_row
        if name in ("td", "th"):
            put = "|".ljust(size) if self.in_row and not closes else " " * size
        elif name in _INLINE:
            put = " " * size if name == "br" else UNSEEN * size
        elif name == "tr" or (name == "table" and self.is_html):
            self.in_row = name == "tr" and not closes
            put = _blank(size)
        elif in_table:
            put = " " * size
        else:
            put = self._block(name, closes, size)
            if name in _HEADINGS:
                if closes and self.opened >= 0:
                    self.headings.append((self.opened, end))
                self.opened = -1 if closes else start
        self._put(start, end, put)

    def _block(self, name: str, closes: bool, size: int) -> str:
        if closes and name == "dt":
            self.last = "/dt"
            return self._colon(size)
        follows = name == "dd" or (name == "dt" and self.last == "/dt")
        if not closes and follows and self.last in ("dt", "/dt"):
            self.last = name
            self.text_of_term = len(self.parts) + 1
            return self._colon(size)
        begins, self.text_of_term = self.text_of_term, -1
        if begins >= 0 and not closes and not self._has_words(begins):
            return " " * size
        self.last = f"/{name}" if closes else name
        return _blank(size, "- " if name in ("li", "dt") and not closes else "")

    def _colon(self, size: int) -> str:
        """What stands between a term and its text."""
        return (":" if self._is_open() else "").ljust(size)

    def _is_open(self) -> bool:
        """Does what stands before have no mark at its end?"""
        for part in reversed(self.parts[-_LOOKED_AT:]):
            if bare := part.replace(UNSEEN, "").rstrip():
                return bare[-1] not in ".:;,?!"
        return False

    def _has_words(self, begins: int) -> bool:
        return any(part.replace(UNSEEN, "").strip() for part in self.parts[begins:])

    def _keep(self, end: int) -> None:
        """Keep the text up to there; rows of HTML are one line."""
        if end > self.at:
            part = self.text[self.at : end]
            self._put(self.at, end, part.replace("\n", " ") if self.in_row else part)

    def _put(self, start: int, end: int, words: str) -> None:
        if start > self.at:
            self._keep(start)
        self.parts.append(words)
        line = self.text.rfind("\n", self.at, end)
        if line >= 0:
            self.is_row = _ROW.match(self.text, line + 1) is not None
        self.at = end


def _blank(size: int, item: str = "") -> str:
    """A blank line of that many characters, at least 3, and with the mark of an item at least 4."""
    return f"\n{' ' * (size - 2 - len(item))}\n{item}"


@dataclass(slots=True)
class _Ends:
    """Where something ends that has to be closed. What is not found once is not looked for again,
    so that the time stays linear."""

    text: str
    missing: set[str] = field(default_factory=set)

    def after(self, mark: str, start: int) -> int:
        """The place behind the next `mark`, -1 for none."""
        if mark in self.missing:
            return -1
        found = self.text.find(mark, start)
        if found < 0:
            self.missing.add(mark)
            return -1
        if mark.startswith("</"):
            stop = self.text.find(">", found)
            return stop + 1 if stop >= 0 else len(self.text)
        return found + len(mark)
