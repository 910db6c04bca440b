"""Plain sentences of marked-up documentation: without HTML tags, directives and front matter."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pincite.answering.sentences.front_matter import entries
from pincite.answering.sentences.roff import words_of_roff
from pincite.answering.sentences.split import Sentence, split
from pincite.answering.sentences.verbatim import decoded, verbatim
from pincite.readers.front_matter_end import MARKS, end_of_front_matter
from pincite.support.fields import replace
from pincite.support.finding.unseen import UNSEEN

#: Languages whose text may have tags.
_MARKED_UP: Final = frozenset(("html", "markdown", "mdx"))
_MARK: Final = "\ufeff"  # the byte order mark
_TAG: Final = re.compile(r"<(?:!--|[!?]|/?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]))")
_ROW: Final = re.compile(r"[ \t]*\|")
_LOOKED_AT: Final = 12  # parts before the text of a term that are read
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
_HEADINGS: Final = frozenset(("title", "h1", "h2", "h3", "h4", "h5", "h6", "summary"))
_LABEL: Final = "summary"
#: Elements whose tags may be placeholders in Markdown, as in `tool --label <label>`.
_AS_PLACEHOLDERS: Final = frozenset(
    "a address b body button code col del dir font footer form frame head header html i input ins"
    " label legend link main mark menu meta nav option p q s section select small span"
    " strike strong style script summary table title tt u var".split()
)
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n")
_CLOSING: Final = re.compile(r"</([A-Za-z][A-Za-z0-9-]*)")
_AROUND: Final = 80  # characters before and after a tag that are read
_SKIPPED: Final = frozenset(("script", "style"))
_CELLS: Final = frozenset(("td", "th"))
_OF_TEXT: Final = _SKIPPED | {"p"}  # blocks whose text may begin in the line of their tag


def words_of_markup(
    text: str, language: str, is_start: bool = True
) -> tuple[str, tuple[Sentence, ...]]:
    """Return the text with tags replaced, and its sentences. The text has the same length: each
    character of an inline tag is `UNSEEN`. Block tags end sentences. Titles and `h1` to `h6` are
    headings; summaries are headings of the text that follows. Entries of front matter are headings
    and items; only the start of a file has them. A term of a list belongs to the sentence that
    follows it, and a row of a table is one sentence. Character references such as `&lt;` are
    decoded, except in code of Markdown. A byte order mark is not displayed. Takes time linear in
    the text."""
    if not text.startswith(_MARK):
        return _words(text, language, is_start)
    words, found = _words(text[1:], language, is_start)
    moved = (replace(one, start=one.start + 1, end=one.end + 1) for one in found)
    return f"{UNSEEN}{words}", tuple(moved)


def _words(text: str, language: str, is_start: bool) -> tuple[str, tuple[Sentence, ...]]:
    if language == "roff":
        return words_of_roff(text)
    begins = text.startswith(MARKS)
    if language not in _MARKED_UP or not ("<" in text or "&" in text or begins):
        return text, split(text, language)
    page = _Page(text, language)
    page.read(end_of_front_matter(text) if is_start and language != "html" else 0)
    words = "".join(page.parts)
    return decoded(words, page.code), tuple(page.placed(split(words, language)))


def shown(words: str) -> str:
    """Return words of a text with markup as they are displayed."""
    return words.replace(UNSEEN, "")


@dataclass(slots=True)
class _Page:
    """Replaces the tags of a text, in order. `headings` are the positions of headings, `code` those
    of code in Markdown."""

    text: str
    language: str
    parts: list[str] = field(default_factory=list)
    headings: list[tuple[int, int, bool]] = field(default_factory=list)  # whether it is a summary
    code: list[tuple[int, int]] = field(default_factory=list)
    front: int = 0  # end of front matter
    at: int = 0
    is_row: bool = False  # the line of `at` is a row of a Markdown table
    last: str = ""  # the block that was opened or closed last
    text_of_term: int = -1  # the part with which the text of a term begins
    opened: int = -1  # start of the open heading
    in_row: bool = False
    end_of_block: int = 0  # after the last block tag
    unclosed: dict[str, int] = field(default_factory=dict)  # counts of open elements by name

    def read(self, front: int) -> None:
        """Read the text, which has front matter up to `front`."""
        text, ends = self.text, _Ends(self.text)
        self.is_row = _ROW.match(text) is not None
        is_html = self.language == "html"
        self.front = front
        self._keep(front)
        self.code = verbatim(text, self.at, self.language)
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
            mark = "-->" if tag[0] == "<!--" else ">"
            if tag[1]:
                end = ends.of_tag(start)
            else:
                end = ends.after("?>" if tag[0] == "<?" and not is_html else mark, start)
            if end < 0:
                self._keep(tag.end())
                continue
            if not tag[1]:
                self._put(start, end, " " * (end - start))
            elif (name in _BLOCKS or name in _INLINE) and (
                is_html or self._is_tag(name, start, end, ends)
            ):
                self._tag(name, start, end, ends)
            elif is_html:
                self._put(start, end, UNSEEN * (end - start))
            else:
                self._keep(end)
        self._keep(len(text))

    def placed(self, found: tuple[Sentence, ...]) -> Iterator[Sentence]:
        """Yield the entries of front matter, then the sentences, with those in headings marked as
        headings."""
        yield from entries(self.text, self.front)
        place = 0
        for one in found:
            if one.start < self.front:
                continue
            while place < len(self.headings) and self.headings[place][1] <= one.start:
                place += 1
            inside = place < len(self.headings) and self.headings[place][0] <= one.start
            yield replace(one, heading=True, label=self.headings[place][2]) if inside else one

    def _tag(self, name: str, start: int, end: int, ends: _Ends) -> None:
        closes = self.text[start + 1] == "/"
        if name in _SKIPPED and not closes:
            raw = self.language == "html" or self._begins_line(start)
            stop = ends.after(f"</{name}", end) if raw or ends.closes(name, end) else -1
            end = stop if stop > 0 else end
        size = end - start
        self._keep(start)
        in_table = self.in_row or self.is_row
        if name in _CELLS:
            put = "|".ljust(size) if self.in_row and not closes else " " * size
        elif name in _INLINE:
            put = " " * size if name == "br" else UNSEEN * size
        elif name == "tr" or (name == "table" and self.language == "html"):
            self.in_row = name == "tr" and not closes
            put = _blank(size)
        elif in_table:
            put = " " * size
        else:
            put = self._block(name, closes, size)
            if name in _HEADINGS:
                if closes and self.opened >= 0:
                    self.headings.append((self.opened, end, name == _LABEL))
                self.opened = -1 if closes else start
        self._put(start, end, put)
        if name in _BLOCKS or name in _CELLS:
            self.end_of_block = end

    def _is_tag(self, name: str, start: int, end: int, ends: _Ends) -> bool:
        """Return whether it is a tag in Markdown, and not a placeholder. A tag has attributes, is
        closed in its paragraph, or is alone on its line."""
        if name not in _AS_PLACEHOLDERS:
            return True
        begins = self._begins_line(start)
        if self.text[start + 1] == "/":
            count = self.unclosed.get(name, 0)
            self.unclosed[name] = max(0, count - 1)
            return begins or count > 0
        is_tag = "=" in self.text[start:end] or self.text[end - 2] == "/"
        if begins and name in _BLOCKS:
            is_tag = is_tag or name in _OF_TEXT or self._ends_line(end)
        if name not in _SKIPPED:
            is_tag = is_tag or ends.closes(name, end)
        if is_tag:
            self.unclosed[name] = self.unclosed.get(name, 0) + 1
        return is_tag

    def _begins_line(self, start: int) -> bool:
        """Return whether only block tags are before it on its line."""
        before = self.text[max(self.end_of_block, start - _AROUND) : start].rstrip(" \t")
        return not before or before[-1] == "\n"

    def _ends_line(self, end: int) -> bool:
        """Return whether nothing or a tag follows it on its line."""
        behind = self.text[end : end + _AROUND]
        return behind.startswith("<") or behind.lstrip(" \t")[:1] in ("", "\r", "\n")

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
        """Return the separator between a term and its text, in the length of the tag."""
        return (":" if self._is_open() else "").ljust(size)

    def _is_open(self) -> bool:
        """Return whether the text before it has no punctuation at its end."""
        for part in reversed(self.parts[-_LOOKED_AT:]):
            if bare := part.replace(UNSEEN, "").rstrip():
                return bare[-1] not in ".:;,?!"
        return False

    def _has_words(self, begins: int) -> bool:
        return any(part.replace(UNSEEN, "").strip() for part in self.parts[begins:])

    def _keep(self, end: int) -> None:
        """Keep the text up to `end`. A row of HTML is put on one line."""
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
    """Return a blank line of `size` characters, at least 3, or 4 with the mark of an item."""
    return f"\n{' ' * (size - 2 - len(item))}\n{item}"


@dataclass(slots=True)
class _Ends:
    """Finds the ends of elements. A mark that is not found is not searched for again, so that the
    time stays linear."""

    text: str
    missing: set[str] = field(default_factory=set)
    closing: dict[str, list[int]] | None = None
    blank_lines: list[int] | None = None

    def after(self, mark: str, start: int) -> int:
        """Return the position after the next `mark`, -1 if there is none."""
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

    def of_tag(self, start: int) -> int:
        """Return the position after the tag, -1 if another one begins before its end."""
        other = self.text.find("<", start + 1)
        return self.text.find(">", start, other if other >= 0 else len(self.text)) + 1 or -1

    def closes(self, name: str, start: int) -> bool:
        """Return whether an element is closed after `start`, before the end of the paragraph."""
        if self.closing is None:
            self.closing = {}
            for one in _CLOSING.finditer(self.text):
                self.closing.setdefault(one[1].lower(), []).append(one.start())
        places = self.closing.get(name, [])
        at = bisect_left(places, start)
        return at < len(places) and places[at] < self.of_paragraph(start)

    def of_paragraph(self, start: int) -> int:
        """Return the end of the paragraph that contains `start`."""
        if self.blank_lines is None:
            self.blank_lines = [one.start() for one in _BLANK_LINE.finditer(self.text)]
        at = bisect_left(self.blank_lines, start)
        return self.blank_lines[at] if at < len(self.blank_lines) else len(self.text)
