"""PARMESAN: METEOR with equal words only, after the reference was rewritten towards the output.

Barančíková (2014), "Parmesan: Improving Meteor by More Fine-grained Paraphrasing", WMT, for Czech. Words and phrases of
the reference that have a synonym or paraphrase in the output are replaced by it; then METEOR compares equal words. The
paper also generates the right form of a lemma and repairs the grammar of the new reference; here whole forms are
replaced, as a table has them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...language.meteor_alignment import Alignment, describe
from ...language.paraphrases import find_table
from ...text.explanations import Seen
from ...types import Floats
from .._contract import Corpus, Learnt, Metric, Shard
from .._parameters import param
from ..bases.pairs import best_rows, one_segment, owners
from .meteor import LANGUAGES, METEOR, _References

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PARMESAN(Metric):
    """METEOR on rewritten references, 0 to 1; of a system by the sums of its segments' statistics.

    language: of the outputs: cs and others of METEOR, or `other`.
    paraphrases: a file, or a data set (`tercet data add`), with a table: METEOR's, PPDB's, or pairs divided by a tab.
        Without it only English has anything to replace: WordNet's synonyms.
    """

    language: str = param(choices=(*LANGUAGES, "other"))
    paraphrases: str | None = param(file=find_table, checksum="table")

    paper = "Barančíková (2014), Parmesan: Improving Meteor by More Fine-grained Paraphrasing"

    def validate(self) -> None:
        if self.paraphrases is not None:
            find_table(self.paraphrases)

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {"language": METEOR(language=self.language).resolved(language).language}

    def learn(self, testset: Corpus) -> Learnt:
        """Learn nothing; warn if there is nothing by which words could be replaced."""
        if self.language != "en" and self.paraphrases is None:
            log.warning(
                "PARMESAN: no word of a reference is replaced, because there is no table of paraphrases for %s. The "
                "scores are those of METEOR with equal words. Give a table: parmesan:paraphrases=FILE.", self.language
            )  # fmt: skip
        return Learnt()

    @property
    def finder(self) -> METEOR:
        """METEOR with the matches by which words are replaced."""
        names = [
            "exact",
            *(["synonym"] if self.language == "en" else []),
            *(["paraphrase"] if self.paraphrases else []),
        ]
        found = METEOR(language=self.language, matchers="+".join(names), paraphrases=self.paraphrases)
        return found.resolved(self.language)

    @property
    def judge(self) -> METEOR:
        """METEOR with equal words, on text that is tokenised."""
        return METEOR(language=self.language, matchers="exact", tokenize="none").resolved(self.language)

    def prepare(self, shard: Shard, opened: object) -> _References:
        return self.finder.prepare(shard, opened)

    def count_outputs(self, outputs: Sequence[str], prepared: _References) -> Floats:
        """Count the statistics of METEOR."""
        counts, _, _ = self._compare(outputs, prepared)
        result: Floats = counts[best_rows(self.score(counts), prepared.groups, highest=True)]
        return result

    def _compare(
        self, outputs: Sequence[str], prepared: _References
    ) -> tuple[Floats, list[list[str]], list[Alignment]]:
        """Return METEOR's counts for every reference, the rewritten references, and the alignments behind them."""
        _, texts, links = self.finder._count_all(outputs, prepared)
        offsets = prepared.texts.units.offsets.tolist()
        alignments = [
            describe(texts.words[owner], reference, links[offsets[row] : offsets[row + 1]].tolist())
            for row, (owner, reference) in enumerate(
                zip(owners(prepared.groups).tolist(), prepared.texts.words, strict=True)
            )
        ]
        rewritten = [rewrite(alignment) for alignment in alignments]
        judge = self.judge
        references = prepared._replace(texts=judge._read([" ".join(words) for words in rewritten]))
        counts, _, _ = judge._count_all([" ".join(words) for words in texts.words], references)
        return counts, rewritten, alignments

    def score(self, totals: Floats) -> Floats:
        return self.judge.score(totals)

    def details(self, totals: Floats) -> dict[str, Any]:
        return self.judge.details(totals)

    def verbose(self, totals: Floats) -> str:
        return self.judge.verbose(totals)

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return the best reference as rewritten, and what was replaced."""
        counts, rewritten, alignments = self._compare([output], self.prepare(one_segment(output, references), opened))
        scores = self.score(counts)
        row = int(np.argmax(scores))
        best = alignments[row]
        replaced = [
            {
                "words": [best.reference[place] for place in link.reference],
                "by": [best.output[place] for place in link.output],
                "matcher": link.matcher,
            }
            for link in best.links
            if link.matcher != "exact"
        ]
        return Seen(float(scores[row]), against=row, values={"rewritten": rewritten[row], "replaced": replaced})


def rewrite(alignment: Alignment) -> list[str]:
    """Return the reference with the words of the output in place of those that they are aligned with."""
    words: list[str] = []
    place = 0
    for link in alignment.links:
        words += alignment.reference[place : link.reference[0]]
        words += [alignment.output[at] for at in link.output]
        place = link.reference[-1] + 1
    return [*words, *alignment.reference[place:]]
