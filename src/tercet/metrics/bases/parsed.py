"""What metrics on parses share: the choice of the parser, and that each distinct text is parsed once.

A metric implements `count_pair`, or `count_parsed` for all references. Parsing takes a hundred times as long as
comparing, so a unit of work has all systems' outputs of some segments, and parses their references once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Self

from ...data.files import is_file
from ...errors import DataError, UsageError
from ...language.backends import Backend
from ...language.sentence import Sentence
from ...text.explanations import Seen
from ...text.scripts import base_code
from ...types import Floats
from .._contract import Corpus, Learnt, Metric, Shard, mean_score
from .._parameters import param

ParsedTexts = Mapping[str, "Sentence"]  # by text


def stored_parses(parser: str) -> Path | None:
    """Return the file of parses that a parser's name names; None for a program or a folder."""
    kind, _, path = parser.partition(":")
    return Path(path) if kind in ("conllu", "corenlp") and is_file(path) else None


@dataclass(frozen=True)
class ParsedMetric(Metric):
    """A metric that compares parses. The parser and its version are known when the metric is made ready.

    language: of the outputs.
    parser: spacy:MODEL, stanza:LANGUAGE, natasha, or existing parses, conllu:FILE or a folder, corenlp:FILE; by default
        the installed one for the language.
    parses: a folder that keeps parses for later runs; scores do not depend on it.
    """

    language: str = param()
    parser: str | None = param(file=stored_parses)
    parses: str | None = param(local=True)

    longest = 5000
    segments_per_unit = 256
    shares = "parses"

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"language": language or "en"}

    def resolved(self, language: str | None = None) -> Self:
        """Return a metric with all parameters settled. EN and en-GB are English, whose synonyms and words we have."""
        settled = super().resolved(language)
        base = base_code(settled.language)
        return settled if base == settled.language else replace(settled, language=base)

    def check_packages(self) -> None:
        from ...language.backends import default_name

        if self.parser is None:
            default_name(self.resolved().language)

    def learn(self, testset: Corpus) -> Learnt:
        """Find the parser's name and version, for the signature."""
        name = parser_name(self.open(None))
        return Learnt(name, {"parsed": name})

    def open(self, state: str | None) -> Backend:
        from ...language.parsing import opened

        backend = opened(self.parser, self.language)
        if state not in (None, parser_name(backend)):
            raise UsageError(
                f"{self.name}: the parser here is {parser_name(backend)}, but the run began with {state}. All "
                "computers of a cluster need the same one, and files of parses must not change."
            )
        return backend

    def parse_texts(self, texts: Iterable[str], backend: Backend | None = None) -> list[Sentence]:
        """Return the parse of each text; each distinct one is parsed once."""
        from ...language.parsing import parse

        backend = backend or self.open(None)
        parsed = parse(list(texts), self.language, backend=backend, cache=self.parses)
        if any(each.tokens for each in parsed) and not any(map(_has_tree, parsed)):
            raise DataError(
                f"{self.name}: {backend.name} gives words and no trees: none of the words has a head. Were the texts "
                "tagged without a parser?"
            )
        return parsed

    def prepare(self, shard: Shard, opened: Backend) -> ParsedTexts:
        """Parse all references and outputs; metrics with the same parser share the parses."""
        columns = (*shard.references.values(), *shard.outputs.values())
        texts = dict.fromkeys(text for lines in columns for text in lines if text is not None)
        key = ("parses", parser_name(opened), self.language)
        known = shard.share_each(key, texts, lambda new: self.parse_texts(new, opened))
        self.check_parses([known[text] for text in texts])
        return MappingProxyType(known)

    def check_parses(self, parsed: Sequence[Sentence]) -> None:
        """Raise an error for parses that the metric cannot use."""

    def count(self, shard: Shard, opened: Backend) -> dict[str, Floats]:
        parses = self.prepare(shard, opened)
        references = [[parses[text] for text in row] for row in shard.reference_rows]
        return shard.count_each(lambda output, segment: self.count_parsed(parses[output], references[segment]))

    def count_parsed(self, output: Sentence, references: Sequence[Sentence]) -> Sequence[float]:
        """Return the counts of one segment: those of the reference with the highest first count, the score."""
        return max((self.count_pair(output, each) for each in references), key=lambda counts: counts[0])

    def count_pair(self, output: Sentence, reference: Sentence) -> Sequence[float]:
        """Return the counts of one output and one reference; an empty text is a sentence without words."""
        raise NotImplementedError

    def explain_parsed(self, output: Sentence, reference: Sentence) -> Seen:
        raise UsageError(f"{self.name} cannot explain a segment.")

    def explain_segment(self, opened: Backend, output: str, references: Sequence[str], source: str | None) -> Seen:
        parsed, *others = self.parse_texts([output, *references], opened)
        row = max(range(len(others)), key=lambda each: self.count_pair(parsed, others[each])[0])
        return replace(self.explain_parsed(parsed, others[row]), against=row)

    def score(self, totals: Floats) -> Floats:
        """Compute the mean of segments, unless a metric says otherwise."""
        return mean_score(totals)


def _has_tree(sentence: Sentence) -> bool:
    return bool(sentence.dependencies) or any(token.head is not None for token in sentence.tokens)


def parser_name(backend: Backend) -> str:
    """Return name and version; for existing parses their kind and checksum, without the path."""
    name = backend.name.partition(":")[0] if backend.stored else backend.name
    return f"{name}@{backend.version}"
