"""Participants of WMT14 that compare words, and SimpBLEU. Numbers are computed by hand."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from tercet import TestSet, score
from tercet.errors import DataError, UsageError
from tercet.metrics import create
from tercet.metrics.alignment.impact import CommonPart, common_parts, f_measure
from tercet.metrics.strings.amber import Pair
from tercet.metrics.strings.elexr import relations
from tercet.metrics.strings.tbleu import affix_distance

NAMES = ("tbleu", "impact", "apac", "elexr", "amber")


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("house", "house", 0),
        ("document", "documents", 1 / 8),
        ("has", "had", 1 / 2),
        ("unknown", "known", 2 / 5),
        ("a", "b", 1),
        ("ab", "cdbef", 1),  # the edits c, d, e, f for a common b
    ],
)
def test_affixes_differ_by_their_edits_over_the_common_part(first, second, distance):
    assert affix_distance(first, second) == affix_distance(second, first) == pytest.approx(distance)


def test_tbleu_counts_n_grams_by_the_mean_weight_of_their_words():
    metric = create("tbleu:tokenize=none")
    words, weights = metric.aligned("the governments has a plan".split(), "the government had a plan".split())
    assert words == "the government had a plan".split()
    assert weights == pytest.approx([1, 9 / 10, 1 / 2, 1, 1])
    counts = metric.count_pair("the governments has a plan".split(), "the government had a plan".split())
    bigrams = (1.9 + 1.4 + 1.5 + 2) / 2
    assert counts == pytest.approx([5, 5, 4.4, bigrams, (2.4 + 2.4 + 2.5) / 3, (3.4 + 3.4) / 4, 5, 4, 3, 2])


def test_tbleu_without_tolerance_is_bleu():
    texts = "the cat sat on the mat today", ["the cat sat on the mat"]
    metric = create("tbleu:threshold=0,tokenize=none")
    counts = np.array(metric.count_pair(*(text.split() for text in (texts[0], *texts[1]))))
    bleu = create("bleu:tokenize=none,smooth_method=none").score_one(*texts)
    assert 100 * float(metric.score(counts)) == pytest.approx(bleu)


def test_an_output_word_is_aligned_once_and_where_it_costs_least():
    metric = create("tbleu:tokenize=none")
    words, weights = metric.aligned(["walks", "walked"], ["walked", "walk"])
    assert (words, weights) == (["walk", "walked"], [pytest.approx(3 / 4), 1.0])


def test_impact_takes_common_parts_round_by_round():
    reference, output = "a b x c d e".split(), "c d e a b".split()
    assert common_parts(output, reference, 1.2) == [CommonPart(0, 3, 3, 0), CommonPart(3, 0, 2, 1)]
    found = 3**1.2 + 0.1 * 2**1.2
    precision, recall = (found / 5**1.2) ** (1 / 1.2), (found / 6**1.2) ** (1 / 1.2)
    assert create("impact:tokenize=none").score_one(" ".join(output), [" ".join(reference)]) == pytest.approx(
        f_measure(precision, recall)
    )


def test_of_equally_long_subsequences_impact_takes_the_one_with_the_longest_parts():
    assert common_parts("a b c".split(), "a x b c a b c".split(), 1.2)[0] == CommonPart(0, 4, 3, 0)
    assert [part.length for part in common_parts("a b".split(), "a x a b".split(), 1.2)] == [2]


def test_words_that_a_part_has_taken_divide_what_is_left():
    # The second round leaves a and c, which follow each other only without b.
    assert [(part.length, part.round) for part in common_parts("c d a".split(), "d c a".split(), 1.2)] == [
        (1, 0), (1, 0), (1, 1),
    ]  # fmt: skip


def test_the_prize_of_apac_falls_with_the_length_of_the_output():
    plain, prized = create("apac:prize=0"), create("apac")
    for output in ("a", "a b c d"):
        expected = (plain.score_one(output, ["a b c d"]) + 0.5 / (1 + log(len(output.split())))) / 1.5
        assert prized.score_one(output, ["a b c d"]) == pytest.approx(expected)
    assert prized.score_one("x", ["a b c d"]) == 0


def test_relations_of_elexr_are_nearer_words_first():
    assert relations("a b c".split(), 2) == {"a": {"\x00": 2}, "b": {"a": 2, "\x00": 1}, "c": {"b": 2, "a": 1}}


def test_elexr_is_the_share_of_words_whose_relations_agree():
    metric = create("elexr:tokenize=none,window=1,smoothing=0.5")
    # a follows the start in both texts; b follows a in one, x in the other: .75 and .25 after smoothing.
    divergence = 0.75 * log(3) + 0.25 * log(1 / 3)
    assert metric.score_one("a b", ["a x b"]) == pytest.approx(2 * (1 + exp(-divergence)) / 5)


def test_the_penalties_of_amber():
    found = Pair("the cat sat".split(), "sat the cat now".split())
    assert found.penalty("brevity") == pytest.approx(exp(1 - 4 / 3))
    assert found.penalty("redundancy") == 1 and found.penalty("character_brevity") == pytest.approx(exp(1 - 12 / 9))
    assert found.penalty("chunks") == pytest.approx(1 - 0.5 * (2 / 3) ** 3)
    assert found.penalty("continuity") == pytest.approx((2 / 4 + 1 / 2 + 1 / 1) / 3)
    assert found.penalty("short_words") == pytest.approx(exp(-1 / 4)) and found.penalty("long_words") == 1
    assert found.penalty("kendall") == pytest.approx((1 + (1 - 2) / 3) / 2)  # the cat, the sat, cat sat: 1 of 3 ascends
    assert found.penalty("spearman") == pytest.approx((1 + 1 - 6 * 6 / (3 * 8)) / 2)


def test_the_overlap_of_amber_is_a_mean_of_three():
    # Precision and recall of words are 1/2 and 1. Of two words one n-gram of order 2 does not match.
    precisions = (1 / 2 * 1 / 2) ** (1 / 4)
    f_of_means = 1 / 8 / (0.9 / 8 + 0.1)
    mean_of_f = 1 / 2 / (0.9 / 2 + 0.1) / 4
    expected = 0.3 * precisions + 0.5 * f_of_means + 0.2 * mean_of_f
    assert create("amber").overlap(Pair(["a", "x"], ["a"])) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_against_itself_is_best_and_nothing_in_common_is_0(name):
    metric = create(name)
    same, none = (metric.score_one(text, ["Nobody knew why it was raining again."]) for text in
                  ("Nobody knew why it was raining again.", "Zzz qqq"))  # fmt: skip
    assert none == 0 < same <= 1
    assert same == pytest.approx(1) or name == "apac"
    assert metric.score_one("", [""]) == metric.score_one("", ["a"]) == metric.score_one("a", [""]) == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_best_reference_counts_and_is_named(name):
    metric = create(name).resolved("en")
    told = metric.ready().explain("he reads a book", ["nothing of it", "he reads the book"])
    assert told.against == 1
    assert told.score == pytest.approx(metric.score_one("he reads a book", ["nothing of it", "he reads the book"]))


def test_endless_lines_are_refused():
    with pytest.raises(DataError, match="impact: the output that begins 'a a"):
        create("impact").score_one("a " * 1001, ["b"])


def test_simpbleu_is_recall_or_precision_of_words():
    pair = "the the cat", ["the cat sat down"]
    assert create("simpbleu").score_one(*pair) == pytest.approx(2 / 4)
    assert create("simpbleu:of=precision").score_one(*pair) == pytest.approx(2 / 3)


def test_parmesan_rewrites_the_reference_where_meteor_counts_less(tmp_path):
    (tmp_path / "pairs").write_text("velký dům\tpalác\npes\thafan\n", encoding="utf-8")
    metric = create(f"parmesan:language=cs,paraphrases={tmp_path / 'pairs'}")
    told = metric.ready().explain("starý palác má hafan", ["starý velký dům má pes"])
    assert told.values["rewritten"] == "starý palác má hafan".split() and told.score == pytest.approx(1)
    assert [each["by"] for each in told.values["replaced"]] == [["palác"], ["hafan"]]
    exact = create("meteor:language=cs,matchers=exact")
    assert create("parmesan:language=cs").score_one("a b c", ["a c"]) == exact.score_one("a b c", ["a c"])


def test_parmesan_looks_up_base_forms_of_words_that_are_left_over(tmp_path):
    pytest.importorskip("simplemma")
    (tmp_path / "pairs").write_text("hafan\tpes\npalác\tdům\n", encoding="utf-8")
    spec = f"parmesan:language=cs,paraphrases={tmp_path / 'pairs'}"
    pair = "mají psa a psy v domě", ["mají hafana a v paláci psi"]
    plain, told = (create(each).ready().explain(*pair) for each in (spec, f"{spec},lemmas=true"))
    assert plain.values["replaced"] == []
    assert told.values["rewritten"] == "mají psa a v domě psi".split()  # psy, psi: one lemma is no synonym of itself
    assert [each["words"] for each in told.values["replaced"]] == [["hafana"], ["paláci"]]
    with pytest.raises(UsageError, match="paraphrases=FILE"):
        create("parmesan:lemmas=true")


def test_parmesan_without_a_table_says_that_it_replaces_nothing(tmp_path, caplog):
    texts = TestSet({"a": ["a b"]}, {"r": ["a c"]}, pair="en-cs")
    score(texts, "parmesan")
    assert "no table of paraphrases for cs" in caplog.text
    assert "Give a table: parmesan:paraphrases=FILE." in caplog.text
    caplog.clear()
    (tmp_path / "pairs").write_text("b\tc\n", encoding="utf-8")
    score(texts, f"parmesan:paraphrases={tmp_path / 'pairs'}")
    score(replace(texts, pair="cs-en"), "parmesan")
    assert not caplog.text
