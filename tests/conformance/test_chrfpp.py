"""chrF against chrF++.py of its author (m-popovic/chrF 6d3c384), under Python 3 and, on bytes, under Python 2."""

from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts

PRINTED = 5e-5 + 1e-9  # it prints four digits


def test_chrf_equals_the_original_program(shared):
    compared = 0
    for record in read_golden(shared, "chrfpp_popovic"):
        parameters = record["parameters"]
        unit = "byte" if "python2" in parameters["interpreter"] else "char"
        spec = (
            f"chrf:variant=original,unit={unit},"
            f"char_order={parameters['nc']},word_order={parameters['nw']},beta={parameters['beta']}"
        )
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metrics.create(spec), texts, record, tolerance=PRINTED)
        average = metrics.create(f"{spec},average=segment")
        compared += compare(average, texts, record, tolerance=PRINTED, corpus="average_of_segments")
    assert compared == 31_616
