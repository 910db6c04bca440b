"""Decide which files are skipped: by name and size before they are opened, then by content."""

from __future__ import annotations

from itertools import chain

import msgspec

from pincite.readers.decoding import decode
from pincite.readers.extraction.extractors import extracted_suffix
from pincite.readers.given_types import names_suffix
from pincite.readers.remarks import generated_mark
from pincite.sources.entries import SkipCode, Skipped, SourceLimits
from pincite.support.late_patterns import late_pattern

RESOURCE_FORKS = "__MACOSX"  #: a folder that macOS adds to a zip file, beside what is packed
#: Folders that only tools write to. Their files are not listed, not even as skipped.
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".pincite", "__pycache__", RESOURCE_FORKS})
#: Folders of installed packages. A folder that contains the file `ENVIRONMENT` counts as one, too.
DEPENDENCY_FOLDERS = frozenset({"node_modules", "__pypackages__"})
ENVIRONMENT = "pyvenv.cfg"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHOWN_HIDDEN_FOLDERS = frozenset({".github", ".gitlab"})

#: Suffixes of files that are not opened, unless a given type names the suffix.
BINARY_SUFFIXES = _words(
    """7z a aac ai aif aiff apk app avi avif bin bmp bz2 cab class com dat db dll dmg dylib eot exe
    fbx flac gguf gif gz h5 hdf5 heic heif ico icns iso jar jpeg jpg jp2 key lib lz lz4 lzma m4a m4v
    mkv mo mov mp3 mp4 mpeg mpg npy npz o obj ocx ogg ogv onnx otf parquet pb pch pdb pickle pkl png
    psd pt pth pyc pyd pyo rar rlib safetensors so sqlite sqlite3 tar tflite tgz tif tiff ttc ttf
    wasm wav webm webp whl wmv woff woff2 xz zip zst"""
)
#: Suffixes of document formats with NUL bytes, "unsupported" unless an extractor reads them.
DOCUMENT_SUFFIXES = _words(
    """azw azw3 chm djv djvu doc docm dot dotm dotx fb2 hwp indd mobi msg numbers odf odg odp ods
    odt one otg otp ots ott oxps pages pot potm potx pps ppsm ppsx ppt pub rtf vsd vsdx wpd wps xls
    xlsb xlt xltm xltx xps"""
)
_LOCK_FILES = _words(
    """package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    poetry.lock uv.lock pdm.lock pylock.toml pipfile.lock conda-lock.yml cargo.lock composer.lock
    gemfile.lock go.sum mix.lock pubspec.lock podfile.lock packages.lock.json flake.lock
    gradle.lockfile package.resolved"""
)
_GENERATED_ENDS = ("-lock.json", ".map", ".egg-info/sources.txt")
_DENSE = _words("js mjs cjs jsx ts mts cts tsx css json geojson topojson")

HEAD_BYTES = 8192
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_TEXT_CONTROLS = bytes({7, 8, 9, 10, 11, 12, 13, 27})
_CONTROLS = bytes(set(range(32)) - set(_TEXT_CONTROLS) | {127})
_JSON_TEXT = r'"(?>(?:[^"\\]++|\\.)*)"'
#: The beginning of the `--json` output of a search or an answer. Such a file repeats text of other
#: documents, so a search would find it instead of them.
_RESULT = late_pattern(
    r'\s*+\{\s*+"schema_version":\s*+"[\d.]++",\s*+(?:'
    rf'"query":\s*+{_JSON_TEXT},\s*+"verdict":\s*+\{{\s*+"level":\s*+"(?:grounded|weak|none)"'
    rf'|"question":\s*+{_JSON_TEXT},\s*+"text":\s*+{_JSON_TEXT},\s*+"kind":)'
)
#: The end of a result that another result follows. It cannot match within a result: in JSON, no `{`
#: directly follows a `}`, and quotation marks within a string are escaped.
_NEXT_RESULT = late_pattern(r'\}\s*+(?=\{\s*+"schema_version":)')
#: The message of msgspec for truncated data, for which it has no exception class.
_CUT_OFF = "Input data was truncated"


