"""The files of the page for `pincite ui` and `pincite serve`, and their content security policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, Literal

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HTML: Final = "text/html"  # servers add the charset
_SCRIPTS: Final = (
    *("app.js", "backend.js", "parts.js", "markdown.js", "visible.js"),
    *("preact.mjs", "htm.mjs"),
)

#: The page's credential for its server: the token of the URL, or a key that a user types in.
Credential = Literal["token", "key"]


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file and its media type."""

    body: bytes
    media_type: str


def page_files(credential: Credential, base: str) -> Mapping[str, PageFile]:
    """Return the files by name; "" is the page itself. `base` is the path at which they are served,
    with a trailing slash."""
    folder = files("pincite.surfaces.page") / "assets"

    def script(name: str) -> PageFile:
        return PageFile((folder / name).read_bytes(), "text/javascript")

    page = (folder / "index.html").read_bytes().replace(b'="/', f'="{base}'.encode())
    page = page.replace(b'data-credential="token"', f'data-credential="{credential}"'.encode())
    return {
        "": PageFile(page, HTML),
        "style.css": PageFile((folder / "style.css").read_bytes(), "text/css"),
        **{name: script(name) for name in _SCRIPTS},
    }
