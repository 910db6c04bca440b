"""The real command over a folder with hostile files, and the browser of this machine."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.environment import clean_environment
from tests.readers.pdf.files import typeset
from tests.surfaces.conftest import Cli
from tests.time_limits import HANGS_S

GUIDE = """\
# Keys <script>window.hacked = 1</script>

Nothing is said here of what stands below.

## Rotate a key

To rotate a key, call `rotate_key` with the new secret.

<img src=x onerror="window.hacked = 2"><script>window.hacked = 3</script>
"""
CODE = '''\
"""Keys."""


def rotate_key(secret: str) -> None:
    """Rotate the key, so that the old secret is not valid any more."""
    store(secret, "<script>window.hacked = 4</script>")
'''
VAULTS = """\
# Vaults

A vault of zanzibar keeps every key.

[here](javascript:window.hacked=6) [there](data:text/html,<script>window.hacked=7</script>)
[near](../other.md) [far](https://far.example/) ![chart](https://far.example/chart.png)
<svg onload="window.hacked=8"><a href="javascript:window.hacked=9">vault</a></svg>
"""
RECIPE = """\
# Tapioca

Tapioca is boiled like this:

```python
def boil(tapioca):
    return tapioca
```
"""
HANDBOOK = """#set page(width: 400pt, height: 500pt)
= Beasts
Nothing of it stands on this page.
#pagebreak()
= Ocelots
Every ocelot of the archive sleeps under the third shelf.

A second paragraph is about lamps.
"""
LONG = "axolotl" * 300
WIDE = f"""# {LONG[:400]}

The axolotl of the wide tables stands here: {LONG[:300]}.

{"| axolotl " * 60}|
{"|---" * 60}|
{"| wide_cell_of_it " * 60}|

```python
axolotl = "{LONG[:1500]}"
```

> - [{LONG[:200]}](https://far.example/{LONG[:600]})
"""
WIDE_CODE = f'''def feed_axolotl(tank: str) -> str:
    """Feed the axolotl of the wide tank."""
    return "{LONG}"
'''
NAME = "docs/<img src=x onerror=hacked=5>.md"
expect.set_options(timeout=60_000)  # a busy machine is no failure
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True)
class Served:
    """A page that is served: its address without the token, the token, and where judgements go."""

    url: str
    token: str
    golden: Path

    @property
    def address(self) -> str:
        """What a user opens."""
        return f"{self.url}/#token={self.token}"

    def ask(self, name: str, body: object, **headers: str) -> httpx.Response:
        """The response of a route to the page's own script."""
        given = {"X-Pincite-Token": self.token} | headers
        return httpx.post(f"{self.url}/api/{name}", json=body, headers=given, timeout=60)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    cli = Cli(tmp_path_factory.mktemp("page"))
    cli.write("docs/guide.md", GUIDE)
    cli.write("src/keys.py", CODE)
    cli.write(NAME, VAULTS)
    cli.write("docs/recipe.md", RECIPE)
    cli.write("docs/long.md", "\n\n".join(f"Step {n} of the quetzal." for n in range(400)))
    cli.write(f"docs/{LONG[:120]}.md", WIDE)
    cli.write("src/wide.py", WIDE_CODE)
    (cli.folder / "docs/handbook.pdf").write_bytes(typeset(HANDBOOK))
    cli("index", ".", "--lexical", "--name", "acme", "--ref", "v1")
    with serving(cli) as found:
        yield found
    cli("stop")


@contextmanager
def serving(cli: Cli, *options: str) -> Iterator[Served]:
    """`pincite ui` in the folder, until the block ends."""
    golden = cli.folder / "judged" / "questions.jsonl"
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "ui", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--golden", str(golden), *options],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "60"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        found = re.search(r"(http://\S+)/#token=(\S+)", said)
        assert found is not None, said
        yield Served(found[1], found[2], golden)
    finally:
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        process.stderr.close()
        process.wait(HANGS_S)


@pytest.fixture(scope="module")  # while it is open, its thread can run no other event loop
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A page that is open. It has no errors at the end, asked nobody else, and no text of a file
    has become a program or an image."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened, said, asked = context.new_page(), list[str](), list[str]()
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(served.address)
    yield opened
    assert opened.evaluate("window.hacked") is None
    assert opened.locator("#page script, #page iframe").count() == 0
    assert opened.locator("#page img:not([src^='data:image/png;base64,'])").count() == 0
    context.close()
    assert said == []
    assert [url for url in asked if not url.startswith((f"{served.url}/", "data:"))] == []
