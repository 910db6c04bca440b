"""Compute the anchors of headings as site generators do."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from pincite.chunkers.markup.blocks import front_matter_end, heading_lines, heading_source
from pincite.readers.inline_markup import explicit_id, rendered_heading
from pincite.support.fields import replace

if TYPE_CHECKING:
    from pincite.chunkers.lines import Lines
    from pincite.model import AnchorStyle, Section

#: Python refuses integers of more than 4,300 digits.
_COUNTED = re.compile(r"(.*)_([0-9]{1,300})", re.S)


def with_anchors(
    sections: Iterable[Section], lines: Lines, style: AnchorStyle
) -> Iterator[Section]:
    """Yield sections of a Markdown page with the anchor of the heading above their first line.

    Text directly below the page's own title has the page's URL.
    """
    headings = list(heading_lines(lines, front_matter_end(lines), len(lines)))
    anchors = anchors_of((heading_source(lines, line) for line, _ in headings), style)
    if headings and headings[0][1] == 1:
        anchors = ("", *anchors[1:])
    tops = [line for line, _ in headings]
    for section in sections:
        number = bisect_right(tops, lines.line_at(section.start)) - 1
        yield replace(section, anchor=anchors[number]) if number >= 0 else section


def anchors_of(headings: Iterable[str], style: AnchorStyle) -> tuple[str, ...]:
    """Return one anchor for each heading. `headings` are the source texts of all headings of a
    page, in order.

    `mkdocs`: Python-Markdown's `toc` with its default slugs (ASCII, words joined by hyphens, `_1`,
    `_2` for repetitions) and `{ #ids }` of `attr_list`. `github`: the anchors of GitHub for a
    rendered file (letters of any script, `-1`, `-2`). `none`: empty strings.
    """
    found = tuple(headings)
    if style == "none":
        return ("",) * len(found)
    return _mkdocs(found) if style == "mkdocs" else _github(found)


def _mkdocs(headings: tuple[str, ...]) -> tuple[str, ...]:
    given = [explicit_id(text) for text in headings]
    used: dict[str, str] = {each: _next(each) for each in given if each}
    anchors = []
    for text, known in zip(headings, given, strict=True):
        anchor = known or _unique(_ascii_slug(rendered_heading(text)), used)
        used.setdefault(anchor, _next(anchor))
        anchors.append(anchor)
    return tuple(anchors)


def _ascii_slug(text: str) -> str:
    ascii_only = normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    kept = re.sub(r"[^\w\s-]", "", ascii_only).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)


def _unique(slug: str, used: dict[str, str]) -> str:
    """Return the first unused one of a slug and its successors. `used` maps each used slug to a
    later one; its chains are shortened, so that a page may repeat a heading 100,000 times."""
    passed = []
    slug = slug or _next(slug)
    while slug in used:
        passed.append(slug)
        slug = used[slug]
    used.update(dict.fromkeys(passed, slug))
    return slug


def _next(slug: str) -> str:
    counted = _COUNTED.fullmatch(slug)
    return f"{counted[1]}_{int(counted[2]) + 1}" if counted else f"{slug}_1"


def _github(headings: tuple[str, ...]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    anchors = []
    for text in headings:
        slug = _words(rendered_heading(text).lower()).replace(" ", "-")
        anchor = slug
        while anchor in seen:
            seen[slug] += 1
            anchor = f"{slug}-{seen[slug]}"
        seen[anchor] = seen[anchor]
        anchors.append(anchor)
    return tuple(anchors)


def _words(text: str) -> str:
    """Keep letters, marks and digits of any script, spaces, hyphens and underscores."""
    return "".join(sign for sign in text if sign in " -_" or category(sign)[0] in "LMN")
