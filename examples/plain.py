"""Support tickets in a list of dicts, and a function that a web service would call.

    python examples/plain.py "why does the scanner stop?"

The index is made in a folder of its own below the current one, and no model is fetched.
"""

from __future__ import annotations

import sys
from datetime import date
from typing import Any

from pincite import Pincite, UsageError

TICKETS: list[dict[str, Any]] = [
    {
        "id": 7,
        "subject": "Printer on fire",
        "body": "The printer on the second floor is on fire. Call the brigade, then the vendor.",
        "customer": "uzh",
        "opened": date(2026, 11, 2),
        "hours": 1.5,
    },
    {
        "id": 8,
        "subject": "Scanner stops",
        "body": "The scanner stops after ten pages since the update of its firmware to 4.2.",
        "customer": "uzh",
        "opened": date(2026, 11, 20),
        "hours": None,
    },
    {
        "id": 9,
        "subject": "Scanner is loud",
        "body": "The scanner is loud. Oil on its rollers helped.",
        "customer": "eth",
        "opened": date(2026, 10, 1),
        "hours": 0.25,
    },
]


def record_of(ticket: dict[str, Any]) -> dict[str, Any]:
    """What is searched is `text`; what filters ask for are `attributes`."""
    return {
        "id": ticket["id"],
        "title": ticket["subject"],
        "text": ticket["body"],
        "url": f"https://desk.example/tickets/{ticket['id']}",
        "attributes": {name: ticket[name] for name in ("customer", "opened", "hours")},
    }


def load(pincite: Pincite, tickets: list[dict[str, Any]]) -> None:
    """Write all tickets; those that did not change cost a look."""
    report = pincite.upsert(map(record_of, tickets), lexical=True)
    for failure in report.failed:
        print(f"left out: {failure.message}; {failure.hint}", file=sys.stderr)


def answer(pincite: Pincite, question: str, customer: str | None) -> dict[str, Any]:
    """The body of an endpoint. A customer that is missing is an error, and never all customers."""
    try:
        pack = pincite.search(question, tags={"customer": customer}, limit=3)
    except UsageError as error:
        return {"status": 400, "error": error.message}
    return {
        "status": 200,
        "verdict": pack.verdict.level,
        "tickets": [
            {"id": item.record_id, "title": item.title, "citation": item.citation} for item in pack
        ],
        "prompt": pack.to_prompt(max_tokens=1000),
    }


def main() -> None:
    question = " ".join(sys.argv[1:]) or "why does the scanner stop?"
    with Pincite("tickets-index") as pincite:
        load(pincite, TICKETS)
        for customer in ("uzh", "eth", None):
            found = answer(pincite, question, customer)
            prompt = found.pop("prompt", "")
            print(customer, found)
            if customer == "uzh":
                print(prompt)


if __name__ == "__main__":
    main()
