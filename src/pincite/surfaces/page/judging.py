"""Store judgements of results in a golden set, in the format of `pincite eval`."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from pincite.errors import UsageError
from pincite.evals.golden.questions import Expected, GoldenQuery, read_golden, write_golden
from pincite.model import Evidence
from pincite.support.fields import replace
from pincite.surfaces.page.requests import Judge


def item_of(one: Evidence) -> Expected:
    """Return a result as an item of a golden set: lines of a file, a page of a file, or the id of a
    candidate."""
    if not one.path or one.record_id is not None:
        return Expected(candidate_id=one.candidate_id)
    if one.page is not None and one.page_unit is not None:
        return Expected(f"{one.path}#{one.page_unit}={one.page}", repo=one.repo)
    return Expected(one.path, one.start_line, one.end_line, repo=one.repo)


def judge(path: Path, asked: Judge) -> None:
    """Write a judgement into the golden set at `path`, which is created if it is missing. If the
    last judgement of a question of the page is removed, the question is removed, too. Raises
    UsageError, and then leaves the file unchanged."""
    item = _item(asked)
    queries = list(_queries(path))
    at = next((n for n, one in enumerate(queries) if one.text == asked.text), None)
    known = GoldenQuery(_new_id(asked.text, queries), asked.text) if at is None else queries[at]
    if known.off_topic and item.grade > 0 and asked.grade is not None:
        raise UsageError(
            f"{path} marks this question as unanswerable",
            hint=f'remove "off_topic" from question {known.id!r} first',
        )
    kept = [one for one in known.expected if _name(one) != _name(item)]
    if asked.grade is not None:
        kept.append(item)
    changed = replace(known, expected=tuple(kept))
    if at is None:
        queries.append(changed)
    else:
        queries[at] = changed
    if changed == GoldenQuery(_id_of(asked.text), asked.text):  # the page has added it
        queries.remove(changed)
    write_golden(path, queries)


def grades_of(path: Path, text: str) -> dict[tuple[str, str], int]:
    """Return the grades of a question by item, as (source, name)."""
    found = next((one for one in _queries(path) if one.text == text), None)
    return {_name(one): one.grade for one in found.expected} if found else {}


def grade_of(one: Evidence, grades: Mapping[tuple[str, str], int]) -> int | None:
    """Return the grade of a result, None if it has none."""
    item = item_of(one)
    return grades.get(_name(item), grades.get(("", item.name)))


def _item(asked: Judge) -> Expected:
    if bool(asked.candidate_id) == bool(asked.path):
        raise UsageError("a judgement takes either a path or a candidate")
    if asked.end_line < asked.start_line or (asked.end_line and not asked.start_line):
        raise UsageError(f"lines {asked.start_line} to {asked.end_line} are not a valid range")
    if asked.candidate_id:
        return Expected(candidate_id=asked.candidate_id, grade=asked.grade or 0)
    span = (asked.start_line, asked.end_line)
    return Expected(asked.path, *span, grade=asked.grade or 0, repo=asked.repo)


def _name(one: Expected) -> tuple[str, str]:
    return one.repo, one.name


def _queries(path: Path) -> tuple[GoldenQuery, ...]:
    """Return the queries of the file; none if it is missing or empty."""
    try:
        known = path.stat()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(known.st_mode):  # reading a pipe would never end
        raise UsageError(f"{path} is not a file", hint="pincite ui --golden FILE.jsonl")
    return read_golden(path).queries if known.st_size else ()


def _id_of(text: str) -> str:
    return f"ui-{blake2b(text.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


def _new_id(text: str, queries: list[GoldenQuery]) -> str:
    taken = {one.id for one in queries}
    named = _id_of(text)
    while named in taken:
        named += "x"
    return named
