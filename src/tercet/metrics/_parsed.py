"""What metrics on parses share: which parser it is, and that each distinct text is parsed once.

A metric says what it counts in a parsed output and its parsed references (`count_parsed`); parsing, reusing parses and
naming the parser in the signature are done here. Parsing costs a hundred times as much as comparing, so that units of
work are cut by segments: a worker has all systems' outputs of some segments, and their references once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..errors import DataError, UsageError
from ..text.scripts import base_code
from ._contract import Batch, Floats, Metric

if TYPE_CHECKING:
    from ..data.testset import TestSet
    from ..language.backends import Backend
    from ..language.sentence import Sentence

ParsedTexts = Mapping[str, "Sentence"]  # by text; cannot be changed


@dataclass(frozen=True)
class ParsedMetric(Metric):
    """A metric that compares parses. Which parser, and which version of it, is known when it is fitted.

    language: of the outputs.
    parser: as `tercet.language.parsing.parse` takes it: spacy:MODEL, stanza:LANGUAGE, natasha, or parses that exist,
        conllu:FILE or conllu:FOLDER, corenlp:FILE; None is the one for the language that is installed.
    parses: a folder in which parses are kept and found again; scores do not depend on it.
    """

    language: str = "en"
    parser: str | None = None
    parses: str | None = field(default=None, compare=False)
    parsed_with: str | None = field(default=None, init=False)  # NAME@VERSION

    segments_per_unit: ClassVar[int | None] = 256

    def __post_init__(self) -> None:
        for parameter in ("language", "parser", "parses"):
            value = getattr(self, parameter)
            if value is not None and (not value or set(value) & set("|,")):
                raise UsageError(f"{self.name}: {parameter} must not be empty or hold '|' or ',': {value!r}")
        # As `create` takes the language of a pair: EN and en-GB are English, whose synonyms and function words we have.
        object.__setattr__(self, "language", base_code(self.language))

    @classmethod
    def language_defaults(cls, language: str | None, given: Mapping[str, object]) -> dict[str, object]:
        return {} if language is None or "language" in given else {"language": language}

    @property
    def spec(self) -> str:
        """Without the folder of parses, which belongs to a computer and not to the metric."""
        return super().spec if self.parses is None else replace(self, parses=None).spec

    def signature_items(self) -> dict[str, str]:
        items = super().signature_items()
        del items["parses"]
        if self.parser is None:
            del items["parser"]
        if self.parsed_with is not None:
            items["parsed"] = self.parsed_with
        return items

    def fitted(self, testset: Any) -> Self:
        """The metric with name and version of its parser in its signature."""
        fitted = replace(self)
        object.__setattr__(fitted, "parsed_with", _name(self._backend()))
        return fitted

    def _backend(self) -> Backend:
        from ..language.parsing import opened

        backend = opened(self.parser, self.language)
        if self.parsed_with not in (None, _name(backend)):
            raise UsageError(
                f"{self.name}: the parser here is {_name(backend)}, but the run began with {self.parsed_with}. All "
                "computers of a cluster need the same one, and files of parses must not change."
            )
        return backend

    def parse_texts(self, texts: Iterable[str]) -> list[Sentence]:
        """The parse of each text; each distinct one is parsed once."""
        from ..language.parsing import parse

        backend = self._backend()
        parsed = parse(list(texts), self.language, backend=backend, cache=self.parses)
        if any(each.tokens for each in parsed) and not any(map(_has_tree, parsed)):
            raise DataError(
                f"{self.name}: {backend.name} gives words and no trees: none of the words has a head. Was the parser "
                "left out when the texts were tagged?"
            )
        return parsed

    def prepare(self, testset: TestSet) -> ParsedTexts:
        """The parses of all references and outputs."""
        columns = (*testset.references.values(), *testset.outputs.values())
        texts = dict.fromkeys(text for lines in columns for text in lines if text is not None)
        return MappingProxyType(dict(zip(texts, self.parse_texts(texts), strict=True)))

    def count(self, batch: Batch) -> Floats:
        parses: ParsedTexts = batch.prepared
        if new := [text for text in batch.outputs if text not in parses]:
            parses = {**parses, **dict(zip(new, self.parse_texts(new), strict=True))}
        references = zip(*batch.references.values(), strict=True)
        return np.array(
            [
                self.count_parsed(parses[output], [parses[text] for text in row if text is not None])
                for output, row in zip(batch.outputs, references, strict=True)
            ],
            dtype=np.float64,
        )

    def count_parsed(self, output: Sentence, references: Sequence[Sentence]) -> Sequence[float]:
        """The counts of one segment; an empty text is a sentence without words."""
        raise NotImplementedError


def _has_tree(sentence: Sentence) -> bool:
    return bool(sentence.dependencies) or any(token.head is not None for token in sentence.tokens)


def _name(backend: Backend) -> str:
    """Name and version; of parses that exist, their kind and checksum, wherever they lie."""
    name = backend.name.partition(":")[0] if backend.stored else backend.name
    return f"{name}@{backend.version}"
