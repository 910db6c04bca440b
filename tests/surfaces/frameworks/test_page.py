"""The programs of docs/frameworks.md run as they stand, each with its real framework."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_ai.models.function import FunctionModel

from pincite import Pincite
from tests.environment import clean_environment
from tests.surfaces.frameworks.scripted import Scripted, calls_the_tool

PAGE = Path(__file__).parents[3] / "docs/frameworks.md"
QUESTION = "how is a key rotated?"
CITED = r"docs@sha256-\w+:keys\.md#L1-L3"
#: What each program prints. The first is that of LangChain.
PRINTED = {
    "langchain": r"Call `rotate_key`\.\n\['fresh'\]\n",
    "llamaindex": rf".*citation: {CITED}\n.*Query: {re.escape(QUESTION)}\n.*\['{CITED}'\]\n",
    "haystack": rf"grounded\n.*\[{CITED}\] # Keys\n.*Question: {re.escape(QUESTION)}\n",
    "dspy": rf"grounded \['{CITED}'\]\nCall `rotate_key`\.\n",
    "records_of": r"1 written, 1 refused\nrecord 2 \('keys\.pdf#2'\): its text is empty\n",
}


def programs() -> dict[str, str]:
    """The programs, by the adapter that they import, or `records_of`."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    found = {}
    for block in blocks:
        (imported,) = re.findall(r"from pincite\.surfaces\.frameworks\.(\w+) import (.*)", block)
        name = "records_of" if "records_of" in imported else imported[0]
        assert name not in found
        found[name] = block
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text("# Keys\n\nTo rotate a key, call `rotate_key`.\n")
    monkeypatch.chdir(tmp_path)
    with Pincite(".pincite") as pincite:
        pincite.index(["docs"], lexical=True)
    return tmp_path


def test_the_page_has_a_program_for_each_adapter() -> None:
    assert set(programs()) == {*PRINTED, "openai_agents", "pydantic_ai"}


@pytest.mark.parametrize("name", PRINTED)
def test_the_program_of_the_page_works_as_it_stands(name: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", programs()[name]],
        cwd=folder,
        env=clean_environment() | {"PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "20"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(PRINTED[name], done.stdout, re.S), done.stdout


@pytest.mark.parametrize("name", ["openai_agents", "pydantic_ai"])
def test_an_agent_of_the_page_gets_the_passage(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    scripted = Scripted(QUESTION)
    model = scripted if name == "openai_agents" else FunctionModel(calls_the_tool(QUESTION, told))
    exec(compile(programs()[name], name, "exec"), {"model": model})
    assert capsys.readouterr().out == "done\n"
    text = "".join((scripted.told, *told))
    assert re.search(CITED, text)
    assert "call `rotate_key`" in text
