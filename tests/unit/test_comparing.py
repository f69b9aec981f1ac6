"""Comparing systems: numbers by hand, directions, names, and independence of where the work runs."""

import json
import random
from dataclasses import FrozenInstanceError, dataclass
from math import isnan
from typing import ClassVar

import numpy as np
import pytest

import tercet
from tercet.comparing import compare_scores, results
from tercet.data.lines import write_lines
from tercet.data.stream import TextFiles
from tercet.data.testset import TestSet
from tercet.errors import TercetError, UnknownName, UsageError
from tercet.metrics import Floats, MeanMetric, SegmentMetric, create
from tercet.rendering.tables import to_json
from tercet.stats import detectable_difference, holm, paired_bootstrap, randomisation

WORDS = [
    "the", "a", "cat", "dog", "house", "tree", "sees", "likes", "finds", "small",
    "large", "green", "old", "in", "under", "near", "and", "river", "bird", "sleeps",
]  # fmt: skip


def spoilt(lines: list[str], share: float, seed: int) -> list[str]:
    """Lines in which a share of the words is replaced."""
    rng = random.Random(seed)
    return [" ".join(rng.choice(WORDS) if rng.random() < share else word for word in line.split()) for line in lines]


def sample(n: int = 60) -> TestSet:
    rng = random.Random(7)
    reference = [" ".join(rng.choices(WORDS, k=rng.randint(4, 30))) for _ in range(n)]
    return TestSet(
        outputs={
            "good": spoilt(reference, 0.2, 1),
            "fair": spoilt(reference, 0.25, 2),
            "bad": spoilt(reference, 0.6, 3),
            "copy": spoilt(reference, 0.2, 1),
        },
        references={"ref": reference},
        source=[line.upper() for line in reference],
        documents=[f"doc{i // 20}" for i in range(n)],
        labels={"domain": ["news" if i % 3 else "chat" for i in range(n)]},
        name="sample",
    )


@dataclass(frozen=True)
class ErrorRate(SegmentMetric):
    """Outputs are two numbers, errors and words; lower is better."""

    needs: ClassVar[frozenset[str]] = frozenset()
    higher_is_better: ClassVar[bool] = False

    def count_segment(self, output: str, references: object, source: object) -> list[float]:
        return [float(part) for part in output.split()]

    def score(self, totals: Floats) -> Floats:
        return totals[..., 0] / totals[..., 1]


@dataclass(frozen=True)
class Copied(MeanMetric):
    """The share of source words that the output keeps: reads no reference."""

    needs: ClassVar[frozenset[str]] = frozenset({"source"})

    def score_segment(self, output: str, references: object, source: str) -> float:
        return len({w.upper() for w in output.split()} & set(source.split())) / len(set(source.split()))


# Worked out by hand: 3/40 and 10/40 errors per word.
BY_HAND = TestSet({"a": ["0 10", "2 10", "1 20"], "b": ["6 10", "2 10", "2 20"]}, {"r": ["first", "second", "third"]})


def test_the_form_that_others_rely_on():
    testset = tercet.TestSet(
        outputs={"a": ["a b c d e", "f g h"], "b": ["a b x d e", "f g y"]},
        references={"ref": ["a b c d e", "f g h"]},
        source=None,
    )
    result = tercet.compare(testset, ["bleu"], tests=("bootstrap", "randomisation"), resamples=1000, seed=12345)
    assert isinstance(result, tercet.Comparison)
    # Two segments: in half of the trials none or both are exchanged, which is as extreme as what is observed.
    assert 0.4 < result.pvalue("bleu", "a", "b", "randomisation") < 0.6
    assert result.resamples == {"bootstrap": 1000, "randomisation": 1000}
    assert result.seed == 12345
    with pytest.raises(FrozenInstanceError):
        result.seed = 1


