"""WER, PER, CDER, CER and TER against Moses, jiwer, sacreBLEU and tercom: golden scores, and those of WMT19."""

import numpy as np
import pytest

import tercet
from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts
from .test_wmt19_texts import read_columns, read_texts

SINGLE = 2e-6  # Moses computes in single precision and prints nine digits


def complement(record):
    """A record of Moses, whose numbers are 1 - rate, as rates."""
    return {
        **record,
        "segment_scores": {
            system: [1 - value for value in scores] for system, scores in record["segment_scores"].items()
        },
        "corpus_score": {system: 1 - value for system, value in record["corpus_score"].items()},
    }


@pytest.mark.parametrize(("name", "values"), [("wer", 3_952), ("cder", 3_952), ("per", 3_018)])
def test_rates_equal_those_of_moses(shared, name, values):
    compared = 0
    for record in read_golden(shared, f"moses_{name}"):
        lowercase = record["parameters"]["scconfig"] == "case:false"
        metric = metrics.create(f"{name}:variant=moses,tokenize=none,lowercase={lowercase}").resolved()
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metric, texts, complement(record), tolerance=SINGLE)
    assert compared == values


@pytest.mark.parametrize("name", ["wer", "cder", "per"])
def test_counts_equal_those_of_moses(shared, name):
    for record in read_golden(shared, f"moses_{name}"):
        lowercase = record["parameters"]["scconfig"] == "case:false"
        metric = metrics.create(f"{name}:variant=moses,tokenize=none,lowercase={lowercase}").resolved()
        for system, counts in metric.statistics(golden_texts(shared, record["test_set"], record["references"])).items():
            if name == "wer":
                counts = np.column_stack([counts[:, :3].sum(1), counts[:, [0, 1, 3]].sum(1)])
            theirs = np.array(record["segment_stats"][system])
            assert np.array_equal(counts[:, : theirs.shape[1]], theirs), (record["test_set"], system)


def test_wer_mer_wil_and_cer_equal_jiwer(shared):
    compared = 0
    for record in read_golden(shared, "jiwer"):
        rate = record["parameters"]["metric"]
        metric = metrics.create("cer" if rate == "cer" else f"wer:variant=jiwer,rate={rate}").resolved()
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metric, texts, record, tolerance=1e-12)
    assert compared == 6_036


def ter_spec(record, variant):
    given = {key: value for key, value in record["parameters"].items() if key != "signature"}
    return f"ter:variant={variant}," + ",".join(f"{key}={value}" for key, value in given.items())


def test_ter_equals_sacrebleu(shared):
    compared = 0
    for record in read_golden(shared, "sacrebleu_ter"):
        texts = golden_texts(shared, record["test_set"], record["references"])
        metric = metrics.create(ter_spec(record, "sacrebleu")).resolved()
        compared += compare(metric, texts, record, tolerance=1e-9)
        if not record["parameters"].get("normalized"):
            compare(metrics.create(ter_spec(record, "standard")), texts, record, tolerance=1e-9)
    assert compared == 10_799


def test_signatures_of_ter_are_those_of_sacrebleu_but_for_the_version(shared):
    for record in read_golden(shared, "sacrebleu_ter"):
        theirs = record["parameters"]["signature"].split("|")
        _, *ours = metrics.create(ter_spec(record, "standard")).signature.split("|")
        assert [part for part in ours[:-1] if not part.startswith("compat:")] == theirs[1:-1]


OPTIONS = {"-N": "normalized", "-P": "no_punct", "-A": "asian_support", "-s": "case_sensitive"}


def test_ter_equals_tercom(shared):
    """Every number of edits and every length, and so every score. Tabs were spaces when tercom read the texts."""
    compared = 0
    for record in read_golden(shared, "tercom"):
        given = ",".join(f"{OPTIONS[option]}=true" for option in record["parameters"]["options"])
        metric = metrics.create("ter:variant=tercom" + ("," + given if given else "")).resolved()
        counts = metric.statistics(golden_texts(shared, record["test_set"], record["references"]))
        for system, table in counts.items():
            assert table[:, :2].tolist() == record["segment_edits_words"][system], (metric.spec, record["test_set"])
            expected = float(record["corpus_score"][system].split()[0])
            assert float(metric.score(table.sum(0))) / 100 == pytest.approx(expected, abs=1e-12)
            compared += len(table)
    assert compared == 10_002


def test_ter_equals_moses(shared):
    """Every number of edits and every length, and so every score; Moses prints 1 - TER in single precision."""
    compared = 0
    for record in read_golden(shared, "moses_ter"):
        case = record["parameters"]["scconfig"] != "case:false"
        metric = metrics.create(f"ter:variant=moses,tokenize=none,case_sensitive={case}").resolved()
        texts = golden_texts(shared, record["test_set"], record["references"])
        for system, table in metric.statistics(texts).items():
            theirs = np.array(record["segment_stats"][system]) / 100
            assert table[:, :2].tolist() == theirs[:, :2].tolist(), (metric.spec, record["test_set"], system)
            compared += len(table)
        compare(metric, texts, complement(record), tolerance=SINGLE, scale=100)
    assert compared == 3_912


@pytest.fixture(scope="module")
def published(shared):
    """Language pair -> system -> metric -> score; Moses' numbers, 1 - rate, with four digits."""
    table = read_columns(shared / "data" / "wmt19_sys" / "wmt19_sys_scores.tsv")
    scores = {}
    for i, (pair, system) in enumerate(zip(table["lp"], table["system"], strict=True)):
        scores.setdefault(pair, {})[system] = {name: float(table[name][i]) for name in ("WER", "PER", "CDER", "TER")}
    return scores


@pytest.mark.parametrize("pair", ["gu-en", "lt-en", "ru-en"])
@pytest.mark.parametrize("name", ["WER", "PER", "CDER", "TER"])
def test_scores_of_wmt19_are_the_published_ones(shared, published, pair, name):
    target = pair.partition("-")[2]
    parameters = "variant=moses,case_sensitive=true" if name == "TER" else "variant=moses"
    metric = metrics.create(f"{name.lower()}:{parameters}").resolved(target)
    assert metric.tokenize == f"moses-{target}"
    scale = 100 if name == "TER" else 1
    for system, counts in metric.statistics(read_texts(shared, pair).only(list(published[pair]))).items():
        ours = 1 - float(metric.score(counts.sum(0))) / scale
        assert ours == pytest.approx(published[pair][system][name], abs=5.1e-5), system  # four digits


@pytest.mark.parametrize("name", ["wer", "cder", "per", "ter"])
def test_moses_lower_cases_ascii_letters_only(name):
    # Its scorers call tolower on every byte: letters of other alphabets keep their case.
    texts = tercet.TestSet({"x": ["ABC Привет Ωμέγα"]}, {"r": ["abc привет ωμέγα"]})
    case = "case_sensitive=false" if name == "ter" else "lowercase=true"
    for variant, errors in (("moses", 2 / 3), ("standard", 0)):
        (scores,) = tercet.score(texts, [f"{name}:variant={variant},{case}"])
        assert scores.system["x"] / (100 if name == "ter" else 1) == pytest.approx(errors)
