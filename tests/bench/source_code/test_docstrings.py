"""Packages without their documentation, and the questions that it gave."""

from __future__ import annotations

import ast
import hashlib
import tarfile
from pathlib import Path

import msgspec
import pytest
from bench.answering.reading_corpora import Archive
from bench.frame import SkippedError
from bench.source_code.ablation import AblationFigures, Change
from bench.source_code.doc_comments import Documented, Undocumented, sentence_of, undocumented
from bench.source_code.docstrings import Answered, DocstringFigures, PackageFigures, group
from bench.source_code.docstrings_questions import Package, choose, prepare, read_packages
from bench.source_code.docstrings_table import docstrings

from pincite.support.fields import replace

PYTHON = '''\
"""Lamps that burn for a while.

More of them.
"""
import os  # stays

OIL = 1
"""How much oil there is."""


class Lamp:
    """A lamp with a wick."""

    name = """stays"""

    def light(self):
        """Light the lamp
        with a match."""
        # stays too
        return "é"

    def dim(self): "Dim the lamp."

    async def burn(self):
        """Burn until the oil is gone."""
'''
TYPESCRIPT = """\
/** Copyright of the lamps. */
import { oil } from "oil"; // stays

/**
 * A lamp with {@link Wick|a wick}. It burns.
 * @public
 */
@lit
export class Lamp {
  /** Light the lamp with a match */
  light(): void { /* stays */ }

  /** The oil that is left */
  oil = 3;
  dim(): void {}
}
"""


def test_docstrings_of_python_leave_blank_lines() -> None:
    found = undocumented(PYTHON, "python")
    assert found
    assert found.text.count("\n") == PYTHON.count("\n")
    assert all(word not in found.text for word in ("burn for", "More", "How much", "wick", "match"))
    assert all(word in found.text for word in ("import os  # stays", '"""stays"""', "# stays too"))
    assert found.text.splitlines()[19] == '        return "é"'
    assert found.text.splitlines()[21] == "    def dim(self): ..."
    tree = ast.parse(found.text)
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        assert not isinstance(node, described) or ast.get_docstring(node) is None


def test_what_docstrings_of_python_said_is_kept() -> None:
    found = undocumented(PYTHON, "python")
    assert found
    assert set(found.said) == {
        Documented("", "module", "Lamps that burn for a while"),
        Documented("Lamp", "class", "A lamp with a wick"),
        Documented("light", "function", "Light the lamp with a match"),
        Documented("dim", "function", "Dim the lamp"),
        Documented("burn", "function", "Burn until the oil is gone"),
    }
    assert set(found.defined) == {"Lamp", "light", "dim", "burn"}


@pytest.mark.parametrize("text", ["def broken(:\n", "a = 1\0\n"])
def test_python_that_does_not_parse_is_not_taken(text: str) -> None:
    assert undocumented(text, "python") is None


def test_doc_comments_before_definitions_are_taken_and_all_are_removed() -> None:
    found = undocumented(TYPESCRIPT, "typescript")
    assert found
    assert found.said == (
        Documented("Lamp", "class", "A lamp with a wick"),
        Documented("light", "function", "Light the lamp with a match"),
    )
    assert found.text.count("\n") == TYPESCRIPT.count("\n")
    assert all(word not in found.text for word in ("Copyright", "wick", "match", "left"))
    assert all(word in found.text for word in ("// stays", "/* stays */", "@lit\nexport class"))


def test_lines_of_one_doc_comment_are_one() -> None:
    text = "/// Lights the lamp\n/// with a match.\n/// It burns.\nfunc light() {}\n"
    found = undocumented(text, "swift")
    assert found
    assert found.said == (Documented("light", "function", "Lights the lamp with a match"),)
    assert found.text == "\n\n\nfunc light() {}\n"


@pytest.mark.parametrize(
    ("documentation", "sentence"),
    [
        ("Return a :class:`~lamps.Lamp` with ``oil``. It burns.", "Return a lamps.Lamp with oil"),
        ("Light *it*,\n    e.g. with a match.\n\nMore.", "Light it, e.g. with a match"),
        ("Light it @param match the match", "Light it"),
        ("Light [the lamp](lamps.html): by hand", "Light the lamp"),
    ],
)
def test_a_first_sentence_is_plain(documentation: str, sentence: str) -> None:
    assert sentence_of(documentation) == sentence


def a_file(*said: tuple[str, str, str], defined: tuple[str, ...] = ()) -> Undocumented:
    return Undocumented("", tuple(Documented(*one) for one in said), defined)


def test_a_sentence_is_a_question_if_one_file_alone_has_it_and_nothing_gives_it_away() -> None:
    files = {
        "a.py": a_file(
            ("f", "function", "Light the lamp with a match"),
            ("g", "function", "Three words only"),
            ("h", "function", "Trim the wick of it"),
            ("i", "function", "Fill the lamp with oil"),
            ("j", "function", "See https://example.org for more lamps"),
        ),
        "b.py": a_file(("k", "function", "Trim the *wick* of it".replace("*", ""))),
        "tests/c.py": a_file(("l", "function", "Test that lamps are lit")),
    }
    left = "def f fill the lamp with oil readme"
    assert [(one.text, one.targets) for one in choose("lamps", files, left)] == [
        ("Light the lamp with a match", ("a.py",))
    ]


