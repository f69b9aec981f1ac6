"""Macháček and Bojar (2014), "Results of the WMT14 Metrics Shared Task".

Tau of segments, where a metric's tie counts as half agreement, with half-widths from 1,000 resamples of comparisons.
The public copy lacks ties, so HTIES and TrueSkill cannot be recomputed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from statistics import mean
from types import MappingProxyType
from typing import Any

from ....metaeval.judging import judge
from ..printed import compare, printed
from ..results import Reproduction
from ..sources import DataSets
from ..tables import why_absent
from .rankings import NOT_ASKED, Taus, evidence, language_pairs, missing_pair, pairs_of, tokenised, whole_scores
from .thesis_cobalt import tau_table

NAME = "wmt14"
PAIRS = ("fr-en", "de-en", "hi-en", "cs-en", "ru-en")
MEANS = ("Average", "Average_excl_en-de")  # of Pearson's r; of Spearman's rho: Spearman_…
# Rows of Tables 2 and 3 that Tercet has: on the original texts, and on texts tokenised by Moses.
OF_PLAIN = {"BLEU": "bleu:variant=mteval,tokenize=intl", "METEOR": "meteor", "NIST": "nist:tokenize=intl"}
OF_TOKENISED = {
    "TER": "ter:case_sensitive=true",  # variant=moses takes ten times as long for nearly the same scores
    **{row: f"{row.lower()}:variant=moses,tokenize=none" for row in ("WER", "PER", "CDER")},
}
WINS = "expected-wins"  # instead of the task's TrueSkill, which needs the ties
SYSTEM_WIDTH_WITHIN = 0.005  # of half-widths at system level, whose human scores are not the task's
NO_TIES = (
    "It needs the ties of all five-way rankings, which the published copy does not have. Who has them as rankings gets "
    "HTIES by tercet meta --stat tau:hties."
)
NO_ROWS: Mapping[str, str] = MappingProxyType({})


def segment_table(
    data: DataSets, *, expected: str = "wmt14_t4", rows: Mapping[str, str] = NO_ROWS, pairs: Sequence[str] | None = None
) -> Reproduction:
    """Return Table 4 or 5: tau by language pair. rows: metrics by row. pairs: only these; means need all pairs."""
    found = tau_table(data, expected=expected, name=NAME, rows=rows, pairs=pairs, must=("SENTBLEU", "METEOR"))
    taus = [cell for cell in found.cells if cell.row == "SENTBLEU" and not cell.column.endswith("_ci")]
    largest = max((abs(cell.difference) for cell in taus), default=float("nan"))
    unchecked = [
        replace(one, reason=NO_TIES) if taus and (one.column.startswith("HTIES") or one.row == "n") else one
        for one in found.unchecked
    ]
    return replace(found, unchecked=unchecked, note_values={**found.note_values, "largest": largest})


def system_table(
    data: DataSets, *, expected: str = "wmt14_t2", rows: Mapping[str, str] = NO_ROWS, pairs: Sequence[str] | None = None
) -> Reproduction:
    """Return Table 2 or 3: system level, with expected wins instead of the task's TrueSkill."""
    table, wanted = printed(expected), language_pairs(expected)
    here = pairs_of(data, NAME, wanted if pairs is None else pairs)
    values: Taus = {}
    ranks: Taus = {}  # Spearman's rho
    systems: dict[str, float] = {}
    for pair in here:
        (people, texts), own = evidence(data, NAME, pair), whole_scores(data, NAME, pair, rows)
        of_words = data.scored(tokenised(data, NAME, pair), OF_TOKENISED)
        scores = [*data.scored(texts, OF_PLAIN), *of_words, *own]
        for statistic, found in (("pearson", values), ("spearman", ranks)):
            how: dict[str, Any] = {"level": "sys", "unit": "judgements", "significance": None}
            for item in judge(people, scores, gold=WINS, statistic=statistic, **how).items:
                of_row = found.setdefault(item.label, {})
                of_row |= {pair: item.value, f"{pair}_ci": (item.ci_high - item.ci_low) / 2}
                systems[pair] = item.n
    averaged = [pair for pair in wanted if pair != "en-de"]
    for row, of_pairs in values.items() if len(here) == len(wanted) else ():
        for column, end in product(MEANS, ("", "_ci")):
            of_pairs[f"{column}{end}"] = mean(of_pairs[f"{pair}{end}"] for pair in averaged)
            of_pairs[f"Spearman_{column}{end}"] = mean(ranks[row][f"{pair}{end}"] for pair in averaged)
    values["n"] = systems

    def reason(row: str, column: str) -> str:
        if not here:
            return missing_pair(NAME, column)
        return NOT_ASKED if row in values else why_absent(row)

    def how_checked(row: str, column: str) -> dict[str, object]:
        if column.endswith("_ci"):
            return {"within": SYSTEM_WIDTH_WITHIN, "decimals": 3}
        return {"interval": table.half_width(row, column), "must": row == "n"}

    specs = "; ".join(f"{row}: {spec}" for row, spec in {**OF_PLAIN, **OF_TOKENISED, **rows}.items())
    extra = {
        row: {column: value for column, value in found.items() if column in table.columns}
        for row, found in values.items()
        if row not in table.cells
    }
    return compare(expected, values, reason, how_checked, extra=extra, note_values={"specs": specs})
