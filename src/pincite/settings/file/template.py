"""The first `pincite.toml` of a project or a user, written by `pincite init`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from pincite.errors import ConfigError, PinciteError
from pincite.presets import preset_names, unknown_preset
from pincite.settings.file.layers import CONFIG_FILE
from pincite.settings.file.toml_text import inline
from pincite.support.capabilities import NO_FOLLOW

_HEAD: Final = """\
# What `pincite index` indexes, and how it is searched. Every key with its value now:
#     pincite config show --origin

"""
_PRESET: Final = """\
# A whole system under a name: `pincite presets list`, `pincite presets show NAME`.
{preset}

"""
_SOURCES: Final = """\
# Each source is a folder, checkout, archive, wheel or file. Paths count from this file.
{source}
# name = "notes"                        # how citations begin
# include = ["*.md", "*.py"]
# exclude = ["drafts/"]
# file_types = {{ "*.tmpl" = "html" }}      # read files of types that Pincite does not know
# mask_secrets = true                   # replace keys and passwords with stars
# descriptions = {{ "guides/" = "For operators, not for developers" }}

"""
_MODELS: Final = """\
# Without this table, the bundled model makes the vectors, and there is no reranker. Texts are
# sent to the models that are named here, so a file with this table needs trust: pincite trust
# [models]
# dense = "llamacpp:http://127.0.0.1:8081#embeddinggemma-300M-Q8_0.gguf"
# rerank = "llamacpp:http://127.0.0.1:8082#Qwen3-Reranker-0.6B-Q8_0"
# llm = "llamacpp:http://127.0.0.1:8083#qmd-query-expansion-1.7B"
"""
_HERE: Final = '[[source]]\npath = "."'
_ELSEWHERE: Final = '# [[source]]\n# path = "~/notes"'


def config_text(preset: str = "", *, project: bool = True) -> str:
    """Return the text of the file, with comments. Raises ConfigError for an unknown preset."""
    if preset and preset not in preset_names():
        raise ConfigError(unknown_preset(preset), hint="pincite presets list")
    chosen = f"preset = {inline(preset)}" if preset else '# preset = "local"'
    source = _HERE if project else _ELSEWHERE
    parts = (_HEAD, _PRESET.format(preset=chosen), _SOURCES.format(source=source), _MODELS)
    return "".join(parts)


def write_config(folder: Path, text: str) -> Path:
    """Write the file into a folder, which is created if necessary, and return its path. An existing
    file or link is never overwritten or followed. Raises ConfigError, and
    PinciteError if the place cannot be written to."""
    place = folder / CONFIG_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW
        with os.fdopen(os.open(place, flags, 0o644), "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        if folder.is_dir():
            raise ConfigError(
                f"{place} already exists and is never overwritten",
                hint="edit it; pincite config show lists the effective settings",
            ) from error
        raise ConfigError(f"{folder} is not a folder", hint="name a folder") from error
    except OSError as error:
        raise PinciteError(f"{place} cannot be written: {error.strerror}") from error
    return place
