"""Settings of models that make no sense are named, with the file they stand in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.settings.load import Settings, load_settings
from pincite.settings.sections.models import BUNDLED, CollectionOptions


def load(folder: Path, table: str) -> Settings:
    """What a `pincite.toml` with this table says."""
    (folder / "pincite.toml").write_text(table)
    return load_settings({}, folder)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[models]\ndense = "voyage"\n', "is not a model name"),
        ("[models]\ndense = 3\n", "is not a model name"),
        ('[models]\nsparse = "x:y"\n', "'models.sparse'"),
        ('[collections.main]\nmodel = "x:y"\n', "unknown key 'model'"),
        ('[providers.x]\nkey = "secret"\n', "keys are not allowed here"),
        ("[providers.x]\nspeed = 1\n", "unknown key 'speed'"),
        ("[providers.x]\ntries = 0\n", "tries"),
        ("[providers.x]\ntries = 'many'\n", "tries"),
        ("[collections.main]\ndepth = -1\n", "depth is -1"),
        ("[collections.main]\ndepth = 'deep'\n", "depth"),
        ("[collections.main]\nweight = 0\n", "weight is 0"),
        ("[collections.main]\nbeside = 3\n", "beside"),
        ("[cache]\nlimit_mb = -1\n", "limit_mb"),
    ],
)
def test_settings_that_make_no_sense_are_named(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"pincite\.toml") as caught:
        load(tmp_path, table)
    assert message in str(caught.value)


def test_bundled_names_the_model_that_comes_along(tmp_path: Path) -> None:
    table = f'[models]\ndense = "{BUNDLED}"\n[collections.code]\ndense = "{BUNDLED}"\n'
    found = load(tmp_path, table).use
    assert (found.dense, dict(found.collections)) == ("", {"code": BUNDLED})


def test_models_stand_beside_the_profile(tmp_path: Path) -> None:
    found = load(tmp_path, '[models]\nllm = "ollama:qwen3"\n[select]\nresults = 5\n')
    assert found.use.llm == "ollama:qwen3"
    assert found.profile.select.results == 5


def test_a_cache_of_nothing_is_no_cache(tmp_path: Path) -> None:
    assert load(tmp_path, "[cache]\nlimit_mb = 0\n").use.cache is None
    assert load(tmp_path, "").use.cache is not None


def test_a_collection_has_a_depth_and_a_weight_of_its_own(tmp_path: Path) -> None:
    found = load(tmp_path, "[collections.code]\ndepth = 7\nweight = 0.5\nbeside = true\n").use
    assert found.options["code"] == CollectionOptions(beside=True, depth=7, weight=0.5)
    assert dict(found.collections) == {}


def test_the_settings_of_the_page_about_models_are_settings(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert load(tmp_path, block).use.options["docs"].beside


def test_a_model_for_pictures_is_named_beside_the_others(tmp_path: Path) -> None:
    found = load(tmp_path, '[models]\nvision = "openai:gpt-5-mini"\n')
    assert found.use.vision == "openai:gpt-5-mini"
    assert load(tmp_path, '[models]\nvision = ""\n').use.vision == ""
