"""Fomicheva (2017), doctoral thesis: tables of single sentences, and Figures 4.1 and 4.2, alignments of two of them.

The sentences are in `expected/thesis_examples.toml`. Standard scores and ranks (Tables 4.22 to 4.24) are among the best
quarter of the outputs with direct assessment.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import numpy as np

from ....data.testset import TestSet
from ....metrics import create
from ....types import Floats
from ..printed import all_unchecked, compare_rows
from ..results import Reproduction, Statement
from ..sources import DataSets
from .thesis_cobalt import ABLATIONS, OWN
from .thesis_da import assessed, scores_of

BLEU = "bleu:variant=mteval"
WITHOUT = {"aligner off": "cobalt:aligner=meteor", "WE off": "cobalt", OWN: "cobalt"}


@cache
def _example(number: str) -> dict[str, str]:
    """Return the texts of an example: output, Ref and others."""
    text = files("tercet.tasks.reproduce").joinpath("expected", "thesis_examples.toml").read_text(encoding="utf-8")
    found: dict[str, str] = tomllib.loads(text)[number]
    return found


def closer_table(data: DataSets, *, example: str) -> Reproduction:
    """Return Table 3.5 or 3.6: BLEU with the reference, and with each paraphrase as a second one."""
    texts = dict(_example(example))
    output, reference = texts.pop("output"), texts.pop("Ref")
    metric = create(BLEU)
    values = {"Ref": {"BLEU": metric.score_one(output, [reference])}}
    values |= {row: {"BLEU": metric.score_one(output, [reference, text])} for row, text in texts.items()}
    first, last = values["Ref"]["BLEU"], list(values.values())[-1]["BLEU"]
    statement = Statement("the paraphrase increases BLEU", last > first, f"{first:.4f} and {last:.4f}")
    return _expecting(f"thesis_t{example.replace('.', '_')}", values, [statement])


def cobalt_table(data: DataSets, *, example: str) -> Reproduction:
    """Return Table 4.17 or 4.18: UPF-Cobalt, and without one of its parts."""
    texts, expected = _example(example), f"thesis_t{example.replace('.', '_')}"
    values = {row: {"score": create(spec).score_one(texts["output"], [texts["Ref"]])} for row, spec in WITHOUT.items()}
    statements = []
    if example == "4.17":
        ours, meteor = values[OWN]["score"], values["aligner off"]["score"]
        found = f"{ours:.4f} and {meteor:.4f}"
        statements = [Statement("METEOR's aligner gives more to spurious matches", meteor > ours, found, must=False)]
    return _expecting(expected, values, statements)


def assessed_table(data: DataSets, *, example: str) -> Reproduction:
    """Return Table 4.22, 4.23 or 4.24: scores, standard scores and ranks of an output among the best quarter."""
    output, people = _example(example)["output"], assessed(data)[1]
    outputs = [text for one in people.values() for texts in one.texts.outputs.values() for text in texts]
    expected = f"thesis_t{example.replace('.', '_')}"
    if output not in outputs:
        return Reproduction(unchecked=all_unchecked(expected, f"The data do not have the output {output!r}."))
    place = outputs.index(output)
    human = np.concatenate([one.human for one in people.values()])
    best = np.array_split(np.argsort(human, kind="stable"), 4)[-1]
    by_pair = [scores_of(data, pair, {}) for pair in people]
    rows = {row: np.concatenate([found[row] for found in by_pair]) for row in (OWN, *ABLATIONS)}
    rows |= {"WE off": rows[OWN], "DA": human}
    values = {row: _standing(scores, place, scores[best]) for row, scores in rows.items()}
    return _expecting(expected, values)


def _standing(scores: Floats, place: int, among: Floats) -> dict[str, float]:
    score = float(scores[place])
    return {
        "score": score,
        "z-score": (score - float(among.mean())) / (float(among.std(ddof=1)) or float("nan")),
        "rank": 1.0 + int((among > score).sum()),
    }


def fluency_table(data: DataSets, *, rows: Mapping[str, str]) -> Reproduction:
    """Return Table 5.4: two outputs by UPF-Cobalt and by Cobalt-F, which prefers the fluent one."""
    texts = _example("5.4")
    outputs = {"MT1": [texts["output"]], "MT2": [texts["second"]]}
    one = TestSet(outputs, {"reference": [texts["Ref"]]}, pair="cs-en")
    found = [*data.scored(one, {OWN: "cobalt"}), *data.scored(one, rows, optional=True)]
    values = {system: {item.label: item.system[system] for item in found} for system in outputs}
    statements = []
    for item in found:
        first, second = item.system["MT1"], item.system["MT2"]
        better = ("MT2", second > first) if item.label == OWN else ("MT1", first > second)
        statements.append(
            Statement(f"{item.label} prefers {better[0]}", better[1], f"{first:.4f} and {second:.4f}", must=False)
        )
    return _expecting("thesis_t5_4", values, statements)


def _expecting(
    expected: str, values: Mapping[str, Mapping[str, float]], statements: list[Statement] | None = None
) -> Reproduction:
    found = compare_rows(expected, values, decimals=4)
    return Reproduction(found.cells, found.unchecked, statements or [], decimals=4)


def alignment_figure(data: DataSets, *, example: str) -> Reproduction:
    """Return Figure 4.1 or 4.2: an output and its reference as METEOR and UPF-Cobalt align their words."""
    from ....explaining import explain
    from ....rendering.drawings import AlignedWords

    texts = _example(example)
    one = TestSet({"output": [texts["output"]]}, {"reference": [texts["Ref"]]}, pair="ru-en")
    seen = {each.label: each.seen for each in explain(one, ["meteor", "cobalt"])}
    drawings = {label: AlignedWords.of(f"{label}, Table {example}", each)[0] for label, each in seen.items()}
    meteor, ours = drawings.values()
    if example == "4.1":
        counts = [sum(1 for i, _, _, _ in each.links if each.words[i].isalpha()) for each in (meteor, ours)]
        said = "fewer words are aligned by context than by METEOR, whose matches of the, to and of are spurious"
        statement = Statement(said, counts[1] < counts[0], f"{counts[1]} and {counts[0]}", must=False)
    else:
        partners = {
            label: {each.other[j].lower() for i, j, _, _ in each.links if each.words[i : i + 2] == ["have", "been"]}
            for label, each in drawings.items()
        }
        said = "'have been' is aligned with 'has' by context, and with another 'have' by METEOR"
        by_meteor, by_context = partners.values()
        found = f"with {', '.join(by_context) or 'nothing'}; METEOR: {', '.join(by_meteor) or 'nothing'}"
        statement = Statement(said, by_context == {"has"} and by_meteor == {"have"}, found, must=False)
    return Reproduction(statements=[statement], drawings=[*drawings.values()])
