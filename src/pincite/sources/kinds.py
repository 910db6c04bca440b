"""Decide which names are never worth opening, and which contents are not for people."""

from __future__ import annotations

from itertools import chain

import msgspec

from pincite.readers.decoding import decode
from pincite.readers.extraction.extractors import extracted_suffix
from pincite.readers.remarks import generated_mark
from pincite.sources.entries import SkipCode, Skipped, SourceLimits
from pincite.support.late_patterns import late_pattern

#: Folders that tools fill, where nothing is for people: not even mentioned.
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".pincite", "__pycache__"})
#: Folders of installed packages. One with a file `ENVIRONMENT` is one, too.
DEPENDENCY_FOLDERS = frozenset({"node_modules", "__pypackages__"})
ENVIRONMENT = "pyvenv.cfg"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHOWN_HIDDEN_FOLDERS = frozenset({".github", ".gitlab"})

_BINARY = _words(
    """7z a aac ai aif aiff apk app avi avif bin bmp bz2 cab class com dat db dll dmg dylib eot exe
    fbx flac gguf gif gz h5 hdf5 heic heif ico icns iso jar jpeg jpg jp2 key lib lz lz4 lzma m4a m4v
    mkv mo mov mp3 mp4 mpeg mpg npy npz o obj ocx ogg ogv onnx otf parquet pb pch pdb pickle pkl png
    psd pt pth pyc pyd pyo rar rlib safetensors so sqlite sqlite3 tar tflite tgz tif tiff ttc ttf
    wasm wav webm webp whl wmv woff woff2 xz zip zst"""
)
#: Documents with NUL bytes that people read, and no reader here reads.
_DOCUMENTS = _words(
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
_JSON_TEXT = r'"(?:[^"\\]|\\.)*+"'
#: What `--json` of a search or an answer begins with. Its text is that of other documents, so it
#: would be found in their place.
_RESULT = late_pattern(
    r'\s*+\{\s*+"schema_version":\s*+"[\d.]++",\s*+(?:'
    rf'"query":\s*+{_JSON_TEXT},\s*+"verdict":\s*+\{{\s*+"level":\s*+"(?:grounded|weak|none)"'
    rf'|"question":\s*+{_JSON_TEXT},\s*+"text":\s*+{_JSON_TEXT},\s*+"kind":)'
)
#: The end of a result before the next one. Within a value of JSON, no `}` stands before a `{`, and
#: a text has no quotation mark that is not escaped.
_NEXT_RESULT = late_pattern(r'\}\s*+(?=\{\s*+"schema_version":)')
#: What msgspec says of an early end; it has no class for it.
_CUT_OFF = "Input data was truncated"


def suffix_of(path: str) -> str:
    """Return the suffix: `gz` for `tar.gz`; "" for a name without a dot, or with only a leading
    one."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return suffix.lower() if dot and stem else ""


def reject_name(path: str, size: int, limits: SourceLimits) -> Skipped | None:
    """Return the reason to skip a file by name and size alone, None if there is none."""
    name = path.rpartition("/")[2].lower()
    code: SkipCode | None = None
    detail = ""
    if size == 0 and extracted_suffix(path):  # no such file is: it is being written, or damaged
        code, detail = "unreadable", "the file has nothing in it"
    elif size == 0:
        code = "empty"
    elif suffix_of(path) in _BINARY:
        code, detail = "binary", f".{suffix_of(path)}"
    elif name in _LOCK_FILES or path.lower().endswith(_GENERATED_ENDS):
        code = "generated"
    elif size > (most := limits.most_bytes(path)):
        code, detail = "oversize", f"{size:,} bytes exceed the limit of {most:,}"
    elif ".min." in name and suffix_of(path) in _DENSE:
        code = "minified"
    return Skipped(path, code, detail) if code else None


def reject_content(path: str, raw: bytes, *, included: bool = False) -> Skipped | None:
    """Return the reason to skip a file by its content, None if there is none; call it before making
    a document. Files for text extraction are checked by their extractor. A saved result that a page
    has `included` is a sample of it, and no reason."""
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
        if b"\0" in head and suffix_of(path) in _DOCUMENTS:
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
    """Return whether the file has saved results alone: one, or several that were appended to it.
    The last one may be cut off. Notes behind a result, or other lines of JSON, are somebody's own
    text. Takes time in proportion, and builds no values."""
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
    """Return whether the bytes are one value of JSON, or the beginning of one that is `cut_off`."""
    fault = _fault(raw)
    if not cut_off:
        return not fault
    at_number = b"+-.0123456789Ee"  # an early end within a number is another fault
    return fault in ("", _CUT_OFF) or _fault(bytes(raw).rstrip(at_number)) == _CUT_OFF


def _fault(raw: memoryview | bytes) -> str:
    """Return why the bytes are not one value of JSON, "" if they are."""
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error)
    return ""


def _is_minified(raw: bytes) -> bool:
    """Return whether half of the bytes are in lines above 1,000, or lines are above 300 on average.

    Source lines are 30 to 45 bytes on average in every language tried; bundles start at 500.
    """
    if len(raw) < 2048:
        return False
    lines = raw.split(b"\n")
    long = sum(len(line) for line in lines if len(line) > 1000)
    return long * 2 > len(raw) or len(raw) > 300 * len(lines)
