"""`pincite ui`."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path

import click

from pincite.errors import ConfigError
from pincite.surfaces.cli.options import index_option, preset_option, tag_option
from pincite.surfaces.cli.output import say, say_hidden
from pincite.surfaces.cli.run import settings_here


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8760,
    show_default=True,
    help="Port on this machine; 0 for any.",
)
@click.option(
    "--golden",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The golden set for judgements; default: questions.jsonl in the index folder.",
)
@click.option("--open", "open_", is_flag=True, help="Open the page in the browser.")
@tag_option
@preset_option
@index_option
def ui(
    port: int,
    golden: Path | None,
    open_: bool,
    tags: tuple[str, ...],
    preset: str | None,
    index: Path | None,
) -> None:
    """Show results in the browser until interrupted.

    Only this machine can open the page. Its address contains a token that is new each time.
    """
    if not all(map(find_spec, ("pygments", "starlette", "uvicorn"))):
        raise ConfigError(
            "the page needs libraries that are not installed", hint="pip install 'pincite[ui]'"
        )
    from pincite.asking import bound_tags, tags_of_texts
    from pincite.surfaces.page.serving import Page, serve_page

    settings = settings_here(index)
    say_hidden(settings, preset)
    kept = golden or settings.index / "questions.jsonl"  # elsewhere it might be indexed
    page = Page(kept.absolute(), preset, bound_tags(tags_of_texts(tags)))

    def ready(url: str) -> None:
        say(f"{settings.index} is at {url}")
        if open_:
            click.launch(url)

    asyncio.run(serve_page(settings, port, page, ready))
