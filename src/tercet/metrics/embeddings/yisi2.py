"""YiSi-2: the source against the output, by the vectors of their tokens. It needs no reference.

Lo (2019), "YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric for Languages with Different Levels of
Available Resources", WMT. It is YiSi-1 with the source in place of the reference and a cross-lingual encoder. Weights
are learnt from the sources. Tokens of the output all weigh the same, so that systems do not influence each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...language.encoders import LAST, TokenVectors
from ...text.scripts import base_code
from .. import Corpus, Floats, Shard, param
from ..bases.encoded import AcrossLanguages, Opened
from ..bases.parsed import stored_parses
from .yisi1 import USUAL, YiSi1, weights_of


@dataclass(frozen=True)
class YiSi2(AcrossLanguages, YiSi1):
    """YiSi-2, the mean of segments, 0 to 1.

    encoder: a cross-lingual encoder; by default `use` where it knows both languages, otherwise `multilingual`.
    layer: whose vectors are compared; by default 0 with `multilingual`, and otherwise -1, the last.
    n: tokens in an n-gram; shorter texts are compared by n-grams of their length.
    alpha: the weight of recall, from 0 to 1, against precision.
    srl: compare verbs and what depends on them too, from parses of both texts; no semantic roles are labelled.
    beta: the weight of that comparison, from 0 to 1, if there is one.
    parser, source_parser: of the outputs and of the sources, as for `cobalt`; used with srl. parses: a folder for them.
    """

    layer: int | None = param()  # type: ignore[assignment]  # `defaults` settles it
    alpha: float = param(0.5, low=0, high=1)
    source_parser: str | None = param(file=stored_parses)

    paper = "Lo (2019), YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric"

    def defaults(self, language: str | None) -> Mapping[str, object]:
        """Compare the pieces alone with the encoder multilingual: their context is for texts of one language."""
        found = dict(super().defaults(language))
        return {**found, "layer": 0 if (self.encoder or found["encoder"]) == "multilingual" else LAST}

    def compared_with(self, shard: Shard) -> Sequence[Sequence[str | None]]:
        return (shard.source or (),)

    def token_weights(self, output: TokenVectors, reference: TokenVectors, opened: Opened) -> tuple[Floats, Floats]:
        return np.ones(len(output)), weights_of(reference.tokens, opened.frequencies)

    @property
    def parsers(self) -> tuple[str | None, ...]:
        return self.source_parser, self.parser

    def parsed_languages(self, testset: Corpus) -> tuple[str, ...]:
        return tuple(base_code(language or USUAL) for language in self.encoded_languages(testset))

    def parsed_texts(self, shard: Shard) -> tuple[list[str], ...]:
        """Return sources and outputs. A text that is both is parsed as an output."""
        return list(shard.source or ()), [text for lines in shard.outputs.values() for text in lines]
