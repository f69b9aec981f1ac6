"""What metrics say they saw in a segment."""

import json

import pytest

from tercet import TestSet, compare, metrics, score
from tercet.errors import DataError, MissingDependency, UsageError
from tercet.explaining import check_edits, compare_edits, explain
from tercet.rendering.tables import to_json
from tercet.text.ngrams import compare_ngrams, longest_matches

TEXTS = TestSet(
    {"x": ["the cat sat on the mat", "one two"], "y": ["a dog", "two one"]},
    {"r": ["the cat is on the mat", "one two"], "q": ["a cat on a mat", None]},
    source=["die Katze ist auf der Matte", "eins zwei"],
)


def test_ngrams_are_clipped_as_in_bleu() -> None:
    first, second = compare_ngrams("a a b".split(), ["a b".split(), "c a".split()], 2)
    assert first == (1, ["a", "b"], ["a"], 2, 3)
    assert (second.matched, second.unmatched) == (["a b"], ["a a"])


def test_longest_matches_by_hand() -> None:
    assert longest_matches("xabcy", "zabcd", 6) == [0, 3, 3, 3, 0]
    assert longest_matches("abcd", "abcd", 2) == [2, 2, 2, 2]
    assert longest_matches("", "abcd", 2) == []


SILENT = {"ibm1", "kobe_pool", "length", "lp", "numbers", "qe", "tree_kernel"}  # `qe rank` shows what qe sees
# Need a model, a file, language models or a knowledge base: tests of their own.
SILENT |= {"bleurt", "classifier", "comet", "judge", "kobe", "learned", "metricx"}
SILENT |= {"cobalt_comp", "cobalt_f", "features_f", "metrics_f", "party"}


@pytest.mark.parametrize("name", [name for name in metrics.names() if name not in SILENT])
def test_every_metric_that_can_say_gives_the_segments_score_and_json(name: str) -> None:
    try:
        (whole,) = score(TEXTS, [name])
    except MissingDependency as missing:
        pytest.skip(str(missing))
    for segment in (1, 2):
        found = explain(TEXTS, [name], segment=segment)
        assert [each.system for each in found] == ["x", "y"]
        for each in found:
            tolerance = max(1e-9, whole.metric.tolerance)
            wanted = whole.segment[each.system][segment - 1]
            assert each.score == pytest.approx(wanted, abs=tolerance, nan_ok=True)
            assert json.loads(to_json(each.to_dict()))["segment"] == segment
            assert all(isinstance(line, str) and "\n" not in line for line in each.lines())


def test_what_cannot_be_explained_is_refused() -> None:
    with pytest.raises(UsageError, match="length cannot say"):
        explain(TEXTS, ["length"])
    with pytest.raises(UsageError, match="no segment 3: the test set has 2"):
        explain(TEXTS, ["bleu"], segment=3)


EDITING = {  # where a metric's own counts have the number of edits; CharacTER's shifts cost by their length
    "cder": ("edits",),
    "cer": ("errors",),
    "character": ("edits",),
    "per": ("errors",),
    "ter": ("num_edits",),
    "wer": ("substitutions", "deletions", "insertions"),
}
SCRIPTED = TestSet(
    {
        "x": ["on the mat the cat sat", "one two", "", "a b c d e f", "yes"],
        "y": ["the cat sat there", "two one", "it rains", "d e f a b c", "yes"],
    },
    {
        "r": ["the cat sat on the mat", "one two", "it rains", "a b c d e f", "yes"],
        "q": [None, "two", "rain", None, "no"],
    },
)


@pytest.mark.parametrize("name", EDITING)
def test_sums_of_edits_are_those_the_metric_counts(name: str) -> None:
    (whole,) = score(SCRIPTED, [name])
    edits = compare_edits(compare(SCRIPTED, [name], resamples=20), SCRIPTED)
    metric = metrics.create(name)
    for system, sums in edits.metrics[0].sums.items():
        counted = metric.details(whole.counts[system].sum(0))
        known = {kind: counted[kind] for kind in sums if kind in counted}
        assert known == {kind: sums[kind] for kind in known}
        total = sum(count for kind, count in sums.items() if (name, kind) != ("character", "shifts"))
        assert total == sum(counted[part] for part in EDITING[name])


def test_edits_by_kind_and_scripts_by_hand() -> None:
    comparison = compare(SCRIPTED, ["ter"], resamples=20, top=1)
    (edits,) = compare_edits(comparison, SCRIPTED).metrics
    assert edits.sums == {
        "x": {"insertions": 0, "deletions": 1, "substitutions": 0, "shifts": 1, "jumps": 0},
        "y": {"insertions": 0, "deletions": 2, "substitutions": 1, "shifts": 2, "jumps": 0},
    }
    (shown,) = comparison.metrics[0].pairs[0].segments
    assert edits.deciding == {
        (shown.segment, system): explain(SCRIPTED, ["ter"], segment=shown.segment, systems=[system])[0]
        for system in ("x", "y")
    }


def test_metrics_without_edit_scripts_are_refused_with_those_that_have() -> None:
    check_edits(list(EDITING))
    for name in ("bleu", "eed", "length", "meteor", "nist"):
        with pytest.raises(UsageError, match=f"{name} has no edit scripts. Metrics that have: {', '.join(EDITING)}.$"):
            check_edits(["ter", name])


def test_a_segment_too_long_to_list_its_edits_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = compare(SCRIPTED, ["character", "wer"], resamples=20)
    monkeypatch.setattr("tercet.metrics.edits.character.MOST_SHOWN", 400)
    with pytest.raises(DataError, match="Segment 1 of 'x' is too long for character to list its edits"):
        compare_edits(comparison, SCRIPTED)


def test_edits_are_those_of_the_test_set_that_was_compared() -> None:
    comparison = compare(SCRIPTED, ["ter"], resamples=20)
    with pytest.raises(UsageError, match="5 segments were compared, and the test set has 2"):
        compare_edits(comparison, TEXTS)
    with pytest.raises(UsageError, match="no system called 'y'"):
        compare_edits(comparison, SCRIPTED.only(["x"]))


def test_a_metric_that_cannot_say_what_it_saw_is_refused_before_all_else() -> None:
    with pytest.raises(UsageError, match=r"^ibm1 cannot say what it saw in a segment\.$"):
        explain(TEXTS, ["ibm1"])
    with pytest.raises(UsageError, match=r"^qe cannot say what it saw in a segment\. Use 'tercet qe rank'"):
        explain(TEXTS, ["qe:model=none.qe"])
