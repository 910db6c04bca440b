"""Versions of software in questions, headings and passages: `3.1.0`, `v2.0.0rc1`, `24.3.1`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Final

import msgspec

from pincite.support.late_patterns import late_pattern

_LONGEST: Final = 500  # characters of a question about versions; guess: longer ones are messages
_LONG_LINE: Final = 200  # characters of a line that may be a heading, with its link
_MOST_NAMES: Final = 1  # words beside a version that may be a product's name

#: A number of two parts or more, with what may follow it: `rc1`, `-beta.2`, `.post1`.
_NUMBER: Final = (
    r"[vV]?\d{1,6}(?:\.\d{1,6}){1,5}"
    r"(?:[.-]?(?:a|b|c|rc|alpha|beta|pre(?:view)?|post|dev|next|canary|m|sp)[.-]?\d{0,6}"
    r"|[.-](?:final|ga|release|snapshot))?(?![\w/]|\.\w|-\d)"
)
_VERSION: Final = re.compile(rf"(?<![\w./+]){_NUMBER}", re.I)
_PARTS: Final = re.compile(r"v?(\d+(?:\.\d+)+)(.*)\Z")
_PADDED_DATE: Final = re.compile(r"(?:19|20)\d\d\.(?:0\d\.\d\d|1[0-2]\.0\d)\Z")
_FRACTION: Final = re.compile(r"0\.0\d+\Z")
_DATE: Final = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d\Z")
#: Targets of links, such as `compare/v1.0.0...v1.1.0`, and addresses.
_TARGET: Final = late_pattern(r"\]\([^)\s]{0,500}\)|\w{1,20}://[^\s<>)\]]{1,500}")

_WORD: Final = re.compile(r"[A-Za-z][\w'’-]*")
_NAMED: Final = r"(?:versions?|releases?)"
_QUANTITY: Final = r"(?:about|than|over|only|least|most|every|each)\b"
_BEFORE: Final = (
    r"(?:in|since|of|for|from|between|to|and|with|until|till|before|after|by|at|was|were|is|did"
    r"|has|vs|versus|through)"
)
#: A version as questions about changes name it: `in version 3.1.0`, `since flask 2.0`.
_INTRODUCED: Final = late_pattern(
    rf"(?:\b{_BEFORE}\s+|\A\W*)(?:the\s+)?(?:{_NAMED}\s+)?(?:(?!{_QUANTITY})[\w'’@-]+\s+)?"
    rf"(?:{_NAMED}\s+)?\(?[\"'`]?(?P<version>{_NUMBER})"
    rf"|\b{_NAMED}\s+[\"'`]?(?P<named>{_NUMBER})",
    re.I,
)
#: What follows a quantity: `2.5 seconds`, `1.5 %`.
_UNIT: Final = late_pattern(
    r"\s?(?:%|°|-?fold\b|percent|per\b|times\b|points?\b|(?:milli|micro|nano|kilo|mega)\w+"
    r"|(?:[kmgtn]i?)?(?:b|bits?|bytes?|hz|m|s|g|l|w|v)\b|(?:second|minute|hour|day|week|month|year)s?\b"
    r"|[mb]illion|thousand|hundred|inch|feet|miles?|met(?:er|re)s?|dollars?|euros?|degrees?)",
    re.I,
)
_CHANGE: Final = late_pattern(
    r"\b(?:change[ds]?|changelogs?|what'?s? (?:is |was )?(?:new|in)|news?|different|differences?"
    r"|fix|fixed|fixes|bugs?|bugfix|bugfixes|adds?|added|additions?|removed?|removes|removals?"
    r"|deprecate[ds]?|deprecations?|rename[ds]?|introduce[ds]?|drops?|dropped|release[ds]?"
    r"|(?:come|came|coming) out|publish|published|breaking|features?|improve\w*|security"
    r"|upgrade\w*|upgrading|updated?|updates|migrat\w+|promoted|replaced|reverted|backported)\b",
    re.I,
)
_OF_USE: Final = re.compile(r"\W*(?:how|why|where|who|can|could|should)\b", re.I)
_OF_UPGRADE: Final = re.compile(r"\b(?:upgrad|migrat)", re.I)
#: Words of a question that has nothing but a version.
_PLAIN: Final = frozenset(
    "a about an are change changed changelog changes date did do does flag for from give history in"
    " is list me news new note notes of on please release released releases show since summarise"
    " summarize summary tell the to us version versions was were what what's when which"
    " with".split()
)
_OF: Final = rf"(?:the\s+)?(?:[\w'’@-]+\s+)?(?:{_NAMED}\s+)?[\"'`(]?"
_TO: Final = r"(?:up\s+)?(?:to|until|till|through|and|with)"
#: Two versions of which one is enough: `between 2.0 and 2.1`, `from 2.0 to 2.1`, `2.0 vs 2.1`.
_RANGE: Final = late_pattern(
    rf"\b(?:between|from|since|after|compar(?:e|ing|ison of))\s+{_OF}(?P<first1>{_NUMBER})"
    rf"[\"'`),]*\s+{_TO}\s+{_OF}(?P<last1>{_NUMBER})"
    rf"|(?<![\w./+])(?P<first2>{_NUMBER})[\"'`)]*\s*"
    r"(?:\.\.|[→–]|->|\b(?:vs\.?|versus|compared\s+(?:to|with)|to|until|through)\s)\s*"
    rf"{_OF}(?P<last2>{_NUMBER})",
    re.I,
)
#: What is between two versions of a list: `2.1, 2.2 or 2.3`, `2.1 and version 2.2`.
_BETWEEN: Final = re.compile(
    rf"[\"'`)]{{0,2}}\s{{0,9}}(?:,|,?\s(?:or|and)\s)\s{{0,9}}(?:{_NAMED}\s{{1,9}})?[\"'`(]{{0,2}}",
    re.I,
)
_DOTS: Final = re.compile(r"(?<=\d)\.\.\.?(?=[vV]?\d)")
_MARKED: Final = re.compile(r"\s{0,3}(?:#{1,6}|={1,6})\s+\S|\s{0,3}\*\*[^*]{1,150}\*\*\s*\Z")
_UNDERLINE: Final = re.compile(r"\s{0,3}([-=~^\"'+*`#.:])\1{2,}\s*\Z")


class AskedVersions(msgspec.Struct, frozen=True):
    """The versions that a question names, `all` in the form of `canonical`. `about`: the question
    is about these versions themselves, as in "what is new in 3.1.0?". `said` has the same versions
    as the question writes them. `ranges` are pairs of them of which one is enough, as in "between
    2.0 and 2.1"."""

    all: frozenset[str] = frozenset()
    about: bool = False
    said: tuple[str, ...] = ()
    ranges: tuple[tuple[str, str], ...] = ()

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The ranges, and each other version alone: of each of these, a passage has to name one."""
        ranged = {one for pair in self.ranges for one in pair}
        return (*self.ranges, *((one,) for one in self.said if one not in ranged))

    def lacking(self, found: Iterable[str]) -> tuple[str, ...]:
        """Return the versions, as the question writes them, that are not among those `found`, but
        for those of a range that has one of them."""
        have = frozenset(found)
        missing = [
            group for group in self.groups if have.isdisjoint(canonical(one) for one in group)
        ]
        return tuple(one for group in missing for one in group)


#: Those of a question without versions.
NO_VERSIONS: Final = AskedVersions()


def canonical(version: str) -> str:
    """Return a version in the form in which equal ones are equal: without `v`, zeros in front of
    its parts and final parts of 0, but with two parts, and in lower case. `v2.0.0` is `2.0`."""
    found = _PARTS.match(version.casefold())
    if found is None:
        return version.casefold()
    parts = [str(int(part)) for part in found[1].split(".")]
    while len(parts) > 2 and parts[-1] == "0":
        parts.pop()
    return ".".join(parts) + re.sub(r"\A[.-]|\.", "", found[2])


def versions_in(text: str) -> frozenset[str]:
    """Return the versions of a text as `canonical` ones. Addresses and targets of links, which name
    other versions, do not count."""
    return frozenset(canonical(one[0]) for one in _found(text))


def asked_versions(question: str) -> AskedVersions:
    """Return the versions that a question names. Numbers of two parts count only with a `v`, and
    where the question is about changes or calls them a version: `2.5` may be any quantity. English
    only."""
    if len(question) > _LONGEST:
        return NO_VERSIONS
    question = _DOTS.sub(" .. ", question)
    found = list(_found(question))
    if not found:
        return NO_VERSIONS
    introduced = {
        one.start(group)
        for one in _INTRODUCED.finditer(question)
        for group in ("version", "named")
        if one[group] and not _UNIT.match(question, one.end(group))
    }
    named = {one.start("named") for one in _INTRODUCED.finditer(question) if one["named"]}
    for before, one in pairwise(found):
        between = _BETWEEN.fullmatch(question, before.end(), one.start())
        if between and not _UNIT.match(question, one.end()):
            for starts in (introduced, named):
                if before.start() in starts:
                    starts.add(one.start())
    plain = _is_plain(question)
    asks = bool(_CHANGE.search(question)) and (
        not _OF_USE.match(question) or bool(_OF_UPGRADE.search(question))
    )
    about = plain or (asks and any(one.start() in introduced for one in found))
    kept = [
        one
        for one in found
        if _is_long(one[0])
        or one.start() in named
        or (asks and one.start() in introduced)
        or (plain and not _UNIT.match(question, one.end()))
    ]
    said = tuple(dict.fromkeys(one[0] for one in kept))
    ranges = tuple(pair for pair in _ranges(question) if set(pair) <= set(said))
    return AskedVersions(frozenset(map(canonical, said)), about and bool(said), said, ranges)


def _ranges(question: str) -> Iterator[tuple[str, str]]:
    """Yield the first and the last version of each range that the question names."""
    for one in _RANGE.finditer(question):
        yield one["first1"] or one["first2"], one["last1"] or one["last2"]


def sections(text: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield the start and the versions of each heading with a version in a text, in order. A
    heading is marked with `#`, `=` or `**`, or underlined. One with nothing but headings below it
    is left out."""
    rows = list(_rows(text))
    bodies = [start for start, line, is_heading in rows if line.strip() and not is_heading]
    for start, line, is_heading in rows:
        if is_heading and bodies and start < bodies[-1] and (named := versions_in(line)):
            yield start, named


