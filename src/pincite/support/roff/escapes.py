r"""Escapes of roff in a line of a manual page: fonts, sizes, characters, strings.

`\fBNAME\fP` is the word NAME in bold, and `\(aq` an apostrophe. groff_char(7) and mdoc(7) list the
names.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from pincite.support.finding.unseen import UNSEEN

_MOST = 80  # characters of a name in brackets; guess, unmeasured
_NAMED = rf"(?:\([^\n]{{2}}|\[[^\]\n]{{0,{_MOST}}}\]|[^\n])"
_ESCAPE: Final = re.compile(
    rf"""\\(?:
    ["\#](?P<comment>[^\n]*)
    |\((?P<two>[^\n]{{2}})
    |\[(?P<long>[^\]\n]{{1,{_MOST}}})\]
    |\*(?P<string>{_NAMED})
    |[fFmMgkVYOn\$][-+]?{_NAMED}
    |s(?:[-+]?(?:[1-3][0-9]|[0-9])|[-+]?\([-+]?[0-9]{{2}}|[-+]?\[[^\]\n]{{0,20}}\])
    |N'(?P<code>[0-9]{{1,6}})'
    |[hvwlLDXZbxsSHRABC](?P<delimiter>[^\w\s\\])[^\n]{{0,{_MOST}}}?(?P=delimiter)
    |(?P<other>[^\n]|\Z)
    )""",
    re.VERBOSE,
)
#: Characters by their names of two letters.
_CHARACTERS: Final = {
    "aq": "'", "dq": '"', "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "Bq": "„", "bq": "‚",
    "Fo": "«", "Fc": "»", "fo": "‹", "fc": "›", "em": "—", "en": "–", "hy": "-", "mi": "-",
    "pl": "+", "eq": "=", "bu": "•", "co": "©", "rg": "®", "tm": "™", "ti": "~", "ha": "^",
    "rs": "\\", "at": "@", "sh": "#", "Do": "$", "Eu": "€", "eu": "€", "Po": "£", "Ye": "¥",
    "ct": "¢", "ga": "`", "aa": "´", "ba": "|", "br": "|", "or": "|", "bb": "¦", "sl": "/",
    "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "<", "ra": ">", "<=": "≤", ">=": "≥",
    "!=": "≠", "==": "≡", "~~": "≈", "->": "→", "<-": "←", "<>": "↔", "ua": "↑", "da": "↓",
    "rA": "⇒", "lA": "⇐", "de": "°", "mu": "×", "di": "÷", "+-": "±", "sc": "§", "ps": "¶",
    "dg": "†", "dd": "‡", "fm": "′", "sd": "″", "sq": "□", "ci": "○", "if": "∞", "12": "½",
    "14": "¼", "34": "¾", "S1": "¹", "S2": "²", "S3": "³", "ss": "ß", "ae": "æ", "AE": "Æ",
    "oe": "œ", "OE": "Œ", "/o": "ø", "/O": "Ø", "oa": "å", "oA": "Å", "-D": "Ð", "Tp": "þ",
    "TP": "Þ", "r!": "¡", "r?": "¿", "ff": "ff", "fi": "fi", "fl": "fl", "*m": "µ", "*p": "π",
    "lh": "☜", "rh": "☞", "OK": "✓", "nb": "⊄", "no": "¬", "Of": "ª", "Om": "º",
}  # fmt: skip
#: Accents before a letter, as in `\(:a`, by their combining characters.
_ACCENTS: Final = {
    ":": "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", ",": "\u0327",
    "o": "\u030a", "v": "\u030c",
}  # fmt: skip
#: Strings that macro packages and pod2man define.
_STRINGS: Final = {
    "lq": "“", "rq": "”", 'L"': '"', 'R"': '"', "C`": "", "C'": "", "--": "-", "Aq": "'",
    "R": "®", "Tm": "™", "PI": "π", "Lt": "<", "Gt": ">", "Le": "≤", "Ge": "≥", "Ne": "≠",
    "Ba": "|", "Am": "&", "q": '"', "Lq": "“", "Rq": "”",
}  # fmt: skip
#: Displayed characters of escapes of one letter; all others display nothing.
_LETTERS: Final = {
    "-": "-", " ": " ", "~": " ", "0": " ", "t": " ", "e": "\\", "E": "\\", "\\": "\\", ".": ".",
    "'": "'", "`": "`", "_": "_",
}  # fmt: skip
_REMARK: Final = re.compile(r"\\[\"#]")
_UNICODE: Final = re.compile(r"u([0-9A-Fa-f]{4,6})((?:_[0-9A-Fa-f]{4,6})*)|char([0-9]{1,3})")


def without_roff_escapes(line: str) -> str:
    """Return the text of a line in the same length: each character that is not displayed is
    `UNSEEN`. Comments are not displayed. Time is linear in the line."""
    return _ESCAPE.sub(_shown, line) if "\\" in line else line


def displayed(text: str) -> tuple[str, bytes]:
    r"""Return the displayed form of a text, in the same length, and for each place, from 0 to its
    length, whether it is within an escape (1) or not (0). The text after `\"` counts as displayed:
    a comment has no known end where lines are joined. Time is linear in the text."""
    within = bytearray(len(text) + 1)
    if "\\" not in text:
        return text, bytes(within)
    text = _REMARK.sub("  ", text)
    parts: list[str] = []
    at = 0
    for one in _ESCAPE.finditer(text):
        start, end = one.span()
        if end - start > 1:
            within[start + 1 : end] = b"\1" * (end - start - 1)
        parts += text[at:start], _shown(one)
        at = end
    return f"{''.join(parts)}{text[at:]}", bytes(within)


def _shown(found: re.Match[str]) -> str:
    size = len(found[0])
    if found["comment"] is not None:
        said = ""
    elif found["two"] or found["long"]:
        said = _character(found["two"] or found["long"])
    elif found["string"]:
        said = _STRINGS.get(found["string"].lstrip("(").strip("[]"), "")
    elif found["code"]:
        said = _of_code(int(found["code"]))
    else:
        said = _LETTERS.get(found["other"] or "", "")
    return said[:size].ljust(size, UNSEEN)


def _character(name: str) -> str:
    if name in _CHARACTERS:
        return _CHARACTERS[name]
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        composed = unicodedata.normalize("NFC", name[1] + _ACCENTS[name[0]])
        return composed if len(composed) == 1 else ""
    if not (coded := _UNICODE.fullmatch(name)):
        return ""
    if coded[3]:
        return _of_code(int(coded[3]))
    codes = [coded[1], *coded[2].split("_")[1:]]
    return unicodedata.normalize("NFC", "".join(_of_code(int(one, 16)) for one in codes))


def _of_code(code: int) -> str:
    """Return the character with that number; "" for a control character, half of a character, or
    none."""
    is_text = 0x20 <= code < 0x7F or (0xA0 <= code < 0x110000 and not 0xD800 <= code < 0xE000)
    return chr(code) if is_text else ""
