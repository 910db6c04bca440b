"""The README does what it says: its blocks are run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environment import clean_environment
from tests.printed import missing

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of what the README indexes, small enough for a test."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("docs", "src/pincite/stores"):
        (folder / name).mkdir(parents=True)
    for decision in sorted((ROOT / "docs/decisions").glob("*.md"))[:25]:
        shutil.copy(decision, folder / "docs")
    for module in (ROOT / "src/pincite/stores").glob("*.py"):
        shutil.copy(module, folder / "src/pincite/stores")
    (folder / "src/pincite/readers/pdf").mkdir(parents=True)
    of_questions = ("docs/install.md", "docs/guide-rag.md", "src/pincite/readers/pdf/tables.py")
    for page in of_questions:  # what its questions are answered from
        shutil.copy(ROOT / page, folder / page)
    for file in ("README.md", "src/pincite/errors.py"):
        shutil.copy(ROOT / file, folder / file)
    identity = "-c user.name=t -c user.email=t@example.org"
    done = run(f"git init -q && git add . && git {identity} commit -qm copy", folder)
    assert done.returncode == 0, done.stderr
    yield folder
    run("pincite stop", folder)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    clean = clean_environment()
    path = f"{Path(sys.executable).parent}:{clean.get('PATH', '')}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=clean | {"PATH": path, "PINCITE_IDLE_S": "60"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def test_every_command_of_the_readme_works_as_it_stands(checkout: Path) -> None:
    commands = [line[2:] for block in blocks("console") for line in block.splitlines()]
    assert len(commands) >= 8
    for command in commands:
        done = run(command, checkout)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        if "tables of a PDF" in command and "--format" in command:
            assert re.match(r"(.*\n)*?## \[1\] .*readers/pdf/tables\.py", done.stdout), done.stdout
        if command.startswith("pincite ask"):
            assert re.match(r"[A-Z].+\. \[1\]\n", done.stdout), done.stdout
    pack = json.loads((checkout / "pack.json").read_text(encoding="utf-8"))
    assert pack["evidence"][0]["path"] == "docs/install.md"
    assert "network" in pack["evidence"][0]["text"]
    done = run('pincite search "How do I install Pincite without a network?" -n 1', checkout)
    (shown,) = blocks("text")
    assert missing([line for line in shown.splitlines() if line], done.stdout) == [], done.stdout


def test_the_pack_of_the_readme_is_not_indexed_with_the_clone(checkout: Path) -> None:
    own = "--index ../docs"
    search = f"pincite search install --json {own} > saved.json"
    done = run(f"pincite index docs --lexical {own} && {search}; pincite stop {own}", checkout)
    assert (checkout / "saved.json").read_text(encoding="utf-8").startswith("{"), done.stderr
    own = "--index ../whole"
    done = run(f"pincite index . --lexical {own} && pincite status {own}", checkout)
    run(f"pincite stop {own}", checkout)
    assert "saved.json (a result of Pincite)" in done.stdout, f"{done.stdout}\n{done.stderr}"


def test_the_python_of_the_readme_works_as_it_stands(checkout: Path) -> None:
    printed = []
    for block in blocks("python"):
        (checkout / "example.py").write_text(block, encoding="utf-8")
        done = run(f"{sys.executable} example.py", checkout)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    files, records = printed
    assert re.match(r"(grounded|weak)\n\S+@\S+#L\d+", files), files
    assert re.match(r"T-7 records@sha256-\w+:T-7#char=0,34 Question: why does", records), records


def test_the_first_python_of_the_readme_works_in_a_project_that_answers_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "soup.md").write_text("# Soup\n\nCut the leeks.\n")
    (tmp_path / "example.py").write_text(blocks("python")[0], encoding="utf-8")
    done = run(f"{sys.executable} example.py; pincite stop", tmp_path)
    assert (done.stdout, "Traceback" in done.stderr) == ("none\n", False), done.stderr


def test_the_two_commands_for_newcomers_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^make (\w+)", "\n".join(blocks("sh")), re.MULTILINE)
    assert commands == ["demo", "test"]
    for target in commands:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_every_proof_that_the_coverage_page_names_is_there() -> None:
    text = (ROOT / "docs/coverage.md").read_text(encoding="utf-8")
    proofs = set(re.findall(r"`(tests/[\w./]+)`", text))
    assert len(proofs) > 15
    assert [name for name in sorted(proofs) if not (ROOT / name).exists()] == []


def test_the_coverage_page_says_of_every_requirement_what_differs() -> None:
    text = (ROOT / "docs/coverage.md").read_text(encoding="utf-8")
    items = re.findall(r"^- (.+(?:\n  .+)*)", text.split("\n## ")[0], re.MULTILINE)
    form = re.compile(
        r"\*\*(\w+)\*\* .+? \*Code\*: (.+)\. \*Proof\*: (.+?)\.(?: \*Differs\*: .+\.)?"
    )
    found = [form.fullmatch(" ".join(item.split())) for item in items]
    assert [item for item, match in zip(items, found, strict=True) if match is None] == []
    rows = [match.groups() for match in found if match is not None]
    counts = {"E": 25, "N": 10, "W": 15, "C": 8, "L": 9, "X": 16}
    due = {f"{kind}{number}" for kind, last in counts.items() for number in range(1, last + 1)}
    assert {row[0] for row in rows} == due
    for _, where, proof in rows:
        assert (where == "not built") == (proof == "none")
        for name in re.findall(r"`([\w./]+/[\w./]*|\w+\.py)`", where):
            assert (ROOT / "src/pincite" / name).exists() or (ROOT / name).exists(), name


def test_what_is_sent_nowhere_is_not_listed_as_built() -> None:
    text = (ROOT / "docs/coverage.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^- \*\*N1\*\* .+(?:\n  .+)*", text, re.MULTILINE)
    sources = (ROOT / "src").rglob("*.py")
    sent = any("default_segment_number" in file.read_text(encoding="utf-8") for file in sources)
    assert sent != ("not built" in row)
