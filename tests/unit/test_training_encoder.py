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
    assert set(facts["languages"]) == {"en", "de", "fr"} and len(facts["trained_on"]) == 3


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


def test_both_trainings_go_on_and_the_package_computes_what_was_trained(work, tmp_path):
    torch = pytest.importorskip("torch")
    from training.encoder import static, transformer
    from training.network import Shape

    (work / "static.npz").unlink(missing_ok=True)
    before = static.train(work, steps=2, width=16, batch=64).right()
    after = static.train(work, steps=40, width=16, batch=64, rate=0.03).right()
    assert 0 <= before <= 1 and 0 <= after <= 1
    shape = Shape("bert", 2, 32, 4, 200, 256, 1e-12)
    run = transformer.Run(work, None, shape=shape, layers=2, seed=0)
    run.train(minutes=1, of=2, size=16, steps=2)
    again = transformer.Run(work, None, shape=shape, layers=2, seed=0)
    assert again.minutes == 1 and len(list(work.glob("transformer.npz.*"))) == 1
    export.export(work, tmp_path / "model", layers=2)
    opened = open_multilingual(tmp_path / "model")
    text = "The dog is near the house."
    ids = torch.tensor([[piece.number for piece in opened.tokenizer.pieces(text)]])
    again.model.eval()
    with torch.no_grad():
        wanted = again.model.cpu()(ids, torch.ones_like(ids, dtype=torch.bool))[0].numpy()
    found = opened.tokens([text])[0].vectors
    assert np.abs((found * wanted).sum(1) / np.linalg.norm(wanted, axis=1)).min() > 0.99  # eight bits
