"""The language model of the settings as the judge of answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.engine import AsyncPincite
from pincite.errors import ConfigError
from pincite.model import EvidencePack
from pincite.profile import Profile
from pincite.providers.provider_options import ProviderOptions
from pincite.settings.load import load_settings
from pincite.stages.gate import GateConfig
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer

ROOT = Path(__file__).parent.parent.parent
ASKING = replace(Profile(), gate=GateConfig(answerable="llm", answerable_s=20.0))


def packs(folder: Path, llm: str, url: str = "", *questions: str) -> list[EvidencePack]:
    (folder / "docs").mkdir()
    (folder / "docs" / "keys.md").write_text("# Keys\n\nrotate the key with a secret\n")

    async def run() -> list[EvidencePack]:
        settings = load_settings({}, folder, folder / ".pincite")
        providers = {"ollama": ProviderOptions(url=url)} if url else {}
        settings = replace(settings, use=replace(settings.use, llm=llm, providers=providers))
        async with AsyncPincite(settings) as engine:
            await engine.index([folder / "docs"], lexical=True)
            try:
                return [await engine.search(one, profile=ASKING) for one in questions]
            finally:
                await engine.stop()

    return asyncio.run(run())


def test_the_model_of_the_settings_is_asked_by_the_client(tmp_path: Path) -> None:
    with ContractServer() as server:
        url = server.url("ollama")
        asked = ("rotate the key with a secret", "key secret of zebra quantum ferment lorem ipsum")
        good, bad = packs(tmp_path, "ollama:qwen3:8b", url, *asked)
    assert "answer it" in good.verdict.reason
    assert bad.verdict.level == "none"
    assert bad.evidence == ()
    assert [one.path for one in bad.closest] == ["keys.md"]


def test_a_changed_file_costs_a_second_request_as_the_docs_say(tmp_path: Path) -> None:
    keys = [tmp_path / "docs" / f"{name}.md" for name in ("first", "second")]
    keys[0].parent.mkdir()
    for one in keys:
        one.write_text(f"# Keys\n\nrotate the {one.stem} key with a secret\n")

    async def run(server: ContractServer) -> list[int]:
        settings = load_settings({}, tmp_path, tmp_path / ".pincite")
        providers = {"ollama": ProviderOptions(url=server.url("ollama"))}
        use = replace(settings.use, llm="ollama:qwen3:8b", providers=providers)
        asked = []
        async with AsyncPincite(replace(settings, use=use)) as engine:
            await engine.index([tmp_path / "docs"], lexical=True)
            try:
                for text in ("", "# Other\n\nnothing of that\n"):
                    if text:
                        keys[0].write_text(text)
                    server.record.clear()
                    await engine.search("rotate the first key with a secret", profile=ASKING)
                    asked.append(server.record.requests)
            finally:
                await engine.stop()
        return asked

    with ContractServer() as server:
        assert asyncio.run(run(server)) == [1, 2]
    said = " ".join((ROOT / "docs" / "results.md").read_text(encoding="utf-8").split())
    assert "costs one, or two if a passage is no longer in its file" in said


def test_to_ask_a_model_that_nobody_named_is_an_error_that_says_where(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no language model is configured") as caught:
        packs(tmp_path, "", "", "rotate the key")
    assert "[models] llm" in caught.value.hint
