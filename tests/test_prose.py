"""Pages and messages keep to docs/style.md, as far as a pattern can tell."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STYLE = "docs/style.md"
#: Decisions and the changelog are records of their day, the coverage page is a table, and a program
#: writes the page of benchmarks.
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
    if path.name not in {"CHANGELOG.md", "coverage.md", "benchmarks.md"}
)
LONGEST_LINE = 120
LONGEST_SENTENCE = 35
#: A phrase that must not come back, and what to write.
RETIRED = {
    r"too dear|\bdearer?\b": "expensive",
    r"\bmend(?:s|ed|ing)?\b": "fix, repair",
    r"\busual ones?\b": "the default",
    r"\bthat were paid for\b": "cached",
    r"\b(?:is|was|be|been|stays?) said (?:of|about)\b": "what X says about Y",
    r"\bor better (?:it|them)\b": "improve",
    r"\bthat there (?:is|are) not\b": "that does not exist, unknown",
    r"\bcomes? along\b": "bundled, included",
    r"\b(?:can be|is|are) had\b": "available",
    r"\bthat one (?:is in|works)\b": "you are, you work",
    r"\bnobody is asked\b|\basks nobody\b": "no request is sent",
    r"\blets? (?:nothing|none|anything|no \w+) pass\b": "matches nothing",
    r"\bworded otherwise\b|\bother wordings?\b": "rephrased, a rephrasing",
    r"\bas they stand there\b": "verbatim, unchanged",
}
#: Texts for models: another word is another request, and needs figures of its own.
_MEASURED = {"The task is to find the cause of a fault and to mend it."}
_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.MULTILINE | re.DOTALL)


def prose_of(text: str) -> str:
    """The page without its code and tables; the lines keep their numbers."""
    text = _FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    kept = ["" if line.startswith(("|", "    ")) else line for line in text.splitlines()]
    return "\n".join(kept)


def sentences_of(text: str) -> Iterator[str]:
    """Sentences of paragraphs and items. A code span and the text of a link count as words."""
    prose = re.sub(r"^#.*", "", prose_of(text), flags=re.MULTILINE)
    prose = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "code", prose))
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", prose):
        yield from re.split(r"(?<=[.?!:;])\s+", " ".join(block.split()))


def retired_in(text: str) -> list[str]:
    flat = re.sub(r"\s+", " ", text)
    return [
        f"{found[0]!r} in '{flat[max(0, found.start() - 40) : found.end() + 20]}': write {instead}"
        for pattern, instead in RETIRED.items()
        for found in re.finditer(pattern, flat, re.IGNORECASE)
    ]


def texts_of(module: Path) -> Iterator[str]:
    """The messages, help texts and docstrings of a module."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and " " in text and text not in _MEASURED:
            yield text


@pytest.mark.parametrize("page", PAGES)
def test_no_line_of_prose_is_longer_than_120_characters(page: str) -> None:
    lines = prose_of((ROOT / page).read_text(encoding="utf-8")).splitlines()
    assert [
        f"{page}:{number}" for number, line in enumerate(lines, 1) if len(line) > LONGEST_LINE
    ] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != STYLE])
def test_no_sentence_is_longer_than_35_words(page: str) -> None:
    sentences = sentences_of((ROOT / page).read_text(encoding="utf-8"))
    assert [one for one in sentences if len(one.split()) > LONGEST_SENTENCE] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != STYLE])
def test_phrases_that_the_style_page_replaced_stay_out_of_the_pages(page: str) -> None:
    assert retired_in((ROOT / page).read_text(encoding="utf-8")) == []


def test_phrases_that_the_style_page_replaced_stay_out_of_messages_and_help() -> None:
    found = {
        str(module.relative_to(ROOT)): phrases
        for module in sorted((ROOT / "src").rglob("*.py"))
        for text in texts_of(module)
        if (phrases := retired_in(text))
    }
    assert found == {}


def test_the_style_page_has_ten_rules_each_with_a_before_and_an_after() -> None:
    text = (ROOT / STYLE).read_text(encoding="utf-8")
    rules = re.split(r"^## \d+\. ", text, flags=re.MULTILINE)[1:]
    assert len(rules) == 10
    for rule in rules:
        assert rule.count("> **Before:** ") == rule.count("> **After:** ") >= 1, rule


def test_every_phrase_that_is_looked_for_is_found_where_it_stands() -> None:
    """The patterns see what they are for: the sentences that the style page quotes as `before`."""
    before = " ".join(re.findall(r"> \*\*Before:\*\* (.*)", (ROOT / STYLE).read_text("utf-8")))
    assert len(retired_in(before)) >= 8
    assert retired_in("A plain sentence says what the command does.") == []
    assert retired_in("embedding everything is\ntoo  dear")


def test_code_and_tables_are_not_measured_but_the_text_around_them_is() -> None:
    page = (
        "One two.\n\n```sh\n" + "word " * 60 + "\n```\n\n| " + "cell " * 60 + "|\n\nThree four.\n"
    )
    assert [one for one in sentences_of(page) if one] == ["One two.", "Three four."]
    assert max(len(one.split()) for one in sentences_of("word " * 36 + ".")) > LONGEST_SENTENCE


def test_make_check_runs_this_file_and_the_spelling() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.split("\ncheck:")[1].split("\n\n")[0]
    assert "tests/test_prose.py" in recipe
    assert "codespell" in recipe
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert any(one.startswith("codespell") for one in settings["dependency-groups"]["dev"])
