"""Where sentences begin and end, in answers and in what they cite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pincite.answering.cited import CITATION
from pincite.support.fields import replace

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
    rf"(?<![.!?…])[.!?…]++[\"'”’»)\]*_\0]*+{_CITED}*+(?=\s|\Z)|[。！？][」』”）]*+{_CITED}*+"
)
_FENCE: Final = re.compile(r"[ \t]*(```+|~~~+)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
#: Of Markdown and AsciiDoc.
_HEADING: Final = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+|={1,6}[ \t]+(?=[^\W\d]))")
_ROW: Final = re.compile(r"[ \t]*\|")
#: A line that separates: one mark repeated, the border of a table, what joins blocks in AsciiDoc.
_RULE: Final = re.compile(r"([^\w\s])\1{2,}|[-+=|: \t]{3,}|\+|--|\|={3,}")
#: What begins and ends a block of AsciiDoc.
_DELIMITER: Final = re.compile(r"([-.=*])\1{3,}")
#: The line before a block that says what it is, is its title, or joins it to an item.
_STYLE: Final = re.compile(r"\[(?!\[).*\]|\+|\.[^\W\d_].*")
#: Of reStructuredText and AsciiDoc: targets, substitutions, anchors, attributes of blocks; of
#: MkDocs the first line of a box without a title.
_MARK: Final = re.compile(
    r"\.\.(?:[ \t]+(?:_.*:.*|\|.*))?|__[ \t].*"
    r"|\[\[[^\W\d][^\s\[\]]*\]\]"
    r"|\[(?:[#.%][^\]]*|(?:source|listing|verse|quote|horizontal|example|NOTE|TIP|WARNING"
    r"|IMPORTANT|CAUTION|synopsis)(?:,[^\]]*)?|(?:cols|options|role|width|subs)=[^\]]*)\]"
    r"|(?:ifdef|ifndef|endif|include)::.*|(?:!!!|\?\?\?|:::)[ +{].*"
)
#: Of MkDocs: a box with its title.
_BOX: Final = re.compile(r"[ \t]*(?:!!!|\?\?\?)[ +][^\"\n]{1,60}\"([^\"\n]+)\"")
_FOOTNOTE: Final = re.compile(r"[ \t]*\.\.[ \t]+\[[^\[\]\n]{1,60}\](?=\s|\Z)[ \t]*")
_DIRECTIVE: Final = re.compile(r"[ \t]*\.\.[ \t]+([\w:+-]{1,60}?)::(?=\s|\Z)[ \t]*")
_OF_CODE: Final = frozenset(
    "code code-block sourcecode parsed-literal prompt productionlist".split()
)
_OF_PROSE: Final = frozenset(
    "note warning tip hint important caution danger attention error admonition seealso deprecated"
    " versionadded versionchanged".split()
)
#: Those of them whose name is some of what they say.
NOTICES: Final = frozenset("warning caution danger deprecated versionadded versionchanged".split())
#: Directives whose argument names a file or a setting of the page.
_OF_FILES: Final = frozenset(
    "contents currentmodule figure highlight image include index literalinclude module raw tags"
    " toctree".split()
)
_FIELD: Final = re.compile(r"[ \t]*:[\w ./-]{1,60}:(?=[ \t])")
_ANCHOR: Final = re.compile(r"[ \t]*\[\[[^\W\d][^\s\[\]]*\]\](?=\S)")
_CLOSES: Final = (".", ":", ",", ";")  # ends of a line that is not a title
_WORD: Final = re.compile(r"[^\s(\[\"'“‘]+\Z")
_LETTER: Final = re.compile(r"[^\W\d_]\.")
_SIZE: Final = 4  # of a delimiter, by convention
_MOST_WORD = 40  # characters before a full stop that are looked at
_INDENT = 40  # of a line after it
#: Of what is not split: code in backticks, links, and brackets of a line.
_WHOLE: Final = re.compile(r"`[^`\n]{1,300}`|\[[^\[\]\n]{1,300}\](?:\([^()\s]{1,500}\))?")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text[start:end]`, without white space around it. `paragraph` counts those of the text. Code
    is a line in a fence or of an indented block; a heading and a row of a table are by themselves.
    `item`: an item of a list begins here, a row, or a term with its text. `label`: a
    heading of the sentence that follows: what a directive describes, or the title of a box."""

    start: int
    end: int
    paragraph: int = 0
    code: bool = False
    heading: bool = False
    item: bool = False
    label: bool = False


def split(text: str, *, is_answer: bool = False) -> tuple[Sentence, ...]:
    """The sentences of a text, in order. A line break ends none, but for a blank line, a heading,
    an item of a list, a row of a table and lines of code. What marks an item is no part of it. No
    citation is ever split, and `[1]` behind a full stop belongs to the sentence before it. Takes
    time linear in the text.

    Of Markdown, reStructuredText and AsciiDoc, the line above a rule is a heading, what a directive
    is about, and the title of a box. Rules, targets, anchors, comments and names of directives are
    no sentences, but for the names of notices, as in `deprecated:: 3.9`. The block that `::` or a
    directive for code introduces is code, and one between `----` or `....`. Where `is_answer`, no
    words are left out, as a model writes Markdown."""
    lines = text.splitlines(keepends=True)
    reader = _Reader(text, {} if is_answer else _blocks(lines), is_answer)
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        reader.read(line, bool(following.strip()))
    reader.end_prose()
    return tuple(reader.found)


