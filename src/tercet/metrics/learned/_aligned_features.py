"""The base of Cobalt-F and Features-F: UPF-Cobalt's comparison, and what language models say of the output.

Comparisons are made with the default UPF-Cobalt and shared by all such metrics of a run. With several references the
features are those of the one with the highest UPF-Cobalt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...language.backends import Backend
from ...quality.fluency_models import FluencyModels, load_models
from ...text.scripts import base_code
from .. import Corpus, FeatureMetric, Floats, Learnt, Shard, param
from ..bases.features import Weights
from ..bases.parsed import parser_name, stored_parses
from ..structure.cobalt import Cobalt, CobaltComparison
from ._fluency import OutputFluency


class Compared(NamedTuple):
    """The comparison of an output, and its features of fluency by name."""

    comparison: CobaltComparison
    fluency: Mapping[str, float]


class Opened(NamedTuple):
    """The parser and the language models."""

    backend: Backend
    models: FluencyModels


@dataclass(frozen=True)
class AlignedFeatures(FeatureMetric):
    """A metric of features that need an alignment and language models.

    model: a file that `tercet learn` wrote; none gives only the features, and the score 0.
    lm: a file that `tercet lm` wrote; by default the one that it keeps for the language, or the package's.
    language: of the outputs.
    parser: spacy:MODEL, stanza:LANGUAGE, natasha, conllu:FILE, corenlp:FILE; by default the installed one.
    parses: a folder that keeps parses for later runs.
    """

    lm: str | None = param(file=True, local=True)
    language: str = param()
    parser: str | None = param(file=stored_parses)
    parses: str | None = param(local=True)

    longest = 5000
    segments_per_unit = 256
    shares = "parses"

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"language": base_code(self.language or language or "en")}

    def features_of(self, compared: Compared) -> Sequence[float]:
        """Return the features of one output, in the order of `feature_names`."""
        raise NotImplementedError

    @property
    def cobalt(self) -> Cobalt:
        """The metric that aligns."""
        return Cobalt(language=self.language, parser=self.parser, parses=self.parses).resolved(self.language)

    def check_packages(self) -> None:
        self.resolved().cobalt.check_packages()

    def learn(self, testset: Corpus) -> Learnt:
        """Name the model, the language models and the parser by checksums and versions."""
        models = load_models(self.lm, self.language).checksum[:16]  # first, because it is missing most often
        model, parser = super().learn(testset), self.cobalt.learn(testset)
        return Learnt((model.state, models, parser.state), {**model.items, "lms": models, **parser.items})

    def open(self, state: tuple[str, str, object] | None) -> Opened:
        return Opened(self.cobalt.open(state[2] if state else None), load_models(self.lm, self.language))

    def features(self, shard: Shard, opened: Opened, weights: Weights | None) -> dict[str, Floats]:
        compared = self._compared(shard, opened)
        return {
            system: np.array([self.features_of(each) for each in row], dtype=np.float64).reshape(
                len(shard), len(self.feature_names())
            )
            for system, row in compared.items()
        }

    def _compared(self, shard: Shard, opened: Opened) -> dict[str, list[Compared]]:
        """Return the comparison of each output, which metrics with the same parser and language models share."""
        cobalt = self.cobalt
        key = ("compared", parser_name(opened.backend), opened.models.checksum)
        known: dict[str, list[Compared]] = shard.share(key, dict)
        parses = cobalt.prepare(shard, opened.backend)
        rows = [[parses[text] for text in row] for row in shard.reference_rows]
        for system, outputs in shard.outputs.items():
            if system in known:
                continue
            fluency = OutputFluency(opened.models, [parses[text] for text in outputs])
            known[system] = []
            for place, (text, references) in enumerate(zip(outputs, rows, strict=True)):
                _, found = cobalt.best(parses[text], references)
                links = found.alignment.links
                aligned = {link.output for link in links}, {link.reference for link in links}
                reference = found.alignment.reference
                features = fluency.features(place, parses[text], reference, found.output_functions, aligned)
                known[system].append(Compared(found, features))
        return {system: known[system] for system in shard.outputs}