@pytest.mark.parametrize("spec", ["bleu", "chrf", "nist"])
def test_numbers_are_those_of_scoring_and_of_the_tests(spec):
    testset = sample()
    result = tercet.compare(testset, [spec], resamples=200, seed=3).metric(spec)
    metric, [scores] = create(spec), tercet.score(testset, [spec])
    assert [(s.system, s.score) for s in result.systems] == list(scores.system.items())
    assert len(result.pairs) == 6
    for pair in result.pairs:
        first, second = scores.counts[pair.a], scores.counts[pair.b]
        bootstrap = paired_bootstrap(metric.score, first, second, resamples=200, seed=3)
        assert pair.difference == scores.system[pair.a] - scores.system[pair.b]
        assert pair.p_value == {
            "bootstrap": bootstrap.p_value,
            "randomisation": randomisation(metric.score, first, second, resamples=200, seed=3).p_value,
        }
        assert (pair.ci_low, pair.ci_high) == (bootstrap.low, bootstrap.high)
        expected = detectable_difference(bootstrap.standard_error) if bootstrap.standard_error else np.nan
        assert pair.mde == pytest.approx(expected, rel=1e-12, nan_ok=True)
    for test in ("bootstrap", "randomisation"):
        corrected = holm([pair.p_value[test] for pair in result.pairs])
        assert [pair.p_holm[test] for pair in result.pairs] == corrected.tolist()


def test_systems_with_the_same_output_have_p_1_and_share_a_cluster():
    testset = sample().only(["good", "copy"])
    result = tercet.compare(testset, ["bleu", "chrf"], resamples=100)
    for metric in ("bleu", "chrf"):
        for test in ("bootstrap", "randomisation"):
            assert result.pvalue(metric, "good", "copy", test) == 1.0
            assert result.pvalue(metric, "good", "copy", test, corrected=True) == 1.0
        found = result.metric(metric)
        assert found.clusters == (("good", "copy"),)
        assert [(s.cluster, s.rank_low, s.rank_high) for s in found.systems] == [(1, 1, 2), (1, 1, 2)]
        [pair] = found.pairs
        assert (pair.difference, pair.ci_low, pair.ci_high) == (0, 0, 0)
        assert (pair.wins, pair.ties, pair.losses) == (0, 1, 0)
        assert pair.segments == ()
        assert pair.deciding is None
        assert isnan(found.mde)
        assert "unknown" in found.mde_sentence


def test_clusters_separate_what_is_significantly_different():
    found = tercet.compare(sample(), ["chrf"], resamples=300).metric("chrf")
    assert found.clusters[-1] == ("bad",)
    assert {"good", "copy"} <= set(found.clusters[0])
    bad = next(system for system in found.systems if system.system == "bad")
    assert (bad.cluster, bad.rank_low, bad.rank_high) == (len(found.clusters), 4, 4)


def test_a_system_and_itself_have_p_1():
    result = tercet.compare(sample(), ["bleu"], resamples=50, baseline="bad")
    assert result.pvalue("bleu", "good", "good", "randomisation") == 1.0
    assert result.pvalue("bleu", "good", "good", corrected=True) == 1.0


def test_pvalues_do_not_depend_on_the_order_of_the_pair():
    result = tercet.compare(sample(), ["bleu"], resamples=50)
    assert result.pvalue("bleu", "fair", "good") == result.pvalue("bleu", "good", "fair")


def test_too_few_resamples_for_the_number_of_comparisons_are_warned_of(caplog, monkeypatch):
    tercet.compare(sample(60), ["bleu"], tests=["bootstrap"], resamples=119)
    assert caplog.messages == [
        "bootstrap: with 119 resamples no p-value corrected for 6 comparisons can fall below 0.05. "
        "Use at least 120 resamples, or a baseline."
    ]
    caplog.clear()
    tercet.compare(sample(60).only(["good", "bad"]), ["bleu"], tests=["bootstrap"], resamples=19)
    assert caplog.messages == [
        "bootstrap: with 19 resamples no p-value can fall below 0.05. Use at least 20 resamples."
    ]
    caplog.clear()
    tercet.compare(sample(60), ["bleu"], resamples=120)
    tercet.compare(sample(60), ["bleu"], resamples=60, baseline="bad")
    tercet.compare(sample(10), ["bleu"], resamples=2)  # exact
    assert caplog.messages == []


