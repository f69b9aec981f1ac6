"""Models of other people as metrics: what reaches them, several references, missing packages, pickled weights."""

import sys
from contextlib import nullcontext
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from tercet import TestSet, score
from tercet.errors import DataError, MissingDependency, UnknownName, UsageError
from tercet.metrics import create
from tercet.text.explanations import Seen

from ... import model_files

TEXTS = TestSet(
    {"a": ["the cat", "a dog"], "b": ["the cat", "it is"]},
    {"first": ["the cat sat", "a dog"], "second": ["the cat", None]},
    source=["le chat", "il a"],
    pair="fr-en",
)
NEEDS_TRANSFORMERS = pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("torch") is None, reason="the extra hf is not installed"
)


def test_comet_gets_each_triple_once(tmp_path, monkeypatch):
    loaded = model_files.install_comet(monkeypatch)
    (scores,) = score(TEXTS, f"comet:model={model_files.write_comet(tmp_path / 'm')},batch=7")
    (made,) = loaded
    (call,) = made["model"].calls
    assert len(call["samples"]) == 4  # two references of "the cat", one of "a dog", one of "it is"
    assert call["samples"][0] == {"src": "le chat", "mt": "the cat", "ref": "the cat sat"}
    assert (call["batch_size"], call["gpus"], call["progress_bar"]) == (7, 0, False)
    assert scores.segment["a"].tolist() == [pytest.approx((2 / 3 + 1) / 2), 1]
    assert {made["weights_only"], made["local_files_only"]} == {True}
    assert "|references:mean|checksum:" in scores.signature


def test_the_best_reference_may_count(tmp_path, monkeypatch):
    model_files.install_comet(monkeypatch)
    (scores,) = score(TEXTS, f"comet:model={model_files.write_comet(tmp_path / 'm')},references=best")
    assert scores.segment["a"].tolist() == [1, 1]


def test_comet_knows_models_that_read_no_reference(tmp_path, monkeypatch):
    loaded = model_files.install_comet(monkeypatch)
    place = model_files.write_comet(tmp_path / "m", kind="referenceless_regression_metric")
    spec = f"comet:model={place / 'checkpoints' / 'model.ckpt'}"
    assert create(spec).needs == {"source"}
    score(TestSet(TEXTS.outputs, source=TEXTS.source), spec)
    assert loaded[0]["model"].calls[0]["samples"][0] == {"src": "le chat", "mt": "the cat"}
    (place / "hparams.yaml").write_text("class_identifier: unified_metric\ninput_segments:\n- mt\n- src\nloss: mse\n")
    assert create(spec).needs == {"source"}
    assert create("comet:model=Unbabel/wmt22-cometkiwi-da").needs == {"source"}
    assert create("comet:model=Unbabel/wmt22-comet-da").needs == {"source", "reference"}


@pytest.mark.skipif(find_spec("comet") is None, reason="the extra comet is not installed")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("references", [True, False])
def test_scores_are_those_of_unbabel_comet(tmp_path, references):
    import comet

    place = model_files.write_real_comet(tmp_path / "m", references=references)
    (scores,) = score(TEXTS, f"comet:model={place},references={'best' if references else 'none'}")
    model = comet.load_from_checkpoint(str(place / "checkpoints" / "model.ckpt"))
    samples = [{"src": "le chat", "mt": "the cat", "ref": reference} for reference in ("the cat sat", "the cat")]
    expected = model.predict(samples, gpus=0, progress_bar=False).scores
    assert scores.segment["a"][0] == pytest.approx(max(expected), abs=1e-5)


def test_comet_takes_the_encoder_from_a_folder(tmp_path, monkeypatch):
    loaded = model_files.install_comet(monkeypatch)
    score(TEXTS, f"comet:model={model_files.write_comet(tmp_path / 'm')},encoder=xlmr,allow_download=true")
    assert loaded[0]["pretrained_model"] == "xlmr"
    assert loaded[0]["local_files_only"] is False


def test_pickled_checkpoints_are_refused_unless_trusted(tmp_path, monkeypatch):
    model_files.install_comet(monkeypatch)
    place = model_files.write_comet(tmp_path / "m", contents="pickled")
    with pytest.raises(DataError, match=r"could run any code\. If you trust the file, use `trust_pickle`"):
        score(TEXTS, f"comet:model={place}")
    assert score(TEXTS, f"comet:model={place},trust_pickle=true")


