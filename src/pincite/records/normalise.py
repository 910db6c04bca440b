"""Convert records of callers to their normal form, or raise an error that names the field."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pincite.errors import InvalidAttribute, InvalidRecord
from pincite.ingestion.attributes.normalise import TableText, lacking, normalise
from pincite.model import (
    Attributes,
    AttributeType,
    ExtractedRecord,
    KeptRecord,
    PageSpan,
    Record,
    RecordPage,
)
from pincite.model.attributes import values_of
from pincite.model.records import PAGE_NUMBER, RECORD_LANGUAGES
from pincite.support.fields import replace
from pincite.support.plain import plain

MOST_ID_CHARS = 512  # guess, unmeasured: every citation has the id
MOST_TEXT_CHARS = 5_000_000  # as the bytes of a file
MOST_PAGES = 100_000  # guess, unmeasured
MOST_TITLE_CHARS = 1_000  # guess, unmeasured
_MOST_URL_CHARS = 2_048  # the common limit of browsers and servers
BETWEEN_PAGES = "\n\f\n"  #: a form feed on a line of its own

_FIELDS = tuple(field.name for field in dataclasses.fields(Record))
_PAGE_FIELDS = tuple(field.name for field in dataclasses.fields(RecordPage))
#: Names of the fields in other libraries.
_CALLED = {
    **dict.fromkeys(("metadata", "meta", "payload", "properties", "tags"), "attributes"),
    **dict.fromkeys(("page_content", "content", "body", "document"), "text"),
    **dict.fromkeys(("_id", "id_", "doc_id", "node_id", "key", "uuid"), "id"),
    **dict.fromkeys(("uri", "link", "href"), "url"),
    **dict.fromkeys(("name", "heading"), "title"),
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An unreadable record of a file. It takes its place among the others. `unit` is the unit of
    its position."""

    code: str
    message: str
    position: int
    unit: str = "line"


@dataclass(frozen=True, slots=True)
class Placed:
    """A record with its position in a file; `unit` is "line" or "row"."""

    given: object
    position: int
    unit: str = "line"


def place_of(given: object, position: int) -> str:
    """Return the place of a record for messages: `line 7`, or `record 7` if it is not from a
    file."""
    unit = given.unit if isinstance(given, Placed | Unreadable) else "record"
    return f"{unit} {position:,}"


@dataclass(frozen=True, slots=True)
class Accepted:
    """A record in its normal form, and the types of new attributes. `title_cut` says that its title
    was cut."""

    record: KeptRecord
    new: Mapping[str, AttributeType]
    title_cut: bool = False


class _Refused(Exception):
    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


def accept(
    given: object,
    position: int,
    known: Mapping[str, AttributeType],
    require: tuple[str, ...] = (),
    declared: Collection[str] | None = None,
) -> Accepted:
    """Return a record in its normal form. `given` is a `Record`, a dataclass or mapping with its
    fields, or one of these with its place in a file. `known` are the types of attributes, `require`
    those that every record must have; for `declared` see `normalise`. Raises InvalidRecord that
    names the record by its position and id, and the field."""
    where, id_ = place_of(given, position), ""
    try:
        if isinstance(given, Placed):
            given = given.given
        if isinstance(given, Unreadable):
            raise _Refused(given.code, given.message)
        fields = _fields(given, _FIELDS, "a record")
        id_ = _id(fields.get("id"))
        where = f"{where} ({id_!r})"
        extracted = given if isinstance(given, ExtractedRecord) else None
        text, pages = _text(fields) if extracted is None else _extracted(extracted)
        spans: list[PageSpan] = []
        types = dict(known)
        own = normalise(_given(fields, "attributes"), types, where, declared)
        types |= own.new
        for number, span in enumerate(pages, start=1):
            its = normalise(span.attributes, types, f"{where}, page {number:,}")
            if twice := own.values.keys() & its.values.keys():
                raise _Refused(
                    "attribute_twice",
                    f"attribute {min(twice)!r} is set on the record and on one of its pages",
                    "set it on the record or on its pages",
                )
            types |= its.new
            spans.append(replace(span, attributes=its.values))
        if missing := lacking(require, own.values):
            raise _Refused(
                "tags_missing",
                f"it has no value for {', '.join(missing)}, which its collection requires",
                "give a value that is not empty: attributes={'" + missing[0] + "': ...}",
            )
        title = _title(fields.get("title"))
        record = KeptRecord(
            path=path_of(id_, require, own.values),
            id=id_,
            text=text,
            pages=tuple(spans),
            title=title[:MOST_TITLE_CHARS],
            url=_url(fields.get("url")),
            language=_language(fields.get("language")),
            attributes=own.values,
            layout=None if extracted is None else extracted.layout,
        )
    except _Refused as error:
        message = f"{where}: {error.message}"
        raise InvalidRecord(
            message, code=error.code, id=id_, position=position, hint=error.hint
        ) from None
    except InvalidAttribute as error:
        is_field = error.code == "attribute_reserved" and error.name in _FIELDS
        hint = f"give it as `{error.name}` of the record" if is_field else error.hint
        raise InvalidRecord(
            error.message, code=error.code, id=id_, position=position, hint=hint
        ) from error
    new = {name: kind for name, kind in types.items() if name not in known}
    return Accepted(record, new, len(title) > MOST_TITLE_CHARS)


