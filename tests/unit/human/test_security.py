"""Test attacks on the rating server: items of others, guessed tokens, forged and oversized requests, scripts."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra tercet[web] is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from starlette.exceptions import HTTPException

from tercet.human import web_pages
from tercet.human.campaign import Item, Output, Rater
from tercet.human.server import create_app
from tercet.human.storage import ORGANISER, Store
from tercet.human.web_pages import LARGEST_BODY, TRIES, WINDOW, LoginLimiter

from .test_server import campaign_of
from .web import Client, Visit

SCRIPT = "</script><script>window.evil=1</script><img src=x onerror=evil()>\"'&"
SQL = "x'; DROP TABLE tercet_answers; --"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "answers.db", campaign_of()[0])
    yield opened
    opened.close()


def test_another_raters_items_cannot_be_judged(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    for item in ("i3", "nothing", "../i1", "i1%00"):
        assert visit.send(item, {"value": 1}).status_code in (403, 422)
    assert not list(store.rows())
    assert "text 3" not in visit.client.get("/rate").text


def test_guessing_tokens_is_limited_without_locking_out_raters(store: Store) -> None:
    campaign, tokens = campaign_of()
    inside = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    stranger = Client(inside.client.app)
    codes = [stranger.get(f"/r/guess{n}", follow_redirects=False).status_code for n in range(TRIES + 5)]
    assert codes == [401] * TRIES + [429] * 5
    assert stranger.get("/o/x", follow_redirects=False).headers["retry-after"] == "60"
    for path in (f"/r/{tokens.raters['ben']}", f"/o/{tokens.organiser}"):  # right ones from the same address
        assert stranger.get(path, follow_redirects=False).status_code == 303
    assert inside.send("i1", {"value": 1}).status_code == 200


def test_a_cookie_is_valid_after_a_restart_whatever_others_at_the_address_try(store: Store) -> None:
    campaign, tokens = campaign_of()
    inside = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    app = create_app(campaign, store)  # another process: it knows nobody yet
    for n in range(TRIES + 1):
        Client(app).get(f"/r/guess{n}")
    assert Client(app, cookies=inside.client.cookies).get("/rate").status_code == 200


def test_new_links_are_made_from_the_servers_address_and_not_from_the_request(store: Store) -> None:
    campaign, tokens = campaign_of()
    office = Client(create_app(campaign, store, address="https://rating.example.org/x"))
    page = office.get(f"/o/{tokens.organiser}").text
    key = re.search(r'name="key" value="(\w+)"', page)
    assert key is not None
    form = {"rater": "ben", "action": "renew", "key": key[1]}
    answer = office.post("/organiser/links", data=form, headers={"Host": "evil.example.com"})
    assert "https://rating.example.org/x/r/" in answer.text
    assert "evil" not in answer.text


def test_a_request_with_two_lengths_is_refused(store: Store) -> None:
    campaign, _ = campaign_of()
    headers = {"Content-Length": "2", "Transfer-Encoding": "chunked"}
    answer = Client(create_app(campaign, store)).request("POST", "/api/answer", content=b"{}", headers=headers)
    assert answer.status_code == 400
    assert answer.json() == {"error": "A request has either Content-Length or Transfer-Encoding."}


def test_a_cookie_is_a_guess_as_well(store: Store) -> None:
    campaign, tokens = campaign_of()
    inside = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    cookie = next(iter(inside.client.cookies))
    codes = [Client(inside.client.app, cookies={cookie: f"x{n}"}).get("/rate").status_code for n in range(TRIES + 1)]
    assert codes == [401] * TRIES + [429]


def test_the_limiter_forgets_old_attempts() -> None:
    now = [0.0]
    limiter = LoginLimiter(clock=lambda: now[0])
    for n in range(TRIES):
        assert not limiter.check("1.2.3.4", f"wrong{n}", lambda digest: False)
    with pytest.raises(HTTPException):
        limiter.check("1.2.3.4", "another", lambda digest: False)
    assert limiter.check("1.2.3.4", "right", lambda digest: True)
    now[0] = WINDOW + 1
    assert not limiter.check("1.2.3.4", "another", lambda digest: False)
    for n in range(10_050):
        limiter.check(f"10.0.{n // 250}.{n % 250}", "wrong", lambda digest: False)
    now[0] *= 3
    limiter.check("1.1.1.1", "wrong", lambda digest: False)
    assert len(limiter._wrong) < 60


def test_a_page_with_a_revoked_link_locks_nobody_out() -> None:
    limiter = LoginLimiter(clock=lambda: 0.0)
    for _ in range(TRIES * 3):
        assert not limiter.check("1.2.3.4", "ended", lambda digest: False)
    assert limiter.check("1.2.3.4", "right", lambda digest: True)


def test_a_running_server_rejects_the_organisers_revoked_secret(store: Store) -> None:
    campaign, tokens = campaign_of()
    office = Visit(campaign, store).client
    assert office.get(f"/o/{tokens.organiser}").status_code == 200
    store.revoke("", [campaign.organiser_hash])  # as `tercet rate serve --new-links` does beside it
    assert office.get("/organiser").status_code == office.get(f"/o/{tokens.organiser}").status_code == 401


def test_organiser_pages_need_the_organisers_secret(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    assert visit.client.get("/organiser").status_code == 401
    assert visit.client.get(f"/o/{tokens.raters['anna']}").status_code == 401
    assert visit.client.post("/organiser/enter", data={"secret": tokens.raters["anna"]}).status_code == 401
    renew = {"rater": "ben", "action": "renew", "key": visit.key}
    assert visit.client.post("/organiser/links", data=renew).status_code == 401
    given = {rater.token_hash: rater.name for rater in campaign.raters}
    assert store.tokens(campaign) == {**given, campaign.organiser_hash: ORGANISER}
    assert visit.client.get(f"/r/{tokens.organiser}").status_code == 401  # and the organiser is not a rater


def test_without_a_secret_in_the_campaign_nobody_is_the_organiser(store: Store) -> None:
    campaign, _ = campaign_of()
    client = Client(create_app(replace(campaign, organiser_hash=""), store))
    assert client.get("/o/x").status_code == 401 and client.post("/organiser/enter", data={}).status_code == 401


def test_forged_requests_are_refused(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    body = {"request": "0123456789abcdef", "item": "i1", "answer": {"value": 1}, "seconds": 1}
    other = Visit(campaign, store, f"/r/{tokens.raters['ben']}")
    for headers in (
        {},
        {"X-Form-Key": "0" * 64},
        {"X-Form-Key": other.key},  # a page that was made for somebody else, in the same browser
        {"X-Form-Key": visit.key, "Origin": "http://evil.invalid"},
        {"X-Form-Key": visit.key, "Origin": "null"},
    ):
        assert visit.client.post("/api/answer", json=body, headers=headers).status_code == 403
    assert not list(store.rows())
    right = {"X-Form-Key": visit.key, "Origin": "http://127.0.0.1:8000"}
    assert visit.client.post("/api/answer", json=body, headers=right).status_code == 200
    office = Visit(campaign, store).client
    office.get(f"/o/{tokens.organiser}")
    revoke = {"rater": "anna", "action": "revoke", "key": visit.key}
    assert office.post("/organiser/links", data=revoke).status_code == 403
    assert office.get("/api/answer").status_code == 405  # a GET request changes nothing


def test_scripts_in_texts_and_names_stay_texts(store: Store) -> None:
    item = Item("i1", SCRIPT, (Output(SCRIPT, SCRIPT),), source=SCRIPT, document=SCRIPT)
    campaign, tokens = campaign_of(
        items=[item], raters=[Rater(SCRIPT, ("i1",))], tutorial=(), name=SCRIPT, instructions=SCRIPT
    )
    visit = Visit(campaign, store, f"/r/{tokens.raters[SCRIPT]}")
    visit.send("i1", {"value": 1})
    visit.client.get(f"/o/{tokens.organiser}")
    for path in ("/", "/rate?look", "/finish", "/organiser", f"/{SCRIPT}"):
        text = visit.client.get(path).text
        assert "<script>window" not in text and "<img" not in text
    assert visit.page()["items"][0]["source"] == SCRIPT


def test_every_response_has_security_headers(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    for path in ("/", "/rate", "/api/answers", "/organiser", "/nowhere", "/static/rate.js"):
        headers = visit.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
        assert ("no-store" in headers["cache-control"]) == (not path.startswith("/static"))
    for page in Path(create_app.__code__.co_filename).parent.joinpath("pages").iterdir():
        text = page.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text and "style=" not in text  # nothing from another host, nothing inline


async def parts() -> AsyncIterator[bytes]:
    for _ in range(LARGEST_BODY // 1000 + 1):
        yield b"x" * 1000


@pytest.mark.parametrize("declared", [True, False])
def test_oversized_bodies_are_refused(store: Store, declared: bool) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    for path in ("/api/answer", "/organiser/enter", "/"):
        body: Any = b"x" * (LARGEST_BODY + 1) if declared else parts()  # or without a declared length
        sent = visit.client.post(path, content=body, headers={"X-Form-Key": visit.key})
        assert sent.status_code == 413
    assert visit.client.post("/", headers={"Content-Length": "-5"}).status_code in (413, 405)
    assert not list(store.rows())


def test_a_slow_body_times_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_pages, "BODY_TIMEOUT", 0.05)

    async def drip() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(60)

    slow = Visit(campaign_of()[0], store).client.post("/api/answer", content=drip())
    assert slow.status_code == 408 and "too long" in slow.json()["error"]


def test_no_path_leaves_the_folder_of_pages(store: Store) -> None:
    client = Visit(campaign_of()[0], store).client
    assert client.get("/static/style.css").status_code == 200
    for name in (
        "../server.py",
        "..%2fserver.py",
        "%2e%2e/storage.py",
        "rate.html",
        "/etc/passwd",
        "..\\x",
        "style.css%00",
    ):
        found = client.get(f"/static/{name}")
        assert found.status_code == 404 and "import" not in found.text


def test_sql_in_every_field_changes_nothing(store: Store) -> None:
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    visit.send("i1", {"value": 3})
    for field in ("request", "item", "client_time", "client_version", "seconds", "answer"):
        body = {"request": "f" * 16, "item": "i1", "answer": {"value": 1}, "seconds": 1, field: SQL}
        assert visit.client.post("/api/answer", json=body, headers={"X-Form-Key": visit.key}).status_code in (403, 422)
    for path in (f"/r/{SQL}", f"/o/{SQL}", f"/static/{SQL}"):
        assert visit.client.get(path).status_code in (401, 404)
    assert visit.client.post("/organiser/enter", data={"secret": SQL}).status_code == 401
    assert [row.answer for row in store.rows()] == [{"value": 3}]


def test_tokens_are_never_logged_and_never_stored(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    campaign, tokens = campaign_of()
    visit = Visit(campaign, store, f"/r/{tokens.raters['anna']}")
    visit.send("i1", {"value": 3})
    visit.client.get(f"/o/{tokens.organiser}")
    monkeypatch.setattr(Store, "tokens", lambda *_: 1 / 0)
    failing = Client(visit.client.app, raise_errors=False)
    failed = failing.get(f"/r/{tokens.raters['ben']}")
    assert failed.status_code == 500 and "Nothing is lost" in failed.text
    ours = [
        record for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))
    ]  # the client's own
    logged = " ".join(record.getMessage() for record in ours)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (*tokens.raters.values(), tokens.organiser):
        assert secret not in logged and secret.encode() not in kept
    assert "ZeroDivisionError" in logged
