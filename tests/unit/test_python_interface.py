"""The Python interface: what is exported, what a text may be, and how results show themselves."""

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest

import tercet
from tercet.cli import COMMANDS
from tercet.errors import UnknownName, UsageError

OUTPUTS = {"a": ["the cat sat on the mat", "a dog barked"], "b": ["cat on mat", "the dog barks"]}
REFERENCE = ["the cat sat on a mat", "a dog barked"]
TESTSET = tercet.TestSet(OUTPUTS, {"ref": REFERENCE}, pair="de-en")
FUNCTIONS = sorted(set(tercet.__all__) - {"__version__", "data", "kb", "metrics", "qe", "rate"})


def submodules():
    for info in pkgutil.walk_packages(tercet.__path__, "tercet."):
        if info.name != "tercet.__main__":
            yield info.name


def test_every_command_is_exported_by_its_name():
    assert set(tercet.__all__) >= set(COMMANDS) - {"sacrebleu"}  # in Python it is `score`


def test_no_submodule_replaces_a_function():
    for name in submodules():
        importlib.import_module(name)
    assert tercet.score(TESTSET, "bleu")[0].system.keys() == {"a", "b"}
    for name in FUNCTIONS:
        assert callable(getattr(tercet, name)), f"tercet.{name} is {getattr(tercet, name)!r}"
    for name in ("data", "kb", "metrics", "qe", "rate"):
        assert inspect.ismodule(getattr(tercet, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_everything_exported_is_documented_with_an_example_that_runs(name):
    exported = getattr(tercet, name)
    written = inspect.getdoc(exported) or ""
    home = exported if inspect.isclass(exported) else inspect.unwrap(exported)
    if not inspect.isclass(exported):
        assert "Parameters" in written and "Returns" in written, f"tercet.{name} has no Parameters or Returns."
    tests = doctest.DocTestFinder(recurse=False).find(home, name, globs={"tercet": tercet})
    assert any(test.examples for test in tests), f"tercet.{name} has no example."
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in tests:
        assert not runner.run(test).failed, f"The example of tercet.{name} prints something else."


def test_results_are_indexed_by_what_was_asked_for():
    scores = tercet.score(TESTSET, ["chrf", "chrf:word_order=2"])
    assert [item.label for item in scores] == ["chrF2", "chrF2++"]
    assert scores["chrf"].label == "chrF2"
    assert scores["chrf:word_order=2"].label == "chrF2++"
    assert scores[0].system["a"] == scores["chrf"].system["a"]
    with pytest.raises(UnknownName, match="no metric in these results called 'ter'"):
        scores["ter"]


def test_a_metric_may_be_a_string_or_an_object():
    from tercet.metrics.strings.chrf import CHRF

    by_name = tercet.score(TESTSET, "chrf:word_order=2")
    by_object = tercet.score(TESTSET, CHRF(word_order=2))
    assert by_name[0].system == by_object[0].system
    assert by_object["chrf:word_order=2"].label == "chrF2++"


@pytest.mark.parametrize(
    "make",
    [list, tuple, np.array, pandas.Series, pyarrow.array, lambda texts: pyarrow.chunked_array([texts])],
    ids=["list", "tuple", "numpy", "pandas", "arrow", "chunked"],
)
def test_any_sequence_of_strings_is_a_text(make):
    outputs = {name: make(texts) for name, texts in OUTPUTS.items()}
    testset = tercet.TestSet(outputs, {"ref": make(REFERENCE)}, source=make(REFERENCE), pair="de-en")
    assert testset.outputs == {name: tuple(texts) for name, texts in OUTPUTS.items()}
    assert tercet.score(testset, "bleu")[0].system == tercet.score(TESTSET, "bleu")[0].system


def test_a_test_set_goes_to_pandas_and_back():
    frame = pandas.DataFrame({"src": REFERENCE, "ref": REFERENCE, "mt1": OUTPUTS["a"], "mt2": OUTPUTS["b"]})
    testset = tercet.TestSet.from_pandas(frame, source="src", references=["ref"], outputs={"a": "mt1", "b": "mt2"})
    assert testset.outputs == TESTSET.outputs
    back = testset.to_pandas()
    assert list(back) == ["source", "ref", "a", "b"]
    again = tercet.TestSet.from_pandas(back, source="source", references="ref", outputs=["a", "b"])
    assert again == testset
    with pytest.raises(UnknownName, match="no column in the data frame called 'mt3'"):
        tercet.TestSet.from_pandas(frame, outputs=["mt3"])


def test_a_missing_reference_of_pandas_is_none():
    frame = pandas.DataFrame({"one": REFERENCE, "two": [None, "a dog was barking"], "a": OUTPUTS["a"]})
    testset = tercet.TestSet.from_pandas(frame, references=["one", "two"], outputs=["a"])
    assert testset.references["two"] == (None, "a dog was barking")


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NA])
def test_every_missing_value_of_pandas_is_a_missing_reference(missing):
    texts = tercet.TestSet({"a": ["x", "y"]}, {"one": ["x", "y"], "two": [missing, "z"]})
    assert texts.references["two"] == (None, "z")
    with pytest.raises(UsageError, match="segment 1: .* where a text is needed"):
        tercet.TestSet({"a": [missing]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tercet.corpus(["bleu", "chrf"], ["x"], ["x"]), "corpus computes one metric"),
        (lambda: tercet.corpus("bleu", ["x"], (text for text in "x")), "must be a list of texts, .* not generator"),
        (lambda: tercet.corpus("bleu", ["x"], Path("ref.txt")), "must be a list of texts, .* not .*Path"),
        (lambda: tercet.score(TESTSET, []), "No metric is asked for"),
        (lambda: tercet.score("file.jsonl", "bleu"), r"or tercet.read\(FILE\), not str"),
        (
            lambda: tercet.meta(TESTSET, metrics="bleu"),
            "has no language pair with judgements. Give them in `judgements`",
        ),
        (lambda: tercet.parse("a cat", "en"), "A list of texts is needed, as \\['a cat'\\], not a single text"),
        (lambda: tercet.link("Berlin", "en"), "A list of texts is needed"),
        (lambda: tercet.paraphrase("a cat", "en"), "A list of texts is needed"),
        (lambda: tercet.agree("nowhere.jsonl"), "There is no file nowhere.jsonl"),
    ],
)
def test_misuse_is_refused_with_a_message(call, message):
    with pytest.raises(tercet.TercetError, match=message):
        call()


