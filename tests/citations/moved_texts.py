"""Files of each kind with one passage to cite, which stands elsewhere after something is put in
before it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from pincite.citations.check_item import Checked
from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.get import get
from pincite.citations.passage import Passage
from pincite.citations.verify import verify
from pincite.model import (
    Candidate,
    Chosen,
    Chunk,
    Evidence,
    EvidencePack,
    Gated,
    Plan,
    Query,
    Verdict,
)
from pincite.stages.pack import PackConfig, pack
from tests.ingestion.office import Office
from tests.readers.office_files import epub, markdown, notebook, pptx, xlsx
from tests.readers.pdf.files import drawn
from tests.records.desk import Desk as Records

WORD = "bonobo"
PASSAGE = "The bonobo is a great ape of the Congo."
BEFORE, AFTER = "Gibbons live in the trees of Asia.", "Gorillas live in the mountains."


LONG_BEFORE, LONG_AFTER = ("\n".join([one] * 60) for one in (BEFORE, AFTER))


def lines(shifted: bool) -> bytes:
    first = "# New\n\nA page.\n\n" if shifted else ""
    said = (
        ("Gibbons", LONG_BEFORE),
        ("Bonobos", f"{PASSAGE}\nIt sleeps."),
        ("Gorillas", LONG_AFTER),
    )
    return (first + "\n\n".join(f"# {name}\n\n{text}" for name, text in said)).encode()


def columns(shifted: bool) -> bytes:
    first = "New words. " if shifted else ""
    others = [" ".join(f"{word}{n}." for n in range(500)) for word in ("gibbon", "gorilla")]
    return f"{first}{others[0]} {PASSAGE} {others[1]}\n".encode()


def pages(shifted: bool) -> bytes:
    def draw(canvas: Canvas) -> None:
        for said in (*(["A new page."] if shifted else []), BEFORE, PASSAGE, AFTER):
            canvas.drawString(72, 700, said)
            canvas.showPage()

    return drawn(draw)


def slides(shifted: bool) -> bytes:
    first = [("New", "A new slide.")] if shifted else []
    return pptx(*first, ("Gibbons", BEFORE), ("Bonobos", PASSAGE), ("Gorillas", AFTER))


def cells(shifted: bool) -> bytes:
    first = [markdown("# New\nA new cell.")] if shifted else []
    said = (f"# Gibbons\n{BEFORE}", f"# Bonobos\n{PASSAGE}", f"# Gorillas\n{AFTER}")
    return notebook(*first, *map(markdown, said))


def chapters(shifted: bool) -> bytes:
    first = ["<h1>New</h1><p>A new chapter.</p>"] if shifted else []
    said = (("Gibbons", BEFORE), ("Bonobos", PASSAGE), ("Gorillas", AFTER))
    return epub(*first, *(f"<h1>{name}</h1><p>{text}</p>" for name, text in said))


def rows(shifted: bool) -> bytes:
    """Rows of the same sheet, whose text stays where it is: an empty row is put in."""
    empty: list[list[object]] = [[]] * (3 if shifted else 2)
    found = [[["Ape", "Text"], ["Gibbon", BEFORE]], [["Ape", "Text"], ["Bonobo", PASSAGE]]]
    return xlsx({"Apes": [*found[0], *empty, *found[1]], "Others": [["nothing"]]})


def sheets(shifted: bool) -> bytes:
    first: dict[str, list[list[object]]] = {"New": [["A", "new"], ["sheet", "here"]]}
    said: dict[str, list[list[object]]] = {
        "Gibbons": [["Ape", "Text"], ["Gibbon", BEFORE]],
        "Bonobos": [["Ape", "Text"], ["Bonobo", PASSAGE]],
    }
    return xlsx({**(first if shifted else {}), **said})


FILES: dict[str, tuple[str, Callable[[bool], bytes]]] = {
    "lines": ("a.md", lines),
    "columns": ("long.txt", columns),
    "pages": ("a.pdf", pages),
    "slides": ("a.pptx", slides),
    "cells": ("a.ipynb", cells),
    "chapters": ("a.epub", chapters),
    "rows": ("a.xlsx", rows),
    "sheets": ("b.xlsx", sheets),
}
KINDS = (*FILES, "chars")


def record(shifted: bool) -> dict[str, object]:
    first = "A new line.\n" if shifted else ""
    return {"id": "a", "text": f"{first}{LONG_BEFORE}\n\n{PASSAGE}\n\n{LONG_AFTER}"}


def text_of(kind: str, *, shifted: bool) -> str:
    """The whole text of a file that is not extracted, or of the record."""
    return str(record(shifted)["text"]) if kind == "chars" else FILES[kind][1](shifted).decode()


@dataclass
class World:
    """An index with one such file or record."""

    kind: str
    folder: Path

    def __post_init__(self) -> None:
        self.desk: Office | Records
        self.desk = Records(self.folder) if self.kind == "chars" else Office(self.folder)
        self.put(shifted=False)
        self.index()

    def put(self, *, shifted: bool) -> None:
        """Write the file, or index the record."""
        if isinstance(self.desk, Records):
            asyncio.run(self.desk.upsert([record(shifted)]))
        else:
            path, made = FILES[self.kind]
            self.desk.put(path, made(shifted))

    def index(self) -> None:
        """Index the file as it is."""
        if not isinstance(self.desk, Records):
            self.desk.run("docs")

    @property
    def root(self) -> Path:
        return self.desk.root if isinstance(self.desk, Records) else self.desk.folder

    def chunk(self) -> Chunk:
        """The passage."""
        found = asyncio.run(self.desk.index.page("main", None, 10_000))
        return next(one for one in found if WORD in one.text)

    def check(self, citation: str, quote: str = "") -> ClaimCheck:
        claims = [Claim(citation, quote)]
        return asyncio.run(check_claims(self.desk.index, claims, self.root))[0]

    def get(self, locator: str) -> Passage:
        return asyncio.run(get(self.desk.index, locator, 0, self.root))

    def verify(self, item: Evidence) -> Checked:
        return asyncio.run(verify(self.desk.index, pack_with(item), folder=self.root))[0]


_VERDICT = Verdict("grounded", "fused", "normalised", 1.0, 0.5, 0.2, calibrated=False, reason="")
_PLAN = Plan(("main",), "lexical", "rrf", {}, {}, {})


def pack_with(item: Evidence) -> EvidencePack:
    return EvidencePack("1.5", "q", _VERDICT, _PLAN, (item,), {})


def item_of(chunk: Chunk) -> Evidence:
    """The chunk as evidence of a pack."""
    found = (Candidate("main", chunk, ()),)
    made = pack(Query("q"), Chosen(found), Gated(found, _VERDICT), _PLAN, (), PackConfig())
    return made.evidence[0]
