"""Log-probabilities of the MT system, from its files."""

import pytest

from tercet import TestSet, compare, score
from tercet.errors import DataError, NotParallel, UsageError

TEXTS = TestSet({"a": ["one two", "three"], "b": ["one", "three four five"]}, source=["x", "y"])


def written(folder, **files):
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return f"lp:file={folder}/{{system}}"


def test_sums_are_divided_by_the_words_and_the_end(tmp_path):
    (scores,) = score(TEXTS, written(tmp_path, a=["-3", "-1"], b=["-2", "-8"]))
    assert scores.segment["a"].tolist() == [-1, -0.5]
    assert scores.system == {"a": -4 / 5, "b": -10 / 6}
    assert scores.metric.higher_is_better


def test_lines_may_have_the_number_of_tokens_or_all_of_them(tmp_path):
    (scores,) = score(TEXTS, written(tmp_path, a=["-3\t6", "-1\t1"], b=["-1 -2 -3", "-4 -4"]))
    assert scores.segment["a"].tolist() == [-0.5, -1]
    assert scores.segment["b"].tolist() == [-2, -4]


def test_normalised_numbers_are_taken_as_they_are(tmp_path):
    (scores,) = score(TEXTS, written(tmp_path, a=["-0.3", "-0.5"], b=["-1", "-2"]) + ",normalised=true")
    assert scores.system == {"a": pytest.approx(-0.4), "b": -1.5}


def test_it_has_its_place_in_comparisons_and_the_files_are_in_the_signature(tmp_path):
    spec = written(tmp_path, a=["-3", "-1"], b=["-2", "-8"])
    first = score(TEXTS, spec)[0].signature
    assert "|checksum:" in first
    assert compare(TEXTS, [spec]).to_dict()
    written(tmp_path, a=["-3", "-2"], b=["-2", "-8"])
    assert score(TEXTS, spec)[0].signature != first


def test_equal_texts_share_the_mean(tmp_path):
    texts = TestSet({"a": ["one", "one"]}, source=["x", "x"])
    (scores,) = score(texts, written(tmp_path, a=["-2", "-4"]))
    assert scores.segment["a"].tolist() == [-1.5, -1.5]


@pytest.mark.parametrize("line", ["", "0.5", "nan", "-inf", "word", "-1\t0", "-1 2"])
def test_what_is_no_log_probability_is_refused_with_its_line(tmp_path, line):
    with pytest.raises(DataError, match=r"a, line 2: .* is no log-probability"):
        score(TEXTS, written(tmp_path, a=["-1", line], b=["-1", "-1"]))


def test_files_must_fit_the_test_set(tmp_path):
    spec = written(tmp_path, a=["-1", "-1"], b=["-1"])
    with pytest.raises(NotParallel, match=r"output 'b': 2, .*b: 1"):
        score(TEXTS, spec)
    with pytest.raises(UsageError, match="there is no file .*c, with log-probabilities of c"):
        score(TestSet({"a": ["x"], "c": ["x"]}), spec)
    with pytest.raises(UsageError, match=r"write \{system\} in the name of the file"):
        score(TEXTS, f"lp:file={tmp_path}/a")
    with pytest.raises(UsageError, match="lp needs a file of the MT system"):
        score(TEXTS, "lp")
