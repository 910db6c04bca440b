"""What the settings say of memory is opened, and not before it is needed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.engine.memory_stores import open_conversations, open_memory
from pincite.errors import ConfigError, ModelUnavailable
from pincite.ports import Memory
from pincite.providers.memory.sqlite import SqliteMemory
from pincite.settings.load import Settings, load_settings
from pincite.settings.sections.memory import MemorySettings
from pincite.support.fields import replace


def settings_with(folder: Path, **memory: object) -> Settings:
    settings = load_settings({"PINCITE_OFFLINE": "1"}, folder)
    return replace(settings, memory=MemorySettings(**memory))  # type: ignore[arg-type]


def opened(settings: Settings) -> Memory:
    memory = open_memory(settings)
    assert memory is not None
    return memory


def test_the_usual_memory_is_a_file_in_the_index_folder(tmp_path: Path) -> None:
    memory = opened(settings_with(tmp_path))
    assert isinstance(memory, SqliteMemory)
    assert not (tmp_path / ".pincite").exists()
    asyncio.run(memory.remember("ada", "drinks tea"))
    assert (tmp_path / ".pincite" / "memory.db").is_file()


def test_there_may_be_none(tmp_path: Path) -> None:
    assert open_memory(settings_with(tmp_path, kind="none")) is None


@pytest.mark.parametrize("kind", ["sqlite", "mem0"])
def test_a_model_that_is_missing_is_named_with_the_first_call(tmp_path: Path, kind: str) -> None:
    settings = settings_with(tmp_path, kind=kind, dense="bundled")
    memory = opened(replace(settings, models=tmp_path / "no-models"))
    assert kind in memory.fingerprint
    with pytest.raises(ModelUnavailable):
        asyncio.run(memory.recall("ada", "tea", 5))
    asyncio.run(memory.close())
    assert not (tmp_path / ".pincite").exists()


def test_who_infers_has_to_be_named(tmp_path: Path) -> None:
    memory = opened(settings_with(tmp_path, kind="mem0", infer=True))
    with pytest.raises(ConfigError, match="no language model"):
        asyncio.run(memory.remember("ada", "drinks tea"))


def test_memory_and_conversations_share_a_folder_and_no_file(tmp_path: Path) -> None:
    async def session() -> None:
        settings = settings_with(tmp_path)
        memory, conversations = opened(settings), open_conversations(settings)
        await memory.remember("ada", "drinks tea")
        await conversations.begin("ada")
        assert await memory.forget("ada") == 1
        assert len(await conversations.list("ada")) == 1
        await memory.close()
        await conversations.close()

    asyncio.run(session())


def test_an_open_memory_tells_what_it_is(tmp_path: Path) -> None:
    async def session() -> None:
        memory = opened(settings_with(tmp_path, dense="bundled"))
        await memory.remember("ada", "drinks tea")
        assert memory.fingerprint.startswith("sqlite/words-")
        assert "MiniLM" in memory.fingerprint
        assert [one.text for one in await memory.facts("ada")] == ["drinks tea"]
        assert await memory.forget("ada") == 1
        await memory.close()

    asyncio.run(session())
