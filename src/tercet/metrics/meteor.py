"""METEOR: output and reference aligned by words, stems, synonyms and paraphrases; F of that, less for fragmentation.

Denkowski and Lavie (2014), "Meteor Universal: Language Specific Translation Evaluation for Any Target Language", WMT;
(2011), "Meteor 1.3: Automatic Metric for Reliable Optimization and Evaluation of Machine Translation Systems", WMT.
Precision and recall of the aligned words, in which function words and matches of unequal words count less, make a mean
that leans to recall; it is lowered the more chunks the alignment falls into. variant=original equals METEOR 1.5; the
default does what the papers say where that program does not, see `VARIANTS`. gaps and copy are after Guo and Hu (2019),
"Meteor++ 2.0: Adopt Syntactic Level Paraphrase Knowledge into Machine Translation Evaluation", WMT.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..data.files import file_checksum
from ..data.testset import TestSet
from ..errors import UnknownName, UsageError
from ..language.meteor_alignment import MATCHERS, Aligner, Alignment, Texts, describe
from ..language.paraphrases import find_table
from ..language.stemming import LANGUAGES as STEMMED
from ..text.coding import Ints
from ..text.meteor import LANGUAGES as NORMALISED
from ..text.meteor import normalise
from ..text.tokenisers import names as tokenisers
from ..text.tokenisers import tokenise
from ._contract import Batch, Floats, Metric, group_references
from ._pairs import best_rows, owners, refuse_long

# original is METEOR 1.5, with what in it is not as the papers say: the search counts stems, synonyms and paraphrases by
# half and rounds down, so that most of them cover nothing; it adds the distance of a match to alignments that do not
# have it; it takes the English function words for every language, words with the same hash in Java (je and l') for
# equal, and 282 pairs of synsets for one.
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
BLANK = re.compile(r"[ \t\n\r\f]+")  # as METEOR 1.5 divides words, also where a no-break space stands
ENDS = frozenset(".!?:\"'”“„«»-–—()…")  # after these words a capital letter is no sign of a name


class _References(NamedTuple):
    texts: Texts
    groups: Ints


@dataclass(frozen=True)
class METEOR(Metric):
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
    gaps: the most words in the gap of a paraphrase such as protect … from, protect … against; 0: no such paraphrases.
    copy: how many times as much as others those content words count that translations copy: numbers and names.
    variant: corrected, or original, which is METEOR 1.5 with its errors.
    """

    language: str = "en"
    task: str | None = None
    matchers: str | None = None
    paraphrases: str | None = None
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    delta: float | None = None
    stem: float | None = None
    synonym: float | None = None
    paraphrase: float | None = None
    tokenize: str | None = None
    lowercase: bool = True
    punctuation: bool = True
    beam: int = 40
    gaps: int = 0
    copy: float = 1.0
    variant: str = "corrected"

    paper: ClassVar[str] = (
        "Denkowski and Lavie (2014), Meteor Universal: Language Specific Translation Evaluation for Any Target Language"
    )

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownName("variant of meteor", self.variant, VARIANTS)
        if self.language not in (*LANGUAGES, "other"):
            raise UnknownName("language of meteor", self.language, (*LANGUAGES, "other"))
        put = object.__setattr__
        put(self, "task", self.task or ("rank" if (self.language, "rank") in PARAMETERS else "li"))
        if self.task not in TASKS:
            raise UnknownName("task of meteor", str(self.task), TASKS)
        values = PARAMETERS.get((self.language, str(self.task))) or PARAMETERS.get(("*", str(self.task)))
        if values is None:
            raise UsageError(
                f"meteor: there are no parameters for task {self.task} in language {self.language}. "
                "Give task=li, or all of alpha, beta, gamma and delta with task=li."
            )
        for name, value in zip(TUNED, values, strict=True):
            given = getattr(self, name)
            put(self, name, float(value if given is None else given))
            if not 0 <= getattr(self, name) <= (10 if name == "beta" else 1):
                most = "10" if name == "beta" else "1"
                raise UsageError(f"meteor: {name} must be a number from 0 to {most}, not {given}.")
        self._check_matchers()
        self._check_text()

    def _check_matchers(self) -> None:
        put = object.__setattr__
        if self.paraphrases is not None:
            if set(self.paraphrases) & set("|,"):
                raise UsageError(
                    f"meteor: the name of a table of paraphrases must not hold '|' or ',': {self.paraphrases}"
                )
            find_table(self.paraphrases)
        possible = {
            "exact": True,
            "stem": self.language in STEMMED,
            "synonym": self.language == "en",
            "paraphrase": self.paraphrases is not None,
        }
        chosen = [name for name in MATCHERS if possible[name]] if self.matchers is None else self.matchers.split("+")
        for name in chosen:
            if name not in MATCHERS:
                raise UnknownName("matcher of meteor", name, MATCHERS)
            if not possible[name]:
                need = "a table, paraphrases=FILE" if name == "paraphrase" else f"another language than {self.language}"
                raise UsageError(f"meteor: the matcher {name} needs {need}.")
        if "exact" not in chosen:
            raise UsageError(f"meteor: the matcher exact cannot be left out, as in {self.matchers}.")
        put(self, "matchers", "+".join(name for name in MATCHERS if name in chosen))
        if not 1 <= self.beam <= 1000:
            raise UsageError(f"meteor: beam must be 1 to 1000, not {self.beam}.")
        if not 0 <= self.gaps <= 20:
            raise UsageError(f"meteor: gaps must be 0 to 20, not {self.gaps}.")
        if self.gaps and "paraphrase" not in chosen:
            raise UsageError("meteor: gaps needs the matcher paraphrase, with a table that has gaps: paraphrases=FILE.")
        if not 0 <= self.copy <= 1000:
            raise UsageError(f"meteor: copy must be a number from 0 to 1000, not {self.copy}.")
        put(self, "copy", float(self.copy))

    def _check_text(self) -> None:
        tokenize = self.tokenize or ("meteor" if self.language in NORMALISED else "none")
        if tokenize == "meteor" and self.language not in NORMALISED:
            raise UsageError(f"meteor: tokenize=meteor is for {', '.join(NORMALISED)}, not for {self.language}.")
        if tokenize not in ("meteor", *tokenisers()) and not tokenize.startswith("moses-"):
            raise UnknownName("tokeniser of meteor", tokenize, ("meteor", *tokenisers()))
        if not self.punctuation and tokenize != "meteor":
            raise UsageError("meteor: punctuation=false goes with tokenize=meteor alone.")
        object.__setattr__(self, "tokenize", tokenize)

    @property
    def compatible(self) -> str | None:
        return "meteor1.5" if self.variant == "original" and not self.gaps and self.copy == 1 else None

    @classmethod
    def language_defaults(cls, language: str | None, given: Mapping[str, object]) -> dict[str, object]:
        if language is None or "language" in given:
            return {}
        if language in LANGUAGES:
            return {"language": language}
        tokenize = {"tokenize": TOKENISERS[language]} if language in TOKENISERS else {}
        return {"language": "other", **tokenize}

    def signature_items(self) -> dict[str, str]:
        items = super().signature_items()
        usual = {"paraphrases": "None", "punctuation": "true", "beam": "40", "gaps": "0", "copy": "1.0"}
        items = {key: value for key, value in items.items() if usual.get(key) != value}
        if self.paraphrases is not None:
            items["table"] = file_checksum(find_table(self.paraphrases))
        return items

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        """The words of texts, in the case that they have there."""
        if self.tokenize == "meteor":
            texts = [normalise(text, self.language, punctuation=self.punctuation) for text in texts]
        elif self.tokenize != "none" or self.variant != "original":
            return tokenise(texts, str(self.tokenize)).strings()
        return [[word for word in BLANK.split(text) if word] for text in texts]

    def _read(self, texts: Sequence[str], base: Texts | None = None) -> Texts:
        words = self._words(texts)
        copied = None if self.copy == 1 else [_copied(text) for text in words]
        if self.lowercase:
            words = [[word.lower() for word in text] for text in words]
        return self.aligner.read(words, copied, base.lexicon if base is not None else None)

    @property
    def aligner(self) -> Aligner:
        """What finds the alignments."""
        return Aligner(
            language=self.language,
            matchers=tuple(str(self.matchers).split("+")),
            table=self.paraphrases,
            gaps=self.gaps,
            beam=self.beam,
            original=self.variant == "original",
        )

    def prepare(self, testset: TestSet) -> _References:
        texts, groups = group_references(testset.references)
        return _References(self._read(texts), groups)

    def _count_all(self, outputs: Sequence[str], references: _References) -> tuple[Floats, Texts, Any]:
        """Counts for every reference, the outputs as read, and the links."""
        texts = self._read(outputs, references.texts)
        groups = references.groups
        refuse_long("meteor", "words", outputs, texts.units.lengths, references.texts.units.lengths, groups)
        counts, links = self.aligner.align_pairs(texts, references.texts, owners(groups))
        # A segment that matches in one piece from the first word to the last is not broken at all: it has no chunks.
        counts[(counts[:, 6] == 1) & (counts[:, 7:].sum(1) == counts[:, :6].sum(1)), 6] = 0
        return counts, texts, links

    def count(self, batch: Batch) -> Floats:
        """Words of output and reference by kind, chunks, and matched words by matcher, text and kind: kernels.beam."""
        counts, _, _ = self._count_all(batch.outputs, batch.prepared)
        result: Floats = counts[best_rows(self.score(counts), batch.prepared.groups, highest=True)]
        return result

    def score(self, totals: Floats) -> Floats:
        *_, mean, penalty = self._parts(totals)
        score: Floats = mean * (1 - penalty)
        return score

    def _parts(self, totals: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Precision, recall, their weighted harmonic mean, and the fragmentation penalty."""
        delta = float(self.delta or 0)
        kinds = np.array([delta, 1 - delta, delta * self.copy])
        weights = np.array([1.0, self.stem, self.synonym, self.paraphrase])
        matched = totals[..., 7:].reshape(*totals.shape[:-1], len(MATCHERS), 6)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.nan_to_num((matched[..., :3] @ kinds) @ weights / (totals[..., :3] @ kinds))
            recall = np.nan_to_num((matched[..., 3:] @ kinds) @ weights / (totals[..., 3:6] @ kinds))
            alpha = float(self.alpha or 0)
            mean = 1 / ((1 - alpha) / precision + alpha / recall)
            chunks = totals[..., 6]
            words = matched.sum((-1, -2))
            broken = np.where(words > 0, 2 * chunks / words, 0.0)
            penalty = float(self.gamma or 0) * broken ** float(self.beta or 0) * (broken > 0)
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
            "matches": {name: matched[i].tolist() for i, name in enumerate(MATCHERS) if name in str(self.matchers)},
            "sys_len": int(totals[:3].sum()),
            "ref_len": int(totals[3:6].sum()),
        }

    def verbose(self, totals: Floats) -> str:
        parts = self.details(totals)
        return (
            f"(P = {parts['precision']:.3f} R = {parts['recall']:.3f} penalty = {parts['penalty']:.3f} "
            f"chunks = {parts['chunks']} hyp_len = {parts['sys_len']} ref_len = {parts['ref_len']})"
        )

    def explain_segment(self, output: str, references: Sequence[str]) -> Alignment:
        """The alignment with the best of the references: pairs of words with matcher and chunk."""
        prepared = self.prepare(TestSet({"output": [output]}, {str(i): [text] for i, text in enumerate(references)}))
        counts, texts, links = self._count_all([output], prepared)
        row = int(best_rows(self.score(counts), prepared.groups, highest=True)[0])
        begin, end = prepared.texts.units.offsets[row : row + 2].tolist()
        reference = prepared.texts.words[row]
        return describe(texts.words[0], reference, links[begin:end].tolist(), row)


def _copied(words: Sequence[str]) -> list[bool]:
    """Which words of a text a translation copies: those with a digit, and those with a capital within a sentence."""
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
    """The metric with the parameters that agree best with people's judgements of segments.

    judgements: by system, one number for each segment, higher is better, NaN where there is none. target: `kendall`,
    over pairs of systems within a segment that people did not judge equal (a tie of the metric counts as wrong, as at
    WMT17 to WMT19), or `pearson` over all segments. One parameter after the other is set to the best of its values, in
    steps, until nothing improves. Tested on the same judgements, the result flatters itself: use others.
    """
    metric = metric or METEOR()
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
    prepared = metric.prepare(testset)
    counts = np.array([metric._count_all(testset.outputs[system], prepared)[0] for system in judgements])

    def agreement(candidate: METEOR) -> float:
        scores = np.maximum.reduceat(candidate.score(counts), prepared.groups[:-1], axis=1)
        return TARGETS[target](scores, people)

    if not np.isfinite(best := agreement(metric)):
        raise UsageError(
            "tune: the judgements have no two systems or segments that differ; nothing can be learnt from them."
        )
    names = [name for name in TUNED if name in (*TUNED[:4], *str(metric.matchers).split("+"))]
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
    right = wrong = 0
    for a in range(len(people)):
        for b in range(a):
            judged = people[a] - people[b]
            agreed = (scores[a] - scores[b]) * judged > 0
            compared = np.isfinite(judged) & (judged != 0)
            right += int((agreed & compared).sum())
            wrong += int((~agreed & compared).sum())
    return (right - wrong) / (right + wrong) if right + wrong else float("nan")


def _pearson(scores: Floats, people: Floats) -> float:
    judged = np.isfinite(people)
    a, b = scores[judged], people[judged]
    if len(a) < 2 or not a.std() or not b.std():
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


TARGETS = {"kendall": _kendall, "pearson": _pearson}
