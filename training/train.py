"""Train Rima: a teacher on people's judgements, its scores for every output, and a small student of these.

    python -m training.train --data DATA.npz --weights FOLDER --work FOLDER [--leave-out wmt17] [--teachers 2]

The stage `alone` trains the network of quality estimation instead: a student that reads the output alone. Each stage
leaves a file in the work folder and is skipped when the file is there, so a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .batches import Archive
from .network import SHAPES, Scorer, load_encoder, read_weights


@dataclass(frozen=True)
class Settings:
    """What a run may change. Learning rates and batch sizes are those of the first trials."""

    teacher: str = "mpnet"
    student: str = "minilm"
    teacher_rate: float = 2e-5
    student_rate: float = 2e-4
    head_rate: float = 1e-4
    rankings: int = 128  # a step
    assessments: int = 64
    damaged: int = 48
    pool: int = 256
    da_weight: float = 1.0
    damage_weight: float = 0.3
    steps: int = 0  # of the teacher; 0: one pass over the rankings
    epochs: float = 1.0  # of the student
    alone_assessments: int = 16  # a step; few, because the same ones come again
    alone_da_weight: float = 0.5


def main() -> None:
    """Run the chain."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--weights", type=Path, required=True)
    arguments.add_argument("--work", type=Path, required=True)
    arguments.add_argument("--leave-out", default="", help="sets that are not trained on, by parts of their names")
    arguments.add_argument("--keep-held", action="store_true", help="also train on the DA kept for calibration")
    arguments.add_argument("--teachers", type=int, default=1)
    arguments.add_argument("--first-seed", type=int, default=1)
    arguments.add_argument("--stages", default="teacher,label,student,figures")
    arguments.add_argument(
        "--score", type=Path, help="an archive of `evaluation`: score it with all models of the work folder, and stop"
    )
    arguments.add_argument("--set", nargs="*", default=[], help="settings, such as steps=500")
    given = arguments.parse_args()
    settings = Settings(
        **{key: type(getattr(Settings, key))(value) for key, value in (one.split("=") for one in given.set)}
    )
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    given.work.mkdir(parents=True, exist_ok=True)
    left_out = tuple(name for name in given.leave_out.split(",") if name)
    archive = Archive(given.data, device)
    run = Run(archive, settings, given.weights, given.work, left_out, given.keep_held, device)
    if given.score:
        run.score(given.score)
        return
    seeds = range(given.first_seed, given.first_seed + given.teachers)
    if "teacher" in given.stages:
        for seed in seeds:
            run.teacher(seed)
    if "label" in given.stages:
        run.label(seeds)
    if "student" in given.stages:
        run.student()
    if "alone" in given.stages:
        run.alone()
    if "figures" in given.stages:
        run.figures(seeds)


