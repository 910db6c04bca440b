"""The pictures of the page in the docs: results beside a document, light and dark, and on a phone.

    python docs/images/make_page.py

Writes a small folder with Markdown, code and a PDF, indexes it, serves it with `pincite ui`, and
takes the pictures in the Chromium of this machine. Everything in them is what the page showed.
"""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typst
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

_HERE = Path(__file__).parent
_WAIT_MS = 60_000
_MOST_BYTES = 150_000
_COLOURS = 128  # of a palette, which makes a third of the size
_WIDE, _PHONE = (1200, 760), (390, 760)
_PINCITE = (sys.executable, "-m", "pincite.surfaces.cli.app")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FILES = {
    "docs/tokens.md": """# Access tokens

An access token stands for one user and one application. Send it in the header `Authorization` with
every request. Requests without a token get status 401, and so do those with one that has expired.
Applications keep tokens in memory and never write them to a log.

## Scopes

A token has the scopes that its user granted when the application was installed. A request that
needs another scope gets status 403, and the header `WWW-Authenticate` names what is missing. Scopes
cannot be added to a token; ask the user again, and use the new one from then on. `read` lists and
shows, `write` creates and changes, and `admin` manages the members of an organisation.

## Lifetime

An access token is valid for **15 minutes**. A refresh token is valid for 30 days, and each use
replaces it.

| token | valid for | after that |
|---|---|---|
| access | 15 minutes | ask with the refresh token |
| refresh | 30 days | sign in again |

```python
token = session.refresh()
```

## Revocation

`revoke_token` ends a token at once, on all servers. A refresh token takes all access tokens with it
that were made from it. Revoke the tokens of an application when its user leaves the organisation,
when its secret was seen by others, and when the application is retired. What was revoked stays in
the log of the organisation for 90 days.

## Rotation of secrets

The secret of an application is rotated once a year. Make the new one first and give it to all
servers of the application. Both are taken for 24 hours, and then the old one ends by itself.
""",
    "docs/limits.md": """# Rate limits

A client may send 100 requests per minute with one access token. More get status 429.
""",
    "src/tokens.py": '''"""Tokens of a session."""

from datetime import timedelta

ACCESS = timedelta(minutes=15)  # how long an access token is valid


def refresh(token: str, store: Store) -> tuple[str, str]:
    """A new access token and a new refresh token. Raises TokenExpired."""
    held = store.find(token)
    if held is None or held.ends < store.now():
        raise TokenExpired("sign in again")
    store.delete(token)
    return store.access(held.user, ACCESS), store.refresh(held.user)


def revoke_token(token: str, store: Store) -> None:
    """End a token at once, on all servers; an unknown one is fine."""
    for one in store.made_from(token):  # access tokens of a refresh token
        store.delete(one)
    store.delete(token)
    store.broadcast("revoked", token)
''',
}
_HANDBOOK = """#set page(width: 480pt, height: 420pt, margin: 44pt)
#set text(size: 12pt)
= Operations handbook
== On call
The engineer on call answers within 15 minutes. Whoever hands over writes down what is open.

== Leaked tokens
If an access token leaks, revoke it within 10 minutes of the report. Then tell the owner of the
application, and search the log for its use.

== Backups
A copy of the store is made every night and kept for 30 days.
"""


def write_folder(folder: Path) -> None:
    """The files that are indexed."""
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "docs/handbook.pdf").write_bytes(typst.compile(_HANDBOOK.encode(), timestamp=0))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of `pincite ui` over the folder."""
    indexed = [*_PINCITE, "index", ".", "--name", "acme", "--ref", "v1"]
    subprocess.run(indexed, cwd=folder, check=True, capture_output=True)
    process = subprocess.Popen(
        [*_PINCITE, "ui", "--port", "0"], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        process.stderr.close()
        process.wait(30)
        subprocess.run([*_PINCITE, "stop"], cwd=folder, check=True, capture_output=True)


def ask(page: Page, address: str, question: str, place: str) -> None:
    """A question, and the document of the result at that place."""
    page.goto(address)
    page.locator("#question").fill(question)
    page.locator(".place", has_text=place).first.click(timeout=_WAIT_MS)
    page.locator("#source .cited, .sheet .box").first.wait_for(timeout=_WAIT_MS)


def keep(page: Page, name: str) -> None:
    """Write the picture. Raises SystemExit for one that is too large for a repository."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    path = _HERE / f"{name}.png"
    taken = Image.open(io.BytesIO(page.screenshot()))
    taken.convert("RGB").quantize(_COLOURS).save(path, optimize=True)
    if path.stat().st_size > _MOST_BYTES:
        raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes")


def take(browser: Browser, address: str) -> None:
    """All pictures."""
    valid, leaked = "how long is an access token valid", "what to do when an access token leaks"
    for name, scheme, question, place in (
        ("light", "light", valid, "docs/tokens.md"),
        ("dark", "dark", "revoke a token on all servers", "src/tokens.py"),
        ("pdf", "light", leaked, "handbook.pdf"),
    ):
        size = {"width": _WIDE[0], "height": _WIDE[1]}
        context = browser.new_context(viewport=size, color_scheme=scheme)
        page = context.new_page()
        ask(page, address, question, place)
        if name == "pdf":
            page.locator(".sheet .box").first.wait_for(timeout=_WAIT_MS)
        keep(page, f"page-{name}")
        context.close()
    context = browser.new_context(viewport={"width": _PHONE[0], "height": _PHONE[1]})
    page = context.new_page()
    page.goto(address)
    page.locator("#question").fill(valid)
    page.locator("summary").first.click(timeout=_WAIT_MS)
    page.locator(".flow").first.wait_for(timeout=_WAIT_MS)
    keep(page, "page-phone")
    context.close()


def main() -> None:
    """Take the pictures again."""
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        raise SystemExit("there is no Chromium on this machine")
    with tempfile.TemporaryDirectory() as made:
        write_folder(Path(made))
        with served(Path(made)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
            take(browser, address)
            browser.close()


if __name__ == "__main__":
    main()
