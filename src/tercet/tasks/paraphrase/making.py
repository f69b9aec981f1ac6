"""Make variants of references: parse, apply the rules, and drop bad variants."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...data.testset import TestSet, check_several
from ...errors import DataError, NotParallel
from ...language.ngram_models import open_model
from ...language.parsing import parse
from ...language.sentence import Sentence, shown
from ...paraphrasing.control import parses_back, probable
from ...paraphrasing.inflection import Morphology, morphology
from ...paraphrasing.result import Paraphrase, Paraphrases
from ...paraphrasing.rules import RuleSet, open_rules
from ...paraphrasing.tree import Tree, build_tree
from ...paraphrasing.variants import Generator, Segment, Variant
from ...scoring import score
from . import ParaphraseOptions

NEARNESS = "sentbleu:tokenize=13a"  # the thesis measures with BLEU what further references change


def make_paraphrases(
    references: Sequence[str],
    against: Mapping[str, Sequence[str]],
    executor: Executor | None,
    options: ParaphraseOptions,
) -> Paraphrases:
    """Return the variants of references. against: outputs by system. executor: parses."""
    check_several(references)
    references, backend, parses = tuple(references), options.backend, options.parses
    chosen, words = open_rules(options.rules, options.language, options.only), morphology(options.language)
    generator = Generator(chosen, words)
    stored = backend if parses is None else f"conllu:{parses}"
    where: dict[str, Any] = {"cache": options.cache, "executor": executor, "progress": options.progress}
    sentences = parse(references, options.language, backend=stored, **where)
    segments = [generator.segment(_tree(sentence, chosen, words)) for sentence in sentences]
    dropped: dict[str, int] = {}
    if options.parse_back if options.parse_back is not None else parses is None:
        parsed = parse([variant.text for variant in _singles(segments)], options.language, backend=backend, **where)
        verdicts = [parses_back(*pair, words) for pair in zip(_singles(segments), parsed, strict=True)]
        segments, dropped["structure"] = _kept(segments, verdicts)
    if options.model is not None:
        opened = open_model(options.model) if isinstance(options.model, str | Path) else options.model
        olds = [segment.tree.text for segment in segments for _ in segment.singles]
        verdicts = probable(opened, olds, [variant.text for variant in _singles(segments)], options.threshold)
        segments, dropped["probability"] = _kept(segments, verdicts)
    variants = [
        Paraphrase(place, number, variant.text, variant.rules)
        for place, segment in enumerate(segments, 1)
        for number, variant in enumerate(generator.variants(segment, options.most), 1)
    ]
    if against:
        nearer = _nearer_outputs(references, variants, against)
        dropped["not nearer"] = sum(not names for names in nearer)
        variants = _renumbered(
            [replace(one, nearer=names) for one, names in zip(variants, nearer, strict=True) if names]
        )
        near = {(one.segment, one.rules) for one in variants}
        places = [place for place, segment in enumerate(segments, 1) for _ in segment.singles]
        rules_of = [variant.rules for variant in _singles(segments)]
        segments, _ = _kept(segments, [pair in near for pair in zip(places, rules_of, strict=True)])

    def together(names: Collection[str]) -> tuple[str, ...]:
        return tuple(generator.together(segment, names) for segment in segments)

    return Paraphrases(references, chosen, tuple(variants), dropped, together)


def _tree(sentence: Sentence, rules: RuleSet, words: Morphology) -> Tree:
    if sentence.tokens and sentence.scheme != rules.scheme:
        raise DataError(
            f"The rules of {rules.source} are for trees with {rules.scheme} labels, but the parse of "
            f"{shown(sentence.text)} has {sentence.scheme} labels. Use another parser (--backend) or rules (--rules)."
        )
    return build_tree(sentence, words.split, words.lemma)


def _singles(segments: Sequence[Segment]) -> list[Variant]:
    return [variant for segment in segments for _, variant in segment.singles]


def _kept(segments: Sequence[Segment], verdicts: Sequence[bool]) -> tuple[list[Segment], int]:
    """Return the segments with the changes whose verdict is true, and the number of the others."""
    each = iter(verdicts)
    kept = [replace(one, singles=tuple(single for single in one.singles if next(each))) for one in segments]
    return kept, verdicts.count(False)


def _renumbered(variants: Sequence[Paraphrase]) -> list[Paraphrase]:
    counts: dict[int, int] = {}
    found = []
    for one in variants:
        counts[one.segment] = counts.get(one.segment, 0) + 1
        found.append(replace(one, number=counts[one.segment]))
    return found


def _nearer_outputs(
    references: Sequence[str], variants: Sequence[Paraphrase], outputs: Mapping[str, Sequence[str]]
) -> list[tuple[str, ...]]:
    """Return for each variant the names of the outputs to which it is nearer than its reference, by sentence BLEU."""
    lengths = [("references", len(references)), *((f"output {name!r}", len(lines)) for name, lines in outputs.items())]
    if len({length for _, length in lengths}) > 1:
        raise NotParallel("against", lengths)
    if not variants:
        return []
    chosen = {name: [lines[one.segment - 1] for one in variants] for name, lines in outputs.items()}
    old = score(TestSet(chosen, {"reference": [references[one.segment - 1] for one in variants]}), NEARNESS)[0]
    new = score(TestSet(chosen, {"variant": [one.text for one in variants]}), NEARNESS)[0]
    return [
        tuple(name for name in outputs if new.segment[name][row] > old.segment[name][row])
        for row in range(len(variants))
    ]
