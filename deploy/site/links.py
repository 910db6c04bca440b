"""Looks for links and anchors of a built site that lead nowhere.

python deploy/site/links.py .site/html
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the anchors that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value for name, value in attrs if value}
        self.anchors.update(said[name] for name in ("id", "name") if name in said)
        if tag == "a" and "href" in said:
            self.links.append(said["href"])
        elif tag == "link" and said.get("rel") != "canonical" and "href" in said:
            self.loads.append(said["href"])
        elif tag in ("script", "img", "iframe") and "src" in said:
            self.loads.append(said["src"])


def read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken_links(site: Path) -> list[str]:
    """One line for each link that leads nowhere, and for each thing loaded from another host."""
    pages = {path.resolve(): read(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        here = path.relative_to(site.resolve())
        for link in (*page.links, *page.loads):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    found.append(f"{here}: {link} is loaded from another host")
                continue
            base = site.resolve() if parts.path.startswith("/") else path.parent
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                found.append(f"{here}: {link} is not there")
            elif (
                parts.fragment
                and target in pages
                and unquote(parts.fragment) not in pages[target].anchors
            ):
                found.append(f"{here}: {link} has no such anchor")
    return found


def main(arguments: list[str]) -> int:
    site = Path(arguments[0])
    found = broken_links(site)
    count = sum(1 for _ in site.rglob("*.html"))
    print("\n".join((*found, f"{count} pages, {len(found)} broken links")))
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
