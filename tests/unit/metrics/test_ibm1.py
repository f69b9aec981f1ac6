"""IBM1: the papers' formula on tables that are known, and what is learnt from texts."""

import logging
import pickle
from dataclasses import replace
from math import log

import numpy as np
import pytest

from tercet import TestSet, metrics, score
from tercet.data.lines import write_lines
from tercet.data.stream import TextFiles
from tercet.errors import DataError, UnknownName, UsageError
from tercet.language.lexical_tables import FLOOR, HEADER
from tercet.metrics import Shard

NOUNS = {"Hund": "dog", "Baum": "tree", "Tisch": "table", "Fisch": "fish", "Stein": "stone"}
VERBS = {"sieht": "sees", "malt": "paints", "mag": "likes"}
SOURCES = [f"Der {a} {verb} den {b} ." for a in NOUNS for verb in VERBS for b in NOUNS if a != b]
TRANSLATIONS = [f"The {NOUNS[a]} {VERBS[v]} the {NOUNS[b]} ." for a in NOUNS for v in VERBS for b in NOUNS if a != b]


def shifted(texts):
    """Every translation beside the source of another sentence."""
    return [*texts[7:], *texts[:7]]


def fit_and_score(spec, testset, outputs=None):
    """The scores of outputs, those of the test set or others, by what is learnt from the test set."""
    ready = metrics.create(spec).ready(testset)
    counts = ready.count(Shard(replace(testset, outputs=outputs or testset.outputs)))
    return {name: float(ready.score(table.sum(0))) for name, table in counts.items()}


def as_table(rows):
    return "\n".join([HEADER, *(f"{source}\t{target}\t{value}" for source, target, value in rows), ""])


@pytest.fixture
def tables(tmp_path):
    """Options for two small tables."""
    (tmp_path / "there").write_text(as_table([("a", "x", 0.5), ("a", "y", 0.25), ("b", "x", 0.125), ("", "y", 0.1)]))
    (tmp_path / "back").write_text(as_table([("x", "a", 0.75), ("y", "b", 0.5), ("", "b", 0.2)]))
    return f"ibm1:of=words,table={tmp_path / 'there'},back={tmp_path / 'back'}"


def test_scores_are_the_papers_formula(tables):
    testset = TestSet({"s": ["x y z"]}, source=["a b"])
    metric = metrics.create(tables)
    counts = metric.statistics(testset)["s"]
    # P(output|source) = (S + 1)^-H prod_i sum_j p(h_i|s_j), with the empty word as s_0; and the other way round.
    output = log((0.5 + 0.125) / 3) + log((0.25 + 0.1) / 3) + log(FLOOR / 3)
    source = log(0.75 / 4) + log((0.5 + 0.2) / 4)
    assert counts == pytest.approx(np.array([[output, 3, source, 2]]), rel=1e-12)
    assert metric.score(counts[0]) == pytest.approx((output / 3 + source / 2) / 2, rel=1e-12)
    assert metric.details(counts[0]) == pytest.approx({"output": output / 3, "source": source / 2})
    assert metric.verbose(counts[0]) == f"output {output / 3:.3f}, source {source / 2:.3f}"


def test_one_direction_needs_its_table_alone(tables, tmp_path):
    testset = TestSet({"s": ["x y", "x"]}, source=["a b", "b"])
    both = metrics.create(tables).statistics(testset)["s"]
    there = metrics.create(f"ibm1:of=words,direction=output,table={tmp_path / 'there'}")
    back = metrics.create(f"ibm1:of=words,direction=source,back={tmp_path / 'back'}")
    assert np.array_equal(there.statistics(testset)["s"], both[:, :2])
    assert np.array_equal(back.statistics(testset)["s"], both[:, 2:])


