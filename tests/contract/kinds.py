"""One metric of every kind, as users write them: a file, a package with entry points, functions, classes, instances."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SIMPLE = '''
"""Simple metrics."""

from dataclasses import dataclass
from typing import ClassVar

from tercet.metrics import MeanMetric, param


def overlap(output, references):
    """The share of the output's words that a reference has."""
    words = output.split()
    known = set(" ".join(references).split())
    return sum(word in known for word in words) / max(1, len(words))


@dataclass(frozen=True)
class WordErrors(MeanMetric):
    """Words of the reference that are missing in the output, as a share, times alpha; lower is better."""

    alpha: float = param(1.0, above=0)

    paper: ClassVar[str] = "An example for a test"

    @property
    def higher_is_better(self):
        return False

    def score_segment(self, output, references, source):
        words = set(output.split())
        shares = [sum(word not in words for word in text.split()) / max(1, len(text.split())) for text in references]
        return self.alpha * min(shares)


half = WordErrors(alpha=0.5)
'''

LEARNED = '''
"""Toy learned metrics: characters are embedded in float32, batches are sorted by length and padded."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tercet.metrics import Metric, param


class Encoder:
    def __init__(self, table):
        self.table = table

    def encode(self, texts):
        distinct = sorted(set(texts), key=len)
        found = {}
        for start in range(0, len(distinct), 4):
            batch = distinct[start : start + 4]
            width = 1 + max(map(len, batch))
            padded = np.zeros((len(batch), width), dtype=np.int64)
            for row, text in enumerate(batch):
                padded[row, 1 : len(text) + 1] = [1 + ord(character) % (len(self.table) - 1) for character in text]
            vectors = (self.table[padded] * (padded > 0)[..., None].astype(np.float32)).sum(1, dtype=np.float32)
            vectors[:, 0] += np.float32(1e-3)  # the empty text has a vector too
            found |= dict(zip(batch, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True))
        return np.stack([found[text] for text in texts])


class Embedded(Metric):
    """The mean cosine of output and first reference."""

    paper: ClassVar[str] = "An example for a test"
    tolerance: ClassVar[float] = 1e-4

    def count(self, shard, encoder):
        references = [next(text for text in row if text is not None) for row in zip(*shard.references.values())]
        reference = encoder.encode(references)
        counts = {}
        for system, outputs in shard.outputs.items():
            cosine = (encoder.encode(outputs) * reference).sum(1, dtype=np.float32).astype(np.float64)
            counts[system] = np.stack([self.value(cosine), np.ones(len(shard))], axis=1)
        return counts

    def value(self, cosine):
        return cosine

    def score(self, totals):
        return totals[..., 0] / np.maximum(totals[..., 1], 1)


@dataclass(frozen=True)
class Cosine(Embedded):
    """The mean cosine of output and first reference, with embeddings from a seed."""

    seed: int = param(1, low=0)

    def open(self, state):
        return Encoder(np.random.default_rng(self.seed).normal(size=(257, 16)).astype(np.float32))


@dataclass(frozen=True)
class Distance(Embedded):
    """One minus the mean cosine, with embeddings from a file; lower is better."""

    weights: str = param("weights.npy", file=True, checksum="weights_sum")

    @property
    def higher_is_better(self):
        return False

    def open(self, state):
        return Encoder(np.load(self.weights))

    def value(self, cosine):
        return 1 - cosine
'''


@dataclass(frozen=True)
class Kind:
    """A metric and how it is asked for. decimals: how exactly scores of two runs agree."""

    spec: str
    label: str
    higher_is_better: bool
    decimals: int = 12


KINDS = {
    "ours": Kind("chrf", "chrF2", True),
    "ours, lower is better": Kind("ter", "TER", False),
    "function": Kind("simple.py:overlap", "overlap", True),
    "class": Kind("simple.py:WordErrors", "WordErrors", False),
    "class with a parameter": Kind("simple.py:WordErrors:alpha=2", "WordErrors", False),
    "instance": Kind("simple.py:half", "WordErrors", False),
    "entry point of a function": Kind("plug_overlap", "overlap", True),
    "entry point of a class": Kind("plug_errors:alpha=2", "WordErrors", False),
    "entry point of an instance": Kind("plug_cosine", "Cosine", True, 5),
    "encoder": Kind("learned.py:Cosine:seed=3", "Cosine", True, 5),
    "encoder with weights": Kind("learned.py:Distance:weights=weights.npy", "Distance", False, 5),
}
ENTRY_POINTS = """[tercet.metrics]
plug_overlap = plug_simple:overlap
plug_errors = plug_simple:WordErrors
plug_cosine = plug_learned:cosine
"""
WORDS = "the cat dog sat ran on under a mat house quickly and then slept again".split()
SYSTEMS = {"good": 0.1, "fair": 0.35, "bad": 0.7}  # shares of wrong words
SEGMENTS = 24


def write_weights(path: Path, seed: int) -> None:
    np.save(path, np.random.default_rng(seed).normal(size=(257, 16)).astype(np.float32))


def write_all(folder: Path) -> Path:
    """Write texts, the files with metrics, weights, and a package with entry points in the folder "site"."""
    folder.mkdir(exist_ok=True)
    (folder / "simple.py").write_text(SIMPLE)
    (folder / "learned.py").write_text(LEARNED)
    write_weights(folder / "weights.npy", 1)
    about = folder / "site" / "plug-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "site" / "plug_simple.py").write_text(SIMPLE)
    (folder / "site" / "plug_learned.py").write_text(LEARNED + "\n\ncosine = Cosine(seed=5)\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n")
    rng = np.random.default_rng(4)
    reference = [list(rng.choice(WORDS, rng.integers(4, 12))) for _ in range(SEGMENTS)]
    (folder / "ref").write_text("".join(" ".join(words) + "\n" for words in reference))
    (folder / "docs").write_text("".join(f"document {i // 6}\n" for i in range(SEGMENTS)))
    for system, wrong in SYSTEMS.items():
        lines = [[str(rng.choice(WORDS)) + "x" if rng.random() < wrong else w for w in words] for words in reference]
        (folder / system).write_text("".join(" ".join(words) + "\n" for words in lines))
    return folder


def python_path(folder: Path) -> str:
    """The PYTHONPATH of a process that has the package with entry points."""
    return os.pathsep.join(filter(None, [str(folder / "site"), os.environ.get("PYTHONPATH", "")]))
