"""Estimating n-gram models, and what they say about sentences."""

import gzip
import logging
import math
import pickle
import sys

import numpy as np
import pytest

from tercet.errors import DataError, MissingDependency, UnknownName, UsageError
from tercet.language.arpa import write_arpa
from tercet.language.kneser_ney import FALLBACK, estimate, estimate_discounts
from tercet.language.ngram_models import MARKS, KenlmModel, NgramModel, Scored, open_model

TEXT = ["the cat sat on the mat", "the dog sat on the cat", "a dog ran", "the cat ran to a mat", "a cat sat"]


def probability(model: NgramModel, history: str, word: str) -> float:
    return float(10 ** model.score([f"{history} {word}"]).log10[-2])


# ---- estimating


def test_one_sentence_gets_the_fallback_discounts_and_the_probabilities_worked_out_by_hand():
    model = estimate(["a b"], order=2)
    # Words: a, b, </s>, each after one other word, discounted by 0.5; the rest is shared by them and <unk>.
    single = 0.5 / 3 + 0.5 / 4
    pair = 0.5 + 0.5 * single
    expected = {"<unk>": 0.5 / 4, "</s>": single, "a": single, "b": single}
    for word, value in expected.items():
        assert 10 ** model.logs[model.words.index(word)] == pytest.approx(value, abs=1e-15)
    scored = model.score(["a b"])
    assert scored.log10 == pytest.approx([math.log10(pair)] * 3, abs=1e-15)
    assert scored.matched.tolist() == [2, 2, 2]
    # After a, b was seen; a and <unk> are backed off to.
    assert model.score(["a a"]).log10[1] == pytest.approx(math.log10(0.5 * single), abs=1e-15)
    assert model.counts == [5, 3]


def test_lower_orders_count_the_words_before_not_occurrences():
    model = estimate(["san francisco"] * 9 + ["the cat", "a cat"], order=2)
    assert model.words[3:5] == ("francisco", "san")  # most frequent first, then in the order of their letters
    numbers = [model.words.index(word) for word in ("francisco", "cat")]
    francisco, cat = 10 ** model.logs[numbers]
    assert cat > francisco


def test_discounts_are_those_of_equation_26():
    found = estimate_discounts(np.array([1] * 10 + [2] * 5 + [3] * 3 + [4] * 2 + [9] * 4))
    y = 10 / 20
    assert found.values == pytest.approx((1 - 2 * y * 5 / 10, 2 - 3 * y * 3 / 5, 3 - 4 * y * 2 / 3), abs=1e-15)
    assert not found.is_fallback
    assert found.of(np.array([0, 1, 2, 3, 9])).tolist() == [0.0, *found.values, found.values[2]]


@pytest.mark.parametrize(
    "counts",
    [
        [1] * 7,  # all singletons
        [1, 1, 2, 2],
        [2, 2, 3, 4],
        [1, 2, 3, 3, 3, 3, 4],  # the second would be negative
        [],
    ],
)
def test_discounts_that_are_undefined_or_not_positive_fall_back_to_lmplzs(counts):
    found = estimate_discounts(np.array(counts, dtype=np.int64))
    assert found.is_fallback
    assert found.values == FALLBACK == (0.5, 1.0, 1.5)


def test_discounts_without_counts_of_four_are_defined():
    found = estimate_discounts(np.array([1] * 10 + [2] * 5 + [3] * 3))
    assert (found.values[2], found.is_fallback) == (3, False)


def test_the_discounts_are_logged(caplog):
    with caplog.at_level(logging.INFO):
        estimate(["a"], order=1)
    assert "order 1: discounts (0.5, 1.0, 1.5) (fallback)" in caplog.text


def test_a_model_does_not_depend_on_the_order_of_the_sentences_or_on_lines_without_words():
    model = estimate(TEXT, order=3)
    assert estimate(iter([*TEXT[::-1], "", " \t"]), order=3).checksum == model.checksum
    assert estimate(TEXT[:-1], order=3).checksum != model.checksum


def test_pruning_leaves_out_ngrams_up_to_a_count():
    whole = estimate(TEXT, order=4)
    pruned = estimate(TEXT, order=4, prune=(0, 0, 1))
    assert pruned.counts[:2] == whole.counts[:2]
    assert whole.counts[2:] == [24 - 2, 19]  # two of 24 trigrams occur twice, and no longer n-gram
    assert pruned.counts[2:] == [2, 0]
    assert pruned.score(["the cat sat on the mat"]).matched.tolist() == [2, 3, 2, 2, 3, 2, 2]


