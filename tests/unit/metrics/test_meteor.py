"""METEOR: parameters, formulas, paraphrases, copied words, tuning."""

from dataclasses import replace

import numpy as np
import pytest

from tercet import TestSet, metrics
from tercet.errors import DataError, UsageError
from tercet.metrics.alignment.meteor import METEOR, tune


def score(metric, output, *references):
    return metric.score_one(output, references)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("meteor:variant=1.4", "no variant of meteor called '1.4'"),
        ("meteor:language=cz", "no language of meteor called 'cz'"),
        ("meteor:task=ranking", "no task of meteor called 'ranking'. Did you mean rank"),
        ("meteor:language=de,task=adq", "no parameters for task adq in language de"),
        ("meteor:matchers=stem", "exact cannot be left out"),
        ("meteor:matchers=exact+stemm", "no matcher of meteor called 'stemm'. Did you mean stem"),
        ("meteor:matchers=exact+paraphrase", "the matcher paraphrase needs a table, paraphrases=FILE"),
        ("meteor:language=de,matchers=exact+synonym", "the matcher synonym needs another language than de"),
        ("meteor:paraphrases=nowhere.gz", "no paraphrase table nowhere.gz, neither a file nor a data set"),
        ("meteor:paraphrases=a|b", "must not be empty or hold"),
        ("meteor:alpha=1.5", "alpha must be 0 to 1, not 1.5"),
        ("meteor:beta=-1", "beta must be 0 to 10"),
        ("meteor:stem=2", "stem must be 0 to 1"),
        ("meteor:beam=0", "beam must be 1 to 1000"),
        ("meteor:gaps=3", "gaps needs the matcher paraphrase"),
        ("meteor:copy=-1", "copy must be 0 to 1000"),
        ("meteor:tokenize=13b", "no tokeniser of meteor called '13b'"),
        ("meteor:language=fi,tokenize=meteor", "tokenize=meteor is for cs, de, en, es, fr, ru, not for fi"),
        ("meteor:tokenize=13a,punctuation=false", "punctuation=false goes with tokenize=meteor"),
    ],
)
def test_wrong_parameters_are_refused(spec, message):
    with pytest.raises(UsageError, match=message):
        name, _, given = spec.partition(":")
        if "|" in given:
            METEOR(paraphrases=given.partition("=")[2])
        metrics.create(f"{name}:{given}")


@pytest.mark.parametrize(
    ("language", "matchers", "tokenize", "task", "alpha"),
    [
        ("en", "exact+stem+synonym", "meteor", "rank", 0.85),
        ("de", "exact+stem", "meteor", "rank", 0.95),
        ("cs", "exact", "meteor", "rank", 0.95),
        ("ru", "exact+stem", "meteor", "rank", 0.75),
        ("fi", "exact+stem", "none", "li", 0.75),
        ("zh", "exact", "zh", "li", 0.75),
        ("gu", "exact", "none", "li", 0.75),
    ],
)
def test_the_language_of_the_outputs_sets_what_is_not_given(language, matchers, tokenize, task, alpha):
    metric = metrics.create("meteor").resolved(language)
    assert (metric.matchers, metric.tokenize, metric.task, metric.alpha) == (matchers, tokenize, task, alpha)
    assert metrics.create("meteor:language=en").resolved(language) == METEOR().resolved()


def test_parameters_that_are_given_win_over_those_of_the_task():
    metric = metrics.create("meteor:task=adq,alpha=0.5,stem=0.25").resolved()
    assert (metric.alpha, metric.beta, metric.stem, metric.synonym) == (0.5, 1.4, 0.25, 0.6)