def test_on_few_segments_randomisation_decides(caplog):
    pair = sample(49).only(["good", "bad"])
    assert tercet.compare(pair, "chrf", resamples=200).decisive == "randomisation"  # of equals not the first
    assert caplog.messages == []
    result = tercet.compare(pair, "chrf", tests=["bootstrap"])
    assert (result.tests, result.decisive) == (("bootstrap", "randomisation"), "randomisation")
    assert caplog.messages == [
        "bootstrap: below 50 segments its p-values are too small, and there are 49. Randomisation decides."
    ]
    more = sample(50).only(["good", "bad"])
    assert tercet.compare(more, "chrf", tests=["bootstrap"]).tests == ("bootstrap",)
    assert tercet.compare(more, "chrf", resamples=200).decisive == "bootstrap"


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_fewer_than_six_segments_show_nothing_at_5_percent(n, caplog):
    refs = [f"the number {i} stands here" for i in range(n)]
    testset = tercet.TestSet({"a": refs, "b": ["not a word"] * n}, {"ref": refs})
    found = tercet.compare(testset, "chrf").metric("chrf")
    p_value = 2.0 ** (1 - n)
    assert found.pairs[0].p_value["randomisation"] == p_value
    assert (len(found.clusters) == 2) == (n >= 6)
    if n < 6:
        what = f"{n} segment{'s' * (n > 1)}"
        advice = f"randomisation: with {what} no p-value can fall below 0.05. At least 6 segments are needed."
        assert advice in caplog.messages
        assert found.mde_sentence == (
            f"No difference can be significant: the smallest p-value that is possible is {p_value:.2g}."
        )
        assert isnan(found.mde)
    if n == 1:
        pair = found.pairs[0]
        assert all(map(isnan, (pair.ci_low, pair.ci_high, pair.p_value["bootstrap"])))


def test_an_impossible_level_is_no_crash(caplog):
    tercet.compare(sample(60).only(["good", "bad"]), "chrf", alpha=1e-320)
    assert caplog.messages == [
        "randomisation: with 10000 resamples no p-value can fall below 9.99989e-321. No test is so exact."
    ]


def test_contributions_are_those_worked_out_by_hand():
    [found] = tercet.compare(BY_HAND, [ErrorRate()], resamples=50).metrics
    [pair] = found.pairs
    assert pair.difference == pytest.approx(3 / 40 - 10 / 40)
    # Without the first segment 3/30 - 4/30 is left; the others pull the other way and are not shown.
    [segment] = pair.segments
    assert segment.segment == 1
    assert segment.contribution == pytest.approx((3 / 40 - 10 / 40) - (3 / 30 - 4 / 30))
    assert (segment.a_score, segment.b_score) == (0, 0.6)
    assert (segment.source, segment.references) == (None, {"r": "first"})
    assert (segment.a_output, segment.b_output) == ("0 10", "6 10")
    # 0.033 of 0.175 is left: less than a fifth.
    assert pair.deciding.segments == 1
    assert pair.deciding.difference_without == pytest.approx(3 / 30 - 4 / 30)


def test_contributions_equal_scoring_without_the_segment():
    testset = sample(30).only(["good", "bad"])
    [pair] = tercet.compare(testset, ["bleu"], resamples=20, top=30).metrics[0].pairs
    assert len(pair.segments) > 5
    assert [s.contribution for s in pair.segments] == sorted((s.contribution for s in pair.segments), reverse=True)
    for segment in pair.segments:
        rest = testset.take([i for i in range(30) if i != segment.segment - 1])
        [scores] = tercet.score(rest, ["bleu"])
        without = scores.system["good"] - scores.system["bad"]
        assert segment.contribution == pytest.approx(pair.difference - without, abs=1e-10)
        assert segment.source == testset.source[segment.segment - 1]


def test_deciding_segments_are_the_fewest_in_their_order():
    testset = sample(60).only(["good", "fair"])
    [pair] = tercet.compare(testset, ["chrf"], resamples=20, top=60).metrics[0].pairs
    count = pair.deciding.segments

    def difference_without(number: int) -> float:
        left_out = {segment.segment - 1 for segment in pair.segments[:number]}
        [scores] = tercet.score(testset.take([i for i in range(60) if i not in left_out]), ["chrf"])
        return scores.system["good"] - scores.system["fair"]

    assert difference_without(count) == pytest.approx(pair.deciding.difference_without, abs=1e-10)
    assert difference_without(count) / pair.difference <= 0.2 < difference_without(count - 1) / pair.difference