def test_a_name_is_a_question_if_one_file_alone_defines_it() -> None:
    files = {
        "a.py": a_file(defined=("trim_wick", "Lamp", "both", "_hidden", "oil")),
        "b.py": a_file(defined=("Lantern",)),
        "tests/c.py": a_file(defined=("both", "test_lamp")),
    }
    found = {(one.text, one.category, *one.targets) for one in choose("lamps", files, "")}
    assert found == {
        ("trim_wick", "several words", "a.py"),
        ("Lamp", "one word", "a.py"),
        ("Lantern", "one word", "b.py"),
    }


def test_questions_are_drawn_by_kind_in_turn_and_the_same_each_time() -> None:
    said = [
        (f"f{number}", "function", f"Light lamp number {number} with oil") for number in range(40)
    ]
    files = {"a.py": a_file(*said, ("C", "class", "A lamp with a wick"))}
    first, again = choose("lamps", files, ""), choose("lamps", files, "")
    assert first == again
    assert len(first) == 15
    assert [one.category for one in first[:2]] == ["class", "function"]
    assert first[1:] != choose("other lamps", files, "")[1:]


def a_package(tmp_path: Path) -> Package:
    files = {
        "lamps/a.py": PYTHON,
        "lamps/broken.py": "def broken(:\n",
        "lamps/guide.md": "About lamps.\n",
        "README.md": "A lamp with a wick.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    packed = tmp_path / "lamps-1.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        for name in files:
            archive.add(tmp_path / name, f"lamps-1/{name}")
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    kept = ("lamps", "README.md")
    archived = Archive("pypi", "lamps", "1", packed.name, digest, kept, "")
    return Package("lamps", "python", False, archived)


def test_a_package_is_prepared_from_its_archive(tmp_path: Path) -> None:
    package = a_package(tmp_path)
    for _ in range(2):  # a second time over the first
        found = prepare(package, tmp_path, tmp_path / "copies")
    root = found.repository.root
    assert sorted(path.name for path in root.rglob("*.*")) == ["README.md", "a.py"]
    assert (found.files, found.dropped) == (2, 1)
    assert "wick" not in (root / "lamps/a.py").read_text(encoding="utf-8")
    asked = {one.text for one in found.repository.queries}
    assert "Burn until the oil is gone" in asked
    assert "A lamp with a wick" not in asked, "the README says it"


def test_an_archive_with_another_hash_is_not_measured(tmp_path: Path) -> None:
    package = a_package(tmp_path)
    other = replace(package, archive=replace(package.archive, sha256="0" * 64))
    with pytest.raises(SkippedError, match="another file"):
        prepare(other, tmp_path, tmp_path / "copies")


def test_every_package_has_a_fixed_version_and_hash() -> None:
    packages = read_packages()
    assert len({one.name for one in packages}) == len(packages) >= 12
    for one in packages:
        assert one.archive.version in one.archive.file
        assert len(one.archive.sha256) == 64
        assert one.archive.keep


def test_systems_are_compared_where_both_were_asked() -> None:
    def answered(*values: float) -> list[Answered]:
        kinds = ("class", "one word")
        return [Answered("p", kind, value, 4) for kind, value in zip(kinds, values, strict=True)]

    taken = {
        "lexical": [*answered(1.0, 0.5), Answered("q", "class", 0.0, 2)],
        "lexical plain": [*answered(0.5, 0.5), Answered("q", "class", 1.0, 2)],
        "hybrid": answered(1.0, 1.0),
    }
    every, some = group(taken, {"p", "q"}), group(taken, {"p"})
    assert set(every.systems) == {"lexical", "lexical plain"}
    assert every.systems["lexical"].ndcg_10 == 0.5
    assert every.systems["lexical"].kinds["class"] == 0.5
    assert every.questions == {"class": 2, "one word": 1}
    assert every.differences["lexical less lexical plain"]["sentences"].difference == -0.25
    assert some.differences["hybrid less lexical"]["names"].difference == 0.5


def test_the_table_has_groups_packages_and_parts() -> None:
    taken = {
        name: [Answered("lamps", kind, value, 4) for kind in ("class", "one word")]
        for name, value in (("lexical", 0.75), ("semble", 0.5))
    }
    change = Change(-0.0123, -0.02, -0.001)
    parts = AblationFigures(
        {"lexical, names": 0.9}, {"lexical, names": 2}, {"lexical, names": {"`covered`": change}}
    )
    scores = {"lexical": 0.75, "semble": 0.5}
    package = PackageFigures("1.0", "python", 12, 0, scores)
    figures = DocstringFigures({"lamps": package}, "9.9", {"all": group(taken, {"lamps"})}, parts)
    page = " ".join(docstrings(msgspec.to_builtins(figures)).split())
    assert "| sentences (1) | 0.750 | 0.500 |" in page
    assert "| names (1) | 0.750 | 0.500 |" in page
    assert "| lamps 1.0 (python) | 12 | 0.750 | 0.500 |" in page
    assert "| lexical less semble | +0.250 (+0.250 to +0.250) |" in page
    assert "-0.0123 (-0.020 to -0.001)" in page
    assert "semble is 9.9" in page
