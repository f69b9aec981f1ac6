"""Apply a rule where it matches: move, delete, insert, inflect, replace and attach words of a draft."""

from .inflection import Morphology
from .matching import Match, Matcher
from .rules import Action, Rule
from .tree import Draft, Tree, Word

COMMA = ","
_AGREEING = ("Gender", "Number", "Person")
_FINAL = frozenset(".?!…")
_BRACKETS = frozenset("()[]«»“”‘’\"';:?!")


class CannotApply(Exception):
    """A rule matches, but its change cannot be made: an unknown form, or a phrase that is not in one piece."""


class Editor:
    """Makes the changes of rules in drafts."""

    def __init__(self, matcher: Matcher, morphology: Morphology) -> None:
        self.matcher, self.morphology = matcher, morphology

    def apply(self, rule: Rule, match: Match, draft: Draft) -> None:
        """Apply a rule to a draft, whose words change only once. After CannotApply the draft is unusable."""
        before, draft.altered = draft.altered, set()
        for action in rule.actions:
            if action.kind != "insert" and action.what not in match:
                continue  # an optional word that is not there
            getattr(self, f"_{action.kind}")(action, match, draft)
        if before & draft.altered:
            raise CannotApply
        draft.altered |= before

    def _move(self, action: Action, match: Match, draft: Draft) -> None:
        number = match[action.what]
        phrase, in_text = draft.phrase(number), draft.tree.phrase(number)
        at = draft.order.index(phrase[0])
        in_pieces = in_text[-1] - in_text[0] + 1 != len(in_text) or draft.order[at : at + len(phrase)] != phrase
        if in_pieces or any(draft[one].form in _BRACKETS for one in phrase):
            raise CannotApply
        self._drop_commas(at, len(phrase), draft)
        draft.order = [one for one in draft.order if one not in set(phrase)]
        draft.altered.add(number)
        place = self._place(action, match, draft)
        between = draft.order[min(at, place) : max(at, place)]
        if any(draft[one].form in _BRACKETS for one in between):
            raise CannotApply  # the phrase would leave a quotation
        draft.order[place:place] = phrase
        self._add_commas(action.commas, place, len(phrase), draft)

    def _delete(self, action: Action, match: Match, draft: Draft) -> None:
        number = match[action.what]
        gone = draft.phrase(number) if action.phrase else [number]
        if action.phrase:
            self._drop_commas(draft.order.index(gone[0]), len(gone), draft)
        draft.remove(gone)

    def _insert(self, action: Action, match: Match, draft: Draft) -> None:
        beside = action.after or action.before
        anchor = beside[0] if beside else ""
        if any(name and name not in match for name in (action.like, action.agree, anchor)):
            return
        form: str | None = action.what
        features: dict[str, str] = {}
        if action.features is not None:
            features = self._features(action, match, draft)
            form = self.morphology.inflect(action.what, action.upos, features)
        if form is None:
            raise CannotApply
        place = self._place(action, match, draft)
        head = match[action.under] if action.under else match[anchor] if anchor else -1
        relation = {"ADV": "advmod", "AUX": "aux", "PRON": "nsubj", "ADP": "case"}.get(action.upos, "dep")
        words = form.split(" ")
        tag = action.upos if len(words) == 1 else "X"  # parsers tag "de nuevo" word by word
        for shift, part in enumerate(words):
            draft.insert(Word(part, action.what, tag, features, head, relation), place + shift)
        self._add_commas(action.commas, place, len(words), draft)

    def _inflect(self, action: Action, match: Match, draft: Draft) -> None:
        number = match[action.what]
        word = draft[number]
        lemma = action.lemma or self.morphology.lemma(word)
        if action.table is not None:
            lemma = action.table.get(word.lemma.lower()) or action.table.get(word.form.lower())
        upos = action.upos or word.upos
        same = upos == word.upos or {upos, word.upos} == {"VERB", "AUX"}  # otherwise no feature is kept
        features = {**(word.features if same else {}), **self._features(action, match, draft)}
        form = lemma and self.morphology.inflect(lemma, upos, features)
        if not form:
            raise CannotApply
        if word.form[:1].isupper() and word.form[1:].islower():
            form = form[:1].upper() + form[1:]
        draft.put(number, word._replace(form=form, lemma=str(lemma), upos=upos, features=features))

    def _replace(self, action: Action, match: Match, draft: Draft) -> None:
        number = match[action.what]
        word, table = draft[number], action.table or {}
        form = action.form or table.get(word.lemma.lower()) or table.get(word.form.lower())
        if not form:
            raise CannotApply
        if word.form[:1].isupper():
            form = form[:1].upper() + form[1:]
        draft.put(number, word._replace(form=form, upos=action.upos or word.upos))

    def _attach(self, action: Action, match: Match, draft: Draft) -> None:
        clitic, number = match[action.what], match[action.to]
        verb = draft[number]
        form = self.morphology.attach(verb.form, draft[clitic].form.lower())
        if form is None:
            raise CannotApply
        draft.remove([clitic])
        draft.put(number, verb._replace(form=form))

    def _confirm(self, action: Action, match: Match, draft: Draft) -> None:
        """Check that the parser's features of a word are right: the morphology must make its form from them."""
        if self.morphology.lemma(draft[match[action.what]]) is None:
            raise CannotApply

    def _features(self, action: Action, match: Match, draft: Draft) -> dict[str, str]:
        found: dict[str, str] = {}
        if action.like in match:
            word = draft.tree.words[match[action.like]]
            verbal = ("Mood", "Tense", "Person", "Number", "VerbForm")
            found |= {name: word.features[name] for name in verbal if name in word.features}
        if action.agree:
            if action.agree not in match:
                raise CannotApply
            found |= agreement(draft.tree, match[action.agree])
        return found | dict(action.features or {})

    def _place(self, action: Action, match: Match, draft: Draft) -> int:
        """Return the place in the order at which an action puts words."""
        beside = action.before or action.after
        if beside is None:
            return next((i for i, one in enumerate(draft.order) if draft[one].upos != "PUNCT"), 0)
        name, part = beside
        if name not in match:
            raise CannotApply
        if part == "phrase":
            around = draft.phrase(match[name])
        else:
            first, last = self.matcher.span(match[name], part, draft.tree)
            around = list(range(first, last + 1))
        if part == "group":  # with auxiliaries that were inserted
            new = (one for one in draft.words if one >= len(draft.tree.words))
            around += [one for one in new if draft[one].head == match[name] and draft[one].upos == "AUX"]
        places = [i for i, one in enumerate(draft.order) if one in around]
        if not places:
            raise CannotApply
        return places[0] if action.before else places[-1] + 1

    def _drop_commas(self, at: int, size: int, draft: Draft) -> None:
        """Delete the commas around a phrase: that after a phrase at the beginning, or both around one inside."""
        before, after = draft.order[max(at - 1, 0) : at], draft.order[at + size : at + size + 1]
        starts = all(draft[one].upos == "PUNCT" for one in draft.order[:at])
        has_before, has_after = (any(draft[one].form == COMMA for one in beside) for beside in (before, after))
        ends = all(draft[one].form[:1] in _FINAL for one in after)
        gone = after if has_after and (starts or has_before) else []
        if has_before and (has_after or ends) and not starts:
            gone = before + gone
        draft.order = [one for one in draft.order if one not in gone]

    def _add_commas(self, commas: str, at: int, size: int, draft: Draft) -> None:
        comma = Word(COMMA, COMMA, "PUNCT", {}, -1, "punct", "")
        end = at + size
        if commas in ("both", "after") and end < len(draft.order) and draft[draft.order[end]].upos != "PUNCT":
            draft.insert(comma, end)
        if commas == "both" and at > 0 and draft[draft.order[at - 1]].upos != "PUNCT":
            draft.insert(comma, at)


def agreement(tree: Tree, number: int) -> dict[str, str]:
    """Return the gender, number and person with which other words agree with a phrase. Raises CannotApply."""
    word = tree.words[number]
    found = {name: word.features[name] for name in _AGREEING if name in word.features}
    for child in tree.children[number]:
        of_child = tree.words[child]
        if of_child.relation.startswith(("det", "amod", "nummod")):
            for name in ("Gender", "Number"):
                if name in of_child.features:
                    found.setdefault(name, of_child.features[name])
        if of_child.lemma == "el" and of_child.upos == "DET" and of_child.form.lower() == "el":
            found.setdefault("Gender", "Masc")
            found.setdefault("Number", "Sing")
    joined = [child for child in tree.children[number] if tree.words[child].relation == "conj"]
    if joined:
        genders = {found.get("Gender"), *(tree.words[child].features.get("Gender") for child in joined)}
        found["Gender"] = "Fem" if genders == {"Fem"} else "Masc"
        found["Number"] = "Plur"
    found.setdefault("Person", "3")
    if word.upos == "PROPN" and "Number" not in found:
        found["Number"] = "Sing"
    return found
