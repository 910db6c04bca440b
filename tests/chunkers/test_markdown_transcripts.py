"""Conversations in Markdown: turns as chunks, each a span of the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite import Pincite
from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.chunkers.budget import estimate_word_pieces
from pincite.model import Chunk, Document, Source
from pincite.readers import read_document
from pincite.readers.markdown_transcripts import is_markdown_transcript, spoken

CONFIG = ChunkerConfig()
LONG = "\n\n".join(f"### Step {n}\n\n" + f"word{n} " * 60 for n in range(6))
FRONT = '---\nsession_id: "9f1c"\ndate: 2026-11-01\ntopic: keys\n---\n\n'
ASKED, SAID = "How do I rotate a key?", "Call `rotate_key`."
BOLD = "**User:** How do I rotate a key?\n\n**Assistant:** Call `rotate_key`.\n"
FORMS = [
    BOLD,
    f"# A chat\n\n**User**\n\n{ASKED}\n\n---\n\n**Assistant**\n\n{SAID}\n",
    f"_**User (2026-11-02 10:00Z)**_\n\n{ASKED}\n\n---\n\n_**Assistant**_\n\n{SAID}\n",
    "## Human\n\nHow do I rotate a key?\n\n## Claude\n\nCall `rotate_key`.\n",
    "#### You said:\nHow do I rotate a key?\n#### ChatGPT said:\nCall `rotate_key`.\n",
    "## 🧑 User\n\nHow do I rotate a key?\n\n## 🤖 Assistant\n\nCall `rotate_key`.\n",
    FRONT + "## Prompt:\n\nHow do I rotate a key?\n\n## Response:\n\nCall `rotate_key`.\n",
    "**System**: Be brief.\n\n" + BOLD,
]


def read(text: str, path: str = "log.md") -> Document:
    source = Source("logs", "/logs", "folder")
    return read_document(text.encode(), source=source, path=path, ref="r")


def chunked(document: Document) -> tuple[Chunk, ...]:
    return tuple(chunks_of(document, sections_of(document, CONFIG)))


@pytest.mark.parametrize("text", FORMS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_form_is_recognised_and_its_turns_are_spans_of_the_file(text: str, end: str) -> None:
    text = text.replace("\n", end)
    document = read(text)
    assert (document.language, document.source_type) == ("transcript", "docs")
    assert [one.role for one in spoken(text)][-2:] == ["user", "assistant"]
    user, assistant = spoken(text)[-2:]
    assert text[user.said : user.end].strip() == "How do I rotate a key?"
    assert text[assistant.said : assistant.end].strip() == "Call `rotate_key`."
    found = chunked(document)
    assert found[-1].attributes["role"][-2:] == ("user", "assistant")  # type: ignore[index]
    assert all(one.text == text[one.start : one.end] for one in found)
    assert all(one.start_column is None and one.end_column is None for one in found)


def test_time_and_session_are_those_of_the_turn_else_of_the_front_matter() -> None:
    text = FRONT + BOLD.replace("**User:**", f"**User (2026-11-03 09:30 UTC):** {'so ' * 600}")
    held = [one.attributes for one in chunked(read(text)) if one.attributes]
    assert held[0] == {"time": "2026-11-03T09:30:00Z", "session": "9f1c", "role": ("user",)}
    assert held[-1]["session"] == "9f1c"
    assert str(held[-1]["time"]) == "2026-11-01"


def test_a_long_turn_is_cut_as_a_page_with_its_role_in_every_part() -> None:
    text = f"**User:** how\n\n**Assistant:** {LONG}\n\n**User:** thanks\n"
    found = chunked(read(text))
    parts = [one for one in found if one.attributes["role"] == ("assistant",)]
    assert len(parts) >= 6
    assert all(
        (one.plain or one.text).lower().lstrip("*").startswith("assistant:") for one in parts
    )
    assert all(estimate_word_pieces(one.plain or one.text) <= CONFIG.max_tokens for one in parts)
    assert parts[1].headings[-1].startswith("Step")


def test_a_speaker_within_a_fence_is_quoted() -> None:
    quoted = "```\n**User:** not me\n```\n"
    text = f"**User:** what is this?\n\n{quoted}\n**Assistant:** a quotation\n"
    assert [one.role for one in spoken(text)] == ["user", "assistant"]
    assert "not me" in text[spoken(text)[0].start : spoken(text)[0].end]


def test_it_is_called_by_its_title_else_by_what_is_said_first() -> None:
    assert read(FORMS[1]).title == "A chat"
    assert read(BOLD).title == "How do I rotate a key?"


@pytest.mark.parametrize(
    "text",
    [
        "# Roles\n\nMessages have roles.\n\n## System\n\nSets the tone.\n\n## User\n\nAsks.\n",
        "## Assistant\n\nAnswers.\n\n## User\n\nAsks.\n",
        "**User:** one alone\n",
        "**Note:** a word\n\n**User guide:** another\n",
        f"{'A page. ' * 100}\n\n{BOLD}",
        f"```\n{BOLD}```\n",
        "User: plain\n\nAssistant: words\n",
        "",
    ],
)
def test_pages_stay_pages(text: str) -> None:
    assert not is_markdown_transcript(text)
    assert not text or read(text).language == "markdown"


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.sampled_from(["**User:** ", "**Assistant:**\n", "## User\n", "```\n", "---\n"])
        | st.text(max_size=40)
        | st.just("long words " * 200),
        max_size=10,
    )
)
def test_whatever_is_said_chunks_are_spans_in_order_and_nothing_is_lost(parts: list[str]) -> None:
    text = "\n".join([BOLD, *parts])
    document = Document("s", "r", "p.md", text, "utf-8", "0" * 64, "docs", "transcript")
    place = 0
    for section in sections_of(document, CONFIG):
        between = text[place : section.start]
        assert place <= section.start < section.end <= len(text)
        assert (
            not set(between)
            - set(" \t\r\n-*_\x0b\x0c\x1c\x1d\x1e\x1f\x85")
            - {one for one in between if one.isspace()}
        )
        place = section.end


def test_it_grows_while_it_is_read_and_what_is_masked_stays_fresh(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    log = logs / "chat.md"
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ"
    log.write_text(f"**User:** rotate the key {secret}\n\n**Assistant:** Rotated.\n")
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.index(logs, lexical=True, mask_secrets=True)
        pack = pincite.search("rotate the key", where="role = 'user'", context="none")
        assert secret not in pack.to_json()
        assert "*" * len(secret) in pack[0].text
        assert "secrets_masked" in [one.code for one in pack.warnings]
        passage = pincite.get(pack[0].citation)
        assert secret not in passage.text
        assert len(passage.raw) == len(log.read_bytes())
        assert not [p for p in (tmp_path / ".pincite").rglob("*") if _holds(p, secret)]
        with log.open("a") as stream:
            stream.write(f"\n**User:** and again {secret}, please\n")
        assert [one.status for one in pincite.verify(pack)] == ["fresh"]
        again = pincite.search("rotate the key", context="none")
        assert (again[0].truth, again[0].start_line) == ("moved", 1)
        assert secret not in again.to_json()
        pincite.index()  # what is masked stays so
        assert secret not in pincite.search("and again please", context="none").to_json()
        (report,) = pincite.index(logs, mask_secrets=False)
        assert report.changed == 1
        assert secret in pincite.search("rotate the key", context="none")[0].text
        pincite.stop()


def _holds(path: Path, secret: str) -> bool:
    return path.is_file() and secret.encode() in path.read_bytes()
