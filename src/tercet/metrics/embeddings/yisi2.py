"""YiSi-2: the source against the output, by the vectors of their tokens. It needs no reference.

Lo (2019), "YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric for Languages with Different Levels of
Available Resources", WMT. It is YiSi-1 with the source in place of the reference and a cross-lingual encoder. Weights
are learnt from the sources. Tokens of the output all weigh the same, so that systems do not influence each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...language.backends import Backend
from ...language.encoders import LAST, TokenVectors
from ...language.sentence import Sentence
from ...text.explanations import Seen
from ...text.scripts import base_code
from ...types import Floats
from .._contract import Corpus, Learnt, Shard
from .._parameters import param
from ..bases.encoded import AcrossLanguages, EncodedMetric, Opened
from ..bases.parsed import parser_name, stored_parses
from .yisi1 import YiSi1, weights_of

USUAL = "en"  # the language of a side that the test set does not name


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
    device: cpu, cuda, or auto, the GPU where there is one.
    allow_download: download a model of the hub that is not on this computer.
    trust_pickle: load weights in Python's pickle format, which can run any code.
    """

    layer: int | None = param()  # type: ignore[assignment]  # `defaults` settles it
    alpha: float = param(0.5, low=0, high=1)
    source_parser: str | None = param(file=stored_parses)

    paper = "Lo (2019), YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric"

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        """Compare the pieces alone with the encoder multilingual: their context is for texts of one language."""
        found = dict(super().defaults(language))
        return {**found, "layer": 0 if (self.encoder or found["encoder"]) == "multilingual" else LAST}

    def compared_with(self, shard: Shard) -> Sequence[Sequence[str | None]]:
        return (shard.source or (),)

    def token_weights(self, output: TokenVectors, reference: TokenVectors, opened: Opened) -> tuple[Floats, Floats]:
        return np.ones(len(output)), weights_of(reference.tokens, opened.frequencies)

    def learn(self, testset: Corpus) -> Learnt:
        """Learn weights of the source's tokens; with srl, find the parsers' names and versions."""
        learnt = EncodedMetric.learn(self, testset)
        if not self.srl:
            return learnt
        both = tuple(base_code(language or USUAL) for language in self.encoded_languages(testset))
        names = "+".join(parser_name(self._open(side, language)) for side, language in enumerate(both))
        return replace(learnt, state=learnt.state._replace(more=both), items={**learnt.items, "parsed": names})

    def _open(self, side: int, language: str) -> Backend:
        """Return the parser of the source (0) or of the outputs (1)."""
        from ...language.parsing import opened

        return opened((self.source_parser, self.parser)[side], language)

    def _parsed(self, sources: Sequence[str], outputs: Sequence[str], both: Sequence[str]) -> dict[str, Sentence]:
        """Return the parses by text. A text that is a source and an output is parsed as an output."""
        from ...language.parsing import parse

        found: dict[str, Sentence] = {}
        for side, texts in enumerate((sources, outputs)):
            distinct = list(dict.fromkeys(texts))
            parses = parse(distinct, both[side], backend=self._open(side, both[side]), cache=self.parses)
            found |= {sentence.text: sentence for sentence in parses}
        return found

    def prepare_shard(self, shard: Shard, opened: Opened) -> Opened:
        """With srl, parse all texts, each once."""
        if not self.srl:
            return opened
        outputs = [text for lines in shard.outputs.values() for text in lines]
        return opened._replace(more=self._parsed(shard.source or (), outputs, opened.more))

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return for each token the most similar token of the other text, with its weight."""
        text = source or ""
        if self.srl:
            opened = opened._replace(more=self._parsed([text], [output], opened.more))
        return replace(self.explained_pair(opened, output, [text]), against=None)
