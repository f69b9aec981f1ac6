"""PARMESAN: METEOR with equal words only, after the reference was rewritten towards the output.

Barančíková (2014), "Parmesan: Improving Meteor by More Fine-grained Paraphrasing", WMT, for Czech. Words and phrases of
the reference that have a synonym or paraphrase in the output are replaced by it; then METEOR compares equal words. The
paper looks words up by their base forms, generates the form that the reference needs and repairs the grammar of the new
reference; here the form of the output is taken.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import UsageError
from ...knowledge.normalise import dictionary_lemmas
from ...language.meteor_alignment import Alignment, Link, Texts, describe
from ...language.paraphrases import find_table, paraphrases
from ...text.coding import Ints
from ...text.explanations import Seen
from .. import BestReferenceMetric, Corpus, Floats, Learnt, param
from .meteor import LANGUAGES, METEOR

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PARMESAN(BestReferenceMetric):
    """METEOR on rewritten references, 0 to 1; of a system by the sums of its segments' statistics.

    language: of the outputs: cs and others of METEOR, or `other`.
    paraphrases: a file, or a data set (`tercet data add`), with a table: METEOR's, PPDB's, or pairs divided by a tab.
        Without it only English has anything to replace: WordNet's synonyms.
    lemmas: look up in the table the base forms of words, too, with simplemma.
    """

    language: str = param(choices=(*LANGUAGES, "other"))
    paraphrases: str | None = param(file=find_table, checksum="table")
    lemmas: bool = param(False, quiet=True)

    summary = METEOR.summary
    paper = "Barančíková (2014), Parmesan: Improving Meteor by More Fine-grained Paraphrasing"

    def validate(self) -> None:
        if self.paraphrases is not None:
            find_table(self.paraphrases)
        elif self.lemmas:
            raise UsageError("parmesan: lemmas=true looks base forms up in a table: paraphrases=FILE.")

    @property
    def packages(self) -> Sequence[tuple[str, str]]:
        return (("simplemma", "kobe"),) if self.lemmas else ()

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

    def read(self, texts: Sequence[str], opened: object) -> Texts:
        return self.finder.read(texts)

    def compare(self, outputs: Sequence[str], references: Texts, whose: Ints) -> Floats:
        texts, found = self._replaced(outputs, references, whose)
        judge = self.judge
        rewritten = judge.read([" ".join(rewrite(each)) for each in found])
        return judge.compare([" ".join(words) for words in texts.words], rewritten, whose)

    def _replaced(self, outputs: Sequence[str], references: Texts, whose: Ints) -> tuple[Texts, list[Alignment]]:
        """Return the outputs as read, and the alignments by which the references are rewritten."""
        _, texts, links = self.finder.aligned(outputs, references, whose)
        parts = np.split(links, references.units.offsets[1:-1])
        rows = zip(whose.tolist(), references.words, parts, strict=True)
        found = [describe(texts.words[owner], words, part.tolist()) for owner, words, part in rows]
        return texts, self._by_lemma(found) if self.lemmas else found

    def _by_lemma(self, alignments: Sequence[Alignment]) -> list[Alignment]:
        """Link words that are left over, one to one, if the table pairs their base forms."""
        words = {word for each in alignments for word in (*each.output, *each.reference)}
        base = {word: (dictionary_lemmas(word, self.language) or (word,))[-1].lower() for word in words}
        assert self.paraphrases is not None
        pairs = paraphrases(self.paraphrases).plain.between(sorted(set(base.values())))
        found = []
        for each in alignments:
            links, used = list(each.links), {place for link in each.links for place in link.reference}
            taken = {at for link in links for at in link.output}
            free = [at for at in range(len(each.output)) if at not in taken]
            for place in sorted(set(range(len(each.reference))) - used):
                others = pairs.get(base[each.reference[place]], ())
                at = next((at for at in free if base[each.output[at]] in others), None)
                if at is not None:
                    free.remove(at)
                    links.append(Link((at,), (place,), "lemma", -1))
            found.append(replace(each, links=tuple(sorted(links, key=lambda link: link.reference))))
        return found

    def score(self, totals: Floats) -> Floats:
        return self.judge.score(totals)

    def details(self, totals: Floats) -> dict[str, Any]:
        return self.judge.details(totals)

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        _, (found,) = self._replaced([output], self.read([reference], None), np.zeros(1, dtype=np.int64))
        replaced = [
            {
                "words": [found.reference[place] for place in link.reference],
                "by": [found.output[place] for place in link.output],
                "matcher": link.matcher,
            }
            for link in found.links
            if link.matcher != "exact"
        ]
        return Seen(float(self.score(counts)), values={"rewritten": rewrite(found), "replaced": replaced})


def rewrite(alignment: Alignment) -> list[str]:
    """Return the reference with the words of the output in place of those that they are aligned with."""
    words: list[str] = []
    place = 0
    for link in alignment.links:
        words += alignment.reference[place : link.reference[0]]
        words += [alignment.output[at] for at in link.output]
        place = link.reference[-1] + 1
    return [*words, *alignment.reference[place:]]
