"""A block for a prompt: the same from the command line, from Python and from MCP."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mcp import Client

from pincite import AsyncPincite, Pincite, UsageError
from pincite.model.context_block import ContextBlock
from pincite.profile import Profile
from pincite.settings.load import load_settings
from pincite.stages.context import ContextConfig
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools
from pincite.trace import Trace
from tests.surfaces.conftest import Cli

IDLE = {"PINCITE_IDLE_S": "60"}
QUESTION = "how is a key rotated"


@pytest.fixture
def guide(cli: Cli) -> Cli:
    """Three files: in one of them the key is rotated over many passages, two are the same but for
    their first line."""
    parts = [f"To rotate key number {n}, turn it {n} times. {'Then wait. ' * 30}" for n in range(9)]
    cli.write("guide.md", "# Keys\n\n" + "\n\n".join(parts) + "\n")
    same = "A key is rotated by the owner of the key, who asks for another key first. " * 4
    cli.write("one.md", f"# One\n\n{same}\n")
    cli.write("two.md", f"# Two\n\n{same}\n")
    cli("index", ".", "--lexical")
    return cli


def by_python(folder: Path, **keywords: Any) -> ContextBlock:
    with Pincite(load_settings(IDLE, folder)) as pincite:
        return pincite.context_for(QUESTION, **keywords)


def test_the_command_prints_a_block_within_its_budget_that_python_gives_as_well(guide: Cli) -> None:
    printed = guide("context", QUESTION, "--budget", "600").stdout
    block = by_python(guide.folder, budget=600)
    assert printed.rstrip("\n") == block.text
    assert block.tokens <= 600
    assert block.shown[0] == 1
    assert block.left_out
    decoded = guide.json("context", QUESTION, "--budget", "600")
    again = msgspec.convert({**decoded, "pack": block.pack.to_dict()}, ContextBlock)
    assert again.text == block.text
    assert again.shown == block.shown
    assert decoded["pack"]["evidence"][0]["number"] == 1


def test_the_order_of_rank_is_there_for_who_wants_it(guide: Cli) -> None:
    found = guide.json("context", QUESTION, "--budget", "3000", "--order", "rank")
    assert found["shown"] == sorted(found["shown"])
    assert len(found["shown"]) > 2
    curved = guide.json("context", QUESTION, "--budget", "3000")
    assert curved["shown"] == [1, *sorted(curved["shown"])[2:], 2]


def test_what_is_the_same_is_shown_once_and_what_touches_is_one(guide: Cli) -> None:
    trace = Trace(lambda: 0.0)

    async def search(optimised: bool) -> list[str]:
        profile = Profile(context=ContextConfig(around="none"))
        async with AsyncPincite(load_settings(IDLE, guide.folder)) as engine:
            if not optimised:
                pack = await engine.search(QUESTION, limit=12, profile=profile, trace=trace)
            else:
                pack = (await engine.context_for(QUESTION, limit=12, profile=profile)).pack
            return [one.path for one in pack.evidence]

    plain, optimised = asyncio.run(search(False)), asyncio.run(search(True))
    assert {"one.md", "two.md"} <= set(plain)
    assert len({"one.md", "two.md"} & set(optimised)) == 1
    assert optimised.count("guide.md") < plain.count("guide.md")
    assert "optimise" not in [step.stage for step in trace.steps]


def test_explain_shows_what_was_put_together(guide: Cli) -> None:
    guide.write("pincite.toml", "[optimise]\nenabled = true\n")
    stages = {one["stage"]: one for one in guide.json("explain", QUESTION, "-n", "12")}
    assert list(stages).index("optimise") == list(stages).index("context") + 1
    reasons = [one["reason"] for one in stages["optimise"]["dropped"]]
    assert any(reason.startswith("says the same as ") for reason in reasons)


def test_the_tool_of_mcp_gives_the_same_block(guide: Cli) -> None:
    async def ask() -> str:
        engine = AsyncPincite(load_settings(IDLE, guide.folder))
        async with engine, Client(make_server(engine, tools(engine))) as client:
            asked = {"query": QUESTION, "detail": "context", "max_tokens": 1_500}
            result = await client.call_tool("search_evidence", {**asked, "mode": "explain"})
            assert result.structured_content is None
            text: str = json.loads(result.model_dump_json())["content"][0]["text"]
            return text

    assert asyncio.run(ask()) == by_python(guide.folder, budget=1_500).text


@pytest.mark.parametrize(
    ("budget", "said"), [("0", "budget is 0"), ("-5", "budget is -5"), ("50", "is too small")]
)
def test_a_budget_without_room_is_wrong_usage(guide: Cli, budget: str, said: str) -> None:
    assert said in guide("context", QUESTION, "--budget", budget, code=2).stderr
    with pytest.raises(UsageError, match=said):
        by_python(guide.folder, budget=int(budget))


def test_nothing_relevant_is_said_and_is_the_exit_code(guide: Cli) -> None:
    done = guide("context", "the weather in Lisbon tomorrow", code=3)
    assert "Nothing relevant is indexed." in done.stdout


def test_tokens_can_be_counted_by_the_model_that_reads_it(guide: Cli, tmp_path: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    place = guide.folder / "tokenizer.json"
    tokenizer.save(str(place))
    counted = guide.json("context", QUESTION, "--budget", "900", "--tokenizer", "tokenizer.json")
    assert counted["tokens"] == len(tokenizer.encode(counted["text"]).ids) <= 900
    estimated = guide.json("context", QUESTION, "--budget", "900")
    assert len(counted["text"]) > len(estimated["text"])
    wrong = guide("context", QUESTION, "--tokenizer", "guide.md", code=2)
    assert "is not a tokenizer" in wrong.stderr
    os.mkfifo(guide.folder / "pipe")
    pipe = guide("context", QUESTION, "--tokenizer", "pipe", code=2)
    assert "pipe is not a file; name a tokenizer.json" in pipe.stderr
