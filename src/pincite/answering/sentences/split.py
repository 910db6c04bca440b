"""Split texts into sentences: answers and the passages that they cite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pincite.answering.sentences import asciidoc, directives
from pincite.answering.sentences.ends import sentences_of
from pincite.answering.sentences.markdown_marks import BOX, ITEM, Fence, fence_of, title_of
from pincite.support.fields import replace

#: Headings of Markdown and AsciiDoc.
_HEADING: Final = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+|={1,6}[ \t]+(?=[^\W\d]))")
_ROW: Final = re.compile(r"[ \t]*\|")
#: A line that separates: a repeated mark, the border of a table, or a mark that joins blocks in
#: AsciiDoc.
_RULE: Final = re.compile(r"([^\w\s])\1{2,}|[-+=|: \t]{3,}|\+|--|\|={3,}")
#: The first line of a block that has attributes in place of a name.
_ATTRIBUTES: Final = re.compile(r"(?:!!!|\?\?\?|:::)[ +]\{.*")
_FIELD: Final = re.compile(r"[ \t]*:[\w ./-]{1,60}:(?=[ \t])")
_CLOSES: Final = (".", ":", ",", ";")  # ends of a line that is not a title


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence at `text[start:end]`, without white space around it. `paragraph` counts the
    paragraphs of the text. A line of `code` is in a fence or an indented block; a `heading` and a
    `row` of a table are separate sentences. With `item`, an item of a list begins here, a row, or a
    term with its text. A `label` is the heading of the next sentence: the object of a directive, or
    the title of a box, a tab or a summary. `depth` and `mark` are for lists of a manual page: the
    depth, and a mark that all items of a list, or lines of its code, share; "" otherwise."""

    start: int
    end: int
    paragraph: int = 0
    code: bool = False
    heading: bool = False
    item: bool = False
    label: bool = False
    row: bool = False
    depth: int = 0
    mark: str = ""


def split(text: str, language: str = "text", *, is_answer: bool = False) -> tuple[Sentence, ...]:
    """Return the sentences of a text, in order. A line break ends a sentence only at a blank line,
    a heading, an item of a list, a row of a table and in lines of code. The mark of an item is not
    part of it. Citations are not split, and `[1]` after a full stop belongs to the sentence before
    it. Takes time linear in the text.

    In Markdown, reStructuredText and AsciiDoc, the line above a rule is a heading, and so are the
    object of a directive and the title of a box or a tab. Rules, targets, anchors, names and
    options of directives are not sentences, except the names of notices, as in `deprecated:: 3.9`.
    The block after `::` or a directive for code is code.

    The language of the document decides about marks that several languages have. Comments are left
    out of `rst` and `asciidoc`. `----` and `....` begin code in `asciidoc`, and in `text` below
    `[source]` and similar lines. Three tildes do not begin code in `rst` and `asciidoc`. With
    `is_answer`, no words are left out, because models write Markdown.
    """
    lines = text.splitlines(keepends=True)
    blocks = {} if is_answer else asciidoc.blocks_of(lines, language)
    reader = _Reader(text, blocks, language, is_answer)
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        reader.read(line, bool(following.strip()))
    reader.end_prose()
    return tuple(reader.found)