def test_one_segment_by_hand():
    # cat (content, equal), sat (content, equal), the (function, equal), mats / mat (content, stem); two chunks.
    metric = METEOR(matchers="exact+stem").resolved()
    testset = TestSet({"x": ["cat sat the mats"]}, {"r": ["on the mat cat sat"]})
    counts = metric.statistics(testset)["x"]
    precision = (0.75 * 2 + 0.25 * 1 + 0.6 * 0.75) / (0.75 * 3 + 0.25)
    recall = (0.75 * 2 + 0.25 * 1 + 0.6 * 0.75) / (0.75 * 3 + 0.25 * 2)
    mean = 1 / (0.15 / precision + 0.85 / recall)
    penalty = 0.6 * (2 / 4) ** 0.2
    parts = metric.details(counts[0])
    assert parts["precision"] == pytest.approx(precision, abs=1e-15)
    assert parts["recall"] == pytest.approx(recall, abs=1e-15)
    assert parts["penalty"] == pytest.approx(penalty, abs=1e-15)
    assert float(metric.score(counts[0])) == pytest.approx(mean * (1 - penalty), abs=1e-15)
    assert parts["matches"] == {"exact": [3, 3], "stem": [1, 1]}
    assert (parts["chunks"], parts["sys_len"], parts["ref_len"]) == (2, 4, 5)
    assert metric.verbose(counts[0]).startswith("(P = 0.880 R = 0.800 penalty = 0.522 chunks = 2")


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [("", "", 0.0), ("", "a", 0.0), ("a", "", 0.0), ("word", "word", 1.0), ("x", "y", 0.0), ("a b c", "a b c", 1.0)],
)
def test_short_segments(output, reference, expected):
    assert score(METEOR(), output, reference) == expected


def test_a_system_is_scored_by_sums_and_unbroken_segments_have_no_chunks():
    metric = METEOR().resolved()
    testset = TestSet({"x": ["a cat sat", "a dog"]}, {"r": ["a cat sat", "a dog ran off"]})
    counts = metric.statistics(testset)["x"]
    assert counts[:, 6].tolist() == [0, 1]
    segments = metric.segment_scores(counts)
    assert segments[0] == 1
    assert float(metric.score(counts.sum(0))) != pytest.approx(segments.mean())


def test_the_best_reference_counts():
    near, far = "the cat sat on the mat", "a feline was sitting there"
    assert score(METEOR(), near, far, near) == score(METEOR(), near, near, far) == 1
    assert METEOR().ready().explain(near, [far, near]).against == 1


def test_the_original_leaves_out_matches_that_the_papers_count():
    # decision / decisions is a stem and a synonym; the program finds that it covers nothing and adds a chunk.
    output, reference = "a sudden decision i made", "not any fast decisions today"
    assert METEOR(variant="original").ready().explain(output, [reference]).parts[0].links == []
    assert len(METEOR().ready().explain(output, [reference]).parts[0].links) == 1


def test_case_counts_only_if_asked_for():
    assert score(METEOR(), "A Cat", "a cat") == 1
    assert score(METEOR(lowercase=False, matchers="exact"), "A Cat", "a cat") == 0


def test_words_to_be_copied_weigh_more():
    output_wrong_number = "We met Mr. Smith on 13 May"
    reference = "We met Mr. Smith on 12 May"
    plain, heavy = (
        score(METEOR(), output_wrong_number, reference),
        score(METEOR(copy=3), output_wrong_number, reference),
    )
    assert heavy < plain
    assert score(METEOR(copy=3), reference, reference) == 1
    counts = METEOR(copy=3).statistics(TestSet({"x": [output_wrong_number]}, {"r": [reference]}))["x"][0]
    assert counts[2] == counts[5] == 4  # Mr., Smith, the number, May


