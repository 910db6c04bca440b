"""Write `docs/licences.md`: what Pincite brings with it, under which licences, and how large it is.

    python -m release.licences > docs/licences.md

Reads the metadata of the environment that it runs in, without a network: what is not installed is
named as such. Ends with 1 where a package says no licence, or one that asks the same of what is
shipped with it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
LONGEST = 60  # of a licence in the table: some packages put the whole text there
NOT_SAID = "not said"
#: `LGPL` is not among them: a library that is imported may have another licence.
_REFUSED = re.compile(r"(?<![L])\b(A?GPL|SSPL|BUSL|Elastic|Commons Clause)", re.IGNORECASE)
#: What the metadata leaves open and the licence file in the wheel answers.
READ_IN_THE_WHEEL: Mapping[str, str] = {"py-rust-stemmers": "MIT"}
MODEL = PROJECT.parent / "release/model/pyproject.toml"
MODEL_SIZE = 24_500_000  # installed; the environment of the tests is without it, on purpose


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package. `size` counts the bytes of its files."""

    name: str
    version: str
    licence: str
    size: int


def main() -> int:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    groups = {"core": project["dependencies"], **project["optional-dependencies"]}
    sets = {name: closure(Requirement(one) for one in wanted) for name, wanted in groups.items()}
    sets["model"] = {"pincite-model": model_package()}
    packages = {name: package for found in sets.values() for name, package in found.items()}
    sys.stdout.write("\n".join(page(sets, packages)) + "\n")
    bad = [one for one in packages.values() if one is not None and refused(one.licence)]
    for one in bad:
        print(f"{one.name} {one.version}: {one.licence}", file=sys.stderr)
    return 1 if bad else 0


def model_package() -> Package:
    """Our own package of the model, which this environment lacks."""
    said = tomllib.loads(MODEL.read_text(encoding="utf-8"))["project"]
    return Package("pincite-model", said["version"], said["license"], MODEL_SIZE)


def refused(licence: str) -> bool:
    """Whether a licence is missing, or may ask more of Pincite than to be named. One of several
    that may be chosen from is enough."""
    return all(
        one == NOT_SAID or _REFUSED.search(one) is not None
        for one in re.split(r"\s+or\s+", licence, flags=re.IGNORECASE)
    )


def closure(wanted: Iterable[Requirement]) -> dict[str, Package | None]:
    """The packages that these requirements bring here, by name; None for one not installed."""
    found: dict[str, Package | None] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [one for one in wanted if one.marker is None or one.marker.evaluate()]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if (name, frozenset(one.extras)) in seen:
            continue
        seen.add((name, frozenset(one.extras)))
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            found[name] = None
            continue
        found[name] = Package(name, installed.version, licence_of(installed), size_of(installed))
        waiting.extend(_asked(installed, one.extras))
    return dict(sorted(found.items()))


def _asked(installed: Distribution, extras: Collection[str]) -> Iterator[Requirement]:
    for text in installed.requires or ():
        one = Requirement(text)
        if one.marker is None or any(one.marker.evaluate({"extra": e}) for e in ("", *extras)):
            yield one


def licence_of(installed: Distribution) -> str:
    """The expression where there is one, else the classifiers, else the field in words."""
    said = installed.metadata
    if "License-Expression" in said:
        return str(said["License-Expression"])
    names = [
        one.rpartition(" :: ")[2]
        for one in said.get_all("Classifier", [])
        if one.startswith("License ::") and one != "License :: OSI Approved"
    ]
    words = "".join(said.get_all("License", [])).strip().partition("\n")[0]
    told = " and ".join(names) or words[:LONGEST]
    name = canonicalize_name(str(said["Name"]))
    return told or READ_IN_THE_WHEEL.get(name, NOT_SAID)


def size_of(installed: Distribution) -> int:
    """Bytes of the files that were installed, compiled Python left out."""
    paths = (Path(str(one.locate())) for one in installed.files or () if one.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def page(
    sets: Mapping[str, Mapping[str, Package | None]], packages: Mapping[str, Package | None]
) -> Iterator[str]:
    core = sets["core"]
    yield "# Licences and sizes of dependencies"
    yield ""
    yield "Written by `python -m release.licences`; do not edit. Versions are those of the"
    yield "environment in which it ran. Licences are those that the packages state."
    yield "Reasons for each are in [decisions/dependencies.md](decisions/dependencies.md)."
    yield ""
    yield "## What each extra brings"
    yield ""
    yield "Counted beyond the core, without compiled Python. Extras share packages."
    yield ""
    yield "| extra | packages | MB | the largest |"
    yield "|---|---:|---:|---|"
    for name, found in sets.items():
        more = {k: v for k, v in found.items() if name == "core" or k not in core}
        have = sorted((one for one in more.values() if one), key=lambda one: -one.size)
        largest = ", ".join(f"{one.name} {mb(one.size)}" for one in have[:3])
        title = "(core)" if name == "core" else f"`{name}`"
        absent = [k for k, v in more.items() if v is None]
        note = f"not installed here: {', '.join(absent)}" if absent else ""
        total = mb(sum(one.size for one in have))
        yield f"| {title} | {len(more)} | {total} | {'; '.join(filter(None, (largest, note)))} |"
    yield ""
    yield "## Licences"
    yield ""
    counts: dict[str, int] = {}
    for package in packages.values():
        if package is not None:
            counts[package.licence] = counts.get(package.licence, 0) + 1
    yield "| licence | packages |"
    yield "|---|---:|"
    for licence, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        yield f"| {licence} | {count} |"
    yield ""
    yield "## Packages"
    yield ""
    yield "| package | version | licence | MB | brought by |"
    yield "|---|---|---|---:|---|"
    for name, package in sorted(packages.items()):
        by = "core" if name in core else ", ".join(k for k, found in sets.items() if name in found)
        if package is None:
            yield f"| {name} | not installed here | | | {by} |"
        else:
            size = mb(package.size)
            yield f"| {name} | {package.version} | {package.licence} | {size} | {by} |"


def mb(size: int) -> str:
    return f"{size / 1e6:.1f}" if size >= 50_000 else "< 0.1"


if __name__ == "__main__":
    sys.exit(main())
