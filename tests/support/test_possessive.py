"""Parts of patterns that repeat without going back, in each version of Python 3.11."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite.support.possessive import possessive

SRC = Path(__file__).parents[2] / "src"
ADVICE = (
    "Python 3.11.0 to 3.11.4 match a possessive repeat of a group wrongly: write `(?>(?:x)*)` for"
    " `(?:x)*+`, or pincite.support.possessive for texts without a limit (docs/decisions/0100)"
)
#: Prints the patterns that modules compile when they are imported, and the late ones.
PROGRAM = """
import json, re, sys
import pincite.support.late_patterns as late

found = set()
compiled, begun = re._compiler.compile, late._Late.__init__

def ours():
    frame = sys._getframe(2)
    while frame.f_globals["__name__"] in ("re", "enum", "functools"):
        frame = frame.f_back
    return frame.f_globals["__name__"].startswith("pincite.")

def note(pattern, flags):
    text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    found.add((text, int(flags)))

def noted(pattern, flags=0):
    if isinstance(pattern, (str, bytes)) and ours():
        note(pattern, flags)
    return compiled(pattern, flags)

def noted_late(self, pattern, flags):
    note(pattern, flags)
    begun(self, pattern, flags)

re._compiler.compile, late._Late.__init__ = noted, noted_late
for name in sys.argv[1:]:
    try:
        __import__(name)
    except ImportError:  # an extra is missing
        pass
print(json.dumps(sorted(found)))
"""


def repeats_of_groups(pattern: str, flags: int = 0) -> bool:
    """Whether a possessive quantifier of the pattern is behind more than one character or set."""
    parsed: Any = vars(re)["_parser"]
    is_one: Callable[[object], bool] = vars(re)["_compiler"]._simple

    def among(part: Any) -> bool:
        if isinstance(part, tuple) and part and str(part[0]) == "POSSESSIVE_REPEAT":
            body = part[1][2]
            if body.getwidth()[1] and not is_one(body):  # `()*+` is no pattern, but punctuation
                return True
        return isinstance(part, tuple | list | parsed.SubPattern) and any(map(among, part))

    return among(parsed.parse(pattern, flags))


def with_patterns() -> list[str]:
    """The modules that compile patterns."""
    return [
        ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(SRC.rglob("*.py"))
        if re.search(r"\bre\.compile\(|\blate_pattern\(", path.read_text(encoding="utf-8"))
    ]


def written(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a program apart from docstrings, with a group for each field."""
    tree = ast.parse(source)
    apart: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            apart.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            apart.update(map(id, node.values))
            parts = (
                str(one.value) if isinstance(one, ast.Constant) else "(?:xy)" for one in node.values
            )
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and id(node) not in apart:
            yield node.lineno, str(node.value)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(?:ab?c)*+", True),
        ("x(?:a|(?:b.)++)", True),
        ("(?=(?:ab){1,2}+)", True),
        ("(a)?+", True),
        ("(?>(?:ab?c)*)", False),
        ("a*+[bc]++(?:d)?+", False),
        (r"(?:a\)*+)*", False),
    ],
)
def test_repeats_of_groups_are_found(pattern: str, expected: bool) -> None:
    assert repeats_of_groups(pattern) is expected


def test_no_pattern_has_a_possessive_repeat_of_a_group() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *with_patterns()],
        capture_output=True,
        text=True,
        check=True,
    )
    patterns = json.loads(done.stdout)
    assert len(patterns) > 500
    assert [one for one in patterns if repeats_of_groups(*one)] == [], ADVICE


def test_no_text_of_the_source_has_one() -> None:
    """Patterns within functions are compiled too late for the test above."""
    wrong = []
    for path in sorted(SRC.rglob("*.py")):
        for line, text in written(path.read_text(encoding="utf-8")):
            if not re.search(r"\)(?:[*+?]|\{[0-9,]+\})\+", text):
                continue
            try:
                if repeats_of_groups(text):
                    wrong.append(f"{path.relative_to(SRC)}:{line}")
            except re.error:  # no pattern
                continue
    assert wrong == [], ADVICE


def test_what_repeats_is_not_given_back() -> None:
    pattern = re.compile(possessive("ab?c|d"))
    for text, end in (("", 0), ("ab", 0), ("acab", 2), ("abcdacd", 7), ("dac" * 5_000, 15_000)):
        found = pattern.match(text)
        assert found is not None
        assert found.end() == end
    assert re.match(possessive("a|b") + "b", "abab") is None


def test_long_texts_need_little_memory() -> None:
    pattern, text = re.compile(possessive(r'[^"\\]++|\\.')), r"\n" * 200_000
    tracemalloc.start()
    try:
        found = pattern.match(text)
        assert found is not None
        assert found.end() == len(text)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
