"""The result of a search: a verdict, evidence, and how it was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, overload

import msgspec

from pincite.errors import UsageError
from pincite.model.evidence import Evidence, Omitted
from pincite.model.records import PAGE_NUMBER
from pincite.model.retrieval import Notice, SignalName, TaskMode
from pincite.model.verdict import NOTHING_ABSENT, AbsentTerms, Verdict
from pincite.support.decodable import ready
from pincite.support.json_text import json_text, json_values


class Exchange(msgspec.Struct, frozen=True):
    """One request to a service and its answer, without texts, vectors and keys.

    `service` is a provider, a store, or `reranker` for the stage of that name; its call may take
    several requests to a provider. `what` is the path of the request, the collection, or the
    reranker. `items` is the number of texts or documents sent, `tokens` an estimate of their
    tokens, as far as they are counted. `at_ms` counts from the beginning of the search. `status` is
    the HTTP status, 0 if there is none, `request_id` the provider's id of the request. `error`
    begins with the class of the error.
    """

    service: str
    what: str
    stage: str = ""
    items: int = 0
    tokens: int = 0
    at_ms: float = 0.0
    took_ms: float = 0.0
    status: int = 0
    request_id: str = ""
    asked: Mapping[str, Any] = {}
    answered: Mapping[str, Any] = {}
    error: str = ""


_FIRST: Final = 3
_MAJOR: Final = "1"  #: of the schemas of packs and answers
_NOTE_SCORES: Final[tuple[SignalName, ...]] = ("reranked", "dense")


class Plan(msgspec.Struct, frozen=True):
    """How the pack was found: enough to repeat the search. `rung` is the kind of retrieval
    (`lexical`, `bundled-model`, ...), `counts` the number of candidates per collection, `passes`
    the passes of the search. `reranker` is the reranker's fingerprint and `instruction` the SHA-256
    of its instruction; both are empty if there is none. `expansion` is the origin of the
    `subqueries`, each `TYPE: TEXT`: `caller`, `names`, or the fingerprint of a model. It is
    `skipped` if keyword search was sufficient, and empty if there was no expansion."""

    collections: tuple[str, ...]
    rung: str
    fusion: str
    limits: Mapping[str, int]
    search_params: Mapping[str, int | bool]
    counts: Mapping[str, int]
    mode: TaskMode = "explain"
    passes: tuple[str, ...] = ("first",)
    reranker: str = ""
    instruction: str = ""
    expansion: str = ""
    subqueries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidencePack:
    """The result of a search: a verdict and evidence, best first. Iterating gives the evidence.
    `pincite schema` describes the JSON form. `debug` is empty unless requested: the requests to
    services and their responses, in order of time.

    `omitted` lists passages that their files no longer have. If the verdict is `none`, `closest`
    has up to three passages below the threshold. They are not evidence. `absent_terms` are words of
    the question that occur nowhere."""

    schema_version: str
    query: str
    verdict: Verdict
    plan: Plan
    evidence: tuple[Evidence, ...]
    coverage: Mapping[str, int]
    warnings: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    debug: Mapping[str, tuple[Exchange, ...]] = field(default_factory=dict)
    omitted: tuple[Omitted, ...] = ()
    closest: tuple[Evidence, ...] = ()
    absent_terms: AbsentTerms = NOTHING_ABSENT

    def __repr__(self) -> str:
        """Return the question, the verdict and the first citations; `to_json` has everything.

        >>> pack
        <EvidencePack 'rotate a key': grounded, 1 passage: ...:docs/keys.md#L1-L3>
        """
        cited = [one.citation for one in self.evidence]
        counted = f"{len(cited)} passage{'s' * (len(cited) != 1)}"
        return f"<EvidencePack {self.query!r}: {self.verdict.level}, {counted}{first_cited(cited)}>"

    def __iter__(self) -> Iterator[Evidence]:
        """Return the evidence, best first.

        >>> [(evidence.number, evidence.path, evidence.lines) for evidence in pack]
        [(1, 'docs/keys.md', range(1, 4))]
        """
        return iter(self.evidence)

    def __len__(self) -> int:
        """Return the number of passages.

        >>> len(pack)
        1
        """
        return len(self.evidence)

    def __bool__(self) -> bool:
        """Always true, also without evidence. Use `verdict.level` or `len` instead: "nothing
        relevant is indexed" is a valid result, and shown passages may be weak.

        >>> bool(pack)
        True
        """
        return True

    @overload
    def __getitem__(self, place: int) -> Evidence: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Evidence, ...]: ...
    def __getitem__(self, place: int | slice) -> Evidence | tuple[Evidence, ...]:
        """Return the evidence at a position. Positions count from 0, the `number` of evidence from
        1.

        >>> pack[0].number
        1
        >>> [evidence.path for evidence in pack[:3]]
        ['docs/keys.md']
        """
        return self.evidence[place]

    def to_dict(self) -> dict[str, Any]:
        """Return the pack as values of JSON: dicts, lists, texts, numbers, booleans and None.

        >>> pack.to_dict()["verdict"]["level"]
        'grounded'
        """
        return json_values(self)

    def to_json(self, indent: int | None = 2) -> str:
        """Return the JSON of `pincite search --json`.

        Arguments:
            indent: spaces for each level, at most 1,000; None, or 0 or less, for one line.

        >>> pack.to_json(indent=0)[:24]
        '{"schema_version": "1.5"'
        """
        return json_text(self, indent)

    def to_notes(self) -> list[dict[str, Any]]:
        """Return the evidence in the fields of note-taking programs: `text`, `score`, `page`,
        `isVisual` and `imageUrl`. A vision model's description of a passage follows its text.
        `score` is the reranker's if all passages have it, else the cosine if all have one, else
        `Evidence.score`. `page` and `imageUrl` are None if there is none.

        >>> sorted(pack.to_notes()[0])
        ['imageUrl', 'isVisual', 'page', 'score', 'text']
        """
        values = [{one.name: one.value for one in item.signals} for item in self.evidence]
        told = next((n for n in _NOTE_SCORES if all(n in one for one in values)), None)
        scores = [v[told] if told else i.score for i, v in zip(self.evidence, values, strict=True)]
        return [_as_note(*each) for each in zip(self.evidence, scores, strict=True)]

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> EvidencePack:
        """Read the result of `to_dict`, or the decoded JSON of the command line. Unknown fields are
        ignored.

        Raises UsageError for anything else, and for a pack whose schema has another major version.

        >>> EvidencePack.from_dict(pack.to_dict()) == pack
        True
        """
        require_readable("evidence pack", found)
        try:
            return msgspec.convert(found, ready(EvidencePack))
        except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
            raise UsageError(
                f"invalid evidence pack: {error}", hint="pass the output of to_dict unchanged"
            ) from error

    def to_prompt(self, max_tokens: int = 4000, *, line_numbers: bool = False) -> str:
        """Write the pack as text for a language model.

        The text has the question, the verdict, and whole passages, best first. Each passage has its
        number, citation and, if known, address, and stands in a fence that its text cannot close.
        If it is shown with more of its file, the found lines are named. Passages that do not fit
        are left out, and the end gives their number. If even the best one is too long, its first
        lines are kept, with a note. Control characters are escaped. A pack without evidence says
        that nothing relevant is indexed, with the closest passages, or that nothing matches the
        filter.

        Arguments:
            max_tokens: the limit, at least 300. Tokens are estimated without a tokenizer; real
                tokens are mostly 40 to 70 % of the estimate.
            line_numbers: put its line number in the file before each line. A `>` marks found lines
                if other lines are shown around them.

        Raises UsageError for an invalid `max_tokens`.

        >>> print(pack.to_prompt(max_tokens=500, line_numbers=True))
        Question: rotate a key
        Verdict: grounded (on topic). ...
        <BLANKLINE>
        Each passage below is quoted from an indexed file or record, between its own pair of...
        <BLANKLINE>
        [1] ...:docs/keys.md#L1-L3
        Section: Keys
        ```
        1  # Keys
        2...
        3  To rotate a key, call `rotate_key` with the new secret.
        ```
        """
        from pincite.model.prompt import write_prompt  # imports this class

        return write_prompt(self, max_tokens, line_numbers=line_numbers)


def first_cited(citations: Sequence[str]) -> str:
    """Return up to three citations as the end of a short text, empty for none."""
    more = ", ..." if len(citations) > _FIRST else ""
    return f": {', '.join(citations[:_FIRST])}{more}" if citations else ""


def require_readable(what: str, found: Mapping[str, Any]) -> None:
    """Raise UsageError for JSON of another major version. What is no version at all, its reader
    refuses."""
    version = found.get("schema_version") if isinstance(found, Mapping) else None
    if isinstance(version, str) and version.partition(".")[0] != _MAJOR:
        raise UsageError(
            f"the {what} has the schema version {version!r}; this version of Pincite reads"
            f" {_MAJOR}.x",
            hint="read it with the version of Pincite that wrote it",
        )


def _as_note(one: Evidence, score: float) -> dict[str, Any]:
    number = one.attributes.get(PAGE_NUMBER)
    return {
        "text": f"{one.text}\n\n{one.note}" if one.note else one.text,
        "score": score,
        "page": one.page if one.page is not None else number,
        "isVisual": one.visual or one.attributes.get("isVisual") is True,
        "imageUrl": one.attributes.get("imageUrl"),
    }
