"""Give outputs in English Rima's scores, as labels for networks that do not see the reference.

    python -m training.multilingual.labels JUDGEMENTS.npz VOCABULARY.tsv NETWORK.onnx TOKENIZER.json OUT.npz

NETWORK.onnx is the network inside `rima.model`. Texts are put together from their pieces. Rows are scored in a random
order by all processors; what is not done after some seconds stays without a label (NaN).
"""

from __future__ import annotations

import argparse
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from tercet.language.encoders.unigram import START, read_scores

LONGEST = 200
BLOCK = 200
_opened: dict[str, Any] = {}


def _open(network: str, tokenizer: str) -> None:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    _opened["session"] = onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    _opened["tokenizer"] = Tokenizer.from_file(tokenizer)
    _opened["tokenizer"].no_padding()


def _score(pairs: list[tuple[str, str]]) -> list[float]:
    scores = []
    for reference, output in pairs:
        each = _opened["tokenizer"].encode(reference, output)
        inputs = {
            "input_ids": np.array([each.ids], np.int64), "attention_mask": np.ones((1, len(each.ids)), np.int64),
            "token_type_ids": np.array([each.type_ids], np.int64),
        }  # fmt: skip
        scores.append(float(_opened["session"].run(None, inputs)[0][0]) if len(each.ids) <= 2 * LONGEST else np.nan)
    return scores


def main() -> None:
    """Write the labels of all pools."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("judgements", "vocabulary", "network", "tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--processes", type=int, default=13)
    given = parser.parse_args()
    with np.load(given.judgements) as stored:
        pieces, lengths = stored["pieces"], stored["lengths"].astype(np.int64)
        pools = {name: stored[name] for name in stored.files if name.startswith("pool/")}
    ends = np.cumsum(lengths)
    names = [piece.replace(START, " ") for piece in read_scores(given.vocabulary.read_text("utf-8"))]

    def text(number: int) -> str:
        return "".join([names[piece] for piece in pieces[ends[number] - lengths[number] : ends[number]].tolist()])

    rows = np.concatenate(list(pools.values()))
    order = np.random.default_rng(0).permutation(len(rows))
    blocks = [order[first : first + BLOCK] for first in range(0, len(order), BLOCK)]
    labels = np.full(len(rows), np.nan, np.float32)
    began = time.monotonic()
    tasks = ([(text(r), text(o)) for r, o in rows[block][:, 1:3].tolist()] for block in blocks)
    with get_context("fork").Pool(given.processes, _open, (str(given.network), str(given.tokenizer))) as pool:
        for block, scores in zip(blocks, pool.imap(_score, tasks), strict=False):
            labels[block] = scores
            if time.monotonic() - began > given.seconds:
                pool.terminate()
                break
    made, at = {}, 0
    for name, its in pools.items():
        made[name] = labels[at : at + len(its)]
        at += len(its)
    part = given.out.with_suffix(".part.npz")
    np.savez(part, **made)
    part.rename(given.out)
    print(f"{int(np.isfinite(labels).sum())} of {len(labels)} labels, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
