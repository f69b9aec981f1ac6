"""`judge_pairs`: scores and judgements from everywhere, for every pair; what is refused, what is left out by name."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import examples
from tercet.engine import Progress
from tercet.errors import DataError, UnknownName, UsageError
from tercet.metaeval import judge
from tercet.rendering.tables import to_json

from .small import SYSTEMS, judged, make_set, metric, write, write_texts


def test_metrics_and_files_are_judged_as_their_scores_are(tmp_path: Path) -> None:
    evidence = judged(tmp_path)
    assert evidence.testset is not None
    means = {name: sum(metric(i, j) for j in range(20)) / 20 for i, name in enumerate(SYSTEMS)}
    file = write(tmp_path / "mine.sys.score", *(f"{name}\t{value!r}" for name, value in means.items()))
    (found,) = tercet.meta(tmp_path / "small", metrics=["chrf", "chrf:beta=3"], scores=[file], resamples=50)
    assert [item.label for item in found.items] == ["chrF2", "chrF3", "mine"]
    expected = judge(evidence, tercet.score(evidence.testset, ["chrf", "chrf:beta=3"]), resamples=50)
    assert [item.value for item in found.items[:2]] == [item.value for item in expected.items]
    assert found.pair == "en-de" and found.human == expected.human


def test_work_on_a_pair_is_told_to_its_progress_which_is_closed(tmp_path: Path) -> None:
    told: list[object] = []

    @contextmanager
    def progress(pair: str) -> Iterator[Progress]:
        told.append(pair)
        yield lambda done, total: told.append((done, total))
        told.append("closed")

    tercet.meta(make_set(tmp_path / "set"), metrics="chrf", progress=progress, resamples=20)
    assert told[0] == "en-de" and told[-1] == "closed" and (1, 1) in told


def test_a_pair_that_cannot_be_judged_is_left_out_by_name_unless_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = make_set(tmp_path / "set")
    write(place / "human.de-en.tsv", "lp\tsystem\tDA", "de-en\tada\t1", "de-en\tbob\t2")
    with caplog.at_level(logging.WARNING, "tercet"):
        assert [result.pair for result in tercet.meta(place, metrics="chrf", resamples=20)] == ["en-de"]
    assert caplog.messages == [
        "Left out de-en: set has no texts for de-en, so metrics cannot be computed. Give `scores`."
    ]
    with pytest.raises(DataError, match="set has no texts for de-en"):
        tercet.meta(place, ["de-en"], metrics="chrf")


def test_data_without_judgements_are_refused_under_their_name(tmp_path: Path) -> None:
    write_texts(tmp_path / "set")
    for dataset, data in ((tmp_path / "set", None), ("set", tmp_path)):
        with pytest.raises(UsageError) as caught:
            tercet.meta(dataset, data=data, metrics="chrf")
        assert str(caught.value) == f"{dataset} has no language pair with judgements. Give them in `judgements`."


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"statistic": "pearsn"}, "no statistic called 'pearsn'"),
        ({"metrics": ["chrff"]}, "no metric called 'chrff'"),
        ({"kind": "da"}, "`kind`, `system_prefix` and `columns` apply to the files of `judgements`; none is given."),
        ({"references": ["refA"]}, "`references` applies to metrics that are computed here"),
        ({"level": "seg", "statistic": "pearson", "mean_of_segments": True}, "`mean_of_segments` gives system scores"),
    ],
)
def test_what_fits_no_data_is_refused_before_any_are_read(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        tercet.meta("nowhere", **asked)


def test_an_unknown_argument_is_refused_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.metaeval.gathering.score", lambda *_, **__: pytest.fail("scored"))
    with pytest.raises(TypeError, match="statistics"):
        tercet.meta(make_set(tmp_path / "set"), metrics="chrf", level="seg", statistics="tau")


# --- the interface ---


def test_the_function_has_the_options_of_the_command_with_their_names_and_defaults() -> None:
    parameters = signature(tercet.meta).parameters
    for name, one in signature(judge).parameters.items():
        if name not in ("evidence", "scores"):
            assert parameters[name].default == one.default, name


def test_results_are_found_by_pair_and_become_dictionaries_and_data_frames(tmp_path: Path) -> None:
    found = tercet.meta(make_set(tmp_path / "set"), "en-de", metrics=["bleu", "chrf"], resamples=20)
    assert len(found) == 1 and found["en-de"] is found[0] is next(iter(found))
    assert "<th>ci_low</th>" in found._repr_html_()
    assert repr(found).startswith("<MetaEvaluation of 1 language pairs, best metrics: en-de: ")
    with pytest.raises(UnknownName, match="no language pair in these results called 'de-en'"):
        found["de-en"]
    (whole,) = found.to_dict().values()
    assert [row["label"] for row in whole["metrics"]] == ["BLEU", "chrF2"] and whole["pair"] == "en-de"
    assert json.loads(to_json(found.to_dict()))["en-de"]["seed"] == 12345
    pytest.importorskip("pandas", reason="the extra 'frames' is not installed")
    frame = found.to_pandas()
    assert list(frame["label"]) == ["BLEU", "chrF2"] and list(frame["value"]) == [one.value for one in found[0].items]


def test_published_metrics_with_segment_scores_only_are_left_out_with_a_hint(tmp_path: Path) -> None:
    place = make_set(tmp_path / "set")
    cells = [(name, j, metric(i, j)) for i, name in enumerate(SYSTEMS) for j in range(20)]
    write(place / "ratings.en-de.tsv", "lp\tsystem\tseg\tmine", *(f"en-de\t{n}\t{j + 1}\t{v!r}" for n, j, v in cells))
    (plain,) = tercet.meta(place, metrics="chrf", published=True, resamples=20)
    assert [item.label for item in plain.items] == ["chrF2"]
    assert plain.notes == ("No system scores, only segment scores: mine. Use `mean_of_segments` to average them.",)
    with pytest.raises(
        UsageError, match=r"no metrics to evaluate\..* only segment scores: mine\. Use `mean_of_segments`"
    ):
        tercet.meta(place)
    (means,) = tercet.meta(place, metrics="chrf", published=True, mean_of_segments=True, resamples=20)
    assert [(item.label, item.mean_of_segments) for item in means.items] == [("chrF2", 20), ("mine", 20)]
    assert means.notes == ()


def test_scipy_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples.write("en-de", tmp_path)
    for module in ("scipy", "scipy.special", "scipy.stats"):
        monkeypatch.setitem(sys.modules, module, None)
    found = tercet.meta(tmp_path, metrics=["chrf", "bleu"], level="seg", resamples=20)["en-de"]
    assert found.test == "williams" and found.p_values is not None
