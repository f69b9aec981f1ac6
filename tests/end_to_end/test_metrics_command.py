"""`tercet metrics`."""

import json

import pytest

from tercet import metrics
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
