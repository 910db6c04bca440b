"""Names of files in quotes with the escapes of C, as git prints them."""

from __future__ import annotations

import re

from pincite.support.terminal import one_line

#: Characters of a name that git writes in quotes with an escape; others are octal bytes there.
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_MEANT = {escape: chr(code) for code, escape in _ESCAPES.items()}
_QUOTED = re.compile(r'"(?P<name>(?:[^"\\]|\\[abtnvfr"\\]|\\[0-7]{3})*)"(?P<rest>.*)', re.DOTALL)
_ESCAPED = re.compile(r"(?P<bytes>(?:\\[0-7]{3})+)|\\(?P<sign>.)")


def quoted(name: str) -> str:
    """Return the name. If it contains a quote, a backslash or an invisible character, it is quoted
    with escapes."""
    if one_line(name) == name and not {'"', "\\"} & set(name):
        return name
    return '"' + "".join(map(_escaped, name)) + '"'


def unquoted(text: str) -> str:
    """Return the text with the name at its beginning read as `quoted` writes it; unchanged if it
    does not begin with a quoted name."""
    found = _QUOTED.fullmatch(text)
    if found is None:
        return text
    try:
        return _ESCAPED.sub(_meant, found["name"]) + found["rest"]
    except ValueError:  # bytes above 255, or that are no UTF-8
        return text


def _escaped(character: str) -> str:
    code = ord(character)
    if code in _ESCAPES:
        return f"\\{_ESCAPES[code]}"
    if one_line(character) == character:
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogatepass"))


def _meant(escape: re.Match[str]) -> str:
    if escape["bytes"] is None:
        return _MEANT[escape["sign"]]
    octal = escape["bytes"].split("\\")[1:]
    return bytes(int(one, 8) for one in octal).decode("utf-8", "surrogatepass")
