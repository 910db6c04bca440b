"""What a search ends in: a verdict, evidence that can be cited, and what services were asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, overload

import msgspec

from pincite.errors import UsageError
from pincite.model.attributes import Attributes
from pincite.model.documents import Box, PageUnit, Rows, SourceType
from pincite.model.records import PAGE_NUMBER
from pincite.model.retrieval import (
    RANKING_SIGNALS,
    Candidate,
    Notice,
    Signal,
    SignalKind,
    SignalName,
    TaskMode,
)
from pincite.support.json_text import json_text

VerdictLevel = Literal["grounded", "weak", "none"]
#: Where thresholds come from: measured on public collections, learned on a golden set of the
#: corpus, or neither.
ThresholdOrigin = Literal["measured", "calibrated", "assumed"]
Confidence = Literal["high", "medium"]
#: What a look at the file said while the pack was made: it has the cited lines (`fresh`); it has
#: changed since it was indexed, and the text is now at the lines that are cited (`moved`); its
#: source is not at hand, or it was not looked at (`unchecked`).
Truth = Literal["fresh", "moved", "unchecked"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a service and its answer, without texts, vectors and keys.

    `service` is a provider, a store, or `reranker` for what the stage of that name asks its
    reranker, which may take several requests to a provider. `what` is the path of the request, the
    collection, or the reranker. `items` and `tokens` are what was sent, as far as that is counted:
    texts, documents, and an estimate. `at_ms` counts from the beginning of the search. `status` is
    that of HTTP, 0 where there is none, `request_id` the provider's name for the request. `error`
    says what went wrong, with the class of the error first.
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
    asked: Mapping[str, Any] = field(default_factory=dict)
    answered: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Is the evidence good enough? Judged on one named signal of a known kind.

    `thresholds` says where `grounded_at` and `weak_at` come from; `calibrated`, whether they were
    learned on a golden set of this corpus.
    """

    level: VerdictLevel
    signal: SignalName
    kind: SignalKind
    value: float
    grounded_at: float
    weak_at: float
    calibrated: bool
    reason: str
    thresholds: ThresholdOrigin = "assumed"


@dataclass(frozen=True, slots=True)
class Gated:
    """Candidates that may be shown, best first, and the verdict over them."""

    candidates: tuple[Candidate, ...]
    verdict: Verdict
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A passage that was found, inside of what is shown: the lines to mark. `start_char` and
    `end_char` are those of a record, as in `Evidence`."""

    citation: str
    chunk_id: str
    start_line: int
    end_line: int
    start_char: int | None = None
    end_char: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What is shown of a file for a piece of evidence, whole lines of it: the definition or section
    that encloses the passage, what stands around it, or several passages of the file in one span.

    `citation` is that of these lines, empty where they have none. `matches` are the passages within
    them that were found, in the order of the file, that of the evidence among them; empty where
    that is the only one.
    """

    start_line: int
    end_line: int
    text: str
    citation: str = ""
    matches: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True)
class Omitted:
    """A passage that was found and is not shown, since its file has the text no more (`stale`) or
    is gone (`deleted`). `detail` says so in words."""

    why: Literal["stale", "deleted"]
    citation: str
    collection: str
    path: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AbsentTerms:
    """Informative terms of the question, as it has them, that occur nowhere: in nothing that was
    searched (`index`), or in none of the passages that are shown (`evidence`)."""

    index: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


#: What readers of a passage are told whose text comes out of a picture.
RECOGNISED: Final = "read by OCR in a picture of the page: letters may be wrong"


# A Struct is made, sent and read in half the time of a dataclass.
class Evidence(msgspec.Struct, frozen=True):
    """A chunk that is shown. `number` counts from 1 in order of rank. `start_char` and `end_char`
    are the characters of a record that are cited (0-based, the end is not), None in a file.
    `record_id` is the id that the record was written with, None in a file. `title` is that of the
    record or document, empty where it has none. `truth` says whether the file was looked at: its
    lines, text and revision are those of now.

    Of a file whose text was extracted (PDF, office files, notebooks) `page` is the number of the
    `page_unit` (page, slide, sheet, cell, chapter), from 1; there `start_char` and `end_char` count
    in the whole extracted text. `visual` says that it is a table or an image, `box` where it stands
    on the page (points from the upper left corner). `note` is what a vision model said of it, which
    is generated and no quotation. `recognised` says that the page is a picture, whose text OCR has
    read: letters of it may be wrong. `rows` are the first and the last row of a sheet, from 1.

    `descriptions` are what the owner of the index says of the folders that it is in and of its
    file, outermost first; they are no part of the text, and nobody cites them."""

    number: int
    citation: str
    citation_confidence: Confidence
    collection: str
    source_type: SourceType
    repo: str
    ref: str
    path: str
    url: str | None
    chunk_id: str
    candidate_id: str
    start_line: int
    end_line: int
    start_column: int | None
    end_column: int | None
    headings: tuple[str, ...]
    symbols: tuple[str, ...]
    language: str
    content_hash: str
    signals: tuple[Signal, ...]
    text: str
    context: Context | None = None
    attributes: Attributes = {}
    start_char: int | None = None
    end_char: int | None = None
    record_id: str | None = None
    title: str = ""
    truth: Truth = "unchecked"
    page: int | None = None
    page_unit: PageUnit | None = None
    visual: bool = False
    box: Box | None = None
    note: str = ""
    descriptions: tuple[str, ...] = ()
    recognised: bool = False
    rows: Rows | None = None

    @property
    def score(self) -> float:
        """The number that it is ranked by, best first: the latest of its signals that rank. It
        means something beside others of the same pack; whether the evidence is good enough says
        the verdict. 0.0 where no signal ranks."""
        ranks = (one.value for one in reversed(self.signals) if one.name in RANKING_SIGNALS)
        return next(ranks, 0.0)

    @property
    def kind(self) -> SourceType:
        """`docs`, `code` or `data`, as `kinds` of a search and `kind` of a filter."""
        return self.source_type

    @property
    def source(self) -> str:
        """The name of its source, as `sources` of a search and `source` of a filter."""
        return self.repo

    @property
    def lines(self) -> range:
        """The numbers of its lines in the file, from 1; empty where no lines are known. The first
        and the last may be cut: see `start_column` and `end_column`."""
        return range(self.start_line, self.end_line + 1) if self.end_line else range(0)


