"""Settings with comments are changed in one place and nowhere else."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.surfaces.clients.jsonc import Malformed, parse, remove, set_value

PATH = ("servers", "pincite")
ENTRY = {"command": "/bin/pincite", "args": ["mcp"]}
WRITTEN = """\
"pincite": {
      "command": "/bin/pincite",
      "args": [
        "mcp"
      ]
    }"""

COMMENTED = """\
// mine
{
  "theme": "dark", // at night
  /* the servers */
  "servers": {
    // the first
    "other": {"command": "other"} // stays
  },
}
"""


def test_what_is_put_in_is_the_only_change() -> None:
    changed = set_value(COMMENTED, PATH, ENTRY)
    assert changed == COMMENTED.replace(
        '{"command": "other"} // stays', '{"command": "other"}, // stays\n    ' + WRITTEN
    )
    assert parse(changed).data["servers"]["pincite"] == ENTRY
    assert remove(changed, PATH) == COMMENTED
    assert set_value(changed, PATH, ENTRY) == changed


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{}\n",
        "{\n}\n",
        "{ }",
        '{"a": 1}',
        '{\n\t"a": 1\n}',
        '{\n    "a": 1\n}\n',
        '\ufeff{\r\n  "a": [1, 2,],\r\n}\r\n',
        '{"servers": {}}',
        '{\n  "servers": {\n  }\n}',
        '{\n  "servers": {"other": {}}\n}',
        '{\n  "servers": {\n    "other": {}\n  }\n}',
        "{ // nothing yet\n}",
        "{\n  // nothing yet\n}",
        "{ /* nothing */ }",
        '{"a": "https://x", "servers": {"b": "//"}}',
        '{"servers": { // the first\n"other": {} }}',
        COMMENTED,
    ],
)
def test_every_text_keeps_what_it_says_and_gets_the_entry(text: str) -> None:
    changed = set_value(text, PATH, ENTRY)
    before = parse(text).data
    servers = before.get("servers", {}) | {"pincite": ENTRY}
    assert parse(changed).data == before | {"servers": servers}
    assert ("\r\n" in text) == ("\r\n" in changed)
    assert changed.count("\n") - changed.count("\r\n") == 0 or "\r\n" not in text
    assert parse(remove(changed, PATH)).data == before | {
        "servers": {k: v for k, v in servers.items() if k != "pincite"}
    }


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=4,
)
_OBJECTS = st.dictionaries(st.text(max_size=4) | st.just("servers"), _JSON, max_size=4)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(_OBJECTS, st.sampled_from((None, 2, 4, "\t")), _JSON)
def test_whatever_json_writes_is_changed_and_changed_back(
    before: dict[str, Any], indent: int | str | None, value: Any
) -> None:
    before["servers"] = before.get("servers") if isinstance(before.get("servers"), dict) else {}
    before["servers"].pop("pincite", None)
    text = json.dumps(before, indent=indent)
    changed = set_value(text, PATH, value)
    assert json.loads(changed) == before | {"servers": before["servers"] | {"pincite": value}}
    assert json.loads(remove(changed, PATH)) == before


_SIGNS = st.lists(
    st.sampled_from(("{", "}", "[", "]", ",", ":", '"a"', "1", "true", "//", "/*", "*/", "\n", " "))
).map("".join)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"servers": {"u": "//", "pincite": {}}}', '{"servers": {"u": "//"}}'),
        ('{"servers": { // ours\n"pincite": {} }}', '{"servers": { // ours\n }}'),
        ('{"servers": {"pincite": {}, "b": 1}}', '{"servers": { "b": 1}}'),
        ('{"servers": {\n  "pincite": {},\n}}', '{"servers": {}}'),
        (
            '{"servers": {"a": 1, /* x */ "pincite": 1 /* y */}}',
            '{"servers": {"a": 1 /* x */ /* y */}}',
        ),
        ('{"servers": []}', '{"servers": []}'),
        ('{"a": 1}', '{"a": 1}'),
    ],
)
def test_what_is_taken_out_takes_its_comma_along_and_no_comment(text: str, left: str) -> None:
    assert remove(text, PATH) == left
    assert parse(left)


@given(_SIGNS)
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with suppress(Malformed):
        data = parse(text).data
        assert json.loads(json.dumps(data)) == data


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: a value is missing"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3: expected a comma or }"),
        ("{\n  a: 1\n}", "line 2: expected a key in double quotes or }"),
        ('{"a" 1}', "line 1: expected a colon after 'a'"),
        ('{"a": "b\n"}', "line 1: a text has no end on its line"),
        ('{"a": tru}', "line 1: 'tru' is not a value"),
        ("{}\n{}", "line 2: unexpected text after the end of the value"),
        ("[" * 100_000, "line 1: it is nested too deeply"),
        ("/*" * 50_000, "line 1: '*' is not a value"),
        ('{"a": 01x}', "line 1: '01x' is not a value"),
    ],
)
def test_a_broken_text_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(Malformed) as raised:
        parse(text)
    assert str(raised.value) == said


def test_a_part_of_the_path_that_is_no_object_is_refused() -> None:
    with pytest.raises(Malformed, match=r"line 2: servers is not an object"):
        set_value('{\n"servers": []}', PATH, ENTRY)
    with pytest.raises(Malformed, match="line 1: the file is not an object"):
        set_value("[]", PATH, ENTRY)
