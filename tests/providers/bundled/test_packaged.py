"""A model that a package brought is used where the folder of models has none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pincite.errors import ModelUnavailable
from pincite.providers.bundled import cache
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.origins import FetchOptions
from tests.providers.bundled.tiny_bert import Published, publish
from tests.providers.dense.local_hub import fetch_from_folder


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    return publish(tmp_path_factory.mktemp("published") / "files")


@pytest.fixture
def site(published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of models in a package that is installed, with the model in it."""
    site = tmp_path / "site"
    fetch_from_folder(published, site / cache.PACKAGE)
    (site / cache.PACKAGE / "__init__.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(site))
    return site / cache.PACKAGE


def test_a_packaged_model_is_found_verified_and_not_fetched(
    site: Path, published: Published, tmp_path: Path
) -> None:
    root, nowhere = tmp_path / "models", FetchOptions(order=())
    assert cache.find("tiny", root, catalog=published.catalog) == site / "tiny"
    assert cache.verify("tiny", root, catalog=published.catalog).state == "ready"
    fetched = fetch("tiny", root, options=nowhere, catalog=published.catalog)
    assert fetched == site / "tiny"
    assert not root.exists()


def test_the_folder_of_models_comes_first(site: Path, published: Published, tmp_path: Path) -> None:
    root = tmp_path / "models"
    shutil.copytree(site / "tiny", root / "tiny")
    assert cache.find("tiny", root, catalog=published.catalog) == root / "tiny"


def test_a_damaged_model_gives_way_to_the_packaged_one(
    site: Path, published: Published, tmp_path: Path
) -> None:
    root = tmp_path / "models"
    shutil.copytree(site / "tiny", root / "tiny")
    (root / "tiny" / "model.onnx").write_bytes(b"cut")
    assert cache.find("tiny", root, catalog=published.catalog) == site / "tiny"


def test_removing_takes_what_is_in_the_folder_and_leaves_the_package(
    site: Path, published: Published, tmp_path: Path
) -> None:
    root = tmp_path / "models"
    assert cache.remove("tiny", root, catalog=published.catalog) == 0
    shutil.copytree(site / "tiny", root / "tiny")
    assert cache.remove("tiny", root, catalog=published.catalog) > 0
    assert cache.find("tiny", root, catalog=published.catalog) == site / "tiny"


def test_a_damaged_package_is_said_to_be_damaged_and_is_not_used(
    site: Path, published: Published, tmp_path: Path
) -> None:
    (site / "tiny" / "model.onnx").write_bytes(b"cut")
    root = tmp_path / "models"
    assert cache.find("tiny", root, catalog=published.catalog) is None
    status = cache.verify("tiny", root, catalog=published.catalog)
    assert (status.state, status.path) == ("damaged", site / "tiny")
    with pytest.raises(ModelUnavailable):
        fetch("tiny", root, options=FetchOptions(order=()), catalog=published.catalog)


def test_a_folder_of_that_name_without_code_is_no_package(
    site: Path, published: Published, tmp_path: Path
) -> None:
    (site / "__init__.py").unlink()
    assert cache.packaged_models() is None
    assert cache.find("tiny", tmp_path / "models", catalog=published.catalog) is None
