"""BLEU and chrF against sacreBLEU 2.6.0 and 1.3.6 (from PyPI): every golden score, signature and part."""

from typing import Any

import pytest

from tercet import metrics
from tercet.data.scores import with_facts

from ..conftest import read_golden
from .golden import compare, golden_texts

EXACT = 1e-9


def spec(name: str, parameters: dict[str, Any]) -> str:
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in parameters.items() if value is not None)


def bleu_spec(parameters: dict[str, Any]) -> str:
    """Segments used effective_order as recorded, corpora never did: our None and False."""
    ours = dict(parameters, effective_order=None if parameters["effective_order"] else False)
    del ours["signature"], ours["corpus_effective_order"]
    return spec("bleu", ours)


def test_bleu_equals_sacrebleu_2_6(shared):
    compared = 0
    for record in read_golden(shared, "sacrebleu_bleu"):
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metrics.create(bleu_spec(record["parameters"])), texts, record, tolerance=EXACT)
    assert compared == 50_275


def test_parts_of_bleu_equal_sacrebleu_2_6(shared):
    for record in read_golden(shared, "sacrebleu_bleu"):
        metric = metrics.create(bleu_spec(record["parameters"])).resolved()
        texts = golden_texts(shared, record["test_set"], record["references"])
        for system, table in metric.statistics(texts).items():
            ours = metric.details(table.sum(0))
            for part, value in record["corpus_details"][system].items():
                if part in ("counts", "totals") and record["parameters"]["smooth_method"] == "add-k":
                    continue  # sacreBLEU reports what it added as if it had been counted
                assert ours[part] == pytest.approx(value, abs=EXACT), (metric.spec, system, part)


def test_chrf_equals_sacrebleu_2_6(shared):
    compared = 0
    for record in read_golden(shared, "sacrebleu_chrf"):
        parameters = {key: value for key, value in record["parameters"].items() if key != "signature"}
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metrics.create(spec("chrf", parameters)), texts, record, tolerance=EXACT)
    assert compared == 21_987


@pytest.mark.parametrize("name", ["sacrebleu_bleu", "sacrebleu_chrf"])
def test_signatures_are_those_of_sacrebleu_but_for_the_version(shared, name):
    for record in read_golden(shared, name):
        parameters = dict(record["parameters"])
        theirs = parameters["signature"].split("|")
        if name == "sacrebleu_bleu":
            metric = metrics.create(bleu_spec(parameters))
            if parameters["effective_order"] is False:
                metric = metrics.create(metric.spec.replace("effective_order=False", "effective_order=None"))
        else:
            metric = metrics.create(spec("chrf", {k: v for k, v in parameters.items() if k != "signature"}))
        _, *ours = with_facts(metric.signature, {"nrefs": record["references"]}).split("|")
        # sacreBLEU says nothing of max_ngram_order, which changes the score; ours does.
        ours = [part for part in ours if not part.startswith("order:") and not part.startswith("compat:")]
        assert theirs[-1].startswith("version:")
        assert ours[-1].startswith("version:")
        assert [part for part in ours[:-1] if part != "segeff:no"] == theirs[:-1]


def test_bleu_and_chrf_equal_sacrebleu_1_3_6(shared):
    compared = 0
    for record in read_golden(shared, "sacrebleu136"):
        texts = golden_texts(shared, record["test_set"], record["references"])
        parameters = record["parameters"]
        if parameters["metric"] == "bleu":
            metric = metrics.create("bleu:variant=sacrebleu-1.3.6,lowercase=true,tokenize=intl")
            compared += compare(metric, texts, record, tolerance=EXACT)
        else:  # its chrF runs from 0 to 1
            metric = metrics.create(f"chrf:variant=sacrebleu-1.3.6,beta={parameters['beta']}")
            compared += compare(metric, texts, record, tolerance=EXACT, scale=100)
    assert compared == 4_527