def test_a_vocabulary_cut_off_makes_rare_words_unknown():
    model = estimate(TEXT, order=2, min_count=3)
    assert model.words == (*MARKS, "the", "cat", "a", "sat")
    assert model.score(["the dog zebra"]).unknown.tolist() == [False, True, True, False]
    assert probability(model, "a", "zebra") == probability(model, "a", "dog") > probability(model, "a", "a")
    assert estimate(TEXT, order=2, max_words=2).words == (*MARKS, "the", "cat")


def test_unk_in_a_text_is_an_unknown_word():
    assert estimate(["a <unk> a"], order=2).words == (*MARKS, "a")


def test_only_ascii_blanks_divide_words():
    assert estimate(["a\u00a0b\u2028c\td"], order=1).words[3:] == ("a\u00a0b\u2028c", "d")


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "A language model cannot be estimated: the 0 sentences have no words."),
        (["", " "], "A language model cannot be estimated: the 2 sentences have no words."),
        (["a b", "", "c <s> d"], "Sentence 3 contains <s>, which marks sentence boundaries"),
        (["</s>"], "Sentence 1 contains </s>, which marks"),
        (["\ud800"], "contains a lone surrogate"),
    ],
)
def test_texts_that_cannot_be_modelled_are_refused(sentences, message):
    with pytest.raises(DataError, match=message):
        estimate(sentences)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sentences": "the cat"}, "needs a list of sentences, not a string"),
        ({"order": 0}, "The order of a model must be 1 to 6, not 0."),
        ({"order": 7}, "The order of a model must be 1 to 6, not 7."),
        ({"prune": (1,)}, "Pruning by '1' is not possible for order 3"),
        ({"prune": (0, 2, 1)}, "Pruning by '0 2 1' is not possible"),
        ({"prune": (0, 0, 0, 1)}, "at most one number per order"),
        ({"min_count": 0}, "min_count and max_words must be at least 1."),
        ({"max_words": 0}, "min_count and max_words must be at least 1."),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        estimate(**({"sentences": TEXT} | options))


# ---- scoring


def scored(log10, matched, unknown, lengths):
    return Scored(
        np.array(log10, dtype=np.float64),
        np.array(matched, dtype=np.int32),
        np.array(unknown, dtype=np.bool_),
        np.cumsum([0, *lengths]),
    )


def test_sums_and_perplexities_with_and_without_ends():
    found = scored([-1, -2, -6, -0.5, -3], [1] * 5, [False, False, True, False, False], [4, 1])
    assert len(found) == 2
    assert found.words.tolist() == [3, 0]
    assert found.unknown_words.tolist() == [1, 0]
    assert found.totals().tolist() == [-9.5, -3.0]
    assert found.totals(end=False).tolist() == [-9.0, 0.0]
    assert found.perplexities() == pytest.approx([10 ** (9.5 / 4), 1000])
    assert found.perplexities(end=False) == pytest.approx([1000, math.nan], nan_ok=True)


def test_no_sentences_and_an_empty_one():
    model = estimate(TEXT)
    nothing = model.score([])
    assert (len(nothing), nothing.totals().tolist(), nothing.backoff_levels.tolist()) == (0, [], [])
    empty = model.score(["", " "])
    assert empty.words.tolist() == [0, 0]
    assert empty.totals()[0] == empty.totals()[1] == empty.log10[0] < 0
    assert np.isnan(empty.perplexities(end=False)).all()


def test_marks_in_a_text_are_unknown_words():
    model = estimate(TEXT)
    found = model.score(["<s> the </s> cat <unk>"])
    assert found.unknown.tolist() == [True, False, True, False, True, False]
    assert found.log10.tolist() == model.score(["x the y cat z"]).log10.tolist()


def test_the_seven_levels_of_backing_off():
    model = estimate(["a b c", "b c d", "e f", "g h"], order=3)
    levels = {
        "a b c": [5, 7, 7],  # the sentence's beginning has nothing before it
        "c d": [3, 5],  # only "c d"
        "b c": [5, 7],
        "d e f": [3, 3, 5],
        "b c d": [5, 7, 7],
        "g b c d": [5, 4, 5, 7],  # the beginning and g, then b apart
        "a b x c": [5, 7, 1, 2],
        "e f a": [5, 7, 4],  # "e f", and a apart
        "f b c": [3, 3, 5],
        "x": [1],
        "x x a": [1, 1, 2],
    }
    for sentence, expected in levels.items():
        found = model.score([sentence])
        assert found.backoff_levels[found.is_word].tolist() == expected, sentence
    # "a b" and "b c" without "a b c":
    bigrams = estimate(["a b", "z b c"], order=3).score(["q a b c"])
    assert bigrams.backoff_levels[:4].tolist() == [1, 2, 5, 6]
    assert model.score(list(levels)).backoff_levels.tolist() == [
        level for sentence in levels for level in model.score([sentence]).backoff_levels.tolist()
    ]


