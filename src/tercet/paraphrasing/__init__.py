"""Closer references: undo optional shifts of translators by rules, and use the results as further references.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", section 3.2: human
translations differ from the output of machines by optional changes (a passive for an active, a clause for an adverb).
Rules over dependency trees undo them. `rules` reads them, `matching` finds where they apply, `actions` changes the
words with the forms of `spanish` and `english`, `realising` writes the text, and `control` drops bad variants.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data.testset import check_several
from ..errors import DataError, UsageError
from ..language.ngram_models import KenlmModel, NgramModel, open_model
from ..language.parsing import Progress, parse
from ..language.sentence import Sentence, shown
from .control import THRESHOLD, parses_back, probable
from .inflection import Morphology, morphology
from .nearness import nearer_outputs
from .result import Paraphrase as Paraphrase
from .result import Paraphrases as Paraphrases
from .rules import RuleSet, open_rules
from .tree import Tree, build_tree
from .variants import Generator, Segment, Variant

MOST = 8  # variants of a segment


def paraphrase(
    references: Sequence[str],
    language: str,
    *,
    rules: str | Path | RuleSet | None = None,
    only: Sequence[str] = (),
    parses: str | Path | None = None,
    backend: str | None = None,
    parse_back: bool | None = None,
    model: str | Path | NgramModel | KenlmModel | None = None,
    threshold: float = THRESHOLD,
    against: Mapping[str, Sequence[str]] | None = None,
    most: int = MOST,
    cache: str | Path | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Paraphrases:
    """Paraphrase references by rules, to be used as further references.

    This is the function of `tercet paraphrase`.

    Parameters
    ----------
    references : the texts, in one language.
    language : their language, "es" or "en"; others need rules of your own.
    rules : a file of rules, or rules that were read; by default those of Tercet for the language.
    only : names or numbers ("4a") of the rules to apply; by default all.
    parses : a CoNLL-U file with the parses of the references. Otherwise they are parsed.
    backend : the parser, as in `tercet.parse`.
    parse_back : whether variants must parse to the structure that the rule intends; by default only if no `parses` are
        given, since it needs a parser.
    model : a language model (ARPA or kenlm file). A variant whose log10 probability per word is more than `threshold`
        below that of the reference is dropped.
    against : outputs by system. Only variants that are nearer to one of them than the reference are kept. The variants
        then depend on these outputs: say so if you score the same outputs.
    most : the most variants of a segment: first those with one change, then combinations.
    cache, executor, progress : as in `tercet.parse`.

    Returns
    -------
    Paraphrases
        The variants with the rules that made them. `add_to(testset)` adds them to a test set.

    Examples
    --------
    >>> import tercet
    >>> found = tercet.paraphrase(["The committee approved the proposal."], "en", only=["active-to-passive"])
    >>> found.variants[0].text
    'The proposal was approved by the committee.'
    """
    check_several(references)
    references = tuple(references)
    if most < 1:
        raise UsageError(f"The number of variants must be at least 1, not {most}.")
    chosen = open_rules(rules, language, only)
    words = morphology(language)
    generator = Generator(chosen, words)
    stored = backend if parses is None else f"conllu:{parses}"
    where: dict[str, Any] = {"cache": cache, "executor": executor, "progress": progress}
    sentences = parse(references, language, backend=stored, **where)
    segments = [generator.segment(_tree(sentence, chosen, words)) for sentence in sentences]
    dropped: dict[str, int] = {}
    if parse_back if parse_back is not None else parses is None:
        parsed = parse([variant.text for variant in _singles(segments)], language, backend=backend, **where)
        verdicts = [parses_back(*pair, words) for pair in zip(_singles(segments), parsed, strict=True)]
        segments, dropped["structure"] = _kept(segments, verdicts)
    if model is not None:
        opened = open_model(model) if isinstance(model, str | Path) else model
        olds = [segment.tree.text for segment in segments for _ in segment.singles]
        verdicts = probable(opened, olds, [variant.text for variant in _singles(segments)], threshold)
        segments, dropped["probability"] = _kept(segments, verdicts)
    variants = [
        Paraphrase(place, number, variant.text, variant.rules)
        for place, segment in enumerate(segments, 1)
        for number, variant in enumerate(generator.variants(segment, most), 1)
    ]
    if against is not None:
        nearer = nearer_outputs(references, variants, against)
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
    """Return variants with numbers from 1 in each segment."""
    counts: dict[int, int] = {}
    found = []
    for one in variants:
        counts[one.segment] = counts.get(one.segment, 0) + 1
        found.append(replace(one, number=counts[one.segment]))
    return found
