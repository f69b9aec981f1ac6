"""Rima: Tercet's own learned metric for English outputs.

A small network (MiniLM, six layers, weights of eight bits) reads reference and output together and gives a number; it
was trained to give those of two larger networks, which were trained on people's rankings and direct assessments of
WMT12 to WMT17 (training/RUNS.md). chrF is added with a fixed weight, because texts of other kinds than news mislead the
network alone. The sum is mapped to the scale of direct assessment, 0 to 100, by a monotone curve fitted to assessments
that were not trained on; the same assessments give the interval of a segment (conformal prediction).

Texts longer than those of training are cut into pieces at ends of sentences, reference and output into equally many;
the network's number is then the mean over pieces, weighted by length. An empty output has the score 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from ...data.files import file_state
from ...data.model_file import Dataset, ModelFile, has_form, read_model
from ...errors import DataError
from ...language.encoders import DEVICES, PACKAGES
from ...text.explanations import Seen
from ...types import Floats
from .._contract import Learnt, Metric, Shard, group_references, mean_score
from .._parameters import param

if TYPE_CHECKING:
    from ...language.encoders import OnnxPairScorer
    from .._machinery import Corpus

KIND = "pair-scorer"
SETTLED = ("best", "mean")
_FORM = {"chrf_weight": float, "longest": int, "half_width": float, "level": float}


class Opened(NamedTuple):
    """The network, and the curve from its number (with chrF's share) to the scale of direct assessment."""

    network: OnnxPairScorer
    chrf_weight: float
    longest: int  # tokens of a text that the network reads at once
    knots: Floats
    values: Floats
    half_width: float  # of the interval of a segment


@dataclass(frozen=True)
class Rima(Metric):
    """A learned metric for English outputs, on the scale of direct assessment from 0 to 100; the mean of segments.

    references: how the scores with several references become one: best or mean.
    model: a model file made by `training`, instead of the one in the package.
    device: cpu, cuda, or auto, the GPU where there is one.
    """

    references: str = param("best", choices=SETTLED, quiet=True)
    model: str | None = param(file=True, local=True)
    device: str = param("cpu", choices=DEVICES, local=True)

    paper: ClassVar[str] = "docs/metrics/rima.md; after Sellam et al. (2020), BLEURT, and Rei et al. (2020), COMET"
    languages = ("en",)
    packages = PACKAGES["onnx"]
    tolerance: ClassVar[float] = 1e-3
    segments_per_unit: ClassVar[int | None] = 128

    @property
    def label(self) -> str:
        return "Rima"

    @property
    def decimals(self) -> int:
        return 2

    def learn(self, testset: Corpus) -> Learnt:
        """Find the model's checksum."""
        checksum = _content(*self._place()).checksum[:16]
        return Learnt(checksum, {"checksum": checksum})

    def open(self, state: str | None) -> Opened:
        content = _content(*self._place())
        if state is not None and content.checksum[:16] != state:
            raise DataError("rima: the model is not the one that scoring began with.")
        return _open(content, self.device)

    def trained_on(self) -> Sequence[Dataset]:
        return _content(*self._place()).trained_on

    def _place(self) -> tuple[str | None, object]:
        return self.model, file_state(Path(self.model)) if self.model else None

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        """Count the score, 1, the network's number and chrF; zeros for a segment without references."""
        texts, offsets = group_references(shard.references)
        wanted = {
            system: [
                [(text, output) for text in texts[offsets[i] : offsets[i + 1]]] for i, output in enumerate(outputs)
            ]
            for system, outputs in shard.outputs.items()
        }
        parts = self._parts(opened, [pair for rows in wanted.values() for pairs in rows for pair in pairs])
        return {
            system: np.array([self._settle([parts[pair] for pair in pairs]) for pairs in rows]).reshape(-1, 4)
            for system, rows in wanted.items()
        }

    def _parts(
        self, opened: Opened, pairs: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], tuple[float, float, float]]:
        """Return score, network's number and chrF of each distinct pair of reference and output."""
        distinct = list(dict.fromkeys(pairs))
        if not distinct:
            return {}
        network, chrf = network_scores(opened, distinct), _chrf(distinct)
        scores = curve(opened, network + opened.chrf_weight * chrf)
        scores[[bool(reference.strip()) and not output.strip() for reference, output in distinct]] = 0
        rows = zip(scores.tolist(), network.tolist(), chrf.tolist(), strict=True)
        return dict(zip(distinct, rows, strict=True))

    def _settle(self, found: Sequence[tuple[float, float, float]]) -> tuple[float, float, float, float]:
        if not found:
            return 0.0, 0.0, 0.0, 0.0
        score, network, chrf = max(found) if self.references == "best" else np.mean(found, 0).tolist()
        return score, 1.0, network, chrf

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        """Return the network's number, chrF, and the interval that holds 90 % of people's assessments."""
        half = _content(*self._place()).manifest["half_width"]
        scores = mean_score(counts)
        low, high = np.maximum(scores - half, 0), np.minimum(scores + half, 100)
        return {"network": counts[:, 2], "chrf": counts[:, 3], "lower": low, "upper": high}

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return the score with each reference and its parts."""
        parts = self._parts(opened, [(text, output) for text in references])
        found = [parts[text, output] for text in references]
        score = self._settle(found)[0]
        values = {
            "interval": [max(score - opened.half_width, 0.0), min(score + opened.half_width, 100.0)],
            "references": [{"score": one, "network": network, "chrf": chrf} for one, network, chrf in found],
        }
        return Seen(score, values=values)


@lru_cache(maxsize=2)
def _content(model: str | None, state: object) -> ModelFile:
    if model is not None:
        content = read_model(model, KIND, made_by="training")
    else:
        with as_file(files("tercet.metrics").joinpath("data", "rima.model")) as path:
            content = read_model(path, KIND, made_by="training")
    if (
        not has_form(content.manifest, _FORM)
        or {"knots", "values"} - content.arrays.keys()
        or "network" not in content.blobs
    ):
        raise DataError(f"{model or 'rima.model'} is not a model of rima: parts of it are missing.")
    return content


@lru_cache(maxsize=2)
def _open(content: ModelFile, device: str) -> Opened:
    from ...language.encoders.onnx import open_pair_network

    network = open_pair_network(content.blobs["network"], content.needs.get("tokenizer", ""), "rima", device=device)
    manifest = content.manifest
    return Opened(
        network, manifest["chrf_weight"], manifest["longest"],
        content.arrays["knots"].astype(np.float64), content.arrays["values"].astype(np.float64), manifest["half_width"],
    )  # fmt: skip


def curve(opened: Opened, sums: Floats) -> Floats:
    """Map sums of network and chrF to the scale from 0 to 100: straight between the knots, so that no two tie."""
    mapped: Floats = np.interp(sums, opened.knots, opened.values)
    return mapped


def network_scores(opened: Opened, pairs: Sequence[tuple[str, str]]) -> Floats:
    """Return the network's number for each pair of reference and output."""
    from ...language.encoders.pieces import piecewise_scores

    return piecewise_scores(opened.network, pairs, opened.longest)


def _chrf(pairs: Sequence[tuple[str, str]]) -> Floats:
    from ...data.testset import TestSet
    from ..strings.chrf import CHRF

    texts = TestSet({"output": [output for _, output in pairs]}, {"reference": [reference for reference, _ in pairs]})
    ready = CHRF().ready(texts)
    return ready.segment_scores(ready.count(Shard(texts))["output"])
