"""`tercet qe` and files: what it refuses to write over, says before any work, and leaves behind when it is stopped."""

import gzip
import json
import re
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tercet.data.model_file import read_model, write_model
from tercet.quality.model import QualityModel
from tests.docs.running import Ran, run
from tests.end_to_end.command import tercet as installed
from tests.end_to_end.test_qe_command import words, write
from tests.unit.quality.test_training import examples

pytestmark = pytest.mark.usefixtures("small_word_lists")
TEXTS = ("train.src", "train.mt")
TRAIN = ("train", *TEXTS, "train.labels", "-l", "de-en", "--learner", "ridge", "--features", "lengths")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts with labels, the same as a table, and a model."""
    place = tmp_path_factory.mktemp("qe")
    texts = examples(30, seed=1)
    for ending, lines in zip(("src", "mt", "labels"), texts, strict=True):
        write(place, f"train.{ending}", lines)
    rows = ("\t".join(map(str, row)) for row in zip(*texts, strict=True))
    write(place, "train.tsv", ["source\tmt\tlabel", *rows])
    ran = words(*TRAIN, "-o", "model.qe", "-q", folder=place)
    assert (ran.code, ran.err) == (0, "")
    return place


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*TRAIN, "-o", "train.labels"], "train.labels is one of the inputs and would be overwritten."),
        ([*TRAIN, "-o", "./train.src"], "./train.src is one of the inputs and would be overwritten."),
        ([*TRAIN, "-o", "train.tsv"], "train.tsv exists and is not a model, so it is not overwritten."),
        ([*TRAIN, "-o", "x", "--source-corpus", "train.tsv:mt", "--curve", "train.tsv"], "train.tsv is one of the"),
        ([*TRAIN, "-o", ""], "'' is not the name of a file to write."),
        ([*TRAIN, "-o", "-"], "'-' is not the name of a file to write."),
        ([*TRAIN, "-o", "/dev/null"], "/dev/null cannot be written: "),
        (["predict", "model.qe", *TEXTS, "-o", "train.mt"], "train.mt is one of the inputs"),
        (["predict", "model.qe", *TEXTS, "-o", "model.qe"], "model.qe is one of the inputs"),
        (["predict", "model.qe", *TEXTS, "-o", "nowhere/x"], "nowhere/x cannot be written: it is a directory, or in a"),
        (["rank", "model.qe", "train.tsv:source", "train.tsv:mt", "-o", "train.tsv"], "train.tsv is one of the inputs"),
        (["evaluate", "model.qe", *TEXTS, "train.labels", "-o", "train.labels"], "train.labels is one of the inputs"),
        (["features", *TEXTS, "-l", "de-en", "-o", "train.src"], "train.src is one of the inputs"),
        (["info", "model.qe", "--figure", "model.qe"], "model.qe is one of the inputs"),
        (["info", "model.qe", "--figure", "importance.pdf"], "importance.pdf: a figure is written as "),
        ([*TRAIN[:1], "-", "-", *TRAIN[3:], "-o", "x"], "Standard input (-) can be read once, and is given for two"),
    ],
)
def test_nothing_is_written_over_or_left_behind(trained: Path, arguments: list[str], message: str) -> None:
    before = state(trained)
    ran = words(*arguments, folder=trained)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"Error: {message}")
    assert state(trained) == before


def test_links_that_lead_nowhere_are_said(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    ran = words("predict", "model.qe", tmp_path / "one", "train.mt", folder=trained)
    assert (ran.code, ran.out) == (2, "")
    assert re.match(r"Error: '.*one' cannot be read: ", ran.err)


def test_a_model_is_replaced_by_a_new_one(trained: Path) -> None:
    (trained / "again.qe").write_bytes((trained / "model.qe").read_bytes())
    assert words(*TRAIN, "--seed", 1, "-o", "again.qe", "-q", folder=trained).code == 0
    assert QualityModel.load(trained / "again.qe").provenance["seed"] == 1


def test_what_was_written_is_said_but_for_q(trained: Path) -> None:
    assert words(*TRAIN, "-o", "said.qe", folder=trained).err == "Wrote said.qe\n"
    assert words(*TRAIN, "-o", "said.qe", "-q", folder=trained).err == ""


def test_one_input_may_come_through_a_pipe(trained: Path) -> None:
    sources = (trained / "train.src").read_text("utf-8")
    ran = run(["qe", *TRAIN[:1], "-", *TRAIN[2:], "-o", "piped.qe", "-q"], folder=trained, stdin=sources)
    assert ran.code == 0
    assert (trained / "piped.qe").read_bytes() == (trained / "model.qe").read_bytes()
    ran = run(["qe", "predict", "model.qe", "-", "train.mt"], folder=trained, stdin="")
    assert (ran.code, ran.err) == (1, "Error: standard input is empty: one line per segment is needed.\n")


def test_line_endings_marks_and_compression_do_not_matter(trained: Path) -> None:
    sources, outputs, labels = ((trained / f"train.{end}").read_bytes() for end in ("src", "mt", "labels"))
    (trained / "windows.src").write_bytes(b"\xef\xbb\xbf" + sources.replace(b"\n", b"\r\n"))
    (trained / "zipped.mt").write_bytes(gzip.compress(outputs))
    (trained / "open.labels").write_bytes(labels.rstrip(b"\n"))
    ran = words("train", "windows.src", "zipped.mt", "open.labels", *TRAIN[4:], "-o", "same.qe", folder=trained)
    assert ran.code == 0
    assert (trained / "same.qe").read_bytes() == (trained / "model.qe").read_bytes()


@pytest.mark.parametrize("stopped", ["while learning", "while writing"])
def test_stopping_leaves_what_was_there(trained: Path, monkeypatch: pytest.MonkeyPatch, stopped: str) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    if stopped == "while learning":
        monkeypatch.setattr("tercet.quality.training.cross_fit", stop)
    else:
        monkeypatch.setattr(zipfile.ZipFile, "writestr", stop)
    before = state(trained)
    ran = words(*TRAIN, "--seed", 2, "-o", "model.qe", folder=trained)
    assert (ran.code, ran.out) == (130, "")
    assert ran.err.endswith("Stopped.\n")
    assert state(trained) == before


@pytest.mark.parametrize(
    ("package", "arguments", "message"),
    [
        ("sklearn.base", ["--learner", "ridge"], "Training a model of quality estimation needs a package that is not "
         "installed. Install it: pip install 'tercet[qe]'"),
        ("altair", ["--curve", "c.svg"], "A figure needs a package that is not installed. Install it: pip install"),
        ("vl_convert", ["--curve", "c.svg"], "A figure needs a package that is not installed. Install it: pip install"),
    ],
)  # fmt: skip
def test_a_missing_package_is_said_before_any_work(
    trained: Path, monkeypatch: pytest.MonkeyPatch, package: str, arguments: list[str], message: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("tercet.quality.training.train", None)
    ran = words(*TRAIN, "-o", "x", *arguments, folder=trained)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"Error: {message}")


def test_predicting_and_evaluating_need_no_further_package(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("sklearn", "sklearn.base", "sklearn.model_selection", "threadpoolctl", "wordfreq"):
        monkeypatch.setitem(sys.modules, package, None)
    assert words("predict", "model.qe", *TEXTS, "-q", folder=trained).code == 0
    assert words("rank", "model.qe", *TEXTS, "-q", folder=trained).code == 0
    assert words("evaluate", "model.qe", *TEXTS, "train.labels", "-q", folder=trained).code == 0


def test_languages_without_any_lists_or_parsers_are_served(trained: Path) -> None:
    arguments = ("train", *TEXTS, "train.labels", "--languages", "kk-gu", "--learner", "ridge", "-o", "kk.qe")
    ran = words(*arguments, "-f", "json", "-q", folder=trained)
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert found["pair"] == "kk-gu"
    assert "the package wordfreq knows" in found["left_out"]["source_log_frequency"]
    assert words("predict", "kk.qe", *TEXTS, "-l", "KK_kz-gu", "-q", folder=trained).code == 0


def test_the_tokenisers_name_is_no_users_business(trained: Path) -> None:
    """Moses has no list of abbreviations for Estonian, which matters to those who want to equal it, and not here."""
    ran = installed("qe", *TRAIN, "-l", "et-en", "-o", "et.qe", cwd=trained)  # it would be said once in a process
    assert (ran.code, ran.err) == (0, "Wrote et.qe\n")


def test_a_model_whose_figures_are_not_defined_is_shown(trained: Path) -> None:
    pytest.importorskip("altair", reason="altair is not installed")
    file = read_model(trained / "model.qe", QualityModel.kind, made_by=QualityModel.made_by)
    nothing = {"rmse": None, "mae": None, "pearson": None}
    provenance = file.manifest["provenance"]
    first, *others = provenance["importance"]
    changed = {**provenance, "importance": [{**first, "increase": None}, *others]}
    figures = {"mean": nothing, "ridge": nothing}
    write_model(
        replace(file, manifest={**file.manifest, "provenance": changed}, figures=figures), trained / "undefined.qe"
    )
    ran = words("info", "undefined.qe", "--figure", "undefined.json", folder=trained)
    assert (ran.code, ran.err) == (0, "Wrote undefined.json\n")
    assert re.search(r"^ridge +– +– +–$", ran.out, re.MULTILINE)


def scored(folder: Path, command: str, *more: str) -> Ran:
    outputs = ("-s", "train.src", "-i", "train.mt", "worse.mt")
    return run([command, *outputs, "-m", "qe:model=model.qe", *more, "-q"], folder=folder)


def test_systems_are_scored_and_compared_without_references(trained: Path) -> None:
    write(trained, "worse.mt", (line[: len(line) // 2] for line in examples(30, seed=1)[1]))
    model = QualityModel.load(trained / "model.qe")
    expected = [
        model.predict(examples(30, seed=1)[0], (trained / name).read_text("utf-8").splitlines()).values.mean()
        for name in ("train.mt", "worse.mt")
    ]
    ran = scored(trained, "score", "-f", "json")
    assert (ran.code, ran.err) == (0, "")
    assert [each["score"] for each in json.loads(ran.out)] == pytest.approx(expected, abs=1e-9)
    ran = scored(trained, "compare", "--top", "0", "--details")
    assert (ran.code, ran.err) == (0, "")
    assert "QE: 2 systems, 30 segments, higher is better\n" in ran.out
    ran = scored(trained, "score", "-l", "en-de")
    assert (ran.code, ran.err) == (2, "Error: The model is for de-en, and these texts are en-de.\n")