def test_lower_is_better_changes_who_wins_and_negates_nothing():
    [found] = tercet.compare(BY_HAND, [ErrorRate()], resamples=50).metrics
    [pair] = found.pairs
    assert pair.difference < 0
    assert pair.better(found.higher_is_better) == "a"
    assert (pair.wins, pair.ties, pair.losses) == pytest.approx((2 / 3, 1 / 3, 0))
    lines = {"worse": ["5 10", "4 10"] * 20, "best": ["1 10", "0 10"] * 20}
    [found] = tercet.compare(TestSet(lines), [ErrorRate()], resamples=200).metrics
    assert found.clusters == (("best",), ("worse",))
    assert [system.score for system in found.systems] == [0.45, 0.05]


def test_win_rates_leave_out_segments_without_a_score():
    lines = {"a": ["0 0", "1 10", "2 10", "3 10"], "b": ["1 10", "1 10", "3 10", "2 10"]}
    with np.errstate(invalid="ignore"):
        [found] = tercet.compare(TestSet(lines), [ErrorRate()], resamples=20).metrics
    [pair] = found.pairs
    assert (pair.wins, pair.ties, pair.losses) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_a_metric_that_reads_the_source_alone():
    testset = sample().only(["good", "bad"])
    without = TestSet(testset.outputs, source=testset.source)
    [found] = tercet.compare(without, [Copied()], resamples=100, slices=["length"]).metrics
    assert found.pairs[0].difference > 0
    assert sum(part.n_segments for part in found.slices) == 60


def test_against_a_baseline_the_baseline_comes_second_and_only_these_are_corrected():
    everything = tercet.compare(sample(), ["bleu"], resamples=100)
    result = tercet.compare(sample(), ["bleu"], resamples=100, baseline="fair")
    found = result.metric("bleu")
    assert [(pair.a, pair.b) for pair in found.pairs] == [("good", "fair"), ("bad", "fair"), ("copy", "fair")]
    raw = [pair.p_value["bootstrap"] for pair in found.pairs]
    assert raw == [everything.pvalue("bleu", pair.a, "fair", "bootstrap") for pair in found.pairs]
    assert [pair.p_holm["bootstrap"] for pair in found.pairs] == holm(raw).tolist()
    assert found.pairs[1].difference < 0
    # Pairs that were not compared allow no clusters.
    assert found.clusters == ()
    assert {system.cluster for system in found.systems} == {None}
    with pytest.raises(UsageError, match="good and bad were not compared with each other"):
        result.pvalue("bleu", "good", "bad")


def test_two_systems_and_a_baseline_are_all_pairs():
    found = tercet.compare(sample().only(["good", "bad"]), ["bleu"], resamples=100, baseline="good").metric("bleu")
    assert found.clusters == (("good",), ("bad",))


def test_results_do_not_depend_on_the_number_of_jobs():
    alone = tercet.compare(sample(), ["bleu", "nist"], resamples=50, slices=["length"])
    assert to_json(tercet.compare(sample(), ["bleu", "nist"], resamples=50, slices=["length"], jobs=2).to_dict()) == (
        to_json(alone.to_dict())
    )


def test_files_compare_as_texts_do_without_being_held(tmp_path, monkeypatch):
    testset = sample()
    paths = {}
    assert testset.source is not None
    for name, lines in (*testset.outputs.items(), *testset.references.items(), ("src", testset.source)):
        paths[name] = tmp_path / name
        write_lines(paths[name], list(lines))
    names = testset.outputs, testset.references
    files = TextFiles(*({name: paths[name] for name in each} for each in names), paths["src"])
    monkeypatch.setattr(results, "SHARD", 7)  # the segments that are shown are in several pieces
    monkeypatch.setattr(TextFiles, "read", None)
    found = tercet.compare(files, ["bleu", "chrf"], resamples=50)
    expected = tercet.compare(testset, ["bleu", "chrf"], resamples=50)
    assert to_json(found.to_dict(full=True)) == to_json(expected.to_dict(full=True))
    assert found.metrics[0].pairs[0].segments[0].a_output is not None


