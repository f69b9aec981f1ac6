"""Verdicts on real data: WMT12's ties, WMT14's preferences, WMT19's and WMT23's published scores; against scipy."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from tercet.data.evidence import open_evidence
from tercet.data.tables import read_table
from tercet.metaeval import judge
from tercet.metaeval.card import make_card
from tercet.metaeval.plots import draw
from tercet.scoring import score
from tests.docs.running import run


@pytest.fixture
def data(shared: Path) -> Path:
    if not (shared / "data").is_dir():
        pytest.skip("the data sets (../shared/data) are not here")
    return shared / "data"


def test_wmt12_with_ties_by_all_four_tables(data: Path) -> None:
    evidence = open_evidence(data / "wmt12", "cs-en")
    assert evidence.testset is not None
    (scores,) = score(evidence.testset, ["chrf"])
    tasks: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in evidence.judgements[0].rows:
        tasks.setdefault((row.task, row.rater, row.segment), {})[row.system] = row.value
    table = np.zeros((3, 3))  # people: left better, tie, right better; metric: the same
    for (_, _, segment), ranks in tasks.items():
        for left, right in combinations(ranks, 2):
            people = np.sign(ranks[left] - ranks[right])
            one, other = (scores.segment[name][int(segment) - 1] for name in (left, right))
            said = 0 if abs(one - other) < 1e-9 else np.sign(other - one)
            table[int(people) + 1, int(said) + 1] += 1
    agree, disagree = table[0, 0] + table[2, 2], table[0, 2] + table[2, 0]
    metric_ties, human_ties = table[0, 1] + table[2, 1], table[1].sum()
    strict = agree + disagree + metric_ties
    # The data's README counts 11,021 strict pairs and 1,754 ties; its tau of .242 is WMT14's.
    assert (strict, human_ties) == (11_021, 1_754)
    expected = {
        "wmt12": (agree - disagree - metric_ties) / strict,
        "wmt13": (agree - disagree) / (agree + disagree),
        "wmt14": (agree - disagree) / strict,
        "hties": (agree - disagree + table[1, 1]) / table.sum(),
    }
    found = {
        name: judge(evidence, [scores], level="seg", statistic=f"tau:{name}", resamples=20).items[0]
        for name in expected
    }
    assert {name: item.value for name, item in found.items()} == pytest.approx(expected, abs=1e-12)
    assert found["wmt14"].value == pytest.approx(0.242, abs=5e-4)
    assert (found["wmt14"].n, found["hties"].n) == (11_021, 12_775)
    assert found["wmt12"].value <= found["wmt14"].value <= found["wmt13"].value


def test_wmt23_published_metrics_correlate_with_mqm_as_scipy_says(data: Path) -> None:
    evidence = open_evidence(data / "wmt23", "en-de")
    scores = [item for item in evidence.scores if not np.isnan(list(item.system.values())).all()]
    (mqm,) = (gold for gold in evidence.gold if gold.metric.spec == "mqm")
    apart = judge(evidence, scores, gold="mqm", systems=mqm.systems, resamples=10)  # named: the reference too
    assert len(apart.systems) == 13 and any("No score for refA, so no value: BERTscore-refA" in x for x in apart.notes)
    together = judge(evidence, scores, gold="mqm", resamples=10)
    assert len(together.systems) == 12 and len(together.items) > 50
    for result in (apart, together):
        human = [mqm.system[name] for name in result.systems]
        for item, verdict in zip(scores, result.items, strict=True):
            said = [item.system.get(name, np.nan) for name in result.systems]
            expected = scipy.stats.pearsonr(said, human)[0]
            assert verdict.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert not any(np.isnan(verdict.value) for verdict in together.items)


def test_the_form_for_preferences_on_wmt14(data: Path) -> None:
    words = "--pair fr-en --level seg --stat tau:wmt14 -m sentbleu chrf -f json"
    ran = run(["meta", str(data / "wmt14"), *words.split()])
    assert (ran.code, ran.err) == (0, "")
    sentbleu, chrf = json.loads(ran.out)
    assert (sentbleu["metric"], chrf["metric"], chrf["n"]) == ("sentbleu", "chrf", 19_620)
    assert chrf["value"] == pytest.approx(0.394, abs=5e-4), "as the data's README says"
    assert chrf["ci_low"] < chrf["value"] < chrf["ci_high"]
    # The paper prints half-widths of .011 to .013 for its metrics of fr-en.
    assert (chrf["ci_high"] - chrf["ci_low"]) / 2 == pytest.approx(0.012, abs=0.0015)
    assert chrf["winner"] and sentbleu["outperformed_by"] == ["chrF2"]


def test_the_form_for_score_files_on_wmt19(data: Path, tmp_path: Path) -> None:
    table = read_table(data / "wmt19_sys" / "wmt19_sys_scores.tsv").where("lp", "de-en")
    lines = zip(table.column("system"), table.column("YiSi-1"), strict=True)
    path = tmp_path / "YiSi-1.sys.score"
    path.write_text("".join(f"{system}\t{value}\n" for system, value in lines), "utf-8")
    words = ["meta", "wmt19", "--data", str(data), "--pair", "de-en", "--level", "sys", "--stat", "pearson"]
    ran = run([*words, "--scores", str(path), "-f", "json"])
    assert ran.code == 0
    (row,) = json.loads(ran.out)
    assert (row["metric"], row["n"], round(row["value"], 3)) == ("YiSi-1", 16, 0.949), "Table 3 of the WMT19 paper"
    assert row["ci_low"] < row["value"] < row["ci_high"]


def test_wmt19_prints_sizes_and_names_metrics_whose_sign_changes(data: Path) -> None:
    words = ["meta", "wmt19", "--data", str(data), "--pair", "de-en", "fi-en", "gu-en", "-f", "json", "-n", "10"]
    kept, sized = run(words), run([*words, "--absolute"])
    values = {(row["metric"], row["pair"]): row["value"] for row in json.loads(kept.out)}
    sizes = {(row["metric"], row["pair"]): row["value"] for row in json.loads(sized.out)}
    assert {key: abs(value) for key, value in values.items() if value is not None} == {
        key: value for key, value in sizes.items() if value is not None
    }
    changing = {
        metric
        for metric, _ in values
        if len({np.sign(value) for (name, _), value in values.items() if name == metric and value}) > 1
    }
    assert changing == {"YiSi-2", "ibm1-morpheme"}
    for ran in (kept, sized):
        assert "Warning: ibm1-morpheme agrees with people for fi-en and disagrees for de-en.\n" in ran.err
        assert "Warning: YiSi-2 agrees with people for de-en, fi-en and disagrees for gu-en.\n" in ran.err


def test_a_card_on_wmt14(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "wmt14"
    folder.mkdir()
    for path in (data / "wmt14").glob("cs-en.*"):
        (folder / path.name).symlink_to(path)
    results = make_card("chrf", [folder])
    assert [(r.pair, r.level, r.statistic, r.gold, r.items[0].n) for r in results] == [
        ("cs-en", "sys", "pearson", "Expected wins", 5),
        ("cs-en", "seg", "tau:wmt14", "RR", 15_732),
    ]
    assert results[1].items[0].value == pytest.approx(0.274, abs=5e-4), "as the data's README says"


def test_top_n_curves_have_signs_and_the_best_systems_their_line_as_in_figure_6_of_wmt19(data: Path) -> None:
    """WMT19, section 6.1: by the 4 best systems of en-de, sacreBLEU's BLEU correlates negatively with people."""
    pytest.importorskip("altair", reason="plots need altair")
    evidence = open_evidence(data / "wmt19_sys", "en-de")
    bleu = [item for item in evidence.scores if item.label == "sacreBLEU-BLEU"]
    figures = draw(judge(evidence, bleu, resamples=10, top=True))
    curve = {row["n"]: row["middle"] for row in figures["top-n"].rows if row["name"] == "sacreBLEU-BLEU"}
    assert round(curve[4], 3) == -0.976 and round(curve[22], 3) == 0.969
    figure = figures["scatter.sacreBLEU-BLEU"]
    (lines,) = (rows for rows in figure.spec["datasets"].values() if "line" in rows[0])
    assert {row["line"] for row in lines} == {"all points", "without outliers", "4 best"}
    slopes = {
        name: np.diff([row["metric"] for row in lines if row["line"] == name])[0] for name in ("all points", "4 best")
    }
    assert slopes["all points"] > 0 > slopes["4 best"]
