"""Train ESIM, the metric of Mathur et al. (2019) in WMT19, on the tokens of the frozen default encoder.

    python -m training.esim --data DATA.npz --weights FOLDER --out ESIM.npz [--seconds 240] [--leave-out wmt14.hi-en]

The network is that of the paper: two texts through one bidirectional LSTM, each attends to the other, differences and
products are composed by a second LSTM, pooled by mean and maximum. WMT19's entry was trained on
single DA of WMT18, which are not at hand; here it is trained on rankings and DA of other years.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .batches import CLS, SEP, Archive
from .network import MINILM, Encoder, load_encoder, read_weights
from .train import assessment_loss

SIZE = 128
SCALE = 10.0  # unit vectors of 384 numbers are small for an LSTM


class Esim(nn.Module):
    """Two lists of token vectors in, one number out. Without lengths, texts are not padded."""

    def __init__(self, width: int = MINILM.width, size: int = SIZE) -> None:
        super().__init__()
        self.read = nn.LSTM(width, size, batch_first=True, bidirectional=True)
        self.project = nn.Linear(8 * size, size)
        self.compose = nn.LSTM(size, size, batch_first=True, bidirectional=True)
        self.hidden = nn.Linear(8 * size, size)
        self.last = nn.Linear(size, 1)
        self.dropout = nn.Dropout(0.3)

    def forward(self, one: Tensor, other: Tensor, lengths: tuple[Tensor, Tensor] | None = None) -> Tensor:
        count_a, count_b = lengths or (None, None)
        a = run(self.read, self.dropout(one * SCALE), count_a)
        b = run(self.read, self.dropout(other * SCALE), count_b)
        inside_a, inside_b = inside(count_a, a), inside(count_b, b)
        alike = a @ b.transpose(1, 2)
        for_a = functional.softmax(hide(alike, inside_b, 1), 2) @ b
        for_b = functional.softmax(hide(alike.transpose(1, 2), inside_a, 1), 2) @ a
        composed_a = run(self.compose, self.enhanced(a, for_a), count_a)
        composed_b = run(self.compose, self.enhanced(b, for_b), count_b)
        pooled = torch.cat([*pool(composed_a, inside_a), *pool(composed_b, inside_b)], 1)
        return self.last(torch.tanh(self.hidden(self.dropout(pooled))))[:, 0]

    def enhanced(self, x: Tensor, y: Tensor) -> Tensor:
        """Return both with their difference and product, projected."""
        return self.dropout(functional.relu(self.project(torch.cat([x, y, x - y, x * y], 2))))


def run(lstm: nn.LSTM, x: Tensor, counts: Tensor | None) -> Tensor:
    """Run an LSTM over texts of different lengths."""
    if counts is None:
        return lstm(x)[0]
    packed = pack_padded_sequence(x, counts.cpu(), batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm(packed)[0], batch_first=True, total_length=x.shape[1])[0]


def inside(counts: Tensor | None, x: Tensor) -> Tensor | None:
    """Return which places are text."""
    return None if counts is None else torch.arange(x.shape[1], device=x.device)[None] < counts.to(x.device)[:, None]


def hide(values: Tensor, kept: Tensor | None, axis: int, value: float = -1e4) -> Tensor:
    """Return values with those outside of the text replaced."""
    return values if kept is None else values.masked_fill(~kept.unsqueeze(axis), value)


def pool(x: Tensor, kept: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return mean and maximum over the text."""
    if kept is None:
        return x.mean(1), x.amax(1)
    return hide(x, kept, 2, 0.0).sum(1) / kept.sum(1, keepdim=True), hide(x, kept, 2).amax(1)


class Frozen:
    """The encoder, which is not trained: unit vectors of the tokens of texts."""

    def __init__(self, archive: Archive, weights: Path) -> None:
        self.archive = archive
        self.encoder = Encoder(MINILM).to(archive.device).eval()
        load_encoder(self.encoder, read_weights(weights / "minilm.npz"))

    @torch.no_grad()
    def __call__(self, texts: Tensor) -> tuple[Tensor, Tensor]:
        """Return vectors and lengths; an empty text has one vector of zeros."""
        lengths = self.archive.lengths[texts]
        width = int(lengths.max()) + 2
        places = torch.arange(width, device=texts.device)[None]
        ids = torch.full((len(texts), width), CLS, device=texts.device)
        ids[:, 1:-1] = self.archive.ids[texts][:, : width - 2].long()
        ids = torch.where(places == lengths[:, None] + 1, SEP, ids)
        kept = places <= lengths[:, None] + 1
        with torch.autocast(texts.device.type, torch.bfloat16, enabled=texts.is_cuda):
            found = self.encoder(torch.where(kept, ids, 0), kept, torch.zeros_like(ids))
        vectors = functional.normalize(found[:, 1:-1].float(), dim=2) if width > 2 else found[:, :1].float() * 0
        real = torch.arange(vectors.shape[1], device=texts.device)[None] < lengths[:, None]
        return vectors * real[:, :, None], lengths.clamp(min=1)


