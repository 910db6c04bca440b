"""Electronic books: chapters in the order of the spine, read by `readers.office.web`."""

from __future__ import annotations

import posixpath
import zipfile
from functools import partial
from typing import Any
from urllib.parse import unquote

from lxml import etree

from pincite.readers.extraction.result import Extraction, refused
from pincite.readers.office.building import Builder
from pincite.readers.office.package import open_package, read_member
from pincite.readers.office.web import add_page

_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def extract_epub(raw: bytes) -> Extraction:
    """Return the text of a book. Raises SourceError."""
    package = open_package(raw, markup=False)
    if _is_locked(package):
        raise refused("encrypted", "its chapters are encrypted (DRM)")
    place = _package_file(package)
    root = _parsed(package, place)
    folder = posixpath.dirname(place)
    items = {one.get("id"): one for one in root.iterfind(".//{*}manifest/{*}item")}
    builder = Builder("chapter", "epub")
    for number, reference in enumerate(root.iterfind(".//{*}spine/{*}itemref"), start=1):
        if number > 1:
            builder.next_page()
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES:
            builder.note(f"no_text: chapter {number} has no text")
            continue
        name = _member(folder, item.get("href") or "")
        if builder.repeats(name):
            continue
        raw_page = read_member(package, name) if name else b""
        if not raw_page:
            builder.note(f"missing: chapter {number}")
            continue
        add_page(builder, raw_page, partial(_picture, builder, package, posixpath.dirname(name)))
    title = root.find(".//{*}metadata/{http://purl.org/dc/elements/1.1/}title")
    return builder.done((title.text or "") if title is not None else "")


def _package_file(package: zipfile.ZipFile) -> str:
    found = _parsed(package, "META-INF/container.xml").find(".//{*}rootfile")
    place = found.get("full-path") if found is not None else None
    if not place:
        raise refused("failed", "it does not say where its chapters are")
    return str(place)


def _parsed(package: zipfile.ZipFile, name: str) -> Any:
    raw = read_member(package, name)
    if not raw:
        raise refused("failed", f"it is not an EPUB: it has no {name}")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        return etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        raise refused("failed", f"{name} is broken: {error}") from error


def _member(folder: str, link: str) -> str:
    """Return the name of the archive member that a link refers to; "" for other links."""
    path = unquote(link.partition("#")[0])
    if not path or "://" in path or path.startswith(("/", "data:")):
        return ""
    name = posixpath.normpath(posixpath.join(folder, path))
    return "" if name.startswith("../") or name == ".." else name


def _is_locked(package: zipfile.ZipFile) -> bool:
    """Return whether anything but fonts is encrypted."""
    if "META-INF/encryption.xml" not in package.namelist():
        return False
    methods = _parsed(package, "META-INF/encryption.xml").iterfind(".//{*}EncryptionMethod")
    return any(one.get("Algorithm") not in _FONTS for one in methods)


def _picture(builder: Builder, package: zipfile.ZipFile, folder: str, link: str) -> bytes:
    name = _member(folder, link) if builder.takes_pictures else ""
    return read_member(package, name) if name else b""
