"""Train layers of a transformer above the vectors of pieces, on a GPU, in several short runs.

    python -m training.encoder.transformer WORK --weights WEIGHTS --minutes 12 --of 25

WORK is what `prepare --teacher` filled, with `static.npz` (or an exported model's vectors) as the first vectors;
WEIGHTS/minilm.npz has MiniLM's weights (`training.network.pack`), with which the layers begin and which is the teacher.
Three losses on the same pairs: the ranking of translations, the distance of both sides to the teacher's vector of the
English side, and masked pieces of the two sentences joined. The rate falls over --of minutes, all runs together.
WORK/transformer.npz.0, .1, ... hold the weights in eight bits, below 20 MB each, and the minutes done: a later run, on
another machine too, goes on from them. `export` turns them into the model file.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.network import SHAPES, Encoder, Layer, Shape, load_encoder, pack, read_weights, unpack

from .batches import Pairs

TEMPERATURE, TEACHER, MASKED = 0.05, 3.0, 0.25
PART = 20_000_000  # bytes of a part


class Multilingual(nn.Module):
    """Vectors of pieces, projected to the width of the layers, and the layers."""

    def __init__(self, pieces: int, narrow: int, shape: Shape, layers: int) -> None:
        super().__init__()
        self.pieces = nn.Embedding(pieces, narrow)
        self.projection = nn.Linear(narrow, shape.width, bias=False)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.first = nn.LayerNorm(shape.width, 1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(layers))
        self.unmask = nn.Linear(shape.width, narrow)  # for the third loss alone
        for layer in self.layers:
            layer.gelu = "tanh"  # what NumPy computes

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.first(self.projection(self.pieces(ids)) + self.positions(places))
        bias = (
            torch.zeros(mask.shape, device=x.device)
            .masked_fill(~mask, -1e4)[:, None, None, :]
            .to(torch.bfloat16 if torch.is_autocast_enabled() else x.dtype)
        )
        for layer in self.layers:
            x = layer(x, bias)
        return x

    def mean(self, ids: Tensor, mask: Tensor) -> Tensor:
        return _mean(self(ids, mask), mask)


def _mean(rows: Tensor, mask: Tensor) -> Tensor:
    weights = mask.to(rows.dtype)[:, :, None]
    return functional.normalize(((rows * weights).sum(1) / weights.sum(1)).float(), dim=1)


class Run:
    """A model, what it learns from, and its losses."""

    def __init__(self, work: Path, weights: Path | None, *, shape: Shape, layers: int, seed: int) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.work, self.pairs = work, Pairs(work / "pairs.npz", seed)
        torch.manual_seed(seed)
        self.heads = shape.heads
        with np.load(work / "static.npz") as stored:
            vectors = stored["pieces"].astype(np.float32)
        self.model, self.minutes = Multilingual(*vectors.shape, shape, layers), 0.0
        self.teacher = self._teacher(weights / "minilm.npz", shape) if weights else None
        with torch.no_grad():
            self.model.pieces.weight.copy_(torch.from_numpy(vectors))
        self._restore()
        self.model.to(self.device)

    def _teacher(self, path: Path, shape: Shape) -> tuple[Encoder, np.ndarray, np.ndarray]:
        """Return the teacher and its tokens; the model's layers begin as its first ones."""
        stored, opened = read_weights(path), Encoder(shape)
        load_encoder(opened, stored)
        for own, other in zip(self.model.layers, opened.layers, strict=False):
            own.load_state_dict(other.state_dict())
        with torch.no_grad():
            self.model.positions.weight.copy_(opened.positions.weight)
            if opened.types is not None:
                self.model.positions.weight += opened.types.weight[0]
        with np.load(self.work / "teacher.npz") as archive:
            return opened.eval().to(self.device), archive["tokens"], archive["starts"]

    def loss(self, size: int) -> Tensor:
        """Return the sum of the losses for one batch."""
        rows = self.pairs.draw(size, sort_from=16)
        sides = [self._padded(*self.pairs.side(rows, which)) for which in (0, 1)]
        one, other = (self.model.mean(*side) for side in sides)
        scores = one @ other.T / TEMPERATURE
        same = ((one @ one.T) > 0.9999) | ((other @ other.T) > 0.9999)
        scores = scores.masked_fill(same & ~torch.eye(len(rows), dtype=torch.bool, device=self.device), -1e4)
        right = torch.arange(len(rows), device=self.device)
        total = (functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)) / 2
        if self.teacher is not None:
            known, wanted = self._taught(rows)
            if known.any():
                total = (
                    total + TEACHER * sum((side[known] - wanted).square().sum(1).mean() for side in (one, other)) / 2
                )
        return total + self._unmasking(sides)

    def _padded(self, pieces: np.ndarray, lengths: np.ndarray) -> tuple[Tensor, Tensor]:
        mask = np.arange(lengths.max()) < lengths[:, None]
        ids = np.zeros(mask.shape, np.int64)
        ids[mask] = pieces
        return torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)

    def _taught(self, rows: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return which pairs have an English side, and the teacher's vectors of these."""
        assert self.teacher is not None
        teacher, tokens, starts = self.teacher
        lengths = (starts[rows + 1] - starts[rows]).clip(max=96)
        known = lengths > 0
        if not known.any():
            return torch.from_numpy(known), torch.empty(0)
        texts = [
            tokens[starts[row] : starts[row] + length] for row, length in zip(rows[known], lengths[known], strict=True)
        ]
        ids, mask = self._padded(np.concatenate(texts), lengths[known])
        with torch.no_grad():
            wanted = _mean(teacher(ids, mask, torch.zeros_like(ids)), mask)
        return torch.from_numpy(known).to(self.device), wanted

    def _unmasking(self, sides: list[tuple[Tensor, Tensor]]) -> Tensor:
        """Return the loss of masked pieces, with both sentences in one text."""
        ids, mask = (torch.cat([one, other], 1) for one, other in zip(*sides, strict=True))
        hidden = mask & (torch.rand(ids.shape, device=self.device) < MASKED)
        if ids.shape[1] > self.model.positions.num_embeddings or not hidden.any():
            return torch.zeros((), device=self.device)
        vectors = self.model.unmask(self.model(ids.masked_fill(hidden, 0), mask)[hidden])
        scores = vectors @ self.model.pieces.weight.T
        return functional.cross_entropy(scores.float(), ids[hidden])

    def right(self) -> float:
        """Return the share of held-out sentences whose translation is the nearest, the mean over language pairs."""
        found = []
        self.model.eval()
        with torch.no_grad(), self._precision():
            for rows in self.pairs.held_out.values():
                if len(rows):
                    one, other = (self.model.mean(*self._padded(*self.pairs.side(rows, which))) for which in (0, 1))
                    nearest = (one @ other.T).argmax(1).cpu()
                    found.append(float((nearest == torch.arange(len(rows))).float().mean()))
        self.model.train()
        return float(np.mean(found)) if found else 0.0

    def train(self, *, minutes: float, of: float, size: int = 512, rate: float = 6e-4, steps: int = 0) -> None:
        """Train for some minutes (or steps) of all; write the parts at the end."""
        optimiser = torch.optim.AdamW(self.model.parameters(), lr=rate, weight_decay=0.01)
        began, before, done = time.monotonic(), self.minutes, 0
        while (done < steps) if steps else (time.monotonic() - began < 60 * minutes):
            self.minutes = before + (minutes * done / steps if steps else (time.monotonic() - began) / 60)
            for group in optimiser.param_groups:  # short warm-up in each run, because Adam's means begin again
                group["lr"] = rate * min(1.0, (done + 1) / 200) * max(0.0, 1 - self.minutes / of)
            optimiser.zero_grad(set_to_none=True)
            with self._precision():
                loss = self.loss(size)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimiser.step()
            done += 1
            if done % 1000 == 0:
                print(
                    f"step {done}, {self.minutes:.1f} minutes: loss {float(loss):.3f}, right {self.right():.3f}",
                    flush=True,
                )
        self.minutes = before + minutes
        self.save()
        print(f"{done} steps, {self.minutes:.1f} minutes in all: right {self.right():.4f}", flush=True)

    def _precision(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def save(self) -> None:
        """Write the weights in parts."""
        for path in self.work.glob("transformer.npz.*"):
            path.unlink()
        packed = pack({name: values.detach().cpu().numpy() for name, values in self.model.state_dict().items()})
        parts: list[dict[str, np.ndarray]] = [{"minutes": np.array(self.minutes), "heads": np.array(self.heads)}]
        for name, values in packed.items():
            if sum(each.nbytes for each in parts[-1].values()) + values.nbytes > PART and len(parts[-1]) > 1:
                parts.append({})
            parts[-1][name] = values
        for number, part in enumerate(parts):
            np.savez(self.work / f"transformer.npz.{number}", **part)
            (self.work / f"transformer.npz.{number}.npz").rename(self.work / f"transformer.npz.{number}")

    def _restore(self) -> None:
        """Go on from what an earlier run wrote."""
        stored = read_parts(self.work)
        if stored:
            self.minutes = float(stored.pop("minutes"))
            stored.pop("heads")
            self.model.load_state_dict({name: torch.from_numpy(np.asarray(values)) for name, values in stored.items()})


def read_parts(work: Path) -> dict[str, np.ndarray]:
    """Return the weights of an earlier run by name, and its minutes; nothing if there was none."""
    packed: dict[str, np.ndarray] = {}
    for path in sorted(work.glob("transformer.npz.*")):
        with np.load(path) as archive:
            packed |= {name: archive[name] for name in archive.files}
    return unpack(packed)


def arrays_of(work: Path, layers: int | None = None) -> dict[str, np.ndarray]:
    """Return what `export` writes, by the names of the package: of the first `layers` layers, or of all."""
    stored = read_parts(work)
    found = {"pieces": stored["pieces.weight"], "projection": stored["projection.weight"], "heads": stored["heads"]}
    found["positions"] = stored["positions.weight"]
    found["first"] = np.stack([stored["first.weight"], stored["first.bias"]])
    count = 1 + max(int(name.split(".")[1]) for name in stored if name.startswith("layers."))
    for layer in range(count if layers is None else layers):
        own, theirs = f"layer{layer}", f"layers.{layer}"
        for what in ("weight", "bias"):
            end = "" if what == "weight" else ".bias"
            parts = [stored[f"{theirs}.{name}.{what}"] for name in ("query", "key", "value")]
            found[f"{own}.attention{end}"] = np.concatenate(parts)
            for name, other in (("mixed", "out"), ("inner", "wide"), ("outer", "narrow")):
                found[f"{own}.{name}{end}"] = stored[f"{theirs}.{other}.{what}"]
        for name, other in (("norm1", "after_attention"), ("norm2", "after_dense")):
            found[f"{own}.{name}"] = np.stack([stored[f"{theirs}.{other}.{what}"] for what in ("weight", "bias")])
    return found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--weights", type=Path, help="a folder with minilm.npz; without it nothing is taught")
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--of", type=float, default=25)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--shape", choices=SHAPES, default="minilm")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    run = Run(given.work, given.weights, shape=SHAPES[given.shape], layers=given.layers, seed=given.seed)
    run.train(minutes=given.minutes, of=given.of)


if __name__ == "__main__":
    main()
