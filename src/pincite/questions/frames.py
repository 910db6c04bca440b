"""Find frames of tracebacks in a text: places such as `src/app.py:12`, with their paths and lines.

A traceback names the files of the machine on which it happened. `Frame.fit` compares such a path
with one of the index, which begins at the root of a source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from pincite.support.late_patterns import late_pattern

#: Files that fit a frame equally well; more tell nothing.
MOST_FILES: Final = 4
MOST_ASKED: Final = 8  # places of one question
_MOST_PARTS: Final = 24  # of a path, from its end
_MOST_FRAMES: Final = 100  # of one text
_MOST_CHARS: Final = 1_000  # of a path
_MARK: Final = late_pattern(r"[:(]L?\d|#L\d|(?:line|Line)s? \d")
_SIGNS: Final = r"[^\s:\"'`|*,;#?]"
#: A path and the line behind it, or the first one of a range (`:3-9`, `#L3-L9`, `#L3C1-L9C5`), with
#: its columns; or a line and the path behind it. A word such as `at` before a line is read alone.
#: Each run of signs is read once, so the time is linear.
_PLACE: Final = late_pattern(
    r'File "(?P<quoted>[^"]{1,1000}+)", line (?P<there>\d{1,8})'
    r"|(?<!\w)(?:line|Line)s? (?P<above>\d{1,8})(?: ?(?:[-–]|to|and) ?\d{1,8})? (?:of|in) "
    rf"(?:the )?(?:file )?[\"'`]?(?P<file>(?:[A-Za-z]:(?=[\\/]))?(?>{_SIGNS}+))"
    rf"|(?<!{_SIGNS})[(<\[]?(?![A-Z]\w{{0,9}}file )[A-Za-z]{{1,20}}"
    r"(?= (?:on |at )?(?:line|Line)s? \d)"
    rf"|(?<!{_SIGNS})(?:[(<\[]?[a-z][\w+.-]{{1,30}}:(?://[\w.-]{{1,253}}:\d{{1,5}}(?=/)|(?=//)))?"
    rf"(?P<path>(?:[A-Za-z]:(?=[\\/]))?(?>{_SIGNS}+))"
    r"(?:(?:\?[\w=&.-]{0,80}+)?[\"'`]?(?::L?|#L|:line |,? (?:on |at )?lines? )"
    r"(?P<line>\d{1,8})(?:C\d{1,8}|(?::\d{1,8}){1,2})?(?:[-–]L?\d{1,8}(?:C\d{1,8})?)?(?![\w/\\])|,\d{1,8}\))?"
)
#: `app.php(12)`, `app.ts(12,5)`
_IN_BRACKETS: Final = late_pattern(r"(?P<path>.+\.[A-Za-z]\w{0,9})\((?P<line>\d{1,8})(?:\).*)?")
#: `com.shop.Order$Item.close(Order.java`, of which the package is the folder
_OF_CLASS: Final = late_pattern(
    r"(?:[\w.@-]*/)*(?P<name>[\w.$<>-]+)\((?P<file>[\w$-]+\.(?:java|kt|scala|groovy|clj))"
)
_ENDING: Final = late_pattern(r"[A-Za-z]\w{0,9}")
_NAMES: Final = frozenset(("Dockerfile", "Gemfile", "Jenkinsfile", "Makefile", "Rakefile"))
#: Endings of a file without a folder. `example.org:443` and `db.local:5432` are no places.
_BARE: Final = frozenset(
    """astro bash bat c cc cfg cjs clj cljs cmake conf cpp cs css cts cxx dart erl ex exs f90 fs go
    gradle graphql groovy h hh hpp hs html hxx ini ipynb java jinja jl js json jsx kt kts lua m md
    mjs ml mm mts nim php pl pm proto ps1 py pyi pyx r rb rs rst sc scala scss sh sol sql svelte
    swift tcl tf toml ts tsx txt vb vue xml yaml yml zig zsh""".split()
)
#: Where a machine keeps libraries. The part of the path behind it begins at the library's own root.
_LIBRARY: Final = late_pattern(
    r"(?:.*/)?(?:(?:site|dist)-packages|node_modules|lib/(?:python|ruby/)\d[\d.]*|pkg/mod(?:/[^/]+)*/[^/]+@v[^/]+"
    r"|gems/[^/]+-\d[^/]*|(?:local|lib)/go/src|registry/src/[^/]+|rustc/[^/]+)/(?P<own>.+)"
)
_PYTHON: Final = late_pattern(r"Traceback \(most recent call last\)|\.pyx?:\d+: in \S")
_SYNTAX: Final = frozenset(
    "File Traceback most recent call last at async by created from in line new object on".split()
)
_WORD: Final = late_pattern(r"[^\W\d]\w*")
_CALLED: Final = late_pattern(
    r"(?<![\w.])(?:in|at(?: async)?(?: new)?) [`'\"]?[\w.$<>:#\[\]*-]+[`'\"]?(?:\([^()]{0,200}\))?"
)


class Fit(NamedTuple):
    """How well a path of the index fits a frame, a greater one better: the number of last `parts`
    that both have, and whether they are the `whole` path of the index."""

    parts: int
    whole: bool


class Frame(NamedTuple):
    """A place in a file: its `path` with slashes, without `.` and `..`, and the `line`, from 1.
    `own` is the number of last parts of the path that a path of the index must have; it is greater
    than 1 for a file of an installed library."""

    path: str
    line: int
    own: int = 1

    @property
    def is_library(self) -> bool:
        """Whether the file is one of an installed library."""
        return self.own > 1

    @property
    def name(self) -> str:
        """The name of the file, without folders."""
        return self.path.rpartition("/")[2]

    @property
    def endings(self) -> tuple[str, ...]:
        """The path and what is left of it without its first parts, the longest first, down to the
        last `own` parts."""
        parts = self.path.split("/")
        return tuple("/".join(parts[at:]) for at in range(max(1, len(parts) - self.own + 1)))

    def fit(self, path: str, source: str = "") -> Fit | None:
        """Return how well a path of the index fits, None if it is another file. See `fit_of`."""
        return fit_of(self.path.split("/"), path.split("/"), source.split("/"), self.own)


def fit_of(
    ours: Sequence[str], theirs: Sequence[str], source: Sequence[str], own: int = 1
) -> Fit | None:
    """Return how well a path of the index (`theirs`) fits one that is named (`ours`), None if it is
    another. The paths and the name of the source are given by their parts, `own` as in
    `Frame`.

    The whole path of the index may end the other one (`app/a.py` ends `/srv/app/a.py`), or the
    other way round (`lib/app/a.py`). Otherwise, more than half of the path of the index is
    necessary, and two parts, or all of the library's own: `src/app/a.py` for
    `/usr/lib/python3/site-packages/app/a.py`. Before a whole path, the name of its `source` also
    counts, because it is most often that of its folder: `app/a.py` for `a.py` of `app`.
    """
    same = 0
    for one, other in zip(reversed(ours), chain(reversed(theirs), reversed(source)), strict=False):
        if one != other:
            break
        same += 1
    is_whole = same >= len(theirs)
    is_most = same > 1 and (own > 1 or 2 * same > len(theirs))
    fits = same >= own and (is_whole or same == len(ours) or is_most)
    return Fit(same, is_whole) if fits else None


def frames_of(text: str) -> tuple[Frame, ...]:
    """Return the frames of a text without duplicates, the one that failed first: in the order of
    the text, but in reverse for tracebacks of Python. Frames of libraries come last. They are at
    most 100; most texts have none, which takes one short look."""
    if _MARK.search(text) is None:
        return ()
    found: dict[tuple[str, int], Frame] = {}
    for match in _PLACE.finditer(text):
        frame = _frame(match)
        if frame is not None:
            found.setdefault((frame.path, frame.line), frame)
    frames = list(found.values())
    if 'File "' in text or _PYTHON.search(text) is not None:
        frames.reverse()
    return tuple(sorted(frames, key=lambda one: one.is_library)[:_MOST_FRAMES])


def is_only_frames(text: str) -> bool:
    """Return whether a text has a frame and nothing else: no word but the names of functions that
    belong to frames, and those of their syntax."""
    rest = _PLACE.sub(lambda match: " " if _frame(match) is not None else match[0], text)
    if rest == text:
        return False
    return _SYNTAX.issuperset(_WORD.findall(_CALLED.sub(" ", f"{rest} ")))


def without_lines(text: str) -> str:
    """Return the text without the numbers of lines and columns of its frames."""

    def shortened(match: re.Match[str]) -> str:
        if _frame(match) is None:
            return match[0]
        path: str = match["quoted"] or match["file"] or match["path"]
        held = _IN_BRACKETS.fullmatch(path) if match["path"] and match["line"] is None else None
        return f"{path if held is None else held['path']} "

    return _PLACE.sub(shortened, text)


def _frame(match: re.Match[str]) -> Frame | None:
    """Return the frame of a match of `_PLACE`, None if it is none."""
    path = match["quoted"] or (match["file"] or "").rstrip(".!)]") or match["path"] or ""
    line = match["there"] or match["above"] or match["line"]
    if line is None:
        has_folder = "/" in path or "\\" in path
        held = _IN_BRACKETS.fullmatch(path) if "(" in path and has_folder else None
        if held is None:
            return None
        path, line = held["path"], held["line"]
    elif (of_class := _OF_CLASS.fullmatch(path)) is not None:
        package = of_class["name"].split(".")[:-2]
        path = "/".join((*package, of_class["file"]))
    if not int(line):
        return None
    plain = plain_path(path)
    if not plain or (match["quoted"] is None and not is_file(plain)):
        return None
    held = _LIBRARY.fullmatch(plain)
    own = 1 if held is None else max(2, held["own"].count("/") + 1)
    return Frame(plain, int(line), own)


def plain_path(path: str) -> str:
    """Return a path with slashes, without its drive, its host, `.` and `..`; "" for none."""
    if len(path) > _MOST_CHARS or path.startswith("<"):  # `<stdin>`
        return ""
    path = path.replace("\\", "/")
    if path[:1] in "(<[" and path.count("(") + path.count("[") > path.count(")") + path.count("]"):
        path = path[1:]
    if path[1:2] == ":":
        path = path[2:]
    elif path.startswith("//") and not path.startswith("///"):
        path = path[2:].partition("/")[2]
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts[-_MOST_PARTS:])


def is_file(path: str) -> bool:
    """Return whether a path ends in the name of a file. Without a folder, it must be one of those
    that programs have."""
    folder, _, name = path.rpartition("/")
    stem, _, ending = name.rpartition(".")
    if name in _NAMES:
        return True
    if not stem:
        return False
    return _ENDING.fullmatch(ending) is not None if folder else ending.lower() in _BARE
