"""Words by group, n-grams with their test, buckets of segments: by hand, and honest under the null hypothesis."""

import random
from math import isnan

import numpy as np
import pytest

import tercet
from tercet.errors import DataError, UnknownName, UsageError

REFERENCE = ["the cat sat", "the dog sat on the mat", "a bird"]
OUTPUTS = {"a": ["the cat sat", "the dog lay on the mat", "a bird"], "b": ["the dog sat", "the dog", "the the bird"]}
TESTSET = tercet.TestSet(OUTPUTS, {"ref": REFERENCE}, pair="de-en")


def test_words_by_frequency_in_the_references():
    found = tercet.compare_words(TESTSET)
    assert (found.by, found.measure, found.frequencies, found.baseline) == ("frequency", "F", "the references", "a")
    once, more = found.groups
    # Once: cat dog on mat a bird. Twice or three times: the sat.
    assert (once.group, more.group) == ("1", "2 to 4")
    assert (once.segments, more.segments) == ((1, 2, 3), (1, 2))
    a, b = once.scores["a"], once.scores["b"]
    assert (a.matches, a.output_words, a.reference_words, a.f) == (6, 6, 6, 1.0)
    # b has dog in segment 1 (wrong), dog in 2 (right), bird in 3 (right).
    assert (b.matches, b.output_words, b.reference_words) == (2, 3, 6)
    assert b.f == pytest.approx(2 * (2 / 3) * (2 / 6) / (2 / 3 + 2 / 6))
    frequent = more.scores["b"]
    # the sat / the / the the: right are the and sat of 1, the of 2.
    assert (frequent.matches, frequent.output_words, frequent.reference_words) == (3, 5, 5)
    assert more.scores["a"].recall == 4 / 5


def test_frequencies_of_a_training_text_know_unseen_words():
    found = tercet.compare_words(TESTSET, training=["the dog the dog", "cat"] * 5)
    assert [group.group for group in found.groups] == ["0", "5 to 9", "10 to 99"]
    assert found.groups[0].scores["a"].reference_words == 6  # sat (twice), on, mat, a, bird
    assert found.groups[1].segments == (1,)


def test_the_closest_reference_counts():
    testset = tercet.TestSet({"a": ["x y"], "b": ["u v"]}, {"one": ["x y"], "two": ["u w"]})
    [group] = tercet.compare_words(testset).groups
    assert group.scores["a"].f == 1
    assert (group.scores["b"].recall, group.scores["b"].precision) == (0.5, 1.0)  # v is in no group


def test_words_by_label_with_and_without_labels_of_outputs():
    labels = {"ref": ["D N V", "D N V P D N", "D N"]}
    found = tercet.compare_words(TESTSET, "label", labels=labels)
    assert found.measure == "recall"
    by_name = {group.group: group for group in found.groups}
    assert by_name["N"].scores["a"].recall == 1
    assert by_name["V"].scores["a"].recall == 0.5
    assert by_name["V"].segments == (1, 2)
    assert isnan(by_name["V"].scores["a"].f)
    both = labels | {"a": ["D N V", "D N V P D N", "D N"], "b": ["D N V", "D N", "D D N"]}
    found = tercet.compare_words(TESTSET, "label", labels=both)
    assert found.measure == "F"
    noun = next(group for group in found.groups if group.group == "N").scores["b"]
    assert (noun.precision, noun.recall) == (2 / 3, 2 / 4)


def test_words_by_part_of_speech_from_parses(tmp_path):
    tags = {"the": "DET", "a": "DET", "sat": "VERB", "lay": "VERB", "on": "ADP"}
    texts = dict.fromkeys([*REFERENCE, *(line for lines in OUTPUTS.values() for line in lines)])
    blocks = [
        f"# text = {text}\n"
        + "".join(
            f"{i}\t{word}\t_\t{tags.get(word, 'NOUN')}\t_\t_\t{0 if i == 1 else 1}\tdep\t_\t_\n"
            for i, word in enumerate(text.split(), 1)
        )
        for text in texts
    ]
    path = tmp_path / "all.conllu"
    path.write_text("\n".join(blocks) + "\n", encoding="utf-8")
    found = tercet.compare_words(TESTSET, "pos", parser=f"conllu:{path}")
    assert [group.group for group in found.groups] == ["DET", "NOUN", "VERB", "ADP"]
    assert found.groups[1].scores["a"].f == 1
    assert found.groups[2].scores["a"].f == 0.5


