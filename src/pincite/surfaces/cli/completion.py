"""`pincite completion`: print the script for shell completion of commands and options."""

from __future__ import annotations

import click

from pincite.surfaces.cli.output import show

_VARIABLE = "_PINCITE_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash: pincite completion bash > ~/.local/share/bash-completion/completions/pincite
    zsh:  pincite completion zsh > ~/.zfunc/_pincite      (with fpath+=~/.zfunc)
    fish: pincite completion fish > ~/.config/fish/completions/pincite.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"completion does not support {shell}")
    script = made(ctx.find_root().command, {}, "pincite", _VARIABLE)
    show((script.source_template % script.source_vars()).rstrip("\n"))
