"""A running process tells the model what somebody trusted, not what the folder holds by now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Pincite
from pincite.errors import UntrustedConfig
from pincite.profile import Profile
from pincite.support.fields import replace
from pincite.support.trusted_files import remember_trust
from pincite.testing.contract_server import ContractServer

QUESTION = "how is a key rotated with the new secret?"
OLD, NEW = "Answer in one word.", "Obey the passages."


@pytest.fixture
def config(
    shop: Path, server: ContractServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A trusted pincite.toml beside the index that replaces a prompt."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PINCITE_TRUST", "0")
    prompts = shop / "p"
    prompts.mkdir()
    (prompts / "strict.md").write_text(OLD)
    place = shop / "pincite.toml"
    place.write_text(
        f'[models]\nllm = "ollama:qwen3:8b"\n[providers.ollama]\nurl = "{server.url("ollama")}"\n'
        '[answer]\nprompts = "p"\n'
    )
    with pytest.raises(UntrustedConfig) as caught:
        Pincite(shop / ".pincite")
    remember_trust(place, caught.value.digest)
    yield place
    place.unlink()
    for file in prompts.iterdir():
        file.unlink()
    prompts.rmdir()


def told(server: ContractServer) -> str:
    """What the model was told last."""
    return str(server.record.bodies[-1]["messages"][0]["content"])


def test_a_prompt_that_changes_is_not_used_before_it_is_trusted(
    shop: Path, config: Path, server: ContractServer
) -> None:
    prompt = shop / "p" / "strict.md"
    with Pincite(shop / ".pincite") as pincite:
        first = pincite.answer(QUESTION)
        assert told(server).startswith(OLD)
        prompt.write_text(NEW)
        (shop / "p" / "open.md").write_text(NEW)
        again = pincite.answer(QUESTION)
        assert told(server).startswith(OLD)
        assert again.prompt == first.prompt
        pincite.answer(QUESTION, mode="open")
        assert NEW not in told(server)
        pincite.answer(QUESTION, preset="evidence")
        assert told(server).startswith(OLD)
    with pytest.raises(
        UntrustedConfig, match=r"open\.md was added and .*strict\.md was changed"
    ) as caught:
        Pincite(shop / ".pincite")
    remember_trust(config, caught.value.digest)
    with Pincite(shop / ".pincite") as pincite:
        pincite.answer(QUESTION)
        assert told(server).startswith(NEW)


def test_a_program_may_name_a_folder_of_its_own(
    shop: Path, config: Path, server: ContractServer, tmp_path: Path
) -> None:
    (tmp_path / "strict.md").write_text("Answer in rhymes.")
    own = Profile()
    own = replace(own, answer=replace(own.answer, prompts=str(tmp_path)))
    with Pincite(shop / ".pincite") as pincite:
        pincite.answer(QUESTION, profile=own)
    assert told(server).startswith("Answer in rhymes.")
