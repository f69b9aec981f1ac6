"""Fomicheva (2017), doctoral thesis, chapters 3 and 4: references, post-edits, several references, gold alignments.

The data of these tables (EAMT09, EAMT11, MTC-P4, the MSR alignments) are not public, or no longer; whoever has them as
TSV files can make the tables. Post-edits of IWSLT 2019 stand in for EAMT11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean

import numpy as np

from ....data.testset import TestSet
from ....metrics.structure.cobalt import Cobalt
from ....stats.correlation import pearson
from ....types import Floats
from ..printed import check, compare_rows, printed
from ..results import Reproduction, Statement, Unchecked
from ..sources import DataSets, numbers, read_table

SYSTEM = "mt"
BLEU, METEOR, TER = "bleu:variant=mteval", "meteor", "ter"
RULES = ("morphology", "structure", "order", "number")  # columns with paraphrases of the reference by a group of rules
PLAIN, PARAPHRASED = "ce_dataset", "ce_paraphrased"  # EAMT09
PERCENT = 100
NO_PROGRAM = "Neither the metric nor its scores are available."


def _texts(outputs: Sequence[str], references: Mapping[str, Sequence[str]], pair: str) -> TestSet:
    return TestSet({SYSTEM: outputs}, references, pair=pair)


def _segment(data: DataSets, texts: TestSet, spec: str) -> Floats:
    """Return the segment scores; BLEU and TER from 0 to 1, as the thesis prints them."""
    values = data.scored(texts, {spec: spec})[0].segment[SYSTEM]
    return values / PERCENT if spec == TER else values


def _ce_rows(data: DataSets, columns: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Return the columns of EAMT09 by system."""
    folder = data(PARAPHRASED) or data.needed(PLAIN)
    found = read_table(folder, "ce_dataset.tsv", ["system", *columns])
    return {
        system.replace("System", "System ").replace("  ", " "): {  # the thesis writes System 1, Specia et al. System1
            name: [text for text, owner in zip(found[name], found["system"], strict=True) if owner == system]
            for name in columns
        }
        for system in dict.fromkeys(found["system"])
    }


def _multi_reference_bleu(data: DataSets) -> dict[str, dict[str, Floats]]:
    """Return by system BLEU of segments with the reference alone, and, if there are paraphrases, with each group of
    rules and with all of them."""

    def make() -> dict[str, dict[str, Floats]]:
        found = {}
        rules = RULES if data(PARAPHRASED) is not None else ()
        sets: dict[str, tuple[str, ...]] = {"Reference": ()}
        sets |= {**{name.capitalize(): (name,) for name in rules}, "All": rules} if rules else {}
        for system, one in _ce_rows(data, ["mt", "reference", "score", *rules]).items():
            found[system] = {
                column: _segment(
                    data, _texts(one["mt"], {name: one[name] for name in ("reference", *rules)}, "en-es"), BLEU
                )
                for column, rules in sets.items()
            }
            found[system]["score"] = numbers(one["score"], "ce_dataset.tsv, score")
        return found

    return data.once("thesis 3.1", make)


def multi_reference_table(data: DataSets) -> Reproduction:
    """Return Table 3.1: r of BLEU with human scores, with one and with several references."""
    found = _multi_reference_bleu(data)
    values = {
        system: {column: float(pearson(row, one["score"])) for column, row in one.items() if column != "score"}
        for system, one in found.items()
    }
    compared, missing = compare_rows("thesis_t3_1", values), data.missing([PARAPHRASED])
    return replace(compared, unchecked=[replace(one, reason=missing or one.reason) for one in compared.unchecked])


def affected_table(data: DataSets) -> Reproduction:
    """Return Table 3.2: the percentage of sentences whose BLEU changes with paraphrased references."""
    values = {
        system: {
            column: PERCENT * float((row != one["Reference"]).mean())
            for column, row in one.items()
            if column not in ("score", "Reference")
        }
        for system, one in _multi_reference_bleu(data).items()
    }
    return compare_rows("thesis_t3_2", values, decimals=1)


def quality_table(data: DataSets) -> Reproduction:
    """Return Table 3.3: mean human scores and BLEU of the systems of EAMT09."""
    values = {}
    for system, one in _ce_rows(data, ["mt", "reference", "score"]).items():
        texts = _texts(one["mt"], {"reference": one["reference"]}, "en-es")
        bleu = data.scored(texts, {BLEU: BLEU})[0].system[SYSTEM]
        values[system] = {"Human": float(numbers(one["score"], "score").mean()), "BLEU": bleu}
    return compare_rows("thesis_t3_3", values, decimals=4)


