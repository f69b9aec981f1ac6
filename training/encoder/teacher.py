"""Compute the teacher's vectors of the English sides of all pairs, on a GPU, while training begins.

    python -m training.encoder.teacher WORK --weights WEIGHTS --tokenizer TOKENIZER.json

WORK/taught.npy gets a unit vector for each pair in half precision, zeros where no side is English. Texts are put
together from their pieces: the vocabulary has no capitals, and neither has MiniLM's.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from tercet.language.encoders.unigram import START, read_scores
from training.network import MINILM, Encoder, load_encoder, read_weights

from .parts import read_arguments

LONGEST = 96


def teach(work: Path, weights: Path, tokenizer: Path) -> np.ndarray:
    """Return the vectors."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = Encoder(MINILM)
    load_encoder(network, read_weights(weights / "minilm.npz"))
    network.eval().to(device, torch.bfloat16 if device.type == "cuda" else torch.float32)
    with np.load(work / "pairs.npz") as stored:
        pieces, starts, languages = stored["pieces"], stored["starts"], stored["languages"]
    english = json.loads((work / "facts.json").read_text("utf-8"))["languages"].index("en")
    names = [piece.replace(START, " ") for piece in read_scores((work / "vocabulary.tsv").read_text("utf-8"))]
    sides = np.where(languages[:, 0] == english, 0, np.where(languages[:, 1] == english, 1, -1))
    known = np.flatnonzero(sides >= 0)
    opened = Tokenizer.from_file(str(tokenizer))
    opened.no_padding()
    opened.enable_truncation(LONGEST)
    found = np.zeros((len(languages), 384), np.float16)
    began, block = time.monotonic(), 400_000
    for first in range(0, len(known), block):
        rows = known[first : first + block]
        texts = 2 * rows + sides[rows]
        lines = [
            "".join([names[piece] for piece in pieces[starts[text] : starts[text + 1]].tolist()]) for text in texts
        ]
        encoded = [each.ids for each in opened.encode_batch_fast(lines)]
        lengths = np.array([len(ids) for ids in encoded])
        order = np.argsort(lengths, kind="stable")
        at = 0
        while at < len(order):
            size = max(1, 400_000 // int(lengths[order[min(at + 4096, len(order) - 1)]]))
            batch = order[at : at + min(size, 4096)]
            width = int(lengths[batch].max())
            ids = np.zeros((len(batch), width), np.int64)
            mask = np.arange(width) < lengths[batch][:, None]
            ids[mask] = np.concatenate([encoded[place] for place in batch])
            rows_ids, rows_mask = torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)
            with torch.no_grad():
                hidden = network(rows_ids, rows_mask, torch.zeros_like(rows_ids)).float() * rows_mask[:, :, None]
                vectors = functional.normalize(hidden.sum(1), dim=1)
            found[rows[batch]] = vectors.half().cpu().numpy()
            at += len(batch)
        print(f"{first + len(rows)} of {len(known)}, {time.monotonic() - began:.0f} s", flush=True)
    return found


def main() -> None:
    """Write the file, whole or not at all."""
    given = read_arguments(__doc__)
    np.save(given.work / "taught.part.npy", teach(given.work, given.weights, given.tokenizer))
    (given.work / "taught.part.npy").rename(given.work / "taught.npy")


if __name__ == "__main__":
    main()