def test_numbers_are_no_texts():
    with pytest.raises(UsageError, match="system 'a', segment 1: 1 where a text is needed"):
        tercet.TestSet({"a": np.array([1, 2])})


def test_results_go_to_pandas():
    scores = tercet.score(TESTSET, ["bleu", "chrf"])
    frame = scores.to_pandas()
    assert list(frame["metric"].unique()) == ["bleu", "chrf"]
    assert len(frame) == 2 * 2 * 2
    pairs = tercet.compare(TESTSET, ["bleu", "chrf"], resamples=100).to_pandas()
    assert list(pairs["metric"]) == ["bleu", "chrf"]
    assert {"a", "b", "difference", "p_bootstrap", "p_randomisation_holm", "better"} <= set(pairs)


def test_extras_of_a_metric_travel_with_its_scores():
    scores = tercet.score(TESTSET, "yisi0")["yisi0"]
    assert set(scores.extras) == {"a", "b"}
    assert set(scores.extras["a"]) == {"precision", "recall"}
    assert {"precision", "recall"} <= set(scores.to_pandas())


@pytest.mark.parametrize(
    "references",
    [REFERENCE, [REFERENCE, REFERENCE], {"ref": REFERENCE}, pandas.Series(REFERENCE)],
    ids=["list", "several", "named", "pandas"],
)
def test_corpus_gives_one_number(references):
    expected = tercet.score(TESTSET, "bleu")[0].system["a"]
    assert tercet.corpus("bleu", OUTPUTS["a"], references) == pytest.approx(expected, abs=1e-12)


