"""What files may ask for: metrics of the package only. Code and services are the user's to allow."""

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tercet
from tercet import TestSet, scoring
from tercet.cli import main
from tercet.data.score_archive import save_scores
from tercet.errors import DataError, Untrusted, UsageError
from tercet.examples import write
from tercet.learning.examples import standard_units
from tercet.learning.predictors import LinearPredictor
from tercet.metrics import create, create_from_file
from tercet.metrics.bases.learned_model import LearnedModel

from ...chat_server import serving

TEXTS = TestSet({"x": ["a cat sat", "the dog"]}, {"r": ["a cat sat", "a dog"]}, ["un chat", "le chien"], pair="fr-en")
CODE = """from pathlib import Path
Path(__file__).with_suffix(".ran").touch()
def f(output, references):
    return float(len(output))
"""


@pytest.fixture
def code(tmp_path: Path) -> str:
    (tmp_path / "own.py").write_text(CODE)
    return f"{tmp_path}/own.py:f"


def write_model(path: Path, *features: str) -> str:
    """Write a model of features, as `tercet learn` does."""
    inputs, _ = standard_units(np.random.default_rng(1).normal(size=(5, len(features))))
    predictor = LinearPredictor(inputs, np.ones(len(features)), 0.0)
    LearnedModel(features, predictor, "en", "Forged").save(path)
    return str(path)


def ran(code: str) -> bool:
    return Path(code.partition(".py")[0] + ".ran").exists()


@pytest.mark.parametrize("feature", ["{}", "{}@part", "Mean|of:{}", "mean:of={}"])
def test_a_model_does_not_run_code_of_a_file_that_it_names(tmp_path, code, feature):
    model = write_model(tmp_path / "evil.metric", feature.format(code), "chrf")
    with pytest.raises(UsageError, match="own.py"):
        tercet.score(TEXTS, f"learned:model={model}")
    assert not ran(code)


def test_a_model_inside_a_model_does_not_run_code_either(tmp_path, code):
    inner = write_model(tmp_path / "inner.metric", code)
    for spec in (f"learned:model={inner}", f"mean:of=learned:model={inner}+chrf", f"Mean|of:learned:model={inner}"):
        outer = write_model(tmp_path / "outer.metric", spec)
        with pytest.raises(Untrusted, match="trust_features"):
            tercet.score(TEXTS, f"learned:model={outer}")
    assert not ran(code)


@pytest.mark.parametrize("feature", ["learned:model={}", "mean:of=learned:model={}+chrf"])
def test_a_model_that_needs_itself_is_refused(tmp_path, feature):
    model = write_model(tmp_path / "round.metric", feature.format(tmp_path / "round.metric"))
    with pytest.raises(DataError, match="metrics in metrics, more than 8 deep. It may need itself"):
        tercet.score(TEXTS, f"learned:model={model}")


def test_the_user_can_trust_a_model(tmp_path, code):
    model = write_model(tmp_path / "own.metric", code, "chrf")
    outer = write_model(tmp_path / "outer.metric", f"learned:model={model}")
    found = tercet.score(TEXTS, [f"learned:model={name},trust_features=true" for name in (model, outer)])
    assert ran(code)
    assert all(np.isfinite(item.system["x"]) for item in found)


@pytest.mark.parametrize(
    ("feature", "why"),
    [
        ("bertscore:encoder=hf:folder,trust_pickle=true", "sets trust_pickle"),
        ("bertscore:encoder=hf:some/model,allow_download=true", "sets allow_download"),
        ("cobalt:parses=/home/someone", "sets parses"),
        ("cobalt:parser=spacy:./folder", "folder that could hold code"),
        ("bertscore:encoder=vectors:spacy:/folder", "folder that could hold code"),
        ("cobalt:parser=stanza:../en", "folder that could hold code"),
        ("bleurt:model=folder", "whose models are programs"),
        ("learned:model=x,trust_features=true", "sets trust_features"),
        ("judge:endpoint=http://localhost:1,model=m", "sends texts to a service"),
    ],
)
def test_a_file_cannot_grant_itself_anything(feature, why):
    with pytest.raises(Untrusted, match=why):
        create_from_file(feature, "x.metric")


def test_a_package_of_spacy_may_be_named():
    assert create_from_file("cobalt:parser=spacy:en_core_web_sm", "x.metric") == create(
        "cobalt:parser=spacy:en_core_web_sm"
    )


