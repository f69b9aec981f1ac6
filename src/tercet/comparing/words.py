"""Which words the systems get right: F-measure of words by frequency, part of speech or label.

After Neubig et al. (2019), "compare-mt: A Tool for Holistic Comparison of Language Generation Systems", NAACL, with
intervals and corrected tests. A word of an output is right if the reference has it too, as often at least; of several
references the one counts with which a system's output has the highest F-measure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import isnan, nan

import numpy as np

from ..data.names import find_name
from ..data.testset import TestSet
from ..errors import DataError, UnknownName, UsageError
from ..slicing import UNSPACED
from ..stats import compare_all, holm
from ..stats.resampling import SEED, check_share
from ..text.scripts import dominant
from ..text.tokenisers import tokenise
from ..types import Floats

GROUPINGS = ("frequency", "pos", "label")
FREQUENCIES = (0, 1, 2, 5, 10, 100, 1000)  # the smallest of each group

Words = list[str]
Labelled = list[tuple[str, str]]  # words with the groups they are in; "" for an unknown group


@dataclass(frozen=True)
class WordScore:
    """How well one system translates the words of one group.

    f: F-measure, 0 to 1; NaN, as the precision, where the groups of the outputs' words are unknown. low, high: the
    bootstrap interval of `f`, or of the recall where there is no F-measure. p_value: corrected, against the baseline.
    """

    precision: float
    recall: float
    f: float
    low: float
    high: float
    p_value: float
    matches: int
    output_words: int
    reference_words: int


@dataclass(frozen=True)
class WordGroup:
    """Words that belong together, the systems' scores, and the segments whose references have such words."""

    group: str
    scores: Mapping[str, WordScore]
    segments: tuple[int, ...]


@dataclass(frozen=True)
class WordComparison:
    """Scores of systems on groups of words. P-values are corrected for the number of groups and systems (Holm)."""

    by: str
    measure: str  # "F" or "recall"
    frequencies: str  # what the frequencies were counted in
    groups: tuple[WordGroup, ...]
    baseline: str
    alpha: float
    resamples: int
    seed: int

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def compare_words(
    testset: TestSet,
    by: str = "frequency",
    *,
    training: Sequence[str] | None = None,
    parser: str | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    segments: Sequence[int] | None = None,
    baseline: str | None = None,
    tokenize: str | None = None,
    lowercase: bool = False,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = SEED,
) -> WordComparison:
    """Compare how well systems translate rare and frequent words, nouns and verbs, or words with some label.

    Parameters
    ----------
    testset : outputs and references.
    by : "frequency", "pos" (part of speech) or "label".
    training : the text in which frequencies are counted, such as the training data's target side; by default the
        references.
    parser : for "pos", a parser such as "spacy:en_core_web_sm" or parses, "conllu:FILE"; by default the installed one.
    labels : for "label", one line per segment with a label for every word between blanks, by name of the reference or
        system. Without labels of the outputs recall is compared instead of the F-measure.
    segments : numbers (from 1) of the segments to look at; all by default.
    baseline : the system that the others are tested against; the first by default.
    tokenize, lowercase : a tokeniser by name, by default "13a", or "char" for scripts without spaces; ignore case.
    alpha, resamples, seed : of intervals (bootstrap) and tests (approximate randomisation).

    Returns
    -------
    WordComparison : a group of words with the scores of all systems each; `groups[0].segments` leads to the texts.

    Examples
    --------
    >>> import tercet
    >>> testset = tercet.TestSet({"a": ["a cat"], "b": ["a dog"]}, {"ref": ["a cat"]})
    >>> tercet.compare_words(testset).groups[0].scores["a"].f
    1.0
    """
    check_share("The significance level", alpha)
    baseline = _check(testset, by, baseline, training, labels)
    chosen, numbers = choose_segments(testset, segments)
    if by == "pos":
        found = _tagged(chosen, parser, lowercase)
    elif by == "label":
        found = _from_label_files(chosen, labels or {}, numbers, lowercase)
    else:
        found = _by_frequency(chosen, training, tokenize, lowercase)
    lines = [(column, found[0][name]) for name, column in chosen.references.items()]
    references = [[words[row] for column, words in lines if column[row] is not None] for row in range(len(chosen))]
    outputs = found[1]
    unknown = any(group == "" for texts in outputs.values() for words in texts for _, group in words)
    measure = "recall" if by == "label" and unknown else "F"
    names = _group_names(by, references)
    cube = _count(names, references, outputs)
    score = _recall if measure == "recall" else _f_measure
    at = list(outputs).index(baseline)
    tested, raw = [], []
    for name, counts in zip(names, cube, strict=True):
        tests = compare_all(
            score, counts, test="randomisation", resamples=resamples, interval_resamples=resamples, seed=seed,
            confidence=1 - alpha, baseline=at,
        )  # fmt: skip
        tested.append((name, counts, tests))
        raw += [tests.p_value[at, i] for i in range(len(outputs)) if i != at]
    corrected = iter(holm(raw).tolist() if raw else ())
    groups = []
    for name, counts, tests in tested:
        scores = {}
        for i, system in enumerate(outputs):
            p_value = 1.0 if i == at else next(corrected)
            scores[system] = _score(counts[i].sum(0), measure, tests.intervals[i].low, tests.intervals[i].high, p_value)
        has = [any(group == name for text in row for _, group in text) for row in references]
        groups.append(WordGroup(name, scores, tuple(n for n, here in zip(numbers, has, strict=True) if here)))
    counted = ("the training text" if training is not None else "the references") if by == "frequency" else ""
    return WordComparison(by, measure, counted, tuple(groups), baseline, alpha, resamples, seed)


