"""KoBE: the share of the source's entities, or of the reference's, that the output names too.

Gekhman et al. (2020), "KoBE: Knowledge-Based Machine Translation Evaluation", Findings of EMNLP. Mentions of entities
(people, places, organisations, things) are linked to a knowledge base that names them in many languages, so that no
reference is needed. Recall is lowered by a penalty where an output has twice as many entities as the source or more.
With the paper's annotations and against=reference the scores equal those of the published script, which rounds recall
(rounding=published).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from ...errors import UsageError
from ...knowledge.mentions import Mention
from ...knowledge.untranslated import Place, common_words, untranslated
from ...text.explanations import Entities, Entity, Seen
from .. import EntityMetric, Floats, Shard, mean_score, param
from ..bases.entities import Candidates, Found, Languages, kept_in, languages, match

if TYPE_CHECKING:
    from ...knowledge.name_checks import NameChecks

LAYERS = ("names", "concepts", "both")
# Chosen on WMT17 and WMT18, see docs/metrics/kobe.md. Between languages, nouns of the knowledge base reward outputs
# that are literal; words that are left untranslated do not.
CHOSEN: dict[str, dict[str, str | bool]] = {
    "source": {
        "categories": "names", "senses": "all", "guards": True, "average": "corpus", "layers": "both", "forms": True,
        "lemmas": True, "numbers": True,
    },
    "reference": {
        "categories": "all", "senses": "best", "lemmas": True, "numbers": False, "guards": False, "forms": False,
        "layers": "names", "average": "segments",
    },
}  # fmt: skip
# As in the paper; mentions that another program linked say what counts.
ANNOTATED: dict[str, str | bool] = {"numbers": False, "forms": False, "layers": "names", "average": "corpus"}


class _Prepared(NamedTuple):
    expected: list[list[Found]]  # for every segment the mentions of its source, or of each reference
    words: list[dict[str, Place]]  # for every segment the common words of its source, where they count
    languages: Languages
    checks: NameChecks | None  # finds names in another form


@dataclass(frozen=True)
class KoBE(EntityMetric):
    """Entity recall times entity count penalty, 0 to 1; NaN for a segment without entities.

    categories: count only these, as person+place+organisation; `names` is all but concepts; `all`. By default names
        against the source and all against the reference.
    guards: leave out what is rarely a mention: stop words, most words of two letters, names without their capital.
        By default true against the source, false against the reference.
    forms: a name counts as found if the output has it in another form that the linker does not know: derived, as an
        acronym, by its sound. By default true against the source.
    layers: names; concepts, the source's common words, which are lost if the output leaves them untranslated; or both:
        each word that is left untranslated counts as one more name that is lost. By default both against the source.
    against: source, or reference.
    average: corpus, the recall of the whole test set; or segments, the mean over segments, by default against the
        reference.
    senses: how many candidates of an ambiguous name count: best, a number, or all; mentions match if they share one.
        By default all against the source and the best against the reference.
    penalty: lower the score of outputs with twice as many entities as expected, or more.
    rounding: published rounds recall to hundredths of a percent before it is multiplied, as the published script does.
    """

    categories: str = param()
    lemmas: bool = param()
    numbers: bool = param()
    guards: bool = param()
    forms: bool = param()
    layers: str = param(choices=LAYERS, noun="layer")
    against: str = param("source", choices=CHOSEN, noun="side")
    senses: str = param()
    average: str = param(choices=("corpus", "segments"), noun="average")
    penalty: bool = True
    rounding: str = param("none", choices=("none", "published"))

    marked = ("entity in both texts", "", "entity in this text only")
    explains = (Entities,)
    version = 3  # 2: names after directions, amounts with their units; 3: other forms, numbers, untranslated words
    paper = "Gekhman et al. (2020), KoBE: Knowledge-Based Machine Translation Evaluation"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({self.against})

    def validate(self) -> None:
        if self.senses not in (None, "best", "all") and not re.fullmatch("[1-9][0-9]?", str(self.senses)):
            raise UsageError(f"kobe: senses must be best, all, or a number from 1 to 99, not {self.senses!r}.")
        if self.against == "reference" and self.layers in ("concepts", "both"):
            raise UsageError(f"kobe: layers={self.layers} looks for words of the source; it needs against=source.")

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return CHOSEN[self.against] if self.annotations is None else CHOSEN[self.against] | ANNOTATED

    def resolved(self, language: str | None = None) -> Self:
        """Return a metric with all parameters settled; a number of senses is written as text."""
        settled = super().resolved(language)
        return replace(settled, senses=str(settled.senses))

    @property
    def most_candidates(self) -> int | None:
        return None if self.senses == "all" else 1 if self.senses == "best" else int(self.senses)

    def prepare(self, shard: Shard, opened: object) -> _Prepared:
        both = languages(shard.pair)
        columns = list(shard.references.values()) if self.against == "reference" else [shard.source or ()]
        language = both.target if self.against == "reference" else both.source
        expected: list[list[Found]] = [[] for _ in range(len(shard))]
        for texts in columns:
            present = [text for text in texts if text is not None]
            found = iter(self.mentions(present, language, named_in=both.target))
            for row, text in zip(expected, texts, strict=True):
                if text is not None:
                    row.append(next(found))
        sides = (mention for row in expected for side in row for mention, _ in side)
        sources = shard.source if shard.source and self.layers != "names" else [""] * len(shard)
        words = [common_words(text, *both) for text in sources]
        return _Prepared(expected, words, both, self._checks(sides, language, both.target))

    def _checks(self, mentions: Iterable[Mention], language: str, target: str) -> NameChecks | None:
        if not self.forms or self.annotations is not None:
            return None
        from ...knowledge.name_checks import NameChecks

        kb = getattr(self.linker(), "kb", None)
        return NameChecks(kb, language, target, mentions)

    def count_outputs(self, outputs: Sequence[str], prepared: _Prepared) -> Floats:
        """Count matches, expected entities, and entities of the output, for the reference with the best recall.

        With average=segments, the counts of a segment are divided by its expected entities.
        """
        other = prepared.languages.source if self.against == "source" else prepared.languages.target
        found = self.mentions(outputs, prepared.languages.target, named_in=other, of_outputs=True)
        counts = np.zeros((len(outputs), 3))
        every = zip(counts, prepared.expected, prepared.words, found, outputs, strict=True)
        for row, sides, words, mentions, output in every:
            left = len(untranslated(words, output, prepared.languages.target))
            if self.layers == "concepts":
                row[:] = len(words) - left, len(words), 0
            else:
                kept = (kept_in(side, mentions, output, prepared.checks) for side in sides)
                matches, expected = max(((sum(matched), len(matched)) for matched in kept), key=_recall)
                row[:] = matches, expected + left, len(mentions)
            if self.average == "segments":
                row /= row[1] or np.inf
        return counts

    def explain_segment(
        self, opened: Languages | None, output: str, references: Sequence[str], source: str | None
    ) -> Seen:
        """Return the entities of the source, or of the best reference, and of the output, and which of them match."""
        if opened is None:
            raise UsageError("kobe: the languages are not known; call ready(testset) with the test set.")
        texts, language = [source or ""], opened.source
        if self.against == "reference":
            texts, language = list(references), opened.target
        sides = self.mentions(texts, language, named_in=opened.target)
        [found] = self.mentions([output], opened.target, named_in=language, of_outputs=True)
        checks = self._checks((mention for side in sides for mention, _ in side), language, opened.target)
        matched = [kept_in(side, found, output, checks) for side in sides]
        row = max(range(len(sides)), key=lambda each: _recall((sum(matched[each]), len(sides[each]))))
        known = match(_candidates(found), _candidates(sides[row]))
        words = {} if self.layers == "names" or source is None else common_words(source, *opened)
        left = untranslated(words, output, opened.target)
        lost = [Entity(word, *words[word], "word", f"word:{word}", False) for word in left]
        names = [] if self.layers == "concepts" else _shown(sides[row], matched[row])
        both = Entities(_shown(found, known), sorted([*names, *lost], key=attrgetter("begin")))
        return Seen(parts=[both], against=row if self.against == "reference" else None)

    def score(self, totals: Floats) -> Floats:
        matches, expected, found = np.moveaxis(totals, -1, 0)
        recall = mean_score(totals)
        if self.rounding == "published":
            recall = np.vectorize(_rounded, otypes=[np.float64])(matches, expected)
        return np.asarray(recall * _penalty(expected, found) if self.penalty else recall)

    def details(self, totals: Floats) -> dict[str, object]:
        matches, expected, found = map(_number, totals.tolist())
        return {
            "matches": matches,
            f"{self.against}_entities": expected,
            "output_entities": found,
            "recall": matches / expected if expected else None,
            "precision": matches / found if found else None,
            "penalty": float(_penalty(totals[1], totals[2])) if self.penalty else 1.0,
        }

    def verbose(self, totals: Floats) -> str:
        matches, expected, found = map(_number, totals.tolist())
        return f"{matches} of {expected} entities of the {self.against}, {found} in the output"


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _candidates(side: Found) -> list[Candidates]:
    return [candidates for _, candidates in side]


def _shown(mentions: Sequence[tuple[Mention, Candidates]], matched: Sequence[bool]) -> list[Entity]:
    return [
        Entity(mention.text, mention.start, mention.end, mention.category, candidates[0], is_matched)
        for (mention, candidates), is_matched in zip(mentions, matched, strict=True)
    ]


def _recall(counts: tuple[int, int]) -> tuple[float, int, int]:
    """Return a key that orders references by recall; one without entities comes last."""
    matches, expected = counts
    return (matches / expected if expected else -1.0), matches, -expected


def _penalty(expected: Floats, found: Floats) -> Floats:
    """Return the entity count penalty: 1 below twice the expected entities, exp(1 - c/2s) from there on."""
    return np.asarray(np.exp(np.minimum(0.0, 1 - found / np.maximum(2 * expected, 1))))


def _rounded(matches: float, expected: float) -> float:
    """Return recall, rounded as the script's calc_percentage does."""
    return round(100 * matches / expected, 2) / 100 if expected else np.nan
