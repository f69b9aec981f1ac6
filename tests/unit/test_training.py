"""Training of Rima, as far as it runs without a GPU: data, damage, the archive, the curve, and a tiny chain."""

import gzip
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np
import pytest
from training import bias, calibrate, data, perturb, probes

AROUND = perturb.Around(
    "Der Arzt kam zu spät.",
    ["Prices rose again in March.", "It rained for two days."],
    ["Die Preise stiegen."],
    ["Berlin"],
    ["green", "seven"],
)
TEXT = "The doctor Miller was late for work on 14 May because the train to Paris had 30 minutes delay."


def write(path: Path, *rows: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.writelines(f"{row}\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Small data sets in the layout of the real ones."""
    for year in data.YEARS:
        write(
            tmp_path / year / "de-en.segments.tsv.gz", "seg\tsource\treference", "1\tHallo Welt\tHello to all the world"
        )
        write(tmp_path / year / "de-en.outputs.tsv.gz", "seg\ta\tb", "1\tHello world\tWorld goodbye")
    write(
        tmp_path / "wmt12" / "rankings.tsv.gz",
        "lp\tseg\tjudge\tsystems\tranks",
        "de-en\t1\tj\ta|b\t1|2",
        "de-en\t1\tk\ta|b\t2|2",
    )
    write(tmp_path / "wmt14" / "de-en.rr.tsv.gz", "seg\tbetter\tworse", "1\ta\tb")
    write(tmp_path / "wmt17" / "DA-seglevel.tsv.gz", "lp\tseg\tsystem\tDA_z", "de-en\t1\ta+b\t0.5", "en-de\t1\ta\t0.1")
    header = "lp\tseg\tsystem\tDA_z\tsource\treference\tmt\tpostedit"
    write(
        tmp_path / "graham_da" / "da_with_postedits.tsv.gz",
        header,
        "de-en\t2\ts\t-1\tx\tOne two three four\tOne two\tOne",
    )
    write(tmp_path / "mlqe" / "ro-en.train.tsv.gz", "index\ttranslation\tz_mean", "0\tGood morning\t0.7")
    return tmp_path


def test_reading_takes_strict_rankings_and_english_assessments(folder):
    found = data.read(folder)
    assert [(r.better, r.worse) for r in found.rankings["wmt12.de-en"]] == [("Hello world", "World goodbye")]
    assert len(found.rankings["wmt14.de-en"]) == 1
    assert {name: len(rows) for name, rows in found.assessments.items()} == {
        "wmt17.de-en": 1,
        "wmt13.de-en": 1,
        "mlqe.ro-en": 1,
    }
    assert found.assessments["wmt17.de-en"][0].output == "Hello world"
    assert len(found.pool["wmt18.de-en"]) == 2


def test_texts_of_a_test_set_are_refused(folder):
    found = data.read(folder)
    data.refuse_leaks(found, ["Something else entirely, which nobody has."])
    with pytest.raises(SystemExit, match="1 texts of the test set are in the training data"):
        data.refuse_leaks(found, ["HELLO  to all the World"])


@pytest.mark.parametrize("kind", perturb.GENERATORS)
def test_every_damage_changes_the_text(kind):
    generate, _ = perturb.GENERATORS[kind]
    made = {generate(TEXT.split(), Random(seed), AROUND) for seed in range(20)}
    assert made - {None}
    assert TEXT not in made


@pytest.mark.parametrize("kind", probes.KINDS)
def test_every_probe_changes_the_text(kind):
    changed = probes.KINDS[kind](TEXT.split(), Random(1))
    assert changed is not None
    assert changed != TEXT


@pytest.mark.parametrize("kind", probes.COPIED)
def test_words_of_the_reference_are_copied_into_a_wrong_output(kind):
    made = probes.COPIED[kind](TEXT, "He was late.", Random(1))
    assert made != TEXT
    assert {"because", "minutes"} <= set(made.split()) <= set(TEXT.split()) | {"He", "was", "late."}


def test_bias_is_measured_on_preferences_of_people(folder):
    """The first system is always longer and better, and chrF sees it only with the right references."""
    texts = ["The dog sleeps in the garden.", "Prices rose again.", "It rained for days.", "Nobody knew why."]
    write(
        folder / "wmt19" / "lt-en.segments.tsv.gz",
        "seg\tsource\treference",
        *(f"{i}\ts\t{text}" for i, text in enumerate(texts, 1)),
    )
    rows = [f"{i}\t{text}\t{text[:5]}" for i, text in enumerate(texts, 1)]
    write(folder / "wmt19" / "lt-en.outputs.tsv.gz", "seg\ta\tb", *rows)
    write(folder / "wmt19_darr" / "lt-en.darr.tsv.gz", "seg\tbetter\tworse", *(f"{i}\ta\tb" for i in (1, 2, 3, 4)))
    with mock.patch.object(bias, "PAIRS", ("lt-en",)):
        assert list(bias.length_bias(folder, "chrf", None)) == ["lt-en 1.000 1.000"]
        right, shuffled = bias.output_alone(folder, "chrf", None)
    assert right.startswith("lt-en right: tau 1.000") and shuffled.startswith("lt-en shuffled: tau ")
    assert float(right.split()[-1]) > 2 * float(shuffled.split()[-1])


def test_pooling_gives_the_isotonic_regression():
    x, y = np.arange(6.0), np.array([1.0, 3, 2, 2, 5, 4])
    centres, means, sizes = calibrate.pooled(x, y)
    assert means.tolist() == pytest.approx([1, 7 / 3, 4.5])
    assert centres.tolist() == [0, 2, 4.5]
    assert sizes.tolist() == [1, 3, 2]


def test_the_curve_rises_everywhere_from_0_to_100():
    random = np.random.default_rng(0)
    x = random.normal(size=500)
    knots, values = calibrate.fit(x, 50 + 20 * x + random.normal(size=500) * 10, 4.0)
    assert (np.diff(knots) > 0).all()
    assert (np.diff(values) > 0).all()
    assert values[0] == 0
    assert values[-1] == 100


def test_the_chain_in_miniature(folder, tmp_path, monkeypatch):
    """Prepare, train teacher and student for a few steps, export, and score with what was exported."""
    pytest.importorskip("torch", reason="training needs PyTorch")
    pytest.importorskip("onnx", reason="exporting needs onnx")
    import lzma
    import sys
    from importlib.resources import files

    from training import export, prepare, train

    from tercet.language.encoders import open_pair_scorer

    (folder / "wmt19").mkdir()
    tokenizer = tmp_path / "out" / "tokenizer.json"
    tokenizer.parent.mkdir()
    bundled = files("tercet.language").joinpath("data", "minilm-tokenizer.json.xz")
    tokenizer.write_bytes(lzma.decompress(bundled.read_bytes()))
    archive, work = tmp_path / "data.npz", tmp_path / "work"
    monkeypatch.setattr(prepare, "DAMAGED", 40)
    monkeypatch.setattr(sys, "argv", ["prepare", str(folder), str(tokenizer), str(archive)])
    prepare.main()
    settings = [
        "teacher=tiny",
        "student=tiny",
        "steps=2",
        "epochs=1",
        "pool=4",
        "rankings=2",
        "damaged=2",
        "assessments=2",
    ]
    arguments = [
        "train",
        "--data",
        str(archive),
        "--weights",
        str(tmp_path),
        "--work",
        str(work),
        "--keep-held",
        "--set",
        *settings,
    ]
    monkeypatch.setattr(sys, "argv", arguments)
    train.main()
    export.export(work / "student.pt", "tiny", tokenizer.parent)
    scores = open_pair_scorer(str(tokenizer.parent)).scores([("Hello world", "Hello"), ("Hello world", "Goodbye")])
    assert np.isfinite(scores).all()
    assert scores[0] != scores[1]


def test_the_check_of_devices_agrees_on_one_device(tmp_path):
    """The same network by onnxruntime and by transformers, both on the CPU."""
    for package in ("torch", "transformers", "onnx"):
        pytest.importorskip(package, reason=f"comparing devices needs {package}")
    from training import gpu_agreement

    gpu_agreement.make(tmp_path)
    assert gpu_agreement.check(tmp_path, "cpu")
