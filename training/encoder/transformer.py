"""Train layers of a transformer above the vectors of pieces, on a GPU.

    python -m training.encoder.transformer WORK --weights WEIGHTS --minutes 13

WORK is what `prepare` filled, with `static.npz` as the first vectors (`begin` adds a projection); WEIGHTS/minilm.npz
has MiniLM's weights (`training.network.pack`), with which layers begin. WORK/taught.npy, if it is there or comes while
training runs, has MiniLM's vectors of the English sides (`teacher`). The losses, all on the same pairs:

- the ranking of translations in a batch, both ways;
- the distance of both sides to the teacher's vector of the English side;
- masked pieces of one side, with the other side in view;
- which pieces are not those of the sentence, after the network's own guesses were put at the masks and some pieces were
  left out, and what share of the sentence is right; for some pairs the nearest wrong sentence is put there instead.

The rate falls over the minutes; with --resume training goes on from an earlier run. WORK/transformer.npz.0,
.1, … hold the weights in eight bits, below 16 MB each.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.network import SHAPES, Shape, read_weights

from .batches import Pairs
from .network import OUTPUT, REFERENCE, SOURCE, Joined, Multilingual, Optimiser, Shelf, mean, open_encoder
from .parts import write_parts

TEMPERATURE, TEACHER, REPLACED, SHARE = 0.05, 3.0, 4.0, 1.0
WRONG = 0.1  # of the pairs get another sentence


class Heads(nn.Module):
    """What is needed for the losses alone."""

    def __init__(self, narrow: int, width: int) -> None:
        super().__init__()
        self.unmask = nn.Linear(width, narrow)
        self.mask = nn.Parameter(torch.zeros(narrow))
        self.replaced = nn.Linear(width, 1)
        self.share = nn.Linear(2 * width, 1)


class Run:
    """A model, what it learns from, and its losses."""

    def __init__(self, work: Path, weights: Path | None, *, shape: Shape, layers: int, seed: int,
                 resumed: bool = False) -> None:  # fmt: skip
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.precision = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.work, self.pairs = work, Pairs(work / "pairs.npz", seed)
        torch.manual_seed(seed)
        self.heads_number = shape.heads
        self.model = open_encoder(work, shape) if resumed else self._begin(weights, shape, layers)
        self.heads = Heads(self.model.pieces.embedding_dim, shape.width)
        self.model.to(self.device, self.precision).eval()  # no dropout: no pair is read often
        self.heads.to(self.device, self.precision)
        self.shelf = Shelf(self.pairs.pieces, self.pairs.lengths, self.device)
        self.side_kinds = {
            key: SOURCE if key // 100 != key % 100 else REFERENCE for key in self.pairs.groups
        }  # of the other text beside an output
        self.taught: np.ndarray | None = None

    def _begin(self, weights: Path | None, shape: Shape, layers: int) -> Multilingual:
        """Return a network with the vectors of pieces of WORK and, if weights are given, MiniLM's layers."""
        with np.load(self.work / "static.npz") as stored:
            begun = {name: stored[name].astype(np.float32) for name in stored.files}
        model = Multilingual(*begun["pieces"].shape, shape, layers)
        with torch.no_grad():
            model.pieces.weight.copy_(torch.from_numpy(begun["pieces"]))
            if "projection" in begun:  # `begin`
                model.projection.weight.copy_(torch.from_numpy(begun["projection"]))
        if weights is not None:
            self._begin_as(model, read_weights(weights / "minilm.npz"))
        return model

    def _begin_as(self, model: Multilingual, stored: dict[str, np.ndarray]) -> None:
        """Copy MiniLM's layers and positions."""
        own = model.state_dict()
        for place in range(len(model.layers)):
            for name, other in (
                ("query", "attention.self.query"), ("key", "attention.self.key"), ("value", "attention.self.value"),
                ("out", "attention.output.dense"), ("after_attention", "attention.output.LayerNorm"),
                ("wide", "intermediate.dense"), ("narrow", "output.dense"), ("after_dense", "output.LayerNorm"),
            ):  # fmt: skip
                for what in ("weight", "bias"):
                    values = stored[f"encoder.layer.{place}.{other}.{what}"]
                    own[f"layers.{place}.{name}.{what}"].copy_(torch.from_numpy(values.astype(np.float32)))
        positions = (
            stored["embeddings.position_embeddings.weight"] + stored["embeddings.token_type_embeddings.weight"][0]
        )
        own["positions.weight"].copy_(torch.from_numpy(positions.astype(np.float32)))

    def loss(self, pieces: int, *, guess: bool) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the sum of the losses for one batch, and each."""
        rows = self.pairs.draw_even(pieces)
        key = int(self.pairs.keys[rows[0]])
        numbers = torch.from_numpy(rows).to(self.device)
        texts = [2 * numbers, 2 * numbers + 1]
        losses: dict[str, Tensor] = {}
        sides = []
        for text in texts:
            alone = self.shelf.join([text], [OUTPUT])
            sides.append(functional.normalize(mean(self.model(alone), alone.mask), dim=1))
        scores = sides[0] @ sides[1].T / TEMPERATURE
        with torch.no_grad():
            same = ((sides[0] @ sides[0].T) > 0.999) | ((sides[1] @ sides[1].T) > 0.999)
        right = torch.arange(len(rows), device=self.device)
        same[right, right] = False
        scores = scores.masked_fill(same, -1e4)
        losses["ranking"] = (functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)) / 2
        taught = self._wanted(rows)
        if taught is not None:
            known, wanted = taught
            losses["teacher"] = TEACHER * sum((side[known] - wanted).square().sum(1).mean() for side in sides) / 2
        part = right[torch.randperm(len(right), device=self.device)[: max(2, len(right) // 3)]]
        wrong = scores.detach().clone()
        wrong[right, right] = -1e5
        turned = bool(self.pairs.random.integers(2))
        if turned:
            texts, wrong = texts[::-1], wrong.T
        nearest = numbers[wrong.argmax(1)[part]] * 2 + int(turned)
        output, other = texts[0][part], texts[1][part]
        losses |= self._guessing(output, other, nearest, self.side_kinds[key], guess=guess)
        return torch.stack(list(losses.values())).sum(), losses

    def _guessing(self, output: Tensor, other: Tensor, nearest: Tensor, kind: int, *, guess: bool) -> dict[str, Tensor]:
        """Return the losses of masked pieces and of pieces that are not those of the sentence."""
        joined = self.shelf.join([output, other], [OUTPUT, kind])
        own = joined.mask & (joined.kinds == OUTPUT)
        rates = torch.rand(len(output), 1, device=self.device) * 0.45
        hidden = own & (torch.rand(joined.ids.shape, device=self.device) < rates)
        hidden[:, 0] |= ~hidden.any(1)
        vectors = torch.where(hidden[:, :, None], self.heads.mask, self.model.pieces(joined.ids))
        found = self.heads.unmask(self.model(joined, vectors)[hidden])
        logits = found @ self.model.pieces.weight.T
        losses = {"unmask": functional.cross_entropy(logits.float(), joined.ids[hidden])}
        if not guess:
            return losses
        with torch.no_grad():
            noise = -torch.log(-torch.log(torch.rand_like(logits, dtype=torch.float32).clamp(1e-9, 1 - 1e-7)))
            guesses = (logits.float() + noise).argmax(1)
        ids = joined.ids.clone()
        ids[hidden] = guesses
        replaced = ids != joined.ids
        dropping = torch.rand(len(output), 1, device=self.device)
        dropped = own & (torch.rand(ids.shape, device=self.device) < (dropping - 0.7).clamp(min=0))
        dropped[:, 0] = False
        sizes = own.sum(1).float()
        share = 1 - ((replaced | dropped) & own).sum(1).float() / sizes.clamp(min=1)
        order = torch.argsort(dropped.int(), dim=1, stable=True)  # what stays moves to the left
        ids, replaced = ids.gather(1, order), replaced.gather(1, order)
        kinds, mask = joined.kinds.gather(1, order), (joined.mask & ~dropped).gather(1, order)
        kept = (own & ~dropped).sum(1, keepdim=True)
        places = torch.arange(ids.shape[1], device=self.device)[None]
        places = torch.where(places < kept, places, places - kept).clamp(0, self.model.positions.num_embeddings - 1)
        seen = self.model(Joined(ids, places, kinds, mask))
        outputs = mask & (kinds == OUTPUT)
        told = self.heads.replaced(seen)[outputs][:, 0].float()
        losses["replaced"] = REPLACED * functional.binary_cross_entropy_with_logits(told, replaced[outputs].float())
        # another sentence in place of the output
        few = max(1, int(len(output) * WRONG))
        swapped = self.shelf.join([nearest[:few], other[:few]], [OUTPUT, kind])
        wrong = self._share(self.model(swapped), swapped.mask, swapped.kinds)
        said = torch.cat([self._share(seen, mask, kinds), wrong])
        wanted = torch.cat([share, torch.zeros_like(wrong)])
        losses["share"] = SHARE * functional.binary_cross_entropy_with_logits(said, wanted)
        return losses

    def _share(self, seen: Tensor, mask: Tensor, kinds: Tensor) -> Tensor:
        own = mask & (kinds == OUTPUT)
        both = torch.cat([mean(seen, own), mean(seen, mask & ~own)], 1).to(self.precision)
        return self.heads.share(both)[:, 0].float()

    def _wanted(self, rows: np.ndarray) -> tuple[Tensor, Tensor] | None:
        """Return which pairs have an English side, and the teacher's vectors of these."""
        if self.taught is None:
            return None
        wanted = torch.from_numpy(np.asarray(self.taught[rows], np.float32)).to(self.device)
        known = wanted.abs().sum(1) > 0
        return (known, wanted[known]) if bool(known.any()) else None

    def right(self) -> float:
        """Return the share of held-out sentences whose translation is the nearest, the mean over language pairs."""
        found = []
        with torch.no_grad():
            for rows in self.pairs.held_out.values():
                if len(rows):
                    numbers = torch.from_numpy(rows).to(self.device)
                    sides = []
                    for which in (0, 1):
                        alone = self.shelf.join([2 * numbers + which], [OUTPUT])
                        sides.append(functional.normalize(mean(self.model(alone), alone.mask), dim=1))
                    nearest = (sides[0] @ sides[1].T).argmax(1).cpu()
                    found.append(float((nearest == torch.arange(len(rows))).float().mean()))
        return float(np.mean(found)) if found else 0.0

    def train(self, *, minutes: float, pieces: int = 32_000, rate: float = 6e-4, steps: int = 0) -> None:
        """Train for some minutes, or steps; write the parts at the end."""
        parameters = [*self.model.parameters(), *self.heads.parameters()]
        # the layers know English already, and the vectors translations; what joins them is new
        slower = {id(each): 0.5 for each in self.model.layers.parameters()}
        optimiser = Optimiser(parameters, rate, rates=slower)
        began, done, told = time.monotonic(), 0, time.monotonic()
        taught = self.work / "taught.npy"
        while (part := done / steps if steps else (time.monotonic() - began) / (60 * minutes)) < 1:
            if self.taught is None and done % 50 == 0 and taught.exists():
                self.taught = np.load(taught, mmap_mode="r")
                print(f"step {done}: the teacher's vectors are there", flush=True)
            loss, parts = self.loss(pieces, guess=part > 0.1)
            loss.backward()
            falling = min(1.0, (done + 1) / 300) * max(0.02, 1 - part)
            optimiser.step(rate * falling)
            done += 1
            if done in (20, 40, 80, 160):
                rate_now = done / (time.monotonic() - began)
                memory = torch.cuda.max_memory_reserved() / 1e9 if self.device.type == "cuda" else 0.0
                print(f"step {done}: {rate_now:.2f} steps a second, {memory:.0f} GB", flush=True)
            if time.monotonic() - told > 40:
                told = time.monotonic()
                each = " ".join(f"{name} {float(value.detach()):.3f}" for name, value in parts.items())
                print(f"step {done}, {(told - began) / 60:.1f} minutes: {each}; right {self.right():.3f}", flush=True)
        self.save()
        print(f"{done} steps: right {self.right():.4f}", flush=True)

    def save(self) -> None:
        """Write the weights in parts."""
        arrays = {name: values.detach().float().cpu().numpy() for name, values in self.model.state_dict().items()}
        write_parts(arrays, self.heads_number, self.work)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--weights", type=Path, help="a folder with minilm.npz")
    parser.add_argument("--minutes", type=float, default=13)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--pieces", type=int, default=32_000, help="of a side in a batch")
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--shape", choices=SHAPES, default="minilm")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on from the parts in WORK")
    given = parser.parse_args()
    run = Run(
        given.work, given.weights, shape=SHAPES[given.shape], layers=given.layers, seed=given.seed, resumed=given.resume
    )
    run.train(minutes=given.minutes, steps=given.steps, pieces=given.pieces, rate=given.rate)


if __name__ == "__main__":
    main()
