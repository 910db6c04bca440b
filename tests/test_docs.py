"""The documents speak of what is there: links, anchors, files, modules, rooms and words."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src/pincite"
PAGES = sorted(
    str(path.relative_to(ROOT))
    for folder in (ROOT, *(ROOT / name for name in ("docs", "golden", "deploy", "bench")))
    for path in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
)
ROOMS = {
    path.name if path.is_dir() else path.stem
    for path in PACKAGE.iterdir()
    if (path.is_dir() and (path / "__init__.py").exists())
    or (path.suffix == ".py" and path.stem not in {"__init__", "__main__"})
}
#: Folders of the project that pages name in full; others are examples of what users have.
OURS = ("src", "tests", "bench")
#: Files and keys of settings that docstrings name and that look like modules.
NO_MODULES = {
    "answer.rewrite",
    "model.files",
    "model.onnx",
    "model.safetensors",
    "records.db",
    "search.py",
}


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def anchors_of(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", prose, re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = sum(1 for one in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", one))
        found.add(f"{slug}-{again}" if again else slug)
    return found


def rooms_in(text: str) -> list[str]:
    """`stages/` and `search.py` as `stages` and `search`."""
    return re.findall(r"`(\w+)(?:\.py|/)`", text)


def modules_of(text: str) -> set[str]:
    """Dotted names that begin with a room, and what is imported or run."""
    named = re.findall(rf"\bpincite\.(?:{'|'.join(sorted(ROOMS))})\b(?:\.\w+)*", text)
    return {*named, *re.findall(r"(?:\bfrom |-m )((?:pincite|bench)(?:\.\w+)*)", text)}


@pytest.mark.parametrize("page", PAGES)
def test_links_and_anchors_within_the_project_lead_somewhere(page: str) -> None:
    missing = []
    for link in re.findall(r"\]\((?![a-z]+:)([^)\s]+)", text_of(page)):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        there = target.exists()
        if there and anchor and target.suffix == ".md":
            there = anchor in anchors_of(target.read_text(encoding="utf-8"))
        if not there:
            missing.append(link)
    assert missing == []


def test_every_page_of_the_docs_is_reached_from_the_readme() -> None:
    """By way of any other page; a link to a folder leads to all that is in it."""
    reached, todo = set(), ["README.md"]
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        for link in re.findall(r"\]\((?![a-z]+:|#)([^)\s#]+)", text_of(page)):
            path = ((ROOT / page).parent / link).resolve()
            inside = path.glob("*.md") if path.is_dir() else [path]
            todo += [str(one.relative_to(ROOT)) for one in inside if one.suffix == ".md"]
    assert [page for page in PAGES if page.startswith("docs/") and page not in reached] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_files_that_a_page_names_are_there(page: str) -> None:
    """`src/pincite/search.py` and `tests/daemon/` in full, `daemon/server/usage.py` from `src`."""
    missing = []
    for name in re.findall(r"`(\w+/[\w./]*)`", text_of(page)):
        top = name.partition("/")[0]
        ours = top in OURS or (top in ROOMS and name.endswith((".py", "/")))
        if ours and not any((base / name).exists() for base in (ROOT, PACKAGE)):
            missing.append(name)
    assert missing == []


def test_citations_of_this_repository_have_the_paths_of_their_revision() -> None:
    """A quoted result keeps its names, also if files move later."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no git history")
    cited = re.compile(r"\bpincite@([0-9a-f]{7,40}):([\w./-]+)(?:#L\d+(?:-L(\d+))?)?")
    found = [match.groups() for page in PAGES for match in cited.finditer(text_of(page))]
    assert found
    if (_git(git, "rev-parse", "--is-shallow-repository") or b"").strip() == b"true":
        pytest.skip("the history does not reach back to the cited revisions")
    wrong = []
    for ref, path, last in found:
        text = _git(git, "show", f"{ref}:{path}")
        if text is None or len(text.splitlines()) < int(last or 0):
            wrong.append(f"{ref}:{path}#L{last}")
    assert wrong == []


