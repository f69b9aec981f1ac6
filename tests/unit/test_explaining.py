"""What metrics say they saw in a segment."""

import json

import pytest

from tercet import TestSet, metrics, score
from tercet.errors import UsageError
from tercet.explaining import explain
from tercet.report.tables import to_json
from tercet.text.ngrams import compare_ngrams, longest_matches

TEXTS = TestSet(
    {"x": ["the cat sat on the mat", "one two"], "y": ["a dog", "two one"]},
    {"r": ["the cat is on the mat", "one two"], "q": ["a cat on a mat", None]},
)


def test_ngrams_are_clipped_as_in_bleu() -> None:
    first, second = compare_ngrams("a a b".split(), ["a b".split(), "c a".split()], 2)
    assert first == {"n": 1, "matches": 2, "total": 3, "matched": ["a", "b"], "unmatched": ["a"]}
    assert (second["matched"], second["unmatched"]) == (["a b"], ["a a"])


def test_longest_matches_by_hand() -> None:
    assert longest_matches("xabcy", "zabcd", 6) == [0, 3, 3, 3, 0]
    assert longest_matches("abcd", "abcd", 2) == [2, 2, 2, 2]
    assert longest_matches("", "abcd", 2) == []


@pytest.mark.parametrize("name", [name for name in metrics.names() if name != "length"])
def test_every_metric_that_can_say_gives_the_segments_score_and_json(name: str) -> None:
    (whole,) = score(TEXTS, [name])
    for segment in (1, 2):
        found = explain(TEXTS, [name], segment=segment)
        assert [each.system for each in found] == ["x", "y"]
        for each in found:
            assert each.score == pytest.approx(whole.segment[each.system][segment - 1], abs=1e-9, nan_ok=True)
            assert json.loads(to_json(each.to_dict()))["segment"] == segment
            assert all(isinstance(line, str) and "\n" not in line for line in each.lines())


def test_what_cannot_be_explained_is_refused() -> None:
    with pytest.raises(UsageError, match="length cannot say"):
        explain(TEXTS, ["length"])
    with pytest.raises(UsageError, match="no segment 3: the test set has 2"):
        explain(TEXTS, ["bleu"], segment=3)
