"""What is built for publishing: the page of the package, the wheel of the model, the versions."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from release.dist import lay_model

from pincite.providers.bundled import cache
from pincite.providers.bundled.manifest import FORMAT, read_manifest
from pincite.version import VERSION
from tests.providers.bundled.tiny_bert import publish
from tests.providers.dense.local_hub import fetch_from_folder

ROOT = Path(__file__).parents[2]


def project(path: str) -> dict[str, Any]:
    return dict(tomllib.loads((ROOT / path / "pyproject.toml").read_text("utf-8"))["project"])


def wheel_of(folder: Path, out: Path) -> Path:
    command = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", str(out))
    subprocess.run([*command, str(folder)], check=True, capture_output=True)
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    wheel = wheel_of(ROOT, tmp_path_factory.mktemp("wheel"))
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (one for one in opened.namelist() if one.endswith(".dist-info/METADATA"))
        return message_from_bytes(opened.read(name))


def test_links_of_the_package_page_are_absolute_and_lead_to_files_of_the_release(
    metadata: Message,
) -> None:
    page = str(metadata.get_payload())
    links = re.findall(r"\]\(([^)\s]+)\)", page)
    assert [link for link in links if not re.match(r"https?://|#", link)] == []
    base = re.compile(
        rf"https://(?:github\.com/pincite/pincite/blob|raw\.githubusercontent\.com/pincite/pincite)"
        rf"/v{re.escape(VERSION)}/([^#]+)"
    )
    ours = [found[1] for link in links if (found := base.match(link))]
    assert "LICENSE" in ours or "docs/sources.md" in ours
    assert [path for path in ours if not (ROOT / path).exists()] == []


def test_the_package_says_where_it_comes_from_and_what_it_runs_on(metadata: Message) -> None:
    urls = dict(one.split(", ", 1) for one in metadata.get_all("Project-URL", []))
    assert {"Documentation", "Source", "Issues", "Changelog"} <= set(urls)
    classifiers = metadata.get_all("Classifier", [])
    assert "Programming Language :: Python :: 3.11" in classifiers
    assert metadata["Version"] == VERSION


def test_the_extra_asks_for_the_model_that_this_version_reads() -> None:
    """Its first number is the format of the folder, so another format is another requirement."""
    version = project("release/model")["version"]
    assert version.split(".")[0] == str(FORMAT)
    (wanted,) = project(".")["optional-dependencies"]["model"]
    assert wanted == f"pincite-model>={FORMAT},<{FORMAT + 1}"


def test_a_wheel_of_a_model_is_found_where_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = publish(tmp_path / "files")
    folder = fetch_from_folder(published, tmp_path / "models")
    laid = lay_model(folder, tmp_path / "project")
    wheel = wheel_of(laid, tmp_path / "out")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "site")
    shutil.rmtree(tmp_path / "models")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    status = cache.verify("tiny", tmp_path / "models", catalog=published.catalog)
    assert status.state == "ready"
    assert status.path is not None
    assert status.path.is_relative_to(tmp_path / "site")
    assert (
        read_manifest(status.path).source == f"pincite-model {project('release/model')['version']}"
    )


def test_the_same_weights_give_the_same_wheel(tmp_path: Path) -> None:
    published = publish(tmp_path / "files")
    built = []
    for name in ("one", "two"):
        folder = fetch_from_folder(published, tmp_path / name / "models")
        laid = lay_model(folder, tmp_path / name / "project")
        built.append(wheel_of(laid, tmp_path / name / "out").read_bytes())
    assert built[0] == built[1]