def test_kept_scores_compare_as_texts_do():
    testset = sample()
    scores = tercet.score(testset, ["bleu", "chrf"])
    whole = tercet.compare(testset, ["bleu", "chrf"], resamples=50, slices=["document"])
    again = compare_scores(scores, testset=testset, resamples=50, slices=["document"])
    assert to_json(again.to_dict()) == to_json(whole.to_dict())
    bare = compare_scores(scores, resamples=50, slices=["document"]).metric("bleu")
    assert bare.slices == whole.metric("bleu").slices
    assert bare.pairs[0].segments[0].a_output is None


def test_the_interval_does_not_depend_on_the_tests_chosen():
    both = tercet.compare(sample(), ["bleu"], resamples=100).metric("bleu").pairs
    one = tercet.compare(sample(), ["bleu"], resamples=100, tests=["randomisation"]).metric("bleu").pairs
    assert [(pair.ci_low, pair.ci_high, pair.mde) for pair in one[:3]] == [
        (pair.ci_low, pair.ci_high, pair.mde) for pair in both[:3]
    ]
    assert list(one[0].p_value) == ["randomisation"]


def test_by_default_each_test_has_its_customary_number_of_resamples():
    result = tercet.compare(sample(10), ["bleu"])
    assert result.resamples == {"bootstrap": 1000, "randomisation": 10000}


def test_the_sentence_on_power_gives_the_median_of_the_pairs():
    found = tercet.compare(sample().only(["good", "fair", "bad"]), ["bleu"], resamples=200).metric("bleu")
    assert found.mde == sorted(pair.mde for pair in found.pairs)[1]
    start = f"With n = 60 segments, a true difference of about {found.mde:.1f} BLEU is found with 80 % power"
    assert found.mde_sentence.startswith(start)
    assert "median of 3 pairs" in found.mde_sentence


@pytest.mark.parametrize(("by", "names"), [("document", ["doc0", "doc1", "doc2"]), ("domain", ["chat", "news"])])
def test_slices_equal_scoring_their_segments_alone(by, names):
    testset = sample()
    labels = testset.documents if by == "document" else testset.labels[by]
    found = tercet.compare(testset, ["bleu"], resamples=10, slices=[by]).metric("bleu")
    assert [part.slice for part in found.slices] == names
    for part in found.slices:
        rows = [i for i, label in enumerate(labels) if label == part.slice]
        [scores] = tercet.score(testset.take(rows), ["bleu"])
        assert part.by == by
        assert part.n_segments == len(rows)
        assert part.scores == scores.system


def test_slices_by_length_go_by_words_of_the_reference():
    lengths = [0, 1, 10, 11, 20, 21, 60, 61, 200]
    reference = [" ".join(["w"] * length) for length in lengths]
    testset = TestSet({"a": reference, "b": reference}, {"r": reference})
    found = tercet.compare(testset, ["chrf"], resamples=10, slices=["length"]).metric("chrf")
    assert [(part.slice, part.n_segments) for part in found.slices] == [
        ("up to 10 words", 3),
        ("11 to 20 words", 2),
        ("21 to 30 words", 1),
        ("51 to 60 words", 1),
        ("over 60 words", 2),
    ]


def test_lengths_of_chinese_are_counted_in_characters():
    reference = ["我们今天去看电影。", "他说明天会下雨，所以我们决定在家里看书和写信给朋友们。"]
    testset = TestSet({"a": reference, "b": reference}, {"r": reference})
    found = tercet.compare(testset, ["chrf"], resamples=10, slices=["length"]).metric("chrf")
    assert [part.slice for part in found.slices] == ["up to 20 characters", "21 to 40 characters"]


def test_metrics_are_found_as_given_by_spec_name_label_and_signature():
    result = tercet.compare(sample(10), ["bleu:tokenize=13a", "chrf:word_order=2"], resamples=10)
    bleu, chrf = result.metrics
    for name in ("bleu:tokenize=13a", "bleu", "BLEU", bleu.signature):
        assert result.metric(name) is bleu
    for name in ("chrf:word_order=2", "chrf", "chrF2++"):
        assert result.metric(name) is chrf


