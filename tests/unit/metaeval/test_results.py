"""Verdicts as rows, and metrics whose sign changes between language pairs."""

import json
from pathlib import Path

import numpy as np

from tercet.metaeval import judge, sign_flips

from .small import judged, metric, scored


def test_a_row_holds_the_verdict_and_what_is_needed_to_repeat_it(tmp_path: Path) -> None:
    result = judge(judged(tmp_path), [scored("one"), scored("two", lambda i, j: metric(i, j) ** 2)], resamples=20)
    row, other = result.rows()
    assert {"metric", "value", "n", "ci_low", "ci_high"} <= row.keys()
    assert (row["metric"], row["n"], row["dataset"], row["pair"], row["level"]) == ("one", 6, "small", "en-de", "sys")
    assert (row["statistic"], row["gold"], row["unit"], row["resamples"], row["seed"]) == (
        "pearson", "DA", "systems", 20, 12345,
    )  # fmt: skip
    assert row["p_values"].keys() == {"two"} and other["p_values"].keys() == {"one"}
    assert "top_n" not in row and "by_quality" not in row
    json.dumps(row, allow_nan=False)


def test_curves_are_rows_only_where_they_were_asked_for(tmp_path: Path) -> None:
    evidence = judged(tmp_path)
    (row,) = judge(evidence, [scored("one")], resamples=20, top=True).rows()
    assert [point["n"] for point in row["top_n"]] == [6, 5, 4]
    (row,) = judge(evidence, [scored("one")], level="seg", resamples=20, by_quality=True).rows()
    assert [point["level"] for point in row["by_quality"]] == [1, 2, 3, 4]


def test_metrics_whose_sign_differs_between_pairs_are_found(tmp_path: Path) -> None:
    good, bad, undefined = scored("m"), scored("m", lambda i, j: -metric(i, j)), scored("m", lambda i, j: 1.0)
    steady = scored("steady", lambda i, j: -metric(i, j))
    one = judge(judged(tmp_path), [good, steady], resamples=5)
    other = judge(judged(tmp_path, "de-en"), [bad, steady], resamples=5, absolute=True)
    assert sign_flips([one, other]) == {"m": (["en-de"], ["de-en"])}
    nothing = judge(judged(tmp_path), [undefined, steady], resamples=5)
    assert np.isnan(nothing.items[0].value) and sign_flips([other, nothing]) == {}
