from __future__ import annotations

import hashlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.errors import ConfigError, SourceError
from pincite.model import Document, Source
from pincite.readers import FileType, compile_rules, file_type, may_be_read, read_document
from pincite.readers.titles import title_of
from pincite.readers.urls import url_for
from tests.time_limits import GROWS_S


def read(path: str, raw: bytes, *, url_rule: str | None = None) -> Document:
    source = Source("acme/docs", "/x", "folder", url_rule=url_rule)
    return read_document(raw, source=source, path=path, ref="1.0")


def test_a_document_carries_where_it_comes_from() -> None:
    raw = b"# Guide\n\nwords\n"
    document = read("docs/guide.md", raw, url_rule=r"docs/(.*)\.md=>https://x.org/\1/")
    assert document == Document(
        source="acme/docs",
        ref="1.0",
        path="docs/guide.md",
        text="# Guide\n\nwords\n",
        encoding="utf-8",
        content_hash=hashlib.sha256(raw).hexdigest(),
        source_type="docs",
        language="markdown",
        title="Guide",
        url="https://x.org/guide/",
        anchors="mkdocs",
    )


@pytest.mark.parametrize(
    ("path", "head", "expected"),
    [
        ("a/b.py", b"", FileType("python", "code")),
        ("README", b"", FileType("text", "docs")),
        ("README.rst", b"", FileType("rst", "docs")),
        ("Dockerfile", b"", FileType("dockerfile", "code")),
        ("Dockerfile.dev", b"", FileType("dockerfile", "code")),
        ("CMakeLists.txt", b"", FileType("cmake", "code")),
        ("Makefile", b"", FileType("make", "code")),
        ("a.test.tsx", b"", FileType("tsx", "code")),
        ("a.MD", b"", FileType("markdown", "docs")),
        ("pyproject.toml", b"", FileType("toml", "data")),
        (".github/workflows/ci.yml", b"", FileType("yaml", "data")),
        ("bin/tool", b"#!/usr/bin/env python3\n", FileType("python", "code")),
        ("bin/tool", b"#!/bin/sh -e\n", FileType("bash", "code")),
        ("bin/tool", b"#!/usr/bin/env -S node --x\n", FileType("javascript", "code")),
        ("bin/tool", b"words\n", None),
        ("t/basic.t", b"", FileType("perl", "code")),
        ("app.psgi", b"", FileType("perl", "code")),
        ("Guide.pod", b"", FileType("text", "docs")),
        ("index.mld", b"", FileType("text", "docs")),
        ("shop.opam", b"", FileType("text", "data")),
        ("dune-project", b"", FileType("text", "data")),
        ("src/dune", b"", FileType("lisp", "code")),
        ("configure.ac", b"", FileType("m4", "code")),
        ("configure.in", b"", FileType("m4", "code")),
        ("m4/usb.m4", b"", FileType("m4", "code")),
        ("src/Makefile.am", b"", FileType("make", "code")),
        ("user_data.tpl", b"", FileType("jinja", "code")),
        ("index.html.ep", b"", FileType("jinja", "code")),
        ("tool.1", b".TH TOOL 1\n", FileType("roff", "docs")),
        ("tool.1.in", b'.\\" Says.\n.ds name tool\n', FileType("roff", "docs")),
        ("lib.3pm", b"'\\\" t\n", FileType("roff", "docs")),
        ("tool.9.in", b".Dd May 2020\n", FileType("roff", "docs")),
        ("kubectl.1", b".nh\n.TH KUBECTL 1\n", FileType("roff", "docs")),
        ("old.8", b"\xef\xbb\xbf\n.SH NAME\n", FileType("roff", "docs")),
        ("ssh.1", b".ie n .ds x\n", FileType("roff", "docs")),
        ("ssh.1", b".el .ds x\n", FileType("roff", "docs")),
        ("open.3posix", b".TH OPEN 3\n", FileType("roff", "docs")),
        ("tool.man", b".TH TOOL 1\n", FileType("roff", "docs")),
        ("tool.man", b"[manpage_begin]\n", None),
        ("tool.mdoc", b"", FileType("roff", "docs")),
        ("paper.roff", b"", FileType("roff", "docs")),
        ("log.1", b"2026-01-01 started\n", None),
        ("tool-1.2", b"words\n", None),
        ("a.xyz", b"words\n", None),
    ],
)
def test_the_type_follows_from_name_and_first_line(
    path: str, head: bytes, expected: FileType | None
) -> None:
    assert file_type(path, head) == expected


def test_only_names_that_may_be_scripts_are_opened_to_find_out() -> None:
    assert may_be_read("bin/tool")
    assert may_be_read("a.md")
    assert may_be_read("man/tool.1")
    assert not any(map(may_be_read, ("app.log.1", "libx.so.1", "a.7z", "a.3gp")))
    assert may_be_read("man/tool.8.in")
    assert not may_be_read("a.xyz")
    assert not may_be_read("tool.0")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("use Test::More;\nok 1;\ndone_testing;\n", "perl"),
        ("words\n", "perl"),
        ("It lists files:\n\n  $ ls\n  a.txt\n", "text"),
        ("  $ cat > a << EOF\n  > use strict;\n  > EOF\n", "text"),
        ("use Test::More;\nmy $help = <<'EOF';\n  $ tool --help\nEOF\n", "perl"),
        ("#!perl\nsub run {\n  $ ;\n}\n", "perl"),
        ("Use it;\nour tests:\n\n  $ tool\n", "text"),
    ],
)
def test_the_content_of_a_test_tells_perl_from_commands_with_their_output(
    text: str, language: str
) -> None:
    document = read("t/a.t", text.encode())
    assert (document.language, document.source_type) == (language, "code")


