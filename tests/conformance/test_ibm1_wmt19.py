"""IBM1 on newstest2019, beside what the WMT19 metrics task prints of ibm1-morpheme and ibm1-pos4gram.

Scores cannot be equal: the corpora, the morpheme splitter and the tagger of the submission are unknown. What must hold
is that translations score above those of other sentences; and what docs/metrics/ibm1.md says of the printed values.
"""

import csv
from dataclasses import replace

import numpy as np
import pytest

from tercet import metrics
from tercet.metrics import Shard

from .test_wmt19_texts import read_columns, read_texts

# Pearson's r of the submitted system scores with DA. The tables print it without its sign.
SUBMITTED = {
    "ibm1-morpheme": {
        "de-en": -0.345,
        "fi-en": 0.740,
        "lt-en": 0.487,
        "en-cs": -0.871,
        "en-de": 0.870,
        "en-fi": 0.084,
        "en-lt": -0.810,
        "de-cs": 0.355,
        "de-fr": -0.509,
        "fr-de": -0.625,
    },
    "ibm1-pos4gram": {"de-en": -0.339, "en-de": 0.393, "de-fr": 0.085, "fr-de": -0.478},
}


@pytest.fixture(scope="module")
def system_scores(shared):
    return read_columns(shared / "data" / "wmt19_sys" / "wmt19_sys_scores.tsv")


def column(table, name, pair):
    return {
        system: float(value)
        for lp, system, value in zip(table["lp"], table["system"], table[name], strict=True)
        if lp == pair
    }


@pytest.mark.parametrize(("name", "pair"), [(name, pair) for name, pairs in SUBMITTED.items() for pair in pairs])
def test_the_printed_correlations_hide_signs(shared, system_scores, name, pair):
    scores, people = column(system_scores, name, pair), column(system_scores, "DA", pair)
    r = np.corrcoef(list(scores.values()), [people[system] for system in scores])[0, 1]
    assert r == pytest.approx(SUBMITTED[name][pair], abs=5e-4)
    cells = {}
    for number in (3, 4, 5):
        with (shared / "expected" / f"wmt19_t{number}.csv").open(encoding="utf-8", newline="") as stream:
            cells |= {pair: row[pair] for row in csv.DictReader(stream) if row["metric"] == name for pair in row}
    assert float(cells[pair]) == pytest.approx(abs(r), abs=5e-4)


@pytest.mark.parametrize("spec", ["ibm1:lm=true", "ibm1:of=words", "ibm1:direction=source"])
@pytest.mark.parametrize("pair", ["lt-en", "zh-en"])
def test_every_system_scores_above_its_outputs_moved_by_a_segment(shared, pair, spec):
    testset = read_texts(shared, pair)[:100]
    ready = metrics.create(spec).ready(testset)
    for system, outputs in testset.outputs.items():
        both = {"true": outputs, "moved": (*outputs[1:], outputs[0])}
        counts = ready.count(Shard(replace(testset, outputs=both)))
        true, moved = (float(ready.score(counts[name].sum(0))) for name in both)
        assert moved < true < 0, system


def test_the_correlation_with_people_is_that_of_the_documentation(shared, system_scores):
    people = column(system_scores, "DA", "lt-en")
    testset = read_texts(shared, "lt-en").only(list(people))
    metric = metrics.create("ibm1").resolved()
    counts = metric.statistics(testset)
    scores = [float(metric.score(counts[system].sum(0))) for system in people]
    assert np.corrcoef(scores, list(people.values()))[0, 1] == pytest.approx(0.709, abs=5e-4)
