"""Invariants of the n-gram metrics on random texts, with sacreBLEU of PyPI as a live oracle."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from tercet import TestSet, metrics

WORDS = [
    "the",
    "The",
    "cat",
    "sat",
    "on",
    "mat",
    ".",
    ",",
    "3.5",
    "it's",
    "(a",
    "b)",
    "été",
    "中文",
    "0",
    "&amp;",
    "\u00a0",
]
lines = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r", exclude_categories=["Cn", "Cs"]), max_size=12),
)
pairs = st.lists(st.tuples(lines, lines), min_size=1, max_size=6)
triples = st.lists(st.tuples(lines, lines, lines), min_size=1, max_size=6)
gaps = st.lists(st.tuples(lines, lines, st.none() | lines), min_size=1, max_size=6)


def score(spec, outputs, references):
    """Corpus and segment scores of one system."""
    metric = metrics.create(spec).resolved()
    named = {f"r{i}": list(texts) for i, texts in enumerate(references)}
    counts = metric.statistics(TestSet({"x": list(outputs)}, named))["x"]
    return float(metric.score(counts.sum(0))), metric.segment_scores(counts)


@settings(max_examples=150)
@given(triples, st.sampled_from(["none", "13a", "intl", "zh", "char"]), st.booleans(), st.integers(1, 5))
def test_bleu_equals_sacrebleu(rows, tokenize, lowercase, order):
    outputs, first, second = zip(*rows, strict=True)
    spec = f"bleu:tokenize={tokenize},lowercase={lowercase},max_ngram_order={order}"
    corpus, segments = score(spec, outputs, [first, second])
    options = {"tokenize": tokenize, "lowercase": lowercase, "max_ngram_order": order}
    oracle = BLEU(**options).corpus_score(outputs, [first, second])
    assert corpus == pytest.approx(oracle.score, abs=1e-9)
    single = BLEU(**options, effective_order=True)
    expected = [single.sentence_score(row[0], row[1:]).score for row in rows]
    assert segments == pytest.approx(expected, abs=1e-9)


@settings(max_examples=100)
@given(pairs, st.sampled_from([("exp", None), ("none", None), ("floor", 0.0), ("floor", 0.3), ("add-k", 0.5)]))
def test_smoothing_equals_sacrebleu(rows, smoothing):
    outputs, references = zip(*rows, strict=True)
    method, value = smoothing
    spec = f"bleu:smooth_method={method},smooth_value={value},effective_order=false"
    corpus, segments = score(spec, outputs, [references])
    oracle = BLEU(smooth_method=method, smooth_value=value)
    assert corpus == pytest.approx(oracle.corpus_score(outputs, [references]).score, abs=1e-9)
    oracle = BLEU(smooth_method=method, smooth_value=value, effective_order=False)
    expected = [oracle._compute_score_from_stats(oracle._extract_corpus_statistics([o], [[r]])[0]) for o, r in rows]
    assert segments == pytest.approx([each.score for each in expected], abs=1e-9)


@settings(max_examples=150)
@given(
    triples,
    st.sampled_from([(6, 0, 2), (6, 2, 2), (6, 0, 3), (4, 1, 1), (1, 3, 2)]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_chrf_equals_sacrebleu(rows, orders, lowercase, whitespace, eps_smoothing):
    outputs, first, second = zip(*rows, strict=True)
    names = ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")
    options = dict(zip(names, (*orders, lowercase, whitespace, eps_smoothing), strict=True))
    corpus, segments = score("chrf:" + ",".join(f"{k}={v}" for k, v in options.items()), outputs, [first, second])
    oracle = CHRF(**options)
    assert corpus == pytest.approx(oracle.corpus_score(outputs, [first, second]).score, abs=1e-9)
    expected = [oracle.sentence_score(row[0], row[1:]).score for row in rows]
    assert segments == pytest.approx(expected, abs=1e-9)


@given(gaps, st.sampled_from(["bleu", "chrf"]))
def test_a_missing_reference_counts_as_in_sacrebleu(rows, name):
    outputs, first, second = zip(*rows, strict=True)
    corpus, _ = score(name, outputs, [first, second])
    oracle = BLEU() if name == "bleu" else CHRF()
    assert corpus == pytest.approx(oracle.corpus_score(outputs, [first, second]).score, abs=1e-9)


ALL = ["bleu", "bleu:variant=mteval", "chrf", "chrf:word_order=2", "nist", "sentbleu:tokenize=none", "length"]


@settings(max_examples=30)
@given(triples, st.permutations(range(6)))
@pytest.mark.parametrize("spec", ALL)
def test_the_order_of_segments_and_references_does_not_matter(spec, rows, order):
    outputs, first, second = zip(*rows, strict=True)
    corpus, segments = score(spec, outputs, [first, second])
    mixed = [rows[i] for i in order if i < len(rows)]
    outputs, first, second = zip(*mixed, strict=True)
    # Of references with equal F, chrF counts the first, as sacreBLEU does: there the order of references matters.
    again, mixed_segments = score(spec, outputs, [first, second] if "chrf" in spec else [second, first])
    assert again == pytest.approx(corpus, rel=1e-12, nan_ok=True)
    expected = [segments[i] for i in order if i < len(rows)]
    assert mixed_segments == pytest.approx(expected, rel=1e-12, nan_ok=True)


@given(pairs)
@pytest.mark.parametrize(
    ("spec", "best"), [("bleu", 100), ("chrf", 100), ("bleu:variant=mteval", 1), ("sentbleu:tokenize=none", 1)]
)
def test_scores_stay_within_their_bounds(spec, best, rows):
    outputs, references = zip(*rows, strict=True)
    corpus, segments = score(spec, outputs, [references])
    for value in (corpus, *segments):
        assert -1e-9 <= value <= best + 1e-9


@given(st.lists(lines, min_size=1, max_size=6))
def test_a_text_compared_with_itself_is_of_the_right_length(texts):
    corpus, segments = score("length:unit=char", texts, [texts])
    assert corpus == 1 or math.isnan(corpus)
    assert [value == 1 for value in segments] == [bool("".join(text.split())) for text in texts]


def slow_nist(rows, order=5):
    """Doddington's formula over tuples of words, as it stands in the paper's section 4; mteval's length penalty."""

    def grams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    references = [row[1:] for row in rows]
    counts = Counter()
    for row in references:
        for words in row:
            for n in range(order + 1):
                counts.update(grams(words, n) if n else {(): len(words)})
    matched, total = [0.0] * order, [0] * order
    for output, *refs in rows:
        for n in range(1, order + 1):
            most = Counter()
            for words in refs:
                most |= grams(words, n)
            for gram, times in (grams(output, n) & most).items():
                prefix = () if gram[:-1] == ("0",) else gram[:-1]  # Perl takes "0" for false
                matched[n - 1] += times * math.log2(counts[prefix] / counts[gram])
            total[n - 1] += max(len(output) - n + 1, 0)
    length = sum(len(row[0]) for row in rows)
    reference = sum(len(words) for row in references for words in row) / len(references[0])
    if not length:
        return 0.0
    ratio = min(1.0, length / reference) if reference else 1.0
    penalty = math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(ratio) ** 2)
    return penalty * sum(m / max(t, 1) for m, t in zip(matched, total, strict=True))


