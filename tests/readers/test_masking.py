"""What looks like a secret is stars in the text of a document, and everything else is as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.readers.secrets import without_secrets
from pincite.readers.transcripts import turns_of

KEY = "ghp_0123456789abcdefghijABCDEFGHIJ"


def masked_lines(*turns: Any, ascii_only: bool = True) -> str:
    text = "\n".join(json.dumps(one, ensure_ascii=ascii_only) for one in turns)
    found = without_secrets(text, "log.jsonl")
    assert len(found) == len(text)
    return found


def test_each_character_of_a_secret_becomes_a_star_and_lines_stay() -> None:
    text = f"# Keys\r\n\r\nUse {KEY} here.\r\npassword = hunter2x\r\nAgain: hunter2x.\n"
    found = without_secrets(text, "notes.md")
    assert found == text.replace(KEY, "*" * len(KEY)).replace("hunter2x", "*" * 8)


def test_a_private_key_over_several_lines_keeps_its_lines() -> None:
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj" for _ in range(3))
    text = f"a\n-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\nb\n"
    found = without_secrets(text, "notes.md")
    assert "MIIE" not in found
    assert found.count("\n") == text.count("\n")
    assert (found[:2], found[-3:]) == ("a\n", "\nb\n")


@pytest.mark.parametrize("ascii_only", [True, False])
def test_lines_of_json_stay_json_whatever_a_secret_is_escaped_as(ascii_only: bool) -> None:
    said = f'über "{KEY}"\npassword: "tro\\u00fcb/4dor\\n"\nurl: postgres://me:s3cr3t"t@host/x'
    found = masked_lines({"role": "user", "content": said}, ascii_only=ascii_only)
    (turn,) = turns_of(found) or ()
    assert len(turn.texts) == 1
    assert "ghp_" not in found
    assert "s3cr3t" not in found
    assert turn.texts[0].startswith('über "')


def test_the_name_of_a_value_gives_it_away() -> None:
    found = masked_lines({"input": {"password": "correct-horse-7", "note": "correct battery"}})
    assert json.loads(found)["input"] == {"password": "*" * 15, "note": "correct battery"}


def test_what_is_no_json_in_a_file_of_lines_is_masked_as_text() -> None:
    text = f'{{"role": "user"}}\npassword = hunter2x\n{{"role": "{KEY}"\n'
    found = without_secrets(text, "a.jsonl")
    assert "hunter2x" not in found
    assert "ghp_" not in found
    assert found.split("\n")[0] == '{"role": "user"}'


def test_texts_without_secrets_are_the_same() -> None:
    for text in ("", "\n", "Nothing here: a password is a word.\n", '{"a": "b"}\n', "\\", '"\\'):
        for path in ("a.md", "a.json", "a.jsonl"):
            assert without_secrets(text, path) == text


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=30) | st.sampled_from([KEY, "password: aB3" * 3]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(JSON, max_size=5), st.booleans(), st.integers(0, 3))
def test_json_stays_json(values: list[Any], ascii_only: bool, deep: int) -> None:
    for _ in range(deep):
        values = [json.dumps(values, ensure_ascii=ascii_only)]
    text = json.dumps(values, ensure_ascii=ascii_only)
    found = without_secrets(text, "a.json")
    assert len(found) == len(text)
    assert KEY not in found
    json.loads(found)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["a.md", "a.jsonl", "a.json", "a.txt"]))
def test_every_text_keeps_its_length_and_its_newlines(text: str, path: str) -> None:
    text = f"{text}{KEY}\n{text} {KEY}"
    found = without_secrets(text, path)
    assert len(found) == len(text)
    assert [n for n, c in enumerate(found) if c in "\r\n"] == [
        n for n, c in enumerate(text) if c in "\r\n"
    ]