def test_new_weights_at_the_same_place_are_another_model(tmp_path, monkeypatch):
    model_files.install_comet(monkeypatch)
    place = model_files.write_comet(tmp_path / "m")
    first = score(TEXTS, f"comet:model={place}")[0].signature
    (place / "checkpoints" / "model.ckpt").write_text("other weights")
    assert score(TEXTS, f"comet:model={place}")[0].signature != first


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("comet", "comet needs a model: comet:model=Unbabel/wmt22-comet-da"),
        ("bleurt", "bleurt needs a model"),
        ("metricx", "metricx needs a model"),
        ("classifier", "classifier needs a model"),
        ("bleurt:model=nowhere", "nowhere is no folder of a BLEURT checkpoint"),
        ("bleurt:references=none", "bleurt needs references"),
        ("classifier:references=none", "use against=source"),
    ],
)
def test_what_is_missing_is_said(name, said):
    with pytest.raises(UsageError, match=said):
        score(TEXTS, name)


def test_missing_packages_are_named(tmp_path, monkeypatch):
    for name in ("comet", "bleurt", "bleurt.score", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[comet\]'"):
        score(TEXTS, f"comet:model={model_files.write_comet(tmp_path / 'm')}")
    with pytest.raises(UsageError, match=r"pip install git\+https://github.com/google-research/bleurt"):
        score(TEXTS, f"bleurt:model={model_files.write_bleurt(tmp_path / 'b')}")
    (tmp_path / "hf").mkdir()
    for name in ("classifier", "metricx"):
        with pytest.raises(MissingDependency, match=r"pip install 'tercet\[hf\]'"):
            score(TEXTS, f"{name}:model={tmp_path / 'hf'}")


def test_a_model_that_gives_no_number_is_reported(tmp_path, monkeypatch):
    model_files.install_bleurt(monkeypatch)
    monkeypatch.setattr(model_files, "overlap", lambda *_: float("nan"))
    with pytest.raises(DataError, match="not finite .* for text 1 of 4"):
        score(TEXTS, f"bleurt:model={model_files.write_bleurt(tmp_path / 'b')}")


def test_segments_are_explained_by_reference(tmp_path, monkeypatch):
    model_files.install_bleurt(monkeypatch)
    ready = create(f"bleurt:model={model_files.write_bleurt(tmp_path / 'b')},references=best").ready(TEXTS)
    assert ready.explain("the cat", ["the cat", "a dog"]) == Seen(1, values={"scores": [1, 0]})


@NEEDS_TRANSFORMERS
def test_a_regressor_gives_its_number(tmp_path):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    place = model_files.write_classifier(tmp_path / "m")
    (scores,) = score(TEXTS, f"classifier:model={place},references=best")
    tokenizer = AutoTokenizer.from_pretrained(place)
    model = AutoModelForSequenceClassification.from_pretrained(place).eval()
    with torch.inference_mode():
        expected = [
            model(**tokenizer(reference, output, return_tensors="pt", return_token_type_ids=True)).logits.item()
            for reference, output in (("the cat sat", "the cat"), ("the cat", "the cat"), ("a dog", "a dog"))
        ]
    assert scores.segment["a"] == pytest.approx([max(expected[:2]), expected[2]], abs=1e-5)


@NEEDS_TRANSFORMERS
def test_a_classifier_gives_the_probability_of_a_label(tmp_path):
    place = model_files.write_classifier(tmp_path / "m", labels=3)
    found = [
        score(TEXTS, f"classifier:model={place},against=source,label_name={label}")[0].segment["a"]
        for label in ("0", "LABEL_1", "LABEL_2")
    ]
    assert np.sum(found, axis=0) == pytest.approx([1, 1], abs=1e-6)
    last = score(TEXTS, f"classifier:model={place},against=source")[0].segment["a"]
    assert last == pytest.approx(found[2], abs=1e-6)
    with pytest.raises(UnknownName, match="There is no label of .* called 'LABEL_9'"):
        score(TEXTS, f"classifier:model={place},label_name=LABEL_9")


class Numbers:
    """Stands for a tensor of torch."""

    def __init__(self, values):
        self.values = np.asarray(values, dtype=np.float32)

    def __getattr__(self, name):
        return lambda *_: self.values if name == "numpy" else self

    def __getitem__(self, place):
        return Numbers(self.values[place])


class Network:
    """Stands for a model of transformers: one logit, the number of tokens."""

    config = SimpleNamespace(num_labels=1, vocab_size=4)
    device = "cpu"

    def to(self, device):
        assert device == "cpu"
        return self

    def eval(self):
        return self

    def __call__(self, ids, decoder_input_ids=None):
        numbers = [[float(each)] for each in (ids > 0).sum(1)]
        return SimpleNamespace(logits=Numbers(numbers if decoder_input_ids is None else [[row * 4] for row in numbers]))


class Pieces:
    """Stands for a tokenizer: a number for each word, and an end."""

    padding = 0

    def encode(self, texts):
        whole = [" ".join(text) if isinstance(text, tuple) else text for text in texts]
        return [SimpleNamespace(ids=list(range(1, len(text.split()) + 2))) for text in whole]

    def pad(self, encoded):
        width = max(len(each.ids) for each in encoded)
        ids = np.array([each.ids + [0] * (width - len(each.ids)) for each in encoded])
        return SimpleNamespace(ids=ids, mask=(ids > 0).astype(np.int64))


def test_models_of_the_hub_are_loaded_and_asked_in_the_same_way(tmp_path, monkeypatch):
    from tercet.language.encoders import huggingface

    kinds = []
    monkeypatch.setattr(huggingface, "find_folder", lambda *_, **__: tmp_path)
    monkeypatch.setattr(huggingface, "fingerprint", lambda place: "0" * 16)
    monkeypatch.setattr(huggingface, "open_tokenizer", lambda *_: Pieces())
    monkeypatch.setattr(huggingface, "load_weights", lambda kind, *_, **__: kinds.append(kind) or Network())
    monkeypatch.setattr(huggingface, "torch_device", lambda device: "cpu")
    monkeypatch.setattr(huggingface, "feed", lambda model, inputs: {"ids": inputs.ids})
    monkeypatch.setattr(huggingface, "inferring", lambda name: nullcontext())
    torch = SimpleNamespace(zeros=lambda *_, **__: 0, long=int)
    monkeypatch.setattr(huggingface, "packages", lambda: (None, torch))
    (tmp_path / "config.json").write_text("{}")
    for batch in (1, 16):
        found = create(f"classifier:model=m,batch={batch}").statistics(TEXTS)
        # Words of the reference and of the output, and an end; the mean of both references.
        assert found["a"].tolist() == [[(6 + 5) / 2, 1], [5, 1]]
        found = create(f"metricx:model=m,batch={batch}").statistics(TEXTS)
        # The words that MetricX writes, three of its own among them, without the end.
        assert found["a"][1].tolist() == [9, 1]
    assert kinds == ["AutoModelForSequenceClassification", "AutoModelForSeq2SeqLM"] * 2


@NEEDS_TRANSFORMERS
def test_scores_do_not_depend_on_the_batch(tmp_path):
    place = model_files.write_classifier(tmp_path / "m")
    one, many = (score(TEXTS, f"classifier:model={place},batch={batch}")[0] for batch in (1, 64))
    assert one.segment["b"] == pytest.approx(many.segment["b"], abs=1e-5)


@NEEDS_TRANSFORMERS
def test_pickled_weights_are_read_as_tensors_only(tmp_path):
    import torch

    place = model_files.write_classifier(tmp_path / "m", pickled=True)
    assert score(TEXTS, f"classifier:model={place}")
    weights = torch.load(place / "pytorch_model.bin")
    torch.save({**weights, "extra": print}, place / "pytorch_model.bin")
    with pytest.raises(DataError, match="use `trust_pickle`"):
        score(TEXTS, f"classifier:model={place}")


@NEEDS_TRANSFORMERS
def test_metricx_is_the_logit_of_one_token(tmp_path):
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    place = model_files.write_metricx(tmp_path / "m")
    (scores,) = score(TEXTS, f"metricx:model={place}")
    tokenizer = AutoTokenizer.from_pretrained(place)
    model = AutoModelForSeq2SeqLM.from_pretrained(place).eval()
    ids = tokenizer("source: il a candidate: a dog reference: a dog", return_tensors="pt").input_ids[:, :-1]
    with torch.inference_mode():
        logits = model(input_ids=ids, decoder_input_ids=torch.zeros((1, 1), dtype=torch.long)).logits
    assert scores.segment["a"][1] == pytest.approx(float(logits[0, 0, -1].clamp(0, 25)), abs=1e-5)
    assert scores.metric.higher_is_better is False


def test_metricx_writes_its_input_as_its_year():
    row = create("metricx").resolved()
    from tercet.metrics.bases.models import Row

    texts = Row("s", "o", "r")
    assert row.written(texts) == "source: s candidate: o reference: r"
    assert create("metricx:references=none").resolved().written(texts) == "source: s candidate: o"
    old = create("metricx:model=google/metricx-23-qe-xl-v2p0").resolved()
    assert old.written(texts) == "candidate: o source: s"
    assert create("metricx:model=google/metricx-23-xl-v2p0").resolved().written(texts) == "candidate: o reference: r"
    assert create("metricx:model=google/metricx-23-xl-v2p0").needs == {"reference"}
