"""Training of the encoder multilingual in miniature: pairs, vocabulary, packing, both trainings, export."""

import gzip
import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from training.encoder import batches, export, prepare

from tercet.language.encoders.multilingual import open_multilingual

WORDS = {"dog": "Hund", "house": "Haus", "river": "Fluss", "book": "Buch", "city": "Stadt", "tree": "Baum"}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "parallel").mkdir()
    pairs = [
        (f"The {a} is near the {b} number {n}.", f"Das {WORDS[a]} ist bei dem {WORDS[b]} Nummer {n}.")
        for a in WORDS for b in WORDS for n in range(9)
    ]  # fmt: skip
    with lzma.open(folder / "parallel" / "de.tsv.xz", "wt", encoding="utf-8") as lines:
        lines.write("origin\ten\tde\n" + "".join(f"x\t{a}\t{b}\n" for a, b in pairs))
    with lzma.open(folder / "parallel" / "europarl.tsv.xz", "wt", encoding="utf-8") as lines:
        lines.write("en\tde\tfr\nThe house is open.\tDas Haus ist offen.\tLa maison est ouverte.\n")
    for year, text in (("wmt12", "A tree grows in the city."), ("wmt19", "The dog is near the tree number 3.")):
        (folder / year).mkdir()
        with gzip.open(folder / year / "de-en.segments.tsv.gz", "wt", encoding="utf-8") as lines:
            lines.write(f"seg\tsource\treference\n1\tEin Baum\t{text}\n")
    return folder


@pytest.fixture(scope="module")
def work(data, tmp_path_factory) -> Path:
    pytest.importorskip("sentencepiece")
    folder = tmp_path_factory.mktemp("work")
    prepare.prepare(data, folder, size=120)
    return folder


def test_texts_of_test_sets_are_left_out(data, work):
    assert "the dog is near the tree number 3." in prepare.texts_of_test_sets(data)
    facts = json.loads((work / "facts.json").read_text("utf-8"))
    assert (facts["pairs"], facts["refused"]) == (323 + 3 + 1, 1)  # de, Europarl's row in three pairs, wmt12
    assert facts["paraphrases"] == 0
    assert set(facts["languages"]) == {"en", "de", "fr"} and len(facts["trained_on"]) == 3


def test_translations_of_one_text_are_paraphrases(tmp_path):
    (tmp_path / "parallel").mkdir()
    with lzma.open(tmp_path / "parallel" / "de.tsv.xz", "wt", encoding="utf-8") as lines:
        lines.write("origin\ten\tde\nx\tHello.\tHallo.\nx\thello.\tGuten Tag.\nx\tBye.\tTschüss.\n")
    ((language, one, again, other),) = prepare.read_paraphrases(tmp_path)
    assert (language, again) == ("de", "de") and {one, other} == {"Hallo.", "Guten Tag."}


def test_pieces_are_those_of_the_package_and_pairs_stay_together(work, tmp_path):
    vocabulary = (work / "vocabulary.tsv").read_text("utf-8")
    rows = len(vocabulary.splitlines())
    with np.load(work / "pairs.npz") as archive:
        stored = dict(archive)
    wanted = np.random.default_rng(0).standard_normal((rows, 16))
    np.savez(work / "static.npz", pieces=wanted)
    export.export(work, tmp_path / "model")
    opened = open_multilingual(tmp_path / "model")
    first = [piece.number for piece in opened.tokenizer.pieces("The dog is near the dog number 0.")]
    assert stored["pieces"][: stored["starts"][1]].tolist() == first
    pairs = batches.Pairs(work / "pairs.npz", seed=1)
    chosen = pairs.draw(8)
    pieces, lengths = pairs.side(chosen, 1)
    assert len(pieces) == lengths.sum() and (lengths == pairs.lengths[2 * chosen + 1]).all()
    kept = opened.arrays["pieces"] * opened.arrays["pieces.scale"][:, None]
    assert not kept[0].any() and np.abs(kept[1:] - wanted[1:]).max() < np.abs(wanted).max() / 127


