"""Log-probabilities from models: tiny ones in ONNX files, and random ones of transformers where it is installed."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest

from tercet import TestSet, score
from tercet.errors import DataError, UsageError
from tercet.metrics import create

from ..language import onnx_files
from ..language.onnx_files import WORDS, constant, model, node

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
TEXTS = TestSet({"a": ["the cat sat"], "b": ["a dog"]}, source=["dog ran"])
END = 3


def logits() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(len(WORDS), len(WORDS))).astype(np.float32)


def written(folder, *, translates: bool, **config) -> str:
    """A model in which a token depends on the one before alone; returns the metric on it."""
    before = "decoder_input_ids" if translates else "input_ids"
    inputs = ("input_ids", "attention_mask", "decoder_input_ids")[: 3 if translates else 2]
    data = model([node("Gather", ["table", before], ["logits"], axis=0)], [constant("table", logits())],
                 {"logits": 3}, inputs)  # fmt: skip
    place = onnx_files.write_model(folder, data)
    (folder / "config.json").write_text(json.dumps({"eos_token_id": END, **config}))
    return f"lp:model=onnx:{place}"


def expected(numbers) -> float:
    """The log-probability of each token after the one before it."""
    rows = logits().astype(np.float64)
    return sum(rows[a, b] - math.log(np.exp(rows[a]).sum()) for a, b in pairwise(numbers))


def test_a_language_model_predicts_the_output_after_the_source(tmp_path):
    (scores,) = score(TEXTS, written(tmp_path, translates=False))
    # [CLS] dog ran [SEP], then the output and the end of the text
    assert scores.segment["a"][0] == pytest.approx(expected([3, 4, 5, 6, END]) / 4, abs=1e-6)
    assert scores.segment["b"][0] == pytest.approx(expected([3, 8, 10, END]) / 3, abs=1e-6)
    assert "|checksum:" in scores.signature and scores.metric.higher_is_better


def test_a_model_that_translates_begins_with_its_own_token(tmp_path):
    (scores,) = score(TEXTS, written(tmp_path, translates=True, decoder_start_token_id=1))
    assert scores.segment["a"][0] == pytest.approx(expected([1, 4, 5, 6, END]) / 4, abs=1e-6)
    assert scores.system["a"] == scores.segment["a"][0]


def test_models_that_cannot_be_asked_are_refused(tmp_path):
    with pytest.raises(UsageError, match="Use hf:PLACE or onnx:PLACE"):
        create("lp:model=minilm")
    with pytest.raises(UsageError, match="a file or a model, not both"):
        create("lp:model=onnx:x,file=y")
    with pytest.raises(UsageError, match="needs sources"):
        score(TestSet({"a": ["x"]}), "lp:model=onnx:x")
    with pytest.raises(DataError, match="decoder_start_token_id if it has an encoder"):
        score(TEXTS, written(tmp_path, translates=True))


@pytest.mark.parametrize("translates", [False, True])
def test_models_of_transformers_give_the_probabilities_of_their_own_loss(tmp_path, translates):
    torch = pytest.importorskip("torch", reason="tercet[hf] is not installed")
    transformers = pytest.importorskip("transformers", reason="tercet[hf] is not installed")
    torch.manual_seed(1)
    sizes = {"vocab_size": len(WORDS), "eos_token_id": END, "pad_token_id": 0, "decoder_start_token_id": 2}
    if translates:
        config = transformers.T5Config(d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, **sizes)
        network = transformers.T5ForConditionalGeneration(config)
    else:
        config = transformers.GPT2Config(n_embd=16, n_layer=1, n_head=2, n_positions=32, bos_token_id=2, **sizes)
        network = transformers.GPT2LMHeadModel(config)
    network.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text(onnx_files.tokenizer_file())
    transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(tmp_path / "tokenizer.json"), pad_token="[PAD]", unk_token="[UNK]", eos_token="[SEP]"
    ).save_pretrained(tmp_path)
    (scores,) = score(TEXTS, f"lp:model=hf:{tmp_path}")
    first, predicted = [2, 10, 11, 3], [4, 5, 6, END]
    with torch.inference_mode():
        if translates:
            predicted = [2, *predicted]  # this tokenizer marks both ends
            loss = network.eval()(input_ids=torch.tensor([first]), labels=torch.tensor([predicted])).loss
        else:
            labels = torch.tensor([[-100] * len(first) + predicted])
            loss = network.eval()(input_ids=torch.tensor([first + predicted]), labels=labels).loss
    assert scores.segment["a"][0] == pytest.approx(-float(loss), abs=1e-4)
