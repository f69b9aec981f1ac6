"""Train the vectors of pieces, without layers above them, on a CPU.

    python -m training.encoder.static WORK --minutes 28

Two losses on the same pairs: the translation of a sentence (the sum of its pieces) is to be nearest among those of the
batch, both ways, and for each piece of some sentences the pieces of the translation are to be nearer than those of
other sentences (the mean over the translation, so that one near piece is enough). WORK/static.npz is written every four
minutes; a later run goes on from it.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .batches import Pairs

SENTENCES, PIECES = 20.0, 12.0  # what cosines are multiplied by
RARE = 1e-3  # a piece counts in the second loss as RARE / (RARE + its share of all pieces)
SAVED = 240.0  # seconds


class Static:
    """The vectors, Adam's means for the rows that were in a batch, and the losses."""

    def __init__(
        self, pairs: Pairs, vectors: np.ndarray, shares: np.ndarray, *, sentences: int = 32, others: int = 384
    ) -> None:
        self.pairs, self.vectors = pairs, torch.from_numpy(vectors)
        self.first, self.second = torch.zeros_like(self.vectors), torch.zeros_like(self.vectors)
        self.steps = torch.zeros(len(vectors))
        self.weights = torch.from_numpy((RARE / (RARE + shares)).astype(np.float32))
        self.sentences, self.others = sentences, others

    def step(self, size: int, rate: float) -> tuple[float, float]:
        """Take one step; return both losses."""
        (left, lefts), (right, rights), used = self._sides(self.pairs.draw(size))
        rows = self.vectors[used].requires_grad_()
        ranking = self._ranking(rows, (left, lefts), (right, rights))[0]
        aligning = self._aligning(rows, self.weights[used], (left, lefts), (right, rights))
        (ranking + aligning).backward()
        assert rows.grad is not None
        self._adam(used, rows.grad, rate)
        return float(ranking.detach()), float(aligning.detach())

    def right(self) -> float:
        """Return the share of held-out sentences whose translation is the nearest, the mean over language pairs."""
        found = []
        with torch.no_grad():
            for rows in self.pairs.held_out.values():
                if len(rows):
                    left, right, used = self._sides(rows)
                    scores = self._ranking(self.vectors[used], left, right)[1]
                    found.append(float((scores.argmax(1) == torch.arange(len(scores))).float().mean()))
        return float(np.mean(found)) if found else 0.0

    def _sides(self, rows: np.ndarray) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor], Tensor]:
        (left, lefts), (right, rights) = (self.pairs.side(rows, which) for which in (0, 1))
        used, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        at = torch.from_numpy(places)
        sides = (at[: len(left)], torch.from_numpy(lefts)), (at[len(left) :], torch.from_numpy(rights))
        return *sides, torch.from_numpy(used)

    def _ranking(
        self, rows: Tensor, left: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, Tensor]:
        def sums(side: tuple[Tensor, Tensor]) -> Tensor:
            starts = torch.cumsum(side[1], 0) - side[1]
            return functional.normalize(functional.embedding_bag(side[0], rows, starts, mode="sum"), dim=1)

        one, other = sums(left), sums(right)
        scores = SENTENCES * one @ other.T
        with torch.no_grad():  # equal sentences are no wrong translations
            same = ((one @ one.T) > 0.999) | ((other @ other.T) > 0.999)
            same.fill_diagonal_(False)
        scores = scores.masked_fill(same, -1e4)
        right_ones = torch.arange(len(scores))
        loss = functional.cross_entropy(scores, right_ones) + functional.cross_entropy(scores.T, right_ones)
        return loss / 2, scores

    def _aligning(
        self, rows: Tensor, weights: Tensor, left: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor]
    ) -> Tensor:
        sides = []
        for pieces, lengths in (left, right):
            chosen = lengths[: self.sentences]
            starts, places = torch.cumsum(chosen, 0) - chosen, torch.arange(int(chosen.max()))
            inside = places < chosen[:, None]
            padded = pieces[(starts[:, None] + places).clamp(max=len(pieces) - 1)]
            sides.append((functional.normalize(rows[padded], dim=2), inside, padded, pieces))
        near = PIECES * sides[0][0] @ sides[1][0].transpose(1, 2)
        near = near.masked_fill(~(sides[0][1][:, :, None] & sides[1][1][:, None]), -1e4)
        total = torch.zeros(())
        for found, (vectors, inside, padded, _), (_, theirs, _, pieces) in (
            (near, sides[0], sides[1]),
            (near.transpose(1, 2), sides[1], sides[0]),
        ):
            right_ones = torch.logsumexp(found, 2) - torch.log(theirs.sum(1).float())[:, None]
            drawn = pieces[torch.from_numpy(self.pairs.random.integers(0, len(pieces), self.others))]
            wrong = torch.logsumexp(PIECES * vectors[inside] @ functional.normalize(rows[drawn], dim=1).T, 1)
            wrong = wrong - math.log(self.others) + math.log(10)  # as a choice among eleven
            weight = weights[padded][inside]
            total = total + (weight * functional.softplus(wrong - right_ones[inside])).sum() / weight.sum() / 2
        return total

    def _adam(self, used: Tensor, gradient: Tensor, rate: float) -> None:
        with torch.no_grad():
            self.steps[used] += 1
            steps = self.steps[used][:, None]
            first = self.first[used].mul_(0.9).add_(gradient, alpha=0.1)
            second = self.second[used].mul_(0.99).addcmul_(gradient, gradient, value=0.01)
            self.first[used], self.second[used] = first, second
            move = (first / (1 - 0.9**steps)) / ((second / (1 - 0.99**steps)).sqrt() + 1e-8)
            self.vectors[used] -= rate * move


def begin(pieces: np.ndarray, size: int, width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random vectors, those of frequent pieces short, and each piece's share of all pieces."""
    shares = np.bincount(pieces, minlength=size) / max(len(pieces), 1)
    vectors = np.random.default_rng(seed).standard_normal((size, width)) / math.sqrt(width)
    return (vectors * np.maximum(1e-4 / (1e-4 + shares), 0.05)[:, None]).astype(np.float32), shares


def train(
    work: Path,
    *,
    minutes: float = 28,
    steps: int = 0,
    width: int = 256,
    batch: int = 1024,
    rate: float = 0.01,
    seed: int = 0,
) -> Static:
    """Train for some minutes, or steps; the rate falls to 0."""
    pairs = Pairs(work / "pairs.npz", seed)
    size = len((work / "vocabulary.tsv").read_text("utf-8").splitlines())
    vectors, shares = begin(pairs.pieces, size, width, seed)
    path = work / "static.npz"
    if path.exists():
        with np.load(path) as stored:
            vectors, rate = stored["pieces"].astype(np.float32), rate * 0.6
    model, began, saved, done = Static(pairs, vectors, shares), time.monotonic(), time.monotonic(), 0
    while (part := done / steps if steps else (time.monotonic() - began) / (60 * minutes)) < 1:
        losses = model.step(batch, rate * min(1, (done + 1) / 50) * (1 - part))
        done += 1
        if time.monotonic() - saved > SAVED:
            np.savez(path, pieces=model.vectors.numpy().astype(np.float16))
            saved = time.monotonic()
            print(f"step {done}: losses {losses[0]:.3f} {losses[1]:.3f}, right {model.right():.3f}", flush=True)
    np.savez(path, pieces=model.vectors.numpy().astype(np.float16))
    print(f"{done} steps, right {model.right():.4f}", flush=True)
    return model


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--minutes", type=float, default=28)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    train(given.work, minutes=given.minutes, seed=given.seed)


if __name__ == "__main__":
    main()
