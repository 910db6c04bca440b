"""Remove references of a Word file to missing parts.

Programs leave them behind, such as one to `../NULL` for a picture that was removed. Word shows the
file without the part; python-docx refuses the whole file.
"""

from __future__ import annotations

import io
import posixpath
import warnings
import zipfile

from lxml import etree

from pincite.readers.office.package import read_member


def without_dead_links(raw: bytes, package: zipfile.ZipFile) -> bytes:
    """Return the file of the opened `package` without references to missing parts. Lists of
    references whose XML is broken stay as they are. Raises SourceError."""
    members = frozenset(package.namelist())
    changed: dict[str, bytes] = {}
    for name in sorted(members):
        if name.endswith(".rels"):
            kept = _living(read_member(package, name), name, members)
            if kept:
                changed[name] = kept
    if not changed:
        return raw
    file = io.BytesIO(raw)
    with warnings.catch_warnings(), zipfile.ZipFile(file, "a") as archive:
        warnings.simplefilter("ignore")  # of two members of one name, the last counts
        for name, content in changed.items():
            archive.writestr(name, content)
    return file.getvalue()


def _living(content: bytes, name: str, members: frozenset[str]) -> bytes:
    """Return the list of references `name` without dead ones, b"" if it has none of them."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError:
        return b""
    folder = "/" + posixpath.dirname(posixpath.dirname(name))  # `word` of `word/_rels/x.xml.rels`
    dead = [
        one
        for one in root.iterchildren("{*}Relationship")
        if one.get("TargetMode") != "External"
        and posixpath.normpath(posixpath.join(folder, one.get("Target") or ""))[1:] not in members
    ]
    for one in dead:
        root.remove(one)
    return etree.tostring(root, encoding="UTF-8", standalone=True) if dead else b""
