"""IBM1: how probable output and source are as translations of each other, word by word, with no reference.

Popović, Vilar, Avramidis and Burchardt (2011), "Evaluation without references: IBM1 scores as evaluation metrics", WMT;
Popović (2012), "Morpheme- and POS-based IBM1 and language model scores for translation quality estimation", WMT. The
units are words, morphemes (ibm1-morpheme of WMT19) or 4-grams of part-of-speech tags (ibm1-pos4gram). Their lexical
probabilities are estimated from a parallel corpus, read from files, or, if nothing is given, estimated from the sources
and all outputs of the test set itself: then a score depends on the other systems, and the signature has a checksum of
all.
"""

import hashlib
import logging
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from ...data.testset import checksum
from ...errors import UsageError
from ...language.lexical_tables import FORMATS, LexicalTable, check_parallel, read_table, train_table
from ...language.morphemes import Morphemes
from ...language.ngram_models import NgramModel
from ...text.coding import whole_characters
from ...text.scripts import base_code
from ...text.tokenisers import lower, tokenise
from .. import Corpus, Floats, Learnt, Metric, Shard, param

log = logging.getLogger(__name__)

DIRECTIONS = {"both": ("output", "source"), "output": ("output",), "source": ("source",)}
SHARD = 10_000  # segments in memory at once beside what is learnt from
TAGS = 4  # of an n-gram of tags
LM_ORDER = 4
LONGEST = 300  # units of a text that probabilities are estimated from
# Where blanks do not divide words; elsewhere blanks and punctuation marks do.
TOKENISERS = {"zh": "zh", "ja": "ja-mecab", "th": "char", "lo": "char", "km": "char", "my": "char"}

Units = list[list[str]]


@dataclass(frozen=True)
class TranslationSide:
    """How texts of one side become units: the language, and what was learnt from its words and tags.

    tags: of the texts that were learnt from, because parsing is slow; other texts are parsed when they are scored.
    """

    language: str | None
    parser: str | None = None
    morphemes: Morphemes | None = None
    tags: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class LexicalModels:
    """The models that compute scores. Signatures have the checksum of the texts or tables they were learnt from.

    table: probabilities of output units given source units; back: the other way round.
    """

    checksum: str
    source: TranslationSide = field(repr=False, compare=False)
    output: TranslationSide = field(repr=False, compare=False)
    table: LexicalTable | None = field(repr=False, compare=False)
    back: LexicalTable | None = field(repr=False, compare=False)
    lm: NgramModel | None = field(repr=False, compare=False)


