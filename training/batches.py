"""Batches of (reference, output) pairs, built on the device from token ids that lie there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .network import Shape
from .prepare import LONGEST

CLS, SEP = 101, 102  # BERT's


class Archive:
    """What `prepare` wrote: arrays by name, and all texts as one padded array of ids on the device."""

    def __init__(self, path: Path, device: torch.device) -> None:
        with np.load(path) as archive:
            self.arrays = {name: archive[name] for name in archive.files}
        tokens, starts = self.arrays.pop("tokens"), self.arrays.pop("starts")
        lengths = np.diff(starts)
        padded = np.zeros((len(lengths), LONGEST), np.int32)
        padded[np.arange(LONGEST) < lengths[:, None]] = tokens
        self.ids = torch.from_numpy(padded).to(device)
        self.lengths = torch.from_numpy(lengths).to(device)
        self.device = device

    def joined(self, kind: str, left_out: tuple[str, ...], columns: int) -> np.ndarray:
        """Return the rows of all sets of a kind ("rank", "da", …), without those left out."""
        chosen = [self.arrays[f"{kind}/{name}"] for name in self.sets(kind, left_out)]
        return np.concatenate(chosen) if chosen else np.zeros((0, columns), np.int32)

    def sets(self, kind: str, left_out: tuple[str, ...] = ()) -> list[str]:
        """Return the names of all sets of a kind that contain none of `left_out`, such as "wmt17" or "lv-en"."""
        names = sorted(name.split("/")[1] for name in self.arrays if name.startswith(kind + "/"))
        return [name for name in names if not any(part in name for part in left_out)]

    def pairs(self, references: Tensor, outputs: Tensor, shape: Shape) -> tuple[Tensor, Tensor, Tensor]:
        """Return ids, mask and types of `[CLS] reference [SEP] output [SEP]`, in the ids of the encoder."""
        mpnet = shape.kind == "mpnet"
        shift, gap, first, last = (4, 2, 0, 2) if mpnet else (0, 1, CLS, SEP)
        left, right = self.lengths[references][:, None], self.lengths[outputs][:, None]
        width = int((left + right).max()) + gap + 2
        width += -width % 8
        places = torch.arange(width, device=self.device)[None]
        of_reference = (places - 1).clamp(0, LONGEST - 1).expand(len(references), -1)
        of_output = (places - 1 - left - gap).clamp(0, LONGEST - 1)
        end = 1 + left + gap + right
        ids = torch.where(places <= left, self.ids[references].gather(1, of_reference) + shift, last)
        ids = torch.where((places > left + gap) & (places < end), self.ids[outputs].gather(1, of_output) + shift, ids)
        ids = torch.where(places == 0, first, ids)
        mask = places <= end
        ids = torch.where(mask, ids, 1 if mpnet else 0)
        return ids.long(), mask, ((places > left + gap) & mask).long()

    def batches(
        self, rows: np.ndarray, size: int, random: np.random.Generator, *, endless: bool = False
    ) -> Iterator[np.ndarray]:
        """Yield row numbers, shuffled, with texts of about one length in each batch."""
        if not len(rows):
            return
        lengths = self.lengths.cpu().numpy()
        total = lengths[rows[:, 0]] + lengths[rows[:, 1:]].max(1)
        while True:
            order = random.permutation(len(rows))
            found = []
            for start in range(0, len(order), size * 50):
                chunk = order[start : start + size * 50]
                chunk = chunk[np.argsort(total[chunk], kind="stable")]
                found += [chunk[place : place + size] for place in range(0, len(chunk), size)]
            for place in random.permutation(len(found)):
                yield found[place]
            if not endless:
                return
