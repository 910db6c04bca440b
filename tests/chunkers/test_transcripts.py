"""Transcripts of agents: turns as chunks, cited by the lines that they stand in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite import Pincite
from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.chunkers.budget import estimate_word_pieces
from pincite.model import Chunk, Document, Section, Source
from pincite.readers import read_document
from pincite.readers.transcripts import is_transcript, turns_of

CONFIG = ChunkerConfig()
SESSION = "9f1c"
LONG = "\n\n".join(f"## Step {n}\n\n" + f"word{n} " * 60 for n in range(6))
CLAUDE = [
    {"type": "summary", "summary": "about keys", "leafUuid": "1"},
    {
        "type": "user",
        "message": {"role": "user", "content": 'How do I rotate a "key"?\nÜber Nacht?'},
        "timestamp": "2026-11-01T10:00:00Z",
        "sessionId": SESSION,
    },
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Call `rotate_key`."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls keys/"}},
            ],
        },
        "timestamp": "2026-11-01T10:00:05Z",
        "sessionId": SESSION,
    },
    {
        "type": "user",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": LONG}],
        },
        "timestamp": "2026-11-01T10:00:06Z",
        "sessionId": SESSION,
    },
]
CODEX = [
    {"timestamp": "2026-11-02T08:00:00Z", "type": "session_meta", "payload": {"id": "x"}},
    {
        "timestamp": "2026-11-02T08:00:01Z",
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "fix the build"}],
        },
    },
    {
        "timestamp": "2026-11-02T08:00:02Z",
        "type": "response_item",
        "payload": {"type": "function_call_output", "output": "make: error 2"},
    },
]
PLAIN = [{"role": "user", "content": "hello there"}, {"role": "assistant", "content": "good day"}]
TRAINING = [{"messages": PLAIN}, {"messages": [*PLAIN, {"role": "user", "content": "bye"}]}]


def lines(turns: list[Any], *, ascii_only: bool = False, end: str = "\n") -> str:
    return "".join(json.dumps(one, ensure_ascii=ascii_only) + end for one in turns)


def read(text: str, path: str = "log.jsonl") -> Document:
    source = Source("logs", "/logs", "folder")
    return read_document(text.encode(), source=source, path=path, ref="r")


def chunked(document: Document) -> list[tuple[Section, Chunk]]:
    sections = sections_of(document, CONFIG)
    return list(zip(sections, chunks_of(document, sections), strict=True))


@pytest.mark.parametrize("turns", [CLAUDE, CODEX, PLAIN, TRAINING])
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_known_transcripts_are_recognised_and_cited_exactly(
    turns: list[Any], ascii_only: bool, end: str
) -> None:
    document = read(lines(turns, ascii_only=ascii_only, end=end))
    assert (document.language, document.source_type) == ("transcript", "docs")
    found = chunked(document)
    assert found
    for section, chunk in found:
        assert chunk.text == document.text[section.start : section.end]
        assert chunk.plain
        assert chunk.attributes["role"]
    ends = [section.end for section, _ in found]
    starts = [section.start for section, _ in found]
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))


def test_short_turns_go_together_with_their_roles_and_the_time_of_the_first() -> None:
    (_, first), *_ = chunked(read(lines(CLAUDE)))
    assert (first.start_line, first.end_line, first.start_column) == (2, 3, None)
    assert first.plain is not None
    assert 'user: How do I rotate a "key"?\nÜber Nacht?' in first.plain
    assert "assistant: Call `rotate_key`." in first.plain
    assert "tool: ls keys/" in first.plain
    assert first.attributes == {
        "role": ("user", "assistant", "tool"),
        "time": "2026-11-01T10:00:00Z",
        "session": SESSION,
    }


def test_a_long_turn_is_cut_within_its_line_where_its_text_is() -> None:
    document = read(lines(CLAUDE, ascii_only=True))
    parts = [chunk for _, chunk in chunked(document) if chunk.start_line == 4]
    assert len(parts) >= 6
    raw = document.text.split("\n")[3]
    assert "".join(part.text for part in parts) == raw
    for number, part in enumerate(parts[1:], start=1):
        assert part.plain is not None
        assert part.start_column is not None
        beginning = part.plain.removeprefix("tool: ").strip()[:12]
        assert json.dumps(beginning)[1:-1] in part.text, number
    assert all(estimate_word_pieces(part.plain or "") <= CONFIG.max_tokens for part in parts)


def test_a_transcript_is_called_by_what_a_person_says_first() -> None:
    assert read(lines(CLAUDE)).title == 'How do I rotate a "key"? Über Nacht?'
    assert read(lines(CODEX)).title == "fix the build"


@pytest.mark.parametrize(
    "text",
    [
        lines([{"id": 1, "text": "a record"}, {"id": 2, "text": "another"}]),
        lines(PLAIN[:1]),
        "not json\n" + lines(PLAIN),
        "",
        "[" * 100_000,
        '{"role": "user", "content": ' + "[" * 50_000,
    ],
)
def test_other_files_stay_what_they_are(text: str) -> None:
    assert not is_transcript(text)
    if text:
        assert read(text).language == "json"


def test_the_same_lines_in_another_file_are_no_transcript() -> None:
    assert read(lines(PLAIN), "notes.md").language == "markdown"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "nobody"]), "content": JSON},
    optional={"timestamp": JSON, "type": st.sampled_from(["tool_result", "message", ""])},
)


@settings(max_examples=80, deadline=None)
@given(st.lists(MESSAGE | JSON, min_size=2, max_size=8), st.booleans(), st.integers(1, 400))
def test_whatever_the_lines_hold_chunks_are_spans_in_order(
    values: list[Any], ascii_only: bool, times: int
) -> None:
    long = {"role": "user", "content": '"tab\there\\ and ' * times}
    text = lines([*values, long, long], ascii_only=ascii_only)
    document = Document("s", "r", "p.jsonl", text, "utf-8", "0" * 64, "docs", "transcript")
    found = sections_of(document, CONFIG)
    place = 0
    for section in found:
        assert place <= section.start < section.end <= len(text)
        place = section.end
    said = sum(len(turns_of(line) or ()) for line in text.split("\n"))
    assert said >= 2
    assert any(section.plain for section in found)


def test_escapes_of_another_kind_are_cut_as_they_stand() -> None:
    text = '{"role": "user", "content": "' + "\\u0061\\/ word " * 400 + '"}\n' + lines(PLAIN)
    document = read(text)
    found = chunked(document)
    assert len(found) > 3
    assert all(chunk.text in text for _, chunk in found)


def test_a_conversation_is_found_by_role_time_and_session_and_verified(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "a.jsonl"
    log.parent.mkdir()
    log.write_text(lines(CLAUDE), encoding="utf-8")
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.index(log.parent, lexical=True)
        pack = pincite.search(
            "rotate a key", where=f"role = 'assistant' and session = '{SESSION}'", context="none"
        )
        assert pack[0].citation.endswith("#L2-L3")
        assert [one.status for one in pincite.verify(pack)] == ["fresh"]
        assert not pincite.search("rotate a key", where="time > 2026-12-01").evidence
        with log.open("a", encoding="utf-8") as stream:  # it grows while it is read
            stream.write(lines([{"role": "user", "content": "and the zebra protocol?"}]))
        assert [one.status for one in pincite.verify(pack)] == ["fresh"]
        pincite.index(log.parent)
        assert pincite.search("zebra protocol", context="none")[0].start_line <= 5
        pincite.stop()


def test_half_a_line_is_nobodys_until_it_is_whole_and_secrets_in_lines_are_stars(
    tmp_path: Path,
) -> None:
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ"
    whole = lines([*PLAIN, {"role": "user", "content": f'the zebra "{secret}"\nü protocol'}])
    log = tmp_path / "logs" / "a.jsonl"
    log.parent.mkdir()
    log.write_bytes(whole.encode()[:-20])  # somebody is writing
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.index(log.parent, lexical=True, mask_secrets=True)
        assert not pincite.search("zebra", context="none").evidence
        pack = pincite.search("good day", context="none")
        log.write_bytes(whole.encode())
        assert [one.status for one in pincite.verify(pack)] == ["fresh"]
        pincite.index()
        pack = pincite.search("zebra protocol", context="none")
        assert secret not in pack.to_json()
        assert "*" * len(secret) in pack[0].text
        assert [one.status for one in pincite.verify(pack)] == ["fresh"]
        passage = pincite.get(pack[0].citation)
        assert passage.text in pack[0].text or pack[0].text in passage.text
        assert secret not in passage.text
        (read,) = pincite.get_many(["logs:a.jsonl"]).passages
        assert secret not in read.text
        assert len(read.raw) == len(whole.encode())
        (checked,) = pincite.check([pack[0].citation])
        assert checked.status == "fresh"
        pincite.stop()


def test_half_of_a_character_is_a_question_mark(tmp_path: Path) -> None:
    """Nothing can store one: a cut emoji in one line ended the run of all files."""
    long = "# Head \ud800\n\n" + "the zebra \ud83d grazes\n\n" * 600
    lines = [
        {"role": "user", "content": "zebra \ud83d?", "sessionId": "s\udc00", "time": "t\ud800"},
        {"role": "assistant", "content": long},
    ]
    raw = "\n".join(map(json.dumps, lines)).encode()
    source = Source(name="chats", location=str(tmp_path), kind="folder")
    document = read_document(raw, source=source, path="a.jsonl", ref="")
    assert document.language == "transcript"
    chunks = chunks_of(document, sections_of(document, CONFIG))
    assert len(chunks) > 3
    for one in chunks:
        said = (one.title, one.plain or "", *one.headings, str(dict(one.attributes)))
        assert "\n".join(said).encode().decode()
        assert one.text in raw.decode()
    assert chunks[0].plain is not None
    assert chunks[0].plain.startswith("user: zebra ??")
    assert chunks[0].attributes["session"] == "s?"
