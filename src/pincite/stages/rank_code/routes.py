"""Find the handlers of a route of HTTP."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, islice
from operator import itemgetter
from typing import Final

from pincite.model import Candidate, Chunk
from pincite.questions.routes import METHODS, MOST_SEGMENTS, Route, is_parameter, segments_of
from pincite.stages.rank_code.definitions import names_of
from pincite.stages.rank_code.files import File
from pincite.stages.rank_code.paths import place_of
from pincite.stages.rank_code.route_prefixes import Prefixes, is_of_class, prefixes_in

#: A literal with a path, as frameworks register it: `"/users/{id}"`, `'users/<int:id>'`.
_LITERAL: Final = re.compile(r"[\"'`](?:[A-Z]{3,7} )?([\w{}:.<>*$\[\]()%+~/-]{0,200})[\"'`]")
#: A route in a comment that describes it: `@Router /users/{id} [post]`.
_DESCRIBED: Final = re.compile(r"@Router\s+(/\S{0,200})\s+\[(\w+)\]")
_MOST_LITERALS: Final = 200  # of a passage
_LONGEST_PATH: Final = 1_000  # characters of the path of a file, from its end
_MOST_KINDS: Final = 4  # of a file, such as `put` and `ts` of `users.put.ts`
_NEAR: Final = 120  # characters around a literal in which its method is
_CHAIN: Final = 600  # characters behind `route("/x")` in which its methods are
#: What stands before a literal on the handler itself: `@router.get("/x")`, `#[get("/x")]`,
#: `[HttpGet("/x")]`, `@GetMapping("/x")`; and in a table of routes: `app.get("/x", show)`,
#: `Route::get("/x")`, `mux.HandleFunc("/x")`, `path("x/")`, `get "/x"`.
_ON_HANDLER: Final = re.compile(
    r"(?:@[\w.]{1,60}|#\[\w{1,20}|\[Http\w{1,10}|\[Route)"
    r"\(\s{0,20}(?:(?:value|path) ?= ?)?[\[{]?\s{0,9}\Z"
)
_IN_TABLE: Final = re.compile(
    r"(?:\b(?:router|routes?|app|server|mux|blueprint|bp|group|engine)\w{0,20}\.\w{1,20}"
    r"|::[a-z]{3,7}|\.(?:GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete|Map\w{0,10}"
    r"|Handle\w{0,10}|route|match)|\b(?:re_)?path|\n\s{0,20}(?:get|post|put|patch|delete|match))"
    r"(?:\(\s{0,20}| )\Z"
)
#: What calls a route instead.
_CALLS: Final = re.compile(
    r"\b(?:fetch|axios|requests?|client|https?|api|session|curl|ky|superagent)"
    r"(?:\.\w{1,20})?\(\s{0,20}\Z|\burl\s{0,5}[:=]\s{0,5}f?\Z",
    re.IGNORECASE,
)
#: Files whose folders are their route: `app/api/users/[id]/route.ts`, `pages/api/users.ts`.
_OF_FOLDER: Final = frozenset(("route", "index", "+server", "+page", "page", "handler"))
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_LEAST: Final = 3  # letters of a word that singular and plural share


#: A call on a router or its decorator: `@router.get(`, `users.route(`, with the name of a path.
_CALLED: Final = re.compile(
    r"(?<![\w.])(?:\w{1,60}\.){0,3}(?P<router>\w{1,60})\s{0,20}\.(?P<call>\w{1,30})\(\s{0,20}"
    r"(?:(?:path|rule) ?= ?)?\Z"
)
#: A handler without a path of its own: `@PostMapping`, `@Get()`, `[HttpGet]`.
_BARE: Final = re.compile(
    r"(?:@(?P<verb>Get|Post|Put|Patch|Delete)(?:Mapping)?(?:\(\s{0,20}\)|(?![\w(]))"
    r"|\[Http(?P<kind>Get|Post|Put|Patch|Delete)\])"
)
#: `@RequestMapping("/status")`, without a method.
_OF_ALL: Final = re.compile(r"@RequestMapping\((?![^()]{0,400}\bmethod\s{0,5}=)[^()]{0,400}\)")
_MOST_SAME: Final = 20  # literals of a passage that fit the route; guess, a table has a few


def handlers(route: Route | None, candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """Return the passages of code that handle a route, best first, at most `most`; none of tests.

    A passage registers a route with a literal whose segments end that route, or its file has the
    route as its folders. A parameter (`{id}`, `:id`, `<id>`, `[id]`) matches any segment. The
    segments before a literal are expected in the prefix that a candidate of the same file gives to
    its router or class, or in the path of the file. Handlers that have their route on them precede
    tables of routes. Passages that only call a route are left out."""
    if route is None:
        return []
    code = [
        one
        for one in candidates
        if one.chunk.source_type == "code" and place_of(one.chunk.path) != "tests"
    ]
    texts: dict[File, list[str]] = defaultdict(list)
    for one in code:
        texts[one.file].append(one.chunk.text)
    prefixes = {file: prefixes_in(of_file) for file, of_file in texts.items()}
    scored: list[tuple[_Value, Candidate]] = []
    for one in code:
        registered = _registered(one.chunk, route, prefixes[one.file])
        best = max(chain(_of_file(one.chunk, route), registered), default=None)
        if best is not None:
            scored.append((best, one))
    scored.sort(key=itemgetter(0), reverse=True)
    return [one for _, one in scored][:most]


#: Whether the last segment is the same word, or a parameter on both sides; whether the route is on
#: its handler, not in a table; the number of equal segments, and of those that are words; whether
#: it is registered for this method, not for all.
_Value = tuple[bool, bool, int, int, bool]


def _registered(chunk: Chunk, route: Route, prefixes: Prefixes) -> Iterator[_Value]:
    text = chunk.text
    path = {_bare(word.lower()) for word in _WORD.findall(chunk.path[-_LONGEST_PATH:])}
    of_class = prefixes.get("", frozenset())
    for found in _DESCRIBED.finditer(text):
        same = _compared(segments_of(found[1]), (), route, path)
        if same and found[2].upper() == (route.method or found[2].upper()):
            yield same[0], True, *same[1:], True
    if same := _compared((), of_class, route, path):
        verbs = (found["verb"] or found["kind"] for found in _BARE.finditer(text))
        if any(verb.upper() == (route.method or verb.upper()) for verb in verbs):
            yield same[0], True, *same[1:], True
    left = _MOST_SAME
    for found in islice(_LITERAL.finditer(text), _MOST_LITERALS):
        before = text[max(0, found.start() - _NEAR) : found.start()]
        segments = segments_of(found[1])
        if not left or not (prefixes or _compared(segments, (), route, path)):
            continue
        called = _CALLED.search(before)
        mounted = prefixes.get(called["router"], frozenset()) if called else of_class
        same = _compared(segments, mounted, route, path)
        if same is None:
            continue
        left -= 1
        on_handler = _ON_HANDLER.search(before)
        call = called["call"] if called else ""
        is_call = call == "route" or call.upper() in METHODS
        in_table = (called and mounted) or ((segments or is_call) and _IN_TABLE.search(before))
        if not on_handler and (not in_table or _CALLS.search(before)):
            continue
        near = _CHAIN if call == "route" and not on_handler else _NEAR
        after = text[found.start() : found.end() + near]
        if on_handler:
            around = on_handler[0] + after.partition(")")[0]
        else:
            around = before[-_NEAR // 3 :].rpartition("\n\n")[2] + after.partition(";")[0]
        has_method = _has_method(around, route.method, call)
        if has_method or (on_handler and _is_of_all(text, found.start() - len(on_handler[0]))):
            yield same[0], on_handler is not None, *same[1:], has_method


def _of_file(chunk: Chunk, route: Route) -> Iterator[_Value]:
    *folders, file = chunk.path[-_LONGEST_PATH:].rsplit("/", MOST_SEGMENTS)
    stem, *kinds = file.split(".", _MOST_KINDS)
    segments = folders if stem in _OF_FOLDER else [*folders, stem]
    segments = [one for one in segments if one and not (one[0] == "(" and one[-1] == ")")]
    same = _common_end(segments, route.segments)
    if not any(same) or len(same) < len(route.segments) - 1:
        return
    methods = (route.method,) if route.method else METHODS
    names = names_of(chunk.symbols)
    if any(one in names or one.lower() in kinds for one in methods):
        yield _is_exact(same, route), True, len(same), sum(same), True


def _compared(
    segments: Sequence[str], prefixes: Iterable[Sequence[str]], route: Route, path: Set[str]
) -> tuple[bool, int, int] | None:
    """Return whether the last segment is exact; how many segments of the route the registered ones,
    perhaps behind one of the prefixes, and words of the file's path, are; and how many of these are
    words. None if the route does not end with these segments."""
    whole = ((*prefix, *segments) for prefix in prefixes)
    found = (_compared_as(one, route, path) for one in chain((segments,), whole))
    return max(filter(None, found), default=None)


def _compared_as(
    segments: Sequence[str], route: Route, path: Set[str]
) -> tuple[bool, int, int] | None:
    same = _common_end(segments, route.segments)
    if len(same) < len(segments):
        return None
    before = route.segments[: len(route.segments) - len(segments)]
    there = [not is_parameter(one) and _bare(one.lower()) in path for one in before]
    words = sum(same) + sum(there)
    if not words or not (segments or there[-1]):
        return None
    return not segments or _is_exact(same, route), len(same) + sum(there), words


def _common_end(segments: Sequence[str], asked: Sequence[str]) -> list[bool]:
    """Return for each segment of the common end whether it is a word, from the last one on. Only
    registered parameters match other segments."""
    same: list[bool] = []
    for mine, theirs in zip(reversed(segments), reversed(asked), strict=False):
        is_wild = is_parameter(mine)
        if not is_wild and mine.lower() != theirs.lower():
            break
        same.append(not is_wild)
    return same


def _is_exact(same: Sequence[bool], route: Route) -> bool:
    return same[0] or is_parameter(route.segments[-1])


def _has_method(text: str, method: str, call: str) -> bool:
    """Return whether a route is registered for a method: by the call of its router (`router.get`),
    else by a word near it. `route` of Flask without methods is GET."""
    if not method:
        return True
    verb = call.removeprefix("Map").upper()
    if verb in METHODS:
        return verb == method
    if method == "GET" and call == "route" and text.startswith("@") and "methods" not in text:
        return True
    name = method.capitalize()
    found = re.search(
        rf"(?<![A-Za-z]){method}(?![A-Za-z])|(?<![a-z]){method.lower()}(?![a-z_])"
        rf"|(?:Http|@|\.){name}(?![a-z])",
        text,
    )
    return found is not None


def _is_of_all(text: str, start: int) -> bool:
    """Return whether the mapping that begins here is that of a handler for all methods."""
    return _OF_ALL.match(text, start) is not None and not is_of_class(text, start)


def _bare(word: str) -> str:
    """Return a word without the final `s` of a plural."""
    return word[:-1] if len(word) > _LEAST and word.endswith("s") else word
