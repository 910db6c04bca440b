"""Find the metadata of an uploaded document by rules: title, category, document type, data
structure, language, dates. Each field has one function of the file name and the text, which also
returns the rule that applied. `docs/workspaces.md` lists the rules, and decision 0045 reports how
often they are right.

A field without a matching rule is left out. Rules read the first `LOOK` characters, and a bounded
part of each line.
"""

from __future__ import annotations

import re
from typing import Final

from pincite.providers.sparse.language import UNKNOWN, guess_language
from pincite.readers.languages import file_type
from pincite.readers.titles import title_of
from pincite.support.terminal import without_hidden
from pincite.workspace.metadata.dates import dates_of
from pincite.workspace.metadata.structure import LOOK, data_structure_of, is_json, is_settings
from pincite.workspace.metadata.words import (
    CATEGORY_OF_TYPE,
    CATEGORY_WORDS,
    TYPE_PHRASES,
    TYPE_WORDS,
)

ValueWithRule = tuple[str, str]  #: a value and its rule; both are empty if none applies

_MOST_CHARS: Final = 1_000  # of a value; guess, unmeasured
_TITLE_CHARS: Final = 120  # a longer first line is not a title; guess, unmeasured
_BEGINNING: Final = 5_000  # characters that are searched for phrases of a type; guess, unmeasured
_LEAD: Final = 1.5  # factor over the words of the second category; guess, unmeasured
_FEWEST: Final = 4  # different words that a category needs; guess, unmeasured
_NOTHING: Final[ValueWithRule] = ("", "")

_TYPE_OF_LANGUAGE: Final = {
    "csv": "table", "tsv": "table", "spreadsheet": "table", "json": "data", "xml": "data",
    "yaml": "configuration", "toml": "configuration", "ini": "configuration",
    "slides": "presentation", "epub": "book", "notebook": "notebook",
}  # fmt: skip
_WORD: Final = re.compile(r"[^\W\d_]+")
_HEADING: Final = re.compile(
    r"^(?:[ ]{0,3}#{1,6}[ \t]+(\S.{0,300})|[ ]{0,20}<h[1-3]\b[^>\n]{0,200}>([^<]{1,300}))", re.M
)
_OPEN_FENCE: Final = re.compile(r"^(?:```|~~~)", re.M)
_MAIL: Final = re.compile(r"(?:From|To|Subject|Date|Cc|Von|An|Betreff): ?\S")
_SUBJECT: Final = re.compile(r"^(?:Subject|Betreff):[ \t]*(\S.{0,300})$", re.M)
_VERSION: Final = re.compile(
    r"[\s#*=\[(]{0,9}(?:(?:version|release|changes in)\s)?v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?\b", re.I
)
_STAMP: Final = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\w{3} [ \d]\d \d\d:\d\d:\d\d |\S{1,60} - - \[\d\d/\w{3}/"
)
_SPEAKER: Final = re.compile(r"(?:\[?\d\d?:\d\d(?::\d\d)?\]?\s)?([A-Z][\w.' -]{0,30}):\s")
_PAPER: Final = re.compile(
    r"^\W{0,5}(?:\d\.?\s)?(abstract|introduction|references|conclusions?|acknowledgements?)\b",
    re.I | re.M,
)
_CODE_FENCE: Final = re.compile(r"^[ ]{0,12}(?:```|~~~|\.\. code-block::|::$)", re.M)


def found_metadata(filename: str, text: str, title: str = "") -> dict[str, str]:
    """Return the fields that rules find, each with `FIELD_from`, the rule that found it. `title` is
    the title in the file, if its reader returned one."""
    head = text[:LOOK]
    named = title_found(filename, head, title)
    structure = data_structure_of(filename, text)
    kind = document_type_of(filename, head, named[0], structure[0])
    days, days_from = dates_of(filename, head)
    found: dict[str, ValueWithRule] = {
        "title": named,
        "category": category_of(head, kind[0]),
        "document_type": kind,
        "data_structure": structure,
        "language": language_of(head),
        "dates": (", ".join(days), days_from),
    }
    metadata: dict[str, str] = {}
    for field, (value, rule) in found.items():
        if shown := _one_line(value):
            metadata |= {field: shown, f"{field}_from": rule}
    return metadata


def title_found(filename: str, head: str, title: str = "") -> ValueWithRule:
    """Return the first of these that exists: the title in the file, the subject of a mail, the
    first heading, a first line that looks like a title, the file name."""
    if title.strip() and title != filename:
        return title, "file"
    if _is_mail(head) and (subject := _SUBJECT.search(head[:_BEGINNING])):
        return subject[1], "subject"
    found = file_type(filename)
    language = found.language if found else "text"
    if language == "text" and data_structure_of(filename, head)[0] in ("prose", "mixed"):
        read = title_of(head, filename, "markdown")
        if read != filename:
            return read, "heading"
        lines = head[:_BEGINNING].lstrip("\ufeff\r\n \t").splitlines()
        first = lines[0].strip() if lines else ""
        alone = len(lines) > 1 and not lines[1].strip(" \t=-*~#")
        if alone and 0 < len(first) <= _TITLE_CHARS and first[-1] not in ",;:" and _words(first):
            return first.rstrip(" ."), "first line"
    else:
        read = title_of(head, filename, language)
        if read != filename:
            return read, "heading"
    return filename, "filename"