tokens = st.lists(st.sampled_from(["a", "b", "c", "d", "0"]), max_size=8)


@given(st.lists(st.tuples(tokens, tokens, tokens), min_size=1, max_size=6))
def test_nist_equals_the_formula(rows):
    outputs, first, second = ([" ".join(words) for words in column] for column in zip(*rows, strict=True))
    corpus, _ = score("nist", outputs, [first, second])
    assert corpus == pytest.approx(slow_nist(rows), abs=1e-9)


@given(st.lists(st.tuples(tokens, tokens, tokens), min_size=1, max_size=6))
def test_sentbleu_equals_the_formula(rows):
    outputs, first, second = ([" ".join(words) for words in column] for column in zip(*rows, strict=True))
    corpus, segments = score("sentbleu:tokenize=none", outputs, [first, second])
    for (output, *references), value in zip(rows, segments, strict=True):
        product = 1.0
        for n in range(1, 5):
            found, most = Counter(), Counter()
            found.update(tuple(output[i : i + n]) for i in range(len(output) - n + 1))
            for words in references:
                most |= Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
            product *= ((found & most).total() + 1) / (found.total() + 1)
        closest = min((abs(len(words) - len(output)), len(words)) for words in references)[1]
        penalty = 1.0 if closest <= len(output) else math.exp(1 - closest / len(output)) if output else 0.0
        assert value == pytest.approx(penalty * product**0.25, abs=1e-9)
    assert corpus == pytest.approx(np.mean(segments), abs=1e-12)
