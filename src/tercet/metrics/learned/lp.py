"""LP: the log-probability that an MT system gives the output, per token. It needs no reference.

Yankovskaya, Tättar and Fishel (2019), "Quality Estimation and Translation Metrics via Pre-trained Word and Sentence
Embeddings", WMT, use it as a feature. Fomicheva et al. (2020), "Unsupervised Quality Estimation for Neural Machine
Translation", TACL, show that it is a strong estimate of quality by itself. The numbers come from files of the system,
or from a model that reads the source and predicts the output as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DataError, NotParallel, UsageError
from ...language.encoders import DEVICES, PACKAGES
from ...language.likelihood import Likelihood, check_model, open_likelihood
from .. import Corpus, Floats, Learnt, Metric, Shard, mean_score, param

Counted = tuple[float, float]  # the sum of log-probabilities, and the number of tokens
SHARD = 10_000  # segments whose texts are in memory at once while files are read


@dataclass(frozen=True)
class LP(Metric):
    """The mean log-probability of a token, 0 or less. Numbers of different models are not comparable.

    file: a file with one line per segment; `{system}` in its name stands for the system. A line has the log-probability
        of the output; or it and, after a tab, the number of tokens; or, separated by spaces, those of all tokens.
    normalised: the numbers are means over tokens already.
    model: instead of a file, a model that gives them: hf:PLACE or onnx:PLACE, which translates or is a language model.
    device, allow_download, trust_pickle: as for metrics on encoders.
    """

    file: str | None = None
    normalised: bool = False
    model: str | None = param(check=check_model)
    device: str = param("auto", choices=DEVICES, local=True)
    allow_download: bool = param(False, local=True)
    trust_pickle: bool = param(False, local=True)

    tolerance = 1e-4  # a model on another processor
    segments_per_unit = 256
    paper = "Fomicheva et al. (2020), Unsupervised Quality Estimation for Neural Machine Translation"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"source"} if self.model else ())

    @property
    def packages(self) -> Sequence[tuple[str, str]]:
        return PACKAGES[self.model.partition(":")[0]] if self.model else ()

    @property
    def lacks(self) -> str:
        files = "a file of the MT system: lp:file=FILE, or lp:file=FOLDER/{system}.txt; or a model: lp:model=hf:PLACE"
        return "" if self.file or self.model else files

    def validate(self) -> None:
        if self.model and (self.file or self.normalised):
            raise UsageError("lp: give a file or a model, not both; normalised goes with a file.")

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        if self.model:
            return
        assert self.file is not None
        if len(testset.outputs) > 1 and "{system}" not in self.file:
            raise UsageError("lp: there are several systems; write {system} in the name of the file for their names.")
        for system in testset.outputs:
            if not self.path(system).is_file():
                raise UsageError(f"lp: there is no file {self.path(system)}, with log-probabilities of {system}.")

    def path(self, system: str) -> Path:
        return Path((self.file or "").replace("{system}", system))

    def learn(self, testset: Corpus) -> Learnt:
        if self.model:
            fingerprint = self._opened().fingerprint
            return Learnt(fingerprint, {"checksum": fingerprint})
        from ...data.lines import read_lines

        lines = {system: read_lines(self.path(system)) for system in testset.outputs}
        found: dict[tuple[str, str, str], list[Counted]] = {}
        first, digest = 0, blake2b(digest_size=8)
        for shard in testset.shards(SHARD):
            sources = shard.source or [""] * len(shard)
            for system, outputs in shard.outputs.items():
                for place, (source, output) in enumerate(zip(sources, outputs, strict=True), first):
                    if place < len(lines[system]):
                        counted = self._read(lines[system][place], output, self.path(system), place + 1)
                        found.setdefault((system, source, output), []).append(counted)
            first += len(shard)
        for system, read in lines.items():
            if len(read) != first:
                raise NotParallel(testset.name, [(f"output {system!r}", first), (str(self.path(system)), len(read))])
            digest.update("\n".join([system, *read]).encode())
        # The same text may occur several times with different numbers, as in systems that read documents.
        means = {key: (float(np.mean([a for a, _ in rows])), float(np.mean([b for _, b in rows])))
                 for key, rows in found.items()}  # fmt: skip
        return Learnt(means, {"checksum": digest.hexdigest()})

    def _opened(self) -> Likelihood:
        how = {"allow_download": self.allow_download, "trust_pickle": self.trust_pickle}
        return open_likelihood(self.model or "", device=self.device, **how)

    def _read(self, line: str, output: str, path: Path, number: int) -> Counted:
        total, _, tokens = line.partition("\t")
        try:
            values = [float(value) for value in total.split()]
            length = float(tokens) if tokens else float(len(values))
        except ValueError:
            values, length = [], 0.0
        if not values or not isfinite(length) or length <= 0 or any(not isfinite(v) or v > 0 for v in values):
            raise DataError(f"{path}, line {number}: {line[:60]!r} is no log-probability, which is a number up to 0.")
        if self.normalised:
            return sum(values) / len(values), 1.0
        if len(values) == 1 and not tokens:
            length = len(output.split()) + 1.0  # and the end of the sentence
        return sum(values), length

    def count(self, shard: Shard, opened: Any) -> dict[str, Floats]:
        """Count the sum of log-probabilities, and tokens."""
        sources = shard.source or [""] * len(shard)
        if self.model:
            model = self._opened()
            if opened not in (None, model.fingerprint):
                raise UsageError("lp: the model is not the one that scoring began with.")
            rows = {row: model.log_probability(*row)
                    for lines in shard.outputs.values() for row in zip(sources, lines, strict=True)}  # fmt: skip
            return {
                system: np.array([rows[row] for row in zip(sources, lines, strict=True)], dtype=np.float64)
                for system, lines in shard.outputs.items()
            }
        known: Mapping[tuple[str, str, str], Counted] = self.learnt(opened, "the log-probabilities are")
        try:
            return {
                system: np.array([known[system, *texts] for texts in zip(sources, outputs, strict=True)])
                for system, outputs in shard.outputs.items()
            }
        except KeyError as missing:
            raise UsageError(f"lp: there is no log-probability of {missing.args[0][2][:60]!r}.") from None

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def details(self, totals: Floats) -> dict[str, object]:
        return {"log_probability": float(totals[0]), "tokens": float(totals[1])}
