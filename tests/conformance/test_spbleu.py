"""spBLEU: the pieces and scores of sacreBLEU with the same SentencePiece model, which is trained here."""

import sys
from pathlib import Path

import pytest

from tercet import TestSet
from tercet.data import catalogue
from tercet.errors import DataError, MissingDependency, UsageError
from tercet.examples import load
from tercet.metrics import create
from tercet.scoring import score
from tercet.text import tokenisers

sentencepiece = pytest.importorskip("sentencepiece", reason="the extra 'spm' is not installed")


@pytest.fixture(scope="module")
def texts() -> TestSet:
    return load("en-de")


@pytest.fixture(scope="module")
def model(texts, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("spm") / "small"
    lines = [line for text in (*texts.outputs.values(), *texts.references.values()) for line in text]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=str(path), vocab_size=300, minloglevel=2, num_threads=1
    )
    return path.with_suffix(".model")


@pytest.fixture
def data(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("TERCET_DATA", str(tmp_path))
    return tmp_path


def sacrebleu_with(model, monkeypatch, **options):
    """BLEU of sacreBLEU whose model flores200 is this file."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.tokenizers import tokenizer_spm

    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(model.parent))
    (model.parent / "models").mkdir(exist_ok=True)
    (model.parent / "models" / "flores200sacrebleuspm").write_bytes(model.read_bytes())
    return BLEU(tokenize="flores200", **options)


@pytest.mark.parametrize("lowercase", [False, True])
def test_scores_equal_those_of_sacrebleu_with_the_same_file(texts, model, data, monkeypatch, lowercase):
    catalogue.add(model, "flores200", data)
    theirs = sacrebleu_with(model, monkeypatch, lowercase=lowercase)
    references = [list(lines) for lines in texts.references.values()]
    for tokeniser in ("flores200", f"spm,model={model}"):
        (scores,) = score(texts, [f"bleu:tokenize={tokeniser},lowercase={lowercase}"])
        for system, lines in texts.outputs.items():
            assert scores.system[system] == pytest.approx(theirs.corpus_score(list(lines), references).score, abs=1e-9)


def test_odd_texts_have_the_pieces_of_sacrebleu(model, monkeypatch):
    theirs = sacrebleu_with(model, monkeypatch).tokenizer
    lines = ["", "  ", "a  b\t", "€ é 中文 \u200b x", "ﬁ ½ Ⅷ", "\U0001f600", "A" * 300]
    assert tokenisers.pieces(lines, model).strings() == [theirs(line.rstrip()).split() for line in lines]


def test_the_signature_has_the_name_and_the_checksum_of_the_model(model, data):
    catalogue.add(model, "flores101", data)
    signature = create("bleu:tokenize=flores101").signature
    assert "|tok:flores101|" in signature
    assert "|spm:" in signature
    assert create(signature) == create("bleu:tokenize=flores101,lowercase=false")
    assert create(create(f"bleu:tokenize=spm,model={model}").signature).model == str(model)


def test_a_model_that_was_not_added_is_asked_for(data):
    with pytest.raises(UsageError, match="There is no SentencePiece model flores200.*tercet data add FILE flores200"):
        create("bleu:tokenize=flores200").ready()


def test_a_model_that_has_changed_is_refused(model, data):
    catalogue.add(model, "flores200", data)
    next((data / "flores200" / "data").iterdir()).write_bytes(b"something else")
    with pytest.raises(DataError, match="have changed since it was added"):
        create("bleu:tokenize=flores200").ready()


def test_spm_and_its_model_go_together(model):
    with pytest.raises(UsageError, match="needs model=FILE"):
        create("bleu:tokenize=spm")
    with pytest.raises(UsageError, match="model goes with tokenize=spm"):
        create(f"bleu:tokenize=13a,model={model}")


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "no.model"
    path.write_text("nothing")
    with pytest.raises(DataError, match="is not a SentencePiece model"):
        create(f"bleu:tokenize=spm,model={path}").score_one("a", ["a"])
    with pytest.raises(UsageError, match="nor a SentencePiece model"):
        catalogue.add(path, "other", tmp_path / "data")


def test_a_missing_package_is_named_with_the_pip_line(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    tokenisers._processor.cache_clear()
    with pytest.raises(MissingDependency, match=r"tercet\[spm\]"):
        tokenisers.pieces(["a"], model)
