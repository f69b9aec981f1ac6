"""Make the archive that training reads: token ids of every text, and what people said about them as numbers of texts.

    python -m training.prepare DATA TOKENIZER.json OUT.npz [--small]

DATA is a folder of data sets (data.py). Tokenising is done here, once; it would take half of the time on the GPU.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from pathlib import Path
from random import Random

import numpy as np

from . import data, perturb

LONGEST = 126  # tokens of one text; a pair is at most twice as long
DAMAGED = 260_000
SEED = 20


class TextTable:
    """Texts by number, in the order in which they were first seen."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def main() -> None:
    """Write the archive and print what is in it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("tokenizer", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--small", action="store_true", help="a hundredth of the data, to try the chain on a CPU")
    given = arguments.parse_args()
    found = data.read(given.data)
    _refuse_newstest2019(found, given.data)
    if given.small:
        _shrink(found)
    table = TextTable()
    arrays: dict[str, np.ndarray] = {}
    for name, rankings in found.rankings.items():
        arrays[f"rank/{name}"] = np.array(
            [[table(r.reference), table(r.better), table(r.worse)] for r in rankings], np.int32
        )
    for name, assessments in found.assessments.items():
        arrays[f"da/{name}"] = np.array([[table(a.reference), table(a.output)] for a in assessments], np.int32)
        arrays[f"z/{name}"] = np.array([a.z for a in assessments], np.float32)
        arrays[f"held/{name}"] = np.array([_held(a.segment) for a in assessments])
    for name, triples in found.pool.items():
        arrays[f"pool/{name}"] = np.array(
            [[table(reference), table(output)] for reference, output, _ in triples], np.int32
        )
    arrays |= damaged(found, table, DAMAGED // 100 if given.small else DAMAGED)
    arrays["tokens"], arrays["starts"] = tokenise(list(table.numbers), given.tokenizer)
    np.savez_compressed(given.out, **arrays)
    digest = hashlib.sha256(given.out.read_bytes()).hexdigest()
    sizes = {
        name: len(values) for name, values in arrays.items() if name.split("/")[0] in ("rank", "da", "pool", "damaged")
    }
    print(
        json.dumps({"texts": len(table.numbers), "tokens": len(arrays["tokens"]), "sha256": digest, **sizes}, indent=1)
    )


def _held(segment: str) -> bool:
    """Tell whether a DA segment is kept for calibration: one in six, whatever the order of the data."""
    return hashlib.sha256(segment.encode()).digest()[0] % 6 == 0


def _refuse_newstest2019(found: data.Sources, folder: Path) -> None:
    forbidden: list[str] = []
    for pair in data.english_pairs(folder / "wmt19"):
        texts = data.Texts.read(folder / "wmt19", pair)
        forbidden += texts.references.values()
    data.refuse_leaks(found, forbidden)


def _shrink(found: data.Sources) -> None:
    for sets in (found.rankings, found.assessments, found.pool):
        for name in sets:
            sets[name] = sets[name][::100]


def damaged(found: data.Sources, table: TextTable, count: int) -> dict[str, np.ndarray]:
    """Return preferences that need no people: (reference, text, damaged text) and (reference, itself, output)."""
    random = Random(SEED)
    pool = {name: triples for name, triples in found.pool.items() if triples}
    everything = [triple for triples in pool.values() for triple in triples]
    references = sorted({reference for reference, _, _ in everything})
    sources = sorted({source for _, _, source in everything})
    words = [word for text in references for word in text.split()]
    names = sorted({word for text in references for word in text.split()[1:] if re.fullmatch(r"[A-Z][a-z]{3,}", word)})
    arrays = {}
    for name, triples in pool.items():
        rows = []
        for _ in range(round(count * len(triples) / len(everything))):
            reference, output, source = random.choice(triples)
            text = reference if random.random() < 0.3 else output
            changed = perturb.damage(text, random, perturb.Around(source, references, sources, names, words))
            if changed is not None:
                rows.append([table(reference), table(text), table(changed)])
            if random.random() < 0.1 and output.split() != reference.split():
                rows.append([table(reference), table(reference), table(output)])
        arrays[f"damaged/{name}"] = np.array(rows, np.int32).reshape(-1, 3)
    return arrays


def tokenise(texts: list[str], tokenizer: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return all ids, one text after the other, and where each text starts (and the last ends)."""
    from tokenizers import Tokenizer

    tokens = Tokenizer.from_file(str(tokenizer))
    tokens.no_padding()
    tokens.enable_truncation(LONGEST)
    pieces = []
    for start in range(0, len(texts), 10_000):
        batch = tokens.encode_batch_fast(texts[start : start + 10_000], add_special_tokens=False)
        pieces += [np.array(one.ids, np.uint16) for one in batch]
    starts = np.cumsum([0, *(len(piece) for piece in pieces)], dtype=np.int64)
    return np.concatenate(pieces), starts


if __name__ == "__main__":
    main()
