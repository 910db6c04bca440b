"""The guides do what they say: their blocks are run in order, their outputs compared.

A block of `sh`, `toml`, `python` or `console` that is not run has a comment above it that says why.
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environment import clean_environment
from tests.printed import missing

DOCS = Path(__file__).parents[1] / "docs"
GUIDES = (*sorted(path.name for path in DOCS.glob("guide-*.md")), "tutorial.md")
_BLOCK = re.compile(
    r"(?P<mark> *<!-- not run[^>]*?-->\n)?^ *```(?P<kind>\w+)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
_MARK = "-- next --"
_WARNING = re.compile(r"^warning: (\w+): ", re.MULTILINE)
#: Refused, or a citation that does not hold any more: what these commands are for.
_CODES = {"chicken": 3, "verify": 3}


def blocks(page: str) -> list[tuple[str, str]]:
    """Kind and text of the blocks that are run, and of the output of those of Python."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(one["kind"], one["text"]) for one in _BLOCK.finditer(text) if not one["mark"]]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    given = clean_environment() | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1", "COLUMNS": "120"}
    return subprocess.run(
        command,
        cwd=folder,
        env=given | {"PATH": f"{Path(sys.executable).parent}:{given.get('PATH', '')}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Each command of a console with the lines that are shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.strip():
            found[-1][1].append(line)
    return found


def unnamed(page: str, printed: str) -> list[str]:
    """The codes of warnings that the page does not name: a reader would wonder at them."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [code for code in _WARNING.findall(printed) if f"`{code}`" not in text]


def code_of(command: str, page_changed: bool) -> int:
    if "verify" in command:
        return _CODES["verify"] if page_changed else 0
    return _CODES["chicken"] if "chicken" in command else 0


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    run(["pincite", "stop"], tmp_path)


def a_pdf(path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), invariant=1)
    for text in ("Lecture on metals.", "The melting point of iron is 1538 degrees."):
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.save()


@pytest.mark.parametrize("page", GUIDES)
def test_the_commands_of_a_guide_print_what_it_shows(page: str, folder: Path) -> None:
    changed = False
    for kind, text in blocks(page):
        if kind == "sh":
            done = run(["bash", "-ec", text], folder)
            assert done.returncode == 0, done.stdout
            if "notes" in page:
                a_pdf(folder / "notes/lecture.pdf")
        elif kind == "console":
            for command, shown in commands(text):
                done = run(["bash", "-c", command], folder)
                changed = changed or command.startswith("sed -i")
                said = f"{command}\n{done.stdout}"
                assert done.returncode == code_of(command, changed), said
                assert missing(shown, done.stdout) == [], said
                assert unnamed(page, done.stdout) == [], said


@pytest.mark.parametrize(
    "page", [page for page in GUIDES if any(kind == "python" for kind, _ in blocks(page))]
)
def test_the_programs_of_a_guide_print_what_it_shows(page: str, folder: Path) -> None:
    parts, shown = [], []
    for kind, text in blocks(page):
        if kind == "sh":
            assert run(["bash", "-ec", text], folder).returncode == 0
        elif kind == "python":
            parts.append(f"{text}\nprint({_MARK!r})")
            shown.append("")
        elif kind == "text":
            shown[-1] = text
    done = run([sys.executable, "-W", "error", "-c", "\n".join(parts)], folder)
    assert done.returncode == 0, done.stdout
    printed = done.stdout.split(f"{_MARK}\n")[:-1]
    for got, want in zip(printed, shown, strict=True):
        assert doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS), got


@pytest.mark.parametrize("page", GUIDES)
def test_every_block_of_a_guide_is_run_or_says_why_not(page: str) -> None:
    assert {kind for kind, _ in blocks(page)} <= {"sh", "console", "python", "text"}
