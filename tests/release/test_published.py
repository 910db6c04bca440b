"""What publishes and what is run from it: the workflow, the images, the list of licences."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from release.licences import closure, refused

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
IMAGES = ROOT / "deploy/containers/Containerfile"


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    text = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    return dict(yaml.safe_load(text)["jobs"])


def steps(jobs: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("name", ["ci", "platforms", "release"])
def test_every_action_is_pinned_to_a_commit(name: str) -> None:
    workflow = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text("utf-8"))
    used = [step["uses"] for step in steps(workflow["jobs"]) if "uses" in step]
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one)] == []


def test_publishing_has_no_secret_and_may_do_nothing_else(jobs: dict[str, Any]) -> None:
    publishing = [
        job
        for job in jobs.values()
        if any("gh-action-pypi-publish" in step.get("uses", "") for step in job["steps"])
    ]
    assert len(publishing) == 2
    for job in publishing:
        assert job["permissions"] == {"id-token": "write"}
        assert job["environment"]
        # What has the identity runs none of our programs.
        assert not any("python" in step.get("run", "") for step in job["steps"])
    text = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    assert "secrets." not in text
    assert "pull_request" not in text


def test_a_job_that_builds_cannot_write_or_sign(jobs: dict[str, Any]) -> None:
    assert "permissions" not in jobs["build"]  # the workflow's: contents may be read
    assert jobs["attest"]["needs"] == "build"
    assert jobs["publish"]["needs"] == "publish-model"


def test_programs_and_targets_that_the_workflow_runs_are_there(jobs: dict[str, Any]) -> None:
    commands = "\n".join(step["run"] for step in steps(jobs) if "run" in step)
    targets = re.findall(r"^make ([\w ]+)$", commands, re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in " ".join(targets).split():
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for module in re.findall(r"-m (release\.\w+)", commands):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file()
    for script in re.findall(r"release/\w+\.sh", commands):
        assert (ROOT / script).stat().st_mode & 0o111


@pytest.mark.parametrize("script", sorted((ROOT / "release").glob("*.sh")), ids=lambda p: p.name)
def test_scripts_are_read_by_the_shell(script: Path) -> None:
    subprocess.run(["bash", "-n", str(script)], check=True)


@pytest.mark.parametrize("target", ["mcp", "serve"])
def test_an_image_has_neither_root_nor_compiler_nor_network(target: str) -> None:
    text = IMAGES.read_text("utf-8")
    (stage,) = re.findall(rf"^FROM user AS {target}$(.*?)(?=^FROM|\Z)", text, re.M | re.S)
    assert "\nUSER 10001:10001\n" in stage
    assert "--no-index" in stage
    assert "apt-get" not in text
    assert f'CMD ["{target}"]' in stage
    (extras,) = re.findall(r'"pincite\[([\w,]+)\]"', stage)
    (gathered,) = re.findall(r'"pincite\[([\w,]+)\] @', text)
    assert set(extras.split(",")) <= set(gathered.split(","))
    assert set(gathered.split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_proof_of_the_images_builds_and_runs_both() -> None:
    proof = (ROOT / "release/containers.sh").read_text("utf-8")
    text = IMAGES.read_text("utf-8")
    (targets,) = re.findall(r"^  for target in (.*); do$", proof, re.MULTILINE)
    assert targets.split() == re.findall(r"^FROM user AS (\w+)$", text, re.MULTILINE)
    (base,) = set(re.findall(r"^FROM (python:\S+)", text, re.MULTILINE))
    assert f" {base} > /dev/null" in proof
    assert {f"{uid}:{uid}" for uid in re.findall(r"--uid (\d+)", text)} == {"10001:10001"}
    assert '"$(id -u):$(id -g)" = 10001:10001' in proof
    assert all((IMAGES.parents[2] / one).exists() for one in re.findall(r"\$here/([\w/.]+)", proof))


def test_a_build_sees_only_what_the_images_copy() -> None:
    shown = (IMAGES.parent / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    allowed = {one.removeprefix("!") for one in shown if one.startswith("!")}
    copied = re.findall(r"^COPY (\S+) ", IMAGES.read_text("utf-8"), re.MULTILINE)
    assert "*" in shown
    assert allowed == set(copied)
    assert all((ROOT / one).is_file() for one in copied if not one.startswith("dist/"))


def test_the_list_of_licences_has_every_package_that_is_asked_for() -> None:
    listed = (ROOT / "docs/licences.md").read_text("utf-8")
    named = set(re.findall(r"^\| ([\w.-]+) \| \S+ \| [^|]+\|", listed, re.MULTILINE))
    asked = [*PROJECT["dependencies"]]
    for extra, wanted in PROJECT["optional-dependencies"].items():
        assert f"| `{extra}` |" in listed
        asked += wanted
    names = {canonicalize_name(Requirement(one).name) for one in asked}
    assert names - named == set()


@pytest.mark.parametrize(
    "licence",
    [
        "not said",
        "GPL-3.0-only",
        "AGPL-3.0-or-later",
        "SSPL-1.0",
        "GNU General Public License v3 (GPLv3)",
    ],
)
def test_licences_that_ask_more_are_refused(licence: str) -> None:
    assert refused(licence)


@pytest.mark.parametrize(
    "licence",
    ["MIT", "LGPL-3.0-only", "Apache-2.0 OR GPL-2.0-only", "MPL-2.0 AND MIT", "BSD License"],
)
def test_licences_that_ask_to_be_named_are_taken(licence: str) -> None:
    assert not refused(licence)


def test_what_a_package_brings_is_followed_and_what_is_absent_is_named() -> None:
    found = closure([Requirement("httpx"), Requirement("no-such-package-anywhere")])
    assert {"httpx", "httpcore", "h11", "anyio"} <= set(found)
    assert found["no-such-package-anywhere"] is None


def test_markers_of_other_systems_bring_nothing() -> None:
    assert closure([Requirement("httpx; sys_platform == 'no-such-system'")]) == {}
