"""`judge_pairs`: scores and judgements from everywhere, for every pair; what is refused, what is left out by name."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import tercet
from tercet.engine import Progress
from tercet.errors import DataError, UsageError
from tercet.metaeval import Sources, judge, judge_pairs

from .small import SYSTEMS, judged, make_set, metric, write, write_texts


def test_metrics_and_files_are_judged_as_their_scores_are(tmp_path: Path) -> None:
    evidence = judged(tmp_path)
    assert evidence.testset is not None
    means = {name: sum(metric(i, j) for j in range(20)) / 20 for i, name in enumerate(SYSTEMS)}
    file = write(tmp_path / "mine.sys.score", *(f"{name}\t{value!r}" for name, value in means.items()))
    sources = Sources(metrics=["chrf", "chrf:beta=3"], files=[file])
    (found,) = judge_pairs(tmp_path / "small", sources=sources, resamples=50)
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

    judge_pairs(make_set(tmp_path / "set"), sources=Sources(metrics=["chrf"], progress=progress), resamples=20)
    assert told[0] == "en-de" and told[-1] == "closed" and (1, 1) in told


def test_a_pair_that_cannot_be_judged_is_left_out_by_name_unless_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = make_set(tmp_path / "set")
    write(place / "human.de-en.tsv", "lp\tsystem\tDA", "de-en\tada\t1", "de-en\tbob\t2")
    sources = Sources(metrics=["chrf"])
    with caplog.at_level(logging.WARNING, "tercet"):
        assert [result.pair for result in judge_pairs(place, sources=sources, resamples=20)] == ["en-de"]
    assert caplog.messages == [
        "Left out de-en: set has no texts for de-en, so that metrics cannot be computed. Give --scores."
    ]
    with pytest.raises(DataError, match="set has no texts for de-en"):
        judge_pairs(place, ["de-en"], sources)


def test_data_without_judgements_are_refused_under_their_name(tmp_path: Path) -> None:
    write_texts(tmp_path / "set")
    for called, name in ((None, str(tmp_path / "set")), ("mine", "mine")):
        with pytest.raises(UsageError) as caught:
            judge_pairs(tmp_path / "set", sources=Sources(metrics=["chrf"]), called=called)
        assert str(caught.value) == f"{name} has no language pair with judgements."


@pytest.mark.parametrize(
    ("sources", "asked", "message"),
    [
        (Sources(), {"statistic": "pearsn"}, "no statistic called 'pearsn'"),
        (Sources(metrics=["chrff"]), {}, "no metric called 'chrff'"),
        (Sources(kind="da"), {}, "--kind and --system-prefix are for the files of --judgements."),
        (Sources(references=["refA"]), {}, "--reference is for metrics that are computed here"),
    ],
)
def test_what_fits_no_data_is_refused_before_any_are_read(
    sources: Sources, asked: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        judge_pairs("nowhere", sources=sources, **asked)


def test_an_unknown_argument_is_refused_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.metaeval.gathering.score", lambda *_, **__: pytest.fail("scored"))
    with pytest.raises(TypeError, match="statistics"):
        judge_pairs(make_set(tmp_path / "set"), sources=Sources(metrics=["chrf"]), level="seg", statistics="tau")
