"""Files in a bucket of a server that refuses, fails, is slow or breaks off."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from pincite.errors import ConfigError, NotFound, WorkspaceUnavailable
from pincite.settings.load import load_settings
from pincite.settings.sections.object_store import Bucket, S3Settings, bucket_of
from pincite.workspace.deployment import open_files, reason_of_silence
from pincite.workspace.files.bucket import ObjectFiles, Patience, read_credentials
from tests.workspace.s3_server import BUCKET, KEY, S3, SECRET, Answer, Asked

SPACE = "00000000-0000-4000-8000-000000000001"
LARGE = 12_000_000
pytestmark = pytest.mark.anyio


def files_at(s3: S3, silent_s: float = 20.0, **over: Any) -> ObjectFiles:
    settings = S3Settings(s3.url, **over)
    return ObjectFiles(Bucket(BUCKET, ""), settings, Patience(silent_s, tries=1))


@pytest.fixture
def files(s3: S3) -> ObjectFiles:
    return files_at(s3)


async def pieces(size: int, piece: int = 1 << 20) -> AsyncIterator[bytes]:
    for start in range(0, size, piece):
        yield b"x" * min(piece, size - start)


def at(method: str, answer: Answer, parameter: str = "", times: int = 1_000) -> Any:
    """What the server says to requests of a method, so many times."""
    left = [times]

    def fault(asked: Asked) -> Answer | None:
        if asked.method != method or (parameter and parameter not in asked.parameters):
            return None
        left[0] -= 1
        return answer if left[0] >= 0 else None

    return fault


async def test_a_large_file_is_never_in_memory_as_a_whole(s3: S3, files: ObjectFiles) -> None:
    stored = await files.put(SPACE, pieces(LARGE), LARGE)
    assert s3.largest == 5 << 20
    (name,) = s3.names()
    assert name.endswith(stored.content_hash)
    found = [len(piece) async for piece in files.pieces(SPACE, stored.content_hash)]
    assert sum(found) == LARGE
    assert max(found) <= 2 << 20


@pytest.mark.parametrize("method", ["GET", "PUT", "POST", "HEAD", "DELETE"])
@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (403, b"<Error><Code>AccessDenied</Code></Error>", "refuses the credentials"),
        (401, b"", "refuses the credentials"),
        (500, b"<Error><Code>InternalError</Code></Error>", "out of reach"),
        (503, b"<Error><Code>SlowDown</Code></Error>", "out of reach"),
        (400, b"\0\xff" * 2_000, "out of reach"),
        (404, b"<Error><Code>NoSuchBucket</Code></Error>", "does not exist"),
    ],
)
async def test_what_the_server_refuses_is_named_and_nothing_is_taken_for_a_file(
    s3: S3, files: ObjectFiles, method: str, status: int, body: bytes, said: str
) -> None:
    stored = await files.put(SPACE, pieces(3), 3)
    s3.fault = at(method, Answer(status, body))

    async def asked() -> None:
        match method:
            case "GET":
                await files.read(SPACE, stored.content_hash)
            case "PUT":
                await files.put(SPACE, pieces(4), 4)
            case "POST":
                await files.put(SPACE, pieces(LARGE), LARGE)
            case "HEAD":
                await files.copy(SPACE, SPACE, stored.content_hash)
            case _:
                await files.delete(SPACE, stored.content_hash)

    if status == 404 and method in ("HEAD", "DELETE"):  # which have no body that says of what
        return
    if method == "HEAD":
        said = "out of reach" if status not in (401, 403) else said
    with pytest.raises(WorkspaceUnavailable, match=said) as raised:
        await asked()
    assert SECRET not in f"{raised.value} {raised.value.hint}"
    assert raised.value.message.isprintable()
    s3.fault = lambda asked: None
    assert s3.names() == [f"{SPACE}/{stored.content_hash[:2]}/{stored.content_hash}"]
    assert s3.parts == {}


@pytest.mark.parametrize("status", [500, 503])
async def test_a_server_that_fails_once_is_asked_again(
    s3: S3, files: ObjectFiles, status: int
) -> None:
    for method in ("PUT", "GET"):
        s3.fault = at(method, Answer(status), times=1)
        stored = await files.put(SPACE, pieces(LARGE), LARGE)
        assert len(await files.read(SPACE, stored.content_hash)) == LARGE


async def test_an_upload_that_ends_in_a_fault_is_taken_back(s3: S3, files: ObjectFiles) -> None:
    for fault in (
        at("PUT", Answer(403), "partNumber"),
        at("POST", Answer(403), "uploadId"),
    ):
        s3.fault = fault
        with pytest.raises(WorkspaceUnavailable):
            await files.put(SPACE, pieces(LARGE), LARGE)
        assert (s3.names(), s3.parts) == ([], {})


async def test_a_copy_that_the_server_breaks_off_is_no_file(s3: S3, files: ObjectFiles) -> None:
    """A server may answer 200 before it has copied, and put the error into the body."""

    def fault(asked: Asked) -> Answer | None:
        if asked.method == "PUT" and "partNumber" not in asked.parameters:
            s3.objects[asked.key] = (b"x" * 9, time.time())
            return Answer(200, b"<CopyObjectResult><ETag>x</ETag></CopyObjectResult>")
        return None

    s3.fault = fault
    with pytest.raises(WorkspaceUnavailable, match="the whole file"):
        await files.put(SPACE, pieces(LARGE), LARGE)
    assert s3.names() == []


@pytest.mark.parametrize("size", [3, LARGE])
async def test_a_stream_that_is_cut_is_not_the_file(s3: S3, files: ObjectFiles, size: int) -> None:
    stored = await files.put(SPACE, pieces(size), size)
    s3.fault = at("GET", Answer(cut=1))
    with pytest.raises(WorkspaceUnavailable):
        await files.read(SPACE, stored.content_hash)
    got = 0
    with pytest.raises(WorkspaceUnavailable):
        got = sum([len(piece) async for piece in files.pieces(SPACE, stored.content_hash)])
    assert got == 0


async def test_a_stream_that_is_cut_once_goes_on_where_it_was(s3: S3, files: ObjectFiles) -> None:
    stored = await files.put(SPACE, pieces(LARGE), LARGE)
    s3.fault = at("GET", Answer(cut=LARGE // 2), times=1)
    assert await files.read(SPACE, stored.content_hash) == b"x" * LARGE


@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
async def test_a_server_that_is_silent_is_left(s3: S3, method: str) -> None:
    files = files_at(s3, silent_s=1.0)
    stored = await files.put(SPACE, pieces(3), 3)
    hold = Event()
    s3.fault = at(method, Answer(hold=hold, after=True))
    size = 4 if method == "PUT" else LARGE
    asked: Any = files.put(SPACE, pieces(size), size)
    if method == "GET":
        asked.close()
        asked = files.read(SPACE, stored.content_hash)
    with pytest.raises(WorkspaceUnavailable, match="out of reach"):
        await asked
    hold.set()


async def test_who_is_cancelled_while_the_server_is_silent_leaves_no_part(
    s3: S3, files: ObjectFiles
) -> None:
    hold, reached = Event(), Event()

    def fault(asked: Asked) -> Answer | None:
        if "partNumber" in asked.parameters:
            reached.set()
            return Answer(hold=hold, after=True)
        return None

    s3.fault = fault
    task = asyncio.create_task(files.put(SPACE, pieces(LARGE), LARGE))
    await asyncio.to_thread(reached.wait, 10)
    task.cancel()
    hold.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (s3.names(), s3.parts) == ([], {})


async def test_a_server_that_is_not_there_is_named() -> None:
    files = ObjectFiles(
        Bucket(BUCKET, "a"), S3Settings("http://127.0.0.1:1"), Patience(silent_s=1.0, tries=0)
    )
    with pytest.raises(WorkspaceUnavailable, match="s3://papers/a are out of reach"):
        await files.read(SPACE, "0" * 64)


async def test_what_was_left_while_uploading_goes_after_a_day(s3: S3, files: ObjectFiles) -> None:
    now = time.time()
    s3.objects["incoming/old"] = (b"x", now - 90_000)
    s3.objects["incoming/new"] = (b"x", now - 3_600)
    assert await files.older_than(60) == ()
    assert s3.names() == ["incoming/new"]


async def test_more_files_than_a_page_has_are_all_listed(s3: S3, files: ObjectFiles) -> None:
    hashes = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(2_300)]
    for one in hashes:
        s3.objects[f"{SPACE}/{one[:2]}/{one}"] = (b"", time.time() - 100)
    assert [name for _, name in await files.older_than(50)] == sorted(hashes)


async def test_keys_of_a_file_are_read_and_wrong_ones_refused(
    s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    file = tmp_path / "credentials"
    text = "[default]\naws_access_key_id = {}\naws_secret_access_key = x%(y)s\n"
    file.write_text(text.format(KEY))
    files = files_at(s3, key_file=str(file))
    stored = await files.put(SPACE, pieces(3), 3)
    assert await files.read(SPACE, stored.content_hash) == b"xxx"
    file.write_text(text.format("OTHER"))
    assert await files.read(SPACE, stored.content_hash) == b"xxx"  # read again later
    with pytest.raises(WorkspaceUnavailable, match="refuses the credentials"):
        await files_at(s3, key_file=str(file)).read(SPACE, stored.content_hash)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "secret",
        "[default]\n",
        "[default]\naws_access_key_id = secret\n",
        "[default]\naws_access_key_id =\naws_secret_access_key = secret\n",
        "[default]\naws_access_key_id = a\naws_secret_access_key = secret\n  more\n",
        "[default]\naws_access_key_id = a b\naws_secret_access_key = secret\n",
        "[default]\naws_access_key_id = a\naws_access_key_id = a\n",
        "[other]\naws_access_key_id = a\naws_secret_access_key = secret\n",
        "\0" * 100_000,
    ],
)
def test_a_file_without_keys_is_named_and_not_shown(tmp_path: Path, text: str) -> None:
    file = tmp_path / "credentials"
    file.write_text(text)
    with pytest.raises(ConfigError, match="credentials") as raised:
        read_credentials(file)
    assert "secret" not in raised.value.message


def test_a_file_of_keys_that_is_not_there_or_binary_is_named(tmp_path: Path) -> None:
    for make in (lambda: None, lambda: (tmp_path / "keys").write_bytes(b"\xff\xfe")):
        make()
        with pytest.raises(ConfigError, match="keys"):
            read_credentials(tmp_path / "keys")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_credentials(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="has no credentials"):
        read_credentials(tmp_path / "pipe")


@pytest.mark.parametrize(
    "files",
    [
        *("s3://", "s3://a", "s3:///x", "s3://AB/c", "s3://bucket/../x", "s3://bucket//x"),
        *("s3://bucket/a b", "s3://bucket/a?x", "s3://bucket/.", "s3://me:pw@bucket/x", "gs://abc"),
        *("/srv/files", "s3://bucket/a\nb", "s3://bucket/" + "x" * 600, "s3://bucket/é"),
    ],
)
def test_what_names_no_bucket_is_refused(files: str) -> None:
    with pytest.raises(ConfigError, match="does not name a bucket"):
        bucket_of(files)


def test_a_bucket_is_named_with_and_without_a_prefix() -> None:
    assert bucket_of("") is None
    assert bucket_of("s3://my.bucket-1") == Bucket("my.bucket-1", "")
    assert bucket_of("s3://bucket/a/b_c.d/") == Bucket("bucket", "a/b_c.d")


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ({"endpoint": "minio:9000"}, "not an address"),
        ({"endpoint": "ftp://minio"}, "not an address"),
        ({"endpoint": "https://me:pw@minio"}, "has more"),
        ({"endpoint": "https://minio?x=1"}, "has more"),
        ({"endpoint": "https://[::1"}, "not an address"),
        ({"region": "eu central"}, "region"),
        ({"key_file": "a\0b"}, "NUL"),
    ],
)
def test_a_server_that_cannot_be_is_refused(over: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        S3Settings(**over)


def configured(folder: Path, text: str) -> Callable[[], Any]:
    (folder / "pincite.toml").write_text(text)
    environ = {"PINCITE_CONFIG": str(folder / "pincite.toml")}
    return lambda: load_settings(environ, folder, folder / ".pincite")


@pytest.mark.parametrize(
    "key", ["secret_access_key", "aws_secret_access_key", "access_key_id", "session_token"]
)
def test_a_key_in_the_settings_is_refused_and_not_repeated(tmp_path: Path, key: str) -> None:
    load = configured(tmp_path, f'[workspace.s3]\n{key} = "hushhush"\n')
    with pytest.raises(ConfigError, match="has a key") as raised:
        load()
    assert "hushhush" not in str(raised.value)


async def test_settings_say_where_files_are_and_whether_they_can_be_reached(
    s3: S3, tmp_path: Path
) -> None:
    async with open_files(configured(tmp_path, "")()) as folder:
        assert await reason_of_silence(folder) == ""
    text = f'[workspace]\nfiles = "s3://{BUCKET}/x"\n[workspace.s3]\nendpoint = "{s3.url}"\n'
    async with open_files(configured(tmp_path, text.replace(BUCKET, "elsewhere"))()) as other:
        assert "the bucket s3://elsewhere/x does not exist" in await reason_of_silence(other)
    async with open_files(configured(tmp_path, text)()) as files:
        assert isinstance(files, ObjectFiles)
        assert await reason_of_silence(files) == ""
        with pytest.raises(NotFound):
            await files.read(SPACE, "0" * 64)
        s3.fault = lambda asked: Answer(403)
        assert "refuses the credentials" in await reason_of_silence(files)