def test_the_corpus_score_follows_from_sums(tables):
    metric = metrics.create(tables)
    counts = metric.statistics(TestSet({"s": ["x y", "x", ""]}, source=["a", "b", "a b"]))["s"]
    logs, units = counts[:, 0::2].sum(0), counts[:, 1::2].sum(0)
    assert units.tolist() == [3, 4]
    assert metric.score(counts.sum(0)) == pytest.approx((logs / units).mean())


def test_an_empty_output_is_measured_by_the_source_that_it_leaves_unexplained(tables):
    metric = metrics.create(tables)
    counts = metric.statistics(TestSet({"s": ["", "x", ""]}, source=["a b", "a b", ""]))["s"]
    empty, short, neither = metric.segment_scores(counts)
    assert empty == pytest.approx((log(FLOOR) + log(0.2)) / 2)
    assert empty < short
    assert np.isnan(neither)
    assert metric.verbose(counts[0]) == f"output –, source {empty:.3f}"


@pytest.mark.parametrize("of", ["words", "morphemes"])
@pytest.mark.parametrize("direction", ["both", "output", "source"])
@pytest.mark.parametrize("lm", ["true", "false"])
def test_true_translations_score_above_those_of_other_sentences(of, direction, lm):
    testset = TestSet({"one": TRANSLATIONS, "two": TRANSLATIONS}, source=SOURCES)
    outputs = {"true": TRANSLATIONS, "wrong": shifted(TRANSLATIONS), "garbage": ["zq xj"] * len(SOURCES)}
    found = fit_and_score(f"ibm1:of={of},direction={direction},lm={lm}", testset, outputs)
    assert found["true"] > found["wrong"] > found["garbage"]


def test_morphemes_know_forms_that_words_do_not(tmp_path):
    stems = {"walk": "lauf", "paint": "mal", "climb": "kletter", "plant": "pflanz", "watch": "schau", "knock": "klopf"}
    endings = {"ed": "te", "ing": "end", "er": "er"}
    pairs = [(a + x, b + y) for a, b in stems.items() for x, y in endings.items() if a + x != "planter"]
    write_lines(tmp_path / "en", [source for source, _ in pairs])
    write_lines(tmp_path / "de", [target for _, target in pairs])
    testset = TestSet({"right": ["pflanzer"], "wrong": ["klopfer"]}, source=["planter"])
    corpus = f"corpus={tmp_path / 'en'}+{tmp_path / 'de'}"
    words = fit_and_score(f"ibm1:of=words,{corpus}", testset)
    assert words["right"] < words["wrong"]  # one of them is a word that the corpus has
    morphemes = fit_and_score(f"ibm1:{corpus}", testset)
    assert morphemes["right"] > morphemes["wrong"]


def test_a_language_model_rewards_the_usual_order():
    testset = TestSet({"one": TRANSLATIONS, "two": TRANSLATIONS}, source=SOURCES)
    backwards = [" ".join(reversed(text.split())) for text in TRANSLATIONS]
    outputs = {"true": TRANSLATIONS, "backwards": backwards}
    plain = fit_and_score("ibm1:of=words", testset, outputs)
    assert plain["true"] == pytest.approx(plain["backwards"])  # a bag of words
    with_model = fit_and_score("ibm1:of=words,lm=true", testset, outputs)
    assert with_model["true"] > with_model["backwards"]


def test_scores_depend_on_the_systems_and_not_on_their_order():
    testset = TestSet({"a": TRANSLATIONS, "b": shifted(TRANSLATIONS)}, source=SOURCES)
    turned = TestSet({"B": testset.outputs["b"], "A": TRANSLATIONS}, source=SOURCES).take(range(len(SOURCES))[::-1])
    (one,), (other,) = score(testset, ["ibm1"]), score(turned, ["ibm1"])
    assert one.metric.signature == other.metric.signature
    assert one.system == pytest.approx({"a": other.system["A"], "b": other.system["B"]}, rel=1e-12)
    (alone,) = score(testset.only(["a"]), ["ibm1"])
    assert alone.metric.signature != one.metric.signature
    assert alone.system["a"] != one.system["a"]


