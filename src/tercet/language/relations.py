"""Convert the trees of all parsers to one scheme: collapsed Stanford dependencies with propagated conjuncts.

De Marneffe and Manning (2008), "The Stanford Typed Dependencies Representation", CrossParser workshop. Fomicheva
(2017) compares the contexts of words in this graph: "the symbol of the village" has prep_of(symbol, village), with no
word in between. Trees with ClearNLP labels (spaCy's English models), TIGER's (its German ones, see `tiger`), Universal
Dependencies and basic Stanford dependencies are converted by the tables of data/relations.toml and these steps:

1. labels are renamed; the predicate becomes the head of a copula ("is big": cop(big, is)), and "$" of its amount; all
   nouns before a noun become its dependents;
2. a preposition becomes part of its relation: prep_of, prepc_without (of a clause), agent ("by" of a passive);
3. a relative pronoun is replaced by the noun that it refers to;
4. a conjunction becomes part of its relation (conj_and); conjuncts share their governors, and verbs their subject;
5. an open clausal complement gets the subject of its verb: xsubj.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

from ..text.packaged import packaged
from .sentence import Dependency, Entity, Sentence, Token
from .tiger import from_tiger

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")


def with_dependencies(sentence: Sentence) -> Sentence:
    """Return the sentence with its collapsed dependencies; unchanged if it already has them."""
    if sentence.dependencies or not (found := collapsed(sentence)):
        return sentence
    return replace(sentence, dependencies=found)


def collapsed(sentence: Sentence) -> tuple[Dependency, ...]:
    """Return the collapsed Stanford dependencies of a tree, sorted; none if its labels have no table."""
    if sentence.scheme == "other":
        return ()
    if sentence.scheme == "tiger":
        sentence = from_tiger(sentence)
    graph = _Graph(sentence)
    graph.rename()
    if sentence.scheme == "ud":
        graph.collapse_cases()
    else:
        graph.lift_currencies()
        graph.lift_predicates()
        graph.collapse_prepositions()
    graph.flatten_compounds()
    graph.name_adverbials()
    graph.resolve_relative_pronouns()
    graph.collapse_conjunctions()
    graph.add_open_subjects()
    return graph.dependencies()


def foreign_relation(sentence: Sentence) -> str | None:
    """Return a label of the tree that does not belong to the sentence's scheme; None if there is none."""
    foreign = _words("ud", "foreign") if sentence.scheme == "ud" else ()
    return next((token.relation for token in sentence.tokens if token.relation in foreign), None)


def entity_types(sentence: Sentence) -> tuple[Entity, ...]:
    """Return the named entities with the type names of Stanford CoreNLP: PERSON, ORGANIZATION, LOCATION."""
    names: dict[str, str] = _tables()["entities"]
    return tuple(entity._replace(type=names.get(entity.type, entity.type)) for entity in sentence.entities)


def universal_tag(penn: str) -> str:
    """Return the universal part of speech of a Penn Treebank tag; X for an unknown one."""
    return str(_tables()["penn"].get(penn, "X"))


@cache
def _words(table: str, name: str) -> frozenset[str]:
    return frozenset(_tables()[table][name].split())


def _tables() -> dict[str, Any]:
    return packaged(__package__, "data/relations.toml")


@dataclass(slots=True)
class _Edge:
    """A dependency during conversion. `source` is the tree's label; an edge with relation "" is dropped."""

    governor: int
    relation: str
    dependent: int
    source: str

    def trade_places(self, above: Self, label: str) -> None:
        """Take the place of the edge above, which gets the new label and this edge's word as its head."""
        self.governor, self.relation, self.source = above.governor, above.relation, above.source
        above.governor, above.relation, above.source = self.dependent, label, label