@dataclass(slots=True)
class _Reader:
    """Reads lines one after the other. `begun` is the start of the open prose, -1 for none, `line`
    the start of its last line. `fence` is the open block of code, `listing` the end of one of
    AsciiDoc, `literal` the indent of the introduction of an indented one, -1 for none. `hidden` is
    such an indent for a block without text. `options` is the indent of a directive whose options
    may follow, `option` that of the last option. `blocks` are those of AsciiDoc, `block` is the end
    of one of prose."""

    text: str
    blocks: Mapping[int, asciidoc.Kind]
    language: str
    is_answer: bool = False
    found: list[Sentence] = field(default_factory=list)
    at: int = 0
    paragraph: int = 0
    begun: int = -1
    line: int = 0
    fence: Fence | None = None
    listing: str = ""
    is_comment: bool = False
    block: str = ""
    literal: int = -1
    hidden: int = -1
    options: int = -1
    option: int = 0
    is_item: bool = False
    is_term: bool = False

    def read(self, line: str, goes_on: bool) -> None:
        """Read the next line. `goes_on` means that the line after it is not blank."""
        bare = line.strip()
        if not (self._is_hidden(line, bare) or self._in_code(line, bare)):
            self._words(line, bare, goes_on)
        self.at += len(line)

    def _is_hidden(self, line: str, bare: str) -> bool:
        """Return whether it is an option of a directive, or within a comment or a block without
        text."""
        indent = _indent(line)
        if self.options >= 0:
            if bare and indent > self.options:
                is_option = directives.OPTION.match(bare) is not None
                if is_option or 0 < self.option < indent:
                    self.option = indent if is_option else self.option
                    return True
            self.options = -1
        if self.hidden < 0:
            return False
        if bare and indent <= self.hidden:
            self.hidden = -1
            return False
        self.paragraph += not bare
        return True

    def _in_code(self, line: str, bare: str) -> bool:
        """Read a line of a block of code; return False if the line is not in one."""
        if self.listing:
            if line.rstrip() == self.listing:
                self.listing = ""
            elif not self.is_comment:
                self._add(line, bare, code=True)
            return True
        if self.fence is not None:
            end = self.fence.end(line)
            if end < 0:
                self._add(line, bare, code=True)
                return True
            self.fence = None
            if not end:
                return False
            if line[end:].strip():
                self._begin(self.at + end)
            return True
        if self.literal < 0:
            return False
        if bare and _indent(line) <= self.literal:
            self.literal = -1
            return False
        self.end_prose()
        self.paragraph += not bare
        self._add(line, bare, code=True)
        return True

    def _words(self, line: str, bare: str, goes_on: bool) -> None:
        was_term, self.is_term = self.is_term, False
        if not bare:
            self.end_prose()
            self.paragraph += 1
        elif (fence := self._fence(line)) and not self._is_title(bare):
            self.end_prose()
            self.fence = fence
        elif _RULE.fullmatch(bare):
            self._rule(bare)
        elif not self.is_answer and self._mark(line, bare, goes_on):
            pass
        elif _HEADING.match(line):
            self.end_prose()
            self._add(line, bare, heading=True)
        elif _ROW.match(line):
            self.end_prose()
            self._add(line, bare, row=True)
        else:
            self.is_term = goes_on and bare.endswith("::")  # of AsciiDoc, before its text
            anew = ITEM.match(line) or _FIELD.match(line) or (self.is_term and not was_term)
            if anew:
                self.end_prose()
            if self.begun < 0:
                anchor = None if self.is_answer else asciidoc.ANCHOR.match(line)
                self._begin(self.at + anchor.end() if anchor else self.at)
                self.is_item = bool(anew)
            self.line = self.at
            if (
                bare.endswith("::") and not goes_on and not self.is_answer
            ):  # of reStructuredText, before code
                self.literal = _indent(line)

    def _fence(self, line: str) -> Fence | None:
        fence = fence_of(line)
        underlined = self.language in ("rst", "asciidoc") and not self.is_answer
        return None if fence and underlined and fence.mark[0] == "~" else fence

    def _mark(self, line: str, bare: str, goes_on: bool) -> bool:
        """Read a line of markup that is not only text; return False for other lines."""
        is_asciidoc = self.language == "asciidoc"
        if directive := directives.DIRECTIVE.match(line):
            self.end_prose()
            self._directive(directive, line)
        elif note := directives.FOOTNOTE.match(line):
            self.end_prose()
            if line[note.end() :].strip():
                self._begin(self.at + note.end())
        elif not is_asciidoc and (box := BOX.match(line)):
            self.end_prose()
            self.paragraph += 1
            start, end = title_of(box)
            if end:
                self._label(self.at + start, self.at + end)
        elif (
            directives.TARGET.fullmatch(bare)
            or asciidoc.MARK.fullmatch(bare)
            or _ATTRIBUTES.fullmatch(bare)
            or (is_asciidoc and asciidoc.COMMENT.fullmatch(bare))
        ):
            self.end_prose()
        elif directives.COMMENT.match(line) and (self.language == "rst" or bare == ".."):
            self.end_prose()
            if self.language == "rst" and (goes_on or bare != ".."):
                self.hidden = _indent(line)
        else:
            return False
        return True

    def _begin(self, at: int) -> None:
        self.begun = self.line = at
        self.is_item = False

    def _directive(self, match: re.Match[str], line: str) -> None:
        kind = directives.kind_of(match[1])
        argument, end = self.at + match.end(), self.at + len(line)
        has_argument = bool(self.text[argument:end].strip())
        self.options, self.option = _indent(line), 0
        if kind == "code":
            self.literal = _indent(line)
        elif kind == "hidden":
            self.hidden = _indent(line)
        elif kind in ("notice", "prose") and has_argument:
            self._begin(self.at + match.start(1) if kind == "notice" else argument)
        elif kind == "label" and has_argument:
            self._label(argument, end)

    def _label(self, start: int, end: int) -> None:
        part = _trimmed(self.text, start, end, self.paragraph, heading=True)
        self.found.append(replace(part, label=True))

    def _is_title(self, bare: str) -> bool:
        """Return whether the last line of the open prose is a title, and this its rule. The title
        is at most as long as the rule, or a single line that ends like a title."""
        if self.begun < 0 or len(set(bare)) > 1 or bare in ("+", self.block):
            return False
        title = self.text[self.line : self.at].strip()
        alone = self.line == self.begun and bare[0] not in "~`:"
        bare_title = alone and not title.endswith(_CLOSES)
        return bare_title or (len(bare) >= len(title) and not self.is_answer)

    def _rule(self, bare: str) -> None:
        is_title = self._is_title(bare)
        opens = not is_title or self.text.startswith(".", self.line)  # of AsciiDoc, of a block
        if is_title:
            self.found += _prose(self.text, self.begun, self.line, self.paragraph, self.is_item)
            title = _trimmed(self.text, self.line, self.at, self.paragraph, heading=True)
            self.found.append(title)
            self.begun = -1
        self.end_prose()
        self.paragraph += bare[0] == ":"  # the end of a box
        if bare == self.block:
            self.block = ""
        elif opens and (kind := self.blocks.get(self.at)):
            if kind == "prose":
                self.block = bare
            else:
                self.listing, self.is_comment = bare, kind == "comment"

    def _add(
        self,
        line: str,
        bare: str,
        *,
        code: bool = False,
        heading: bool = False,
        row: bool = False,
    ) -> None:
        if bare:
            part = _trimmed(
                self.text, self.at, self.at + len(line), self.paragraph, code=code, heading=heading
            )
            self.found.append(replace(part, item=True, row=True) if row else part)

    def end_prose(self) -> None:
        """End the open prose here."""
        if self.begun >= 0:
            self.found += _prose(self.text, self.begun, self.at, self.paragraph, self.is_item)
            self.begun = -1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _trimmed(
    text: str, start: int, end: int, paragraph: int, *, code: bool = False, heading: bool = False
) -> Sentence:
    part = text[start:end]
    kept = part.rstrip() if code else part.strip()
    begin = start if code else start + len(part) - len(part.lstrip())
    return Sentence(begin, begin + len(kept), paragraph, code, heading)


def _prose(
    text: str, start: int, end: int, paragraph: int, is_item: bool = False
) -> list[Sentence]:
    """Return the sentences of a run of lines."""
    part = text[start:end]
    marker = ITEM.match(part)
    found = sentences_of(part, marker.end() if marker else 0)
    spans = (_trimmed(text, start + one, start + other, paragraph) for one, other in found)
    kept = [one for one in spans if one.end > one.start]
    if is_item and kept:
        kept[0] = replace(kept[0], item=True)
    return kept
