"""Convert trees with TIGER's relations, which spaCy's German models have, to basic Stanford dependencies.

Brants et al. (2004), "TIGER: Linguistic Interpretation of a German Corpus", Research on Language and Computation. In
TIGER the finite verb is the head of a clause, also if it is an auxiliary; the noun of a prepositional phrase and the
words of a noun phrase have one relation, nk; and a conjunct depends on its conjunction. `tercet.language.relations`
collapses the result as it does Stanford's own trees.
"""

from dataclasses import replace

from ..text.packaged import packaged
from .sentence import Sentence, Token

VERBS = ("VERB", "AUX")
PASSIVE = "werden"


def from_tiger(sentence: Sentence) -> Sentence:
    """Return the sentence with a basic Stanford tree over the same words."""
    tree = _Tree(sentence.tokens)
    tree.lift_verbs()
    tree.join_conjuncts()
    tree.rename()
    tokens = (
        token._replace(head=head, relation=relation)
        for token, head, relation in zip(sentence.tokens, tree.heads, tree.labels, strict=True)
    )
    return replace(sentence, tokens=tuple(tokens), scheme="stanford", dependencies=())


class _Tree:
    """Heads and labels of words, numbered from 1; they change step by step."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.tables: dict[str, dict[str, str]] = packaged(__package__, "data/relations.toml")["tiger"]
        self.heads = [token.head for token in tokens]
        self.labels = [token.relation for token in tokens]

    def tag(self, number: int | None) -> str:
        return self.tokens[number - 1].upos if number else ""

    def lift_verbs(self) -> None:
        """Make the full verb the head of its auxiliaries: oc(hat, diskutiert) becomes aux(diskutiert, hat)."""
        while (verb := self._below_auxiliary()) is not None:
            auxiliary = self.heads[verb - 1] or 0
            self.heads[verb - 1], self.labels[verb - 1] = self.heads[auxiliary - 1], self.labels[auxiliary - 1]
            self.heads = [verb if head == auxiliary else head for head in self.heads]
            passive = self.tokens[auxiliary - 1].lemma == PASSIVE and self.tokens[verb - 1].xpos.endswith("PP")
            self.heads[auxiliary - 1], self.labels[auxiliary - 1] = verb, "auxpass" if passive else "aux"

    def _below_auxiliary(self) -> int | None:
        """Return a verb without an object clause of its own that depends on an auxiliary as its object clause."""
        clauses = [
            (number, head)
            for number, (head, label) in enumerate(zip(self.heads, self.labels, strict=True), 1)
            if label == "oc" and head and self.tag(head) == "AUX" and self.tag(number) in VERBS
        ]
        above = {head for _, head in clauses}
        return next((number for number, _ in clauses if number not in above), None)

    def join_conjuncts(self) -> None:
        """Make conjuncts depend on the first one instead of on the conjunction."""
        for place, label in enumerate(self.labels):
            conjunction = self.heads[place]
            if label == "cj" and conjunction and self.labels[conjunction - 1] == "cd":
                self.heads[place] = self.heads[conjunction - 1]

    def rename(self) -> None:
        passives = {head for head, label in zip(self.heads, self.labels, strict=True) if label == "auxpass"}
        introduced = {head for head, label in zip(self.heads, self.labels, strict=True) if label == "cp"}
        renamed = [self._name(number, introduced) for number in range(1, len(self.tokens) + 1)]
        self.labels = [
            "nsubjpass" if label == "nsubj" and head in passives else label
            for label, head in zip(renamed, self.heads, strict=True)
        ]

    def _name(self, number: int, introduced: set[int | None]) -> str:
        label, tag, head = self.labels[number - 1], self.tag(number), self.heads[number - 1]
        if head == 0:
            return "root"
        if label == "nk":
            if self.tag(head) == "ADP":
                return "pobj"
            return "poss" if self.tokens[number - 1].xpos == "PPOSAT" else self.tables["phrase"].get(tag, "nn")
        if label in ("mo", "mnr"):
            return self.tables["modifier"].get(tag, "advmod")
        if label == "oc":
            return "ccomp" if number in introduced or self.tokens[number - 1].xpos.endswith("FIN") else "xcomp"
        return label if label in ("aux", "auxpass") else self.tables["rename"].get(label, "dep")
