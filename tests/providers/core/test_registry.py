"""Providers by name: known ones, those of third parties, missing ones, and how keys are found."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.providers.registry import (
    KINDS,
    Provider,
    Registry,
    find_provider,
    missing_extra,
    providers,
)
from pincite.settings.sections.models import take_model_settings
from tests.time_limits import HANGS_S

KEY = "sk-do-not-show-this-0123456789"

_MODULE = '''
"""A provider of somebody else, in one file."""

import numpy as np

from pincite.providers.registry import Provider

PROVIDER = Provider("letters", dense="pincite_letters:open_dense")


class Letters:
    fingerprint, dimensions, languages = "letters/1", 26, frozenset()
    name, batch_items = "letters:latin", 64

    async def embed_query(self, text):
        counts = np.array([text.lower().count(chr(97 + n)) for n in range(26)], np.float32) + 0.01
        return counts / np.linalg.norm(counts)

    async def embed_documents(self, texts):
        rows = [await self.embed_query(text) for text in texts]
        return np.array(rows, np.float32).reshape(-1, 26)

    async def close(self):
        pass


async def open_dense(setup):
    return Letters()
'''


@pytest.fixture(scope="module")
def third_party(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A distribution as an installer leaves it: a module, and metadata with an entry point."""
    place = tmp_path_factory.mktemp("site")
    (place / "pincite_letters.py").write_text(_MODULE)
    info = place / "pincite_letters-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pincite-letters\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[pincite.providers]\nletters = pincite_letters:PROVIDER\n"
    )
    return place


def test_a_third_party_adds_a_provider_in_one_file(third_party: Path, tmp_path: Path) -> None:
    code = (
        "import os, sys; sys.argv = ['pincite', *sys.argv[1:]];"
        " from pincite.surfaces.cli.app import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "embed", "abc", "--model", "letters:latin"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(third_party), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS_S,
    )
    assert done.returncode == 0, done.stderr
    assert '"fingerprint": "letters/1"' in done.stdout


def test_an_unknown_provider_lists_those_of_the_kind() -> None:
    with pytest.raises(
        ConfigError,
        match=r"no provider of dense models is named 'nobody'; known providers: .*voyage",
    ) as e:
        find_provider("nobody", "dense")
    assert "judge" not in str(e.value)


def test_a_provider_without_the_kind_names_its_own_and_the_others() -> None:
    with pytest.raises(ConfigError, match=r"voyage has no llm models, only dense.*: .*openai"):
        find_provider("voyage", "llm")


def test_every_provider_of_the_table_can_be_opened() -> None:
    for provider in providers().values():
        assert provider.kinds
        for kind in provider.kinds:
            module, _, function = getattr(provider, kind).partition(":")
            text = Path(*module.split(".")).with_suffix(".py")
            source = Path(__file__).parents[3] / "src" / text
            assert f"async def {function}(" in source.read_text(), (provider.name, kind)
    assert set(KINDS) == {kind for one in providers().values() for kind in one.kinds}


def test_a_missing_extra_names_its_install_line_and_a_broken_one_its_own_error() -> None:
    provider = Provider("x", extra="hub")
    error = missing_extra(provider, ModuleNotFoundError("no", name="fastembed"))
    assert error.hint == "pip install 'pincite[hub]'"
    with pytest.raises(ImportError, match="broken"):
        missing_extra(provider, ImportError("broken"))


def test_servers_without_an_address_say_how_to_write_one() -> None:
    with pytest.raises(ConfigError) as caught:
        asyncio.run(Registry().open("dense", "compatible:some-model"))
    assert "compatible:http://HOST:PORT#MODEL" in caught.value.hint


def test_keys_are_found_in_the_environment_then_in_files(tmp_path: Path) -> None:
    voyage = providers()["voyage"]
    file = tmp_path / "key"
    file.write_text(f"{KEY}-file\n")
    table = {"providers": {"voyage": {"key_file": str(file)}}}

    def found(environ: dict[str, str], *, configured: bool) -> str:
        given = dict(table) if configured else {}
        secret = take_model_settings(given, "here", environ, None).key_of(voyage)
        return secret.reveal() if secret else ""

    assert found({}, configured=False) == ""
    assert found({"VOYAGE_API_KEY": f" {KEY}\n"}, configured=True) == KEY
    assert found({}, configured=True) == f"{KEY}-file"
    assert found({"VOYAGE_API_KEY_FILE": str(file)}, configured=False) == f"{KEY}-file"
    for spoilt in (f"{KEY} {KEY}", "schlüssel"):
        with pytest.raises(ConfigError) as caught:
            found({"VOYAGE_API_KEY": spoilt}, configured=False)
        assert spoilt not in str(caught.value)


def test_settings_show_no_key() -> None:
    settings = take_model_settings({}, "here", {"VOYAGE_API_KEY": KEY}, None)
    setup = Registry(key_of=settings.key_of).setup("dense", "voyage:voyage-4")
    assert setup.key is not None
    assert KEY not in repr(settings) + repr(settings.key_of) + repr(setup) + str(setup)
