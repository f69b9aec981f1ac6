"""Hugging Face models as encoders, on tiny random ones; run where torch and transformers are installed."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.language.encoders import open_encoder

from . import onnx_files

torch = pytest.importorskip("torch", reason="tercet[hf] is not installed")
transformers = pytest.importorskip("transformers", reason="tercet[hf] is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

TEXTS = ["the cat sat on a mat .", "a dog ran", "The cat", ""]


def make_model(folder: Path, *, safe: bool = True) -> str:
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(onnx_files.WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=24,
    )  # fmt: skip
    model = transformers.BertModel(config)
    model.save_pretrained(folder)
    if not safe:
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
    (folder / "tokenizer.json").write_text(onnx_files.tokenizer_file())
    transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", model_max_length=20,
    ).save_pretrained(folder)  # fmt: skip
    return str(folder)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_model(tmp_path_factory.mktemp("tiny"))


def test_a_folder_is_an_encoder(tiny):
    encoder = open_encoder(f"hf:{tiny}")
    assert (encoder.layers, encoder.dimensions, encoder.longest) == (3, 16, 20)
    model = transformers.BertModel.from_pretrained(tiny).eval()
    numbers = [2, 4, 5, 3]
    with torch.inference_mode():
        wanted = model(torch.tensor([numbers]), output_hidden_states=True).hidden_states[1][0].numpy()
    found = encoder.tokens(["the cat"], 1)[0]
    assert found.tokens == ("[CLS]", "the", "cat", "[SEP]") and found.words.tolist() == [-1, 0, 1, -1]
    assert np.allclose(found.vectors, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-6)


def test_vectors_do_not_depend_on_the_batch(tiny):
    encoder = open_encoder(f"hf:{tiny}")
    for text, tokens in zip(TEXTS, encoder.tokens(TEXTS), strict=True):
        assert np.allclose(encoder.tokens([text])[0].vectors, tokens.vectors, atol=encoder.tolerance)
    for text, vector in zip(TEXTS, encoder.sentences(TEXTS), strict=True):
        assert np.allclose(encoder.sentences([text])[0], vector, atol=encoder.tolerance)


def test_long_texts_are_truncated_and_counted(tiny, caplog):
    assert len(open_encoder(f"hf:{tiny}").tokens(["cat " * 30])[0]) == 20
    assert "1 text is too long; only the first 20 tokens are encoded" in caplog.text


def test_a_name_that_is_not_here_is_not_downloaded(monkeypatch):
    import huggingface_hub

    asked = []

    def snapshot(name, **options):
        asked.append(options)
        if options.get("local_files_only"):
            raise huggingface_hub.errors.LocalEntryNotFoundError("nothing here")
        raise OSError("no network in tests")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    with pytest.raises(UsageError, match="With `allow_download` it is downloaded"):
        open_encoder("hf:someone/model")
    assert all(options["local_files_only"] for options in asked)
    with pytest.raises(UsageError, match="cannot be downloaded: no network in tests"):
        open_encoder("hf:someone/model", allow_download=True)


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
def test_pickled_tensors_are_read_and_other_pickles_refused(tmp_path, tiny):
    folder = make_model(tmp_path, safe=False)
    same = open_encoder(f"hf:{folder}").tokens(["the cat"])[0].vectors
    assert np.allclose(same, open_encoder(f"hf:{tiny}").tokens(["the cat"])[0].vectors, atol=1e-6)

    class Harmful:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps(Harmful()))
    with pytest.raises(DataError, match="cannot be loaded|set `trust_pickle`"):
        open_encoder(f"hf:{folder}").tokens(["the cat"])
    torch.save({"embeddings": Harmful()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(DataError, match="set `trust_pickle`"):
        open_encoder(f"hf:{folder}").tokens(["a cat"])
    assert not (tmp_path / "ran").exists()


def test_weights_that_are_missing_or_of_another_model_are_refused(tmp_path):
    folder = make_model(tmp_path)
    weights = tmp_path / "model.safetensors"
    from safetensors.torch import load_file, save_file

    tensors = load_file(weights)
    save_file({name: tensor for name, tensor in tensors.items() if "layer.1.output" not in name}, weights)
    with pytest.raises(DataError, match="are not those of the model: encoder.layer.1"):
        open_encoder(f"hf:{folder}").tokens(["a cat"])
    weights.write_bytes(b"broken")
    with pytest.raises(DataError, match="cannot be loaded"):
        open_encoder(f"hf:{folder}").tokens(["a cat"])
    weights.unlink()
    with pytest.raises(DataError, match="has no weights"):
        open_encoder(f"hf:{folder}").tokens(["a cat"])
    (tmp_path / "config.json").unlink()
    with pytest.raises(UsageError, match=r"has no config\.json"):
        open_encoder(f"hf:{folder}")


def test_models_with_further_modules_are_run_by_sentence_transformers(tiny, tmp_path):
    package = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    from sentence_transformers import models

    network, pooling = models.Transformer(tiny), models.Pooling(16)
    for name, modules in (("plain", [network, pooling]), ("dense", [network, pooling, models.Dense(16, 6)])):
        model = package.SentenceTransformer(modules=modules, device="cpu")
        model.save(str(tmp_path / name))
        encoder = open_encoder(f"hf:{tmp_path / name}")
        wanted = model.encode(TEXTS[:3], normalize_embeddings=True, show_progress_bar=False)
        assert np.allclose(encoder.sentences(TEXTS[:3]), wanted, atol=1e-5), name
        assert (encoder.sentence_model is None) == (name == "plain")


def test_a_metric_scores_with_such_a_model(tiny):
    from tercet.metrics import create

    metric = create(f"bertscore:encoder=hf:{tiny},layer=2,idf=true")
    assert metric.score_one("the cat sat", ["the cat sat"]) == pytest.approx(1, abs=1e-5)
    assert f"encoder:hf:{tiny}|layer:2" in metric.signature


def test_bertscore_equals_bert_score(tiny):
    bert_score = pytest.importorskip("bert_score", reason="bert-score is not installed")
    from tercet import TestSet
    from tercet.metrics import Shard, create

    outputs = ["the cat sat on a mat .", "a dog ran .", "the mat", "dog dog dog"]
    references = ["the cat sat on the mat .", "the dog sat", "a mat on the cat", "the cat ran on ."]
    more = ["a cat sat", "a dog ran on", "the mat .", "dog"]
    testset = TestSet({"x": outputs}, {"a": references, "b": more}, pair="de-en")
    for idf in (False, True):
        wanted = bert_score.score(
            outputs, [list(pair) for pair in zip(references, more, strict=True)], model_type=tiny, num_layers=1, idf=idf
        )
        ready = create(f"bertscore:encoder=hf:{tiny},layer=1,idf={str(idf).lower()}").ready(testset)
        counts = ready.count(Shard(testset))["x"]
        for column, values in zip((2, 3, 0), wanted, strict=True):
            assert counts[:, column] == pytest.approx(values.numpy(), abs=1e-5)
