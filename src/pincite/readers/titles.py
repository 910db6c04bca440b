"""Find the title of a document in its beginning."""

from __future__ import annotations

import html
import re

from pincite.readers.front_matter import front_matter_of, without_front_matter
from pincite.readers.inline_markup import plain_heading, without_closing_marks
from pincite.readers.markdown_transcripts import spoken, words_first_said
from pincite.readers.transcripts import first_words, is_lines
from pincite.support.late_patterns import late_pattern
from pincite.support.roff.reader import roff_title

_SEARCHED_CHARS = 20_000  # a title must begin before this
_LONGEST_CHARS = 200
_TITLE_FIELD = late_pattern(r"^title[ \t]*[:=][ \t]*(\S.*)$", re.M)
_FENCED = late_pattern(
    r"^[ ]{0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}\1[`~]*[ \t]*\r?$|\Z)", re.S | re.M
)
_ATX = late_pattern(r"^[ ]{0,3}\#{1,2}[ \t]+(\S.*)$", re.M)
_UNDERLINED = late_pattern(
    r"^(?P<title>\S.*)\n(?P<line>(?P<mark>[=\-~^\"'*+#])(?P=mark)+)[ \t]*\r?$", re.M
)
_MARKED = late_pattern(r"^[=#][ \t]+(\S.*)$", re.M)
_ORG_TITLE = late_pattern(r"^\#\+title:[ \t]*(\S.*)$", re.M | re.I)
_HTML_TITLE = late_pattern(r"<(title|h1)\b[^>]{0,1000}>(.{0,1000}?)</\1\s{0,9}>", re.S | re.I)
_TAG = late_pattern(r"<[^>]*>")


def title_of(text: str, path: str, language: str) -> str:
    """Return the document's own title, or its file name. Never empty, one line.

    Code is named by its path: a module docstring describes the module, but is not a title.
    """
    text = text.removeprefix("\ufeff")
    head = text[:_SEARCHED_CHARS]
    found = ""
    if language == "markdown":
        found = _markdown_title(text)
    elif language in ("rst", "text"):
        match = _UNDERLINED.search(head) if language == "rst" else None
        found = match["title"] if match else ""
    elif language == "asciidoc":
        found = _asciidoc_title(head)
    elif language == "org":
        match = _ORG_TITLE.search(head)
        found = match[1] if match else ""
    elif language == "roff":
        found = roff_title(head)
    elif language == "html":
        match = _HTML_TITLE.search(head)
        found = html.unescape(_TAG.sub("", match[2])) if match else ""
    elif language == "transcript":
        found = first_words(text) if is_lines(path) else _conversation_title(text)
    found = " ".join(found.split())[:_LONGEST_CHARS]
    return found or path.rpartition("/")[2]


def _asciidoc_title(head: str) -> str:
    """Return the title of the document: `= Title` or a title above a line of `=`, of its length."""
    marked, underlined = _MARKED.search(head), _UNDERLINED.search(head)
    if marked and not (underlined and underlined.start() < marked.start()):
        return marked[1]
    alike = underlined and abs(len(underlined["line"]) - len(underlined["title"].rstrip())) <= 1
    return underlined["title"] if underlined and alike and underlined["mark"] == "=" else ""


def _conversation_title(text: str) -> str:
    """Return the title of a Markdown transcript before its first turn, otherwise the first words of
    the user."""
    turns = spoken(text[:_SEARCHED_CHARS])
    return _markdown_title(text[: turns[0].start] if turns else "") or words_first_said(text)


def _markdown_title(text: str) -> str:
    body = without_front_matter(text)
    if len(body) < len(text) and (named := _named_title(text, len(text) - len(body))):
        return named
    head = _FENCED.sub("", body[:_SEARCHED_CHARS])
    atx, setext = _ATX.search(head), _UNDERLINED.search(head)
    if setext and setext["mark"] in "=-" and (not atx or setext.start() < atx.start()):
        return plain_heading(setext["title"])
    return plain_heading(without_closing_marks(atx[1])) if atx else ""


def _named_title(text: str, end: int) -> str:
    """Return the title in the front matter, which ends at `end`. If the YAML or TOML cannot be
    read, for example because of a colon in the title, return the text of its line."""
    front = front_matter_of(text)
    if not front.problem:
        return front.title
    field = _TITLE_FIELD.search(text[: min(end, _SEARCHED_CHARS)])
    return field[1].rstrip().strip("\"'") if field else ""
