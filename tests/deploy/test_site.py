"""The site has every page, its links lead to copies, and what leads nowhere is found."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"deploy/site/{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build, links = loaded("build"), loaded("links")


def project(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_md", ".md").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "docs/decisions").mkdir(parents=True, exist_ok=True)
    return root


def test_links_out_of_the_docs_lead_to_copies(tmp_path: Path) -> None:
    root = project(
        tmp_path / "project",
        docs__a_md="[code](../src/b.py#L1) [self](#here) [web](https://example.org/c.md)\n",
        src__b_py="x = '```'\n",
    )
    assert "src/b.py" in build.gather(tmp_path / "pages", root)
    said = (tmp_path / "pages/a.md").read_text()
    assert said == "[code](project/src/b.py.md#L1) [self](#here) [web](https://example.org/c.md)\n"
    assert "````python\nx = '```'\n````" in (tmp_path / "pages/project/src/b.py.md").read_text()


def test_links_in_examples_stay_as_they_are(tmp_path: Path) -> None:
    page = "```md\n[code](../src/b.py)\n```\n"
    root = project(tmp_path / "project", docs__a_md=page, src__b_py="")
    assert "src/b.py" not in build.gather(tmp_path / "pages", root)
    assert (tmp_path / "pages/a.md").read_text() == page


def test_nothing_outside_the_project_is_copied(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    root = project(tmp_path / "project", docs__a_md="[out](../../secret.md) [in](link.md)\n")
    (root / "docs/link.md").symlink_to(tmp_path / "secret.md")
    build.gather(tmp_path / "pages", root)
    copies = [path.read_text() for path in (tmp_path / "pages").rglob("*.md")]
    assert copies
    assert not any(text == "secret" for text in copies)


def test_every_page_of_the_navigation_is_there_and_every_page_of_the_docs_is_in_it() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    named = set(re.findall(r"[\w/-]+\.md", nav))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert named == pages | {"api/index.md", "decisions/index.md"}


def test_every_public_name_has_a_docstring_for_its_page(tmp_path: Path) -> None:
    build.write_api(tmp_path)
    rows = (tmp_path / "api/index.md").read_text().split("|---|---|\n")[1].splitlines()
    assert len(rows) == len(build.public_names())
    assert all(re.fullmatch(r"\| \[`\w+`\]\(\w+\.md\) \| \S.+ \|", row) for row in rows)


def test_a_name_of_values_or_types_has_a_page_that_lists_them(tmp_path: Path) -> None:
    build.write_api(tmp_path)
    pages = {path.stem: path.read_text() for path in (tmp_path / "api").glob("*.md")}
    assert pages["SearchMode"] == '# SearchMode\n\nOne of `"hybrid"`, `"vector"`, `"keyword"`.\n'
    assert pages["AnswerEvent"].endswith("Stands for `AnswerPiece | Answer`.\n")
    assert pages["CountTokens"].endswith("Stands for `Callable[[str], int]`.\n")
    assert pages["Reembedding"].endswith("::: pincite.maintenance.reembed.options.Reembedding\n")


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("b.html", None),
        ("b.html#there", None),
        ("b.html#gone", "has no such anchor"),
        ("c.html", "is not there"),
        ("https://example.org", None),
    ],
)
def test_a_link_that_leads_nowhere_is_named(tmp_path: Path, link: str, said: str | None) -> None:
    (tmp_path / "a.html").write_text(f'<a href="{link}">x</a>')
    (tmp_path / "b.html").write_text('<h2 id="there">x</h2>')
    assert links.broken_links(tmp_path) == ([f"a.html: {link} {said}"] if said else [])


def test_what_a_page_loads_from_another_host_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<script src="https://cdn.example/x.js"></script>')
    (found,) = links.broken_links(tmp_path)
    assert found.endswith("is loaded from another host")


def test_a_folder_without_pages_is_an_error(tmp_path: Path) -> None:
    assert links.main([str(tmp_path)]) == 1
