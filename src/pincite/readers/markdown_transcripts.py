"""Conversations stored as Markdown: the speaker is named on a separate line, or before the text.

Recognised lines are `**User:** hello`, `**Assistant**`, `_**User (2026-11-01 10:00Z)**_`, `##
Human`, `#### ChatGPT said:` and the like. Only the first characters of a line are matched, so a
long line takes no more time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import msgspec

from pincite.support.fields import replace
from pincite.support.late_patterns import late_pattern

#: Roles by the names of speakers.
_ROLES: Final = {
    **dict.fromkeys(("user", "human", "you", "me", "prompt", "question"), "user"),
    **dict.fromkeys(
        ("assistant", "ai", "model", "bot", "chatgpt", "claude", "gemini", "copilot", "cursor"),
        "assistant",
    ),
    **dict.fromkeys(("agent", "codex", "llm", "response", "answer"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "tool result", "tool output", "function"), "tool"),
}
_LOOKED_AT: Final = 20_000  # characters that are read to recognise a transcript
_BEFORE: Final = 600  # characters before the first speaker, after front matter; guess, unmeasured
_LONGEST: Final = 200  # characters of a line that are matched for a speaker
_FRONT = late_pattern(r"\A\ufeff?---[ \t]*\r?\n.{0,8000}?^(?:---|\.\.\.)[ \t]*\r?$\n?", re.S | re.M)
_FENCE = late_pattern(r" {0,3}(`{3,}|~{3,})")
_SPEAKER = late_pattern(
    r" {0,3}(?P<hashes>#{1,6}[ \t]+)?(?P<open>_?\*\*_?|__)?"
    r"(?:[^\w\s*_#:`\[\](){}<>\"'|\\/=+,.;-]{1,4}[ \t]*)?"  # an emoji
    r"(?P<who>[A-Za-z]{2,10}(?: (?:result|output))?)(?: said)?"
    r"(?:[ \t]{0,3}[(\[](?P<time>[^()\[\]\n]{4,40})[)\]])?"
    r"(?P<colon>:)?(?P<close>_?\*\*_?|__)?(?P<behind>:)?[ \t]*"
)
_TIME = late_pattern(
    r"(?P<day>\d{4}-\d\d-\d\d)(?:[T ](?P<time>\d\d:\d\d)(?P<seconds>:\d\d)?"
    r"(?:\.\d+)? ?(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?)?"
)
_RULE = late_pattern(r" {0,3}(?:-{3,}|\*{3,}|_{3,})")


class Spoken(msgspec.Struct, frozen=True):
    """A turn of one role: `text[start:end]` includes the line that names it, `text[said:end]` does
    not. `form` distinguishes lines that are written in different ways."""

    role: str
    start: int
    said: int
    end: int
    time: str = ""
    form: str = ""


def is_markdown_transcript(text: str) -> bool:
    """Return whether a user or the system speaks near the beginning, and an assistant answers a
    user in the same form. A page about roles may have headings of these names, too, so the first
    speaker must not be an assistant."""
    head = text[:_LOOKED_AT]
    turns = list(_speakers(head))
    if len(turns) < 2 or turns[0].role not in ("user", "system"):
        return False
    front = _FRONT.match(head)
    if turns[0].start - (front.end() if front else 0) > _BEFORE:
        return False
    same = [one for one in turns if one.form == turns[0].form]
    roles = [one.role for one in same]
    if roles[0] == "system" and turns[0].form.startswith("#"):
        return False  # a page about an API, with a heading for each role
    return ("user", "assistant") in pairwise(roles)


def spoken(text: str) -> tuple[Spoken, ...]:
    """Return all turns in the form of the first one, each up to the start of the next one, without
    the white space and the thematic break before it. Lines within fences name no speaker."""
    found = list(_speakers(text))
    if not found:
        return ()
    form = found[0].form
    found = [one for one in found if one.form == form]
    ends = [*(one.start for one in found[1:]), len(text)]
    return tuple(
        replace(one, end=_stripped(text, one.said, end))
        for one, end in zip(found, ends, strict=True)
    )


def words_first_said(text: str) -> str:
    """Return the first words of the user on one line, "" if there are none."""
    head = text[:_LOOKED_AT]
    for one in spoken(head):
        words = " ".join(head[one.said : one.end].split())
        if one.role == "user" and words:
            return words
    return ""


def _speakers(text: str) -> Iterator[Spoken]:
    """Yield lines outside of fences that name the speaker. `end` is that of the line."""
    front = _FRONT.match(text)
    at = front.end() if front else 0
    fence = ""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at : min(end, at + _LONGEST)]
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif (one := _speaker(line, at, end)) is not None:
            yield one
        at = end + 1


def _speaker(line: str, at: int, end: int) -> Spoken | None:
    match = _SPEAKER.match(line)
    if match is None or (match["open"] is None) != (match["close"] is None):
        return None
    role = _ROLES.get(match["who"].lower())
    rest = line[match.end() :].strip()
    colon = bool(match["colon"] or match["behind"])
    heading = match["hashes"] is not None
    if role is None or not (heading or match["open"]) or (rest and (heading or not colon)):
        return None
    form = match["hashes"].strip() if heading else "bold"
    return Spoken(role, at, at + match.end() if rest else end, end, _time(match["time"]), form)


def _time(given: str | None) -> str:
    """Return a time in ISO 8601, "" for another format."""
    match = _TIME.fullmatch(given.strip()) if given else None
    if match is None:
        return ""
    if not match["time"]:
        return match["day"]
    zone = match["zone"] or ""
    zone = "Z" if zone == "UTC" else zone
    return f"{match['day']}T{match['time']}{match['seconds'] or ':00'}{zone}"


def _stripped(text: str, start: int, end: int) -> int:
    """Return the end of a turn without white space and a thematic break."""
    end = _trimmed(text, start, end)
    last = text.rfind("\n", start, end) + 1
    if last > start and _RULE.fullmatch(text, last, end):
        end = _trimmed(text, start, last)
    return end


def _trimmed(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())
