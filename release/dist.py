"""Build what is published: the wheel and the source of Pincite, and the wheel with its model.

    python -m release.dist --out dist

Weights are fetched once, checked against their pinned hashes, and kept in `--models`. What was
built is then held against what the package index and pip expect (twine, check-wheel-contents).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from pincite.encoders.bundled import MODEL
from pincite.errors import PinciteError
from pincite.providers.bundled import cache
from pincite.providers.bundled.cache import PACKAGE
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.manifest import read_manifest, write_manifest
from pincite.support.fields import replace

ROOT = Path(__file__).parent.parent
MODEL_PROJECT = ROOT / "release/model"
#: Stands in the manifest in place of the moment of the fetch: the same weights give the same wheel.
MODEL_DATE = "2026-11-23T00:00:00+00:00"
DEADLINE_S = 600


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="release.dist", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--models", type=Path, default=cache.default_root())
    given = parser.parse_args(arguments)
    try:
        built = build(given.out, given.models)
    except PinciteError as error:
        print(f"the model cannot be had: {error.message}\n{error.hint}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} ended with {error.returncode}", file=sys.stderr)
        return 1
    for path in built:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path}")
    return 0


def build(out: Path, models: Path) -> tuple[Path, ...]:
    """The files that were built and stand the checks. Older ones in `out` are removed."""
    folder = fetch(MODEL, models)
    out.mkdir(parents=True, exist_ok=True)
    for old in (*out.glob("pincite-*.tar.gz"), *out.glob("pincite*.whl")):
        old.unlink()
    run("build", "--outdir", str(out), str(ROOT))
    with tempfile.TemporaryDirectory(prefix="pincite-model-") as work:
        project = lay_model(folder, Path(work) / "project")
        run("build", "--wheel", "--outdir", str(out), str(project))
    built = (*sorted(out.glob("*.whl")), *sorted(out.glob("*.tar.gz")))
    run("twine", "check", "--strict", *map(str, built))
    for wheel in out.glob("*.whl"):
        run("check_wheel_contents", str(wheel))
    return built


def lay_model(folder: Path, project: Path) -> Path:
    """The project of the model's wheel, with the model of `folder` in it."""
    shutil.copytree(MODEL_PROJECT, project)
    target = project / "src" / PACKAGE / folder.name
    shutil.copytree(folder, target)
    version = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    manifest = read_manifest(target)
    said = replace(manifest, source=f"pincite-model {version}", fetched_at=MODEL_DATE)
    write_manifest(said, target)
    return project


def run(module: str, *arguments: str) -> None:
    """Run a tool of this environment. Raises CalledProcessError."""
    subprocess.run([sys.executable, "-m", module, *arguments], check=True, timeout=DEADLINE_S)


if __name__ == "__main__":
    sys.exit(main())