def path_of(id_: str, require: tuple[str, ...], attributes: Attributes) -> str:
    """Return the path of a record's document: two tenants with the same id have two documents. Only
    `/` and `%` of a value are escaped; the text after these values is the id."""
    values = (
        ",".join(_plain(one).replace(",", "%2C") for one in values_of(attributes[name]))
        for name in require
    )
    return "/".join((*values, id_))


def _plain(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.replace("%", "%25").replace("/", "%2F")


def id_of(given: object) -> str:
    """Return an id in its normal form. Raises InvalidRecord."""
    try:
        return _id(given)
    except _Refused as error:
        raise InvalidRecord(error.message, code=error.code, hint=error.hint) from None


def is_address(value: object) -> bool:
    """Return whether the value is valid as the url of a record."""
    try:
        return isinstance(value, str) and _url(value) is not None
    except _Refused:
        return False


def hint_for(given: object) -> str:
    """Return a hint on how to convert a value that is not a record."""
    if is_langchain(given):
        return (
            "records_of(documents) of pincite.surfaces.frameworks.langchain makes records of them"
        )
    return 'convert it to {"id": ..., "text": ..., "attributes": {...}}'


def is_langchain(given: object) -> bool:
    """Return whether it is a LangChain document. Iterating over one yields its fields."""
    return hasattr(given, "page_content") and hasattr(given, "metadata")


def _fields(given: object, names: Sequence[str], what: str) -> Mapping[str, object]:
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        own = Record if isinstance(given, ExtractedRecord) else given
        given = {field.name: getattr(given, field.name) for field in dataclasses.fields(own)}
    if not isinstance(given, Mapping):
        raise _Refused(
            "wrong_type",
            f"a {type(given).__name__} is not {what}, which takes a mapping",
            hint_for(given) if names is _FIELDS else "",
        )
    for key in given:
        if key not in names:
            ours = _CALLED.get(str(key))
            raise _Refused(
                "unknown_key",
                f"{str(key)[:60]!r} is not a field of {what}; known fields: {', '.join(names)}",
                f"the name of this field is `{ours}`"
                if ours in names
                else "put attributes for filters under `attributes`",
            )
    return given


def _given(fields: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = fields.get(name)
    if value is None:
        return {}
    if isinstance(value, TableText):
        raise _Refused(
            "wrong_type",
            f"the column {name!r} is a text that is not a JSON object",
            f"to read it as one attribute: --attribute NAME={name}",
        )
    if not isinstance(value, Mapping):
        raise _Refused("wrong_type", f"`{name}` is a {type(value).__name__}, not a mapping")
    return value


def _id(value: object) -> str:
    value = str(value) if isinstance(value, UUID) else plain(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if value.bit_length() < 1_024 else "9" * (MOST_ID_CHARS + 1)
    if value is None or value == "":
        raise _Refused("id_empty", "it has no id", "give each record its own id")
    if not isinstance(value, str):
        raise _Refused("wrong_type", f"its id is a {type(value).__name__}, not a text")
    if len(value) > MOST_ID_CHARS:
        raise _Refused(
            "id_too_long",
            f"its id has {len(value):,} characters; at most {MOST_ID_CHARS}",
            "use a hash of it, and store the long id as an attribute",
        )
    _require_unicode(value, "id")
    if _CONTROL.search(value) or value != value.strip():
        raise _Refused(
            "id_invalid", f"its id {value[:60]!r} has control characters, or space around it"
        )
    return value


def _text(fields: Mapping[str, object]) -> tuple[str, Sequence[PageSpan]]:
    """Return the whole text, and its pages with their attributes as given."""
    text, pages = fields.get("text"), fields.get("pages")
    if pages is None:
        if not isinstance(text, str):
            found = "has neither `text` nor `pages`" if text is None else f"`text` is {_kind(text)}"
            raise _Refused("empty_text" if text is None else "wrong_type", f"it {found}")
        return _checked(text), []
    if text is not None:
        raise _Refused("text_and_pages", "it has `text` and `pages`", "give one of them")
    if isinstance(pages, (str, bytes)) or not isinstance(pages, Sequence):
        raise _Refused("wrong_type", f"`pages` is {_kind(pages)}, not a list of texts")
    _require_few(pages)
    texts: list[str] = []
    spans: list[PageSpan] = []
    start = 0
    for number, given in enumerate(pages, start=1):
        page = _page(given, number)
        spans.append(PageSpan(start, start + len(page.text), _numbered(page, number)))  # type: ignore[arg-type]
        texts.append(page.text)
        start += len(page.text) + len(BETWEEN_PAGES)
        if start > MOST_TEXT_CHARS + len(BETWEEN_PAGES):
            break  # already too large
    return _checked(BETWEEN_PAGES.join(texts)), spans


def _extracted(given: ExtractedRecord) -> tuple[str, Sequence[PageSpan]]:
    _require_few(given.spans)
    return _checked(given.text or ""), given.spans


def _require_few(pages: Sequence[object]) -> None:
    if len(pages) > MOST_PAGES:
        raise _Refused("too_large", f"{len(pages):,} pages are too many; at most {MOST_PAGES:,}")


def _page(given: object, number: int) -> RecordPage:
    if isinstance(given, str):
        return RecordPage(given)
    fields = _fields(given, _PAGE_FIELDS, f"page {number:,}")
    text, page_number = fields.get("text"), plain(fields.get(PAGE_NUMBER))
    if not isinstance(text, str):
        raise _Refused("wrong_type", f"the text of page {number:,} is {_kind(text)}")
    if isinstance(page_number, bool) or not isinstance(page_number, (int, type(None))):
        raise _Refused("wrong_type", f"`page_number` of page {number:,} is {_kind(page_number)}")
    return RecordPage(text, page_number, _given(fields, "attributes"))


def _numbered(page: RecordPage, number: int) -> Mapping[str, object]:
    if PAGE_NUMBER in page.attributes:
        raise _Refused(
            "attribute_reserved",
            f"page {number:,} has an attribute {PAGE_NUMBER!r}, which is reserved",
            "give the number as `page_number` of the page",
        )
    held = number if page.page_number is None else page.page_number
    return {**page.attributes, PAGE_NUMBER: held}


def _checked(text: str) -> str:
    if len(text) > MOST_TEXT_CHARS:
        raise _Refused(
            "too_large",
            f"its text has {len(text):,} characters; at most {MOST_TEXT_CHARS:,}",
            "split it into several records",
        )
    if not text or text.isspace():
        raise _Refused("empty_text", "its text is empty")
    if "\0" in text:
        raise _Refused("invalid_text", "its text has NUL characters: it seems to be binary")
    _require_unicode(text, "text")
    return text


def _title(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Refused("wrong_type", f"its title is {_kind(value)}")
    _require_unicode(value, "title")
    return " ".join(value.replace("\0", " ").split())


def _url(value: object) -> str | None:
    if value in (None, ""):
        return None
    if not isinstance(value, str):
        raise _Refused("wrong_type", f"its url is {_kind(value)}")
    _require_unicode(value, "url")
    if len(value) > _MOST_URL_CHARS or not _ADDRESS.fullmatch(value):
        raise _Refused(
            "url_invalid", f"its url {value[:60]!r} is not an address such as https://x.org"
        )
    return value


def _language(value: object) -> str:
    if value in (None, ""):
        return "text"
    if value not in RECORD_LANGUAGES:
        allowed = ", ".join(RECORD_LANGUAGES)
        raise _Refused("wrong_type", f"`language` is {str(value)[:60]!r}, none of: {allowed}")
    return str(value)


def _require_unicode(text: str, name: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _Refused(
            "invalid_unicode", f"its {name} is not valid Unicode: {error.reason}"
        ) from error


def _kind(value: object) -> str:
    return f"a {type(value).__name__}, not a text"