def post_edit_table(data: DataSets) -> Reproduction:
    """Return Table 3.7: mean scores with the reference and with the post-edit; IWSLT 2019 stands in for EAMT11."""
    folder = data("eamt11")
    if folder is not None:
        found = read_table(folder, "eamt11.tsv", ["mt", "reference", "postedit"])
        pair = "fr-en"
    else:
        names = {"MT": "mt", "REF": "reference", "PE": "postedit"}
        table = read_table(data.needed("iwslt2019_pe"), "annotations.tsv", list(names))
        found, pair = {names[name]: column for name, column in table.items()}, "en-es"
    values: dict[str, dict[str, float]] = {}
    for column, reference in {"Translation": "reference", "Post-Edition": "postedit"}.items():
        texts = _texts(found["mt"], {reference: found[reference]}, pair)
        for row, spec in {"BLEU": BLEU, "Meteor": METEOR, "TER": TER}.items():
            values.setdefault(row, {})[column] = float(_segment(data, texts, spec).mean())
    higher = values["BLEU"]["Post-Edition"] > values["BLEU"]["Translation"]
    statement = Statement(
        "scores with the post-edit are better than with the reference, for all metrics",
        higher
        and values["Meteor"]["Post-Edition"] > values["Meteor"]["Translation"]
        and values["TER"]["Post-Edition"] < values["TER"]["Translation"],
        "; ".join(f"{row} {one['Translation']:.3f} and {one['Post-Edition']:.3f}" for row, one in values.items()),
    )
    if folder is not None:
        compared = compare_rows("thesis_t3_7", values, decimals=4)
        return Reproduction(compared.cells, compared.unchecked, [statement], decimals=4)
    missing = data.missing(["eamt11"])
    unchecked = [Unchecked(row, column, float(text), missing) for row, column, text in printed("thesis_t3_7").numbers()]
    note = "For comparison: post-edits of IWSLT 2019, English to Spanish."
    return Reproduction(unchecked=unchecked, statements=[statement], notes=[note], extra=values, decimals=4)


def origin_table(data: DataSets) -> Reproduction:
    """Return Table 3.8: mean scores and r with human scores by the language in which the sentence was written."""
    found = read_table(data.needed("eamt11"), "eamt11.tsv", ["mt", "reference", "score", "language"])
    human = numbers(found["score"], "eamt11.tsv, score")
    texts = _texts(found["mt"], {"reference": found["reference"]}, "fr-en")
    scores = {name: _segment(data, texts, spec) for name, spec in (("BLEU", BLEU), ("Meteor", METEOR), ("TER", TER))}
    values = {}
    for language in dict.fromkeys(found["language"]):
        rows = np.array([owner == language for owner in found["language"]])
        values[language] = {
            **{f"{name}_avg": float(row[rows].mean()) for name, row in scores.items()},
            **{f"{name}_r": float(pearson(row[rows], human[rows])) for name, row in scores.items()},
            "Sentences": float(rows.sum()),
        }
    return compare_rows("thesis_t3_8", values, decimals=4)


def fluency_table(data: DataSets) -> Reproduction:
    """Return Table 4.11: r with adequacy and fluency, with one reference (the first) and with all."""
    names = [f"reference{number}" for number in (1, 2, 3, 4)]
    found = read_table(data.needed("mtc_p4"), "mtc_p4.tsv", ["mt", *names, "adequacy", "fluency"])
    adequacy, fluency = (numbers(found[name], f"mtc_p4.tsv, {name}") for name in ("adequacy", "fluency"))
    human = {"A": adequacy, "F": fluency, "Avg": (adequacy + fluency) / 2}
    values: dict[str, dict[str, float]] = {}
    for kind, used in {"single": names[:1], "multi": names}.items():
        texts = _texts(found["mt"], {name: found[name] for name in used}, "zh-en")
        for row, spec in {"UPF-Cobalt": "cobalt", "Meteor": METEOR, "BLEU": BLEU}.items():
            scores = _segment(data, texts, spec)
            values.setdefault(row, {}).update({
                f"{kind}_{name}": float(pearson(scores, column)) for name, column in human.items()
            })  # fmt: skip
    return compare_rows("thesis_t4_11", values)


def aligner_table(data: DataSets) -> Reproduction:
    """Return Table 4.2: F1 of aligned words against people, of METEOR's aligner and of UPF-Cobalt's.

    Sentences that the parser divides into other words than the file are left out.
    """
    found = read_table(data.needed("msr_alignments"), "msr_alignments.tsv", ["source", "target", "alignment"])
    gold = [{tuple(map(int, link.split("-"))) for link in text.split()} for text in found["alignment"]]
    settled = {name: metric.resolved("en") for name, metric in ALIGNERS.items()}
    parsed = [next(iter(settled.values())).parse_texts(found[side]) for side in ("source", "target")]
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
    cells, unchecked = [], []
    for row, column, text in printed("thesis_t4_2").numbers():
        name = "MWA" if row.startswith("MWA") else row
        if f1.get(name):
            cells.append(check(row, column, text, PERCENT * mean(f1[name]), must=False))
        else:
            unchecked.append(Unchecked(row, column, float(text), NO_PROGRAM))
    notes = [f"{left_out} of {len(gold)} sentences are left out: the parser divides them into other words."]
    return Reproduction(cells, unchecked, notes=notes, decimals=1)


ALIGNERS = {"Meteor": Cobalt(aligner="meteor"), "MWA": Cobalt()}
