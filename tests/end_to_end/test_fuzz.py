"""A small part of benchmarks/fuzz.py: damaged files and odd arguments end in a message, not in a crash or nonsense."""

import random

import pytest

pytest.importorskip("resource", reason="limits of CPU time and memory are those of Unix")
pytest.importorskip("sqlalchemy", reason="the extra tercet[web] is not installed")
pytest.importorskip("sklearn", reason="the extra tercet[qe] is not installed")

from benchmarks import fuzz


@pytest.mark.xdist_group("fuzz")
def test_damaged_files_and_odd_arguments_end_in_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_DATA", "")  # set by the campaign, and restored after it
    done, faults = fuzz.campaign(range(30), seed=2, seconds=40, shown=False)
    assert done >= 10
    assert faults == []


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (fuzz.Outcome(0, "fine", ""), ""),
        (fuzz.Outcome(2, "", "Error: no."), ""),
        (fuzz.Outcome(1, "", ""), "no message"),
        (fuzz.Outcome(4, "", "Error: no."), "exit code 4"),
        (fuzz.Outcome(1, "", "Traceback (most recent call last):"), "a traceback was printed"),
        (fuzz.Outcome(0, '{"p_value": {"x": 1.5}}', ""), "p_value 1.5"),
        (fuzz.Outcome(0, '[{"ci_low": 2.0, "ci_high": 1.0}]', ""), "interval 2.0 to 1.0"),
        (fuzz.Outcome(0, '[{"metric": "bleu", "score": 100.5}]', ""), "bleu 100.5"),
        (fuzz.Outcome(0, '{"a": NaN}', ""), "JSON: NaN is not JSON"),
    ],
)
def test_faults_are_recognised(outcome: fuzz.Outcome, fault: str) -> None:
    found = fuzz.find_fault(["score", "-f", "json"], outcome)
    assert found.startswith(fault) if fault else found == ""


def test_what_a_command_does_wrong_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(fuzz, "main", crash)
    assert "KeyError: 'oops'" in fuzz.find_fault(["score"], fuzz.run(["score"]))


def test_damage_depends_on_the_seed_only() -> None:
    data = b'{"a": [1, 2]}\n{"b": "x"}\n'
    made = [fuzz.damaged(data, random.Random(seed)) for seed in range(60)]
    assert made == [fuzz.damaged(data, random.Random(seed)) for seed in range(60)]
    assert len(set(made)) > 30
