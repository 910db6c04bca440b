"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest

from pincite.support.late_patterns import late_pattern

SRC = Path(__file__).parents[2] / "src"


def test_a_late_pattern_does_what_the_pattern_does() -> None:
    text, given = "a1 B2 c3", (r"(?P<letter>[a-z])(\d)", re.IGNORECASE)
    late, real = late_pattern(*given), re.compile(*given)
    assert late.findall(text) == real.findall(text)
    assert [one.span() for one in late.finditer(text, 2)] == [(3, 5), (6, 8)]
    for name in ("search", "match", "fullmatch"):
        found, expected = getattr(late, name)("b7"), getattr(real, name)("b7")
        assert found[0] == expected[0]
    assert late.sub(r"\2", text) == real.sub(r"\2", text)
    assert late.subn("", text) == real.subn("", text)
    assert late.split(text) == real.split(text)
    assert (late.pattern, late.flags) == (real.pattern, real.flags)
    assert copy.copy(late).findall(text) == real.findall(text)


def test_it_is_compiled_once_and_not_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def compile_noted(pattern: str, flags: int) -> re.Pattern[str]:
        compiled.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(re, "compile", compile_noted)
    late = late_pattern("x+")
    assert compiled == []
    assert [bool(late.search(text)) for text in ("x", "y", "xx")] == [True, False, True]
    assert compiled == ["x+"]


def test_all_late_patterns_of_the_product_compile() -> None:
    given = re.compile(r"^(\w+)(?:: [^=]*)? = late_pattern\(", re.MULTILINE)
    found = 0
    for path in sorted(SRC.rglob("*.py")):
        names = given.findall(path.read_text(encoding="utf-8"))
        module = ".".join(path.relative_to(SRC).with_suffix("").parts)
        for name in names:
            assert getattr(__import__(module, fromlist=[name]), name).pattern
            found += 1
    assert found > 20
