"""Pages and messages keep to docs/style.md, as far as a pattern can tell."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STYLE = "docs/style.md"
FOLDERS = ("docs", "docs/decisions", "deploy", "deploy/workspaces", "golden")
#: The changelog is a record of its day.
PAGES = sorted(
    str(path.relative_to(ROOT))
    for folder in (ROOT, *(ROOT / name for name in FOLDERS))
    for path in folder.glob("*.md")
    if path.name != "CHANGELOG.md"
)
DECISIONS = [page for page in PAGES if re.search(r"/decisions/\d", page)]
#: The sections that a decision may have, in this order.
SECTIONS = (
    *("Context", "Decision", "Figures", "Consequences"),
    *("What did not help", "Not measured"),
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
#: A phrase that must not come back to a page. Messages and docstrings still have some of them.
RETIRED_IN_PAGES = {
    r"\bat hand\b": "available",
    r"\bheld against\b": "compared with",
    r"\bto be had\b": "available",
    r"\banew\b": "again",
    r"\bin the mean\b": "on average",
    r"\b(?:find|found|search)\w* (?:\w+ )?by (?:words?|meaning)\b": "keyword or semantic search",
    r"\bPincite by words\b|\buses words alone\b": "keyword search only",
    r"\bthe usual\b": "the default",
    r"\b(?:is|are) here anyway\b": "is already installed",
    r"\bvouch\w*\b": "is responsible for",
    r"\blets? go of\b": "releases",
    r"\bgone on with\b": "resumed",
    r"\bturned away\b": "refused",
    r"\bcame along\b": "bundled, assumed",
    r"\bprofile as shipped\b": "the default profile",
    r"\bsays? nothing of\b": "does not show",
    r"\bwhat (?:it|they) (?:costs?|brings?)\b": "the cost of it",
    r"\bwhat (?:is|was|are) (?:said|sent|left|read|asked|found)\b": "name the thing",
}
#: The same for messages and help texts alone. Docstrings and pages may have these words.
RETIRED_IN_MESSAGES = {
    r"\bthere (?:is|are) no [^.;:]{1,80}; (?:there (?:is|are)|known)\b": "no X is named Y; known:",
    r"(?<!\bthere )\bis no (?!longer\b|X\b)[a-z]": "is not a",
    r"\bany more\b": "no longer",
    r"\bin place of\b": "instead of",
    r"\bw(?:as|ere) due, (?:and|but)\b": "expected X, got Y",
    r"\bsent what\b": "returned an invalid X",
    r"\ball the same\b": "anyway",
    r"(?:^|[:;,] )see that\b": "check that",
    r"\bnobody (?:is|was|can be|asked|answers|said)\b|\bwhoever\b": "name who acts",
    r"\banew\b": "again",
    r"\bdo the same again\b": "run the same command again",
    r"\bby words? alone\b|\bby meaning\b": "keyword search, semantic search",
    r"\bwere both given\b": "X and Y exclude each other",
    r"\bis being filled\b": "is not complete yet",
    r"\bthat (?:you|this user) may write to\b": "that you can write to",
    r"\bno language model is named\b": "no language model is configured",
    r"\bwhat (?:is|was) (?:searched|said|shown|indexed|there)\b": "name the thing first",
}
#: Texts for models: another word is another request, and needs figures of its own.
_MEASURED = {"The task is to find the cause of a fault and to mend it."}
_FOR_MODELS = (
    *("answering/condense.py", "answering/config.py", "answering/write_prompt.py"),
    *("answering/summarise.py", "model/prompt.py", "surfaces/clients/rules.py"),
    "surfaces/frameworks/tools.py",
    *("surfaces/mcp/answering.py", "surfaces/mcp/texts.py", "surfaces/mcp/tools.py"),
    "providers/sparse/function_words.py",  # a list of words
)
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


def retired_in(text: str, phrases: Mapping[str, str] = RETIRED) -> list[str]:
    flat = re.sub(r"\s+", " ", text)
    for measured in _MEASURED:
        flat = flat.replace(measured, "")
    return [
        f"{found[0]!r} in '{flat[max(0, found.start() - 40) : found.end() + 20]}': write {instead}"
        for pattern, instead in phrases.items()
        for found in re.finditer(pattern, flat, re.IGNORECASE)
    ]


@cache
def tree_of(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def texts_of(module: Path) -> Iterator[str]:
    """The messages, help texts and docstrings of a module."""
    for node in ast.walk(tree_of(module)):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and " " in text and text not in _MEASURED:
            yield text


def messages_of(module: Path) -> Iterator[str]:
    """The texts of a module without its docstrings; the values in them are left out."""
    tree = tree_of(module)
    seen = {
        id(node.value)  # a docstring, or another text that nothing uses
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
    }
    for node in ast.walk(tree):
        if id(node) in seen:
            continue
        if isinstance(node, ast.JoinedStr):
            seen |= {id(part) for part in node.values}
            parts = [one.value if isinstance(one, ast.Constant) else "X" for one in node.values]
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


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
    text = (ROOT / page).read_text(encoding="utf-8")
    assert retired_in(text) == []
    assert retired_in(_FENCE.sub("", text), RETIRED_IN_PAGES) == []


def out_of_form(name: str, text: str) -> list[str]:
    """How a decision page differs from the form that the style page describes."""
    found = re.findall(r"^## (.*)$", _FENCE.sub("", text), re.MULTILINE)
    return [
        *([] if text.startswith(f"# {name[:4]}: ") else [f"the title does not begin with {name}"]),
        *([] if "Decision" in found else ["no section is called Decision"]),
        *(f"{one!r} is none of {SECTIONS}" for one in found if one not in SECTIONS),
        *([] if found == sorted(found, key=(*SECTIONS, *found).index) else ["another order"]),
        *(f"{one!r} twice" for one in SECTIONS if found.count(one) > 1),
    ]


@pytest.mark.parametrize("page", DECISIONS)
def test_a_decision_has_its_number_and_the_sections_of_its_form(page: str) -> None:
    """Context, decision, figures and the rest: a page leaves out sections without content."""
    assert out_of_form(Path(page).name, (ROOT / page).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("page", "differs"),
    [
        ("# 0007: T\n\n## Decision\n\n### Anything\n\n```\n## Code\n```\n\n## Figures\n", 0),
        ("# 7. T\n\n## Decision\n", 1),
        ("# 0007: T\n\n## Context\n", 1),
        ("# 0007: T\n\n## Figures\n\n## Decision\n", 1),
        ("# 0007: T\n\n## Decision\n\n## Decision\n", 1),
        ("# 0007: T\n\n## Decision\n\n## Measured\n", 1),
    ],
)
def test_a_decision_out_of_form_is_seen(page: str, differs: int) -> None:
    assert len(out_of_form("0007-providers.md", page)) == differs


def test_phrases_that_the_style_page_replaced_stay_out_of_messages_and_help() -> None:
    found = {
        str(module.relative_to(ROOT)): phrases
        for module in sorted((ROOT / "src").rglob("*.py"))
        for text in texts_of(module)
        if (phrases := retired_in(text))
    }
    assert found == {}


def test_forms_that_were_replaced_stay_out_of_messages() -> None:
    """Suites and servers for tests may have them, and files with texts for models, which were
    measured."""
    found = {
        str(module.relative_to(ROOT)): phrases
        for module in sorted((ROOT / "src").rglob("*.py"))
        if "testing" not in module.parts and not module.as_posix().endswith(_FOR_MODELS)
        for text in messages_of(module)
        if (phrases := retired_in(text, RETIRED_IN_MESSAGES))
    }
    assert found == {}


@pytest.mark.parametrize(
    "old",
    [
        "there is no collection 'x'; there are: a, b",
        "the line is no JSON",
        "it is not there any more",
        "name folders in place of files",
        "5 results were due, and 4 came",
        "see that PostgreSQL runs",
        "searched by meaning and by word",
    ],
)
def test_a_form_that_was_replaced_is_seen_in_a_message_but_not_in_a_docstring(
    old: str, tmp_path: Path
) -> None:
    module = tmp_path / "module.py"
    module.write_text(f'"""{old}"""\n\nraise ValueError(f"{{1}}: {old}")\n', encoding="utf-8")
    (message,) = (text for text in messages_of(module) if " " in text)
    assert message == f"X: {old}"
    assert retired_in(message, RETIRED_IN_MESSAGES) != []
    assert retired_in("no collection is named 'x'; known: a", RETIRED_IN_MESSAGES) == []


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


@pytest.mark.parametrize(
    "sentence",
    [
        "No model was at hand.",
        "Packs are held against the files.",
        "It is to be had as a wheel.",
        "The index is made anew.",
        ".74 in the mean",
        "It searches by words alone.",
        "Passages are found by meaning.",
        "Pincite by words takes 34 ms.",
        "It prints the usual prefix.",
        "ONNX Runtime is here anyway.",
        "They vouch for it.",
        "The kernel lets go of both.",
        "An interrupted run is gone on with.",
        "It is turned away.",
        "Thresholds that came along",
        "measured with the profile as shipped",
        "which says nothing of what is indexed",
        "What it costs: a second parse.",
        "Tables show what is found.",
    ],
)
def test_a_phrase_that_left_the_pages_is_seen_there(sentence: str) -> None:
    assert retired_in(sentence, RETIRED_IN_PAGES)
    assert retired_in("Packs are compared with the files.", RETIRED_IN_PAGES) == []


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