@dataclass(frozen=True, slots=True)
class Plan:
    """How the pack was found: enough to ask again. `rung` names the strength of retrieval
    (`lexical`, `bundled-model`, ...), `counts` the candidates that each collection gave, `passes`
    the tries it took. `reranker` and `instruction` are the fingerprint of the reranker and the
    SHA-256 of what it was told, empty where there was none. `expansion` says who gave the
    `subqueries`, each `TYPE: TEXT`: `caller`, `names`, or the fingerprint of a model; `skipped`
    that the words of the question did without; empty where nobody was asked."""

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
    """The answer of a search: a verdict, and evidence best first, over which it iterates. The JSON
    form is described by `pincite schema`. `debug` is empty unless it was asked for: what each
    service was asked and answered, in order of time.

    `omitted` is what would be shown if its file still had it. `closest` are up to three passages
    below the bar, where the verdict is `none`: they are nearest, and no evidence. `absent_terms`
    are words of the question that occur nowhere."""

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
    absent_terms: AbsentTerms = AbsentTerms()

    def __iter__(self) -> Iterator[Evidence]:
        """The evidence, best first.

        >>> [(evidence.number, evidence.path, evidence.lines) for evidence in pack]
        [(1, 'docs/keys.md', range(1, 4))]
        """
        return iter(self.evidence)

    def __len__(self) -> int:
        """How many passages there are.

        >>> len(pack)
        1
        """
        return len(self.evidence)

    def __bool__(self) -> bool:
        """Always true, also without evidence: "nothing relevant is indexed" is an answer, and
        passages that are shown may be weak. Ask `verdict.level`, or `len`.

        >>> bool(pack)
        True
        """
        return True

    @overload
    def __getitem__(self, place: int) -> Evidence: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Evidence, ...]: ...
    def __getitem__(self, place: int | slice) -> Evidence | tuple[Evidence, ...]:
        """The evidence at that place. Places count from 0, the `number` of evidence from 1.

        >>> pack[0].number
        1
        >>> [evidence.path for evidence in pack[:3]]
        ['docs/keys.md']
        """
        return self.evidence[place]

    def to_dict(self) -> dict[str, Any]:
        """The pack as JSON has it: dicts, lists, texts, numbers, booleans and None.

        >>> pack.to_dict()["verdict"]["level"]
        'grounded'
        """
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return found

    def to_json(self, indent: int = 2) -> str:
        """The JSON of `pincite search --json`.

        Arguments:
            indent: spaces for each level; 0 or less for one line.

        >>> pack.to_json(indent=0)[:24]
        '{"schema_version": "1.5"'
        """
        return json_text(self, indent)

    def to_notes(self) -> list[dict[str, Any]]:
        """The evidence in the fields that programs for notes use: `text`, `score`, `page`,
        `isVisual` and `imageUrl`. What a vision model said of a passage stands behind its text.
        `page` and `imageUrl` are None where there is none.

        >>> sorted(pack.to_notes()[0])
        ['imageUrl', 'isVisual', 'page', 'score', 'text']
        """
        return [_as_note(one) for one in self.evidence]

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> EvidencePack:
        """The pack of `to_dict`, or of the JSON of the command line, decoded. Fields that are not
        known are left out.

        Raises UsageError for anything else.

        >>> EvidencePack.from_dict(pack.to_dict()) == pack
        True
        """
        try:
            return msgspec.convert(found, EvidencePack)
        except (msgspec.ValidationError, RecursionError) as error:
            raise UsageError(
                f"this is not an evidence pack: {error}", hint="what to_dict gave, unchanged"
            ) from error

    def to_prompt(self, max_tokens: int = 4000, *, line_numbers: bool = False) -> str:
        """The pack as text for a language model.

        It has the question, the verdict, and whole passages, best first, each with its number and
        citation and, where there is one, its address, in a fence that nothing in it can end. Where
        more of the file is shown than was found, it says which lines were found. A passage that
        does not fit is left out, and the end says how many were. If the best alone is too long, its
        first lines are kept, and it says so. Control characters are escaped. A pack without
        evidence says that nothing relevant is indexed, with what is closest, or that nothing is
        within the filter.

        Arguments:
            max_tokens: never exceeded by an estimate from above, which knows no tokenizer: real
                tokens are mostly 60 to 90 % of it; 300 at least.
            line_numbers: put the number of its line in the file before each line, with a `>`
                behind the numbers of those that were found, where others stand around them.

        Raises UsageError for a wrong `max_tokens`.

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
        from pincite.model.prompt import write_prompt  # which needs this class

        return write_prompt(self, max_tokens, line_numbers=line_numbers)


def _as_note(one: Evidence) -> dict[str, Any]:
    number = one.attributes.get(PAGE_NUMBER)
    return {
        "text": f"{one.text}\n\n{one.note}" if one.note else one.text,
        "score": one.score,
        "page": one.page if one.page is not None else number,
        "isVisual": one.visual or one.attributes.get("isVisual") is True,
        "imageUrl": one.attributes.get("imageUrl"),
    }
