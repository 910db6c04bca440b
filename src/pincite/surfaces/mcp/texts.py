"""Texts of MCP tools: passages, checked citations, and the description of the index."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pincite.citations.compare_claim import ClaimCheck
from pincite.citations.passage import Passage
from pincite.model.citation import short_citation
from pincite.model.passages import fenced, number_lines, shown_lines
from pincite.ports import CollectionInfo
from pincite.support.counted import counted
from pincite.support.terminal import one_line
from pincite.support.token_estimate import cut_estimated, estimate_tokens
from pincite.surfaces.tools.hints import for_tools

MOST_LINES = 200  #: of a file or record in one answer
_ROOM = 150  # tokens for the text around the lines: the citation, and how to read on


def lines_within(passage: Passage, max_tokens: int) -> int:
    """Return how many lines of a passage, with their numbers, fit into an answer; at least one."""
    shown = number_lines(passage.text.split("\n"), passage.start_line)
    left, count = max_tokens - _ROOM, 0
    for line in shown:
        left -= estimate_tokens(line) + 2
        if left < 0:
            break
        count += 1
    return max(1, count)


def chars_within(passage: Passage, max_tokens: int) -> int:
    """Return how many characters of a record fit into an answer; at least one."""
    return max(1, len(cut_estimated(passage.text, max_tokens - _ROOM)))


def passage_text(passage: Passage, left: int, max_tokens: int, rest: str = "") -> str:
    """Return the citation, the lines with their numbers in a fence, and how to read on. `left` is
    the number of lines that are left out. Lines of a record have no numbers; `rest` is the citation
    of its remaining text. Text that is too long for the answer is cut."""
    parts = [one_line(short_citation(passage.citation))]
    if passage.changed:
        parts.append("warning changed: the file has changed since it was indexed")
    if passage.warning:
        parts.append(f"warning: {one_line(passage.warning)}")
    of_record = passage.start_char is not None
    lines = number_lines(shown_lines(passage.text), 0 if of_record else passage.start_line)
    text = "\n".join(lines)
    kept = cut_estimated(text, max_tokens - _ROOM)
    parts.append(fenced(kept.split("\n")))
    if kept != text:
        parts.append("... cut: what follows is too long for this answer; give more max_tokens")
    if rest:
        what = "file" if passage.start_line == 0 else "record"
        parts.append(f"... more of the {what}: read_lines {one_line(short_citation(rest))}")
    if left:
        parts.append(
            f"... {left} more lines: read_lines {one_line(f'{passage.repo}:{passage.path}')}"
            f":{passage.end_line + 1}:{min(left, MOST_LINES)}"
        )
    return "\n".join(parts)


def check_lines(checked: Sequence[ClaimCheck]) -> str:
    """Return a line for each citation."""
    lines = (f"{one.status:8} {one.citation} {for_tools(one.detail)}" for one in checked)
    return "\n".join(one_line(line.rstrip()) for line in lines)


def instructions(
    infos: Sequence[CollectionInfo], trouble: str = "", bound: Collection[str] = ()
) -> str:
    """Return the description of the server for a client that connects: how to use it, and what is
    indexed, or the `trouble` that prevents searching. If tags are `bound`, only the name of each
    collection and how it is searched are given."""
    lines = [
        "Pincite finds passages of indexed documentation and source code and cites exact lines of"
        " an exact revision. Search before you write code against, or claim anything about, what"
        " is indexed; cite what you use by its citation; say so when the verdict is weak or none.",
    ]
    if trouble:
        lines.append(f"Nothing can be searched right now: {for_tools(trouble)}")
    elif not infos:
        lines.append("Nothing is indexed yet: the user can run `pincite index PATH`.")
    else:
        said = [
            f"- {info.spec.name}: {_how(info)}" if bound else _collection(info) for info in infos
        ]
        lines += ["", "Indexed:", *said]
    return "\n".join(lines)


def _foreign(info: CollectionInfo) -> str:
    return info.broken or f"{counted(info.chunks, 'passage')} of another program"


def _collection(info: CollectionInfo) -> str:
    if info.foreign:
        return f"- {info.spec.name}: {_foreign(info)}"
    if info.spec.require:
        needed = ", ".join(info.spec.require)
        return f"- {info.spec.name}: {_how(info)}; with the tags {needed} alone"
    kinds = ", ".join(kind for kind, count in info.kinds.items() if count) or "nothing yet"
    sources = ", ".join(
        f"{r.source.name}{f'@{r.source.ref[:12]}' if r.source.ref else ''}" for r in info.sources
    )
    partly = "" if all(r.complete for r in info.sources) else "; not indexed completely yet"
    return (
        f"- {info.spec.name}: {counted(info.documents, info.noun)},"
        f" {counted(info.chunks, 'passage')} ({kinds})"
        f" of {sources or 'no source'}; {_how(info)}{partly}"
    )


def _how(info: CollectionInfo) -> str:
    if info.spec.dense:
        return "semantic and keyword search"
    return "keyword search only: use its own words"
