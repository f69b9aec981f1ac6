"""METEOR: F of an alignment by words, stems, synonyms and paraphrases, with a penalty for fragmentation.

Denkowski and Lavie (2014), "Meteor Universal: Language Specific Translation Evaluation for Any Target Language", WMT;
(2011), "Meteor 1.3: Automatic Metric for Reliable Optimization and Evaluation of Machine Translation Systems", WMT. The
score is a mean of precision and recall of the aligned words with more weight on recall. Function words and matches of
different words count less. A penalty grows with the number of chunks of the alignment. variant=original equals METEOR
1.5; the default does what the papers say where that program does not, see `VARIANTS`. gaps and copy are after Guo and
Hu (2019), "Meteor++ 2.0: Adopt Syntactic Level Paraphrase Knowledge into Machine Translation Evaluation", WMT; vectors
after Servan et al. (2016), "Word2Vec vs DBnary: Augmenting METEOR using Vector Representations or Lexical Resources?",
COLING.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ...data.files import is_file
from ...data.testset import TestSet
from ...errors import UnknownName, UsageError
from ...language.meteor_alignment import MATCHERS, Aligner, Texts, describe
from ...language.paraphrases import find_table
from ...language.stemming import LANGUAGES as STEMMED
from ...text.coding import Ints
from ...text.explanations import Alignment, Link, Seen, alone_in
from ...text.meteor import LANGUAGES as NORMALISED
from ...text.meteor import normalise
from ...text.tokenisers import names as tokenisers
from ...text.tokenisers import tokenise
from .. import BestReferenceMetric, Floats, Shard, param
from ..bases.pairs import owners, refuse_long

# original is METEOR 1.5, with its differences from the papers: the search counts stems, synonyms and paraphrases by
# half and rounds down, so that most of them cover nothing; it adds the distance of a match to alignments without it; it
# uses the English function words for every language; words with the same hash in Java (je and l') are equal, and so are
# 282 pairs of synsets.
VARIANTS = ("corrected", "original")

# alpha, beta, gamma, delta; weights of stem, synonym, paraphrase. rank, adq and hter are tuned to rankings, adequacy
# judgements and HTER; li and tune are METEOR 1.5's for all languages, universal those of the 2014 paper.
PARAMETERS: dict[tuple[str, str], tuple[float, ...]] = {
    ("en", "rank"): (0.85, 0.20, 0.60, 0.75, 0.6, 0.8, 0.6),
    ("en", "adq"): (0.75, 1.40, 0.45, 0.70, 1.0, 0.6, 0.8),
    ("en", "hter"): (0.40, 1.50, 0.35, 0.55, 0.2, 0.6, 0.8),
    ("cs", "rank"): (0.95, 0.20, 0.60, 0.80, 0.0, 0.0, 0.4),
    ("de", "rank"): (0.95, 1.00, 0.55, 0.55, 0.8, 0.0, 0.2),
    ("es", "rank"): (0.65, 1.30, 0.50, 0.80, 0.8, 0.0, 0.6),
    ("fr", "rank"): (0.90, 1.40, 0.60, 0.65, 0.2, 0.0, 0.4),
    ("ru", "rank"): (0.75, 1.40, 0.70, 0.50, 0.5, 0.5, 0.5),
    ("*", "li"): (0.75, 1.40, 0.70, 0.50, 0.5, 0.5, 0.5),
    ("*", "tune"): (0.50, 1.00, 0.50, 0.50, 0.5, 0.5, 0.5),
    ("*", "universal"): (0.70, 1.40, 0.30, 0.70, 0.0, 0.0, 0.6),
}
TUNED = ("alpha", "beta", "gamma", "delta", "stem", "synonym", "paraphrase")
TASKS = sorted({task for _, task in PARAMETERS})
LANGUAGES = sorted({*NORMALISED, *STEMMED})
TOKENISERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # by language of the outputs, as for BLEU
BLANK = re.compile(r"[ \t\n\r\f]+")  # as METEOR 1.5 splits words; a no-break space does not
ENDS = frozenset(".!?:\"'”“„«»-–—()…")  # after these words a capital letter is no sign of a name


@dataclass(frozen=True)
class MatcherAlignment(Alignment):
    """An alignment in chunks, each link labelled with its matcher."""

    names_reference: ClassVar[bool] = False

    def lines(self, other: str = "reference") -> list[str]:
        lines = [f"{'chunk':>5}  {'matcher':<10}  output = reference"]
        for link in self.links:
            output, reference = (
                " ".join(words[i] for i in positions)
                for words, positions in ((self.output, link.output), (self.other, link.other))
            )
            lines.append(f"{link.values['chunk']:>5}  {link.label:<10}  {output} = {reference}")
        for name, words, positions in (
            ("output", self.output, [link.output for link in self.links]),
            ("reference", self.other, [link.other for link in self.links]),
        ):
            lines.append(f"       {name + ' only':<14}  {' '.join(alone_in(words, positions)) or '(nothing)'}")
        return lines


@dataclass(frozen=True)
class METEOR(BestReferenceMetric):
    """METEOR, 0 to 1; of a system by the sums of its segments' statistics, not by their mean.

    language: of the outputs: cs, de, en, es, fr, ru and others with a stemmer, or `other`.
    task: what the parameters were tuned to: rank, adq or hter (English), li, tune, universal.
    matchers: out of exact+stem+synonym+paraphrase; by default all that the language has.
    paraphrases: a file, or a data set (`tercet data add`), with a table: METEOR's, PPDB's, or pairs divided by a tab.
    alpha, beta, gamma, delta: weight of recall; exponent and weight of fragmentation; weight of content words.
    stem, synonym, paraphrase: weights of these matches; an equal word has 1. All of these are set by language and task.
    tokenize: `meteor` is METEOR's -norm; other tokenisers by name.
    lowercase: ignore case. punctuation: whether it counts (false: -noPunct).
    beam: how many alignments the search keeps.
    vectors: a file of word vectors: word2vec, GloVe or fastText. cosine: words above this match as paraphrases.
    gaps: the most words in the gap of a paraphrase such as protect … from, protect … against; 0: no such paraphrases.
    copy: the weight of content words that translations copy, numbers and names, relative to others.
    variant: corrected, or original, which is METEOR 1.5 with its errors.
    """

    language: str = param(choices=(*LANGUAGES, "other"))
    task: str = param(choices=TASKS)
    matchers: str = param()
    paraphrases: str | None = param(file=find_table, checksum="table")
    alpha: float = param(low=0, high=1)
    beta: float = param(low=0, high=10)
    gamma: float = param(low=0, high=1)
    delta: float = param(low=0, high=1)
    stem: float = param(low=0, high=1)
    synonym: float = param(low=0, high=1)
    paraphrase: float = param(low=0, high=1)
    tokenize: str = param()
    lowercase: bool = True
    punctuation: bool = param(True, quiet=True)
    beam: int = param(40, low=1, high=1000, quiet=True)
    vectors: str | None = param(file=True, checksum="vector_file")
    cosine: float = param(0.86, low=-1, high=1, quiet=True)
    gaps: int = param(0, low=0, high=20, quiet=True)
    copy: float = param(1.0, low=0, high=1000, quiet=True)
    variant: str = param("corrected", choices=VARIANTS)

    explains = (Alignment,)
    summary = (
        "(P = {precision:.3f} R = {recall:.3f} penalty = {penalty:.3f} chunks = {chunks} hyp_len = {sys_len} "
        "ref_len = {ref_len})"
    )
    paper = (
        "Denkowski and Lavie (2014), Meteor Universal: Language Specific Translation Evaluation for Any Target Language"
    )

    def validate(self) -> None:
        self.path_of_table()
        chosen = self.matchers.split("+") if self.matchers else []
        for name in chosen:
            if name not in MATCHERS:
                raise UnknownName("matcher of meteor", name, MATCHERS)
        if chosen and "exact" not in chosen:
            raise UsageError(f"meteor: the matcher exact cannot be left out, as in {self.matchers}.")
        if "paraphrase" in chosen and self.paraphrases is None and self.vectors is None:
            raise UsageError("meteor: the matcher paraphrase needs a table, paraphrases=FILE.")
        if self.vectors is not None and not is_file(self.vectors):
            raise UsageError(f"meteor: there is no file {self.vectors} with word vectors.")
        if self.tokenize and self.tokenize not in ("meteor", *tokenisers()) and not self.tokenize.startswith("moses-"):
            raise UnknownName("tokeniser of meteor", self.tokenize, ("meteor", *tokenisers()))
        if not self.punctuation and self.tokenize not in (None, "meteor"):
            raise UsageError("meteor: punctuation=false goes with tokenize=meteor alone.")
        if self.gaps and self.paraphrases is None:
            raise UsageError("meteor: gaps needs the matcher paraphrase, with a table: paraphrases=FILE.")
        if self.language is not None:
            self._check_language(chosen)

    def _check_language(self, chosen: Sequence[str]) -> None:
        """Raise UsageError for matchers and tokenisers that the language does not have."""
        possible, settled = self._possible(self.language), self.defaults(self.language)
        for name in chosen:
            if name not in possible:
                raise UsageError(f"meteor: the matcher {name} needs another language than {self.language}.")
        tokenize = self.tokenize or settled["tokenize"]
        if tokenize == "meteor" and self.language not in NORMALISED:
            raise UsageError(f"meteor: tokenize=meteor is for {', '.join(NORMALISED)}, not for {self.language}.")
        if not self.punctuation and tokenize != "meteor":
            raise UsageError("meteor: punctuation=false goes with tokenize=meteor alone.")

    def path_of_table(self) -> Path | None:
        """Return the file with the paraphrases; raise UsageError if there is none of that name."""
        return None if self.paraphrases is None else find_table(self.paraphrases)

    def _possible(self, language: str) -> list[str]:
        phrases = self.paraphrases is not None or self.vectors is not None
        has = {"stem": language in STEMMED, "synonym": language == "en", "paraphrase": phrases}
        return [name for name in MATCHERS if has.get(name, True)]

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        by_language = "en" if language is None else language if language in LANGUAGES else "other"
        own = self.language or by_language
        task = self.task or ("rank" if (own, "rank") in PARAMETERS else "li")
        values = PARAMETERS.get((own, task)) or PARAMETERS.get(("*", task))
        if values is None:
            raise UsageError(
                f"meteor: there are no parameters for task {task} in language {own}. "
                "Give task=li, or all of alpha, beta, gamma and delta with task=li."
            )
        unspaced = TOKENISERS.get(language or "") if self.language is None and own == "other" else None
        return {
            "language": own,
            "task": task,
            "matchers": "+".join(self._possible(own)),
            **dict(zip(TUNED, values, strict=True)),
            "tokenize": unspaced or ("meteor" if own in NORMALISED else "none"),
        }

    def resolved(self, language: str | None = None) -> Self:
        """Return a metric with all parameters settled, and the matchers in their own order."""
        settled = super().resolved(language)
        chosen = settled.matchers.split("+")
        return replace(settled, matchers="+".join(name for name in MATCHERS if name in chosen))

    @property
    def compatible(self) -> str | None:
        same = self.variant == "original" and not self.gaps and self.copy == 1 and self.vectors is None
        return "meteor1.5" if same else None

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the words of texts; their case is kept."""
        if self.tokenize == "meteor":
            texts = [normalise(text, self.language, punctuation=self.punctuation) for text in texts]
        elif self.tokenize != "none" or self.variant != "original":
            return tokenise(texts, self.tokenize).strings()
        return [[word for word in BLANK.split(text) if word] for text in texts]

    def read(self, texts: Sequence[str], opened: object = None, *, base: Texts | None = None) -> Texts:
        words = self._words(texts)
        copied = None if self.copy == 1 else [_copied(text) for text in words]
        if self.lowercase:
            words = [[word.lower() for word in text] for text in words]
        return self.aligner.read(words, copied, base.lexicon if base is not None else None)

    @property
    def aligner(self) -> Aligner:
        return Aligner(
            language=self.language, matchers=tuple(self.matchers.split("+")), table=self.paraphrases, gaps=self.gaps,
            vectors=self.vectors, cosine=self.cosine, beam=self.beam, original=self.variant == "original",
        )  # fmt: skip

    def aligned(self, outputs: Sequence[str], references: Texts, whose: Ints) -> tuple[Floats, Texts, Any]:
        """Return the counts for every reference, the outputs as read, and the links."""
        texts = self.read(outputs, base=references)
        refuse_long("meteor", "words", outputs, texts.units.lengths, references.units.lengths, whose)
        counts, links = self.aligner.align_pairs(texts, references, whose)
        # A segment that matches in one piece from the first word to the last is not broken at all: it has no chunks.
        counts[(counts[:, 6] == 1) & (counts[:, 7:].sum(1) == counts[:, :6].sum(1)), 6] = 0
        return counts, texts, links

    def compare(self, outputs: Sequence[str], references: Texts, whose: Ints) -> Floats:
        """Count words of both texts by kind, chunks, and matched words by matcher, text and kind: kernels.beam."""
        return self.aligned(outputs, references, whose)[0]

    def score(self, totals: Floats) -> Floats:
        *_, mean, penalty = self._parts(totals)
        return np.asarray(mean * (1 - penalty))

    def _parts(self, totals: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return precision, recall, their weighted harmonic mean, and the fragmentation penalty."""
        kinds = np.array([self.delta, 1 - self.delta, self.delta * self.copy])
        weights = np.array([1.0, self.stem, self.synonym, self.paraphrase])
        matched = totals[..., 7:].reshape(*totals.shape[:-1], len(MATCHERS), 6)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.nan_to_num((matched[..., :3] @ kinds) @ weights / (totals[..., :3] @ kinds))
            recall = np.nan_to_num((matched[..., 3:] @ kinds) @ weights / (totals[..., 3:6] @ kinds))
            mean = 1 / ((1 - self.alpha) / precision + self.alpha / recall)
            chunks = totals[..., 6]
            words = matched.sum((-1, -2))
            broken = np.where(words > 0, 2 * chunks / words, 0.0)
            penalty = self.gamma * broken**self.beta * (broken > 0)
        mean = np.where((precision > 0) & (recall > 0), mean, 0.0)
        return precision, recall, mean, penalty

    def details(self, totals: Floats) -> dict[str, Any]:
        precision, recall, mean, penalty = (float(part) for part in self._parts(totals))
        matched = totals[7:].reshape(len(MATCHERS), 2, 3).sum(-1).astype(int)
        return {
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
            "fmean": mean,
            "penalty": penalty,
            "chunks": int(totals[6]),
            "matches": {name: matched[i].tolist() for i, name in enumerate(MATCHERS) if name in self.matchers},
            "sys_len": int(totals[:3].sum()),
            "ref_len": int(totals[3:6].sum()),
        }

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        expected = self.read([reference])
        _, texts, links = self.aligned([output], expected, np.zeros(1, dtype=np.int64))
        found = describe(texts.words[0], expected.words[0], links.tolist())
        weights = {"exact": 1.0, "stem": self.stem, "synonym": self.synonym, "paraphrase": self.paraphrase}
        shown = [
            Link(link.output, link.reference, weights[link.matcher], link.matcher, {"chunk": link.chunk + 1})
            for link in found.links
        ]
        return Seen(parts=[MatcherAlignment(found.output, found.reference, shown)])


def _copied(words: Sequence[str]) -> list[bool]:
    """Return which words a translation copies: those with a digit, and those with a capital within a sentence."""
    before = [".", *words][: len(words)]
    return [
        any(map(str.isdigit, word)) or (word[:1].isupper() and previous not in ENDS)
        for word, previous in zip(words, before, strict=True)
    ]


def tune(
    testset: TestSet,
    judgements: Mapping[str, Sequence[float]],
    *,
    metric: METEOR | None = None,
    target: str = "kendall",
    step: float = 0.05,
    rounds: int = 20,
) -> METEOR:
    """Return the metric with the parameters that agree best with human judgements of segments.

    judgements: by system, one number for each segment, higher is better, NaN where there is none. target: `kendall`,
    over pairs of systems within a segment that people did not judge equal (a tie of the metric counts as wrong, as at
    WMT17 to WMT19), or `pearson` over all segments. One parameter after the other is set to the best of its values, in
    steps, until nothing improves. Test the result on other judgements: on the same ones its agreement is too high.
    """
    metric = (metric or METEOR()).resolved(testset.target_language)
    if target not in TARGETS:
        raise UnknownName("target of tuning", target, TARGETS)
    if not 0 < step <= 1 or rounds < 1:
        raise UsageError(f"tune: step must be above 0 and up to 1, rounds 1 or more; not {step} and {rounds}.")
    for system in judgements:
        if system not in testset.outputs:
            raise UnknownName("system", system, testset.outputs)
        if len(judgements[system]) != len(testset):
            raise UsageError(f"tune: {len(judgements[system])} judgements of {system!r} for {len(testset)} segments.")
    people = np.array([judgements[system] for system in judgements], dtype=np.float64).reshape(len(judgements), -1)
    references, groups = metric.prepare(Shard(testset), None)
    counts = np.array([metric.compare(testset.outputs[each], references, owners(groups)) for each in judgements])

    def agreement(candidate: METEOR) -> float:
        scores = np.maximum.reduceat(candidate.score(counts), groups[:-1], axis=1)
        return TARGETS[target](scores, people)

    if not np.isfinite(best := agreement(metric)):
        raise UsageError(
            "tune: the judgements have no two systems or segments that differ; nothing can be learnt from them."
        )
    names = [name for name in TUNED if name in (*TUNED[:4], *metric.matchers.split("+"))]
    for _ in range(rounds):
        before = best
        for name in names:
            values = np.arange(0, (3 if name == "beta" else 1) + step / 2, step)
            for value in values.round(6).tolist():
                candidate = replace(metric, **{name: min(value, 3.0 if name == "beta" else 1.0)})
                if (reached := agreement(candidate)) > best:
                    metric, best = candidate, reached
        if best == before:
            break
    return metric


def _kendall(scores: Floats, people: Floats) -> float:
    first, second = np.triu_indices(len(people), 1)
    judged = people[first] - people[second]
    compared = np.isfinite(judged) & (judged != 0)
    right = int((((scores[first] - scores[second]) * judged > 0) & compared).sum())
    number = int(compared.sum())
    return (2 * right - number) / number if number else float("nan")


def _pearson(scores: Floats, people: Floats) -> float:
    judged = np.isfinite(people)
    a, b = scores[judged], people[judged]
    return float(np.corrcoef(a, b)[0, 1]) if len(a) > 1 and a.std() and b.std() else float("nan")


TARGETS = {"kendall": _kendall, "pearson": _pearson}
