"""`tercet metrics`."""

import json
import sys
from pathlib import Path

import pytest

from tercet import examples, metrics
from tests.docs.running import run


def test_the_list_names_every_metric_with_what_it_needs() -> None:
    ran = run(["metrics"])
    assert ran.code == 0
    lines = {line.split()[0]: line for line in ran.out.split("\n")[2:] if line}
    for name in metrics.names():
        assert all(need in lines[name] for need in metrics.create(name).needs)
        direction = metrics.create(name).higher_is_better
        assert {True: "higher", False: "lower", None: "neither"}[direction] in lines[name]


def test_the_list_in_json_says_the_same_as_each_page() -> None:
    listed = json.loads(run(["metrics", "-f", "json"]).out)
    assert [entry["name"] for entry in listed] == list(metrics.names())
    for entry in listed:
        page = json.loads(run(["metrics", entry["name"], "-f", "json"]).out)
        assert page | {"options": None} == entry | {"options": None}


def test_a_page_shows_parameters_with_defaults_and_given_values() -> None:
    ran = run(["metrics", "chrf:word_order=2"])
    assert ran.code == 0
    rows = {words[0]: words[1:] for line in ran.out.split("\n") if len(words := line.split()) == 4}
    assert rows["word_order"] == ["int", "0", "2"]
    assert rows["beta"] == ["float", "2.0", "2.0"]
    assert "Popović (2015)" in ran.out
    assert "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|" in ran.out


@pytest.mark.parametrize("name", metrics.names())
def test_a_page_in_json_holds_a_signature_that_leads_back(name: str) -> None:
    entry = json.loads(run(["metrics", name, "-f", "json"]).out)
    metric = metrics.create(name).resolved()
    assert metrics.create(entry["signature"]).resolved() == metric
    assert {p["name"]: p["value"] for p in entry["parameters"]} == {
        key: getattr(metric, key) for key in (p["name"] for p in entry["parameters"])
    }
    assert entry["paper"]
    assert entry["version"] >= 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("chrff", "There is no metric called 'chrff'. Did you mean chrf?"),
        ("chrf:words=2", "There is no parameter of chrf called 'words'."),
        ("bleu:max_ngram_order=four", "bleu: max_ngram_order must be a whole number, not 'four'."),
    ],
)
def test_what_does_not_exist_is_refused(spec: str, message: str) -> None:
    ran = run(["metrics", spec])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"Error: {message}")


def test_of_a_card_the_name_is_checked_first() -> None:
    ran = run(["metrics", "chrfs", "--card", "--data", "nowhere"])
    assert (ran.code, ran.out, ran.err) == (2, "", "Error: There is no metric called 'chrfs'. Did you mean chrf?\n")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    examples.write("de-en", folder)
    return folder


@pytest.mark.parametrize("name", metrics.names())
def test_every_metric_scores_the_demo_or_says_what_it_needs(name: str, demo: Path) -> None:
    listed = json.loads(run(["metrics", name, "-f", "json"]).out)
    systems = ["Alder.txt", "Birch.txt", "Cedar.txt", "refB.txt"]
    ran = run(["score", "refA.txt", "-i", *systems, "-s", "src.txt", "-l", "de-en", "-m", name, "-q"], folder=demo)
    if listed["here"] == "yes":
        assert (ran.code, ran.err) == (0, "")
        assert "Alder " in ran.out and "–" not in ran.out.partition("\n\n")[0]
        return
    assert (ran.code, ran.out) == (2, "")
    message, nothing = ran.err.split("\n")
    assert message.startswith("Error: ") and not nothing
    for line in filter(None, listed["how"].split("; ")):
        assert line.replace(",allow_download=true", " --allow-download") in message


@pytest.mark.parametrize(
    ("name", "package", "here", "how"),
    [
        ("rima", "onnxruntime", "tercet[neural]", "pip install 'tercet[neural]'"),
        ("bertr", "tokenizers", "tercet[neural]", "pip install 'tercet[neural]'"),
        ("upc_stout", "spacy", "tercet[en]", "pip install 'tercet[en]'"),
        ("party", "spacy", "tercet[en]", "pip install 'tercet[en]'"),
        (
            "comet",
            "comet",
            "tercet[comet], a model",
            "pip install 'tercet[comet]'; comet:model=Unbabel/wmt22-comet-da,",
        ),
    ],
)
def test_a_package_that_is_absent_is_named(
    name: str, package: str, here: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    entry = json.loads(run(["metrics", name, "-f", "json"]).out)
    assert entry["here"] == here and entry["how"].startswith(how)
    shown = next(line.split("  ") for line in run(["metrics"]).out.split("\n") if line.startswith(f"{name} "))
    assert here in [cell.strip() for cell in shown]


@pytest.mark.parametrize("name", ["comet", "metricx"])
def test_the_usual_model_needs_no_name_where_it_may_be_downloaded(name: str) -> None:
    settled = metrics.create(f"{name}:allow_download=true").resolved()
    assert settled.model == type(settled).usual_model and not settled.lacks  # type: ignore[attr-defined]
    assert metrics.create(settled.signature).resolved().spec == settled.spec == f"{name}:model={settled.model}"  # type: ignore[attr-defined]
