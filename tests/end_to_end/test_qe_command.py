"""`tercet qe`: training, predicting, evaluating, listing features, ranking; what it prints and how it fails."""

import base64
import gzip
import json
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from tercet.cli.commands import TaskGroup, from_task
from tercet.quality.cross_system import assess
from tercet.quality.features import describe_features
from tercet.quality.model import QualityModel
from tercet.quality.ranking import rank
from tercet.rendering.tables import to_json
from tests.docs.running import ROOT, Ran, run
from tests.end_to_end.command import tercet as installed
from tests.end_to_end.test_accessibility import serious
from tests.unit.quality.test_training import examples

pytestmark = pytest.mark.usefixtures("small_word_lists")
TRAIN = ("train.src", "train.mt", "train.labels", "--languages", "de-en", "--learner", "ridge")
TEST = ("test.src", "test.mt")


def write(folder: Path, name: str, lines: Iterable[object]) -> None:
    (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts with labels for training and for testing, a table of the latter, and a model."""
    place = tmp_path_factory.mktemp("qe")
    for part, size, seed in (("train", 80, 1), ("test", 90, 2)):
        texts = examples(size, seed=seed)
        for ending, lines in zip(("src", "mt", "labels"), texts, strict=True):
            write(place, f"{part}.{ending}", lines)
    systems = ["good", "fair", "poor"] * 30
    write(place, "systems", systems)
    rows = zip(*examples(90, seed=2), systems, strict=True)
    write(place, "test.tsv", ["source\tmt\tlabel\tsystem", *("\t".join(map(str, row)) for row in rows)])
    ran = words("train", *TRAIN, "-o", "model.qe", folder=place)
    assert (ran.code, ran.err) == (0, "Wrote model.qe\n")
    (place / "trained.txt").write_text(ran.out, "utf-8")
    return place


def words(*arguments: object, folder: Path) -> Ran:
    return run(["qe", *map(str, arguments)], folder=folder)


def test_training_says_how_good_the_model_is_and_what_it_rests_on(folder: Path) -> None:
    out = (folder / "trained.txt").read_text("utf-8")
    assert out.startswith("Model for de-en: ridge, trained on 80 examples in 80 groups (source sentence), seed 12345\n")
    assert "Estimated from the training texts, as there are no corpora: source_lm, " in out
    assert re.search(r"^mean +[\d.]+ +[\d.]+ +–$", out, re.MULTILINE)
    assert re.search(r"^linear:target_log_probability +[\d.]+ +[\d.]+ +-?[\d.]+$", out, re.MULTILINE)
    assert re.search(r"^ridge +[\d.]+ +[\d.]+ +0\.9\d+$", out, re.MULTILINE)
    assert re.search(r"^Features: \d+ used$", out, re.MULTILINE)
    assert "a resource is missing: source_tagger (ask for tags" in out
    assert re.search(r"^Left out \(\d+\): \w+, .*: the same for all training examples$", out, re.MULTILINE)
    assert re.search(r"^Intervals of 90 %: prediction ± 0\.\d+ .*by conformal prediction", out, re.MULTILINE)
    assert "rise of the RMSE on held-out groups" in out


def test_a_model_that_has_learnt_nothing_is_called_so(folder: Path) -> None:
    assert "no better than a baseline" not in (folder / "trained.txt").read_text("utf-8")
    write(folder, "random.labels", np.random.default_rng(5).permutation(80))
    ran = words("train", "train.src", "train.mt", "random.labels", *TRAIN[3:], "--features", "lengths", "-o",
                "random.qe", folder=folder)  # fmt: skip
    assert ran.code == 0
    assert "\n\nThis model is no better than a baseline, so it is of no use for new texts" in ran.out
    assert "no better than a baseline" in words("info", "random.qe", folder=folder).out


def test_of_many_features_left_out_for_one_reason_a_few_are_named(folder: Path) -> None:
    (line,) = (line for line in (folder / "trained.txt").read_text("utf-8").splitlines() if "embedding_axis" in line)
    assert line.startswith("Left out (64): embedding_axis_01, embedding_axis_02, embedding_axis_03, …: a resource is")
    described = json.loads(words("info", "model.qe", "-f", "json", folder=folder).out)
    assert sum(name.startswith("embedding_axis") for name in described["left_out"]) == 64


def test_the_same_seed_writes_the_same_bytes_for_any_number_of_jobs(folder: Path) -> None:
    ran = installed("qe", "train", *TRAIN, "-o", "again.qe", "-j", 2, "-f", "json", cwd=folder)
    assert ran.code == 0, ran.err
    assert (folder / "again.qe").read_bytes() == (folder / "model.qe").read_bytes()
    assert ran.json == json.loads(to_json(QualityModel.load(folder / "model.qe").describe()))


def test_predictions_in_all_forms_are_the_librarys(folder: Path) -> None:
    model = QualityModel.load(folder / "model.qe")
    sources, outputs, _ = examples(90, seed=2)
    expected = model.predict(sources, outputs, level=0.8)
    found = json.loads(words("predict", "model.qe", *TEST, "--level", 0.8, "-f", "json", folder=folder).out)
    assert [each["quality"] for each in found["segments"]] == expected.values.tolist()
    assert [each["low"] for each in found["segments"]] == expected.lower.tolist()
    assert found["segments"] == expected.rows()
    assert [each["segment"] for each in expected.rows(outputs)] == outputs
    assert (found["model"], found["level"], found["pair"]) == (model.checksum, 0.8, "de-en")
    assert found["mean"] == expected.values.mean()
    lines = words("predict", "model.qe", *TEST, "--level", 0.8, "-f", "jsonl", folder=folder).out.splitlines()
    assert [json.loads(line) for line in lines] == found["segments"]
    header, *rows = words("predict", "model.qe", *TEST, "--level", 0.8, "-f", "tsv", folder=folder).out.splitlines()
    assert header == "segment\tquality\tlow\thigh\tunusual"
    assert [float(row.split("\t")[1]) for row in rows] == expected.values.tolist()
    text = words("predict", "model.qe", "test.tsv:source", "test.tsv:mt", "--level", 0.8, folder=folder).out
    assert text.endswith(f"Mean {expected.values.mean():.3f} of 90 segments; intervals of 80 %\n")
    low, high = model.label_range
    shown = [float(cell) for line in text.splitlines()[2:92] for cell in line.split()[1:4]]
    assert min(shown) >= round(low, 3)
    assert max(shown) <= round(high, 3)


def test_an_endless_interval_is_no_number_in_json(folder: Path) -> None:
    for form in ("json", "jsonl"):
        out = words("predict", "model.qe", *TEST, "--level", 0.999, "-f", form, "-q", folder=folder).out
        assert "Infinity" not in out
        first = json.loads(out.splitlines()[0]) if form == "jsonl" else json.loads(out)["segments"][0]
        assert (first["low"], first["high"]) == (None, None)


def test_an_empty_output_is_said_and_is_the_worst(folder: Path) -> None:
    sources, outputs, _ = examples(30, seed=2)
    write(folder, "gap.src", sources)
    write(folder, "gap.mt", ["", *outputs[1:]])
    ran = words("predict", "model.qe", "gap.src", "gap.mt", "-f", "json", folder=folder)
    assert ran.code == 0
    assert ran.err.startswith("Warning: ")
    assert "the first is segment 1: the output is empty." in ran.err
    found = json.loads(ran.out)["segments"]
    assert found[0]["quality"] == QualityModel.load(folder / "model.qe").label_range[0]
    assert (found[0]["unusual"], found[1]["unusual"]) == ("the output is empty", None)
    assert words("predict", "model.qe", "gap.src", "gap.mt", "-q", folder=folder).err == ""


def test_predictions_go_into_a_file(folder: Path) -> None:
    ran = words("predict", "model.qe", *TEST, "-f", "tsv", "-o", "found.tsv", folder=folder)
    assert (ran.code, ran.out) == (0, "")
    assert len((folder / "found.tsv").read_text().splitlines()) == 91


def test_evaluation_in_json_has_the_figures_at_the_top(folder: Path) -> None:
    ran = words("evaluate", "model.qe", *TEST, "test.labels", "-n", 50, "-q", "-f", "json", folder=folder)
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    model = QualityModel.load(folder / "model.qe")
    expected = assess(model, *examples(90, seed=2), resamples=50)
    assert found == json.loads(to_json(expected.to_dict()))
    assert found["n"] == 90
    assert found["pearson"] > 0.9
    for name in ("pearson", "spearman", "rmse", "mae", "delta_avg", "coverage"):
        low, high = found["intervals"][name]
        assert low <= found[name] <= high


def test_evaluation_beside_metrics_and_across_systems(folder: Path) -> None:
    ran = words("evaluate", "model.qe", *TEST, "test.tsv:label", "-r", "test.src", "-m", "ter", "chrf", "--across",
                "test.tsv:system", "-n", 50, "-q", folder=folder)  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    rivals = ran.out[ran.out.index("Compared with metrics") :].splitlines()
    assert rivals[4].split()[0] == "qe"
    assert [line.split()[0] for line in rivals[5:7]] == ["ter", "chrf"]
    assert [float(line.split()[1]) > 0 for line in rivals[5:7]] == [True, True]  # an error rate is turned
    assert "By system:" in ran.out
    assert "Pearson of models trained on one system (rows) and tested on each (columns), on other groups:" in ran.out
    ran = words(
        "evaluate", "model.qe", *TEST, "test.labels", "--across", "systems", "-n", 50, "-f", "json", folder=folder
    )
    found = json.loads(ran.out)
    assert list(found["systems"]) == found["across"]["systems"] == ["good", "fair", "poor"]
    assert sum(each["n"] for each in found["systems"].values()) == 90
    assert np.shape(found["across"]["pearson"]) == (3, 3)
    assert np.nanmin(np.array(found["across"]["pearson"], dtype=float)) > 0.5


def test_correlations_that_are_not_defined_are_explained(folder: Path) -> None:
    write(folder, "all3.labels", [3] * 90)
    ran = words("evaluate", "model.qe", *TEST, "all3.labels", "-q", "-n", 20, folder=folder)
    assert (ran.code, ran.err) == (0, "")
    assert re.search(r"^Pearson +– +– +–$", ran.out, re.MULTILINE)
    assert ran.out.endswith(" –: not defined, because labels or predictions are all the same.\n")
    write(folder, "one.group", ["all"] * 90)
    ran = words("evaluate", "model.qe", *TEST, "test.labels", "--groups", "one.group", "-q", folder=folder)
    assert re.search(r"^RMSE +[\d.]+ +– +–$", ran.out, re.MULTILINE)
    assert ran.out.endswith(" –: not defined, because all segments are in one group (source sentence, or --groups).\n")


def test_texts_in_another_language_are_warned_of(folder: Path) -> None:
    german = "Es war einmal ein Mann, der hatte eine Frau und sie waren nicht reich, aber das war ihnen auch recht."
    english = "There was once a man who had a wife and they were not rich, but that was all right with them too."
    write(folder, "german", [german] * 10)
    write(folder, "english", [english] * 10)
    right = words("predict", "model.qe", "german", "english", folder=folder)
    assert "looks like" not in right.err
    swapped = words("predict", "model.qe", "english", "german", folder=folder)
    assert swapped.code == 0
    assert (
        "Warning: english: The text looks like 'en', not like de. It was given as the source, in de.\n" in swapped.err
    )
    assert "Warning: german: The text looks like 'de', not like en. It was given as the output, in en.\n" in swapped.err
    assert words("predict", "model.qe", "english", "german", "-q", folder=folder).err == ""


def test_features_are_written_and_listed(folder: Path) -> None:
    ran = words("features", *TEST, "--model", "model.qe", folder=folder)
    assert (ran.code, ran.err) == (0, "")
    header, *rows = ran.out.splitlines()
    model = QualityModel.load(folder / "model.qe")
    assert tuple(header.split("\t")) == model.features
    expected = model.featurise(*examples(90, seed=2)[:2]).values
    assert [[float(cell) for cell in row.split("\t")] for row in rows] == expected.tolist()
    own = words("features", *TEST, "-l", "de-en", "--features", "lengths,ttr", "source_perplexity", "--source-corpus",
                "train.src", "-f", "jsonl", folder=folder)  # fmt: skip
    assert {"source_tokens", "source_perplexity"} <= json.loads(own.out.splitlines()[0]).keys()
    partly = words(
        "features", *TEST, "-l", "de-en", "--features", "lm_word", "--source-corpus", "train.src", folder=folder
    )
    assert re.match(r"Left out \(\d+\): target_log_probability, .*give texts in the target language", partly.err)


def test_the_list_of_features_says_what_they_need(folder: Path) -> None:
    out = words("features", "--list", folder=folder).out
    assert re.search(r"^source_tokens +lengths +1001 +1 +length of the source in tokens ", out, re.MULTILINE)
    assert "lm_word: probability and perplexity" in out
    listed = words("features", "--list", "-l", "de-en", "-f", "json", folder=folder).json
    assert len(listed) >= 84
    unknown = [each | {"available": None, "missing": None} for each in listed]
    assert json.loads(to_json(describe_features())) == unknown
    found = {each["name"]: each for each in listed}
    assert found["source_tokens"]["available"] is True
    assert found["source_perplexity"]["available"] is False
    assert "give texts in the source language" in found["source_perplexity"]["missing"]
    assert sum(each["baseline"] is not None for each in listed) == 17
    some = json.loads(words("features", "--list", "--features", "baseline", "ttr", "-f", "json", folder=folder).out)
    assert sum(each["baseline"] is not None for each in some) == 17
    assert {each["group"] for each in some if each["baseline"] is None} == {"ttr"}


def test_info_says_everything_and_draws_the_importance(folder: Path) -> None:
    ran = words("info", "model.qe", folder=folder)
    assert ran.out.startswith((folder / "trained.txt").read_text("utf-8").rstrip("\n"))
    model = QualityModel.load(folder / "model.qe")
    assert f"Checksum {model.checksum}\nTraining data {model.provenance['training_checksum']}\n" in ran.out
    assert "target_lm.npz" in ran.out
    assert json.loads(words("info", "model.qe", "-f", "json", folder=folder).out)["checksum"] == model.checksum
    if find_spec("altair") and find_spec("vl_convert"):
        ran = words("info", "model.qe", "--figure", "importance.svg", folder=folder)
        assert ran.err == "Wrote importance.svg\n"
        assert "Importance of features, de-en, ridge" in (folder / "importance.svg").read_text("utf-8")


def test_the_learning_curve_is_drawn(folder: Path) -> None:
    pytest.importorskip("altair", reason="altair is not installed")
    ran = words("train", *TRAIN, "--features", "lengths", "-o", "curve.qe", "--curve", "curve.json", folder=folder)
    assert (ran.code, ran.err) == (0, "Wrote curve.qe\nWrote curve.json\n")
    assert "RMSE on held-out groups" in (folder / "curve.json").read_text("utf-8")


def test_ranking_lists_the_worst_with_reasons_and_a_cut_off(folder: Path) -> None:
    ran = words("rank", "model.qe", *TEST, "-q", "--top", 2, "--target", 4, folder=folder)
    assert (ran.code, ran.err) == (0, "")
    model = QualityModel.load(folder / "model.qe")
    expected = rank(model, *examples(90, seed=2)[:2], top=2, target=4)
    worst = expected.segments[0]
    low, high = model.label_range
    value, begin, end = np.clip((worst.quality, worst.low, worst.high), low, high)
    assert ran.out.startswith(f"Predicted quality ranges from {low:g} to {high:g}; higher is better. The worst ")
    assert f"\nSegment {worst.segment}: {value:.3f} ({begin:.3f} to {end:.3f}), review\n" in ran.out
    assert f"  output: {worst.output}\n" in ran.out
    reason = worst.reasons[0]
    assert f"{reason.effect:+.3f}  {reason.description}: " in ran.out
    assert "2 of 90 segments; intervals of 90 %" in ran.out
    cut = expected.cut_off
    assert cut is not None
    assert (
        f"Target 4: keep {cut.kept} of 90 segments unchanged, review the {cut.to_review} "
        f"({100 * cut.to_review / 90:.0f} %) predicted below {cut.threshold:.3f}." in ran.out
    )
    found = words("rank", "model.qe", *TEST, "--top", 2, "--target", 4, "-f", "json", folder=folder).json
    assert found == json.loads(to_json(expected.to_dict()))


def test_a_ranking_as_a_table_says_what_to_do_with_each_segment(folder: Path) -> None:
    ran = words("rank", "model.qe", *TEST, "--target", 4, "-f", "tsv", folder=folder)
    model = QualityModel.load(folder / "model.qe")
    expected = rank(model, *examples(90, seed=2)[:2], target=4)
    assert expected.cut_off is not None
    header, *rows = (line.split("\t") for line in ran.out.splitlines())
    assert header == ["segment", "quality", "low", "high", "decision", "reasons", "source", "output", "unusual"]
    assert [int(row[0]) for row in rows] == [each.segment for each in expected.segments]
    assert [float(row[1]) for row in rows] == [each.quality for each in expected.segments]
    assert [row[8] for row in rows] == [each.unusual or "" for each in expected.segments]
    assert [row[5] for row in rows] == [row["reasons"] for row in expected.rows()]
    review = expected.cut_off.to_review
    assert 0 < review < 90
    assert [row[4] for row in rows] == [each.decision for each in expected.segments]
    assert [row[4] for row in rows].count("review") == review
    assert all(reason.description in rows[0][5] for reason in expected.segments[0].reasons)
    last = ran.err.splitlines()[-1]
    assert last.startswith(f"Target 4: keep {90 - review} of 90 segments unchanged, review the {review} (")
    ran = words("rank", "model.qe", *TEST, "-f", "tsv", folder=folder)
    assert "Target" not in ran.err
    assert {line.split("\t")[4] for line in ran.out.splitlines()[1:]} == {""}


def test_a_target_that_all_segments_reach_or_none(folder: Path) -> None:
    low, high = QualityModel.load(folder / "model.qe").label_range
    ran = words("rank", "model.qe", *TEST, "--top", 1, "--target", low, folder=folder)
    assert f"\n\nTarget {low:g}: keep 90 of 90 segments unchanged. Expected mean quality of the kept s" in ran.out
    write(folder, "empty.mt", [""] * 90)
    ran = words("rank", "model.qe", "test.src", "empty.mt", "--top", 1, "--target", high, folder=folder)
    assert f"\n\nTarget {high:g}: no segment can be kept unchanged; all 90 need review. All are unlike" in ran.out
    assert "  unlike the training texts: the output is empty\n" in ran.out
    ran = words("rank", "model.qe", *TEST, "--top", 1, "--target", high, folder=folder)
    cut_off = rank(QualityModel.load(folder / "model.qe"), *examples(90, seed=2)[:2], target=high).cut_off
    assert cut_off is not None
    assert f"The best possible mean is {cut_off.best:.3f}, the expected quality of the best segment.\n" in ran.out


def test_segments_unlike_the_training_texts_are_reviewed(folder: Path) -> None:
    sources, outputs, _ = examples(30, seed=2)
    write(folder, "gap.src", ["", *sources[1:]])
    write(folder, "gap.mt", ["", *outputs[1:]])
    low = QualityModel.load(folder / "model.qe").label_range[0]
    ran = words("rank", "model.qe", "gap.src", "gap.mt", "--target", low, "-f", "tsv", folder=folder)
    decided = {row[0]: row[4] for row in (line.split("\t") for line in ran.out.splitlines()[1:])}
    assert decided["1"] == "review"
    assert re.search(
        r"review the \d+ \(\d+ %\) predicted below \S+ or unlike the training texts \(\d+\)\. Exp", ran.err
    )


def test_a_ranking_as_a_page_holds_everything_and_runs_nothing(folder: Path) -> None:
    sources, outputs, _ = examples(90, seed=2)
    address = "https://example.org/" + "a" * 60
    write(folder, "odd.src", ["<b>fett</b>", *sources[1:]])
    write(folder, "odd.mt", [f"<script>alert(1)</script> {address}", *outputs[1:]])
    arguments = ("rank", "model.qe", "odd.src", "odd.mt", "-q", "-f", "html")
    ran = words(*arguments, "--target", 4, "-o", "review.html", folder=folder)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    page = (folder / "review.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<script>alert" not in page
    assert '<p id="verdict">Target 4: keep ' in page
    data = page_data(page)
    assert len(data["segments"]) == 90
    [odd] = [each for each in data["segments"] if each["n"] == 1]
    assert [each["text"] for each in odd["texts"]] == ["<b>fett</b>", f"<script>alert(1)</script> {address}"]
    assert {each["decision"] for each in data["segments"]} <= {"review", "keep"}
    assert all(each["low"] <= each["value"] <= each["high"] for each in data["segments"])
    few = page_data(words(*arguments, "--top", 3, folder=folder).out)
    assert [each["decision"] for each in few["segments"]] == ["", "", ""]


def page_data(page: str) -> Any:
    """Return the data that a page of `qe rank` holds."""
    found = re.search(r'id="data">([^<]+)</script>', page)
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_reviewers_filter_mark_what_is_done_and_export(folder: Path, visit: Any) -> None:
    words("rank", "model.qe", *TEST, "-q", "-f", "html", "--target", 4, "-o", "review.html", folder=folder)
    tab = visit(folder / "review.html")
    tab.wait_for_selector("article .head")
    every = tab.locator("article").count()
    assert tab.locator("#status").inner_text() == f"{every} segments"
    first = tab.locator("article .number").first.inner_text()
    tab.keyboard.press("j")  # the first segment
    tab.keyboard.press("x")
    assert tab.locator("article.done .number").inner_text() == first
    assert tab.evaluate("location.hash") == f"#seg={first[1:]}"
    tab.get_by_label("only open").check()
    assert tab.locator("article").count() == every - 1
    tab.reload()
    tab.wait_for_selector("#done:has-text('1 done')")
    assert tab.get_by_label("only open").is_checked()  # the address records it
    tab.get_by_label("only open").uncheck()
    tab.get_by_label("Reason").select_option("review")
    assert set(tab.locator("article .tag").all_inner_texts()) == {"review"}
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="TSV").click()
    lines = Path(waiting.value.path()).read_text("utf-8").splitlines()
    assert lines[0] == "segment\tfile\tquality\tlow\thigh\tdecision\tdone\treasons\tsource\toutput"
    assert any(line.split("\t")[6] == "done" for line in lines[1:])
    tab.get_by_label("Search in texts").fill("/^nothing like this$/")
    tab.wait_for_selector("text=No segment fits.")


def test_a_ranking_as_a_page_has_no_serious_fault_for_readers_with_aids(folder: Path, visit: Any) -> None:
    words("rank", "model.qe", *TEST, "-q", "-f", "html", "--target", 4, "-o", "review.html", folder=folder)
    assert serious(visit(folder / "review.html")) == []


def test_a_model_is_a_metric(folder: Path) -> None:
    ran = run(["score", "-s", "test.src", "-i", "test.mt", "-m", "qe:model=model.qe", "-f", "json"], folder=folder)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    mean = json.loads(words("predict", "model.qe", *TEST, "-f", "json", folder=folder).out)["mean"]
    score = (found[0] if isinstance(found, list) else found)["score"]
    assert score == pytest.approx(mean, abs=0.01)


def test_features_of_ones_own(folder: Path) -> None:
    _, _, labels = examples(80)
    write(folder, "own.tsv", ["mine", *labels + 1])
    ran = words("train", *TRAIN, "--features", "lengths", "--extra-features", "own.tsv", "-o", "own.qe", folder=folder)
    assert ran.code == 0
    assert re.search(r"^Features: \d+ used, 1 of them given$", ran.out, re.MULTILINE)
    assert "\nmine " in ran.out
    ran = words("predict", "own.qe", *TEST, folder=folder)
    assert (ran.code, ran.err) == (
        2,
        "Error: The model uses features of your own: give mine with --extra-features.\n",
    )
    ran = words(
        "predict", "own.qe", "train.src", "train.mt", "--extra-features", "own.tsv", "-f", "json", folder=folder
    )
    assert ran.code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["train", "train.src", "train.mt", "seven.labels", "-l", "de-en", "-o", "x", "--range", "0", "6.5"], 1,
         "seven.labels, line 3: the label 7 is outside the range from 0 to 6.5."),
        (["train", "train.src", "train.mt", "gap.labels", "-l", "de-en", "-o", "x"], 1,
         "gap.labels, line 2: the label is missing. Every line needs a number."),
        (["train", "train.src", "train.mt", "word.labels", "-l", "de-en", "-o", "x"], 1,
         "word.labels, line 2: 'good' where a label is needed, which must be a finite number."),
        (["train", "train.src", "train.mt", "short.labels", "-l", "de-en", "-o", "x"], 1,
         "These files are not parallel. Segments: train.src: 80, train.mt: 80, short.labels: 3."),
        (["train", "train.src", "train.mt", "same.labels", "-l", "de-en", "-o", "x"], 1,
         "All 80 labels are 3: there is nothing to learn."),
        (["train", "few.txt", "few.txt", "few.labels", "-l", "de-en", "-o", "x"], 1,
         "3 examples are too few to learn from; at least 20 are needed."),
        (["train", "train.src", "train.mt", "train.labels", "-l", "de", "-o", "x"], 2,
         "Give the languages as SRC-TGT, such as et-en, not 'de'."),
        (["train", "train.src", "train.mt", "train.labels", "-l", "de_en", "-o", "x"], 2,
         "Give the languages as SRC-TGT, such as et-en, not 'de_en'. Write de-en."),
        (["train", "train.src", "train.mt", "train.labels", "-l", "de-en", "-o", "x", "--range", "5", "1"], 2,
         "The range of labels must go from a lower to a higher number, not from 5 to 1."),
        (["train", "train.src", "train.mt", "train.labels", "-l", "de-en", "-o", "x", "--features", "nonsense"], 2,
         "There is no feature or group called 'nonsense'."),
        (["train", "train.src", "train.mt", "train.labels", "-l", "de-en", "-o", "x", "--groups", "few.txt"], 1,
         "These files are not parallel."),
        (["train", *TRAIN, "-o", "nowhere/x"], 2, "nowhere/x cannot be written"),
        (["train", *TRAIN, "-o", "x", "--curve", "curve.pdf"], 2, "curve.pdf: a figure is written as .svg, "),
        (["train", *TRAIN, "-o", "x", "--level", "2"], 2, "The level of intervals must lie"),
        (["predict", "model.qe", "test.src", "test.mt", "-l", "en-de"], 2,
         "The model is for de-en, and these texts are en-de."),
        (["predict", "model.qe", "test.src", "train.mt"], 1, "These files are not parallel. Segments: test.src: 90,"),
        (["predict", "none.qe", "test.src", "test.mt"], 2, "There is no model none.qe. Make one with 'tercet qe"),
        (["predict", "test.src", "test.src", "test.mt"], 1, "test.src is not a model file of Tercet. Make one"),
        (["predict", "half.qe", "test.src", "test.mt"], 1, "half.qe is truncated or damaged"),
        (["predict", "model.qe", "test.src", "test.mt", "--level", "90"], 2, "The level of intervals must lie"),
        (["evaluate", "model.qe", "test.src", "test.mt", "short.labels"], 1, "These files are not parallel."),
        (["evaluate", "model.qe", "test.src", "test.mt", "test.labels", "--across", "few.txt"], 1,
         "These files are not parallel."),
        (["evaluate", "model.qe", "test.src", "test.mt", "test.labels", "--across", "gap.systems"], 1,
         "gap.systems, line 2: the system is missing. Every line needs one."),
        (["train", "train.src", "train.mt", "train.labels", "-l", "de-en", "-o", "x", "--groups", "gap.systems"], 1,
         "gap.systems, line 2: the group is missing. Every line needs one."),
        (["evaluate", "model.qe", "test.src", "test.mt", "test.labels", "-m", "chrf"], 2, "chrf needs references"),
        (["rank", "model.qe", "test.src", "test.mt", "-q", "--target", "40"], 2, "The target 40 is outside the"),
        (["features", "test.src", "test.mt"], 2, "Give the languages, such as --languages et-en, or a --model."),
        (["features", "--languages", "de-en"], 2, "Give the sources and the outputs, SRC and MT, or --list."),
        (["features", "test.src", "test.mt", "--model", "model.qe", "--tags"], 2, "A model has its own resources"),
        (["features", "test.src", "test.mt", "-l", "de-en", "-f", "text"], 2, "Features are written as tsv, csv,"),
    ],
)  # fmt: skip
def test_bad_input_is_said_clearly(folder: Path, arguments: list[str], code: int, message: str) -> None:
    write(folder, "seven.labels", [1, 2, 7, *[3, 4] * 38, 5])
    write(folder, "gap.labels", [1, "", *range(78)])
    write(folder, "gap.systems", ["a", "", *"b" * 88])
    write(folder, "word.labels", [1, "good", *range(78)])
    write(folder, "short.labels", [1, 2, 3])
    write(folder, "same.labels", [3] * 80)
    write(folder, "few.txt", "abc")
    write(folder, "few.labels", [1, 2, 3])
    (folder / "half.qe").write_bytes((folder / "model.qe").read_bytes()[:5000])
    ran = words(*arguments, folder=folder)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith(f"Error: {message}")
    assert not (folder / "x").exists()


def test_labels_outside_a_declared_range_are_refused_by_evaluation(folder: Path) -> None:
    ran = words("train", *TRAIN, "--features", "lengths", "--range", 0, 7, "-o", "range.qe", folder=folder)
    assert ran.code == 0
    write(folder, "high.labels", [9, *range(1, 90)])
    ran = words("evaluate", "range.qe", *TEST, "high.labels", folder=folder)
    assert (ran.code, ran.err) == (1, "Error: high.labels, line 1: the label 9 is outside the range from 0 to 7.\n")


def test_every_option_is_on_the_page() -> None:
    page = (ROOT / "docs" / "commands" / "qe.md").read_text("utf-8")
    command = from_task("qe", "tercet.tasks.qe")
    assert isinstance(command, TaskGroup)
    for name in command.known:
        assert f"## tercet qe {name}" in page
        sub = command.get_command(click.Context(command), name)
        assert sub is not None
        for parameter in sub.params:
            for option in parameter.opts if parameter.param_type_name == "option" else ():
                assert f"`{option}" in page, (name, option)
