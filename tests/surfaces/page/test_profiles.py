"""What the page says of profiles that lack something here."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from pincite.engine import AsyncPincite
from pincite.presets import preset_names
from pincite.settings.load import load_settings
from pincite.support.fields import replace
from pincite.surfaces.page.indexed import IndexLibrary
from pincite.surfaces.page.profiles import profile_views
from tests.surfaces.page.conftest import Served


def views(folder: Path, dense: Collection[str], **variables: str) -> dict[str, Any]:
    """The views of presets by name."""
    settings = load_settings({"PINCITE_OFFLINE": "1", **variables}, folder)
    return {one["name"]: one for one in profile_views(settings, dense, "")["presets"]}


def test_presets_name_what_they_lack_and_fail_only_if_every_search_does(tmp_path: Path) -> None:
    found = views(tmp_path, [""])
    assert tuple(found) == preset_names()
    assert {name for name, one in found.items() if one["fails"]} == {"notes"}
    assert found["general"]["lacks"] == ()
    assert found["chat"]["lacks"] == ("vectors",)
    assert found["notes"]["lacks"] == ("vectors", "a reranker")
    assert found["local"]["lacks"] == ("a reranker", "a language model")


@pytest.mark.parametrize("dense", [["bundled"], [], ["", "bundled"]], ids=["all", "none", "some"])
def test_vectors_of_one_collection_are_enough(tmp_path: Path, dense: list[str]) -> None:
    found = views(tmp_path, dense)
    assert not any(one["fails"] for one in found.values())
    assert found["chat"]["lacks"] == ()


def test_a_preset_that_contradicts_the_settings_file_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text("[load]\npool = 12\n")
    found = views(tmp_path, ["bundled"])
    assert found["chat"] == {"name": "chat", "lacks": ("settings that fit it",), "fails": True}
    assert not found["general"]["fails"]


def test_the_page_knows_its_profiles_before_anything_is_indexed(tmp_path: Path) -> None:
    async def about() -> Mapping[str, Any]:
        async with AsyncPincite(tmp_path / ".pincite") as engine:
            return await IndexLibrary(engine, tmp_path / "golden.jsonl").about()

    found = asyncio.run(about())
    assert found["judging"]
    assert not any(one["fails"] for one in found["presets"])


def test_a_model_without_its_key_is_not_available(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text('[models]\nrerank = "voyage:rerank-2"\n')
    dense = ["voyage:voyage-4"]
    assert views(tmp_path, dense)["notes"]["lacks"] == ("vectors", "a reranker")
    assert views(tmp_path, dense, VOYAGE_API_KEY="x")["notes"]["lacks"] == ()


def test_the_chosen_preset_is_the_default_of_the_page(tmp_path: Path) -> None:
    settings = load_settings({"PINCITE_OFFLINE": "1"}, tmp_path)
    default = profile_views(settings, [""], "chat")["preset"]
    assert default == {"name": "chat", "lacks": ("vectors",), "fails": False}
    judged = replace(settings.profile, gate=replace(settings.profile.gate, answerable="llm"))
    default = profile_views(replace(settings, profile=judged), [""], "")["preset"]
    assert (default["name"], default["lacks"], default["fails"]) == (
        "",
        ("a language model",),
        True,
    )


def test_the_page_offers_no_profile_that_always_fails(page: Page, served: Served) -> None:
    about = served.ask("about", {}).json()
    (failing,) = [one["name"] for one in about["presets"] if one["fails"]]
    option = page.locator(f"select option[value={failing}]")
    expect(option).to_be_disabled()
    expect(option).to_have_text("notes (without vectors, a reranker)")
    expect(page.get_by_role("option", name="general", exact=True)).to_be_enabled()
