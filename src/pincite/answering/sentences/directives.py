"""Marks of reStructuredText: which directives contain text of the page."""

from __future__ import annotations

import re
from typing import Final, Literal

#: Names of directives that restrict the text above them.
REMOVALS: Final = frozenset("deprecated deprecated-removed soft-deprecated versionremoved".split())
#: Names of directives that are a part of their text.
NOTICES: Final = REMOVALS | frozenset(
    "warning caution danger versionadded versionchanged availability".split()
)
_OF_PROSE: Final = NOTICES | frozenset(
    "note tip hint important attention error seealso impl-detail".split()
)
_OF_CODE: Final = frozenset(
    "code code-block sourcecode parsed-literal prompt productionlist console ipython doctest"
    " testcode testsetup testcleanup testoutput click:example click:run jupyter-execute graphviz"
    " plot".split()
)
#: Directives whose block is not text of the page either.
_HIDDEN: Final = frozenset("index literalinclude meta raw toctree".split())
#: Directives whose argument names a file, an author, a setting of the page, or something that
#: another page describes.
_OF_PAGES: Final = _HIDDEN | frozenset(
    "audit-event click codeauthor container contents cssclass currentmodule default-domain"
    " default-role figure highlight highlightlang ifconfig image include module moduleauthor"
    " namespace only program role rst-class sectionauthor tabularcolumns tags".split()
)
_AUTOMATIC: Final = "auto"  # documentation that is in the code

DIRECTIVE: Final = re.compile(r"[ \t]*\.\.[ \t]+([\w:+-]{1,60}?)::(?=\s|\Z)[ \t]*")
FOOTNOTE: Final = re.compile(r"[ \t]*\.\.[ \t]+\[[^\[\]\n]{1,60}\](?=\s|\Z)[ \t]*")
COMMENT: Final = re.compile(r"[ \t]*\.\.(?=\s|\Z)")
OPTION: Final = re.compile(r":[\w-]{1,60}:(?=\s|\Z)")
#: Targets and substitutions.
TARGET: Final = re.compile(r"\.\.[ \t]+(?:_.*:.*|\|.*)|__[ \t].*")

#: The kind of a directive, see `kind_of`.
Kind = Literal["code", "notice", "prose", "page", "hidden", "label"]


def kind_of(name: str) -> Kind:
    """Return the kind of a directive. Its argument is text for `prose`, text after the directive's
    name for `notice`, and a heading for `label`; otherwise it is not displayed. The block below is
    text, except for `code` and `hidden`. Case is ignored, and `py:module` is `module`."""
    name = name.lower()
    own = name.rpartition(":")[2]
    if name in _OF_CODE or own in _OF_CODE:
        return "code"
    if own in NOTICES:
        return "notice"
    if own in _OF_PROSE:
        return "prose"
    if own in _HIDDEN:
        return "hidden"
    return "page" if own in _OF_PAGES or own.startswith(_AUTOMATIC) else "label"
