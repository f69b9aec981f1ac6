"""Train the network in many languages, on a GPU, from the layers of the encoder.

    python -m training.multilingual.train WORK JUDGEMENTS.npz LABELS.npz NAME --stages labels:200,judgements:140
    python -m training.multilingual.train … twin1 --stages labels:200,judgements:140 --leave-out wmt16,wmt17.,en-de
    python -m training.multilingual.train … ship1 --stages judgements:150 --begin NAME.labels --ensemble ENSEMBLE.npz

WORK has the encoder's parts (`training.encoder.transformer`) and pairs. The stage labels learns Rima's scores of
English outputs from source, reference or both, rankings of WMT12 and WMT14, which system of WMT18 people preferred, and
damaged translations; it writes WORK/NAME.labels.pt. The stage judgements adds people's judgements of segments.
WORK/NAME.pt is the result. ENSEMBLE.npz has scores of several networks for outputs that are not English
(`training.multilingual.ensemble`). Vectors of pieces stay those of the encoder, so that the package has them once.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training.encoder.batches import Pairs
from training.encoder.network import Optimiser, Shelf, open_encoder
from training.network import SHAPES, Shape

from .network import INPUTS, Rater, join

KINDS = {"reference": 0.35, "source": 0.45, "both": 0.2}  # how often rows with all texts are read in each way
POWER = 0.5  # a set of judgements is drawn by its size to this power
RATES = {"labels": 2e-4, "judgements": 7e-5, "distilled": 7e-5}
STAGES = {  # what is learnt from: the number of rows in a batch, and the weight of the loss
    "labels": {
        "labels": (224, 1.0), "ensemble": (96, 0.7), "rankings": (96, 1.0), "systems": (64, 0.5), "damage": (96, 0.5),
    },
    "judgements": {
        "labels": (64, 0.5), "ensemble": (96, 0.7), "rankings": (64, 0.7), "systems": (32, 0.3), "damage": (48, 0.3),
        "judgements": (144, 2.0),
    },
    "distilled": {"labels": (64, 0.5), "ensemble": (128, 1.0), "damage": (24, 0.3), "judgements": (96, 1.5)},
}  # fmt: skip
WEIGHTS = {"critical": 0.3, "wmt21": 0.6}  # of sets whose judgements are single ratings or of another kind


class Training:
    """A network, what it learns from, and its losses."""

    def __init__(self, work: Path, judgements: Path, labels: Path | None, *, shape: Shape, left_out: tuple[str, ...],
                 seed: int, ensemble: Path | None = None, half: bool = False) -> None:  # fmt: skip
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.precision = torch.bfloat16 if half or self.device.type == "cuda" else torch.float32
        torch.manual_seed(seed)
        self.random, self.work = np.random.default_rng(seed), work
        self.rater = Rater(open_encoder(work, shape), shape.width)
        with np.load(judgements) as stored:
            arrays = {name: stored[name] for name in stored.files}
        self.lengths = arrays["lengths"].astype(np.int64)
        self.shelf = Shelf(arrays.pop("pieces"), arrays.pop("lengths"), self.device)
        self.pairs = Pairs(work / "pairs.npz", seed)
        self.translations = Shelf(self.pairs.pieces, self.pairs.lengths, self.device)

        def sets(kind: str) -> dict[str, np.ndarray]:
            return {
                name.split("/")[1]: rows
                for name, rows in arrays.items()
                if name.startswith(f"{kind}/") and name.count("/") == 1 and not any(part in name for part in left_out)
            }

        self.ranked, self.assessed, self.systems = sets("rank"), sets("da"), sets("system")
        self.scores = {name: arrays[f"da/{name}/score"] for name in self.assessed}
        self.system_scores = {name: arrays[f"system/{name}/score"] for name in self.systems}
        self.pool = self._labelled(labels, {f"pool/{name}": rows for name, rows in sets("pool").items()})
        more = {f"{kind}/{name}": outputs_of(rows) for kind in ("rank", "system") for name, rows in sets(kind).items()}
        self.more = self._labelled(ensemble, more)
        print(
            f"{len(self.pool[0])} and {len(self.more[0])} labels; judgements:",
            ", ".join(f"{name} {len(rows)}" for name, rows in self.assessed.items()),
            flush=True,
        )

    def _labelled(self, path: Path | None, sets: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of sets that a file has labels for, and the labels, standardised."""
        rows, labels = [np.zeros((0, 3), np.int32)], [np.zeros(0, np.float32)]
        if path is not None:
            with np.load(path) as stored:
                for name in sorted(sets.keys() & set(stored.files)):
                    known = np.isfinite(stored[name])
                    rows.append(sets[name][known])
                    labels.append(stored[name][known])
        values = np.concatenate(labels)
        return np.concatenate(rows), (values - values.mean()) / values.std() if len(values) else values

    def ready(self) -> None:
        self.rater.to(self.device, self.precision).train()
        self.rater.encoder.pieces.weight.requires_grad_(False)

    def _choose(self, sets: dict[str, np.ndarray]) -> str:
        names = list(sets)
        sizes = np.array([len(sets[name]) ** POWER for name in names])
        return names[self.random.choice(len(names), p=sizes / sizes.sum())]

    def _inputs(self) -> str:
        return str(self.random.choice(list(KINDS), p=list(KINDS.values())))

    def _score(self, rows: np.ndarray, inputs: str) -> Tensor:
        numbers = torch.from_numpy(rows.astype(np.int64)).to(self.device)
        found: Tensor = self.rater(join(self.shelf, numbers, inputs), inputs)
        return found

    def _even(self, rows: np.ndarray, size: int) -> np.ndarray:
        """Return places of rows of about one length."""
        drawn = self.random.integers(0, len(rows), size * 8)
        drawn = drawn[np.argsort(self.lengths[rows[drawn, 2]], kind="stable")]
        first = int(self.random.integers(0, len(drawn) - size + 1))
        return drawn[first : first + size]

    def from_labels(self, size: int) -> Tensor:
        """Rima's scores."""
        return self._towards(*self.pool, size)

    def from_ensemble(self, size: int) -> Tensor:
        """Scores of several networks."""
        return self._towards(*self.more, size)

    def _towards(self, rows: np.ndarray, labels: np.ndarray, size: int) -> Tensor:
        chosen = self._even(rows, size)
        wanted = torch.from_numpy(labels[chosen].astype(np.float32)).to(self.device)
        return functional.mse_loss(self._score(rows[chosen], self._inputs()), wanted)

    def from_rankings(self, size: int) -> Tensor:
        """Which of two outputs people preferred."""
        rows = self.ranked[self._choose(self.ranked)]
        rows, inputs = rows[self._even(rows, size)], self._inputs()
        both = self._score(np.concatenate([rows[:, :3], rows[:, [0, 1, 3]]]), inputs)
        return functional.softplus(both[len(rows) :] - both[: len(rows)]).mean()

    def from_systems(self, size: int) -> Tensor:
        """Which of two systems people preferred, by outputs of the same segment."""
        name = self._choose(self.systems)
        rows, scores = self.systems[name], self.system_scores[name]
        starts = np.flatnonzero(np.r_[True, (rows[1:, :2] != rows[:-1, :2]).any(1)])
        ends = np.r_[starts[1:], len(rows)]
        chosen = self.random.integers(0, len(starts), size)
        one = (starts + self.random.integers(0, 1 << 30, len(starts)) % (ends - starts))[chosen]
        other = (starts + self.random.integers(0, 1 << 30, len(starts)) % (ends - starts))[chosen]
        gap = torch.from_numpy(scores[one] - scores[other]).to(self.device)
        both = self._score(np.concatenate([rows[one], rows[other]]), self._inputs())
        found = both[: len(one)] - both[len(one) :]
        return functional.binary_cross_entropy_with_logits(found, torch.sigmoid(1.5 * gap))

    def from_damage(self, size: int) -> Tensor:
        """Translations and paraphrases beside damaged ones; texts beside copies of themselves."""
        rows = self.pairs.draw(size)
        key = int(self.pairs.keys[rows[0]])
        inputs = "reference" if key // 100 == key % 100 else "source"
        turned = int(self.random.integers(2))
        numbers = torch.from_numpy(rows).to(self.device)
        output, other = 2 * numbers + turned, 2 * numbers + 1 - turned
        kinds = INPUTS[inputs]
        good = self.translations.join([output, other], kinds)
        how = int(self.random.integers(4))
        if how == 0:  # another sentence
            bad = self.translations.join([output.roll(1), other], kinds)
        elif how == 1 and inputs == "source":  # not translated
            bad = self.translations.join([other, other], kinds)
        else:
            bad = self.translations.join([output, other], kinds)
            own = bad.mask & (bad.kinds == 0)
            rate = 0.15 + 0.35 * torch.rand(len(rows), 1, device=self.device)
            touched = own & (torch.rand(bad.ids.shape, device=self.device) < rate)
            touched[:, 0] |= ~touched.any(1)
            if how == 2:  # pieces of other sentences
                mixed = bad.ids.flatten()[torch.randint(bad.ids.numel(), bad.ids.shape, device=self.device)]
                bad.ids = torch.where(touched & (mixed > 0), mixed, bad.ids)
            else:  # pieces lost: they are hidden from attention and from the means
                touched[:, 0] &= own.sum(1) > 1
                bad.mask = bad.mask & ~(touched & (own.sum(1, keepdim=True) > 1))
        return functional.softplus(0.5 + self.rater(bad, inputs) - self.rater(good, inputs)).mean()

    def from_judgements(self, size: int) -> Tensor:
        """People's scores, and which of two outputs of a set has the higher one."""
        name = self._choose(self.assessed)
        rows, scores = self.assessed[name], self.scores[name]
        chosen = self._even(rows, min(size, max(1, len(rows) // 8)))
        inputs = self._inputs() if (rows[chosen, 1] > 0).all() else "source"
        wanted = torch.from_numpy(scores[chosen].astype(np.float32)).to(self.device)
        found = self._score(rows[chosen], inputs)
        near = functional.smooth_l1_loss(found, wanted)
        above = (wanted[:, None] - wanted[None]) > 0.3
        gaps = (found[:, None] - found[None])[above]
        loss = 0.5 * near + (0.3 * functional.softplus(-2 * gaps).mean() if len(gaps) else 0.0)
        return loss * next((weight for part, weight in WEIGHTS.items() if part in name), 1.0)

    def run(self, stage: str, *, seconds: float, rate: float, steps: int = 0, scale: float = 1.0) -> None:
        """Train for some seconds, or steps. scale: how large batches are."""
        self.ready()
        empty = {name for name, (rows, _) in (("labels", self.pool), ("ensemble", self.more)) if not len(rows)}
        parts = {getattr(self, f"from_{name}"): each for name, each in STAGES[stage].items() if name not in empty}
        heads = {id(each): 2.0 for module in (self.rater.hidden, self.rater.last) for each in module.parameters()}
        optimiser = Optimiser(list(self.rater.parameters()), rate, rates=heads)
        began = told = time.monotonic()
        done = 0
        while (part := done / steps if steps else (time.monotonic() - began) / seconds) < 1:
            losses = {}
            for make, (size, weight) in parts.items():
                loss = make(max(2, int(size * scale))) * weight
                loss.backward()
                losses[make.__name__] = loss.detach()
            optimiser.step(rate * min(1.0, (done + 1) / 100) * (1 - part))
            done += 1
            if time.monotonic() - told > 15:
                told = time.monotonic()
                each = " ".join(f"{name} {float(value):.3f}" for name, value in losses.items())
                print(f"step {done}, {told - began:.0f} s: {each}", flush=True)
        print(f"{done} steps", flush=True)

    def predict(self, rows: np.ndarray, inputs: str, size: int = 512) -> np.ndarray:
        """Return the numbers of rows."""
        self.rater.to(self.device, self.precision).eval()
        found = np.zeros(len(rows), np.float32)
        order = np.argsort(self.lengths[rows[:, 2]], kind="stable")
        with torch.no_grad():
            for first in range(0, len(order), size):
                batch = order[first : first + size]
                found[batch] = self._score(rows[batch], inputs).cpu().numpy()
        return found

    def predict_sets(self, archives: list[Path | None], parts: list[str]) -> dict[str, np.ndarray]:
        """Return the numbers of the sets in archives that have one of some parts in their names, for each input."""
        found = {}
        for path in filter(None, archives):
            with np.load(path) as stored:
                arrays = {name: stored[name] for name in stored.files}
            self.lengths = arrays["lengths"].astype(np.int64)
            self.shelf = Shelf(arrays.pop("pieces"), arrays.pop("lengths"), self.device)
            for name, rows in arrays.items():
                chosen = name.startswith(("da/", "test/", "system/", "rank/")) and name.count("/") == 1
                if not chosen or not any(part in name for part in parts):
                    continue
                for inputs in INPUTS:
                    if inputs == "source" or (rows[:, 1] > 0).any():
                        found[f"{name}/{inputs}"] = self.predict(outputs_of(rows), inputs)
        return found


def outputs_of(rows: np.ndarray) -> np.ndarray:
    """Return source, reference, output: of rankings all better outputs, then all worse ones."""
    return rows if rows.shape[1] == 3 else np.concatenate([rows[:, :3], rows[:, [0, 1, 3]]])


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("judgements", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("name")
    parser.add_argument("--stages", default="", help="stages and their seconds, as labels:200,judgements:140")
    parser.add_argument("--begin", help="the weights to go on from: WORK/BEGIN.pt")
    parser.add_argument("--ensemble", type=Path, help="what training.multilingual.ensemble wrote")
    parser.add_argument("--leave-out", default="", help="parts of names of sets, with commas")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--shape", choices=SHAPES, default="minilm")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--half", action="store_true", help="half precision on a CPU too")
    parser.add_argument("--held-out", type=Path, help="what training.multilingual.held_out wrote")
    parser.add_argument("--predict", default="", help="parts of names of sets to predict at the end, with commas")
    given = parser.parse_args()
    left_out = tuple(part for part in given.leave_out.split(",") if part)
    training = Training(
        given.work, given.judgements, given.labels if given.labels.exists() else None, shape=SHAPES[given.shape],
        left_out=left_out, seed=given.seed, ensemble=given.ensemble, half=given.half,
    )  # fmt: skip
    if given.begin:
        weights = torch.load(given.work / f"{given.begin}.pt", map_location="cpu", weights_only=True)
        training.rater.load_state_dict({name: values.float() for name, values in weights.items()})
    for each in filter(None, given.stages.split(",")):
        stage, _, seconds = each.partition(":")
        training.run(stage, seconds=float(seconds), rate=RATES[stage], steps=given.steps, scale=given.scale)
        state = {name: values.detach().cpu() for name, values in training.rater.state_dict().items()}
        torch.save(state, given.work / f"{given.name}{'.labels' if stage == 'labels' else ''}.pt")
    if given.predict:
        found = training.predict_sets([given.judgements, given.held_out], given.predict.split(","))
        np.savez(given.work / f"{given.name}.predictions.part.npz", **found)
        (given.work / f"{given.name}.predictions.part.npz").rename(given.work / f"{given.name}.predictions.npz")


if __name__ == "__main__":
    main()
