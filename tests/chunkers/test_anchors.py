from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import markdown
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pincite.chunkers import chunks_of, sections_of
from pincite.chunkers.lines import Lines
from pincite.chunkers.markup.anchors import anchors_of
from pincite.chunkers.markup.blocks import heading_lines, heading_source
from pincite.readers.inline_markup import explicit_id, rendered_heading
from pincite.support.fields import replace
from tests.chunkers.laws import SMALL, read
from tests.time_limits import GROWS_S

EXTENSIONS = [
    *("toc", "tables", "attr_list", "admonition"),
    *("pymdownx.superfences", "pymdownx.tabbed", "pymdownx.details"),
]
WORDS = "Some quite ordinary words that say what is meant here and nothing else at all. " * 4

PAGE = """\
# The [`Agent`](agent.md) *class*

## Set up
## Set up
## Set-up_1
## `__init__()` and _emphasis_ & more
## Größe, naïve café: 100 %?
## 你好
## ![Logo](logo.png) With a picture
## Chosen { #chosen .wide }
## chosen
## Closed ##
## <b>Bold</b> &lt;tag&gt;

Underlined
----------

```python
# no heading
```

1. A step

    ```bash
    # nor this
    ```

    ### In a list

> ## In a quote

!!! note "Mind"

    ## In a note

    === "Python"

        ~~~~
        ```
        # nor in here
        ~~~~

        ### In a tab

=== "Go"

    ## Set up

## End
"""


def generated(text: str) -> list[str]:
    """What the generator makes of a page."""
    page = markdown.Markdown(extensions=EXTENSIONS)
    page.convert(text)

    def flat(tokens: list[Any]) -> Iterator[str]:
        for token in tokens:
            yield token["id"]
            yield from flat(token["children"])

    return list(flat(page.toc_tokens))


def ours(text: str) -> list[str]:
    lines = Lines(text)
    headings = (heading_source(lines, line) for line, _ in heading_lines(lines, 0, len(lines)))
    return list(anchors_of(headings, "mkdocs"))


def test_anchors_are_those_of_the_site_generator() -> None:
    assert ours(PAGE) == generated(PAGE)
    assert {"set-up_1", "set-up_2", "_1", "chosen", "chosen_1", "in-a-tab"} <= set(ours(PAGE))


# Underscores that do not pair mean something else in each version of the generator.
PIECES = (*"aAé1 -.'`#", "a_b", "a__b", "a_1", " _a_ ", " __a__ ")
NAMES = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


@given(st.lists(NAMES, min_size=1, max_size=8))
@example([".___", "._a_"])
@settings(max_examples=100, deadline=None)
def test_repetitions_are_counted_as_the_site_generator_counts_them(names: list[str]) -> None:
    headings = [" ".join(name.replace("#", "").replace("`", "").split()) for name in names]
    text = "\n\n".join(f"## {'x' + each}" for each in headings)
    assert ours(text) == generated(text)


def test_a_code_host_keeps_letters_of_all_scripts_and_counts_with_hyphens() -> None:
    headings = ["Set up", "Set up", "Größe & 你好", "`a_b()` c", "Set up-1"]
    assert anchors_of(headings, "github") == (
        "set-up", "set-up-1", "größe--你好", "a_b-c", "set-up-1-1",
    )  # fmt: skip
    assert anchors_of(headings, "none") == ("",) * 5


@pytest.mark.parametrize(
    ("heading", "given_id", "shown"),
    [
        ("Title { #id }", "id", "Title"),
        ("Title {: .a #id }", "id", "Title"),
        ("Title {id=x}", "x", "Title"),
        ("Title {x}", "", "Title"),
        ("`{ #no }`", "", "{ #no }"),
        ("A [link][1] and \\*stars\\*", "", "A link and *stars*"),
        (":material-home: Home", "", "Home"),
        ("A \ue0007\ue001 and `b` \ue00099\ue001", "", "A \ue0007\ue001 and b \ue00099\ue001"),
        ("A &#xe000;7&#xe001;", "", "A \ue0007\ue001"),
    ],
)
def test_a_heading_is_read_as_it_is_shown(heading: str, given_id: str, shown: str) -> None:
    assert (explicit_id(heading), rendered_heading(heading)) == (given_id, shown)


def urls_of(text: str, **values: object) -> list[str | None]:
    document = replace(read("docs/a.md", text), **values)
    return [chunk.url for chunk in chunks_of(document, sections_of(document, SMALL))]


def test_a_chunk_of_a_page_with_an_address_points_at_its_heading() -> None:
    text = f"---\ntitle: A\n---\n\n# A\n\n{WORDS}\n\n## Größe\n\n{WORDS}\n"
    address = "https://x.org/a/"
    found = urls_of(text, url=address, anchors="mkdocs")
    assert found[0] == address
    assert list(dict.fromkeys(found)) == [address, f"{address}#groe"]
    hosted = urls_of(text, url=address, anchors="github")
    assert hosted[-1] == f"{address}#gr%C3%B6%C3%9Fe"
    assert set(urls_of(text, url=address, anchors="none")) == {address}
    assert set(urls_of(text, url=f"{address}#top", anchors="mkdocs")) == {f"{address}#top"}
    assert set(urls_of(text)) == {None}


def test_a_heading_repeated_20000_times_gets_as_many_anchors_at_once() -> None:
    repeated = ["a"] * 20_000 + [f"a_{number}" for number in range(1, 20_001)]
    begun = time.process_time()
    anchors = anchors_of(repeated, "mkdocs")
    assert time.process_time() - begun < GROWS_S  # every name sought from the first on took minutes
    assert len(set(anchors)) == 40_000
    assert anchors[:3] == ("a", "a_1", "a_2")
    assert anchors[-1] == "a_39999"


def test_a_heading_whose_id_ends_in_thousands_of_digits_has_that_anchor() -> None:
    long = f"a_{'9' * 5_000}"
    assert anchors_of([f"A {{ #{long} }}", "B"], "mkdocs") == (long, "b")


def test_attributes_and_closing_marks_are_told_from_the_text() -> None:
    cases = {
        "a {#b}": ("a", "b"),
        "a {: #b .c }  ": ("a", "b"),
        "a {b} {#c}": ("a {b}", "c"),
        "a { {#c}": ("a", ""),
        "a {}": ("a {}", ""),
        "a `{#b}`": ("a {#b}", ""),
        "``a ` b`` `c`": ("a ` b c", ""),
    }
    found = {text: (rendered_heading(text), explicit_id(text)) for text in cases}
    assert found == cases
    lines = Lines("# a ##\n## #\n> ## b # c#\n")
    assert [heading_source(lines, line) for line in range(3)] == ["a", "", "b # c#"]