def test_paraphrases_and_gaps_raise_the_score(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("in spite of\tdespite\nprotect ... from\tprotect ... against\n")
    reference, output = "in spite of all they protect us from it", "despite all they protect us against it"
    none = METEOR()
    plain = METEOR(paraphrases=str(path))
    gapped = METEOR(paraphrases=str(path), gaps=3)
    assert score(none, output, reference) < score(plain, output, reference) < score(gapped, output, reference)
    assert metrics.create(gapped.signature).resolved() == gapped.resolved()
    assert metrics.create(gapped.spec).resolved() == gapped.resolved()
    assert "table:" in gapped.signature
    before = gapped.signature
    path.write_text("in spite of\tdespite\n")
    assert gapped.signature != before  # another table, other scores


def test_words_with_near_vectors_match_as_paraphrases(tmp_path):
    (tmp_path / "vectors").write_text("car 1 0\nlorry 0.9 0.3\ntree 0 1\n")
    plain, near = metrics.create("meteor"), metrics.create(f"meteor:vectors={tmp_path / 'vectors'}")
    assert near.score_one("the lorry stops", ["the car stops"]) > plain.score_one("the lorry stops", ["the car stops"])
    for output in ("the tree stops", "the bus stops", "the car stops"):
        assert near.score_one(output, ["the car stops"]) == plain.score_one(output, ["the car stops"])
    farther = metrics.create(f"meteor:vectors={tmp_path / 'vectors'},cosine=0.99")
    assert farther.score_one("the lorry stops", ["the car stops"]) < near.score_one(
        "the lorry stops", ["the car stops"]
    )
    (tmp_path / "table").write_text("stops\thalts\n")
    both = metrics.create(f"meteor:vectors={tmp_path / 'vectors'},paraphrases={tmp_path / 'table'}")
    told = both.ready().explain("the lorry halts", ["the car stops"])
    assert [link.label for link in told.parts[0].links] == ["exact", "paraphrase", "synonym"]
    assert "vector_file:" in near.ready().signature


def test_signatures_name_the_program_only_where_scores_equal_its():
    assert METEOR(variant="original").compatible == "meteor1.5"
    assert METEOR().compatible is METEOR(variant="original", copy=2).compatible is None


@pytest.mark.parametrize("variant", ["corrected", "original"])
def test_long_segments_are_answered_or_refused(variant):
    rng = np.random.default_rng(1)
    vocabulary = np.array([f"w{i}" for i in range(3000)])
    weights = 1 / np.arange(1, 3001)
    texts = [" ".join(rng.choice(vocabulary, 5000, p=weights / weights.sum())) for _ in range(2)]
    metric = METEOR(variant=variant)
    assert 0 < score(metric, *texts) < 1
    with pytest.raises(DataError, match="pairs of words that could be aligned"):
        score(metric, "the " * 5000, "the " * 5001)
    with pytest.raises(DataError, match=r"has 20,001 words and its reference 1; that would take too long"):
        score(metric, "w " * 20001, "w")


def judged():
    """Outputs of which people like those best that have all the content words, in whatever order."""
    references = ["the old dog chased the small cat", "we saw a red house near the river", "she sings every morning"]
    outputs = {
        "shuffled": ["small cat chased old dog", "river red house saw near we", "morning sings every she"],
        "fluent": ["the old dog chased the", "we saw a red", "she sings"],
        "empty": ["the", "a the", "of the"],
    }
    return TestSet(outputs, {"r": references}), {
        "shuffled": [3, 3, 3],
        "fluent": [2, 2, 2],
        "empty": [1, 1, float("nan")],
    }


@pytest.mark.parametrize("target", ["kendall", "pearson"])
def test_tuning_finds_parameters_that_agree_better_with_people(target):
    from tercet.metrics.alignment.meteor import TARGETS

    testset, judgements = judged()
    start = METEOR(alpha=0.1, gamma=1.0).resolved()
    tuned = tune(testset, judgements, metric=start, target=target, step=0.1)

    def agreement(metric):
        scores = np.array([metric.segment_scores(metric.statistics(testset)[system]) for system in judgements])
        return TARGETS[target](scores, np.array(list(judgements.values()), dtype=float))

    assert agreement(tuned) > agreement(start)
    assert (
        replace(tuned, **{n: getattr(start, n) for n in ("alpha", "beta", "gamma", "delta", "stem", "synonym")})
        == start
    )
    assert metrics.create(tuned.signature).resolved() == tuned.resolved()


@pytest.mark.parametrize(
    ("judgements", "options", "message"),
    [
        ({"nobody": [1, 2, 3]}, {}, "no system called 'nobody'"),
        ({"fluent": [1, 2]}, {}, "2 judgements of 'fluent' for 3 segments"),
        ({"fluent": [1, 1, 1], "empty": [1, 1, 1]}, {}, "nothing can be learnt"),
        ({"fluent": [1, 2, 3]}, {"target": "tau"}, "no target of tuning called 'tau'"),
        ({"fluent": [1, 2, 3]}, {"step": 0}, "step must be above 0"),
    ],
)
def test_judgements_that_cannot_be_used_are_refused(judgements, options, message):
    with pytest.raises(UsageError, match=message):
        tune(judged()[0], judgements, **options)