@dataclass
class Run:
    """A chain with its data, settings and folder."""

    archive: Archive
    settings: Settings
    weights: Path
    work: Path
    left_out: tuple[str, ...]
    keep_held: bool
    device: torch.device

    def teacher(self, seed: int) -> None:
        """Train the teacher on rankings, DA and damaged texts."""
        path = self.work / f"teacher-{seed}.pt"
        if path.exists():
            return
        torch.manual_seed(seed)
        random = np.random.default_rng(seed)
        archive, settings = self.archive, self.settings
        model = self.fresh(settings.teacher)
        rankings = archive.joined("rank", self.left_out, 3)
        damaged = archive.joined("damaged", self.left_out, 3)
        assessed, z = self.assessments()
        steps = settings.steps or len(rankings) // settings.rankings
        ranking_batches = archive.batches(rankings, settings.rankings, random, endless=True)
        da_batches = archive.batches(assessed, settings.assessments, random, endless=True)
        damaged_batches = archive.batches(damaged, settings.damaged, random, endless=True)

        def loss(step: int) -> Tensor:
            total = self.preference(model, rankings[next(ranking_batches)])
            total = total + settings.damage_weight * self.preference(model, damaged[next(damaged_batches)])
            rows = next(da_batches)
            scores = self.scores(model, assessed[rows])
            return total + settings.da_weight * assessment_loss(scores, torch.from_numpy(z[rows]).to(self.device))

        optimise(model, loss, steps, settings.teacher_rate, settings.head_rate, f"teacher {seed}")
        torch.save({name: values.half() for name, values in model.state_dict().items()}, path)

    def label(self, seeds: range) -> None:
        """Score every pair of the pool and every damaged text with the teachers: mean of their standardised scores."""
        path = self.work / "labels.npy"
        if path.exists():
            return
        pairs = self.pool(())
        total = np.zeros(len(pairs))
        for seed in seeds:
            scores = self.score_all(self.restored(self.settings.teacher, f"teacher-{seed}.pt"), pairs, f"label {seed}")
            total += (scores - scores.mean()) / scores.std()
        np.save(path, (total / len(seeds)).astype(np.float32))

    def student(self) -> None:
        """Train the student to give the teachers' scores."""
        path = self.work / "student.pt"
        if path.exists():
            return
        model, step_loss, steps = self.student_of(self.pool(self.left_out))
        rate = self.settings.student_rate
        optimise(model, step_loss, steps, rate, 2 * rate, "student")
        torch.save({name: values.half() for name, values in model.state_dict().items()}, path)

    def alone(self) -> None:
        """Train a student that sees no reference, on the teachers' scores and on DA; score all DA with it."""
        name = "-".join(["alone", *self.left_out])
        path = self.work / f"{name}.pt"
        if path.exists():
            return
        settings = self.settings
        assessed, z = self.assessments()
        model, step_loss, steps = self.student_of(self.unread(self.pool(self.left_out)))
        assessed = self.unread(assessed)
        da_batches = self.archive.batches(assessed, settings.alone_assessments, np.random.default_rng(1), endless=True)

        def loss(step: int) -> Tensor:
            rows = next(da_batches)
            wanted = torch.from_numpy(z[rows]).to(self.device)
            return step_loss(step) + settings.alone_da_weight * assessment_loss(
                self.scores(model, assessed[rows]), wanted
            )

        optimise(model, loss, steps, settings.student_rate, 2 * settings.student_rate, name)
        torch.save({name: values.half() for name, values in model.state_dict().items()}, path)
        scores = {
            of: self.score_all(model, self.unread(self.archive.arrays[f"da/{of}"])) for of in self.archive.sets("da")
        }
        np.savez_compressed(path.with_suffix(".npz"), **scores)

    def student_of(self, pairs: np.ndarray) -> tuple[Scorer, Callable[[int], Tensor], int]:
        """Return a new student, its loss against the teachers' scores of these pairs, and the number of steps."""
        torch.manual_seed(0)
        settings = self.settings
        wanted = torch.from_numpy(self.labels()).to(self.device)
        model = self.fresh(settings.student)
        batches = self.archive.batches(pairs, settings.pool, np.random.default_rng(0), endless=True)

        def loss(step: int) -> Tensor:
            rows = next(batches)
            return functional.mse_loss(self.scores(model, pairs[rows]), wanted[torch.from_numpy(rows).to(self.device)])

        return model, loss, int(settings.epochs * len(pairs) / settings.pool)

    def figures(self, seeds: range) -> None:
        """Write Pearson's r of every DA set and tau of every set of rankings, of teachers and student, seen or not."""
        found = {}
        for name, shape in [
            *((f"teacher-{seed}", self.settings.teacher) for seed in seeds),
            ("student", self.settings.student),
        ]:
            if (self.work / f"{name}.pt").exists():
                found[name] = self.agreement(self.restored(shape, f"{name}.pt"))
        (self.work / "figures.json").write_text(json.dumps(found, indent=1))
        print(json.dumps(found, indent=1))

    def score(self, path: Path) -> None:
        """Score the pairs of another archive with every model, into scores.npz."""
        self.archive = Archive(path, self.device)
        found = {}
        for file in sorted(self.work.glob("*.pt")):
            model = self.restored(self.settings.teacher if "teacher" in file.stem else self.settings.student, file.name)
            for name, pairs in self.archive.arrays.items():
                found[f"{file.stem}/{name}"] = self.score_all(model, pairs)
        np.savez_compressed(self.work / "scores.npz", **found)

    def agreement(self, model: Scorer) -> dict[str, float]:
        found, trained = {}, self.archive.sets("rank", self.left_out)
        for name, rows in self.archive.arrays.items():
            kind, of = name.split("/")
            if kind == "da" and len(rows) > 2:
                scores, z = self.score_all(model, rows), self.archive.arrays[f"z/{of}"]
                found[name] = round(float(np.corrcoef(scores, z)[0, 1]), 4)
                held = self.archive.arrays[f"held/{of}"]
                if held.sum() > 30:
                    found[f"held/{of}"] = round(float(np.corrcoef(scores[held], z[held])[0, 1]), 4)
            elif (kind == "rank" and of not in trained) or (kind == "damaged" and of.startswith("wmt17")):
                right = self.score_all(model, rows[:, :2]) > self.score_all(model, rows[:, [0, 2]])
                found[name] = round(float(2 * right.mean() - 1), 4)
        return found

    def fresh(self, name: str) -> Scorer:
        model = Scorer(SHAPES[name])
        if name != "tiny":
            load_encoder(model.encoder, read_weights(self.weights / f"{name}.npz"))
        return model.to(self.device)

    def restored(self, name: str, file: str) -> Scorer:
        model = Scorer(SHAPES[name])
        model.load_state_dict(
            {
                key: values.float()
                for key, values in torch.load(self.work / file, map_location="cpu", weights_only=True).items()
            }
        )
        return model.to(self.device).eval()

    def pool(self, left_out: tuple[str, ...]) -> np.ndarray:
        """Return all pairs for the student: outputs, and damaged texts with what they were made of."""
        damaged = self.archive.joined("damaged", left_out, 3)
        return np.concatenate([self.archive.joined("pool", left_out, 2), damaged[:, :2], damaged[:, [0, 2]]])

    def labels(self) -> np.ndarray:
        """Return the teachers' scores of `pool(left_out)`, out of those of the whole pool."""
        chosen = [
            np.full(len(self.archive.arrays[f"{kind}/{name}"]), name in self.archive.sets(kind, self.left_out))
            for kind in ("pool", "damaged", "damaged")
            for name in self.archive.sets(kind)
        ]
        return np.load(self.work / "labels.npy")[np.concatenate(chosen)]

    def unread(self, pairs: np.ndarray) -> np.ndarray:
        """Return the pairs with an empty text in place of the reference."""
        empty = int((self.archive.lengths == 0).nonzero()[0, 0])
        return np.stack([np.full(len(pairs), empty), pairs[:, 1]], 1)

    def assessments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs with DA that are trained on, and their z."""
        pairs, z = self.archive.joined("da", self.left_out, 2), self.archive.joined("z", self.left_out, 1)
        kept = slice(None) if self.keep_held else ~self.archive.joined("held", self.left_out, 1)
        return pairs[kept], z[kept]

    def scores(self, model: Scorer, pairs: np.ndarray) -> Tensor:
        rows = torch.from_numpy(pairs.astype(np.int64)).to(self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            return model(*self.archive.pairs(rows[:, 0], rows[:, 1], model.encoder.shape)).float()

    def preference(self, model: Scorer, rows: np.ndarray) -> Tensor:
        """Loss of wrong order: softplus(-(better - worse))."""
        scores = self.scores(model, np.concatenate([rows[:, :2], rows[:, [0, 2]]]))
        return functional.softplus(scores[len(rows) :] - scores[: len(rows)]).mean()

    def score_all(self, model: Scorer, pairs: np.ndarray, what: str = "") -> np.ndarray:
        """Score pairs in batches of one length."""
        model.eval()
        lengths = self.archive.lengths.cpu().numpy()
        order = np.argsort(lengths[pairs[:, 0]] + lengths[pairs[:, 1]], kind="stable")
        scores, began = np.zeros(len(pairs), np.float32), time.time()
        with torch.inference_mode():
            found = [self.scores(model, pairs[order[start : start + 1024]]) for start in range(0, len(order), 1024)]
            scores[order] = torch.cat(found).cpu().numpy() if found else []
        if what:
            print(f"{what}: {len(pairs)} pairs in {time.time() - began:.0f} s", flush=True)
        return scores


def assessment_loss(scores: Tensor, z: Tensor) -> Tensor:
    """Loss against DA: Huber's, and the order of pairs of the batch that differ by more than .3."""
    difference = z[:, None] - z[None, :]
    wrong = functional.softplus(-2 * (scores[:, None] - scores[None, :]))
    clear = difference > 0.3
    return 0.5 * functional.huber_loss(scores, z) + 0.3 * (wrong * clear).sum() / clear.sum().clamp(min=1)


def optimise(
    model: Scorer, loss: Callable[[int], Tensor], steps: int, rate: float, head_rate: float, what: str
) -> None:
    """Run AdamW with a warm-up of 6 % and linear decay, gradients clipped to norm 1."""
    model.train()
    groups = [
        {"params": list(model.encoder.parameters()), "lr": rate},
        {"params": [*model.hidden.parameters(), *model.last.parameters()], "lr": head_rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01, fused=next(model.parameters()).is_cuda)
    warm = max(1, int(0.06 * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (steps - step) / (steps - warm + 1))
    )
    began, shown = time.time(), torch.zeros((), device=next(model.parameters()).device)
    for step in range(steps):
        value = loss(step)
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        shown += value.detach()
        if (step + 1) % 100 == 0 or step + 1 == steps:
            print(
                f"{what}: step {step + 1} of {steps}, loss {float(shown) / (step % 100 + 1):.4f}, "
                f"{time.time() - began:.0f} s",
                flush=True,
            )
            shown.zero_()


if __name__ == "__main__":
    main()
