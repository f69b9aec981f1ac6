"""The network that gives an output a number, beside its reference, its source, or both."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.encoder.network import OUTPUT, REFERENCE, SOURCE, Joined, Multilingual, Shelf, mean

INPUTS = {"reference": [OUTPUT, REFERENCE], "source": [OUTPUT, SOURCE], "both": [OUTPUT, REFERENCE, SOURCE]}


class Rater(nn.Module):
    """The layers of the encoder, and a head with a number for each kind of input."""

    def __init__(self, encoder: Multilingual, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.hidden = nn.Linear(2 * width, width)
        self.last = nn.Linear(width, len(INPUTS))
        self.dropout = nn.Dropout(0.1)

    def forward(self, rows: Joined, inputs: str) -> Tensor:
        return self.numbers(self.encoder(rows), rows.mask, rows.kinds)[:, list(INPUTS).index(inputs)]

    def numbers(self, seen: Tensor, mask: Tensor, kinds: Tensor) -> Tensor:
        """Return the numbers for all kinds of input, from the means over the output and over what is beside it."""
        own = mask & (kinds == OUTPUT)
        both = torch.cat([mean(seen, own), mean(seen, mask & ~own)], 1).to(self.hidden.weight.dtype)
        found: Tensor = self.last(torch.tanh(self.hidden(self.dropout(both)))).float()
        return found


def join(shelf: Shelf, rows: Tensor, inputs: str) -> Joined:
    """Return the input for rows of numbers of texts: source, reference, output."""
    source, reference, output = rows.T
    texts = {"reference": [output, reference], "source": [output, source], "both": [output, reference, source]}[inputs]
    return shelf.join(texts, INPUTS[inputs])