def test_one_system_alone_is_warned_of(caplog):
    with caplog.at_level(logging.WARNING):
        metrics.create("ibm1").ready(TestSet({"a": TRANSLATIONS}, source=SOURCES))
    assert "ibm1 learns from the outputs of one system alone" in caplog.text


def test_files_and_texts_in_memory_give_the_same(tmp_path):
    for name, lines in {"s": SOURCES, "a": TRANSLATIONS, "b": shifted(TRANSLATIONS)}.items():
        write_lines(tmp_path / name, lines)
    files = TextFiles({"a": tmp_path / "a", "b": tmp_path / "b"}, {}, tmp_path / "s")
    testset = TestSet({"a": TRANSLATIONS, "b": shifted(TRANSLATIONS)}, source=SOURCES)
    (one,), (other,) = score(files, ["ibm1"]), score(testset, ["ibm1"])
    assert one.system == other.system and one.metric.signature == other.metric.signature


def test_the_signature_names_what_was_learnt_and_leads_back():
    testset = TestSet({"a": TRANSLATIONS, "b": TRANSLATIONS}, source=SOURCES)
    metric = metrics.create("ibm1:of=words,lm=true")
    ready = metric.ready(testset)
    assert f"|learnt:{ready.state.checksum}|" in ready.signature
    assert metrics.create(ready.signature).resolved() == metric.resolved()
    copy = pickle.loads(pickle.dumps(ready))
    assert np.array_equal(copy.count(Shard(testset))["a"], ready.count(Shard(testset))["a"])


def test_case_is_ignored_unless_told_otherwise():
    testset = TestSet({"a": TRANSLATIONS, "b": TRANSLATIONS}, source=SOURCES)
    loud = {"loud": [text.upper() for text in TRANSLATIONS], "plain": TRANSLATIONS}
    same = fit_and_score("ibm1:of=words", testset, loud)
    assert same["loud"] == same["plain"]
    other = fit_and_score("ibm1:of=words,lowercase=false", testset, loud)
    assert other["loud"] < other["plain"]


def test_chinese_is_cut_into_characters():
    testset = TestSet(
        {"a": ["我爱你", "他爱我"], "b": ["我爱你", "他爱我"]}, source=["I love you", "He loves me"], pair="en-zh"
    )
    counts = metrics.create("ibm1:of=words").statistics(testset)["a"]
    assert counts[:, 1].tolist() == [3, 3]


CONLLU = {
    "de": [("Der Hund sieht den Baum .", "DET NOUN VERB DET NOUN PUNCT"), ("Gut !", "ADJ PUNCT")],
    "en": [
        ("The dog sees the tree .", "DET NOUN VERB DET NOUN PUNCT"),
        ("Good !", "ADJ PUNCT"),
        ("sees !", "VERB PUNCT"),
    ],
}


@pytest.fixture
def parsed(tmp_path):
    """Options for parses in files."""
    for language, sentences in CONLLU.items():
        lines = []
        for text, tags in sentences:
            lines.append(f"# text = {text}")
            for number, (word, tag) in enumerate(zip(text.split(), tags.split(), strict=True), 1):
                head, relation = (0, "root") if number == 1 else (1, "dep")
                lines.append(f"{number}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{relation}\t_\t_")
            lines.append("")
        write_lines(tmp_path / language, lines)
    return f"ibm1:of=tags,source_parser=conllu:{tmp_path / 'de'},parser=conllu:{tmp_path / 'en'}"


def test_tags_are_scored_by_their_4_grams(parsed):
    sources = [text for text, _ in CONLLU["de"]]
    good = [text for text, _ in CONLLU["en"][:2]]
    testset = TestSet({"good": good, "bad": [good[0], "sees !"]}, source=sources, pair="de-en")
    ready = metrics.create(parsed).ready(testset)
    assert ready.state.table.target_words == (
        "DET_NOUN_VERB_DET",
        "NOUN_VERB_DET_NOUN",
        "VERB_DET_NOUN_PUNCT",
        "ADJ_PUNCT",
        "VERB_PUNCT",
    )
    counts = ready.count(Shard(testset))
    assert counts["good"][:, 1].tolist() == counts["good"][:, 3].tolist() == [3, 1]
    new = fit_and_score(parsed, testset.only(["good"]), testset.outputs)  # a text that was not learnt from is parsed
    assert new["good"] > new["bad"]