def choose_segments(testset: TestSet, segments: Sequence[int] | None) -> tuple[TestSet, list[int]]:
    """Return the test set with these segments alone, and their numbers from 1; all where none are named."""
    numbers = check_segments(segments, len(testset))
    return testset if segments is None else testset.take([number - 1 for number in numbers]), numbers


def check_segments(segments: Sequence[int] | None, size: int) -> list[int]:
    """Return numbers of segments (from 1), rising; all of them for None."""
    if segments is None:
        return list(range(1, size + 1))
    numbers = sorted(set(segments))
    if not numbers:
        raise UsageError("No segments are left to compare.")
    for number in (numbers[0], numbers[-1]):
        if not 1 <= number <= size:
            raise UsageError(f"There is no segment {number}: the test set has {size}.")
    return numbers


def tokenised(texts: Iterable[str | None], name: str, *, lowercase: bool) -> list[Words]:
    """Return the words of every text; none for a missing one."""
    given = ["" if text is None else text.lower() if lowercase else text for text in texts]
    return tokenise(given, name).strings()


def usual_tokeniser(testset: TestSet) -> str:
    """Return "char" for scripts without spaces between words, otherwise "13a"."""
    sample = [text for lines in testset.references.values() for text in lines[:200] if text]
    return "char" if dominant(sample) in UNSPACED else "13a"


def _check(testset: TestSet, by: str, baseline: str | None, training: object, labels: object) -> str:
    if by not in GROUPINGS:
        raise UnknownName("grouping of words", by, GROUPINGS)
    if not testset.references or not testset.outputs:
        raise UsageError("Words are compared with references, and the test set needs outputs and references.")
    if by == "label" and not labels:
        raise UsageError("Words by label need labels, one line per segment with a label for every word.")
    if isinstance(training, str):
        raise UsageError("training must be a list of lines, not a single text.")
    systems = testset.systems
    return systems[0] if baseline is None else find_name(baseline, systems)


Texts = list[dict[str, list[Labelled]]]  # by name: first the references, then the outputs


def _of_both(testset: TestSet, labelled: Callable[[str, Sequence[str | None]], list[Labelled]]) -> Texts:
    """Return the labelled words of all references and outputs, from the name and the lines of each."""
    both: tuple[Mapping[str, Sequence[str | None]], ...] = testset.references, testset.outputs
    return [{name: labelled(name, lines) for name, lines in texts.items()} for texts in both]


def _by_frequency(testset: TestSet, training: Sequence[str] | None, tokenize: str | None, lowercase: bool) -> Texts:
    words = partial(tokenised, name=tokenize or usual_tokeniser(testset), lowercase=lowercase)
    known = [words(lines) for lines in ([training] if training is not None else testset.references.values())]
    counts = Counter(word for texts in known for text in texts for word in text)
    groups = defaultdict(lambda: _frequency_group(0), {word: _frequency_group(n) for word, n in counts.items()})
    return _of_both(testset, lambda _, lines: [[(word, groups[word]) for word in text] for text in words(lines)])


def _frequency_group(count: int) -> str:
    place = max(i for i, least in enumerate(FREQUENCIES) if least <= count)
    least = FREQUENCIES[place]
    if place + 1 == len(FREQUENCIES):
        return f"{least} or more"
    most = FREQUENCIES[place + 1] - 1
    return str(least) if most == least else f"{least} to {most}"


