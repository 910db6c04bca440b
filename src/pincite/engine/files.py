"""Methods of an open index that read its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from pincite import asking
from pincite.engine.open_index import OpenIndex
from pincite.model import Scope
from pincite.support.arguments import require_count, require_folder, require_kind, texts_of

if TYPE_CHECKING:
    from pincite.citations.check_item import Checked
    from pincite.citations.compare_claim import Claim, ClaimCheck
    from pincite.citations.files import Listing, Most, Passages
    from pincite.model import Answer, EvidencePack

_MOST_LISTED = 10_000_000


class FileReader(OpenIndex):
    """Lists files, reads several at once, and compares citations with them."""

    async def files(
        self,
        patterns: str | Iterable[str] = (),
        *,
        most: int = 1_000,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
        here: str | None = None,
    ) -> Listing:
        """List indexed files and records.

        Arguments:
            patterns: only files that match one of these: a path or folder from the root of a source
                (`docs/`), or a pattern (`src/**/*.py`). A prefix `NAME:` selects the source. An
                absolute path selects the source that contains it.
            most: maximum number of files. The listing counts the omitted ones.
            tags: attributes that a file must have, as in `search`.
            collections: only these collections.
            here: the caller's folder, if relative paths count from it, too, as in a terminal.

        Returns them in order of collection, source and path. Raises UsageError, TagsRequired if
        required tags are missing, IndexNotFound.

        >>> listing = await pincite.files("docs/")
        >>> [file.path for file in listing.files]
        ['docs/backups.md', 'docs/keys.md']
        """
        from pincite.citations.files import list_files
        from pincite.engine.place_scope import place_scope

        require_count("most", most, least=1, most=_MOST_LISTED)
        require_folder("here", here)
        wanted, among = texts_of("patterns", patterns), texts_of("collections", collections)
        asked = asking.checked_tags(tags)
        scope = Scope(paths=wanted, tags=asked, collections=among)
        where = (self.client, self.foreign, self.settings)
        return await list_files(self.client(), await place_scope(scope, here, *where), most)

    async def get_many(
        self,
        names: str | Iterable[str],
        *,
        most: Most | None = None,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
        here: str | None = None,
    ) -> Passages:
        """Read several files, or lines of them, in their current state.

        Arguments:
            names: locators as in `get`, or folders and patterns as in `files`.
            most: limits on the number of files, the lines of each, and the bytes of all.
            tags: attributes that a file must have, as in `search`.
            collections: only these collections.
            here: as in `files`.

        Returns passages in the order of `names`, each file once, and a list of what was left out,
        with the reason: not found, not readable, or more than `most`. Raises UsageError,
        TagsRequired.

        >>> found = await pincite.get_many(["docs/keys.md:1:1", "src/*.py", "docs/nothing.md"])
        >>> [passage.path for passage in found.passages]
        ['docs/keys.md', 'src/keys.py']
        >>> [(one.name, one.why) for one in found.left_out]
        [('docs/nothing.md', 'not_found')]
        """
        from pincite.citations.files import Most, get_many
        from pincite.engine.place_scope import placing_in

        if most is not None:
            require_kind("most", most, Most, "a Most")
        require_folder("here", here)
        asked, among = asking.checked_tags(tags), texts_of("collections", collections)
        wanted = texts_of("names", names)
        where = (self.client, self.foreign, self.settings)
        placing = await placing_in(Scope(tags=asked, collections=among), here, *where)
        return await get_many(
            self.client(),
            wanted,
            Most() if most is None else most,
            self.settings.index,
            place=None if placing is None else placing.path,
            here=here,
            tags=asked,
            collections=among,
        )

    async def verify(
        self,
        pack: EvidencePack | Answer,
        *,
        tags: Mapping[str, object] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[Checked, ...]:
        """Compare the evidence of a pack, or the sources of an answer, with the current files.

        Arguments:
            pack: a result of `search` or `answer`, also a stored one; see `EvidencePack.from_dict`
                and `Answer.from_dict`. Each source of an answer is compared by itself, because
                those of an extractive answer are single sentences.
            tags: attributes that the documents must have, as in `search`. A document without
                them is `deleted`, like one that does not exist.
            progress: called during long checks with the number of checked items and that of all.
                Equal ones count once. It may be called from another thread.

        Returns one status per item, in their order: `fresh`, `moved` (with the new lines),
        `changed`, `deleted`, `unknown`. Raises UsageError, IndexNotFound, and TagsRequired if
        required tags are missing.

        >>> pack = await pincite.search("rotate a key", kinds="docs")
        >>> [one.status for one in await pincite.verify(pack)]
        ['fresh']
        """
        from pincite.citations.verify import verify
        from pincite.model import Answer, EvidencePack

        if isinstance(pack, Answer):
            return await self._verify_sources(pack, tags, progress)
        wanted = "an EvidencePack or an Answer; `check` takes citations"
        require_kind("pack", pack, EvidencePack, wanted)
        theirs = self.foreign.readable()
        folder, asked = self.settings.index, asking.checked_tags(tags)
        return await verify(self.client(), pack, theirs, folder, tags=asked, told=progress)

    async def check(
        self,
        claims: str | Claim | Iterable[str | Claim],
        *,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
        here: str | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[ClaimCheck, ...]:
        """Check whether citations hold and their lines contain the quoted words.

        Arguments:
            claims: a citation or the #id of a chunk; a `Claim` adds the quoted words. Or several
                of them.
            tags: attributes that the cited documents must have, as in `search`. A document
                without them is `unknown`, like one that is not indexed.
            collections: only these collections.
            here: as in `get`.
            progress: called during long checks with the number of checked claims and that of all.
                Equal ones count once. It may be called from another thread.

        Returns one check per claim, in their order: `fresh`, `moved` (with the new lines),
        `changed`, `deleted`, `unknown`. Differences in white space are ignored. Raises
        UsageError, IndexNotFound, and TagsRequired if required tags are missing.

        >>> from pincite import Claim
        >>> pack = await pincite.search("rotate a key", kinds="docs")
        >>> (found,) = await pincite.check(Claim(pack[0].citation, "call `rotate_key`"))
        >>> found.status
        'fresh'
        """
        from pincite.citations.claims import check_claims, claims_of

        require_folder("here", here)
        folder, asked = self.settings.index, asking.checked_tags(tags)
        among = texts_of("collections", collections)
        wanted = claims_of(claims)
        return await check_claims(
            *(self.client(), wanted, folder),
            tags=asked,
            collections=among,
            here=here,
            told=progress,
        )

    async def _verify_sources(
        self,
        answer: Answer,
        tags: Mapping[str, object] | None,
        progress: Callable[[int, int], object] | None,
    ) -> tuple[Checked, ...]:
        from pincite.citations.check_item import Checked
        from pincite.citations.compare_claim import Claim

        claims = [Claim(one.citation, one.text) for one in answer.sources]
        found = await self.check(claims, tags=tags, progress=progress)
        return tuple(
            Checked(
                *(source.number, one.citation, one.status, one.detail, one.start_line),
                end_line=one.end_line,
                start_char=one.start_char,
                end_char=one.end_char,
                page=one.page,
            )
            for source, one in zip(answer.sources, found, strict=True)
        )
