"""Facts of users as the real mem0 keeps them, over its embedded Qdrant."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from pincite.errors import MemoryUnavailable, Unavailable, UsageError
from pincite.model import Matrix
from pincite.ports import Memory
from pincite.providers.memory.mem0 import Mem0Memory, import_quietly, user_id
from pincite.testing.contract_server import ContractServer
from pincite.testing.fakes import HashingEncoder, ScriptedLLM
from pincite.testing.memories import LOOKALIKES, MemoryContract
from tests.providers.served import opened

if find_spec("mem0") is None:  # its import would tell others of its use
    pytest.skip("mem0 is not installed", allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore")  # of mem0, pydantic and the local Qdrant


class TestMem0(MemoryContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Memory]:
        with TemporaryDirectory() as folder:
            memory = Mem0Memory(Path(folder) / "mem0", HashingEncoder())
            yield memory
            await memory.close()


class FailingEncoder(HashingEncoder):
    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        raise Unavailable("the encoder is away")


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every address that a socket of this process is connected to."""
    addresses: list[Any] = []
    connect = socket.socket.connect

    def heard(self: socket.socket, address: Any) -> None:
        addresses.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", heard)
    return addresses


def test_nothing_leaves_the_machine(tmp_path: Path, reached: list[Any]) -> None:
    home = Path.home() / ".mem0"
    before = home.exists()

    async def session() -> None:
        memory = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        await memory.remember("ada", "drinks tea with Grace Hopper")
        await memory.recall("ada", "what does Grace Hopper drink?", 5)
        await memory.forget("ada")
        await memory.close()

    asyncio.run(session())
    assert reached == []
    assert home.exists() == before
    assert "MEM0_TELEMETRY" not in os.environ


def test_mem0_is_silenced_where_a_program_has_imported_it_before(tmp_path: Path) -> None:
    import mem0.memory.main
    import mem0.memory.telemetry

    mem0.memory.telemetry.MEM0_TELEMETRY = mem0.memory.main.MEM0_TELEMETRY = True
    import_quietly(tmp_path)
    assert mem0.memory.telemetry.MEM0_TELEMETRY is False
    assert mem0.memory.main.MEM0_TELEMETRY is False


def test_a_user_that_is_a_wildcard_of_mem0_sees_nobody_else(tmp_path: Path) -> None:
    async def session() -> None:
        memory = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        await memory.remember("ada", "drinks tea")
        # What mem0 itself would say: with "*" it leaves the condition out.
        search = partial(memory._memory.search, filters={"user_id": "*"}, top_k=5)
        everybody = await asyncio.to_thread(search, "tea")
        assert [one["memory"] for one in everybody["results"]] == ["drinks tea"]
        assert await memory.recall("*", "tea", 5) == ()
        assert await memory.facts("*") == ()
        assert await memory.forget("*") == 0
        await memory.close()

    asyncio.run(session())


def test_names_for_mem0_are_of_one_user_each() -> None:
    names = [*LOOKALIKES, "~6164", "~", "ada@example.org"]
    assert len({user_id(one) for one in names}) == len(names)
    assert user_id("ada@example.org") == "ada@example.org"
    assert all(not any(sign.isspace() for sign in user_id(one)) for one in names)


def test_some_hundred_random_cases_never_cross_users(tmp_path: Path) -> None:
    chance = random.Random(5)
    words = ("tea", "coffee", "bicycle", "printer", "cellar", "exam", "key", "lamp")
    said: dict[str, set[str]] = {}

    async def session() -> None:
        memory = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        for number in range(100):
            user = chance.choice(LOOKALIKES)
            text = f"{' '.join(chance.sample(words, 4))} mark{number}"
            said.setdefault(user, set()).add(text)
            await memory.remember(user, text)
            for asked in chance.sample(LOOKALIKES, 3):
                found = await memory.recall(asked, " ".join(chance.sample(words, 3)), 5)
                assert {one.text for one in found} <= said.get(asked, set())
        await memory.close()

    asyncio.run(session())


def test_at_most_as_many_as_wanted_are_recalled(tmp_path: Path) -> None:
    async def session() -> None:
        memory = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        for number in range(8):
            await memory.remember("ada", f"drinks tea number {number}")
        assert len(await memory.recall("ada", "drinks tea", 5)) == 5
        await memory.close()

    asyncio.run(session())


def test_facts_are_there_after_the_folder_was_closed(tmp_path: Path) -> None:
    async def session() -> None:
        memory = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        await memory.remember("ada", "drinks tea")
        await memory.close()
        again = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        assert [one.text for one in await again.recall("ada", "tea", 5)] == ["drinks tea"]
        await again.close()

    asyncio.run(session())


def test_a_second_one_on_the_same_folder_is_an_error_that_says_so(tmp_path: Path) -> None:
    async def session() -> None:
        first = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        await first.remember("ada", "drinks tea")
        second = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        with pytest.raises(MemoryUnavailable, match="mem0 could not list"):
            await second.facts("ada")
        await first.close()

    asyncio.run(session())


def test_an_encoder_that_fails_says_itself(tmp_path: Path) -> None:
    memory = Mem0Memory(tmp_path / "mem0", FailingEncoder())
    with pytest.raises(Unavailable, match="the encoder is away"):
        asyncio.run(memory.remember("ada", "drinks tea"))
    asyncio.run(memory.close())


def test_a_lone_surrogate_is_refused(tmp_path: Path) -> None:
    memory = Mem0Memory(tmp_path / "mem0", HashingEncoder())
    with pytest.raises(UsageError, match="surrogate"):
        asyncio.run(memory.remember("ada", "a \ud800"))


def test_what_is_remembered_is_in_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def session() -> None:
        memory = Mem0Memory(tmp_path / "mem0", HashingEncoder())
        await memory.remember("ada", "the password is quetzal")
        await memory.recall("ada", "password quetzal", 5)
        await memory.forget("ada")
        await memory.close()

    with caplog.at_level(logging.DEBUG):
        asyncio.run(session())
    assert "quetzal" not in caplog.text


def test_a_language_model_may_decide_what_is_remembered(tmp_path: Path) -> None:
    said = json.dumps({"memory": [{"id": "0", "text": "Ada drinks tea"}]})

    async def session() -> None:
        memory = Mem0Memory(tmp_path / "mem0", HashingEncoder(), ScriptedLLM(said), infer=True)
        facts = await memory.remember("ada", "Hello, I am Ada. Tea for me, please.")
        assert [one.text for one in facts] == ["Ada drinks tea"]
        await memory.close()

    asyncio.run(session())


def test_without_a_language_model_nothing_is_inferred(tmp_path: Path) -> None:
    memory = Mem0Memory(tmp_path / "mem0", HashingEncoder(), infer=True)
    with pytest.raises(UsageError, match="no language model"):
        asyncio.run(memory.remember("ada", "drinks tea"))
    asyncio.run(memory.close())


def test_models_of_the_settings_are_asked_over_the_wire(tmp_path: Path) -> None:
    with ContractServer() as server:

        async def session() -> None:
            async with (
                opened(server, "dense", "openai:text-embedding-3-small") as encoder,
                opened(server, "llm", "openai:gpt-5-mini") as llm,
            ):
                memory = Mem0Memory(tmp_path / "mem0", encoder, llm, infer=True)
                await memory.remember("ada", "drinks tea")  # the server's model says no JSON
                assert await memory.facts("ada") == ()
                await memory.close()

        asyncio.run(session())
        bodies = server.record.bodies
    assert any("input" in body for body in bodies)
    assert any("messages" in body and "drinks tea" in str(body) for body in bodies)