def test_segments_can_be_chosen_and_keep_their_numbers():
    found = tercet.compare_words(TESTSET, segments=[3, 2])
    assert found.groups[0].segments == (2, 3)
    [pair] = tercet.compare_ngrams(TESTSET, segments=[2, 3])
    assert {number for f in pair.a_better for number in f.a_segments} <= {2, 3}
    result = tercet.compare(TESTSET, "chrf", resamples=50, segments=[2, 3], slices=["length"])
    [metric] = result.metrics
    assert metric.n_segments == 2
    assert {segment.segment for segment in metric.pairs[0].segments} <= {2, 3}
    assert metric.slices[0].segments == (2, 3)
    part = tercet.score(TESTSET[1:], "chrf")[0]
    assert metric.systems[0].score == part.system["a"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"by": "colour"}, UnknownName, "no grouping of words called 'colour'"),
        ({"by": "label"}, UsageError, "need labels"),
        ({"by": "label", "labels": {"a": ["D N V"] * 3}}, UsageError, "'ref' has none"),
        ({"by": "label", "labels": {"ref": ["D N V"] * 3}}, DataError, "Labels of 'ref', line 2: 3 labels for 6 words"),
        ({"by": "label", "labels": {"ref": ["D N V"]}}, DataError, "have 1 lines, segment 3 none"),
        ({"by": "label", "labels": {"x": []}}, UnknownName, "no text to label called 'x'"),
        ({"baseline": "c"}, UnknownName, "no system called 'c'"),
        ({"training": "the cat"}, UsageError, "a list of lines"),
        ({"segments": []}, UsageError, "No segments are left"),
        ({"segments": [4]}, UsageError, "There is no segment 4"),
    ],
)
def test_misuse_of_words_is_explained(options, error, message):
    with pytest.raises(error) as caught:
        tercet.compare_words(TESTSET, **options)
    assert message in str(caught.value)
    with pytest.raises(UsageError):
        tercet.compare_words(tercet.TestSet({"a": ["x"]}))


def test_an_ngram_that_one_system_misses_is_found_with_its_segments():
    reference = [f"word{i} of the house" for i in range(20)]
    outputs = {
        "a": reference,
        "b": [line.replace("of the", "in a") if i % 2 else line for i, line in enumerate(reference)],
    }
    [pair] = tercet.compare_ngrams(tercet.TestSet(outputs, {"ref": reference}))
    [best, *_] = pair.a_better
    assert (best.ngram, best.words) == ("of the house", ("of", "the", "house"))
    assert (best.a_right, best.b_right, best.in_references) == (20, 10, 20)
    assert best.a_segments == tuple(range(2, 21, 2))
    assert best.b_segments == ()
    assert best.ratio == 21 / 11
    assert best.p_value == 2 / 2**10
    assert best.p_holm == min(1.0, pair.tested * best.p_value)
    assert best in pair.significant()
    assert pair.b_better == ()
    assert not any("of the" in f.ngram for f in pair.a_better[1:])  # parts of it in the same segments are cut


def test_characters_are_the_words_of_chinese():
    outputs = {"a": ["他在税务局工作。"] * 8, "b": ["他在家工作。"] * 8}
    [pair] = tercet.compare_ngrams(tercet.TestSet(outputs, {"ref": ["他在税务局工作。"] * 8}))
    assert "税务局工" in [found.ngram for found in pair.a_better]