def scores(model: Esim, frozen: Frozen, pairs: np.ndarray) -> Tensor:
    """Score pairs of reference and output."""
    rows = torch.from_numpy(pairs.astype(np.int64)).to(frozen.archive.device)
    (one, count), (other, other_count) = frozen(rows[:, 0]), frozen(rows[:, 1])
    with torch.autocast(rows.device.type, torch.bfloat16, enabled=rows.is_cuda):
        return model(one, other, (count, other_count)).float()


def score_all(model: Esim, frozen: Frozen, pairs: np.ndarray) -> np.ndarray:
    """Score pairs in batches of one length."""
    model.eval()
    lengths = frozen.archive.lengths.cpu().numpy()
    order = np.argsort(lengths[pairs].sum(1), kind="stable")
    found = np.zeros(len(pairs), np.float32)
    with torch.inference_mode():
        for start in range(0, len(order), 1024):
            chosen = order[start : start + 1024]
            found[chosen] = scores(model, frozen, pairs[chosen]).cpu().numpy()
    return found


def main() -> None:
    """Train until the time is over, and write weights and figures."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--weights", type=Path, required=True)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--seconds", type=float, default=240)
    arguments.add_argument("--leave-out", default="wmt14.hi-en")
    arguments.add_argument("--score", type=Path, help="an archive of `evaluation` to score at the end")
    given = arguments.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(5)
    random = np.random.default_rng(5)
    archive = Archive(given.data, device)
    frozen = Frozen(archive, given.weights)
    left_out = (*given.leave_out.split(","), "mlqe")
    rankings = archive.joined("rank", left_out, 3)
    kept = ~archive.joined("held", left_out, 1)
    assessed, z = archive.joined("da", left_out, 2)[kept], archive.joined("z", left_out, 1)[kept]
    model = Esim().to(device).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    ranking_batches = archive.batches(rankings, 256, random, endless=True)
    da_batches = archive.batches(assessed, 64, random, endless=True)
    began, step, shown = time.time(), 0, 0.0
    while (past := (time.time() - began) / given.seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 1e-3 * min(past / 0.05 + 0.01, (1 - past) / 0.95 + 1e-3)
        rows, judged = rankings[next(ranking_batches)], next(da_batches)
        pairs = np.concatenate([rows[:, :2], rows[:, [0, 2]], assessed[judged]])
        found = scores(model, frozen, pairs)
        better, worse, rated = found[: len(rows)], found[len(rows) : 2 * len(rows)], found[2 * len(rows) :]
        loss = functional.softplus(worse - better).mean()
        loss = loss + assessment_loss(rated, torch.from_numpy(z[judged]).to(device))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step, shown = step + 1, 0.98 * shown + 0.02 * float(loss)
        if step % 100 == 0:
            print(f"step {step}, loss {shown:.4f}, {time.time() - began:.0f} s", flush=True)
    np.savez(given.out, **{name: values.cpu().numpy() for name, values in model.state_dict().items()})
    for name, values in archive.arrays.items():
        kind, of = name.split("/")
        if kind == "rank" and of.startswith(tuple(given.leave_out.split(","))):
            right = score_all(model, frozen, values[:, :2]) > score_all(model, frozen, values[:, [0, 2]])
            print(f"{of}: tau {2 * right.mean() - 1:.4f}")
        if kind == "da" and archive.arrays[f"held/{of}"].sum() > 30 and not of.startswith("mlqe"):
            held = archive.arrays[f"held/{of}"]
            r = np.corrcoef(score_all(model, frozen, values[held]), archive.arrays[f"z/{of}"][held])[0, 1]
            print(f"{of}, held out: r {r:.4f} (n = {held.sum()})")
    if given.score:
        frozen.archive = Archive(given.score, device)
        found = {name: score_all(model, frozen, pairs) for name, pairs in frozen.archive.arrays.items()}
        np.savez_compressed(given.out.with_suffix(".scores.npz"), **found)


if __name__ == "__main__":
    main()
