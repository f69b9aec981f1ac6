"""Rima: Tercet's own learned metric, for English outputs and for those in 27 other languages.

A small network reads the output and what is beside it, and gives a number. For English outputs with references it is
MiniLM (six layers, weights of eight bits), trained to give the numbers of two larger networks, which were trained on
people's rankings and direct assessments of WMT12 to WMT17. For other languages, and for outputs beside their source, it
is `rater` (language/encoders), trained on translations and on judgements in many languages (training/RUNS.md). Where
there is a reference chrF is added with a fixed weight, because texts of other kinds than news mislead a network alone.
The sum is mapped to the scale of direct assessment, 0 to 100, by a monotone curve fitted to assessments that were not
trained on; the same assessments give the interval of a segment (conformal prediction).

Texts longer than those of training are cut into pieces at ends of sentences, all texts of a segment into equally many;
the network's number is then the mean over pieces, weighted by length. An empty output has the score 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data.files import file_state
from ...data.model_file import Dataset, ModelFile, has_form, read_model
from ...errors import DataError, UsageError
from ...language.encoders import DEVICES, PACKAGES, OnnxPairScorer
from ...language.encoders.rater import Rater, read_rater
from ...text.explanations import Seen
from ...text.scripts import base_code
from ...types import Floats
from .._contract import Learnt, Metric, Shard, mean_score
from .._machinery import Corpus
from .._parameters import param

KIND = "pair-scorer"  # of the model for English
SETTLED = ("best", "mean")
INPUTS = ("reference", "source", "both")
NETWORKS = ("english", "multilingual")
_FORM = {"chrf_weight": float, "longest": int, "half_width": float, "level": float}
Row = tuple[str, ...]  # the output, then the texts beside it


class Opened(NamedTuple):
    """The network, and the curve from its number (with chrF's share) to the scale of direct assessment."""

    network: Any  # with `scores` and `lengths`: an OnnxPairScorer or a Rater
    chrf_weight: float
    longest: int  # tokens of a text that the network reads at once
    knots: Floats
    values: Floats
    half_width: float  # of the interval of a segment


@dataclass(frozen=True)
class Rima(Metric):
    """A learned metric on the scale of direct assessment from 0 to 100; the mean of segments.

    inputs: what is read beside the output: reference, source, or both; by default the reference, or else the source.
    network: english or multilingual; by default english for English outputs beside references.
    references: how the scores with several references become one: best or mean.
    model: a model file made by `training`, instead of the one in the package.
    device: cpu, cuda, or auto, the GPU where there is one.
    """

    inputs: str | None = param(choices=INPUTS, quiet=True)
    network: str | None = param(choices=NETWORKS, quiet=True)
    references: str = param("best", choices=SETTLED, quiet=True)
    model: str | None = param(file=True, local=True)
    device: str = param("cpu", choices=DEVICES, local=True)

    paper = "docs/metrics/rima.md; after Sellam et al. (2020), BLEURT, and Rei et al. (2020), COMET"
    packages = PACKAGES["onnx"]
    tolerance = 1e-3
    segments_per_unit = 128
    label = "Rima"
    decimals = 2

    @property
    def needs(self) -> frozenset[str]:
        return {
            "source": frozenset({"source"}), "both": frozenset({"source", "reference"}),
        }.get(self.inputs or "", frozenset({"reference"}))  # fmt: skip

    @property
    def languages(self) -> Sequence[str]:
        return ("en",) if self.network == "english" else known_languages()

    def validate(self) -> None:
        if self.network == "english" and self.inputs in ("source", "both"):
            raise UsageError(
                f"rima: network=english reads no source; inputs={self.inputs} is for network=multilingual."
            )

    def adapted(self, testset: Corpus) -> Rima:
        if self.inputs is None and not testset.references and testset.source is not None:
            return replace(self, inputs="source")
        return self

    def defaults(self, language: str | None) -> Mapping[str, object]:
        english = language in (None, "en") and self.inputs in (None, "reference")
        return {"inputs": "reference", "network": "english" if english else "multilingual"}

    def signature_items(self) -> dict[str, str]:
        usual = {"inputs": "reference", "network": "english"}
        return {key: value for key, value in super().signature_items().items() if usual.get(key) != value}

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        source = base_code(testset.pair.split("-")[0]) if testset.pair else ""
        if source and "source" in self.needs and source not in known_languages():
            raise UsageError(
                f"rima reads sources in {', '.join(sorted(known_languages()))}, and these are in {source!r}. With "
                "references, inputs=reference reads no source."
            )

    def learn(self, testset: Corpus) -> Learnt:
        """Find the model's checksum, and whether its scale was fitted to judgements of outputs in this language."""
        content = self._content()
        checksum = content.checksum[:16]
        target = base_code((testset.pair or "").partition("-")[2]) or "en"
        fitted = {pair.partition("-")[2] for pair in content.manifest.get("calibrated", ["-en"])}
        return Learnt(checksum, {"checksum": checksum} | ({} if target in fitted else {"scale": "uncalibrated"}))

    def open(self, state: str | None) -> Opened:
        content = self._content()
        if state is not None and content.checksum[:16] != state:
            raise DataError("rima: the model is not the one that scoring began with.")
        return _open(content, self.inputs or "reference", self.device)

    def trained_on(self) -> Sequence[Dataset]:
        return self._content().trained_on

    def _content(self) -> ModelFile:
        read = read_rater if self.network == "multilingual" else _read
        return read(self.model, file_state(Path(self.model)) if self.model else None)

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        """Count the score, 1, the network's number and chrF; zeros for a segment without references."""
        beside: list[list[Row]] = [[()] for _ in range(len(shard))]
        if "reference" in self.needs:
            beside = [[(text,) for text in texts] for texts in shard.reference_rows]
        if "source" in self.needs:
            source = shard.source or ()
            beside = [[(*texts, source[place]) for texts in rows] for place, rows in enumerate(beside)]
        wanted = {
            system: [[(output, *texts) for texts in rows] for output, rows in zip(outputs, beside, strict=True)]
            for system, outputs in shard.outputs.items()
        }
        parts = self._parts(opened, [row for rows in wanted.values() for each in rows for row in each])
        return {
            system: np.array([self._settle([parts[row] for row in each]) for each in rows]).reshape(-1, 4)
            for system, rows in wanted.items()
        }

    def _parts(self, opened: Opened, rows: Sequence[Row]) -> dict[Row, tuple[float, float, float]]:
        distinct = list(dict.fromkeys(rows))
        if not distinct:
            return {}
        chrf = np.zeros(len(distinct))
        if "reference" in self.needs:
            chrf = _chrf([row[:2] for row in distinct])
        network = network_scores(opened, distinct)
        scores = curve(opened, network + opened.chrf_weight * chrf)
        scores[[not row[0].strip() and any(text.strip() for text in row[1:]) for row in distinct]] = 0
        found = zip(scores.tolist(), network.tolist(), chrf.tolist(), strict=True)
        return dict(zip(distinct, found, strict=True))

    def _settle(self, found: Sequence[tuple[float, float, float]]) -> tuple[float, float, float, float]:
        if not found:
            return 0.0, 0.0, 0.0, 0.0
        score, network, chrf = max(found) if self.references == "best" else np.mean(found, 0).tolist()
        return score, 1.0, network, chrf

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        """Return the network's number, chrF, and the interval that holds 90 % of people's assessments."""
        half = _half_width(self._content(), self.inputs or "reference")
        scores = mean_score(counts)
        low, high = np.maximum(scores - half, 0), np.minimum(scores + half, 100)
        chrf = {"chrf": counts[:, 3]} if "reference" in self.needs else {}
        return {"network": counts[:, 2], **chrf, "lower": low, "upper": high}

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        after: Row = (source or "",) if "source" in self.needs else ()
        rows = [(output, text, *after) for text in references] if "reference" in self.needs else [(output, *after)]
        parts = self._parts(opened, rows)
        score = self._settle([parts[row] for row in rows])[0]
        interval = [max(score - opened.half_width, 0.0), min(score + opened.half_width, 100.0)]
        named = [dict(zip(("score", "network", "chrf"), parts[row], strict=True)) for row in rows]
        values = {"references": named} if "reference" in self.needs else {"network": named[0]["network"]}
        return Seen(score, values={"interval": interval, **values})


@lru_cache(maxsize=1)
def known_languages() -> tuple[str, ...]:
    """Return the languages of the network for many languages, English first."""
    return ("en", *(code for code in read_rater().manifest["languages"] if code != "en"))


@lru_cache(maxsize=2)
def _read(model: str | None, state: object) -> ModelFile:
    if model is not None:
        content = read_model(model, KIND, made_by="training")
    else:
        with as_file(files("tercet.metrics").joinpath("data", "rima.model")) as path:
            content = read_model(path, KIND, made_by="training")
    whole = not {"knots", "values"} - content.arrays.keys() and "network" in content.blobs
    if not has_form(content.manifest, _FORM) or not whole:
        raise DataError(f"{model or 'rima.model'} is not a model of rima: parts of it are missing.")
    return content


def _half_width(content: ModelFile, inputs: str) -> float:
    half: float = content.manifest["half_width"] if content.kind == KIND else content.manifest["half_width"][inputs]
    return half


@lru_cache(maxsize=3)
def _open(content: ModelFile, inputs: str, device: str) -> Opened:
    from ...language.encoders.onnx import open_pair_network

    manifest, end = content.manifest, "" if content.kind == KIND else f".{inputs}"
    knots, values = (content.arrays[f"{name}{end}"].astype(np.float64) for name in ("knots", "values"))
    rising = knots.ndim == 1 and knots.shape == values.shape and knots.size > 0 and bool((np.diff(knots) > 0).all())
    if not rising or not np.isfinite([knots, values]).all() or manifest["longest"] < 1:
        raise DataError("rima: the model is damaged. Its curve must be finite and rising, and `longest` at least 1.")
    if content.kind == KIND:
        network: Any = _Turned(open_pair_network(
            content.blobs["network"], content.needs.get("tokenizer", ""), "rima", device=device
        ))  # fmt: skip
    else:
        network = Rater(content, inputs, device=device)
    inside = network, manifest["chrf_weight"], manifest["longest"]
    return Opened(*inside, knots, values, _half_width(content, inputs))


class _Turned(NamedTuple):
    """The network for English, which reads the reference before the output."""

    network: OnnxPairScorer

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return self.network.lengths(texts)

    def scores(self, rows: Sequence[Row]) -> Floats:
        return self.network.scores([(reference, output) for output, reference in rows])


def curve(opened: Opened, sums: Floats) -> Floats:
    """Map sums of network and chrF to the scale from 0 to 100: straight between the knots, so that no two tie."""
    mapped: Floats = np.interp(sums, opened.knots, opened.values)
    return mapped


def network_scores(opened: Opened, rows: Sequence[Row]) -> Floats:
    """Return the network's number for each row: the output, then what is beside it."""
    from ...language.encoders.pieces import piecewise_scores

    return piecewise_scores(opened.network, rows, opened.longest)


def _chrf(pairs: Sequence[Row]) -> Floats:
    from ...data.testset import TestSet
    from ..strings.chrf import CHRF

    texts = TestSet({"output": [pair[0] for pair in pairs]}, {"reference": [pair[1] for pair in pairs]})
    ready = CHRF().ready(texts)
    return ready.segment_scores(ready.count(Shard(texts))["output"])