def test_an_ngram_counted_with_unk_is_not_one_of_the_unknown_word():
    model = estimate(["a q b", "a r b", "a s b", "b a"], order=3, min_count=2)
    found = model.score(["a z b"])
    assert found.matched.tolist() == [2, 3, 3, 3]
    assert found.backoff_levels[:3].tolist() == [5, 1, 2]


def test_models_travel_to_other_processes():
    model = estimate(TEXT)
    assert pickle.loads(pickle.dumps(model)).score(TEXT).log10.tolist() == model.score(TEXT).log10.tolist()


# ---- kenlm


def test_kenlm_says_the_same(tmp_path, shared):
    pytest.importorskip("kenlm")
    rows = gzip.decompress((shared / "data/wmt19/de-en.segments.tsv.gz").read_bytes()).decode().split("\n")
    lines = [row.split("\t")[2] for row in rows[1:] if row]
    _same_as_kenlm(estimate(lines[:1500], order=4, prune=(0, 0, 1)), lines, tmp_path)


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("options", [{}, {"min_count": 2}, {"prune": (0, 1)}])
def test_kenlm_says_the_same_of_small_models(tmp_path, order, options):
    pytest.importorskip("kenlm")
    lines = [
        *TEXT,
        "",
        "the",
        "zebra",
        "the cat <unk> sat on <s> the </s> mat",
        "a\u00a0b the\u2028 \x0b cat",
        "a " * 99,
        "the\0 cat a\0b",
    ]
    _same_as_kenlm(estimate(TEXT, order=order, **options), lines, tmp_path)


def _same_as_kenlm(model, lines, tmp_path):
    write_arpa(model, tmp_path / "model.arpa")
    kenlm = open_model(tmp_path / "model.arpa", backend="kenlm")
    assert isinstance(kenlm, KenlmModel)
    assert kenlm.order == model.order
    ours, theirs = model.score(lines), kenlm.score(lines)
    assert ours.log10 == pytest.approx(theirs.log10, abs=1e-5)
    assert ours.matched.tolist() == theirs.matched.tolist()
    assert ours.unknown.tolist() == theirs.unknown.tolist()
    assert ours.backoff_levels.tolist() == theirs.backoff_levels.tolist()
    assert ours.offsets.tolist() == theirs.offsets.tolist()
    # and what kenlm itself says of whole sentences, without our way of asking it
    whole = [kenlm._model.score(line) for line in TEXT]
    assert model.score(TEXT).totals() == pytest.approx(whole, abs=1e-5)
    assert kenlm.score([]).totals().tolist() == []


def test_kenlm_models_of_other_forms(tmp_path):
    pytest.importorskip("kenlm")
    write_arpa(estimate(TEXT, order=1), tmp_path / "one.arpa")
    with pytest.raises(DataError, match="kenlm cannot read .*one.arpa"):
        open_model(tmp_path / "one.arpa", backend="kenlm")
    with pytest.raises(UsageError, match="There is no file .*none"):
        open_model(tmp_path / "none", backend="kenlm")
    (tmp_path / "binary").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    with pytest.raises(DataError, match="kenlm cannot read .*binary"):  # known by its beginning, and cut off
        open_model(tmp_path / "binary")


def test_kenlms_files_without_kenlm_name_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "kenlm", None)
    (tmp_path / "binary").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    with pytest.raises(MissingDependency, match=r"tercet\[kenlm\]"):
        open_model(tmp_path / "binary")


def test_arpa_files_are_opened_by_our_own_kernel(tmp_path):
    write_arpa(estimate(TEXT), tmp_path / "model.arpa.gz")
    assert isinstance(open_model(tmp_path / "model.arpa.gz"), NgramModel)
    with pytest.raises(UnknownName, match="no language model backend called 'kenlmm'. Did you mean kenlm"):
        open_model(tmp_path / "model.arpa.gz", backend="kenlmm")