def test_static_training_goes_on_and_the_package_computes_what_was_trained(work, tmp_path):
    torch = pytest.importorskip("torch")
    from training.encoder import static, transformer
    from training.encoder.network import Joined
    from training.network import Shape

    (work / "static.npz").unlink(missing_ok=True)
    before = static.train(work, steps=2, width=16, batch=64).right()
    after = static.train(work, steps=40, width=16, batch=64, rate=0.03).right()
    assert 0 <= before <= 1 and 0 <= after <= 1
    shape = Shape("bert", 2, 32, 4, 200, 256, 1e-12)
    run = transformer.Run(work, None, shape=shape, layers=2, seed=0)
    run.train(minutes=1, steps=3, pieces=100)
    assert len(list(work.glob("transformer.npz.*"))) == 1
    export.export(work, tmp_path / "model", layers=2)
    opened = open_multilingual(tmp_path / "model")
    text = "The dog is near the house."
    ids = torch.tensor([[piece.number for piece in opened.tokenizer.pieces(text)]])
    row = Joined(ids, torch.arange(ids.shape[1])[None], torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool))
    with torch.no_grad():
        wanted = run.model.cpu()(row)[0].numpy()
    found = opened.tokens([text])[0].vectors
    assert np.abs((found * wanted).sum(1) / np.linalg.norm(wanted, axis=1)).min() > 0.99  # eight bits


def test_texts_stand_beside_each_other_without_gaps():
    torch = pytest.importorskip("torch")
    from training.encoder.network import Shelf

    shelf = Shelf(np.arange(1, 11), np.array([2, 3, 5]), torch.device("cpu"))
    first, second = torch.tensor([0, 1]), torch.tensor([2, 0])
    joined = shelf.join([first, second], [0, 2])
    assert joined.ids.tolist() == [[1, 2, 6, 7, 8, 9, 10, 0], [3, 4, 5, 1, 2, 0, 0, 0]]
    assert joined.places.tolist() == [[0, 1, 0, 1, 2, 3, 4, 0], [0, 1, 2, 0, 1, 0, 0, 0]]
    assert (joined.kinds * joined.mask).tolist() == [[0, 0, 2, 2, 2, 2, 2, 0], [0, 0, 0, 2, 2, 0, 0, 0]]