def has_body(text: str) -> bool:
    """Return whether a text has more than headings."""
    return any(line.strip() and not is_heading for _, line, is_heading in _rows(text))


def _rows(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the start of each line, the line, and whether it is a heading. Lines that underline
    are left out."""
    lines = text.splitlines(keepends=True)
    at = 0
    for line, below in zip(lines, chain(lines[1:], ("",)), strict=False):
        if not _UNDERLINE.match(line):
            yield at, line, _is_heading(line, below)
        at += len(line)


def _is_heading(line: str, below: str) -> bool:
    if len(line) > _LONG_LINE or not line.strip():
        return False
    return bool(_UNDERLINE.match(below) or _MARKED.match(line))


class PassageVersions:
    """The versions that a passage names: in its `headings` and those inside its `text`, in the
    `title` of its document and the name of the file at its `path`."""

    def __init__(self, title: str, headings: Iterable[str], text: str, path: str) -> None:
        inside = (named for _, named in sections(text))
        self.in_headings = frozenset[str]().union(*map(versions_in, headings), *inside)
        self._text = text
        self._title, self._path = title, path

    @property
    def in_title(self) -> frozenset[str]:
        """Those in the title or the name of the file (`docs/releases/v6.4.2.rst`). Empty if a
        heading names a version: the title of a changelog may be its newest one."""
        if self.in_headings:
            return frozenset()
        stem = self._path.rpartition("/")[2].rpartition(".")[0]
        return versions_in(self._title) | versions_in(stem)

    @property
    def in_text(self) -> frozenset[str]:
        """Those in the text."""
        return versions_in(self._text)

    @property
    def all(self) -> frozenset[str]:
        """All of them."""
        return self.in_headings | self.in_title | self.in_text


def _found(text: str) -> Iterator[re.Match[str]]:
    bare = _TARGET.sub(lambda one: " " * len(one[0]), text) if "." in text else ""
    return (one for one in _VERSION.finditer(bare) if not _is_other(one[0]))


def _is_other(number: str) -> bool:
    """Is it a date, an IP address or a fraction such as `0.05`? `2024.7.4` is a version by the
    calendar, `2024.07.04` a date."""
    if any(one.match(number) for one in (_DATE, _PADDED_DATE, _FRACTION)):
        return True
    parts = number.split(".")
    return len(parts) == 4 and all(part.isdecimal() and int(part) < 256 for part in parts)


def _is_long(number: str) -> bool:
    found = _PARTS.match(number.casefold())
    return number[0] in "vV" or (found is not None and found[1].count(".") > 1)


def _is_plain(question: str) -> bool:
    """Is there nothing but versions, words that ask for one, and the name of a product?"""
    left = [one.casefold() for one in _WORD.findall(_VERSION.sub(" ", question))]
    return sum(one not in _PLAIN for one in left) <= _MOST_NAMES