def _tagged(testset: TestSet, parser: str | None, lowercase: bool) -> Texts:
    from ..language.parsing import parse

    language = testset.target_language
    if language is None:
        raise UsageError("Parts of speech are found by a parser, which needs the language: set `pair`, as en-de.")

    def labelled(_: str, lines: Sequence[str | None]) -> list[Labelled]:
        return [
            [(t.form.lower() if lowercase else t.form, t.upos or t.xpos or "no tag") for t in sentence.tokens]
            for sentence in parse([line or "" for line in lines], language, backend=parser)
        ]

    return _of_both(testset, labelled)


def _from_label_files(
    testset: TestSet, labels: Mapping[str, Sequence[str]], numbers: Sequence[int], lowercase: bool
) -> Texts:
    """Return words between blanks with their labels; no label ("") for an output whose labels are not given."""
    for name in labels:
        if name not in testset.references and name not in testset.outputs:
            raise UnknownName("text to label", name, [*testset.references, *testset.outputs])
    if missing := [name for name in testset.references if name not in labels]:
        raise UsageError(f"Words by label need labels of every reference; {missing[0]!r} has none.")

    def labelled(name: str, lines: Sequence[str | None]) -> list[Labelled]:
        words = [((line or "").lower() if lowercase else line or "").split() for line in lines]
        if name not in labels:
            return [[(word, "") for word in text] for text in words]
        if len(labels[name]) < max(numbers):
            raise DataError(f"The labels of {name!r} have {len(labels[name])} lines, segment {max(numbers)} none.")
        tags = [labels[name][number - 1].split() for number in numbers]
        for number, line, text, own in zip(numbers, lines, words, tags, strict=True):
            if line is not None and len(text) != len(own):
                raise DataError(
                    f"Labels of {name!r}, line {number}: {len(own)} labels for {len(text)} words between blanks."
                )
        return [list(zip(text, own, strict=False)) for text, own in zip(words, tags, strict=True)]

    return _of_both(testset, labelled)


def _group_names(by: str, references: list[list[Labelled]]) -> list[str]:
    """Return the groups of the references' words: frequencies rising, tags and labels with most words first."""
    sizes = Counter(group for row in references for text in row for _, group in text)
    if by == "frequency":
        return [name for name in map(_frequency_group, FREQUENCIES) if name in sizes]
    return [name for name, _ in sizes.most_common() if name]


def _count(names: list[str], references: list[list[Labelled]], outputs: Mapping[str, list[Labelled]]) -> Floats:
    """Return right and all words of the reference, right and all words of the output, by group, system, segment."""
    size = 4 * len(references)
    begins = {name: i * size for i, name in enumerate(names)}
    cube = np.empty((len(names), len(outputs), len(references), 4))
    for system, texts in enumerate(outputs.values()):
        counts = [0] * (size * len(names))  # a list, whose items are changed faster than those of an array
        for row, (text, candidates) in enumerate(zip(texts, references, strict=True)):
            reference = candidates[0] if len(candidates) == 1 else max(candidates, key=partial(_overlap, text))
            for column, these, those in ((0, reference, text), (2, text, reference)):
                left = Counter([word for word, _ in those])
                for word, group in these:
                    if right := left.get(word, 0) > 0:
                        left[word] -= 1
                    if group in begins:
                        place = begins[group] + 4 * row + column
                        counts[place] += right
                        counts[place + 1] += 1
        cube[:, system] = np.array(counts, dtype=np.float64).reshape(len(names), len(references), 4)
    return cube


def _overlap(first: Labelled, second: Labelled) -> float:
    """Return the F-measure of two texts' words."""
    words = [Counter(word for word, _ in text) for text in (first, second)]
    return (words[0] & words[1]).total() / max(1, len(first) + len(second))


def _recall(totals: Floats) -> Floats:
    return _ratio(totals[..., 0], totals[..., 1])


def _f_measure(totals: Floats) -> Floats:
    """Return the harmonic mean of precision and recall; 0 where a system has none of these words, NaN if nobody has."""
    recall, precision = np.nan_to_num(_recall(totals)), np.nan_to_num(_ratio(totals[..., 2], totals[..., 3]))
    f = np.nan_to_num(_ratio(2 * precision * recall, precision + recall))
    return np.where(totals[..., 1] + totals[..., 3] > 0, f, np.nan)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full_like(whole, np.nan), where=whole > 0)


def _score(totals: Floats, measure: str, low: float, high: float, p_value: float) -> WordScore:
    recall, precision, f = float(_recall(totals)), nan, nan
    if measure == "F":
        precision, f = float(_ratio(totals[2], totals[3])), float(_f_measure(totals))
    p_value = p_value if not isnan(f if measure == "F" else recall) else nan
    return WordScore(precision, recall, f, low, high, p_value, int(totals[0]), int(totals[3]), int(totals[1]))
