"""The results of a campaign as a document: in every form, with and without names, on SQLite and PostgreSQL."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra tercet[web] is not installed")

import tercet
from tercet.data.testset import TestSet
from tercet.human.campaign import Campaign
from tercet.human.designs import design
from tercet.human.storage import open_store
from tercet.rating_report import CampaignResults, report_page
from tercet.rendering.tables import to_json
from tests.docs.running import run

QUALITY = {"good": 0, "fair": 15, "poor": 40}
N = 24
MEAN = "84.12"  # of good: 90, less 3 on average for the rater, less 69 / 24 for the segment
TEXTS = TestSet(
    {system: [f"{system} <i>Satz</i> {n}" for n in range(N)] for system in QUALITY},
    source=[f"Sentence {n}" for n in range(N)],
    pair="en-de",
)


def answered(folder: Path, protocol: str, texts: TestSet = TEXTS, share: float = 1.0, **how: Any) -> Campaign:
    """Make a campaign with answers of three raters; the systems differ by QUALITY."""
    people = ["Anna Holm", "Ben", "Carla"]
    campaign, _ = design(texts, protocol=protocol, raters=people, name="Trial", **how).with_tokens()
    campaign.write(folder / "c.json")
    store = open_store(folder / "c.json", campaign)
    for place, rater in enumerate(campaign.raters):
        for number, id in enumerate(rater.items[: round(share * len(rater.items))]):
            item = campaign.item(id)
            worse = [QUALITY.get(system, 50) for system in item.systems]
            answer: dict[str, Any] = {"value": 90 - worse[0] - 3 * place - int(item.segment) % 7}
            if campaign.how.ranks:
                answer = {
                    "ranks": {system: 1 + sorted(worse).index(w) for system, w in zip(item.systems, worse, strict=True)}
                }
            elif campaign.how.spans:
                marked = {"start": 0, "end": 4, "severity": "Major", "category": "Fluency/Grammar"}
                answer = {"spans": [[marked] if worse[0] else []], "value": None}
            store.append(request=f"{place}-{number}", rater=rater.name, item=id, answer=answer, seconds=2.0)
    store.close()
    return campaign


def test_the_answer_comes_first_and_every_part_follows(tmp_path: Path) -> None:
    answered(tmp_path, "da")
    ran = run(["rate", "results", "c.json"], folder=tmp_path)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[:2] == [
        "The campaign is complete. All 216 planned judgements are in, by 3 raters.",
        "good is significantly better than all other systems.",
    ]
    for title in ("Mean scores", "Ranking of the systems", "Agreement between raters", "Raters", "Worst outputs"):
        assert title in lines
    assert any(line.startswith("good ") and MEAN in line for line in lines), ran.out
    assert "poor: mean 41.00; scores Anna Holm 44, Ben 41, Carla 38" in ran.out


def test_the_forms_have_the_same_numbers_and_json_has_all_of_them(tmp_path: Path) -> None:
    answered(tmp_path, "da")
    data = json.loads(run(["rate", "results", "c.json", "-f", "json"], folder=tmp_path).out)
    assert data.pop("options")["command"] == "rate results"
    found = tercet.rate.results(tmp_path / "c.json")
    assert isinstance(found, CampaignResults)
    assert data == json.loads(to_json(found.to_dict()))
    assert [row["system"] for row in data["systems"]] == list(QUALITY)
    assert [row["cluster"] for row in data["systems"]] == [1, 2, 3]
    assert data["systems"][0]["judgements"] == 72 and data["raters"][0]["name"] == "Anna Holm"
    table = run(["rate", "results", "c.json", "-f", "tsv"], folder=tmp_path).out.splitlines()
    assert table[0].split("\t")[:2] == ["system", "mean"]
    assert [line.split("\t")[1] for line in table[1:]] == [str(row["mean"]) for row in data["systems"]]
    assert found.to_pandas()["mean"].tolist() == [row["mean"] for row in data["systems"]]
    assert "good" in found._repr_html_()
    for form in ("markdown", "latex", "html", "csv"):
        assert "good" in run(["rate", "results", "c.json", "-f", form], folder=tmp_path).out


def test_without_names_no_rater_is_named(tmp_path: Path) -> None:
    campaign = answered(tmp_path, "da", bad=0.2)
    for form in ("text", "json", "html", "markdown"):
        out = run(["rate", "results", "c.json", "--no-names", "-f", form], folder=tmp_path).out
        assert "good" in out and not any(name in out for name in ("Anna", "Ben", "Carla"))
        assert "Anna" in run(["rate", "results", "c.json", "-f", form], folder=tmp_path).out
    store = open_store(tmp_path / "c.json", campaign)
    page = report_page(campaign, list(store.records()))
    store.close()
    assert "Anna" not in page and "Worst outputs" in page and "&lt;i&gt;Satz" in page and "<i>" not in page
    assert "<svg" in page and "default-src 'none'" in page


def test_marked_errors_are_quoted_and_counted(tmp_path: Path) -> None:
    answered(tmp_path, "mqm")
    out = run(["rate", "results", "c.json"], folder=tmp_path).out
    assert "Major     Fluency/Grammar     144" in out
    assert "Errors per 100 judgements" in out and "Fluency/Grammar  0.0" in re.sub(" +", lambda gap: "  ", out)
    page = run(["rate", "results", "c.json", "-f", "html"], folder=tmp_path).out
    assert '<mark class="level2" title="Major, Fluency/Grammar' in page and "heat9" in page and "▁" not in page
    assert "Major, Fluency/Grammar: “fair”" in out or "Major, Fluency/Grammar: “poor”" in out


def test_one_system_is_described_by_its_mean(tmp_path: Path) -> None:
    answered(tmp_path, "da", TEXTS.only(["good"]))
    stop, first, *_ = run(["rate", "results", "c.json"], folder=tmp_path).out.splitlines()
    assert stop.startswith("The campaign is complete.")
    assert first.startswith("The mean of good is 84.12, 95 % interval ") and first.endswith("on a scale from 0 to 100.")


def test_rankings_have_clusters_and_no_means(tmp_path: Path) -> None:
    answered(tmp_path, "ranking", share=0.5)
    ran = run(["rate", "results", "c.json"], folder=tmp_path)
    assert "Share of comparisons won" in ran.out and "Mean scores" not in ran.out and "Worst outputs" not in ran.out
    assert ran.out.startswith("You can stop: the ranking is stable. 36 of 72 judgements are in.")
    data = json.loads(run(["rate", "results", "c.json", "-f", "json"], folder=tmp_path).out)
    assert data["systems"][0]["mean"] is None and data["systems"][0]["score"] == 1.0


def test_before_the_first_judgement(tmp_path: Path) -> None:
    answered(tmp_path, "esa", share=0)
    assert run(["rate", "results", "c.json"], folder=tmp_path).out.startswith("Nothing is judged yet. 0 of 216")
    (tmp_path / "c.answers.db").unlink()
    ran = run(["rate", "results", "c.json"], folder=tmp_path)
    assert (ran.code, "there are no answers yet" in ran.err) == (2, True)
