"""Check the context lines that a pack shows around the text of an item."""

from __future__ import annotations

from pincite.citations.lines_and_columns import chars_of_lines
from pincite.model import Context, Document, Evidence
from pincite.model.revisions import names_content, same_revision
from pincite.support.finding.find import without_returns

_NOT_THERE = "the lines shown around it are not those of the file"
_CHANGED = "the lines around it have changed"


def around_now(item: Evidence, document: Document, then: str | None) -> tuple[bool, str]:
    """Return whether the context lines of an item may be shown, and a remark on them, or "". They
    may be shown if the current file has them; with a remark, if the cited revision has them, or if
    that is not available. `then` is the text of that revision, or None."""
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
    """Return whether this text of the file has the context, at the same lines if it has lines."""
    wanted = without_returns(context.text)
    if item.page is not None or item.start_char is not None:
        return wanted in without_returns(text)
    chars = chars_of_lines(text, context.start_line, context.end_line)
    return chars is not None and without_returns(text[slice(*chars)]).strip() == wanted.strip()
