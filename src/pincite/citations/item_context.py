"""The lines that a pack shows around the text of an item: they must be in the file, too."""

from __future__ import annotations

from pincite.citations.lines_and_columns import chars_of_lines
from pincite.model import Context, Document, Evidence
from pincite.model.revisions import names_content, same_revision
from pincite.support.finding.find import without_returns

_NOT_THERE = "the lines shown around it are not those of the file"
_CHANGED = "the lines around it have changed"


def around_now(item: Evidence, document: Document, then: str | None) -> tuple[bool, str]:
    """Return whether the lines around an item may be shown, and what to say of them. They may if
    the file has them as it is now, or had them in the cited revision, whose text is `then` if it is
    at hand. Otherwise nothing is known of lines that the file does not have now."""
    context = item.context
    if context is None or not context.text.strip():
        return True, ""
    if names_content(item.ref, document.content_hash) or same_revision(item.ref, document.ref):
        there = _stands_in(document.text, item, context)
        return there, "" if there else _NOT_THERE
    if without_returns(context.text) in without_returns(document.text):
        return True, ""
    if then is not None and not _stands_in(then, item, context):
        return False, _NOT_THERE
    return True, _CHANGED


def _stands_in(text: str, item: Evidence, context: Context) -> bool:
    """Does this text of the file have the context, at its lines if it has lines?"""
    wanted = without_returns(context.text)
    if item.page is not None or item.start_char is not None:
        return wanted in without_returns(text)
    chars = chars_of_lines(text, context.start_line, context.end_line)
    return chars is not None and without_returns(text[slice(*chars)]).strip() == wanted.strip()
