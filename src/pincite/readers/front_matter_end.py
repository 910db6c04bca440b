"""Find the end of the front matter of a Markdown file: YAML between `---`, TOML between `+++`.

Attributes, chunks, answers and the page use the same end, so an answer uses the text that was
indexed.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import Final

from pincite.readers.untrusted_yaml import is_mapping
from pincite.support.late_patterns import late_pattern
from pincite.support.possessive import possessive

MARKS: Final = ("---", "+++")
_QUOTED: Final = r"\"(?:[^\"\\\n]|\\[^\n]){1,99}\"|'[^'\n]{1,99}'"
#: The first character of a name: not a mark of Markdown, but possibly an emoji.
_FIRST: Final = r"[\w$./\u2600-\u27bf\u2b50\U0001f000-\U0001faff]"
_NAME: Final = _FIRST + possessive(r"[^\s:]++|:(?=\S)")
#: A name of YAML and its colon. A colon within the name has no blank after it, as in `og:title: x`.
_YAML_NAME: Final = late_pattern(rf"(?:{_QUOTED}|<<|{_NAME})[ \t]*+:(?=\s|\Z)")
_WORDS: Final = _FIRST + possessive(r"[^:#\n]++|:(?=\S)|(?<=\S)\#")
#: A name with blanks, as Obsidian writes them.
_YAML_WORDS: Final = late_pattern(rf"{_WORDS}:(?=\s|\Z)")
#: Entries in braces, which are not a template, and names that are lists.
_YAML_OTHER: Final = late_pattern(r"\{(?![{%#<])|\?[ \t]")
_TOML_PART: Final = rf"(?:[\w-]++|{_QUOTED})"
_TOML_PARTS: Final = possessive(rf"[ \t]*+\.[ \t]*+{_TOML_PART}")
_TOML_NAME: Final = late_pattern(rf"{_TOML_PART}{_TOML_PARTS}[ \t]*+=")
_TOML_TABLE: Final = late_pattern(r"\[[^\n]*\]")
_ENDS: Final = {
    "---": late_pattern(r"^(?:---|\.\.\.)[^\S\n]*+(?:\n|\Z)", re.M),
    "+++": late_pattern(r"^\+\+\+[^\S\n]*+(?:\n|\Z)", re.M),
}
_CONTINUES: Final = frozenset(" \t-:]}")  # first characters of lines that belong to the entry above
_INDENTED: Final = " " * 4  # code of Markdown


def end_of_front_matter(text: str) -> int:
    """Return the position of the line after the front matter of a file, 0 for none.

    It begins in the first line, which may have a byte order mark. It ends with the next line of the
    same mark, or of `...` for YAML, at any distance. The block between them is empty or begins with
    an entry: `name:` in YAML, `name =` or `[table]` in TOML. Only blank lines and comments may be
    above it. Other text between two lines of `---` belongs to a page that begins with a thematic
    break. A block of YAML with a separate paragraph below an entry is not front matter, unless it
    is valid YAML within the limits of `untrusted_yaml`: then the paragraph is within quotes or
    brackets. Other values may be invalid.

    Takes time linear in the text, and almost none without a mark.
    """
    begin = 1 if text.startswith("\ufeff") else 0
    mark = text[begin : begin + 3]
    if mark not in MARKS:
        return 0
    first = text.find("\n", begin) + 1
    if not first or text[begin:first].rstrip() != mark:
        return 0
    closing = _ENDS[mark].search(text, first)
    if closing is None:
        return 0
    block = text[first : closing.start()]
    is_one = _is_yaml(block) if mark == "---" else _is_toml(block)
    return closing.end() if is_one else 0


def begins_entry(line: str, mark: str) -> bool:
    """Return whether a line of front matter between these marks begins with the name of an entry
    that is not within another one."""
    if mark == "---":
        return _has_name(line, words=True)
    return _TOML_NAME.match(line) is not None


def _is_yaml(block: str) -> bool:
    is_empty, is_named, words = True, False, True
    is_apart = False  # from the entry above
    for line in StringIO(block):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            words = words and (is_named or bool(bare))
            is_empty, is_apart = is_empty and not bare, True
        elif not is_named:
            if line.startswith(_INDENTED):
                return False
            if _YAML_OTHER.match(bare):
                return True
            if not _has_name(bare, words=words):
                return False
            is_named, is_apart = True, False
        elif line[0] in _CONTINUES or _has_name(line, words=words):
            is_apart = False
        elif is_apart:
            return is_mapping(block)
    return is_named or is_empty


def _has_name(line: str, *, words: bool) -> bool:
    if _YAML_NAME.match(line) is not None:
        return True
    return words and _YAML_WORDS.match(line) is not None


def _is_toml(block: str) -> bool:
    is_empty = True
    for line in StringIO(block):
        bare = line.strip()
        if bare and not bare.startswith("#"):
            return bool(_TOML_NAME.match(bare) or _TOML_TABLE.match(bare))
        is_empty = is_empty and not bare
    return is_empty
