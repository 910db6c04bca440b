"""Builds the documentation site: `python deploy/site/build.py`, or `make site`.

The pages of `docs/` stay as they are. A copy of them is made in `.site/pages`, with what they link
to outside `docs/`, a page for each public name of Python, and lists of folders. Links of the copy
lead to other copies, so that the site is whole without a host of the source code.
"""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path
from posixpath import dirname, normpath, relpath
from typing import Any, Literal, get_args, get_origin

ROOT = Path(__file__).parents[2]
SITE = ROOT / ".site"
#: A link of Markdown to a place of this repository; the text before it stays as it is.
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")
FENCE = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
#: Larger files are named in the list of their folder, and have no page.
LARGEST = 200_000


def place_of(path: str, root: Path) -> str:
    """Where the copy of a file or folder of the repository stands."""
    if (root / path / "README.md").is_file():
        path = normpath(f"{path}/README.md")
    if path == "docs" or path.startswith("docs/"):
        inside = path.removeprefix("docs").removeprefix("/")
        return normpath(f"{inside}/index.md") if (root / path).is_dir() else inside
    if (root / path).is_dir():
        return f"project/{path}/index.md"
    return f"project/{path}" if path.endswith(".md") else f"project/{path}.md"


def links_of(text: str, page: str) -> list[str]:
    """What a page links to, as paths of the repository."""
    folder = dirname(page)
    prose = (part for n, part in enumerate(FENCE.split(text)) if n % 2 == 0)
    return [normpath(f"{folder}/{m[2]}").lstrip("/") for p in prose for m in LINK.finditer(p)]


def with_links(text: str, page: str, root: Path) -> str:
    """The text of a page, with links to the copies."""
    here = dirname(place_of(page, root)) or "."

    def moved(match: re.Match[str]) -> str:
        target = normpath(f"{dirname(page)}/{match[2]}").lstrip("/")
        return f"{match[1]}{relpath(place_of(target, root), here)}{match[3] or ''}"

    parts = FENCE.split(text)
    return "".join(part if n % 2 else LINK.sub(moved, part) for n, part in enumerate(parts))


def listing(path: str, root: Path) -> tuple[str, list[str]]:
    """A page that lists a folder, and the files of it that have pages."""
    children = sorted(
        child for child in (root / path).iterdir() if not child.name.startswith((".", "__pyc"))
    )
    lines, shown = [f"# {'Decisions' if path == 'docs/decisions' else f'`{path}/`'}", ""], []
    for child in children:
        inside = f"{path}/{child.name}"
        if child.is_file() and child.stat().st_size <= LARGEST and is_text(child):
            shown.append(inside)
            title = re.match(r"# (.+)", child.read_text(encoding="utf-8"))
            name = title[1] if child.suffix == ".md" and title else child.name
            lines.append(f"- [{name}]({child.name})")
        else:
            lines.append(f"- `{child.name}{'/' if child.is_dir() else ''}`")
    return "\n".join(lines) + "\n", shown


def is_text(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


def source_page(path: str, root: Path) -> str:
    """A page that shows a file of code."""
    text = (root / path).read_text(encoding="utf-8")
    ticks = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`+", text))])
    language = {".py": "python", ".sh": "sh", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}
    kind = language.get(Path(path).suffix, "text")
    head = f"---\nsearch:\n  exclude: true\n---\n# `{path}`\n\n"
    return f"{head}{ticks}{kind}\n{text.rstrip()}\n{ticks}\n"


def gather(pages: Path, root: Path = ROOT) -> list[str]:
    """Copies the pages and all that they lead to; returns what was copied."""
    todo = sorted(str(path.relative_to(root)) for path in (root / "docs").rglob("*.md"))
    todo.append("docs/decisions")
    done: set[str] = set()
    while todo:
        path = todo.pop()
        if (root / path / "README.md").is_file():
            path = normpath(f"{path}/README.md")
        source, target = root / path, pages / place_of(path, root)
        if path in done or not source.exists() or not source.resolve().is_relative_to(root):
            continue
        done.add(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            text, shown = listing(path, root)
            todo += shown
            target.write_text(with_links(text, f"{path}/index.md", root), encoding="utf-8")
        elif path.endswith(".md"):
            text = source.read_text(encoding="utf-8")
            todo += links_of(text, path)
            target.write_text(with_links(text, path, root), encoding="utf-8")
        elif path.startswith("docs/"):
            shutil.copy(source, target)
        else:
            target.write_text(source_page(path, root), encoding="utf-8")
    return sorted(done)


def public_names() -> dict[str, str]:
    """The public names of Python, each with the module that defines it; "" for a name of literal
    values or of other types, which has no docstring."""
    pincite = importlib.import_module("pincite")
    found = {}
    for name in pincite.__all__:
        if not name.startswith("__"):
            value = getattr(pincite, name)
            defined = inspect.isclass(value) or inspect.isfunction(value)
            found[name] = f"{value.__module__}.{value.__qualname__}" if defined else ""
    return found


def values_of(alias: Any) -> str:
    """The values that a name of literal values has, or the types that another alias stands for."""
    if get_origin(alias) is Literal:
        return "One of " + ", ".join(f'`"{value}"`' for value in get_args(alias)) + "."
    named = re.sub(r"\b(?:[a-z]\w*\.)+", "", str(alias))
    return f"Stands for `{named}`."


def write_api(pages: Path) -> None:
    """A page for each public name, from its docstring, and a list of them."""
    pincite = importlib.import_module("pincite")
    folder = pages / "api"
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, home in sorted(public_names().items(), key=lambda row: row[0].lower()):
        value = getattr(pincite, name)
        said = " ".join((inspect.getdoc(value) or "").split()) if home else values_of(value)
        meaning = re.split(r"(?<=\.) ", said)[0].replace("|", "\\|")
        rows.append(f"| [`{name}`]({name}.md) | {meaning} |")
        content = f"::: {home}" if home else said
        (folder / f"{name}.md").write_text(f"# {name}\n\n{content}\n", encoding="utf-8")
    head = "# Python API\n\nWhat `import pincite` offers. [From Python](../python.md) shows how.\n"
    table = "\n".join(("| name | what it is |", "|---|---|", *rows))
    (folder / "index.md").write_text(f"{head}\n{table}\n", encoding="utf-8")


def main() -> int:
    pages = SITE / "pages"
    for folder in (pages, SITE / "html"):
        shutil.rmtree(folder, ignore_errors=True)
    copied = gather(pages)
    write_api(pages)
    print(f"{len(copied)} pages and {len(public_names())} public names", flush=True)
    done = subprocess.run(
        [Path(sys.executable).parent / "zensical", "build", "--clean", "--strict"],
        cwd=ROOT,
        check=False,
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