def suffix_of(path: str) -> str:
    """Return the suffix in lower case: `gz` for `a.tar.gz`; "" for a name without a dot, or with
    only a leading one."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return suffix.lower() if dot and stem else ""


def reject_name(
    path: str, size: int, limits: SourceLimits, file_types: tuple[str, ...] = ()
) -> Skipped | None:
    """Return the reason to skip a file by its name and its size in bytes, or None. `file_types` are
    those of its source: if one names the suffix of a binary format, the content decides."""
    name = path.rpartition("/")[2].lower()
    code: SkipCode | None = None
    detail = ""
    if size == 0 and extracted_suffix(path):  # never valid: it is being written, or damaged
        code, detail = "unreadable", "the file has nothing in it"
    elif size == 0:
        code = "empty"
    elif suffix_of(path) in BINARY_SUFFIXES and not names_suffix(file_types, path):
        code, detail = "binary", f".{suffix_of(path)}"
    elif name in _LOCK_FILES or path.lower().endswith(_GENERATED_ENDS):
        code = "generated"
    elif size > (most := limits.most_bytes(path)):
        code, detail = "oversize", f"{size:,} bytes exceed the limit of {most:,}"
    elif ".min." in name and suffix_of(path) in _DENSE:
        code = "minified"
    return Skipped(path, code, detail) if code else None


def reject_member(
    name: str, size: int, limits: SourceLimits, file_types: tuple[str, ...]
) -> Skipped | None:
    """Return the reason to skip a member of an archive without unpacking it, or None. The top
    folder may be left out of its path later, so both names have a reason."""
    rejected = reject_name(name, size, limits, file_types)
    inner = name.partition("/")[2]
    if rejected is None or not inner or reject_name(inner, size, limits, file_types):
        return rejected
    return None


def reject_content(path: str, raw: bytes, *, included: bool = False) -> Skipped | None:
    """Return the reason to skip a file by its content, or None; call it before making a document.
    Files for text extraction are not checked here, but by their extractor. `included`: a page
    includes the file. Then a saved result of Pincite is accepted, as an example in that page."""
    if extracted_suffix(path):
        return None
    if not raw.strip():
        return Skipped(path, "empty")
    head = raw[:HEAD_BYTES]
    if head.startswith(_BOMS):
        if b"\0" in head and not decode(raw)[1].startswith("utf"):
            detail = "it begins like UTF-16 or UTF-32, but it is not: save it as UTF-8"
            return Skipped(path, "unreadable", detail)
    else:
        if b"\0" in head and suffix_of(path) in DOCUMENT_SUFFIXES:
            return Skipped(path, "unsupported")
        if b"\0" in head:
            return Skipped(path, "binary", "contains NUL bytes")
        controls = len(head) - len(head.translate(None, _CONTROLS))
        if controls * 10 > len(head):
            return Skipped(path, "binary", "mostly control characters")
    if not included and _is_result(raw):
        return Skipped(path, "generated", "a result of Pincite")
    if not _is_minified(raw):
        return None
    if suffix_of(path) in _DENSE:
        per_line = len(raw) // (raw.count(b"\n") + 1)
        return Skipped(path, "minified", f"{per_line:,} bytes per line")
    mark = generated_mark(raw[:HEAD_BYTES].decode("latin-1"))  # data in the form of code
    return Skipped(path, "generated", mark) if mark else None


def _is_result(raw: bytes) -> bool:
    """Return whether the file contains only saved results: one, or several that were appended to
    it. The last one may be cut off. A file with notes after a result, or with other lines of JSON,
    is a document. Takes linear time and builds no Python values."""
    if b'"schema_version"' not in raw[:64]:
        return False
    text, every, begin = raw.decode("latin-1"), memoryview(raw), 0
    for end in chain((one.end() for one in _NEXT_RESULT.finditer(text)), [len(raw)]):
        if not _RESULT.match(text, begin, end):
            return False
        if not _is_json(every[begin:end], cut_off=end == len(raw)):
            return False
        begin = end
    return True


def _is_json(raw: memoryview, *, cut_off: bool) -> bool:
    """Return whether the bytes are one JSON value, or, if `cut_off`, the beginning of one."""
    fault = _fault(raw)
    if not cut_off:
        return not fault
    at_number = b"+-.0123456789Ee"  # data that ends within a number has another error message
    return fault in ("", _CUT_OFF) or _fault(bytes(raw).rstrip(at_number)) == _CUT_OFF


def _fault(raw: memoryview | bytes) -> str:
    """Return the reason why the bytes are not one JSON value, "" if they are."""
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error)
    return ""


def _is_minified(raw: bytes) -> bool:
    """Return whether more than half of the bytes are in lines longer than 1,000 bytes, or lines are
    longer than 300 bytes on average. Files below 2,048 bytes are never minified.

    Source lines are 30 to 45 bytes on average in every language tried; bundles start at 500.
    """
    if len(raw) < 2048:
        return False
    lines = raw.split(b"\n")
    long = sum(len(line) for line in lines if len(line) > 1000)
    return long * 2 > len(raw) or len(raw) > 300 * len(lines)