@dataclass(frozen=True)
class IBM1(Metric):
    """The logarithm of the probability of a unit by IBM Model 1, mean of both directions: below 0, higher is better.

    of: words, morphemes, or tags (4-grams of part-of-speech tags).
    direction: output (the probability of the output given the source), source (of the source given the output), or
        both.
    lm: add the probability of the output by a 4-gram language model of its units as one more part of the mean.
    lowercase: ignore case.
    corpus: two parallel files to estimate from, as SRC+TGT; without it, and without tables, the test set is used.
    table: a file with the probabilities of the outputs' words given the source's, instead of estimates (of=words).
    back: the same for the source's words given the outputs'.
    format: of these files, tsv, giza or moses.
    parser: for the outputs' tags, as spacy:MODEL or conllu:FILE; None is the installed one for the language.
    source_parser: the same for the sources.
    parses: a folder that keeps parses for later runs; scores do not depend on it.
    """

    of: str = param("morphemes", choices=("words", "morphemes", "tags"), noun="unit")
    direction: str = param("both", choices=DIRECTIONS)
    lm: bool = False
    lowercase: bool = True
    corpus: str | None = param()
    table: str | None = param(file=True)
    back: str | None = param(file=True)
    format: str = param("tsv", choices=FORMATS)
    parser: str | None = param()
    source_parser: str | None = param()
    parses: str | None = param(local=True)

    needs = frozenset({"source"})
    paper = "Popović (2012), Morpheme- and POS-based IBM1 and language model scores for translation quality estimation"

    def validate(self) -> None:
        if self.corpus is not None and (self.corpus.count("+") != 1 or "" in self.corpus.split("+")):
            raise UsageError(f"ibm1: corpus must be two files, as SRC+TGT, not {self.corpus!r}.")
        self._check_tables()

    def _check_tables(self) -> None:
        if self.table is None and self.back is None:
            return
        if self.of != "words" or self.corpus is not None:
            raise UsageError("ibm1: tables are of words and stand for a corpus: give of=words, and no corpus.")
        for name, direction in (("table", "output"), ("back", "source")):
            given, wanted = getattr(self, name) is not None, direction in DIRECTIONS[self.direction]
            if given != wanted:
                raise UsageError(
                    f"ibm1: direction={self.direction} {'needs a' if wanted else 'does not read the'} table "
                    f"'{name}', of the probabilities of the {direction}'s words."
                )

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts whose mean is the score."""
        return (*DIRECTIONS[self.direction], *(["lm"] if self.lm else []))

    def signature_items(self) -> dict[str, str]:
        """Return the items; the format of tables only where there are tables."""
        items = super().signature_items()
        if self.table is None and self.back is None:
            del items["format"]
        return items

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        if self.of == "tags" and testset.pair is None:
            raise UsageError(
                f"ibm1: tags need to know the languages, and test set {testset.name!r} does not say them: "
                "set `pair`, as ru-en."
            )

    def learn(self, testset: Corpus) -> Learnt:
        """Take probabilities from the corpus, from the tables, or from all texts of the test set."""
        languages = [base_code(code) for code in testset.pair.split("-")] if testset.pair else [None, None]
        source, output = TranslationSide(languages[0], self.source_parser), TranslationSide(languages[-1], self.parser)
        table = None if self.table is None else read_table(self.table, format=self.format)
        back = None if self.back is None else read_table(self.back, format=self.format)
        digests, lm = [_digest(each) for each in (table, back) if each is not None], None
        estimated = not digests
        if estimated or self.lm:
            sources, outputs = _read_testset(testset) if self.corpus is None else _read_corpus(self.corpus)
            source, source_units = self._learn_side(source, sources)
            output, output_units = self._learn_side(output, outputs)
            digests += [checksum([" ".join(text) for text in units]) for units in (source_units, output_units)]
            if estimated and "output" in self.parts:
                table = train_table(source_units, output_units, longest=LONGEST)
            if estimated and "source" in self.parts:
                back = train_table(output_units, source_units, longest=LONGEST)
            if self.lm:
                from ...language.kneser_ney import estimate

                read = self._lm_units(output, outputs, output_units)
                lm = estimate([" ".join(text) for text in read], order=LM_ORDER)
        models = LexicalModels(checksum(digests)[:16], source, output, table, back, lm)
        return Learnt(models, {"learnt": models.checksum})

    def _learn_side(self, side: TranslationSide, texts: Sequence[str]) -> tuple[TranslationSide, Units]:
        """Return the side with what it learns from texts, and the units of the texts."""
        if self.of == "tags":
            side = replace(side, tags=self._parse(side, texts))
        elif self.of == "morphemes":
            from ...language.morphemes import learn_morphemes

            side = replace(side, morphemes=learn_morphemes(Counter(chain.from_iterable(self._words(side, texts)))))
        return side, self._units(side, texts)

    def _words(self, side: TranslationSide, texts: Sequence[str]) -> Units:
        name = TOKENISERS.get(side.language or "", "intl")
        whole = [whole_characters(text) for text in texts]
        return tokenise(lower(whole) if self.lowercase else whole, name).strings()

    def _units(self, side: TranslationSide, texts: Sequence[str]) -> Units:
        if self.of == "tags":
            return [_grams(tags) for tags in self._tags(side, texts)]
        words = self._words(side, texts)
        if side.morphemes is None:
            return words
        parts = {word: side.morphemes.split(word) for word in dict.fromkeys(chain.from_iterable(words))}
        return [[part for word in text for part in parts[word]] for text in words]

    def _tags(self, side: TranslationSide, texts: Sequence[str]) -> list[tuple[str, ...]]:
        known = side.tags or {}
        new = [text for text in texts if text not in known]
        if new:
            known = {**known, **self._parse(side, new)}
        return [known[text] for text in texts]

    def _parse(self, side: TranslationSide, texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        from ...language.parsing import parse

        parsed = parse(texts, str(side.language), backend=side.parser, cache=self.parses)
        return {
            text: tuple(token.upos or token.xpos or "X" for token in sentence.tokens)
            for text, sentence in zip(texts, parsed, strict=True)
        }

    def _lm_units(self, side: TranslationSide, texts: Sequence[str], units: Units) -> Sequence[Sequence[str]]:
        """Return what the language model reads: the units; for tags single tags."""
        return self._tags(side, texts) if self.of == "tags" else units

    def count(self, shard: Shard, opened: LexicalModels | None) -> dict[str, Floats]:
        """Count for each part the logarithm of the probability, and the number of units."""
        models = self.learnt(opened, "lexical probabilities are")
        source = self._units(models.source, shard.source or ())
        return {system: self._count(outputs, source, models) for system, outputs in shard.outputs.items()}

    def _count(self, outputs: Sequence[str], source: Units, models: LexicalModels) -> Floats:
        output = self._units(models.output, outputs)
        columns: list[Floats] = []
        if models.table is not None:
            columns += [models.table.log_probabilities(source, output), _lengths(output)]
        if models.back is not None:
            columns += [models.back.log_probabilities(output, source), _lengths(source)]
        if models.lm is not None:
            scored = models.lm.score([" ".join(text) for text in self._lm_units(models.output, outputs, output)])
            columns += [scored.totals() * math.log(10), (scored.words + 1).astype(np.float64)]
        return np.stack(columns, axis=1)

    def score(self, totals: Floats) -> Floats:
        means = _means(totals)
        parts = np.isfinite(means).sum(-1)
        total = np.nansum(means, axis=-1)
        return np.asarray(np.divide(total, parts, out=np.full(total.shape, np.nan), where=parts > 0))

    def details(self, totals: Floats) -> dict[str, object]:
        """Return each part; None if it has no units."""
        return {
            name: None if np.isnan(mean) else float(mean)
            for name, mean in zip(self.parts, _means(totals).tolist(), strict=True)
        }

    def verbose(self, totals: Floats) -> str:
        means = zip(self.parts, _means(totals).tolist(), strict=True)
        return ", ".join(f"{name} –" if math.isnan(mean) else f"{name} {mean:.3f}" for name, mean in means)


def _means(totals: Floats) -> Floats:
    """Return the mean of each part over its units; NaN for an empty text."""
    logs, units = totals[..., 0::2], totals[..., 1::2]
    return np.asarray(np.divide(logs, units, out=np.full(logs.shape, np.nan), where=units > 0))


def _lengths(units: Units) -> Floats:
    return np.array([len(text) for text in units], dtype=np.float64)


def _grams(tags: Sequence[str]) -> list[str]:
    """Return the 4-grams of tags; a shorter sentence is one n-gram of all its tags."""
    starts = range(max(len(tags) - TAGS + 1, min(len(tags), 1)))
    return ["_".join(tags[start : start + TAGS]) for start in starts]


def _read_corpus(corpus: str) -> tuple[list[str], list[str]]:
    from ...data.lines import read_lines

    source, output = (read_lines(path) for path in corpus.split("+"))
    check_parallel(source, output)
    return source, output


def _read_testset(testset: Corpus) -> tuple[list[str], list[str]]:
    """Return the sources, each with every system's output; sorted, so that the order of systems has no effect."""

    def pairs() -> Iterator[tuple[str, str]]:
        for shard in testset.shards(SHARD):
            for outputs in shard.outputs.values():
                yield from zip(shard.source or (), outputs, strict=True)

    if len(testset.outputs) == 1:
        log.warning(
            "ibm1 learns from the outputs of one system alone, which says little: give more systems, or a corpus."
        )
    rows = sorted(pairs())
    return [source for source, _ in rows], [output for _, output in rows]


def _digest(table: LexicalTable) -> str:
    digest = hashlib.sha256("\n".join((*table.source_words, *table.target_words)).encode("utf-8", "surrogatepass"))
    for array in (table.starts, table.targets, table.probabilities):
        digest.update(array.tobytes())
    return digest.hexdigest()
