"""Results of comparing a quote with its file: fresh, moved, gone, unchecked."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from pincite.current_files.disk import Lacking
from pincite.current_files.find_again import around, at_ref, find_again
from pincite.model import Notice, SourceRecord
from pincite.ports import Gone, Quote, Seen
from pincite.support.fields import replace
from pincite.support.machine import this_machine
from pincite.support.terminal import one_line


class NumberedQuote(NamedTuple):
    """A quote and its position among all quotes of a look."""

    number: int
    quote: Quote


def unchecked(quote: Quote, notice: Notice | None = None) -> Seen:
    """Return the passage as it was indexed, without knowledge of its file."""
    return Seen(quote.chunk, quote.context, "unchecked", notice=notice)


def fresh(quote: Quote, ref: str) -> Seen:
    """Return the result for a file that still has the indexed content, now at this revision."""
    chunk = quote.chunk
    if ref == chunk.ref:
        return Seen(chunk, quote.context, "fresh")
    return Seen(replace(chunk, ref=ref), at_ref(quote.context, ref), "fresh")


def changed(quote: Quote, text: str, ref: str, content_hash: str) -> Seen:
    """Return the result for a file that now has this text, at this revision: moved, or gone."""
    found = find_again(quote.chunk, text, ref, content_hash)
    if found is None:
        return gone(quote, "stale", "its text is no longer in the file")
    return Seen(found, around(quote.context, quote.chunk, found, text), "moved")


def gone(quote: Quote, why: Gone, detail: str) -> Seen:
    """Return the result for a passage that its file no longer has, or whose file no longer
    exists."""
    return Seen(quote.chunk, quote.context, "unchecked", why, detail)


def lacking(quote: Quote, what: Lacking, source: str) -> Seen:
    """Return the result for a file without content to compare with."""
    if what.problem == "failed":
        return unchecked(quote, Notice("file_unreadable", one_line(f"{source}: {what.detail}")))
    return gone(quote, "deleted" if what.problem == "gone" else "stale", what.detail)


def missing_place(record: SourceRecord, *, folder: bool) -> str | Notice | None:
    """Return why the folder or archive of a source is not there: a text if it was deleted, a notice
    if it is unavailable, None if it is there. An index may have been copied from another machine
    without its sources."""
    source = record.source
    try:
        mode = os.stat(source.location).st_mode  # noqa: PTH116 - 1 us in place of 5
        if (stat.S_ISDIR if folder else stat.S_ISREG)(mode):
            if not folder or os.access(source.location, os.X_OK):
                return None
            return _not_at_hand(source.name, source.location, "you may not read it")
    except (FileNotFoundError, NotADirectoryError, ValueError):
        pass
    except OSError as error:
        return _not_at_hand(source.name, source.location, error.strerror or "it cannot be reached")
    if record.machine == this_machine():
        return f"{source.location} is gone"
    return _not_at_hand(source.name, source.location, "it does not exist")


def _not_at_hand(name: str, place: str, why: str) -> Notice:
    said = (
        f"the files of {name} are not available, so its passages were not checked: {place}: {why}"
    )
    return Notice("source_gone", one_line(said))
