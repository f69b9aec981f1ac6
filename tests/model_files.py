"""Tiny models with random weights, made in the test, and packages that stand in for those that are not installed."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

WORDS = (
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "on",
    "mat",
    "is",
    "he",
    "has",
    "and",
    "it",
    "we",
    "le",
    "chat",
    "il",
    "##s",
    ".",
)


def write_classifier(folder: Path, *, labels: int = 1, pickled: bool = False) -> Path:
    """Write a BERT with one layer that reads two texts. Needs transformers."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    vocabulary = write_tokenizer(folder)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=vocabulary, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64, num_labels=labels,
    )  # fmt: skip
    config.architectures = ["BertForSequenceClassification"]
    model = BertForSequenceClassification(config)
    # In a random model all texts look alike; here the classes lie apart.
    torch.nn.init.normal_(model.classifier.weight, std=2)
    model.save_pretrained(folder)
    if pickled:
        (folder / "model.safetensors").unlink()
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    return folder


def write_metricx(folder: Path) -> Path:
    """Write an mT5 with one layer. Needs transformers."""
    import torch
    from transformers import MT5Config, MT5ForConditionalGeneration

    vocabulary = write_tokenizer(folder, end="</s>")
    torch.manual_seed(1)
    config = MT5Config(
        vocab_size=vocabulary, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, tie_word_embeddings=False,
        decoder_start_token_id=0,
    )  # fmt: skip
    model = MT5ForConditionalGeneration(config)
    torch.nn.init.normal_(model.lm_head.weight, mean=0.5, std=2)
    model.save_pretrained(folder)
    return folder


def write_tokenizer(folder: Path, *, end: str | None = None) -> int:
    """Write a tokenizer of whole words and letters; returns the size of its vocabulary."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    letters = [
        letter
        for each in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        for letter in (each, f"##{each}")
    ]
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "</s>", *dict.fromkeys([*WORDS, *letters])]
    tokenizer = Tokenizer(WordPiece({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    if end:
        tokenizer.post_processor = TemplateProcessing(single=f"$A {end}", special_tokens=[(end, names.index(end))])
    else:
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        model_max_length=1000 if end else 64,
    ).save_pretrained(folder)  # fmt: skip
    return len(names)


def overlap(first: str, second: str) -> float:
    """The share of words that two texts have in common."""
    left, right = set(first.split()), set(second.split())
    return len(left & right) / max(len(left | right), 1)


class StandInComet:
    """What `tercet.metrics.learned.comet` uses of a COMET model."""

    def __init__(self, *, references: bool) -> None:
        self.references = references
        self.calls: list[dict[str, Any]] = []

    def requires_references(self) -> bool:
        return self.references

    def predict(self, samples: list[dict[str, str]], **options: Any) -> SimpleNamespace:
        self.calls.append({"samples": samples, **options})
        return SimpleNamespace(
            scores=[overlap(each["mt"], each["ref" if self.references else "src"]) for each in samples]
        )


def install_comet(monkeypatch: Any) -> list[dict[str, Any]]:
    """Put a package in the place of unbabel-comet; returns the list of what models are loaded with."""
    loaded: list[dict[str, Any]] = []

    def kind(references: bool) -> Any:
        class Model:
            @staticmethod
            def load_from_checkpoint(path: str, **options: Any) -> StandInComet:
                model = StandInComet(references=references)
                loaded.append({"path": path, "model": model, **options})
                if Path(path).read_text() == "pickled" and options["weights_only"]:
                    import pickle

                    raise pickle.UnpicklingError("Weights only load failed")
                return model

        return Model

    models = ModuleType("comet.models")
    models.str2model = {"regression_metric": kind(True), "referenceless_regression_metric": kind(False)}  # type: ignore[attr-defined]
    torch = ModuleType("torch")
    torch.cuda = SimpleNamespace(is_available=lambda: False)  # type: ignore[attr-defined]
    for name, module in {"comet": ModuleType("comet"), "comet.models": models, "torch": torch}.items():
        monkeypatch.setitem(sys.modules, name, module)
    return loaded


def write_comet(folder: Path, *, kind: str = "regression_metric", contents: str = "weights") -> Path:
    """Write a folder with the layout of a COMET model, for the stand-in."""
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints" / "model.ckpt").write_text(contents)
    (folder / "hparams.yaml").write_text(f"activations: Tanh\nclass_identifier: {kind}\nencoder_model: XLM-RoBERTa\n")
    return folder


def install_bleurt(monkeypatch: Any) -> list[dict[str, Any]]:
    """Put a package in the place of bleurt; returns the list of its calls."""
    calls: list[dict[str, Any]] = []

    class Scorer:
        def __init__(self, checkpoint: str) -> None:
            self.checkpoint = checkpoint

        def score(self, *, references: list[str], candidates: list[str], batch_size: int) -> list[float]:
            calls.append({"references": references, "candidates": candidates, "batch_size": batch_size})
            return [overlap(*pair) for pair in zip(references, candidates, strict=True)]

    scoring = ModuleType("bleurt.score")
    scoring.LengthBatchingBleurtScorer = Scorer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bleurt", ModuleType("bleurt"))
    monkeypatch.setitem(sys.modules, "bleurt.score", scoring)
    return calls


def write_bleurt(folder: Path) -> Path:
    """Write a folder with the layout of a BLEURT checkpoint, for the stand-in."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bleurt_config.json").write_text("{}")
    return folder


def write_real_comet(folder: Path, *, references: bool) -> Path:
    """Write a COMET model over a BERT with two layers. Needs unbabel-comet."""
    import torch
    from comet.models import ReferencelessRegression, RegressionMetric
    from transformers import BertConfig, BertTokenizerFast

    encoder = folder / "encoder"
    encoder.mkdir(parents=True)
    letters = [form for letter in "abcdefghijklmnopqrstuvwxyz" for form in (letter, f"##{letter}")]
    names = list(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters]))
    (encoder / "vocab.txt").write_text("\n".join(names))
    BertTokenizerFast(str(encoder / "vocab.txt")).save_pretrained(encoder)
    small = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    BertConfig(vocab_size=len(names), **small).save_pretrained(encoder)
    torch.manual_seed(1)
    kind = RegressionMetric if references else ReferencelessRegression
    model = kind(encoder_model="BERT", pretrained_model=str(encoder), hidden_sizes=[16], load_pretrained_weights=False)
    (folder / "checkpoints").mkdir()
    checkpoint = {
        "state_dict": model.state_dict(),
        "hyper_parameters": dict(model.hparams),
        "pytorch-lightning_version": "2.0.0",
    }
    torch.save(checkpoint, folder / "checkpoints" / "model.ckpt")
    identifier = "regression_metric" if references else "referenceless_regression_metric"
    (folder / "hparams.yaml").write_text(f"class_identifier: {identifier}\n")
    return folder