def _blocks(lines: list[str]) -> dict[int, bool]:
    """The places of the delimiters that begin a block of AsciiDoc: is it code? Rules of other
    languages look alike: above and below a title, and between sections."""
    blocks: dict[int, bool] = {}
    next_of: dict[str, int] = {}
    at, blank = sum(map(len, lines)), len(lines)
    for number in range(len(lines) - 1, -1, -1):
        at -= len(lines[number])
        bare = lines[number].rstrip()
        if not bare:
            blank = number
        elif _DELIMITER.fullmatch(bare):
            end = next_of.get(bare, 0)
            next_of[bare] = number
            inside = lines[number + 1 : number + 2] + lines[max(0, end - 1) : end]
            styled = number > 0 and _STYLE.fullmatch(lines[number - 1].strip()) is not None
            exact = len(bare) == _SIZE
            overlined = end == number + 2 and len(bare) >= len(inside[0].strip())
            if end <= number + 1 or (overlined and not (styled and exact)):
                continue
            if exact and (styled or all(map(str.strip, inside))):
                blocks[at] = bare[0] in "-."
            elif blank > end:
                blocks[at] = False
    return blocks


@dataclass(slots=True)
class _Reader:
    """Reads one line after the other. `begun` is where the prose begins that is open, -1 for none,
    `line` where its last line does. `fence` is what ends a block of code, `literal` the indent of
    what introduced an indented one, -1 for none. `blocks` are those of AsciiDoc, `block` what ends
    one of prose."""

    text: str
    blocks: Mapping[int, bool]
    is_answer: bool = False
    found: list[Sentence] = field(default_factory=list)
    at: int = 0
    paragraph: int = 0
    begun: int = -1
    line: int = 0
    fence: str = ""
    block: str = ""
    literal: int = -1
    is_item: bool = False
    is_term: bool = False

    def read(self, line: str, goes_on: bool) -> None:
        """Read the next line. `goes_on`: the line after it is not blank."""
        bare = line.strip()
        if not self._in_code(line, bare):
            self._words(line, bare, goes_on)
        self.at += len(line)

    def _in_code(self, line: str, bare: str) -> bool:
        """Read a line of a block of code, or tell that it is none."""
        if self.fence:
            if bare.startswith(self.fence) and not bare.strip(self.fence[0]):
                self.fence = ""
            else:
                self._add(line, bare, code=True)
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
        elif (marked := _FENCE.match(line)) and not self._is_title(bare):
            self.end_prose()
            self.fence = marked[1]
        elif _RULE.fullmatch(bare):
            self._rule(bare)
        elif not self.is_answer and (directive := _DIRECTIVE.match(line)):
            self.end_prose()
            self._directive(directive, line)
        elif not self.is_answer and (note := _FOOTNOTE.match(line)):
            self.end_prose()
            if line[note.end() :].strip():
                self._begin(self.at + note.end())
        elif not self.is_answer and (box := _BOX.match(line)):
            self.end_prose()
            self._label(self.at + box.start(1), self.at + box.end(1))
        elif not self.is_answer and _MARK.fullmatch(bare):
            self.end_prose()
        elif _HEADING.match(line):
            self.end_prose()
            self._add(line, bare, heading=True)
        elif _ROW.match(line):
            self.end_prose()
            self._add(line, bare, item=True)
        else:
            self.is_term = goes_on and bare.endswith("::")  # of AsciiDoc, before its text
            anew = _ITEM.match(line) or _FIELD.match(line) or (self.is_term and not was_term)
            if anew:
                self.end_prose()
            if self.begun < 0:
                anchor = None if self.is_answer else _ANCHOR.match(line)
                self._begin(self.at + anchor.end() if anchor else self.at)
                self.is_item = bool(anew)
            self.line = self.at
            if (
                bare.endswith("::") and not goes_on and not self.is_answer
            ):  # of reStructuredText, before code
                self.literal = _indent(line)

    def _begin(self, at: int) -> None:
        self.begun = self.line = at
        self.is_item = False

    def _directive(self, match: re.Match[str], line: str) -> None:
        name = match[1]
        argument, end = self.at + match.end(), self.at + len(line)
        bare = self.text[argument:end].strip()
        if name in _OF_CODE:
            self.literal = _indent(line)
        elif name in _OF_PROSE and bare:
            self._begin(self.at + match.start(1) if name in NOTICES else argument)
        elif bare and name not in _OF_FILES:
            self._label(argument, end)

    def _label(self, start: int, end: int) -> None:
        part = _trimmed(self.text, start, end, self.paragraph, heading=True)
        self.found.append(replace(part, label=True))

    def _is_title(self, bare: str) -> bool:
        """Is the last line of the open prose a title, and this its rule? It is as long as the rule,
        or one line by itself that ends as a title does."""
        if self.begun < 0 or len(set(bare)) > 1 or bare == self.block:
            return False
        title = self.text[self.line : self.at].strip()
        alone = self.line == self.begun and bare[0] not in "~`"
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
        if bare == self.block:
            self.block = ""
        elif opens and self.at in self.blocks:
            if self.blocks[self.at]:
                self.fence = bare
            else:
                self.block = bare

    def _add(
        self,
        line: str,
        bare: str,
        *,
        code: bool = False,
        heading: bool = False,
        item: bool = False,
    ) -> None:
        if bare:
            part = _trimmed(
                self.text, self.at, self.at + len(line), self.paragraph, code=code, heading=heading
            )
            self.found.append(replace(part, item=True) if item else part)

    def end_prose(self) -> None:
        """The prose that is open ends here."""
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
    kept = [one for one in spans if one.end > one.start]
    if is_item and kept:
        kept[0] = replace(kept[0], item=True)
    return kept


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