class _Graph:
    """The dependencies of one sentence during conversion to the Stanford scheme."""

    def __init__(self, sentence: Sentence) -> None:
        self.tokens, self.scheme, self.tables = sentence.tokens, sentence.scheme, _tables()
        self.edges = [
            _Edge(token.head, token.relation, i, token.relation)
            for i, token in enumerate(sentence.tokens, 1)
            if token.head is not None
        ]
        self.extra: list[Dependency] = []

    def below(self, governor: int) -> list[_Edge]:
        return [edge for edge in self.edges if edge.governor == governor and edge.relation]

    def token(self, number: int) -> Token:
        return self.tokens[number - 1]

    def word(self, number: int) -> str:
        return self.token(number).form.lower().replace("’", "'")

    def lemma(self, number: int) -> str:
        return self.token(number).lemma.lower() or self.word(number)

    def rename(self) -> None:
        names: dict[str, str] = self.tables[self.scheme]["rename"]
        for edge in self.edges:
            main = edge.relation.partition(":")[0] if self.scheme == "ud" else edge.relation
            edge.relation = names.get(edge.relation, names.get(main, main)) if edge.governor else "root"
            if edge.relation == "advmod" and self.word(edge.dependent) in _words("words", "negation"):
                edge.relation = "neg"
            if edge.relation in ("num", "nn") and self._is_number(edge.governor) and self._is_number(edge.dependent):
                edge.relation = "number"

    def _is_number(self, number: int) -> bool:
        return number > 0 and (self.token(number).upos == "NUM" or self.token(number).xpos == "CD")

    def lift_currencies(self) -> None:
        """Make "$" the head of its amount, as in Stanford dependencies: num($, million), number(million, 3)."""
        incoming = {edge.dependent: edge for edge in self.edges}
        for edge in self.edges:
            amount = edge.governor
            if self.token(edge.dependent).xpos != "$" or not self._is_number(amount) or amount not in incoming:
                continue
            if incoming[amount].governor == edge.dependent:
                continue
            edge.trade_places(incoming[amount], "num")
            for other in self.edges:
                if other.governor == amount and other.relation not in ("number", "num", "quantmod"):
                    other.governor = edge.dependent
            incoming[edge.dependent] = edge

    def lift_predicates(self) -> None:
        """Make predicates heads of their copula, which is the head of the clause in ClearNLP."""
        table = self.tables["copula"]
        incoming = {edge.dependent: edge for edge in self.edges}
        for edge in list(self.edges):
            verb = edge.governor
            if edge.source not in table["predicates"] or not verb or self.lemma(verb) not in table["lemmas"]:
                continue
            siblings = [other for other in self.edges if other.governor == verb and other is not edge]
            existential = [other for other in siblings if other.source == table["existential"]]
            if any(self.word(other.dependent) == "there" for other in existential):
                edge.relation = "nsubj"
            elif not any(other.relation == "cop" for other in siblings) and verb in incoming:
                edge.trade_places(incoming[verb], "cop")
                for other in siblings:
                    other.governor = edge.dependent
                incoming[edge.dependent] = edge

    def collapse_prepositions(self) -> None:
        """Convert prep(symbol, of), pobj(of, village) to prep_of(symbol, village)."""
        table = self.tables["collapse"]
        for edge in self.edges:
            # The tree's label is checked: the object of "by" has the relation agent by now, and is not a preposition.
            if not edge.relation or edge.source not in table["prepositions"]:
                continue
            if edge.relation == "iobj" and not self._objects(edge.dependent):
                continue
            words, last, absorbed = [self.word(edge.dependent)], edge.dependent, [edge]
            objects = self._objects(last)
            while len(words) < 3 and (step := self._next_preposition(last, objects)):
                words.append(self.word(step.dependent))
                absorbed.append(step)
                own = self._objects(step.dependent)
                if own:
                    last, objects = step.dependent, own
                else:
                    objects = [found for found in objects if found is not step]
                    break
            if not objects:
                continue
            joined = "_".join(words)
            name = joined if len(words) == 1 or joined in _words("collapse", "multiword") else words[-1]
            for found in objects:
                clause = found.source == "pcomp"
                found.governor = edge.governor
                found.relation = "agent" if edge.source == "agent" else f"{'prepc' if clause else 'prep'}_{name}"
            for gone in absorbed:
                gone.relation = ""
                for other in self.below(gone.dependent):  # other dependents of the preposition: "only because of"
                    other.governor = objects[0].dependent

    def _objects(self, preposition: int) -> list[_Edge]:
        return [edge for edge in self.below(preposition) if edge.source in self.tables["collapse"]["objects"]]

    def _next_preposition(self, preposition: int, objects: list[_Edge]) -> _Edge | None:
        """Return the next word of "out of", "because of": a dependent preposition, if an object remains to relate."""
        for edge in self.below(preposition):
            if edge.source not in ("prep", "pcomp") or self.token(edge.dependent).upos not in ("ADP", ""):
                continue
            beside = [other for other in objects if other is not edge]
            if bool(beside) != bool(self._objects(edge.dependent)):
                return edge
        return None

    def collapse_cases(self) -> None:
        """Convert case(village, of), nmod(symbol, village) of Universal Dependencies to prep_of(symbol, village)."""
        table = self.tables["collapse"]
        passive = {edge.governor for edge in self.edges if edge.relation in ("nsubjpass", "auxpass", "csubjpass")}
        for edge in self.edges:
            if edge.source.partition(":")[0] not in table["oblique"] or edge.relation == "poss":
                continue
            words: list[str] = []
            for case in self.edges:
                if case.governor == edge.dependent and case.source.partition(":")[0] == "case":
                    words.append(self.lemma(case.dependent))
                    for more in self.edges:
                        if more.governor == case.dependent and more.source == "fixed":
                            words.append(self.lemma(more.dependent))
                            more.relation = ""
            if not words:
                features = self.token(edge.dependent).features.split("|")
                if edge.source == "obl" and edge.governor in passive and table["agent_case"] in features:
                    edge.relation = "agent"
                continue
            is_agent = edge.source == "obl:agent" or (words[-1] in table["agent"] and edge.governor in passive)
            edge.relation = "agent" if is_agent else f"prep_{'_'.join(words)}"

    def flatten_compounds(self) -> None:
        """Convert nn(Exchange, York), nn(York, New) to nn(Exchange, New): Penn Treebank noun phrases are flat."""
        above = {edge.dependent: edge.governor for edge in self.edges if edge.relation == "nn"}
        for edge in self.edges:
            if edge.relation == "nn":
                seen = {edge.dependent}
                while edge.governor in above and above[edge.governor] not in seen:
                    seen.add(edge.governor)
                    edge.governor = above[edge.governor]

    def name_adverbials(self) -> None:
        """Convert npadvmod(left, week) of temporal noun phrases to tmod(left, week)."""
        for edge in self.edges:
            if edge.relation != "npadvmod":
                continue
            kind = self.token(edge.dependent).entity.partition("-")[2]
            governor = self.token(edge.governor).upos if edge.governor else ""
            timely = kind in ("DATE", "TIME") or self.lemma(edge.dependent) in _words("words", "time")
            if timely and governor in ("VERB", "AUX", ""):  # not "two years ago", where it modifies the adverb
                edge.relation = "tmod"

    def resolve_relative_pronouns(self) -> None:
        """Convert nsubj(lives, who), rcmod(owner, lives) to nsubj(lives, owner), rcmod(owner, lives)."""
        for clause in [edge for edge in self.edges if edge.relation == "rcmod"]:
            for edge in self._subtree(clause.dependent):
                token = self.token(edge.dependent)
                is_tagged = token.xpos in self.tables["words"]["relative"] or "PronType=Rel" in token.features
                relative = is_tagged or self.word(edge.dependent) in _words("words", "pronouns")
                if relative and clause.governor != edge.governor and not self.below(edge.dependent):
                    edge.dependent = clause.governor
                    break

    def _subtree(self, top: int) -> Iterator[_Edge]:
        """Yield the dependencies below a word, nearest first, without those inside relative clauses."""
        level, seen = [top], {top}
        while level:
            found = [edge for node in level for edge in self.below(node) if edge.relation != "rcmod"]
            found = [edge for edge in found if edge.dependent not in seen]
            yield from found
            level = [edge.dependent for edge in found]
            seen.update(level)

    def collapse_conjunctions(self) -> None:
        """Convert cc(a, and), conj(a, b), conj(b, c) to conj_and(a, b), conj_and(a, c), and share relations."""
        parents = {edge.dependent: edge for edge in self.edges if edge.relation == "conj"}
        groups: dict[int, list[_Edge]] = {}
        for edge in parents.values():
            first, steps = edge.governor, 0
            while first in parents and steps < len(self.tokens):
                first, steps = parents[first].governor, steps + 1
            groups.setdefault(first, []).append(edge)
        for first, members in groups.items():
            people = {first, *(edge.dependent for edge in members)}
            marks = sorted(edge.dependent for edge in self.edges if edge.relation == "cc" and edge.governor in people)
            for edge in members:
                before = [mark for mark in marks if mark < edge.dependent]
                after = [mark for mark in marks if mark > edge.dependent]
                edge.governor = first
                edge.relation = "conj"
                if before or after:
                    word = self.lemma(before[-1] if before else after[0])
                    edge.relation = f"conj_{self.tables['collapse']['conjunctions'].get(word, word)}"
            for edge in self.edges:
                if edge.dependent in marks and edge.relation == "cc":
                    edge.relation = ""
            self._propagate(first, members)

    def _propagate(self, first: int, members: list[_Edge]) -> None:
        above = [
            edge for edge in self.edges
            if edge.dependent == first and edge.relation not in ("", "root") and not edge.relation.startswith("conj")
        ]  # fmt: skip
        subjects = [edge for edge in self.below(first) if edge.relation in SUBJECTS]
        for member in members:
            other = member.dependent
            self.extra += [Dependency(edge.governor, edge.relation, other) for edge in above if edge.governor != other]
            below = {edge.relation for edge in self.below(other)}
            if self.token(other).upos in ("VERB", "AUX", "ADJ") and not below & {*SUBJECTS}:
                for edge in subjects:
                    label = edge.relation.removesuffix("pass") + ("pass" if "auxpass" in below else "")
                    if edge.dependent != other:
                        self.extra.append(Dependency(other, label, edge.dependent))

    def add_open_subjects(self) -> None:
        """Add xsubj(go, he) to xcomp(wants, go), nsubj(wants, he); the verb's object is preferred to its subject."""
        for edge in [edge for edge in self.edges if edge.relation == "xcomp"]:
            below = self.below(edge.dependent)
            has_to = any(other.relation == "aux" and self.word(other.dependent) == "to" for other in below)
            if not has_to or any(other.relation in SUBJECTS for other in below):
                continue  # CoreNLP adds subjects only to infinitives with "to"
            siblings = self.below(edge.governor)
            for kinds in (("dobj", "iobj"), SUBJECTS):
                found = [other for other in siblings if other.relation in kinds and other.dependent != edge.dependent]
                if found:
                    self.extra.append(Dependency(edge.dependent, "xsubj", found[0].dependent))
                    break

    def dependencies(self) -> tuple[Dependency, ...]:
        found = {Dependency(edge.governor, edge.relation, edge.dependent) for edge in self.edges if edge.relation}
        found.update(self.extra)
        proper = (
            edge if "|" not in edge.relation else edge._replace(relation=edge.relation.replace("|", "¦"))
            for edge in found
            if edge.governor != edge.dependent
        )  # a conjunction may be "|", which separates relations in CoNLL-U
        return tuple(sorted(proper, key=lambda edge: (edge.dependent, edge.governor, edge.relation)))
