"""The network: a BERT or MPNet encoder over (reference, output), and a head that gives one number.

Written out in full, without transformers, so that it runs wherever PyTorch does, and so that the exported graph is
exactly what was trained. Texts come as ids of BERT's uncased vocabulary; MPNet has the same one, four ids later.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from .encoder.parts import pack as pack
from .encoder.parts import unpack as unpack


@dataclass(frozen=True)
class Shape:
    """The sizes of an encoder and what tells the two kinds apart."""

    kind: str
    layers: int
    width: int
    heads: int
    vocabulary: int
    positions: int
    epsilon: float

    @property
    def first_position(self) -> int:
        return 2 if self.kind == "mpnet" else 0


MPNET = Shape("mpnet", 12, 768, 12, 30527, 514, 1e-5)
MINILM = Shape("bert", 6, 384, 12, 30522, 512, 1e-12)
TINY = Shape("bert", 2, 32, 4, 30522, 512, 1e-12)
SHAPES = {"mpnet": MPNET, "minilm": MINILM, "tiny": TINY}


class Layer(nn.Module):
    """One layer: attention, then two dense ones, each added to its input and normalised."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.after_attention = nn.LayerNorm(width, shape.epsilon)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.after_dense = nn.LayerNorm(width, shape.epsilon)
        self.dropout = nn.Dropout(0.1)
        self.gelu = "none"  # or tanh, its approximation

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        def by_head(y: Tensor) -> Tensor:
            return y.view(y.shape[0], y.shape[1], self.heads, -1).transpose(1, 2)

        query, key, value = by_head(self.query(x)), by_head(self.key(x)), by_head(self.value(x))
        dropout = 0.1 if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=dropout)
        mixed = self.out(mixed.transpose(1, 2).flatten(2))
        x = self.after_attention(x + self.dropout(mixed))
        return self.after_dense(x + self.dropout(self.narrow(functional.gelu(self.wide(x), approximate=self.gelu))))


class Encoder(nn.Module):
    """Token ids in, one vector per token out."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.types = nn.Embedding(2, shape.width) if shape.kind == "bert" else None
        self.relative = nn.Embedding(32, shape.heads) if shape.kind == "mpnet" else None
        self.normalise = nn.LayerNorm(shape.width, shape.epsilon)
        self.dropout = nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.words(ids) + self.positions(places + self.shape.first_position)
        if self.types is not None:
            x = x + self.types(types)
        x = self.dropout(self.normalise(x))
        bias = torch.zeros(mask.shape, device=x.device).masked_fill(~mask, -1e4)[:, None, None, :]
        if self.relative is not None:
            bias = bias + self.relative(_buckets(places)).permute(2, 0, 1)[None]
        bias = bias.to(self.layers[0].query.weight.dtype if not torch.is_autocast_enabled() else torch.bfloat16)
        for layer in self.layers:
            x = layer(x, bias)
        return x


def _buckets(places: Tensor) -> Tensor:
    """Return MPNet's bucket of the distance between any two places: exact when near, logarithmic when far."""
    distance = places[:, None] - places[None, :]
    far = distance.abs()
    grown = 8 + (torch.log(far.clamp(min=1).float() / 8) / math.log(128 / 8) * 8).long()
    return (distance < 0).long() * 16 + torch.where(far < 8, far, grown.clamp(max=15))


class Scorer(nn.Module):
    """An encoder and its head: one number per pair, from the first token's vector and the mean of all."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.encoder = Encoder(shape)
        self.hidden = nn.Linear(2 * shape.width, shape.width)
        self.last = nn.Linear(shape.width, 1)
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        tokens = self.encoder(ids, mask, types)
        weights = mask.to(tokens.dtype)[:, :, None]
        mean = (tokens * weights).sum(1) / weights.sum(1)
        pooled = torch.cat([tokens[:, 0], mean], 1)
        return self.last(torch.tanh(self.hidden(self.dropout(pooled))))[:, 0]


def load_encoder(encoder: Encoder, weights: dict[str, np.ndarray]) -> None:
    """Fill an encoder with the weights of a Hugging Face checkpoint, by their names there."""
    mpnet = encoder.shape.kind == "mpnet"
    names = {
        "words.weight": "embeddings.word_embeddings.weight",
        "positions.weight": "embeddings.position_embeddings.weight",
        "normalise.weight": "embeddings.LayerNorm.weight",
        "normalise.bias": "embeddings.LayerNorm.bias",
    }
    if mpnet:
        names["relative.weight"] = "encoder.relative_attention_bias.weight"
        theirs = ["attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm"]
    else:
        names["types.weight"] = "embeddings.token_type_embeddings.weight"
        theirs = ["self.query", "self.key", "self.value", "output.dense", "output.LayerNorm"]
    for place in range(encoder.shape.layers):
        ours = ["query", "key", "value", "out", "after_attention"]
        parts = {own: f"attention.{other}" for own, other in zip(ours, theirs, strict=True)}
        parts |= {"wide": "intermediate.dense", "narrow": "output.dense", "after_dense": "output.LayerNorm"}
        for own, other in parts.items():
            for what in ("weight", "bias"):
                names[f"layers.{place}.{own}.{what}"] = f"encoder.layer.{place}.{other}.{what}"
    encoder.load_state_dict({own: torch.from_numpy(weights[other].astype(np.float32)) for own, other in names.items()})


def read_weights(path: Path) -> dict[str, np.ndarray]:
    """Read packed weights from a file, or from its parts FILE.0, FILE.1, …"""
    parts = [path] if path.exists() else sorted(path.parent.glob(path.name + ".[0-9]"))
    packed: dict[str, np.ndarray] = {}
    for part in parts:
        with np.load(part) as archive:
            packed |= {name: archive[name] for name in archive.files}
    return unpack(packed)
