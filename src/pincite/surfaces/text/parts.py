"""Parts of a pack in words, shared by its formats: verdict, page, attributes, gaps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pincite.model import AttributeValue, Evidence, EvidencePack, Verdict
from pincite.model.prompt import unsearched
from pincite.model.verdict_words import LEVEL_WORDS
from pincite.support.terminal import one_line

_UNSEARCHED: Final = ("nothing was searched", "Nothing that is indexed is within the filter.")
_MOST_CHARS = 240  # characters of the line of attributes


def short_id(item: Evidence) -> str:
    """Return the beginning of the chunk's id, which `pincite get` accepts."""
    return f"#{item.chunk_id[:12]}"


def page_words(item: Evidence) -> str:
    """Return `Page 3` for a passage on a page, otherwise ""."""
    return f"{item.page_unit} {item.page}".capitalize() if item.page is not None else ""


def verdict_words(pack: EvidencePack) -> tuple[str, str]:
    """Return the verdict in words, and its reason. If nothing indexed matches the filter, the words
    say this instead."""
    if unsearched(pack):
        return _UNSEARCHED
    return LEVEL_WORDS[pack.verdict.level], reason_of(pack.verdict)


def reason_of(verdict: Verdict) -> str:
    """Return the reason for the verdict, and a remark if its thresholds are only assumed."""
    if verdict.thresholds == "assumed":
        return f"{verdict.reason} (These thresholds are assumed, not measured.)"
    return verdict.reason


def asides(pack: EvidencePack) -> Iterable[str]:
    """Yield lines about words that do not occur, and about passages that were left out because
    their files have changed."""
    absent = pack.absent_terms
    if absent.index:
        yield f"nowhere in the index: {', '.join(absent.index)}"
    if elsewhere := [term for term in absent.evidence if term not in absent.index]:
        yield f"not in the shown passages: {', '.join(elsewhere)}"
    for one in pack.omitted:
        gone = "its file is gone" if one.why == "deleted" else "its file has changed there"
        yield f"left out: {one.path or one.citation}: {gone}"


def attributes_of(item: Evidence) -> str:
    """Return the attributes of a result on one line, of at most 240 characters."""
    own = {**item.attributes}
    for name, said_already in (("page", item.page), ("visual", item.visual)):
        if item.page is not None and own.get(name) == said_already:
            del own[name]
    said = ", ".join(f"{name}={_value(one)}" for name, one in sorted(own.items()))
    shown = one_line(said)
    return shown if len(shown) <= _MOST_CHARS else f"{shown[: _MOST_CHARS - 3]}..."


def _value(value: AttributeValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "|".join(value) if isinstance(value, tuple) else str(value)
