"""What counts how much where passages of code are ranked."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.errors import ConfigError


@dataclass(frozen=True, slots=True)
class RankCodeConfig:
    """Weights of the parts of a file's score, against 1 for its best passage; 0 leaves a part out.

    `coherence`: how much of what was found lies in the file, of which `coherent_dense` is the dense
    side's where both are known: 0, .4, .75 give .908, .907, .900 on code-search-dev, and a question
    in another language than the code has no words to share. `coherent_from`: what a passage must
    score to count there, less than it nothing and more in proportion: 0, .1, .15, .2, .25 give
    .913, .918, .918, .917, .919 with the model and .915, .916, .916, .914, .914 by words.
    `covered`: the share of its name that the question has. `asked`: the share of the question that
    its name has. `folder`: the same of its folder. `same`: the question names it. `defines`: it
    defines a name that is written like code in the question; `mentions`: any word of the question.
    `overlap`: the best share of the question in the name of one definition. `source_named`: whether
    the name of the source is a word of names of its files; where all that was found is of one
    source, it says nothing about them. `words_power`: to what power scores are taken that words
    alone have given, after the first is 1: .6, .7, .8, 1 give .924, .923, .922, .919.

    `tests`, `prose` and `minor` multiply the score of tests, of what is no code (in collections of
    code), and of examples and the like; 1 switches them off, and so does a question that asks for
    such files. `further` multiplies the score of each further passage of a file, `bare` that
    of one that is nothing but comments and imports, within its file. `mixed`: how much the order of
    files counts where documentation is found beside code. `pool`: so many candidates are loaded at
    least where there is a collection of code.

    Figures: docs/decisions/0020, 0028 and 0037.
    """

    coherence: float = 0.6
    coherent_dense: float = 0.4
    coherent_from: float = 0.15
    covered: float = 0.5
    asked: float = 0.35
    folder: float = 0.2
    same: float = 0.3
    defines: float = 0.3
    mentions: float = 0.1
    overlap: float = 0.2
    tests: float = 0.5
    prose: float = 0.5
    minor: float = 0.6
    further: float = 0.7
    bare: float = 0.5
    mixed: float = 0.5
    pool: int = 100
    source_named: bool = False
    words_power: float = 0.7
    enabled: bool = True

    def __post_init__(self) -> None:
        for name in _WEIGHTS:
            if not 0 <= getattr(self, name) <= 10:
                raise ConfigError(f"rank_code.{name} is {getattr(self, name)}; it must be in 0..10")
        for name in _FACTORS:
            if not 0 < getattr(self, name) <= 1:
                raise ConfigError(
                    f"rank_code.{name} is {getattr(self, name)}; it must be above 0 and at most 1"
                )
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"rank_code.{name} is {getattr(self, name)}; it must be in 0..1")
        if self.coherent_from == 1:
            raise ConfigError("rank_code.coherent_from is 1; it must be below 1")
        if self.pool < 1:
            raise ConfigError(f"rank_code.pool is {self.pool}; it must be at least 1")


_WEIGHTS = ("coherence", "covered", "asked", "folder", "same", "defines", "mentions", "overlap")
_SHARES = ("coherent_dense", "coherent_from", "mixed")
_FACTORS = ("tests", "prose", "minor", "further", "bare", "words_power")
