"""Adapters whose framework is not installed name the extra that installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.environment import clean_environment
from tests.time_limits import HANGS_S

ADAPTERS = {
    "adk": ("adk", "google.adk"),
    "frameworks.dspy": ("dspy", "dspy"),
    "frameworks.haystack": ("haystack", "haystack"),
    "frameworks.langchain": ("langchain", "langchain_core"),
    "frameworks.llamaindex": ("llamaindex", "llama_index"),
    "frameworks.openai_agents": ("openai-agents", "agents"),
    "frameworks.pydantic_ai": ("pydantic-ai", "pydantic_ai"),
}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_without_its_framework_names_the_extra(adapter: str) -> None:
    extra, module = ADAPTERS[adapter]
    code = (
        "import sys\nclass Missing:\n    def find_spec(self, name, *_):\n"
        f"        if name in ({module!r}, 'pydantic'):\n"
        "            raise ModuleNotFoundError(f'No module named {name}', name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        f"try:\n    import pincite.surfaces.{adapter}\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS_S,
    )
    assert f"pip install 'pincite[{extra}]'" in done.stdout
