"""Fomicheva (2017): tables of single sentences, which are in `expected/`, and Figures 4.1 and 4.2."""

import tomllib
from collections.abc import Mapping
from functools import cache

import numpy as np

from ....data.testset import TestSet
from ....metrics import create
from ....types import Floats
from ..printed import all_unchecked, compare, expected_file
from ..recomputing import LEFT_OUT
from ..results import Reproduction, Statement
from ..sources import DataSets
from .thesis_cobalt import OWN
from .thesis_da import assessed, scores_of

BLEU = "bleu:variant=mteval"
WITHOUT = {"aligner off": "cobalt:aligner=meteor", "WE off": "cobalt", OWN: "cobalt"}


@cache
def _example(number: str) -> dict[str, str]:
    found: dict[str, str] = tomllib.loads(expected_file("thesis_examples.toml"))[number]
    return found


def _compared(
    example: str, values: Mapping[str, Mapping[str, float]], statements: list[Statement] | None = None
) -> Reproduction:
    return compare(f"thesis_t{example.replace('.', '_')}", values, statements=statements or [], decimals=4)


def closer_table(data: DataSets, *, example: str) -> Reproduction:
    """Return Table 3.5 or 3.6: BLEU with the reference, and with each paraphrase as a second one."""
    texts, metric = dict(_example(example)), create(BLEU)
    output, reference = texts.pop("output"), texts.pop("Ref")
    values = {"Ref": {"BLEU": metric.score_one(output, [reference])}}
    values |= {row: {"BLEU": metric.score_one(output, [reference, text])} for row, text in texts.items()}
    first, *_, last = (row["BLEU"] for row in values.values())
    return _compared(
        example, values, [Statement("the paraphrase increases BLEU", last > first, f"{first:.4f} and {last:.4f}")]
    )


def cobalt_table(data: DataSets, *, example: str) -> Reproduction:
    """Return Table 4.17 or 4.18: UPF-Cobalt, and without one of its parts."""
    texts = _example(example)
    values = {row: {"score": create(spec).score_one(texts["output"], [texts["Ref"]])} for row, spec in WITHOUT.items()}
    ours, meteor = values[OWN]["score"], values["aligner off"]["score"]
    said, found = "METEOR's aligner gives more to spurious matches", f"{ours:.4f} and {meteor:.4f}"
    return _compared(example, values, [Statement(said, meteor > ours, found, must=False)] if example == "4.17" else [])


def assessed_table(data: DataSets, *, example: str, rows: Mapping[str, str]) -> Reproduction:
    """Return Table 4.22, 4.23 or 4.24: scores, standard scores and ranks of an output among the best quarter."""
    output, people = _example(example)["output"], assessed(data)[1]
    outputs = [text for one in people.values() for texts in one.texts.outputs.values() for text in texts]
    if output not in outputs:
        reason = f"The data do not have the output {output!r}."
        return Reproduction(unchecked=all_unchecked(f"thesis_t{example.replace('.', '_')}", reason))
    place = outputs.index(output)
    human = np.concatenate([one.human for one in people.values()])
    best = np.array_split(np.argsort(human, kind="stable"), 4)[-1]
    by_pair = [scores_of(data, pair, rows) for pair in people]
    scores = {row: np.concatenate([found[row] for found in by_pair]) for row in by_pair[0]}
    scores |= {"DA": human} | ({"WE off": scores[OWN]} if OWN in scores else {})
    values = {row: _standing(of_row, place, of_row[best]) for row, of_row in scores.items()}
    return compare(f"thesis_t{example.replace('.', '_')}", values, LEFT_OUT, decimals=4)


def _standing(scores: Floats, place: int, among: Floats) -> dict[str, float]:
    score = float(scores[place])
    z = (score - float(among.mean())) / (float(among.std(ddof=1)) or float("nan"))
    return {"score": score, "z-score": z, "rank": 1.0 + int((among > score).sum())}


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
        better, holds = ("MT2", second > first) if item.label == OWN else ("MT1", first > second)
        shown = f"{first:.4f} and {second:.4f}"
        statements.append(Statement(f"{item.label} prefers {better}", holds, shown, must=False))
    return _compared("5.4", values, statements)


def alignment_figure(data: DataSets, *, example: str) -> Reproduction:
    """Return Figure 4.1 or 4.2: an output and its reference as METEOR and UPF-Cobalt align their words."""
    from ....explaining import explain
    from ....rendering.drawings import AlignedWords

    texts = _example(example)
    one = TestSet({"output": [texts["output"]]}, {"reference": [texts["Ref"]]}, pair="ru-en")
    drawings = [
        AlignedWords.of(f"{each.label}, Table {example}", each.seen)[0] for each in explain(one, ["meteor", "cobalt"])
    ]
    if example == "4.1":
        meteor, ours = (sum(each.words[i].isalpha() for i, *_ in each.links) for each in drawings)
        said = "fewer words are aligned by context than by METEOR, whose matches of the, to and of are spurious"
        statement = Statement(said, ours < meteor, f"{ours} and {meteor}", must=False)
    else:
        by_meteor, by_context = (
            {each.other[j].lower() for i, j, *_ in each.links if each.words[i : i + 2] == ["have", "been"]}
            for each in drawings
        )
        said = "'have been' is aligned with 'has' by context, and with another 'have' by METEOR"
        found = f"with {', '.join(by_context) or 'nothing'}; METEOR: {', '.join(by_meteor) or 'nothing'}"
        statement = Statement(said, by_context == {"has"} and by_meteor == {"have"}, found, must=False)
    return Reproduction(statements=[statement], drawings=drawings)
