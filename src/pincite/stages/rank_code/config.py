"""The weights for ranking passages of code."""

from __future__ import annotations

import msgspec

from pincite.support.ranges import require_range


class RankCodeConfig(msgspec.Struct, frozen=True):
    """The weights of the parts of a file's score, relative to 1 for its best passage; 0 leaves a
    part out.

    `coherence`: the share of the hits that lie in the file, of which `coherent_dense` is the share
    of the dense side if both sides are known: 0, .4, .75 give .908, .907, .900 on code-search-dev,
    and a question in another language than the code has no words to share. `coherent_from`: the
    score from which a passage counts there, in proportion to the rest: 0, .1, .15, .2, .25 give
    .913, .918, .918, .917, .919 with the model and .915, .916, .916, .914, .914 by words.
    `dominant`: a file with more than this share of all definitions in the hits counts less there,
    down to nothing for all of them: 1, .75, .6, .5, .4 give .927, .930, .930, .930, .931 with the
    model.

    `covered`: the share of the file name's words that the question has. `asked`: the share of the
    question's words that the file name has. `folder`: the same for the folder. `same`: the question
    names the file. `placed`: if the question has the whole name, the share of the folder's words
    that it has; words that are also in the name count half: 0, .1, .2, .3 give .9235, .9236,
    .9247, .9257 by words and .9301, .9311, .9313, .9313 with the model; adk-dev in code alone
    gives .185, .186, .183 for .2, .25, .3.

    `defines`: the file defines a name that is written like code in the question; it counts three
    times if the question is only this name.
    `mentions`: it defines any word of the question. `overlap`: the best share of the question's
    words in the name of one definition. `copied`: how much of the question is copied from a passage
    of the file.

    `terms`: the share of the question's words, weighted by their rarity, in the file's passage with
    the best keyword score: 0, .2, .3, .4, .5, .6 give .388, .398, .403, .406, .402, .405
    by words and .419, .430, .437, .440, .448, .450 with the model for the first right passage of
    143 questions.

    `source_named`: whether the name of the source counts as a word of file names. If all hits are
    of one source, that name does not distinguish its files. `words_power`: the exponent of scores
    from keyword search alone, after scaling the highest to 1: .6, .7, .8, 1 give .924, .923, .922,
    .919. `words_again`: the share of the keyword score in the value of a file's best passage if a
    model is used, too: 0, .3, .4, .5, .6 give .9203, .9219, .9223, .9227, .9238.

    `tests`, `prose` and `minor` are factors for the score of tests, of files other than code (in
    collections of code), and of examples and similar files. 1 switches them off, and so does a
    question that asks for such files. `unasked` is the factor for the others if the question begins
    with asking for tests or for pages (`tests that a key expires`), or asks for changes (`which
    version removed the flag`): 1, .8, .6, .4, .2 give .776, .866, .940, .956, .970 for 57 of these
    where pages are beside code. `further` is the factor for each further passage of a file: in code
    alone, .7, .5, .35 give .760, .769, .771 for the files of ten repositories, and .181, .173, .162
    for the passages of adk-dev. `bare` is the factor within a file for passages of comments and
    imports only. `mixed`: the weight of the order of files if the hits also contain documentation.
    `defined_first`: the number of passages that come before all else: of definitions if the
    question is only a name, or asks where one is defined; of files of tests if it asks for the
    tests of one thing by the name of their file; of handlers if it names a route. 0 switches these
    off, and also that all callers, heirs and the like come first if the question asks for them.
    `pool`: the minimum number of loaded
    candidates in collections that are at least half code. `by_words`: the number of the best hits
    of keyword search that are also loaded, as a share of the pool: 0, .3, .5, .6, .7, 1 give .925,
    .924, .930, .930, .929, .927 with the model, for 99, 102, 107, 111, 115, 129 candidates.

    `bodies_first`: whether a header of C, C++ or Objective-C exchanges its score with the file that
    has its bodies, if the header's is higher.

    Figures: docs/decisions/0020, 0028, 0037, 0038, 0056, 0063, 0066, 0074, 0076, 0082, 0088,
    0090, 0095, 0103, 0104, 0107, 0108 and 0109.
    """

    coherence: float = 0.6
    coherent_dense: float = 0.4
    coherent_from: float = 0.15
    dominant: float = 0.4
    covered: float = 0.5
    asked: float = 0.35
    folder: float = 0.2
    same: float = 0.3
    placed: float = 0.2
    defines: float = 0.3
    mentions: float = 0.1
    overlap: float = 0.2
    copied: float = 3.0
    terms: float = 0.4
    unasked: float = 0.4
    tests: float = 0.5
    prose: float = 0.5
    minor: float = 0.6
    further: float = 0.7
    bare: float = 0.5
    mixed: float = 0.5
    defined_first: int = 3
    pool: int = 100
    by_words: float = 0.5
    source_named: bool = False
    words_power: float = 0.7
    words_again: float = 0.5
    bodies_first: bool = True
    enabled: bool = True

    def __post_init__(self) -> None:
        require_range(self, "rank_code", *_WEIGHTS, "defined_first", least=0, most=10)
        require_range(self, "rank_code", *_FACTORS, above=0, most=1)
        require_range(self, "rank_code", *_SHARES, least=0, most=1)
        require_range(self, "rank_code", "coherent_from", least=0, below=1)
        require_range(self, "rank_code", "pool", least=1)


_WEIGHTS = (
    *("coherence", "covered", "asked", "folder", "same", "placed"),
    *("defines", "mentions", "overlap", "copied", "terms"),
)
_SHARES = ("coherent_dense", "dominant", "mixed", "words_again", "by_words")
_FACTORS = (
    *("unasked", "tests", "prose", "minor"),
    *("further", "bare", "words_power"),
)