def _git(git: str, *arguments: str) -> bytes | None:
    """What git prints, None if it fails."""
    done = subprocess.run([git, "-C", str(ROOT), *arguments], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_modules_that_a_page_names_can_be_imported(page: str) -> None:
    for name in sorted(modules_of(text_of(page))):
        module, _, attribute = name.rpartition(".")
        parent = importlib.import_module(module) if module else None
        assert hasattr(parent, attribute) or importlib.import_module(name), name


def test_modules_that_docstrings_and_comments_name_are_there() -> None:
    """`encoders.by_name`, from the package, or a word of a module: `ports.Store`."""
    named = re.compile(rf"`(?:pincite\.)?((?:{'|'.join(sorted(ROOMS))})(?:\.\w+)+)`")
    missing = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in sorted(set(named.findall(path.read_text(encoding="utf-8"))) - NO_MODULES)
        if not is_there(name)
    ]
    assert missing == []


def is_there(name: str) -> bool:
    """Return whether a module has this name, or its text the word after the name."""
    place, words = PACKAGE, name.split(".")
    while words and (place / words[0]).is_dir():
        place /= words.pop(0)
    home = place / "__init__.py"
    if words and (place / f"{words[0]}.py").is_file():
        home = place / f"{words.pop(0)}.py"
    return not words or re.search(rf"\b{words[0]}\b", home.read_text(encoding="utf-8")) is not None


def test_the_architecture_names_every_room_in_the_order_of_the_import_contract() -> None:
    settings = tomllib.loads(text_of("pyproject.toml"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["type"] == "layers")
    levels = {room: n for n, layer in enumerate(layers) for room in re.findall(r"\w+", layer)}
    table = text_of("docs/architecture.md").split("\n## Rooms\n")[1].split("\n\n**")[0]
    cells = [line.split(" | ")[0] for line in table.splitlines()]
    rows = [rooms for cell in cells if (rooms := rooms_in(cell))]
    assert sorted(room for row in rows for room in row) == sorted(ROOMS)
    tops = [min(levels[room] for room in row) for row in rows]
    assert tops == sorted(tops)


def test_the_page_for_agents_names_every_room() -> None:
    assert set(rooms_in(text_of("AGENTS.md").split("\n## ")[1])) >= ROOMS


def test_the_glossary_has_few_nouns_each_with_one_meaning() -> None:
    glossary = text_of("docs/glossary.md")
    nouns = re.findall(r"^\| \*\*(.+?)\*\* \| \S", glossary, re.MULTILINE)
    assert len(nouns) == len(set(nouns)) == 38
    assert {"record", "attribute", "tag"} <= set(nouns)


def test_words_that_the_glossary_replaced_are_gone() -> None:
    """What older entries of the changelog say stands as it was written."""
    retired = re.compile("catalogue|owner[ _-]process", re.IGNORECASE)
    files = [
        *(path for name in ("src", "tests", "bench") for path in (ROOT / name).rglob("*.py")),
        *(ROOT / page for page in PAGES if page != "CHANGELOG.md"),
    ]
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files
        if path != Path(__file__)
        for match in retired.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_every_row_of_a_table_has_the_cells_of_its_heading(page: str) -> None:
    prose = re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    wide = 0
    for line in prose.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert not (wide and cells) or cells == wide, line
        wide = cells


@pytest.mark.parametrize("page", PAGES)
def test_a_list_follows_an_empty_line(page: str) -> None:
    lines = re.sub(r"^ *```.*?^ *```", "", text_of(page), flags=re.MULTILINE | re.DOTALL).split(
        "\n"
    )
    joined = [
        line
        for before, line in pairwise(lines)
        if line.startswith("- ") and before and not before.startswith(("- ", "  ", "<", "#"))
    ]
    assert joined == []
