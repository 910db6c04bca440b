"""A program that calls Pincite is type checked as strictly as its author likes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import pincite

PROGRAM = '''
"""A caller, with all that is public."""

import asyncio
from pathlib import Path

from pincite import (
    AsyncPincite,
    Claim,
    Evidence,
    EvidencePack,
    IndexNotFound,
    IndexOptions,
    Pincite,
    PinciteError,
    Question,
    Scope,
    Trace,
    UsageError,
    load_settings,
)
from pincite.model import SourceType


def places(pack: EvidencePack) -> list[str]:
    first: Evidence = pack[0]
    some: tuple[Evidence, ...] = pack[:2]
    lines: range = first.lines
    return [f"{one.citation} {one.kind} {one.source} {lines}" for one in (*some, *pack)]


def ask() -> str:
    with Pincite(Path(".pincite")) as pincite:
        pincite.index("docs", collection="notes", include=["*.md"], lexical=True)
        pincite.index([Path("docs"), "src"], options=IndexOptions(lexical=True))
        try:
            pack = pincite.search(
                "why?",
                limit=3,
                kinds="code",
                paths=["src/*"],
                not_paths="*.md",
                where="kind = 'code'",
                collections={"notes"},
                mode="build",
                by="keyword",
                context="section",
                budget_ms=200,
            )
            pincite.index("docs", options=IndexOptions(include="*.md", exclude=["drafts/*"]))
            pack = pincite.ask(Question("why?", Scope(kinds=("docs",))), profile=None)
            some = Scope(kinds="code", paths=["src/*"], collections="notes", tags={"tenant": "a"})
            pack = pincite.search("why?", scope=some)
            kinds: tuple[SourceType, ...] = some.kinds
        except UsageError as error:
            return error.hint
        except (IndexNotFound, PinciteError) as error:
            return error.message
        again = EvidencePack.from_dict(pack.to_dict())
        checks = pincite.check([Claim(again[0].citation, "because"), again[0].citation])
        statuses: list[str] = [one.status for one in checks]
        return pack.to_prompt(max_tokens=4000, line_numbers=True) + "".join(statuses)


async def ask_async() -> None:
    async with AsyncPincite(load_settings({}, Path.cwd())) as pincite:
        pack = await pincite.search("why?", scope=Scope(paths=("src/*",)), kinds=["docs", "code"])
        for evidence in pack:
            print(evidence.number, evidence.text)
        if len(pack) and pack.verdict.level == "grounded":
            print(places(pack), pack.to_json())


asyncio.run(ask_async())
'''

WRONG = """
from pincite import Pincite

with Pincite(3) as pincite:
    pack = pincite.search("why?", kinds="markdown", limit="3")
    pincite.index("docs", lexicl=True)
    number: str = len(pack)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has the package where one that was installed would be."""
    folder = tmp_path_factory.mktemp("caller") / "venv"
    made = [sys.executable, "-m", "venv", "--without-pip", "--symlinks", str(folder)]
    subprocess.run(made, check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    shutil.copytree(
        Path(pincite.__file__).parent,
        packages / "pincite",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (packages / "rest.pth").write_text(sysconfig.get_paths()["purelib"], encoding="utf-8")
    return folder / "bin" / "python"


def check(program: str, python: Path) -> str:
    """What `mypy --strict` says of a program outside of this project."""
    (python.parents[2] / "program.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python)),
            *("--cache-dir", "cache", "--config-file", "", "program.py"),
        ],
        cwd=python.parents[2],
        env={name: one for name, one in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.slow
def test_a_program_passes_the_strict_check_and_a_wrong_one_does_not(python: Path) -> None:
    assert "Success: no issues found" in check(PROGRAM, python)
    said = check(WRONG, python)
    for line, part in ((4, 'has incompatible type "int"'), (5, '"kinds"'), (5, '"limit"')):
        assert any(f"program.py:{line}:" in one and part in one for one in said.splitlines()), said
    assert 'program.py:6: error: Unexpected keyword argument "lexicl"' in said
    assert "program.py:7: error: Incompatible types" in said


@pytest.mark.slow
def test_without_its_marker_the_package_would_have_no_types(python: Path) -> None:
    (marker,) = python.parents[1].glob("lib/python*/site-packages/pincite/py.typed")
    marker.unlink()
    try:
        assert "missing library stubs or py.typed marker" in check(PROGRAM, python)
    finally:
        marker.touch()


def test_the_module_shows_its_public_names() -> None:
    assert dir(pincite) == sorted(pincite.__all__)
    assert {"AsyncPincite", "Pincite", "EvidencePack", "UsageError"} <= {*dir(pincite)}
    assert not [name for name in dir(pincite) if name[0] == "_" and name != "__version__"]