@pytest.mark.parametrize(
    ("feature", "allowed"),
    [
        ("judge:endpoint={},model=m", False),
        ("judge:endpoint={},model=m", True),
        ("mean:of=judge:endpoint={};model=m+chrf", False),
    ],
)
def test_a_model_does_not_send_texts_unless_allowed_and_never_a_key(tmp_path, monkeypatch, feature, allowed):
    monkeypatch.setenv("TERCET_JUDGE_KEY", "canary-of-the-key")
    monkeypatch.setenv("TERCET_DATA", str(tmp_path))
    with serving(lambda prompt, number: "50") as chat:
        model = write_model(tmp_path / "evil.metric", feature.format(chat.address))
        outer = write_model(tmp_path / "outer.metric", f"learned:model={model}")
        for name in (model, outer):
            spec = f"learned:model={name}" + (",allow_network=true" if allowed else "")
            if allowed:
                tercet.score(TEXTS, spec)
            else:
                with pytest.raises(Untrusted, match="sends texts to a service"):
                    tercet.score(TEXTS, spec)
    assert bool(chat.requests) == allowed
    assert "canary" not in str(chat.headers)


def test_nothing_allows_a_service_inside_a_mean_of_a_file():
    with pytest.raises(Untrusted, match="a service inside mean"):
        create_from_file("mean:of=judge:endpoint=http://h;model=m", "x.metric", allow_network=True)


def test_saved_scores_do_not_run_code_and_do_not_reach_a_service(tmp_path, code, monkeypatch):
    (scores,) = tercet.score(TEXTS, ["chrf"])
    forged = replace(scores, metric=replace_spec(scores.metric, code))
    save_scores(tmp_path / "forged.npz", [forged])
    with pytest.raises(Untrusted, match="own.py"):
        scoring.load(tmp_path / "forged.npz")
    assert not ran(code)
    assert scoring.load(tmp_path / "forged.npz", trust_features=True)[0].metric.spec == code
    save_scores(
        tmp_path / "judge.npz", [replace(scores, metric=replace_spec(scores.metric, "judge:endpoint=http://h,model=m"))]
    )
    (judge,) = scoring.load(tmp_path / "judge.npz")
    assert judge.metric.metric.endpoint is None


def replace_spec(metric, spec):
    from dataclasses import fields

    from tercet.data.scores import MetricRecord

    facts = {each.name: getattr(metric, each.name) for each in fields(MetricRecord)}
    return MetricRecord(**{**facts, "spec": spec})


def test_a_signature_does_not_run_code_and_does_not_reach_a_service(code):
    with pytest.raises(Untrusted, match="own.py"):
        tercet.verify(TEXTS, f"Mean|of:{code}|scale:none|version:1", "1.0")
    assert not ran(code)
    with pytest.raises(Untrusted, match="sends texts"):
        tercet.verify(TEXTS, "Judge-DA|endpoint:http://localhost:1|model:m|prompt:da|version:1", "1.0")


def test_learn_says_that_others_must_trust_the_model(tmp_path, code, caplog):
    write("en-de", tmp_path)
    with caplog.at_level(logging.WARNING):
        tercet.learn(tmp_path, ["chrf", code], learner="ridge")
    assert f"{code}: the model can be used only with the option trust_features." in caplog.messages


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("metrics", '["CODE"]', "own.py, which is a file with code and would be run"),
        ("metrics", '["mean:of=CODE"]', "own.py, which is a file with code and would be run"),
        ("metrics", '["judge:endpoint=http://localhost:9,model=m"]', "judge, which sends texts to a service"),
        ("metrics", '["bertscore:trust_pickle=true"]', "sets trust_pickle of bertscore"),
        ("metrics", '["cobalt:parser=spacy:./folder"]', "folder that could hold code"),
        ("trust_features", "true", "--trust-features, which only you can allow"),
        ("allow_download", "true", "--allow-download, which only you can allow"),
        ("cluster", '"tcp://localhost:9"', "--cluster, which reaches another computer"),
    ],
)
def test_a_configuration_file_runs_no_code_and_allows_itself_nothing(tmp_path, code, capsys, option, value, message):
    (tmp_path / "ref").write_text("a cat\n")
    (tmp_path / "run.toml").write_text(f'outputs = ["{tmp_path}/ref"]\n{option} = {value}\n'.replace("CODE", code))
    with pytest.raises(SystemExit) as left:
        main(["score", f"{tmp_path}/ref", "--config", f"{tmp_path}/run.toml"])
    assert left.value.code == 2 and not ran(code)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("content", ['{"options": true}', "[1]", '{"a": 1}'])
def test_a_configuration_file_without_options_is_refused(tmp_path, capsys, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(SystemExit):
        main(["score", "--config", f"{tmp_path}/run.json"])
    assert "run.json has no options" in capsys.readouterr().err


def test_the_user_can_trust_a_configuration_file(tmp_path, code, capsys):
    (tmp_path / "ref").write_text("a cat\n")
    (tmp_path / "run.toml").write_text(f'outputs = ["{tmp_path}/ref"]\nmetrics = ["{code}"]\n')
    words = ["score", f"{tmp_path}/ref", "--config", f"{tmp_path}/run.toml"]
    for more in (["--trust-features"], ["-m", code]):
        main([*words, *more])
        assert "= 5.000" in capsys.readouterr().out