def document_type_of(filename: str, head: str, title: str, structure: str) -> ValueWithRule:
    """Return the type of the document by its name, suffix, title and structure, in this order."""
    found = file_type(filename)
    language = found.language if found else ""
    is_code = found is not None and found.source_type == "code"
    if is_code:
        return "code", "suffix"
    stem = filename.rpartition(".")[0] or filename
    if named := _type_in(stem):
        return named, "filename"
    if language in _TYPE_OF_LANGUAGE:
        return _TYPE_OF_LANGUAGE[language], "suffix"
    if filename.lower().endswith(".log"):
        return "log", "suffix"
    if _is_mail(head):
        return "email", "lines"
    if title != filename and len(title.split()) <= 8 and (named := _type_in(title)):
        return named, "title"
    if shaped := _type_by_shape(head, structure):
        return shaped, "lines"
    beginning = " ".join(head[:_BEGINNING].lower().split())
    for kind, phrases in TYPE_PHRASES.items():
        if any(phrase in beginning for phrase in phrases):
            return kind, "phrase"
    if len(set(_lower(_PAPER.findall(head)))) >= 3:
        return "paper", "headings"
    headings = _HEADING.findall(head)
    if len(headings) >= 2 and (_CODE_FENCE.search(head) or "`" in head):
        return "documentation", "headings"
    return _NOTHING


def category_of(head: str, document_type: str) -> ValueWithRule:
    """Return the category of the document by its type, else by words in its text."""
    if document_type in CATEGORY_OF_TYPE:
        return CATEGORY_OF_TYPE[document_type], "document_type"
    counts = dict.fromkeys(_CATEGORY_BY_WORD, 0)
    for word in _WORD.findall(head[:20_000].lower()):
        if word in counts:
            counts[word] += 1
    scores = dict.fromkeys(CATEGORY_WORDS, 0.0)
    different = dict.fromkeys(CATEGORY_WORDS, 0)
    for word, times in counts.items():
        if times:
            for category in _CATEGORY_BY_WORD[word]:
                scores[category] += min(times, 5)
                different[category] += 1
    (best, score), (_, second) = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:2]
    if different[best] >= _FEWEST and score >= _LEAD * second:
        return best, "words"
    return _NOTHING


def language_of(head: str) -> ValueWithRule:
    """Return the language under the name of its stemmer, such as `german`."""
    language = guess_language(head)
    return _NOTHING if language == UNKNOWN else (language, "words")


def _type_by_shape(head: str, structure: str) -> str:
    lines = [line[:400] for line in head.splitlines() if line.strip()]
    if len(lines) >= 3 and sum(bool(_STAMP.match(one)) for one in lines) >= 0.6 * len(lines):
        return "log"
    if structure == "tabular":
        return "table"
    if structure == "structured" and not (_OPEN_FENCE.search(head) and _HEADING.search(head)):
        start = head.lstrip("\ufeff \r\n\t")[:5].lower()
        if start == "<?php":
            return "code"
        if start[:1] == "<" or is_json(head, whole=len(head) < LOOK):
            return "data"
        return "configuration" if is_settings(head) else "code"
    titles = [one for one in lines if one.lstrip()[:1] in "#*=[" or _VERSION.match(one)]
    versions = sum(bool(_VERSION.match(one)) and len(one) < 80 for one in lines)
    if versions >= 3 and versions >= 0.3 * len(titles):
        return "changelog"
    speakers = [match[1] for one in lines if (match := _SPEAKER.match(one))]
    if len(speakers) >= 4 and len(speakers) >= 0.5 * len(lines) and len(set(speakers)) >= 2:
        return "conversation" if len(set(speakers)) <= 0.5 * len(speakers) else ""
    return ""


def _is_mail(head: str) -> bool:
    first = head[:2_000].lstrip("\ufeff\r\n ").splitlines()[:8]
    return sum(bool(_MAIL.match(one)) for one in first) >= 2 and bool(_MAIL.match(first[0]))


def _type_in(name: str) -> str:
    lower = name.lower().replace("_", " ").replace("-", " ")
    words = set(_WORD.findall(lower))
    for kind, (singles, phrases) in _TYPES.items():
        if words & singles or any(phrase in lower for phrase in phrases):
            return kind
    return ""


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _lower(texts: list[str]) -> list[str]:
    return [text.lower().rstrip("s") for text in texts]


def _one_line(value: str) -> str:
    """Return the value as one line without control characters, direction marks and lone
    surrogates."""
    shown = without_hidden(value[: 2 * _MOST_CHARS], " ")
    return " ".join(shown.split())[:_MOST_CHARS]


def _split(texts: str) -> tuple[frozenset[str], tuple[str, ...]]:
    singles, *phrases = texts.split("|")
    return frozenset(singles.split()), tuple(phrases)


_TYPES: Final = {kind: _split(texts) for kind, texts in TYPE_WORDS.items()}
_CATEGORY_BY_WORD: Final[dict[str, list[str]]] = {}
for _category, _texts in CATEGORY_WORDS.items():
    for _each in sorted(set(_texts.split())):
        _CATEGORY_BY_WORD.setdefault(_each, []).append(_category)