def test_corpus_passes_the_source_and_the_languages():
    chinese = tercet.corpus("bleu", ["今天天气很好"], ["今天天气很好"], language_pair="en-zh")
    assert chinese == pytest.approx(100)
    with pytest.raises(UsageError, match="kobe needs sources"):
        tercet.corpus("kobe", ["a"], ["a"], language_pair="en-de")


def test_a_large_test_set_has_a_short_repr():
    text = ["a rather long sentence of more than ten words, " * 3] * 2000
    testset = tercet.TestSet({"one": text, "two": text}, {"ref": text}, source=text, documents=["d"] * 2000)
    assert len(repr(testset)) < 500
    many = tercet.TestSet({f"system-{'x' * 300}-{i}": text for i in range(50)})
    assert len(repr(many)) < 500
    assert "2000 segments" in repr(testset)


def test_results_have_short_reprs_and_escaped_html():
    scores = tercet.score(tercet.TestSet({"<b>": ["x y"]}, {"r": ["x z"]}), "chrf")
    assert len(repr(scores)) < 500
    assert "&lt;b&gt;" in scores._repr_html_() and "<b>" not in scores._repr_html_()
    compared = tercet.compare(TESTSET, "bleu", resamples=100)
    assert len(repr(compared)) < 500
    assert "<table>" in compared._repr_html_()
    assert "&lt;b&gt;" in tercet.TestSet({"a": ["<b>"]})._repr_html_()


def test_the_gate_and_the_paired_tests_are_functions():
    from tercet.scoring import add_tests, paired_tests

    verdicts = tercet.compare(TESTSET, "bleu", resamples=100).gate("bleu drops by 1000")
    assert [(each.failed, each.system) for each in verdicts] == [(False, "b")]
    scores = tercet.score(TESTSET, "bleu")
    tests = paired_tests(scores, resamples=100)
    assert tests[0].p_value.shape == (2, 2)
    (drawn,) = add_tests(scores, paired_tests(scores, test="randomisation"))
    assert scores[drawn.signature] is scores[0] and "|ar:" in drawn.signature
    (tested,) = add_tests(scores, tests)
    assert set(tested.interval) == {"a", "b"}
    assert (tested.p_value("a"), tested.p_value("b")) == (None, tests[0].p_value[0, 1])
    assert tested.record("b").items() >= {"p_value": tests[0].p_value[0, 1], "baseline": "a", "bs": "100"}.items()


def test_a_notebook_shows_tables():
    import nbformat
    from nbclient import NotebookClient

    cells = [
        "import tercet\ntestset = tercet.demo('en-de')\ntestset",
        "scores = tercet.score(testset, ['bleu', 'chrf'])\nscores",
        "tercet.compare(testset, 'chrf', resamples=100)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [output["data"].get("text/html", "") for cell in notebook.cells for output in cell.outputs]
    assert len(shown) == 3
    assert all("<table>" in html for html in shown)
    assert "Alder" in shown[1]


def test_a_comparison_is_indexed_by_metric():
    found = tercet.compare(TESTSET, ["bleu", "chrf"], resamples=50)
    assert found["chrf"] is found.metric("chrf")


def test_quality_is_ranked_by_the_model_of_a_name():
    pytest.importorskip("onnxruntime")
    found = tercet.qe.rank("default", ["Hallo Welt."], ["Hello world."], languages="de-en")
    assert 0 <= found.segments[0].quality <= 100
    with pytest.raises(UsageError, match="There is no model nowhere.qe"):
        tercet.qe.rank("nowhere.qe", ["a"], ["b"])
    with pytest.raises(UsageError, match="A list of texts is needed"):
        tercet.qe.rank("default", "ab", "cd", languages="de-en")
