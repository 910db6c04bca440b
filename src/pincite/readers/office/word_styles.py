"""Styles of Word files: which of them are headings, and of which level."""

from __future__ import annotations

import re
from typing import Any

from docx.document import Document
from docx.oxml.ns import qn

_HEADING = re.compile(r"heading\s*([1-9])", re.I)


def heading_levels(document: Document) -> dict[str, int]:
    """Return the levels of styles by style id, 0 for styles of other text. Levels follow from the
    names of styles (`heading 1`, `Title`) and from outline levels. Ids depend on the language of
    the program.

    Each style is read once. The library searches all styles for the base of a style, which takes
    minutes for a chain of thousands.
    """
    elements = document.styles.element.iterchildren(qn("w:style"))
    styles = {name: one for one in elements if (name := one.get(qn("w:styleId")))}
    levels: dict[str, int] = {}
    for name in styles:
        passed: list[str] = []
        current, level = name, None
        while level is None and current in styles and current not in levels:
            levels[current] = 0  # ends a loop of styles
            passed.append(current)
            level = _own_level(styles[current])
            current = _value(styles[current].find(qn("w:basedOn")))
        if level is None:
            level = levels.get(current, 0)
        levels.update(dict.fromkeys(passed, level))
    return levels


def _own_level(style: Any) -> int | None:
    """Return the heading level that a style gives itself, None if its base decides."""
    name = _value(style.find(qn("w:name")))
    named = _HEADING.fullmatch(name)
    if named:
        return int(named[1])
    outline = style.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
    if outline is not None:
        return level_of(outline.get(qn("w:val")))
    return 1 if name.lower() == "title" else None


def _value(element: Any) -> str:
    return "" if element is None else str(element.get(qn("w:val"), ""))


def level_of(value: str | None) -> int:
    """Return the heading level of an outline level (0 to 8, 9 for body text); 0 without one."""
    number = number_of(value)
    return number + 1 if 0 <= number < 9 else 0


def number_of(value: str | None) -> int:
    """Return a number of a Word file, 0 if it is not a number."""
    return int(value) if value and re.fullmatch(r"[0-9]{1,9}", value) else 0