def test_a_language_model_of_tags_reads_them_one_by_one(parsed):
    sources = [text for text, _ in CONLLU["de"]]
    testset = TestSet({"a": [text for text, _ in CONLLU["en"][:2]], "b": ["", "Good !"]}, source=sources, pair="de-en")
    metric = metrics.create(f"{parsed},lm=true")
    assert metric.statistics(testset)["a"][:, 5].tolist() == [7, 3]  # with the end of the sentence
    assert "VERB" in metric.ready(testset).state.lm.words


def test_tags_need_the_languages(parsed):
    with pytest.raises(UsageError, match="ibm1: tags need to know the languages, and test set 'unnamed' does not"):
        metrics.create(parsed).ready(TestSet({"a": ["x"], "b": ["x"]}, source=["y"]))


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("ibm1:of=letters", "There is no unit of ibm1 called 'letters'"),
        ("ibm1:direction=up", "There is no direction of ibm1 called 'up'"),
        ("ibm1:format=xml", "There is no format of ibm1 called 'xml'"),
        ("ibm1:corpus=one", "corpus must be two files, as SRC\\+TGT, not 'one'"),
        ("ibm1:corpus=one+", "corpus must be two files"),
        ("ibm1:table=t,back=b", "tables are of words and stand for a corpus: give of=words, and no corpus"),
        ("ibm1:of=words,table=t,back=b,corpus=a+b", "tables are of words and stand for a corpus"),
        ("ibm1:of=words,table=t", "direction=both needs a table 'back', of the probabilities of the source's words"),
        ("ibm1:of=words,direction=source,table=t,back=b", "direction=source does not read the table 'table'"),
        ("ibm1:corpus=", "corpus must not be empty"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(spec, problem):
    with pytest.raises(UsageError, match=problem):
        metrics.create(spec)


def test_an_unknown_unit_is_an_unknown_name():
    with pytest.raises(UnknownName):
        metrics.create("ibm1:of=letters")


def test_files_that_are_missing_or_not_parallel_are_refused(tmp_path):
    testset = TestSet({"a": ["x"], "b": ["x"]}, source=["y"])
    with pytest.raises(UsageError, match="There is no file .*nowhere"):
        metrics.create(f"ibm1:corpus={tmp_path / 'nowhere'}+{tmp_path / 'nowhere'}").ready(testset)
    write_lines(tmp_path / "one", ["a"])
    write_lines(tmp_path / "two", ["a", "b"])
    with pytest.raises(DataError, match="The texts are not parallel: 1 source sentences, 2 target sentences"):
        metrics.create(f"ibm1:corpus={tmp_path / 'one'}+{tmp_path / 'two'}").ready(testset)


def test_texts_without_any_words_are_refused():
    with pytest.raises(DataError, match="Cannot train: no sentence pair has"):
        metrics.create("ibm1").ready(TestSet({"a": ["", ""], "b": ["", ""]}, source=["x", "y"]))


def test_a_metric_that_has_learnt_nothing_says_so():
    testset = TestSet({"a": ["x"]}, source=["y"])
    with pytest.raises(UsageError, match="lexical probabilities are missing; call ready"):
        metrics.create("ibm1").ready().count(Shard(testset))


def test_the_folder_of_parses_is_not_part_of_the_metric(tmp_path):
    metric = metrics.create(f"ibm1:of=tags,parses={tmp_path}")
    assert metric == metrics.create("ibm1:of=tags")
    assert metric.spec == "ibm1:of=tags"
    assert "parses" not in metric.signature