def test_the_network_that_rates_is_trained_in_both_stages_and_exported(work, tmp_path):
    torch = pytest.importorskip("torch")
    ort = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from training.encoder import static, transformer
    from training.encoder.parts import read_parts
    from training.multilingual import ensemble, train, transfer
    from training.multilingual import export as exporting
    from training.multilingual.network import join
    from training.multilingual.train import Training
    from training.network import Shape, pack

    static.train(work, steps=2, width=16, batch=64)
    shape = Shape("bert", 2, 32, 4, 200, 256, 1e-12)
    transformer.Run(work, None, shape=shape, layers=2, seed=0).train(minutes=1, steps=2, pieces=100)
    resumed = transformer.Run(work, None, shape=shape, layers=2, seed=1, resumed=True)
    kept = read_parts(work)["layers.1.query.weight"]
    assert np.allclose(resumed.model.layers[1].query.weight.detach().numpy(), kept)
    resumed.train(minutes=1, steps=2, pieces=100)
    assert not np.allclose(read_parts(work)["layers.1.query.weight"], kept)
    random, lengths = np.random.default_rng(0), np.array([0, *range(3, 43)], np.uint8)
    rows = {
        "da/wmt16.en-de": 3,
        "da/mlqe.en-de": 3,
        "rank/wmt12.en-de": 4,
        "system/wmt18.en-de": 3,
        "pool/wmt14.de-en": 3,
    }
    arrays = {name: random.integers(1, 41, (60, width)).astype(np.int32) for name, width in rows.items()}
    arrays["da/mlqe.en-de"][:, 1] = 0  # without references
    arrays |= {f"{name}/score": random.standard_normal(60) for name in rows if name.startswith(("da", "system"))}
    known = len((work / "vocabulary.tsv").read_text("utf-8").splitlines())
    pieces = random.integers(1, known, int(lengths.sum())).astype(np.uint16)
    np.savez(tmp_path / "judgements.npz", pieces=pieces, lengths=lengths, **arrays)
    np.savez(tmp_path / "labels.npz", **{"pool/wmt14.de-en": random.standard_normal(60)})
    training = Training(
        work, tmp_path / "judgements.npz", tmp_path / "labels.npz", shape=shape, left_out=("wmt16",), seed=0
    )
    assert list(training.assessed) == ["mlqe.en-de"]
    before = training.rater.hidden.weight.detach().clone()
    for stage in ("labels", "judgements"):
        training.run(stage, seconds=1, rate=1e-3, steps=2, scale=0.05)
    assert not torch.equal(before, training.rater.hidden.weight)
    found = training.predict_sets([tmp_path / "judgements.npz"], ["en-de"])
    assert found["rank/wmt12.en-de/both"].shape == (120,) and "da/mlqe.en-de/reference" not in found
    chrf = {"rank/wmt12.en-de": random.random(120), "system/wmt18.en-de": random.random(60)}
    np.savez(tmp_path / "ensemble.npz", **ensemble.label([found, found], chrf))
    taught = train.Training(
        work,
        tmp_path / "judgements.npz",
        None,
        shape=shape,
        left_out=("pool",),
        seed=0,
        ensemble=tmp_path / "ensemble.npz",
    )
    assert len(taught.pool[0]) == 0 and len(taught.more[0]) == 180
    assert abs(taught.more[1].mean()) < 1e-4 and abs(taught.more[1].std() - 1) < 1e-4
    taught.run("judgements", seconds=1, rate=1e-3, steps=1, scale=0.05)
    state = {n: v.detach().numpy() for n, v in training.rater.state_dict().items() if n != "encoder.pieces.weight"}
    np.savez(tmp_path / "rater.npz", **pack(state))
    rater = exporting.open_rater(work, tmp_path / "rater.npz", shape)
    exporting.export(rater, tmp_path)
    three = torch.tensor([[3, 4, 5]])
    joined = join(training.shelf, three, "both")
    with torch.no_grad():
        wanted = rater(joined, "both").item()
    rated = transfer.weights_of((tmp_path / "model.onnx").read_bytes())
    assert rated.keys() == state.keys()
    for name, values in rated.items():
        assert np.abs(values - state[name]).max() <= 0.02 * np.abs(state[name]).max() + 1e-6
    layers = {"pieces.weight": np.zeros(2), "first.weight": np.ones(32)}
    begun = transfer.transferred(rated, layers, {name: each + 1 for name, each in layers.items()})
    assert np.allclose(begun["encoder.first.weight"], rated["encoder.first.weight"] + 1)
    assert begun["encoder.pieces.weight"].tolist() == [1, 1] and begun["hidden.weight"] is rated["hidden.weight"]
    session = ort.InferenceSession(str(tmp_path / "model-float.onnx"))
    feed = {
        "vectors": rater.encoder.pieces(joined.ids).detach().numpy(), "places": joined.places.numpy(),
        "kinds": joined.kinds.numpy(), "mask": joined.mask.numpy().astype(np.int64),
    }  # fmt: skip
    assert session.run(None, feed)[0][0, 2] == pytest.approx(wanted, abs=1e-4)


def test_layers_that_were_trained_can_be_trained_further(tmp_path):
    from training.encoder.parts import read_parts
    from training.encoder.restore import WEIGHTS, restore

    weights = restore(tmp_path)
    kept = read_parts(tmp_path)
    assert int(kept.pop("heads")) == 12 and kept.keys() == weights.keys()
    assert kept["pieces.weight"].shape == (len((tmp_path / "vocabulary.tsv").read_text("utf-8").splitlines()), 256)
    for name, values in weights.items():
        assert np.abs(kept[name] - values).max() <= np.abs(values).max() / 127
    with np.load(WEIGHTS / "labels.npz") as labels:
        assert all(np.isfinite(labels[name]).mean() > 0.99 for name in labels.files)
