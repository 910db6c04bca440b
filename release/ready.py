"""Whether this tree may be released: its tag, its changes, and where its links lead.

    python -m release.ready --tag v1.2.3 --repository OWNER/NAME

Needs nothing that is installed. Ends with 1 and says what is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
_VERSION = re.compile(r'^VERSION = "([^"]+)"$', re.MULTILINE)
_LINKED = re.compile(r"https://(?:github\.com|raw\.githubusercontent\.com)/([\w.-]+/[\w.-]+)")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="release.ready", description=__doc__)
    parser.add_argument("--tag", required=True)
    parser.add_argument("--repository", required=True, help="OWNER/NAME that publishes")
    given = parser.parse_args(arguments)
    found = problems(ROOT, given.tag, given.repository)
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


def problems(root: Path, tag: str, repository: str) -> tuple[str, ...]:
    """What is in the way of a release of `root` under this tag by this repository."""
    version = version_of(root)
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag} and the version {version}; the tag should be v{version}")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading '## [{version}] - YYYY-MM-DD'")
    found += [f"CHANGELOG.md: {one}" for one in misplaced(changes)]
    found += [
        f"{path} links to {other}, and {repository} publishes"
        for path in ("pyproject.toml", "release/model/pyproject.toml")
        for other in linked(root / path)
        if other != repository
    ]
    return tuple(found)


def version_of(root: Path) -> str:
    """The version, where the build reads it."""
    found = _VERSION.search((root / "src/pincite/version.py").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def misplaced(changes: str) -> tuple[str, ...]:
    """Headings of a changelog that are neither a version nor a kind of change."""
    wrong = []
    for level, title in re.findall(r"^(##|###) +(.+?) *$", changes, re.MULTILINE):
        version = re.fullmatch(r"\[Unreleased\]|\[\d[\w.]*\] - \d{4}-\d\d-\d\d", title)
        if level == "##" and not version:
            wrong.append(f"'{title}' is neither [Unreleased] nor [VERSION] - YYYY-MM-DD")
        if level == "###" and title not in SECTIONS:
            wrong.append(f"'{title}' is none of {', '.join(SECTIONS)}; topics are a level deeper")
    return tuple(wrong)


def linked(path: Path) -> tuple[str, ...]:
    """The repositories of GitHub that a project file names, each once."""
    text = path.read_text(encoding="utf-8")
    tomllib.loads(text)
    return tuple(dict.fromkeys(_LINKED.findall(text)))


if __name__ == "__main__":
    sys.exit(main())
