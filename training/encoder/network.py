"""The network of the encoder `multilingual`: vectors of pieces, and layers above them that read one to three texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training.network import Layer, Shape

from .parts import read_parts

OUTPUT, REFERENCE, SOURCE = range(3)  # kinds of texts; a text alone is read as an output
POSITIONS = 512
torch.backends.cuda.enable_cudnn_sdp(False)  # it makes a plan for each shape, which takes longer than the attention


@dataclass
class Joined:
    """Texts beside each other, in rows: pieces, places in their text, kinds of texts, and where there are pieces."""

    ids: Tensor
    places: Tensor
    kinds: Tensor
    mask: Tensor

    def to(self, device: torch.device) -> Joined:
        return Joined(*(each.to(device) for each in (self.ids, self.places, self.kinds, self.mask)))


class Shelf:
    """All texts as pieces on the device."""

    def __init__(self, pieces: np.ndarray, lengths: np.ndarray, device: torch.device) -> None:
        self.pieces = torch.from_numpy(pieces.astype(np.int32)).to(device)
        self.lengths = torch.from_numpy(lengths.astype(np.int64)).to(device)
        self.starts = torch.cumsum(self.lengths, 0) - self.lengths
        self.device = device

    def join(self, texts: list[Tensor], kinds: list[int]) -> Joined:
        """Return rows of texts beside each other. texts: the numbers of the first texts of all rows, the second, …"""
        numbers = torch.stack(texts, 1)
        lengths = self.lengths[numbers]
        ends = torch.cumsum(lengths, 1)
        width = int(ends[:, -1].max())
        width += -width % 8
        at = torch.arange(width, device=self.device)
        which = (at[None, :, None] >= ends[:, None, :-1]).sum(2)
        places = at[None] - (ends - lengths).gather(1, which)
        mask = at[None] < ends[:, -1:]
        starts = self.starts[numbers].gather(1, which)
        ids = self.pieces[(starts + places).clamp(max=len(self.pieces) - 1)].long()
        ids, places = ids * mask, (places * mask).clamp(max=POSITIONS - 1)
        return Joined(ids, places, torch.tensor(kinds, device=self.device)[which], mask)


class Multilingual(nn.Module):
    """Vectors of pieces, projected to the width of the layers, and the layers."""

    def __init__(self, pieces: int, narrow: int, shape: Shape, layers: int) -> None:
        super().__init__()
        self.pieces = nn.Embedding(pieces, narrow)
        self.projection = nn.Linear(narrow, shape.width, bias=False)
        self.positions = nn.Embedding(POSITIONS, shape.width)
        self.kinds = nn.Embedding(3, shape.width)
        self.first = nn.LayerNorm(shape.width, 1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(layers))
        for layer in self.layers:
            layer.gelu = "tanh"  # what NumPy computes
        nn.init.zeros_(self.kinds.weight)

    def forward(self, rows: Joined, hidden: Tensor | None = None) -> Tensor:
        """Return the vectors of all pieces. hidden: vectors that stand for pieces."""
        x = self.pieces(rows.ids) if hidden is None else hidden
        return self.above(self.projection(x), rows.places, rows.kinds, rows.mask)

    def above(self, x: Tensor, places: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        if torch.is_grad_enabled():  # products in place of look-ups: gradients are sums of many rows for few places
            most = min(int(places.shape[1]), POSITIONS)
            known = nn.functional.one_hot(places, most).to(x.dtype) @ self.positions.weight[:most]
            x = self.first(x + known + nn.functional.one_hot(kinds, 3).to(x.dtype) @ self.kinds.weight)
        else:
            x = self.first(x + self.positions(places) + self.kinds(kinds))
        bias = torch.zeros(mask.shape, dtype=x.dtype, device=x.device).masked_fill(~mask, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias)
        return x


def open_encoder(work: Path, shape: Shape) -> Multilingual:
    """Return the encoder of WORK."""
    stored = read_parts(work)
    stored.pop("heads")
    layers = 1 + max(int(name.split(".")[1]) for name in stored if name.startswith("layers."))
    encoder = Multilingual(*stored["pieces.weight"].shape, shape, layers)
    encoder.load_state_dict({name: torch.from_numpy(np.asarray(values, np.float32)) for name, values in stored.items()})
    return encoder


def mean(vectors: Tensor, mask: Tensor) -> Tensor:
    """Return the mean vector of each row, in single precision."""
    weights = mask.float()[:, :, None]
    total: Tensor = (vectors.float() * weights).sum(1) / weights.sum(1).clamp(min=1)
    return total


class Optimiser:
    """AdamW on copies in single precision of weights in half precision."""

    def __init__(self, parameters: list[nn.Parameter], rate: float, *, rates: dict[int, float] | None = None) -> None:
        self.low = [each for each in parameters if each.requires_grad]
        self.high = [each.detach().float().clone() for each in self.low]
        groups = [
            {"params": [high], "factor": (rates or {}).get(id(low), 1.0)}
            for low, high in zip(self.low, self.high, strict=True)
        ]
        by_factor: dict[float, list[Tensor]] = {}
        for group in groups:
            by_factor.setdefault(group["factor"], []).extend(group["params"])
        self.adam = torch.optim.AdamW(
            [{"params": params, "factor": factor} for factor, params in by_factor.items()],
            lr=rate, betas=(0.9, 0.98), weight_decay=0.01, foreach=True,
        )  # fmt: skip

    def step(self, rate: float, clip: float = 1.0) -> None:
        """Take a step with the gradients of the weights, and forget them."""
        for low, high in zip(self.low, self.high, strict=True):
            high.grad = None if low.grad is None else low.grad.float()
            low.grad = None
        nn.utils.clip_grad_norm_(self.high, clip)
        for group in self.adam.param_groups:
            group["lr"] = rate * group["factor"]
        self.adam.step()
        with torch.no_grad():
            torch._foreach_copy_(self.low, self.high)