def test_deciding_about_a_test_takes_linear_time() -> None:
    started_s = time.process_time()
    for text in ("use a\n", "use ", "  $", "\n" * 3, "sub a", "sub a ", "my "):
        read("t/a.t", (text * 100_000).encode())
    assert time.process_time() - started_s < GROWS_S


def test_an_unknown_type_is_refused_by_name() -> None:
    with pytest.raises(SourceError, match=r"a\.xyz"):
        read("a.xyz", b"words")


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("a.md", "---\ntitle: 'From the front'\n---\n# Other\n", "From the front"),
        ("a.md", "\ufeff---\r\ntitle: With mark\r\n---\r\n", "With mark"),
        ("a.md", "words\n\n# The *first* [`one`](x.md) {#id}\n", "The first one"),
        ("a.md", "```\n# no\n```\n\n## Yes ##\n", "Yes"),
        ("a.md", "Under\n=====\n", "Under"),
        ("a.md", "\ufeff# Marked\n", "Marked"),
        ("a.md", "\ufeffUnder\n=====\n", "Under"),
        ("a.rst", "\ufeffUnder\n=====\n", "Under"),
        ("a.md", "only words\n", "a.md"),
        ("docs/a.rst", "=====\nTitle\n=====\n\nwords\n", "Title"),
        ("a.html", "<title>\n One &amp;\n two</title><h1>Three</h1>", "One & two"),
        ("a.html", "<h1 class=x>A <b>b</b></h1>", "A b"),
        ("src/a.py", '"""Docstring."""\n', "a.py"),
        ("a.txt", "words", "a.txt"),
    ],
)
def test_the_title_is_what_the_document_calls_itself(path: str, text: str, title: str) -> None:
    found = file_type(path)
    assert found is not None
    assert title_of(text, path, found.language) == title


@given(st.text(max_size=80), st.sampled_from(["markdown", "rst", "html", "text", "python"]))
@settings(max_examples=100, deadline=None)
def test_any_text_has_a_title_of_one_line(text: str, language: str) -> None:
    title = title_of(text, "dir/a.b", language)
    assert title
    assert "\n" not in title


@pytest.mark.parametrize("language", ["markdown", "rst", "html"])
def test_titles_are_found_in_hostile_texts_at_once(language: str) -> None:
    for text in ("# " * 9999, "```\n" * 5000, "<title>" * 3000, "a\n=\n" * 5000, "[" * 20_000):
        assert title_of(text, "a.b", language)


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("docs/a/b.md", "https://x.org/a/b/"),
        ("docs/index.md", "https://x.org/"),
        ("docs/a/index.md", "https://x.org/a/"),
        ("docs/a b.md", "https://x.org/a%20b/"),
        ("src/a.py", None),
    ],
)
def test_a_rule_gives_addresses_and_folders_their_index(path: str, url: str | None) -> None:
    assert url_for(path, r"docs/(.*)\.md=>https://x.org/\1/") == url
    assert url_for(path, None) is None


@pytest.mark.parametrize(
    "rule",
    ["", "no arrow", "=>https://x", "x=>", "(=>https://x", r"a=>https://x/\1", r"(a)=>https://x/\2",
     r"a=>https://x/\g<name>", r"a=>https://x/\q", "a=>x/y", "a=>file:///etc/"],
)  # fmt: skip
def test_a_malformed_rule_is_refused_before_anything_is_read(rule: str) -> None:
    with pytest.raises(ConfigError, match="URL rule"):
        compile_rules(rule)


def test_a_rule_may_name_its_groups() -> None:
    assert url_for("docs/a.md", r"docs/(?P<page>.*)\.md=>https://x.org/\g<page>") == (
        "https://x.org/a"
    )


def test_the_first_of_several_rules_decides_and_an_arrow_is_an_arrow() -> None:
    rules = "docs/api/(.*)\\.md → https://api.org/\\1\ndocs/(.*)\\.md=>https://x.org/\\1/\n"
    assert url_for("docs/api/a.md", rules) == "https://api.org/a"
    assert url_for("docs/a.md", rules) == "https://x.org/a/"
    assert url_for("a.md", rules) is None


@pytest.mark.parametrize("rule", ["(a+)+$", "(a|aa)+b", "(.*)(.*)(.*)(.*)(.*)b", "(a*)*b"])
def test_no_url_rule_takes_longer_than_the_path_is_long(rule: str) -> None:
    assert url_for("a" * 4000 + "!", f"{rule} => https://example.org/") is None


@pytest.mark.parametrize("rule", [r"(?!old/)(.*)\.md", r"(?<=a)b", r"(a)\1"])
def test_an_expression_that_needs_backtracking_is_refused_with_its_reason(rule: str) -> None:
    with pytest.raises(ConfigError, match="malformed") as caught:
        url_for("a.md", f"{rule} => https://example.org/")
    assert "look-around" in (caught.value.hint or "")


def test_a_url_rule_of_absurd_size_is_refused() -> None:
    with pytest.raises(ConfigError, match="malformed"):
        url_for("a.md", "((a{1000}){1000}){1000} => https://example.org/")
