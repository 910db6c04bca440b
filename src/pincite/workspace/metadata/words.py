"""Word lists for the rules that find the type and the category of a document."""

from __future__ import annotations

from typing import Final

#: Document types by words of a file name or title, English and German. The first match counts; an
#: entry with a space is matched as a phrase.
TYPE_WORDS: Final = {
    "readme": "readme liesmich",
    "changelog": "changelog changes history news releases|release notes|what's new",
    "licence": "license licence licenses copying copyright notice lizenz eula|terms of service",
    "invoice": "invoice rechnung receipt quittung bill",
    "contract": "contract agreement vertrag nda mietvertrag arbeitsvertrag|terms and conditions",
    "minutes": "minutes protokoll sitzungsprotokoll|meeting notes",
    "policy": "policy policies richtlinie datenschutzerklärung|code of conduct|code_of_conduct",
    "resume": "resume résumé cv lebenslauf|curriculum vitae",
    "letter": "letter brief anschreiben",
    "report": "report bericht jahresbericht quarterly annual",
    "specification": "specification spec spezifikation rfc",
    "faq": "faq|frequently asked questions",
    "guide": "guide tutorial handbook manual handbuch anleitung quickstart contributing"
    "|getting started|user guide|how to",
}

#: Phrases in the text that indicate a type, in lower case.
TYPE_PHRASES: Final = {
    "licence": (
        "permission is hereby granted",
        "redistribution and use in source and binary forms",
        "licensed under the apache license",
        "apache license",
        "gnu general public license",
        "gnu lesser general public license",
        "mozilla public license",
        "python software foundation license",
    ),
    "invoice": ("invoice number", "invoice no", "amount due", "rechnungsnummer", "rechnungsbetrag"),
    "contract": (
        "hereinafter referred to as",
        "this agreement is made",
        "this agreement is entered",
        "the parties agree",
        "die vertragsparteien",
        "dieser vertrag",
        "in witness whereof",
    ),
    "letter": ("dear sir", "dear madam", "dear mr", "dear ms", "yours sincerely", "sehr geehrte"),
    "minutes": ("attendees:", "in attendance:", "action items", "teilnehmer:", "tagesordnung"),
}

CATEGORY_OF_TYPE: Final = {
    "code": "technical",
    "readme": "technical",
    "changelog": "technical",
    "configuration": "technical",
    "documentation": "technical",
    "log": "technical",
    "notebook": "technical",
    "specification": "technical",
    "licence": "legal",
    "contract": "legal",
    "policy": "legal",
    "invoice": "finance",
    "paper": "science",
    "email": "correspondence",
    "letter": "correspondence",
    "conversation": "correspondence",
    "minutes": "administration",
    "resume": "administration",
}

#: Words in the text that indicate a category; several different ones must occur.
CATEGORY_WORDS: Final = {
    "technical": """api server client database function class method parameter install config code
        python javascript http json software install deploy cluster endpoint cli sdk runtime debug
        repository docker schema query module library compile command agent token app framework
        schnittstelle datenbank programm befehl""",
    "legal": """agreement party parties liability clause hereby herein thereof court law plaintiff
        defendant jurisdiction indemnify warranty tenant landlord lease statute attorney
        vertrag partei haftung gericht gesetz mieter vermieter kündigung paragraph klausel""",
    "finance": """revenue profit invoice payment tax budget income expenses fiscal quarter dividend
        assets liabilities balance earnings shareholders cash loan interest eur usd
        umsatz gewinn rechnung zahlung steuer haushalt einnahmen ausgaben bilanz""",
    "science": """patients cells study hypothesis experiment results significant protein gene
        clinical analysis effects treatment expression mice trial disease theory equation measured
        boundary flow pressure velocity method investigated observed mechanism cohort
        receptor kinase molecular vivo vitro human risk cancer levels response found shown
        wing supersonic heat layer theoretical experimental solution mach numerical layers flows
        studie ergebnisse versuch messung hypothese""",
}
