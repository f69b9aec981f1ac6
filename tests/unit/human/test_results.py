"""Results of a campaign: on the organiser's page, for readers, as files; backups; links beside a running server."""

import re
from pathlib import Path

import pytest

from tercet.data.bilingual import open_bitext
from tercet.data.testset import TestSet
from tercet.human.campaign import Campaign, Tokens
from tercet.human.designs import design
from tercet.human.results import results_of
from tercet.human.storage import Store, open_store
from tests.docs.running import run

from .web import Visit

pytest.importorskip("starlette")

TEXTS = TestSet({"sys": [f"Satz {n}" for n in range(8)]}, source=[f"Sentence {n}" for n in range(8)], pair="en-de")


def made(folder: Path, *, protocol: str = "da") -> tuple[Campaign, Tokens, Store]:
    campaign, tokens = design(TEXTS, protocol=protocol, raters=["anna", "ben"], show="source").with_tokens()
    campaign.write(folder / "c.json")
    return campaign, tokens, open_store(folder / "c.json", campaign)


def answer_all(campaign: Campaign, store: Store) -> None:
    for place, rater in enumerate(campaign.raters):
        for item in rater.items:
            number = int(campaign.item(item).segment)
            answer = {"value": min(100, 10 * number + 20 * place)}
            if campaign.how.spans:
                span = {"start": 0, "end": 4, "severity": "Major", "category": "Fluency/Grammar", "in_source": False}
                answer = {"spans": [[span] if number < 3 else []], "value": None}
            store.append(request=f"{rater.name}-{item}", rater=rater.name, item=item, answer=answer, seconds=5.0)


def test_one_system_has_a_mean_with_an_interval_and_its_worst_outputs(tmp_path):
    campaign, _, store = made(tmp_path)
    answer_all(campaign, store)
    found = results_of(campaign, list(store.records()))
    [mean] = found.systems
    assert mean.mean == pytest.approx(55.0)
    assert mean.low < 55 < mean.high
    assert (mean.outputs, mean.judgements, sum(mean.bins)) == (8, 16, 8)
    assert [output.segment for output in found.worst[:2]] == ["1", "2"]
    assert found.disputed[0].spread == 20


def test_marked_errors_are_counted_by_severity_and_category(tmp_path):
    campaign, _, store = made(tmp_path, protocol="mqm")
    answer_all(campaign, store)
    found = results_of(campaign, list(store.records()))
    assert found.errors == (("Major", "Fluency/Grammar", 4),)
    assert found.systems[0].mean == pytest.approx(-1.25)


def test_the_organisers_page_is_right_before_the_start_and_at_the_end(tmp_path):
    campaign, tokens, store = made(tmp_path)
    office = Visit(campaign, store).client
    page = office.get(f"/o/{tokens.organiser}").text
    assert "Nothing is judged yet" in page
    assert "0 s" not in page
    assert results_of(campaign, []) is None
    answer_all(campaign, store)
    page = office.get("/organiser").text
    assert "The campaign is complete." in page
    assert "Too early" not in page
    assert ">55.00<" in page and "Most disputed outputs" in page and "anna 10, ben 30" in page
    if "English" not in page:
        pytest.importorskip("babel")
    assert "English → German" in page


def test_judgements_are_downloaded_with_their_texts_by_the_organiser_alone(tmp_path):
    campaign, tokens, store = made(tmp_path)
    answer_all(campaign, store)
    office = Visit(campaign, store).client
    assert office.get("/organiser/download/judgements.tsv").status_code == 401
    office.get(f"/o/{tokens.organiser}")
    for ending in ("tsv", "xlsx"):
        answer = office.get(f"/organiser/download/judgements.{ending}")
        assert "attachment" in answer.headers["content-disposition"]
        (tmp_path / f"a.{ending}").write_bytes(answer.content)
        assert len(open_bitext(tmp_path / f"a.{ending}")) == 16
    assert len(office.get("/organiser/download/judgements.json").json()) == 16
    assert "token_hash" in office.get("/organiser/download/campaign.json").text
    assert office.get("/organiser/download/secrets").status_code == 404


def test_a_link_for_reading_shows_results_without_raters_and_opens_nothing_else(tmp_path):
    campaign, tokens, store = made(tmp_path)
    answer_all(campaign, store)
    office = Visit(campaign, store).client
    page = office.get(f"/o/{tokens.organiser}").text
    key = re.search(r'name="key" value="([^"]+)"', page)[1]
    shown = office.post("/organiser/view", data={"key": key}, headers={"Origin": "http://127.0.0.1:8000"}).text
    link = re.search(r"http://127.0.0.1:8000(/v/[\w-]+)", shown)[1]
    client = Visit(campaign, store).client
    page = client.get(link).text
    assert "The campaign is complete." in page and ">55.00<" in page
    assert "anna" not in page and "<form" not in page
    assert client.get("/organiser").status_code == 401
    assert Visit(campaign, store).client.get("/v/wrong").status_code == 401


def test_a_stale_cookie_shows_the_form(tmp_path):
    campaign, tokens, store = made(tmp_path)
    office = Visit(campaign, store).client
    office.get(f"/o/{tokens.organiser}")
    run(["rate", "links", "c.json"], folder=tmp_path)
    answer = office.get("/organiser")
    assert answer.status_code == 401
    assert 'name="secret"' in answer.text


def test_new_links_work_at_a_server_that_is_running(tmp_path):
    campaign, tokens, store = made(tmp_path)
    visitor = Visit(campaign, store)  # the campaign as the running server read it
    ran = run(["rate", "links", "c.json"], folder=tmp_path)
    links = dict(line.split() for line in ran.out.splitlines())
    assert visitor.client.get(f"/r/{tokens.raters['anna']}").status_code == 401
    assert visitor.client.get(links["anna"].removeprefix("http://127.0.0.1:8000")).status_code == 200
    assert visitor.client.get(links["organiser"].removeprefix("http://127.0.0.1:8000")).status_code == 200
    again = Visit(Campaign.read(tmp_path / "c.json"), store).client
    assert again.get(links["organiser"].removeprefix("http://127.0.0.1:8000")).status_code == 200


def test_a_backup_is_complete_while_the_database_is_in_use(tmp_path):
    campaign, _, store = made(tmp_path)
    answer_all(campaign, store)
    ran = run(["rate", "backup", "c.json", "-o", "copy.db"], folder=tmp_path)
    assert (ran.code, "Wrote copy.db" in ran.err) == (0, True), ran.err
    copy = Store.open(tmp_path / "copy.db", campaign)
    assert [record.answer for record in copy.records()] == [record.answer for record in store.records()]
    copy.close()
    assert run(["rate", "backup", "c.json", "-o", "copy.db"], folder=tmp_path).code == 2


def test_training_on_a_campaign_needs_judgements_and_no_other_texts(tmp_path):
    _, _, store = made(tmp_path)
    store.close()
    ran = run(["qe", "train", "--campaign", "c.json", "--out", "m.qe"], folder=tmp_path)
    assert (ran.code, "no judgements yet" in ran.err) == (1, True), ran.err
    ran = run(["qe", "train", "a", "b", "c", "--campaign", "c.json", "--out", "m.qe"], folder=tmp_path)
    assert (ran.code, "leave out source" in ran.err) == (2, True), ran.err
    ran = run(["qe", "train", "--out", "m.qe"], folder=tmp_path)
    assert (ran.code, "or a campaign with judgements" in ran.err) == (2, True), ran.err
