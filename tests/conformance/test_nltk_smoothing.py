"""BLEU's smoothings of Chen and Cherry against NLTK, and BLEU-NRC."""

import warnings

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from tercet import TestSet
from tercet.metrics import create
from tercet.scoring import score

words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)


@pytest.mark.parametrize("number", range(1, 8))
@given(output=words, references=st.lists(words, min_size=1, max_size=3))
def test_segments_equal_those_of_nltk(number, output, references):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method = getattr(SmoothingFunction(), f"method{number}")
            expected = sentence_bleu(references, output, smoothing_function=method)
    except AssertionError:  # NLTK refuses method 6 where no trigram matches
        assume(False)
    metric = create(f"bleu:tokenize=none,smooth_method=cc{number}")
    found = metric.score_one(" ".join(output), [" ".join(reference) for reference in references])
    assert found == pytest.approx(100 * expected, abs=1e-9)


def test_bleu_nrc_scores_segments_by_the_seventh_smoothing_and_systems_without():
    output, references = "The cat sat, there.", ["The cat sat here."]
    smoothed = create("bleu:smooth_method=cc7,tokenize=intl,lowercase=true")
    assert create("bleu_nrc").score_one(output, references) == smoothed.score_one(output, references)
    lines = TestSet({"x": ["a b c d e", "b"]}, {"r": ["a b c d f", "c"]})
    (found,), (plain,) = score(lines, ["bleu_nrc"]), score(lines, ["bleu:tokenize=intl,lowercase=true"])
    assert found.system == plain.system
