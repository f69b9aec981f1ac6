"""Test the rating server over HTTP without a browser: login, saving, restarting, and the organiser's page."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra tercet[web] is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from tercet.errors import DataError, UsageError
from tercet.human.campaign import Campaign, Item, Output, Rater, Tokens
from tercet.human.server import create_app
from tercet.human.storage import Store
from tercet.rate import serve

from .web import Client, Visit

RANKED = Item("r1", "1", (Output("secret one", "ett"), Output("secret two", "två")), source="eins")


def campaign_of(protocol: str = "adequacy", **changes: Any) -> tuple[Campaign, Tokens]:
    items = [Item(f"i{n}", str(n), (Output("secret system", f"text {n}"),), source="quelle") for n in (1, 2, 3)]
    items += [Item("bad7", "1", (Output("secret system", "broken"),), source="quelle", check="bad", of="i1")]
    items += [Item("t1", "9", (Output("any", "easy"),), source="leicht", check="tutorial", expected={"value": 5})]
    raters = [Rater("anna", ("i1", "i2", "bad7"), "g1"), Rater("ben", ("i3", "i1"))]
    values = {"items": items, "raters": raters, "pair": "de-ar", "tutorial": ["t1"], "id": "c1", **changes}
    return Campaign(values.pop("name", "A <b>campaign</b>"), protocol, **values).with_tokens()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "answers.db", campaign_of()[0])
    yield opened
    opened.close()


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None
    return match[1]


def test_a_personal_link_leads_to_the_rating_page_and_leaves_no_token_in_its_address(store: Store) -> None:
    campaign, tokens = campaign_of()
    client = Visit(campaign, store).client
    entered = client.get(f"/r/{tokens.raters['anna']}", follow_redirects=False)
    assert (entered.status_code, entered.headers["location"]) == (303, "/rate")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie
    page = client.get("/rate")
    assert page.status_code == 200 and "How much of the meaning" in page.text
    assert tokens.raters["anna"] not in page.text


def test_the_page_has_the_raters_items_in_order_without_systems_or_checks(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    data = visit.page()
    assert [item["id"] for item in data["items"]] == ["t1", "i1", "i2", "bad7"]
    assert set(data["items"][1]) == set(data["items"][3])
    assert data["items"][0]["expected"] == {"value": 5} and data["items"][1]["expected"] is None
    assert data["source"] == {"lang": "de", "dir": "ltr"} and data["target"] == {"lang": "ar", "dir": "rtl"}
    page = visit.client.get("/rate").text
    assert "secret" not in page and '"bad"' not in page
    assert "A &lt;b&gt;campaign" in page and "<b>campaign" not in page


def test_answers_are_kept_and_come_back(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    assert visit.send("i1", {"value": 4}).json() == {"saved": 1, "again": False}
    assert visit.send("i1", {"value": 4}).json() == {"saved": 1, "again": True}
    assert visit.send("i1", {"value": 2}, "f" * 16, client_time="2026-01-01T00:00:00.000Z").json()["saved"] == 2
    assert visit.client.get("/api/answers").json() == {"i1": {"value": 2}}
    assert visit.page()["answers"] == {"i1": {"value": 2}}
    first, second = store.records()
    assert (first.rater, first.seconds, first.answer) == ("anna", 2.5, {"value": 4})
    assert (second.client_time, second.answer) == ("2026-01-01T00:00:00.000Z", {"value": 2})


def test_too_long_times_are_cut(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    assert visit.send("i1", {"value": 4}, seconds=10**400).status_code == 200
    assert next(store.records()).seconds == 24 * 3600


def test_a_restarted_server_has_all_tokens_and_answers(store: Store, tmp_path: Path) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    visit.send("i1", {"value": 4})
    again = Store.open(tmp_path / "answers.db", campaign)
    later = Client(create_app(campaign, again), cookies=visit.client.cookies)
    assert later.get("/api/answers").json() == {"i1": {"value": 4}}
    again.close()


def test_ranks_are_sent_by_position_and_stored_by_system(store: Store) -> None:
    campaign, tokens = campaign_of("pairwise", items=[RANKED], raters=[Rater("anna", ("r1",))], tutorial=())
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    assert visit.send("r1", {"ranks": [2, 1]}).status_code == 200
    assert store.latest("anna") == {"r1": {"ranks": {"secret one": 2, "secret two": 1}}}
    assert visit.client.get("/api/answers").json() == {"r1": {"ranks": [2, 1]}}
    for wrong in ([1], [1, 3], [0, 1], [1, "2"], [1.0, 2], [True, 2], "12", {"secret one": 9, "secret two": 1}, None):
        refused = visit.send("r1", {"ranks": wrong}, "e" * 16)
        assert refused.status_code == 422 and "secret" not in refused.text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 60_000, "not JSON"),
        (b"[1]", "must be an object"),
        (b'{"request": "0123456789abcdef", "item": "i1", "seconds": 1}', "must be an object"),
        (b'{"request": "short", "item": "i1", "seconds": 1, "answer": {"value": 1}}', "request"),
        (b'{"request": ["0123456789abcdef"], "item": "i1", "seconds": 1, "answer": {"value": 1}}', "request"),
        (b'{"request": "0123456789abcdef", "item": {}, "seconds": 1, "answer": {"value": 1}}', "item"),
        (b'{"request": "0123456789abcdef", "item": "i1", "seconds": -1, "answer": {"value": 1}}', "seconds"),
        (b'{"request": "0123456789abcdef", "item": "i1", "seconds": NaN, "answer": {"value": 1}}', "not JSON"),
        (b'{"request": "0123456789abcdef", "item": "i1", "seconds": 1e999, "answer": {"value": 1}}', "seconds"),
        (b'{"request": "0123456789abcdef", "item": "i1", "seconds": true, "answer": {"value": 1}}', "seconds"),
        (b'{"request": "0123456789abcdef", "item": "i1", "seconds": 1, "answer": {"value": 6}}', "1 to 5"),
        (b'{"request": "0123456789abcdef", "item": "i1", "seconds": 1, "answer": {"value": 1, "x": 1}}', "x"),
        (b'{"request": "0123456789abcdef", "item": "i1", "seconds": 1, "answer": {"value": 1, "\\ud800": 1}}', "ud800"),
    ],
)
def test_invalid_answers_are_rejected_and_not_stored(store: Store, body: bytes, message: str) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    refused = visit.client.post("/api/answer", content=body, headers={"X-Form-Key": visit.key})
    assert refused.status_code == 422 and message in refused.json()["error"]
    assert not list(store.rows())


def test_the_finish_page_counts_answers(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['ben']}")
    visit.send("i3", {"value": 1}, "a" * 16)
    assert "1 of 2 judgements are saved" in visit.client.get("/finish").text
    visit.send("i1", {"value": 1}, "b" * 16)
    assert visit.client.get("/rate", follow_redirects=False).status_code == 200  # the tutorial is still open
    visit.send("t1", {"value": 5}, "c" * 16)
    assert visit.client.get("/rate", follow_redirects=False).headers["location"] == "/finish"
    assert "All your 2 judgements are saved" in visit.client.get("/finish").text
    assert visit.client.get("/rate?look", follow_redirects=False).status_code == 200


def test_the_organiser_sees_progress_and_changes_links(store: Store) -> None:
    campaign, tokens = campaign_of()
    rater = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    rater.send("i1", {"value": 4})
    office = Visit(campaign, store).client
    page = office.get(f"/o/{tokens.organiser}")
    assert "1 of 5" in page.text and "1 of 3" in page.text and "There is one system" in page.text
    assert tokens.organiser not in page.text and str(page.url).endswith("/organiser")
    key = found(r'name="key" value="(\w+)"', page.text)
    changed = office.post("/organiser/links", data={"key": key, "rater": "anna", "action": "renew"})
    link = found(r"<code>http://127.0.0.1:8000(/r/[\w-]+)</code>", changed.text)
    assert rater.client.get("/api/answers").status_code == 401
    renewed = Visit(campaign, store, link)
    assert renewed.page()["answers"] == {"i1": {"value": 4}}
    office.post("/organiser/links", data={"key": key, "rater": "anna", "action": "revoke"})
    assert renewed.client.get("/api/answers").status_code == 401
    assert "no link" in office.get("/organiser").text
    for data in ({"rater": "nobody", "action": "renew"}, {"rater": "ben", "action": "x"}, {}):
        assert office.post("/organiser/links", data={"key": key, **data}).status_code == 400


def test_a_dashboard_that_takes_long_is_not_computed_after_every_answer(store: Store, monkeypatch: Any) -> None:
    from tercet.human import campaign_pages

    times = iter([0.0, 9.0, 9.0, 50.0, 100.0, 109.0, 109.0])  # begun, ended, ended; begun again, twice
    monkeypatch.setattr(campaign_pages, "monotonic", lambda: next(times))
    campaign, tokens = campaign_of()
    rater = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    office = Visit(campaign, store).client
    rater.send("i1", {"value": 4})
    assert "1 of 5" in office.get(f"/o/{tokens.organiser}").text
    assert rater.send("i2", {"value": 4}, "b" * 16).status_code == 200
    assert "1 of 5" in office.get("/organiser").text  # 41 seconds later
    assert "2 of 5" in office.get("/organiser").text  # 91 seconds later


def test_answers_that_no_longer_fit_the_campaign_are_named_on_the_dashboard(store: Store) -> None:
    campaign, tokens = campaign_of()
    Visit(campaign, store, f"/r/{tokens.raters['ben']}").send("i3", {"value": 4})
    fewer = replace(campaign, raters=campaign.raters[:1])
    page = Visit(fewer, store).client.get(f"/o/{tokens.organiser}")
    assert page.status_code == 409 and "answer 1: There is no rater" in page.text


def test_answers_to_items_that_a_rater_no_longer_has_do_not_stop_the_dashboard(store: Store) -> None:
    campaign, tokens = campaign_of()
    Visit(campaign, store, f"/r/{tokens.raters['anna']}").send("i1", {"value": 4})
    fewer = replace(campaign, raters=[replace(campaign.raters[0], items=("i2",)), campaign.raters[1]])
    page = Visit(fewer, store).client.get(f"/o/{tokens.organiser}")
    assert page.status_code == 200 and "0 of 3" in page.text


def test_the_organiser_can_log_in_with_the_form(store: Store) -> None:
    campaign, tokens = campaign_of()
    client = Visit(campaign, store).client
    asked = client.get("/organiser")
    assert asked.status_code == 401 and 'name="secret"' in asked.text
    assert client.post("/organiser/enter", data={"secret": f" {tokens.organiser} "}).status_code == 200
    assert "Raters" in client.get("/organiser").text


def test_languages_without_a_name_leave_the_direction_to_the_browser(store: Store) -> None:
    campaign, tokens = campaign_of(pair="")
    data = Visit(campaign, store, f"/r/{tokens.raters['anna']}").page()
    assert data["source"] == data["target"] == {"lang": "", "dir": "auto"}


def test_the_page_without_a_link_asks_for_it(store: Store) -> None:
    client = Visit(campaign_of()[0], store).client
    assert "open your personal link" in client.get("/").text
    assert client.get("/rate").status_code == 401
    assert client.get("/nowhere").status_code == 404


def test_a_used_port_and_an_invalid_campaign_are_errors(tmp_path: Path) -> None:
    campaign_of()[0].write(tmp_path / "campaign.json")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} of 127.0.0.1 cannot be used"):
            serve(tmp_path / "campaign.json", port=port)
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(DataError, match="not a campaign"):
        serve(tmp_path / "bad.json")


def test_a_failing_database_gives_status_503(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy.exc import OperationalError

    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")

    def fail(*_: Any, **__: Any) -> None:
        raise OperationalError("INSERT", {}, Exception("database or disk is full"))

    with monkeypatch.context() as patched:
        patched.setattr(Store, "append", fail)
        failed = visit.send("i1", {"value": 3})
    assert failed.status_code == 503 and "Nothing is lost" in failed.json()["error"]
    with monkeypatch.context() as patched:
        patched.setattr(Store, "latest", fail)
        page = visit.client.get("/rate")
    assert page.status_code == 503 and "<h1>Please try again</h1>" in page.text  # people get a page
    assert visit.send("i1", {"value": 3}).status_code == 200


def test_the_load_benchmark_finds_no_lost_or_doubled_answers() -> None:
    words = "-m benchmarks.rating_load --minutes 0.15 --raters 4 --kills 1 --pause 0.2".split()
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, cwd=root)
    assert "lost 0, doubled 0, changed or unknown 0" in done.stdout, done.stderr


@pytest.mark.parametrize("package", ["starlette", "sqlalchemy", "uvicorn", "jinja2"])
def test_without_the_extra_the_message_gives_the_pip_line(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import tercet.human.server"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Install it: pip install 'tercet[web]'" in done.stderr.splitlines()[-1]
