"""The process that paints a page: `python -m pincite.readers.page_pictures.process MEMORY SECONDS`.

It reads the number of a page and the bytes of a PDF from its standard input, writes the picture, or
the reason why there is none, and ends. It has the same limits as the process that extracts.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import msgspec

from pincite.errors import SourceError
from pincite.readers.page_pictures.ask import Painted
from pincite.readers.pdf.draw_page import paint_page
from pincite.support.processes.pipes import own_pipes, read_block, write_block
from pincite.support.processes.process_limits import allow_seconds, limit_process


def answer(raw: bytes, number: int) -> tuple[str, Painted | None]:
    """Return "" and the picture; without a picture, the reason and None."""
    try:
        return "", paint_page(raw, number)
    except SourceError as error:
        return error.message, None
    except MemoryError:
        return "it takes more memory than it may have", None
    except Exception as error:  # noqa: BLE001 - a library's fault costs one picture
        return f"{type(error).__name__}: {error}"[:300], None


def main() -> None:
    """Paint one page."""
    given, found = own_pipes()
    limit_process(int(sys.argv[1]))
    allow_seconds(int(sys.argv[2]))
    with suppress(EOFError, BrokenPipeError):
        number = int(read_block(given))
        said = answer(read_block(given), number)
        write_block(found, msgspec.msgpack.encode(said))


if __name__ == "__main__":
    main()
