"""Write the parts list (CycloneDX) of what `pip install 'pincite[model]'` installs.

    python -m release.sbom --dist dist

Installs the wheels of `--dist` into an environment of its own, and lists that environment: the
versions are those that a user gets on the day of the release.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from pincite.version import VERSION
from release.dist import ROOT, run

EXTRAS = "model"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="release.sbom", description=__doc__)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--extras", default=EXTRAS)
    given = parser.parse_args(arguments)
    wheel = given.dist / f"pincite-{VERSION}-py3-none-any.whl"
    if not wheel.is_file():
        print(f"{wheel} does not exist; build it first: make dist", file=sys.stderr)
        return 1
    target = given.dist / "pincite.cdx.json"
    try:
        write(wheel, given.extras, target)
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} ended with {error.returncode}", file=sys.stderr)
        return 1
    listed = json.loads(target.read_text(encoding="utf-8"))["components"]
    print(f"{target}: {len(listed)} components")
    return 0


def write(wheel: Path, extras: str, target: Path) -> None:
    """The parts list of an environment with this wheel. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="pincite-sbom-") as work:
        environment = Path(work) / "environment"
        venv.create(environment, with_pip=False)
        python = str(environment / "bin/python")
        wanted = f"pincite[{extras}]=={VERSION}"  # by name: an address would be listed
        links = ("--find-links", str(wheel.parent.resolve()))
        run("pip", "--python", python, "install", "--quiet", *links, wanted)
        options = ("--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible")
        run("cyclonedx_py", "environment", *options, "-o", str(target), python)


if __name__ == "__main__":
    sys.exit(main())