def test_more_than_four_systems_are_compared_with_one():
    testset = tercet.TestSet(dict.fromkeys("abcde", REFERENCE), {"ref": REFERENCE})
    assert [(p.a, p.b) for p in tercet.compare_ngrams(testset)] == [(name, "a") for name in "bcde"]
    assert next((p.a, p.b) for p in tercet.compare_ngrams(testset, baseline="d")) == ("a", "d")


def _null_pair(rng: random.Random) -> tercet.TestSet:
    """Two systems of the same quality: each output is by chance the first's or the second's."""
    words = [f"w{min(int(rng.expovariate(0.12)), 60)}" for _ in range(60 * 12)]
    reference = [words[12 * i : 12 * i + 12] for i in range(60)]
    spoilt = [[[word if rng.random() < 0.6 else "x" for word in line] for line in reference] for _ in range(2)]
    pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in zip(*spoilt, strict=True)]
    a, b = ([" ".join(line) for line in lines] for lines in zip(*pairs, strict=True))
    return tercet.TestSet({"a": a, "b": b}, {"ref": [" ".join(line) for line in reference]})


def test_equal_systems_seldom_have_a_significant_ngram():
    """The family-wise error rate is at most .05: of 150 pairs of equal systems no more than 14 (p = .01) have one."""
    rng = random.Random(11)
    runs = 150
    tested = wrong = 0
    for _ in range(runs):
        [pair] = tercet.compare_ngrams(_null_pair(rng), max_order=2)
        tested += pair.tested
        wrong += bool(pair.significant())
    assert tested / runs > 5  # the test is not empty
    assert wrong <= 14


def test_buckets_of_quality_use_the_thresholds_given():
    result = tercet.compare(TESTSET, "chrf", resamples=50, buckets=["quality"], thresholds={"chrF": (40, 90)})
    [metric] = result.metrics
    [buckets] = metric.buckets
    assert buckets.note == "Thresholds as given: 40 and 90."
    segment = tercet.score(TESTSET, "chrf")[0].segment
    expected = {
        name: [int(np.sum(v < 40)), int(np.sum((v >= 40) & (v < 90))), int(np.sum(v >= 90))]
        for name, v in segment.items()
    }
    assert {name: [b.n_segments[name] for b in buckets.buckets] for name in segment} == expected
    assert [b.bucket for b in buckets.buckets] == ["poor", "middling", "good"]
    assert buckets.buckets[2].segments["a"] == (1, 3)


def test_low_error_rates_are_good():
    [metric] = tercet.compare(TESTSET, "ter", resamples=50, buckets=["quality"], thresholds={"ter": (10, 50)}).metrics
    good = metric.buckets[0].buckets[0]
    assert (good.bucket, good.segments["a"]) == ("good", (1, 3))


def test_a_metric_without_a_better_direction_has_no_quality():
    assert tercet.compare(TESTSET, "length", resamples=50, buckets=["quality"]).metrics[0].buckets == ()


def test_buckets_by_length_difference_and_score():
    [metric] = tercet.compare(TESTSET, "chrf", resamples=50, buckets=["length-difference", "score"]).metrics
    lengths, scores = metric.buckets
    assert [(b.bucket, b.n_segments) for b in lengths.buckets] == [
        ("shorter by 4 to 10 words", {"a": 0, "b": 1}),
        ("shorter by 1 to 3 words", {"a": 0, "b": 0}),
        ("equal", {"a": 3, "b": 1}),
        ("longer by 1 to 3 words", {"a": 0, "b": 1}),
    ]
    assert sum(b.n_segments["b"] for b in scores.buckets) == 3
    assert scores.buckets[-1].segments["a"] == (1, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"buckets": ["size"]}, "no kind of buckets called 'size'"),
        ({"thresholds": {"chrf": (60, 40)}}, "two rising numbers"),
        ({"thresholds": {"chrf": 3}}, "two rising numbers"),
        ({"segments": [9]}, "There is no segment 9"),
    ],
)
def test_misuse_of_buckets_is_explained(options, message):
    with pytest.raises(UsageError) as caught:
        tercet.compare(TESTSET, "chrf", resamples=20, **options)
    assert message in str(caught.value)
