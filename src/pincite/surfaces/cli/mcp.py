"""`pincite mcp`."""

from __future__ import annotations

import asyncio
import signal
from importlib.util import find_spec
from pathlib import Path

import click
from click.core import ParameterSource

from pincite.errors import ConfigError
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.mcp_clients import install, uninstall
from pincite.surfaces.cli.options import index_option, preset_option
from pincite.surfaces.cli.output import say, say_hidden
from pincite.surfaces.cli.run import settings_here


@click.group(cls=Group, invoke_without_command=True)
@click.option("--http", is_flag=True, help="Streamable HTTP instead of stdin and stdout.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port; 0 for any.",
)
@click.option("--allow-host", multiple=True, help="An additional allowed Host header.")
@click.option("--allow-origin", multiple=True, help="The origin of a web page that may connect.")
@click.option("--chatgpt", is_flag=True, help="Serve ChatGPT's `search` and `fetch` instead.")
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="NAME=VALUE",
    help="Add this tag to every call; calls cannot remove it. Repeat a name for alternatives.",
)
@preset_option
@index_option
@click.pass_context
def mcp(
    context: click.Context,
    http: bool,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    chatgpt: bool,
    tags: tuple[str, ...],
    preset: str | None,
    index: Path | None,
) -> None:
    """Serve the index to agents over the Model Context Protocol.

    `pincite mcp install CLIENT` adds the server to an agent's configuration.

    Tools: search_evidence, read_lines, verify_citations, index_status, refresh. The server runs
    until stdin is closed. With --http, it runs at http://HOST:PORT/mcp until interrupted.
    """
    if context.invoked_subcommand is not None:
        _require_no_options(context, context.invoked_subcommand)
        return
    from pincite.asking import bound_tags, tags_of_texts

    if not all(map(find_spec, ("mcp", "uvicorn"))):
        raise ConfigError(
            "the MCP server needs a library that is not installed",
            hint="pip install 'pincite[mcp]'",
        )
    from pincite.surfaces.mcp.serving import Offer, serve_http, serve_stdio
    from pincite.surfaces.tracing import server_says, watched
    from pincite.surfaces.web.address import Address

    settings = settings_here(index)
    told = server_says(settings, say)
    say_hidden(settings, preset)
    offer = Offer(chatgpt, preset, bound_tags(tags_of_texts(tags)))
    if http:
        address = Address(host, port, allow_host, allow_origin)

        def ready(url: str) -> None:
            told(f"serving {settings.index} at {url}")

        with watched(settings, told):
            asyncio.run(serve_http(settings, address, offer, ready))
    else:
        # a thread blocks on stdin and cannot be interrupted; nothing needs cleanup
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        with watched(settings, told):
            asyncio.run(serve_stdio(settings, offer))


def _require_no_options(context: click.Context, command: str) -> None:
    """Raise UsageError for options of the server before a subcommand: they would be ignored."""
    for name in context.params:
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"give options after `pincite mcp {command}`")


mcp.add_command(install)
mcp.add_command(uninstall)
