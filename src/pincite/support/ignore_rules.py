"""Ignore files with the semantics of git: the deepest file decides, its last match wins.

A pattern is matched against a path itself, never against its parent folders: a walk does not enter
ignored folders. (pathspec also matches paths below a pattern's folder, which differs from git when
rules of two files meet; a test against git found this. It also takes exponential time over a line
with many stars.)

Git compares bytes, so that `?` does not match a whole `é`. Here, each byte of a pattern or a path
outside of ASCII is one character.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_PATTERN_BYTES = 4096  # as long as a path can be; the library takes 1 ms to compile one
#: Patterns in one expression. The time of a match grows with the square of its groups.
_TOGETHER = 32
_POSIX = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_Kind = Literal["one", "star", "slash", "folders", "bad"]
_FOLDERS = "(?:[^/]*/)*?"
_LITERAL = re.compile(r"[^*?\[\\]*")
_TO_END = (".++", ".*+")  # the rest of a path: there is nothing behind to give characters back for
_FEW = 12  # retried characters that are not counted: `*.` with a suffix and a class
_RUNS = re.compile(r"(?:\*\*+/)*")


class IgnoreRules(msgspec.Struct, frozen=True):
    """The patterns of one folder. `base` is its path with a final slash, "" for the root."""

    base: str
    #: Last line first, up to 32 patterns in each expression: a group for each pattern, and whether
    #: the pattern ignores its matches (False for a line with "!").
    blocks: tuple[tuple[re.Pattern[str], tuple[bool, ...]], ...]
    of_git: bool = True  #: whether git reads this file, too
    #: the path of a file whose lines with "!" include nothing that git ignores, "" for others
    untrusted: str = ""
    foreign: bool = False  #: whether this is `FOREIGN`
    patterns: int = 0  #: their number
    retried: int = 0  #: sum of `Translated.retried`

    def verdict(self, path: str) -> bool | None:
        """Return True if ignored, False if explicitly kept, None if no pattern matches. A folder's
        path ends in a slash."""
        place, begin = _characters(path), len(_characters(self.base))
        for any_of, ignored in self.blocks:
            found = any_of.fullmatch(place, begin)
            if found is not None:
                return ignored[(found.lastindex or 1) - 1]
        return None

    def covers(self, path: str) -> bool:
        """Return whether the path, or one of its parent folders, matches."""
        slash = path.find("/")
        while slash >= 0:
            if self.verdict(path[: slash + 1]):
                return True
            slash = path.find("/", slash + 1)
        return bool(self.verdict(path))


class Translated(NamedTuple):
    """A pattern as a regular expression. `retried` counts the characters of the expression that may
    be tried at every position of a path: those after a star in the same name, and several names
    after `**/`. The first twelve are not counted: with them, a pattern takes at most ten times as
    long as `*.md` usually does."""

    expression: str
    retried: int = 0


#: Stands before the rules of a tree of somebody else. They include nothing again that the rules
#: before it leave out.
FOREIGN: Final = IgnoreRules("", (), foreign=True)


def parse_rules(base: str, lines: Iterable[str]) -> IgnoreRules | None:
    """Return the rules in some lines, or None if there are none. Malformed lines match nothing."""
    last: dict[Translated, bool] = {}  # of equal patterns, only the last one can decide
    for line in lines:
        pattern = _characters(_bare(line))
        ignored = not pattern.startswith("!")
        translated = translate(pattern if ignored else pattern[1:])
        if translated is not None:
            last.pop(translated, None)
            last[translated] = ignored
    if not last:
        return None
    found = list(reversed(last.items()))
    parts = [found[at : at + _TOGETHER] for at in range(0, len(found), _TOGETHER)]
    retried = sum(one.retried for one in last)
    return IgnoreRules(base, tuple(map(_block, parts)), patterns=len(found), retried=retried)


def _block(part: list[tuple[Translated, bool]]) -> tuple[re.Pattern[str], tuple[bool, ...]]:
    any_of = "|".join(f"({translated.expression})" for translated, _ in part)
    return re.compile(any_of, re.DOTALL), tuple(ignored for _, ignored in part)


def left_out_by(path: str, rules: tuple[IgnoreRules, ...]) -> IgnoreRules | None:
    """Return the rules that leave a path out, or untrusted ones that would include what git
    ignores; None if it stays. `rules` go from the root down; the parent folders of `path` must not
    be ignored themselves."""
    kept = False  # by a rule after the last `FOREIGN`
    for each in reversed(rules):
        if each.foreign or kept:
            kept = kept and not each.foreign
            continue
        verdict = each.verdict(path)
        if verdict:
            return each
        kept = verdict is False
        if kept and each.untrusted:
            of_git = tuple(one for one in rules if one.of_git)
            if left_out_by(path, of_git):
                return each
        elif kept and not each.of_git:
            return None  # a person has trusted the file
    return None


def _characters(text: str) -> str:
    """Return a text with one character for each of its bytes. Accepts any string."""
    if text.isascii():
        return text
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a pair, which no name of a file has
        raw = text.encode("utf-8", "surrogatepass")
    return raw.decode("latin-1")


def translate(pattern: str) -> Translated | None:
    """Return a line of an ignore file, without its "!", as a regular expression over paths whose
    folders end in a slash. None for a line that matches nothing. Both have one character for each
    byte.

    If the pattern has a slash, git compares the characters before the first wildcard with the path,
    and matches the rest as a pattern of its own. So `**` is also special in the middle of a name:
    `a**/b` matches `ab`, `ax/b` and `ax/y/b`.

    There is no backtracking: the first match of the text between two stars is as good as any later
    one, and the same holds for whole names between two `**`. So each of these is an atomic group,
    and the time of a match is at most proportional to the length of the path times that of the
    expressions that may be retried.
    """
    folder_only = pattern.endswith("/")
    body = pattern[:-1] if folder_only else pattern
    anchored = "/" in body
    body = body.removeprefix("/")
    if not body or len(body) > MAX_PATTERN_BYTES:
        return None
    if anchored and len(body) > 1 and not body.strip("*"):
        return Translated(".+" + ("/" if folder_only else ""))
    parts: list[list[tuple[str, str]]] = [[]] if anchored else [[], []]  # between two "**/"
    begin, open_end = _begin(body) if anchored else (0, -1)
    position, expression = 0, ""
    while position < len(body):
        kind, expression, length = _next(body, position, begin, open_end)
        if kind == "bad":
            return None
        if kind == "folders":
            parts[-1] += [("slash", expression)] if expression else []
            parts.append([])
        else:
            parts[-1].append((kind, expression))
        position += length
    first, *others = map(_join, parts)
    inner = "".join(f"(?>{_FOLDERS}{each})" for each in others[:-1])
    last = f"{_FOLDERS}{others[-1]}" if others else ""
    to_end = expression in _TO_END
    end = ("(?<=/)" if to_end else "/") if folder_only else "/?"
    retried = _after_stars(parts[0]) + sum(map(_retried_below, parts[1:]))
    return Translated(first + inner + last + end, max(retried - _FEW, 0))


def _retried_below(tokens: list[tuple[str, str]]) -> int:
    """Return the number of characters that may be retried between two `**/`."""
    if any(kind == "slash" for kind, _ in tokens):
        return sum(len(expression) for _, expression in tokens)
    return _after_stars(tokens)


def _after_stars(tokens: list[tuple[str, str]]) -> int:
    """Return the number of characters after a star in the same name."""
    retried, after = 0, False
    for kind, expression in tokens:
        retried += len(expression) * (after and kind == "one")
        after = kind == "star" or (after and kind == "one")
    return retried


def _join(tokens: list[tuple[str, str]]) -> str:
    """Return one expression. A star with another star later in the same name matches as little as
    possible."""
    joined, later = "", False  # from the end: whether a star follows in this name
    behind = ""
    for kind, expression in reversed(tokens):
        if kind == "star":
            joined = (f"(?>[^/]*?{behind})" if later else expression + behind) + joined
            behind, later = "", True
        elif kind == "slash":
            joined = expression + behind + joined
            behind, later = "", False
        else:
            behind = expression + behind
    return behind + joined


def _begin(body: str) -> tuple[int, int]:
    """Return where the rest of a pattern begins that git matches by itself, and where `**/` at that
    place end if the text before them ends inside of a name, otherwise -1. After them, nothing may
    be left of a path: `a**/*` matches `a`."""
    begin = len(_LITERAL.match(body)[0])  # type: ignore[index] # it matches every text
    if begin == 0 or body[begin - 1] == "/":
        return begin, -1
    return begin, _RUNS.match(body, begin).end()  # type: ignore[union-attr]


def _next(body: str, position: int, begin: int, open_end: int) -> tuple[_Kind, str, int]:
    """Return the kind of the token here, its expression, and its length. For the other values see
    `_begin`."""
    in_front = position == 0 or body[position - 1] == "/"
    mark = body[position]
    if mark == "*":
        length = len(body) - position - len(body[position:].lstrip("*"))
        after = body[position + length : position + length + 2]
        if length > 1 and (in_front or position == begin):
            if after.startswith("/"):
                return "folders", "", length + 1
            if after == "\\/":  # one folder at least
                return "folders", "[^/]*/", length + 2
            if position and not after:
                return "slash", _TO_END[position == open_end], length
        whole = in_front and after[:1] in ("", "/") and position != open_end
        return "star", ("[^/]+" if whole else "[^/]*"), length  # "sub/*" is not "sub/" itself
    if mark == "/":
        return "slash", "/", 1
    if mark == "?":
        return "one", "[^/]", 1
    if mark == "\\":
        escaped = position + 1 < len(body)
        return ("one", re.escape(body[position + 1]), 2) if escaped else ("bad", "", 1)
    if mark == "[":
        expression, length = _character_class(body, position + 1)
        return ("one" if expression else "bad"), expression, length + 1
    return "one", re.escape(mark), 1


def _character_class(body: str, begin: int) -> tuple[str, int]:
    """Return the expression of the characters after a "[", and their number with the "]". The
    expression is "" if the class has no end or an unknown name."""
    position = begin
    negated = body[position : position + 1] in ("!", "^")
    position += negated
    parts: list[str] = []
    previous, first = "", position
    bracket = -1  # the next "]", which is looked for once
    while position < len(body) and (body[position] != "]" or position == first):
        one, position = body[position], position + 1
        named = None
        if one == "[" and body.startswith(":", position):
            if bracket < position:
                bracket = body.find("]", position) % (len(body) + 1)  # the end without one
            if bracket > position + 1 and body.startswith(":]", bracket - 1):
                named = body[position + 1 : bracket - 1]
        if one == "-" and previous and body[position : position + 1] not in ("", "]"):
            position += body[position] == "\\"
            last = body[position : position + 1]
            if previous <= last:
                parts.append(f"{re.escape(previous)}-{re.escape(last)}")
            previous, position = "", position + 1
        elif named is not None:
            if named not in _POSIX:
                return "", 0
            parts.append(_POSIX[named])
            previous, position = "", bracket + 1
        else:
            if one == "\\":
                one, position = body[position : position + 1], position + 1
            parts.append(re.escape(one))
            previous = one
    if position >= len(body):
        return "", 0
    return f"(?!/)[{'^' if negated else ''}{''.join(parts)}]", position + 1 - begin


def _bare(line: str) -> str:
    """Return a line without its newline and trailing blanks, "" for a comment; a backslash keeps
    the last blank. As in git, the line ends at a NUL byte."""
    bare = line.removesuffix("\n").removesuffix("\r")
    if bare.startswith("#"):
        return ""
    bare = bare.partition("\0")[0]
    stripped = bare.rstrip(" ")
    escaped = (len(stripped) - len(stripped.rstrip("\\"))) % 2
    return bare[: len(stripped) + escaped]
