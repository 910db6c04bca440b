"""Conditions of a measurement, in words: models, collections and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pincite.evals.analysis.measures import VERDICT, parse
from pincite.evals.run.results import Stamp


def measured_with(profile: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Describe the results that the measures see, and name the measures whose cutoff is larger.
    `profile` has the values of a profile, by section."""
    results, around = _shown(profile)
    single = around == "none"
    passages = "single passages" if single else f"passages with context ({around})"
    said = f"Measured with {results} results, {passages}"
    beyond = _beyond(names, results) if single else []
    if not beyond:
        return f"{said}."
    verb = "sees" if len(beyond) == 1 else "see"
    return f"{said}; {', '.join(beyond)} {verb} no more than these."


def differences(one: Stamp, two: Stamp) -> list[str]:
    """Describe the differences in the conditions of two runs, other than their profiles. `two` is
    named first."""
    notes = []
    shown = [measured_with(stamp.profile) for stamp in (one, two)]
    if shown[0] != shown[1]:
        was, now = (f"{text[0].lower()}{text[1:-1]}" for text in shown)
        notes.append(f"{two.label} was {now}, {one.label} was {was}")
    if one.searched != two.searched:
        was, now = (_within(stamp.searched) for stamp in (one, two))
        notes.append(f"{two.label} searched {now}, {one.label} searched {was}")
    names = [sorted(found.name for found in stamp.collections) for stamp in (one, two)]
    if names[0] != names[1]:
        was, now = (", ".join(found) or "no collection" for found in names)
        notes.append(f"{two.label} searched the collections {now}, {one.label} searched {was}")
    return notes


def _shown(profile: Mapping[str, Any]) -> tuple[int, str]:
    return profile["select"]["results"], profile["context"]["around"]


def _beyond(names: Sequence[str], results: int) -> list[str]:
    asked = [name for name in names if name != VERDICT]
    return [
        name
        for name, one in zip(asked, parse(*asked), strict=True)
        if one.params.get("cutoff", 0) > results
    ]


def _within(searched: Mapping[str, Any]) -> str:
    if not searched:
        return "everything"
    return "within " + ", ".join(f"{name} {value}" for name, value in searched.items())
