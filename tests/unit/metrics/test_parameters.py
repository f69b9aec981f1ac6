"""What metrics refuse, in which words, and what strings and signatures they are made from."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import TestSet, metrics
from tercet.errors import UnknownName, UsageError
from tercet.metrics import metric_class, names

TEXTS = TestSet({"x": ["a b"]}, {"r": ["a b"]}, name="mine")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("chrff", "There is no metric called 'chrff'. Did you mean chrf?"),
        ("", "There is no metric called ''"),
        ("../bleu", "There is no metric called '../bleu'"),
        ("_contract", "There is no metric called '_contract'"),
        ("bleu:tok=13a", "There is no parameter of bleu called 'tok'"),
        ("bleu:tokenize", "bleu: parameter tokenize has no value; write tokenize=VALUE."),
        ("bleu:lowercase=true,lowercase=false", "bleu: parameter lowercase is given twice."),
        ("bleu:lowercase=maybe", "bleu: lowercase must be true or false, not 'maybe'."),
        ("bleu:max_ngram_order=2.5", "bleu: max_ngram_order must be a whole number, not '2.5'."),
        ("bleu:max_ngram_order=0", "bleu: max_ngram_order must be 1 to 100, not 0."),
        ("bleu:tokenize=13b", "There is no tokeniser called '13b'. Did you mean 13a?"),
        ("bleu:smooth_method=exponential", "There is no smooth_method of bleu called 'exponential'"),
        ("bleu:smooth_value=1", "bleu: smooth_value goes with floor and add-k, not with exp."),
        ("bleu:smooth_method=floor,smooth_value=-1", "bleu: smooth_value must be 0 or more, not -1"),
        ("bleu:variant=nist", "There is no variant of bleu called 'nist'"),
        ("bleu:variant=mteval,tokenize=zh", "bleu: variant mteval tokenises by 13a or intl, not zh."),
        ("bleu:variant=mteval,smooth_method=floor", "bleu: variant mteval smooths by exp or none, not floor."),
        ("bleu:variant=mteval,effective_order=true", "bleu: variant mteval has no effective_order."),
        ("bleu:variant=sacrebleu-1.3.6,tokenize=char", "bleu: variant sacrebleu-1.3.6 tokenises by 13a or intl"),
        ("chrf:beta=0", "chrf: beta must be above 0, not 0.0."),
        ("chrf:beta=nan", "chrf: beta must be a number, not 'nan'."),
        ("chrf:char_order=0", "chrf: char_order and word_order must not both be 0."),
        ("chrf:beta=1e7", "chrf: beta must be at most 1,000,000, not 10000000.0."),
        ("chrf:word_order=-1", "chrf: word_order must be 0 to 100, not -1."),
        ("chrf:unit=bytes", "There is no unit of chrf called 'bytes'. Did you mean byte?"),
        ("chrf:average=mean", "There is no average of chrf called 'mean'"),
        ("length:unit=line", "There is no unit of length called 'line'"),
        ("length:tokenize=x", "There is no tokeniser called 'x'"),
        ("nist:tokenize=zh", "There is no tokenize of nist called 'zh'. Known: 13a, intl."),
        ("nist:max_ngram_order=10", "nist: max_ngram_order must be 1 to 9, not 10."),
        ("nist:information=x", "There is no parameter of nist called 'information'"),
        ("sentbleu:tokenize=mose", "There is no tokeniser called 'mose'. Did you mean moses?"),
        ("BLEU|tok", "'BLEU|tok' is not a signature: 'tok' should be KEY:VALUE."),
        ("BLEU|order:four|version:1", "bleu: max_ngram_order must be a whole number, not 'four'."),
        ("BLEU|eff:perhaps|version:1", "is not a signature of bleu: 'perhaps'."),
        ("BLUE|version:1", "There is no metric called 'blue'. Did you mean bleu"),
        ("NIST|order:x|version:1", "nist: max_ngram_order must be a whole number, not 'x'."),
    ],
)
def test_a_wrong_string_is_refused_in_clear_words(spec, message):
    with pytest.raises(UsageError) as error:
        metrics.create(spec)
    assert message in str(error.value)
    assert error.value.exit_code == 2


def test_a_metric_is_taken_as_it_is():
    metric = metrics.create("chrf")
    assert metrics.create(metric) is metric


@pytest.mark.parametrize("name", metrics.names())
def test_what_a_metric_needs_and_lacks_is_named(name):
    metric = metrics.create(name)
    for need, texts in (("reference", TestSet({"x": ["a"]}, source=["a"], name="mine")), ("source", TEXTS)):
        if need in metric.adapted(texts).needs:  # some read the source if there are no references
            with pytest.raises(UsageError, match=f"{name} needs {need}s, and test set 'mine' has none."):
                metric.statistics(texts)


@pytest.mark.parametrize(
    ("signature", "spec"),
    [
        ("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0", "bleu"),
        ("BLEU|nrefs:2|bs:1000|seed:12345|case:lc|eff:yes|tok:zh|smooth:exp|version:2.0.0",
         "bleu:tokenize=zh,lowercase=true,effective_order=true"),
        ("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0", "bleu:smooth_method=floor"),
        ("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.00]|version:2.6.0",
         "bleu:smooth_method=add-k,smooth_value=2"),
        ("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0", "chrf"),
        ("chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0", "chrf:word_order=2"),
        ("chrF3|nrefs:1|case:lc|eff:no|nc:4|nw:0|space:yes|version:2.6.0",
         "chrf:beta=3,lowercase=true,eps_smoothing=true,char_order=4,whitespace=true"),
    ],
)  # fmt: skip
def test_signatures_of_sacrebleu_are_read(signature, spec):
    assert metrics.create(signature).resolved() == metrics.create(spec).resolved()


@given(st.floats(1e-12, 1e6), st.integers(0, 9), st.integers(1, 4))
def test_any_beta_finds_its_way_through_a_signature(beta, char_order, word_order):
    metric = metrics.create(f"chrf:beta={beta!r},char_order={char_order},word_order={word_order}")
    assert metrics.create(metric.signature).resolved() == metric.resolved()
    assert metrics.create(metric.spec).resolved() == metric.resolved()


@given(st.floats(0, 1e6), st.sampled_from(["floor", "add-k"]))
def test_any_smoothing_finds_its_way_through_a_signature(value, method):
    metric = metrics.create(f"bleu:smooth_method={method},smooth_value={value!r}")
    assert metrics.create(metric.signature).resolved() == metric.resolved()
    assert metrics.create(metric.spec).resolved() == metric.resolved()


def test_what_a_variant_sets_by_default_can_be_undone():
    metric = metrics.create("bleu:variant=mteval,lowercase=false")
    assert metric.spec == "bleu:lowercase=false,variant=mteval"
    assert metrics.create(metric.spec).resolved() == metric.resolved()
    assert metrics.create("bleu:variant=mteval").resolved().lowercase is True
    assert metrics.create("bleu").resolved().lowercase is False


def test_labels_are_those_of_the_field():
    labels = {name: metrics.create(name).label for name in ("bleu", "chrf", "nist", "sentbleu", "length")}
    assert labels == {"bleu": "BLEU", "chrf": "chrF2", "nist": "NIST", "sentbleu": "sentBLEU", "length": "length"}
    assert metrics.create("chrf:word_order=2,beta=3").label == "chrF3++"


def test_the_signature_names_the_program_that_the_scores_equal():
    specs = {
        "bleu": "sacrebleu2.6",
        "bleu:variant=mteval": "mteval13a",
        "bleu:variant=sacrebleu-1.3.6": "sacrebleu1.3.6",
        "chrf": "sacrebleu2.6",
        "chrf:variant=original": "chrF++.py",
        "chrf:variant=sacrebleu-1.3.6": "sacrebleu1.3.6",
        "nist": "mteval13a",
        "sentbleu": "moses",
    }
    for spec, program in specs.items():
        assert f"|compat:{program}|" in metrics.create(spec).signature
    assert "compat" not in metrics.create("chrf:unit=byte").signature


@pytest.mark.parametrize(("language", "tokenize"), [("de", "moses-de"), ("zh", "zh"), (None, "moses")])
def test_the_language_chooses_the_tokeniser_of_sentbleu(language, tokenize):
    assert metrics.create("sentbleu").resolved(language).tokenize == tokenize
    assert metrics.create("sentbleu:tokenize=none").resolved(language).tokenize == "none"


def test_unknown_names_are_usage_errors():
    assert issubclass(UnknownName, UsageError)


@pytest.mark.parametrize("name", names())
def test_every_parameter_is_explained(name):
    """By the class itself or by one of its bases."""
    text = metric_class(name).described()
    for parameter in metric_class(name).parameters():
        assert re.search(rf"\b{parameter.name}\b(?:, \w+)*(?: \([^)]*\))?[=:]", text), parameter.name
    assert len(re.findall(r"^lowercase: ", text, re.MULTILINE)) < 2


@pytest.mark.parametrize("name", ["xcomet", "cometkiwi", "hter"])
def test_a_name_that_people_know_is_answered_without_flags(name: str) -> None:
    with pytest.raises(UsageError, match=f"There is no metric called '{name}'. Write ") as raised:
        metrics.create(name)
    assert " -" not in str(raised.value)