def test_a_name_that_may_mean_two_metrics_is_refused():
    result = tercet.compare(sample(10), ["chrf:word_order=1", "chrf:word_order=2"], resamples=10)
    with pytest.raises(UsageError, match="chrf may be any of chrf:word_order=1, chrf:word_order=2"):
        result.metric("chrf")


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (("blue", "good", "bad"), "There is no metric in these results called 'blue'. Did you mean bleu?"),
        (("bleu", "god", "bad"), "There is no system called 'god'. Did you mean good?"),
        (("bleu", "xyz", "xyz"), "There is no system called 'xyz'. Known: bad, copy, fair, good."),
        (("bleu", "good", "bad", "randomization"), "Did you mean randomisation?"),
    ],
)
def test_unknown_names_are_named_with_what_is_near(question, message):
    result = tercet.compare(sample(10), ["bleu"], resamples=10)
    with pytest.raises(UnknownName) as caught:
        result.pvalue(*question)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tests": ()}, "A comparison needs a test: bootstrap or randomisation."),
        ({"tests": ["bootstap"]}, "There is no test called 'bootstap'. Did you mean bootstrap?"),
        ({"baseline": "goods"}, "There is no system called 'goods'. Did you mean good?"),
        ({"resamples": 0}, "The number of resamples must be a whole number, at least 1, not 0."),
        ({"seed": -1}, "The seed must be a whole number and not negative, not -1."),
        ({"alpha": 5.0}, "The significance level must lie between 0 and 1, not 5.0."),
        ({"confidence": 95}, "The confidence must lie between 0 and 1, not 95."),
        ({"slices": ["domains"]}, "There is no slice called 'domains'. Did you mean domain?"),
        ({"top": -1}, "`top` must be 0 or more, not -1."),
        ({"metrics": 5}, 'metrics must be a list of names, as ["bleu"], not 5.'),
        ({"metrics": []}, 'A comparison needs a metric, as ["bleu"].'),
        ({"metrics": ["blue"]}, "There is no metric called 'blue'. Did you mean bleu"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_counted(options, message, monkeypatch):
    monkeypatch.setattr("tercet.scoring.count", lambda *_, **__: pytest.fail("counted first"))
    with pytest.raises(UsageError) as caught:
        tercet.compare(sample(10), **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"a": ["x"]}, "Test set 'unnamed' has only one system, 'a'. Two or more are needed for a comparison."),
        ({}, "Test set 'unnamed' has no system. Two or more are needed for a comparison."),
    ],
)
def test_fewer_than_two_systems_cannot_be_compared(outputs, message):
    with pytest.raises(UsageError) as caught:
        tercet.compare(TestSet(outputs, {"r": ["x"]}))
    assert str(caught.value) == message


def test_slices_by_document_need_documents():
    with pytest.raises(UsageError, match="this test set has none"):
        tercet.compare(BY_HAND, ["bleu"], slices=["document"])


def test_scores_without_counts_cannot_be_compared():
    scores = tercet.score(sample(10), ["bleu"], keep_counts=False)
    with pytest.raises(
        TercetError, match="BLEU has scores of whole systems only; a comparison needs scores of segments"
    ):
        compare_scores(scores)
    with pytest.raises(UsageError, match="There are no scores to compare"):
        compare_scores([])
    with pytest.raises(UsageError, match="BLEU has 10 segments, and the test set has 20"):
        compare_scores(tercet.score(sample(10), ["bleu"]), testset=sample(20))


def test_undefined_scores_are_not_ranked_and_become_null():
    lines = {"a": ["0 0", "0 0"], "b": ["1 10", "2 10"], "c": ["9 10", "7 10"]}
    with np.errstate(invalid="ignore"):
        result = tercet.compare(TestSet(lines), [ErrorRate()], resamples=20)
    [found] = result.metrics
    assert isnan(found.pair("a", "b").p_value["bootstrap"])
    assert found.systems[0].cluster is None
    assert found.pair("a", "b").segments == ()
    written = json.loads(to_json(result.to_dict()))["metrics"][0]
    assert written["systems"][0]["score"] is None
    assert written["pairs"][0]["p_value"] == {"bootstrap": None, "randomisation": None}
    assert written["pairs"][0]["wins"] is None
