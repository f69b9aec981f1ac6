"""Fomicheva (2017), chapters 3 and 4: references, post-edits, gold alignments. Post-edits of IWSLT 2019 stand in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean

import numpy as np

from ....data.testset import TestSet
from ....metrics.structure.cobalt import Cobalt
from ....stats.correlation import pearson
from ....types import Floats
from ..printed import all_unchecked, compare
from ..results import Reproduction, Statement
from ..sources import DataSets, grouped, numbers, once, read_table
from ..tables import why_absent

SYSTEM = "mt"
METRICS = {"BLEU": "bleu:variant=mteval", "Meteor": "meteor", "TER": "ter"}
RULES = ("morphology", "structure", "order", "number")  # columns with paraphrases of the reference by a group of rules
PLAIN, PARAPHRASED = "ce_dataset", "ce_paraphrased"  # EAMT09
PERCENT = 100
ALIGNERS = {"Meteor": Cobalt(aligner="meteor"), "MWA (Sultan et al., 2014)": Cobalt()}

Rows = Mapping[str, Sequence[str]]


def _segment_scores(
    data: DataSets, table: Rows, references: Sequence[str], pair: str, metrics: Mapping[str, str]
) -> dict[str, Floats]:
    """Return the segment scores of the column mt by metric; BLEU and TER from 0 to 1, as the thesis prints them."""
    texts = TestSet({SYSTEM: table["mt"]}, {name: table[name] for name in references}, pair=pair)
    found = {item.label: item.segment[SYSTEM] for item in data.scored(texts, metrics)}
    return {name: scores / PERCENT if metrics[name] == "ter" else scores for name, scores in found.items()}


def _systems(data: DataSets, *columns: str) -> dict[str, dict[str, list[str]]]:
    folder = data(PARAPHRASED) or data.needed(PLAIN)
    by_system = grouped(read_table(folder, "ce_dataset.tsv", ["system", *columns]), "system")
    # The thesis writes System 1, Specia et al. System1.
    return {name.replace("System", "System ").replace("  ", " "): table for name, table in by_system.items()}


@once
def _multi_reference_bleu(data: DataSets) -> dict[str, dict[str, Floats]]:
    """Return by system BLEU of segments with the reference alone, and, if there are paraphrases, with each group of
    rules and with all of them; and the human scores."""
    rules = RULES if data(PARAPHRASED) is not None else ()
    sets = {"Reference": (), **{name.capitalize(): (name,) for name in rules}, **({"All": rules} if rules else {})}
    bleu, found = {"BLEU": METRICS["BLEU"]}, {}
    for system, one in _systems(data, "mt", "reference", "score", *rules).items():
        found[system] = {
            column: _segment_scores(data, one, ("reference", *more), "en-es", bleu)["BLEU"]
            for column, more in sets.items()
        }
        found[system]["score"] = numbers(one["score"], "ce_dataset.tsv, score")
    return found


def multi_reference_table(data: DataSets) -> Reproduction:
    """Return Table 3.1: r of BLEU with human scores, with one and with several references."""
    values = {
        system: {column: float(pearson(row, one["score"])) for column, row in one.items() if column != "score"}
        for system, one in _multi_reference_bleu(data).items()
    }
    compared, missing = compare("thesis_t3_1", values), data.missing([PARAPHRASED])
    return replace(compared, unchecked=[replace(one, reason=missing or one.reason) for one in compared.unchecked])


def affected_table(data: DataSets) -> Reproduction:
    """Return Table 3.2: the percentage of sentences whose BLEU changes with paraphrased references."""
    values = {
        system: {column: PERCENT * float((row != one["Reference"]).mean()) for column, row in one.items()}
        for system, one in _multi_reference_bleu(data).items()
    }
    return compare("thesis_t3_2", values, decimals=1)


def quality_table(data: DataSets) -> Reproduction:
    """Return Table 3.3: mean human scores and BLEU of the systems of EAMT09."""
    values = {}
    for system, one in _systems(data, "mt", "reference", "score").items():
        texts = TestSet({SYSTEM: one["mt"]}, {"reference": one["reference"]}, pair="en-es")
        (bleu,) = data.scored(texts, {"BLEU": METRICS["BLEU"]})
        values[system] = {"Human": float(numbers(one["score"], "score").mean()), "BLEU": bleu.system[SYSTEM]}
    return compare("thesis_t3_3", values, decimals=4)


def post_edit_table(data: DataSets) -> Reproduction:
    """Return Table 3.7: mean scores with the reference and with the post-edit; IWSLT 2019 stands in for EAMT11."""
    folder, pair = data("eamt11"), "fr-en"
    if folder is not None:
        found = read_table(folder, "eamt11.tsv", ["mt", "reference", "postedit"])
    else:
        table, pair = read_table(data.needed("iwslt2019_pe"), "annotations.tsv", ["MT", "REF", "PE"]), "en-es"
        found = dict(zip(("mt", "reference", "postedit"), table.values(), strict=True))
    values: dict[str, dict[str, float]] = {}
    for column, reference in {"Translation": "reference", "Post-Edition": "postedit"}.items():
        for row, scores in _segment_scores(data, found, [reference], pair, METRICS).items():
            values.setdefault(row, {})[column] = float(scores.mean())
    better = [(one["Post-Edition"] - one["Translation"]) * (-1 if row == "TER" else 1) for row, one in values.items()]
    statement = Statement(
        "scores with the post-edit are better than with the reference, for all metrics",
        all(gain > 0 for gain in better),
        "; ".join(f"{row} {one['Translation']:.3f} and {one['Post-Edition']:.3f}" for row, one in values.items()),
    )
    if folder is not None:
        return compare("thesis_t3_7", values, statements=[statement], decimals=4)
    unchecked = all_unchecked("thesis_t3_7", data.missing(["eamt11"]))
    note = "For comparison: post-edits of IWSLT 2019, English to Spanish."
    return Reproduction(unchecked=unchecked, statements=[statement], notes=[note], extra=values, decimals=4)


def origin_table(data: DataSets) -> Reproduction:
    """Return Table 3.8: mean scores and r with human scores by the language in which the sentence was written."""
    found = read_table(data.needed("eamt11"), "eamt11.tsv", ["mt", "reference", "score", "language"])
    human = numbers(found["score"], "eamt11.tsv, score")
    scores = _segment_scores(data, found, ["reference"], "fr-en", METRICS)
    values = {}
    for language in dict.fromkeys(found["language"]):
        rows = np.array([owner == language for owner in found["language"]])
        values[language] = {
            **{f"{name}_avg": float(row[rows].mean()) for name, row in scores.items()},
            **{f"{name}_r": float(pearson(row[rows], human[rows])) for name, row in scores.items()},
            "Sentences": float(rows.sum()),
        }
    return compare("thesis_t3_8", values, decimals=4)


def fluency_table(data: DataSets) -> Reproduction:
    """Return Table 4.11: r with adequacy and fluency, with one reference (the first) and with all."""
    names = [f"reference{number}" for number in (1, 2, 3, 4)]
    found = read_table(data.needed("mtc_p4"), "mtc_p4.tsv", ["mt", *names, "adequacy", "fluency"])
    adequacy, fluency = (numbers(found[name], f"mtc_p4.tsv, {name}") for name in ("adequacy", "fluency"))
    human = {"A": adequacy, "F": fluency, "Avg": (adequacy + fluency) / 2}
    metrics = {"UPF-Cobalt": "cobalt", "Meteor": METRICS["Meteor"], "BLEU": METRICS["BLEU"]}
    values: dict[str, dict[str, float]] = {row: {} for row in metrics}
    for kind, used in {"single": names[:1], "multi": names}.items():
        for row, scores in _segment_scores(data, found, used, "zh-en", metrics).items():
            values[row] |= {f"{kind}_{name}": float(pearson(scores, column)) for name, column in human.items()}
    return compare("thesis_t4_11", values)


def aligner_table(data: DataSets) -> Reproduction:
    """Return Table 4.2: F1 of aligned words against people, of METEOR's aligner and of UPF-Cobalt's."""
    found = read_table(data.needed("msr_alignments"), "msr_alignments.tsv", ["source", "target", "alignment"])
    gold = [{tuple(map(int, link.split("-"))) for link in text.split()} for text in found["alignment"]]
    settled = {name: metric.resolved("en") for name, metric in ALIGNERS.items()}
    parsed = [settled["Meteor"].parse_texts(found[side]) for side in ("source", "target")]
    f1: dict[str, list[float]] = {name: [] for name in ALIGNERS}
    left_out = 0
    for one, other, links, texts in zip(*parsed, gold, zip(found["source"], found["target"], strict=True), strict=True):
        if (len(one.tokens), len(other.tokens)) != tuple(len(text.split()) for text in texts):
            left_out += 1
            continue
        for name, metric in settled.items():
            ours = {(link.output - 1, link.reference - 1) for link in metric.align(one, other).links}
            both = len(ours & links)
            f1[name].append(2 * both / (len(ours) + len(links)) if ours or links else 1.0)
    values = {name: {"F_1": PERCENT * mean(scores)} for name, scores in f1.items() if scores}
    notes = [f"{left_out} of {len(gold)} sentences are left out: the parser divides them into other words."]
    return compare("thesis_t4_2", values, why_absent, notes=notes, decimals=1)
