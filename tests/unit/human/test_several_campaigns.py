"""Several campaigns on one server: pages, links and databases of their own, and one overview."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra tercet[web] is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from tercet.errors import DataError, UsageError
from tercet.human.campaign import Campaign, Item, Output, Rater, Tokens
from tercet.human.campaign_json import campaign_files
from tercet.human.server import create_site, names_of, read_campaigns
from tercet.human.storage import Store, open_store
from tercet.rate import serve
from tests.docs.running import run

from .web import Client

NAMES = ("news", "manual")


def campaign_of(name: str) -> tuple[Campaign, Tokens]:
    """Return a campaign; those of other names have the same raters and the same ids of items."""
    items = [Item(f"i{n}", str(n), (Output("s", f"{name} {n}"),), source="quelle") for n in (1, 2)]
    raters = [Rater("anna", ("i1", "i2")), Rater("ben", ("i1",))]
    return Campaign(f"The {name}", "adequacy", items, raters, pair="de-en", id=name).with_tokens()


class Named:
    """A report that is only the campaign's name."""

    def __call__(self, campaign: Campaign, records: Any) -> str:
        return campaign.name

    def sections(self, campaign: Campaign, *given: Any, names: bool) -> str:
        return ""


class Site:
    """A server with two campaigns, in a folder."""

    def __init__(self, folder: Path, database: str | None = None) -> None:
        self.folder = folder
        self.made = {name: campaign_of(name) for name in NAMES}
        self.paths = [folder / f"{name}.json" for name in NAMES]
        for name, path in zip(NAMES, self.paths, strict=True):
            self.made[name][0].write(path)
        campaigns = [campaign for campaign, _ in self.made.values()]
        self.stores = {
            name: open_store(path, campaign, database, shared=True)
            for name, path, campaign in zip(NAMES, self.paths, campaigns, strict=True)
        }
        self.app = create_site(NAMES, campaigns, list(self.stores.values()), report=Named())

    def token(self, name: str, rater: str = "anna") -> str:
        tokens = self.made[name][1]
        return tokens.organiser if rater == "organiser" else tokens.raters[rater]

    def client(self) -> Client:
        return Client(self.app)

    def answer(self, name: str, item: str, value: int, rater: str = "anna") -> Any:
        client = self.client()
        page = client.get(f"/r/{self.token(name, rater)}").text
        key = re.search(r'"key": "(\w+)"', page)
        assert key is not None, page
        body = {"request": f"{name}-{rater}-{item}-0123", "item": item, "answer": {"value": value}, "seconds": 1}
        return client.post(f"/c/{name}/api/answer", json=body, headers={"X-Form-Key": key[1]})


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    database = request.getfixturevalue("new_database")() if request.param == "postgresql" else None
    made = Site(tmp_path, database)
    yield made
    for store in made.stores.values():
        store.close()


def test_a_link_leads_to_its_campaign_and_answers_go_to_its_database(site: Site) -> None:
    for name in NAMES:
        entered = site.client().get(f"/r/{site.token(name)}", follow_redirects=False)
        assert (entered.status_code, entered.headers["location"]) == (303, f"/c/{name}/rate")
        page = site.client().get(f"/r/{site.token(name)}").text
        assert f"The {name}" in page and f'"base": "/c/{name}"' in page and f"/c/{name}/static/rate.js" in page
    assert site.answer("news", "i1", 4).json() == {"saved": 1, "again": False}
    assert site.answer("manual", "i1", 2).json() == {"saved": 1, "again": False}
    assert site.stores["news"].latest("anna") == {"i1": {"value": 4}}
    assert site.stores["manual"].latest("anna") == {"i1": {"value": 2}}


def test_a_token_of_one_campaign_is_worth_nothing_in_another(site: Site) -> None:
    news, manual = (site.client() for _ in NAMES)
    assert news.get(f"/r/{site.token('news')}").status_code == 200
    assert manual.get(f"/r/{site.token('manual')}").status_code == 200
    assert news.get("/c/news/api/answers").status_code == 200
    assert news.get("/c/manual/api/answers").status_code == 401
    assert site.client().get(f"/c/manual/r/{site.token('news')}").status_code == 401
    assert site.client().get(f"/c/manual/o/{site.token('news', 'organiser')}").status_code == 401
    assert site.client().get(f"/o/{site.token('news')}").status_code == 401  # a rater is no organiser
    assert site.client().get("/r/wrong").status_code == 401
    # Not even in the cookie of the other campaign.
    names = {name: next(iter(client.cookies)) for name, client in (("news", news), ("manual", manual))}
    assert names["news"] != names["manual"]
    forged = Client(site.app, cookies={names["manual"]: site.token("news")})
    assert forged.get("/c/manual/api/answers").status_code == 401
    office = site.client()
    office.get(f"/o/{site.token('news', 'organiser')}")
    assert office.get("/c/news/organiser").status_code == 200
    assert office.get("/c/manual/organiser").status_code == 401
    assert office.get("/c/manual/organiser/download/judgements.tsv").status_code == 401


def test_the_overview_lists_the_campaigns_of_the_organiser_with_their_progress(site: Site) -> None:
    site.answer("news", "i1", 4)
    site.answer("news", "i2", 4)
    site.answer("news", "i1", 4, rater="ben")
    site.answer("manual", "i1", 3)
    office = site.client()
    asked = office.get("/organiser")
    assert asked.status_code == 401 and 'name="secret"' in asked.text
    first = office.get(f"/o/{site.token('news', 'organiser')}")
    assert str(first.url).endswith("/c/news/organiser") and 'href="/organiser">All campaigns' in first.text
    one = office.get("/organiser").text
    assert 'href="/c/news/organiser"' in one and "The manual" not in one and "This server has 1 more." in one
    assert office.post("/organiser/enter", data={"secret": site.token("manual", "organiser")}).status_code == 200
    both = office.get("/organiser").text
    assert "The news" in both and "The manual" in both and "more. Open" not in both
    rows = [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)) for row in both.split("<tr>")[2:]]
    assert "done 3 of 3 2 of 2" in rows[0]
    assert "33 % 1 of 3 1 of 2" in rows[1]


def test_downloads_links_and_results_are_those_of_the_campaign(site: Site) -> None:
    site.answer("manual", "i1", 3)
    office = site.client()
    page = office.get(f"/o/{site.token('manual', 'organiser')}").text
    assert "manual 1" in office.get("/c/manual/organiser/download/judgements.tsv").text
    assert office.get("/c/manual/organiser/download/report.html").text == "The manual"
    key = re.search(r'name="key" value="(\w+)"', page)
    assert key is not None
    changed = office.post("/c/manual/organiser/links", data={"key": key[1], "rater": "anna", "action": "renew"}).text
    link = re.search(r"<code>http://127.0.0.1:8000(/r/[\w-]+)</code>", changed)
    assert link is not None and '"i1": {"value": 3}' in site.client().get(link[1]).text.replace("&#34;", '"')
    assert site.client().get(f"/r/{site.token('manual')}").status_code == 401
    viewed = office.post("/c/manual/organiser/view", data={"key": key[1]}).text
    view = re.search(r"<code>http://127.0.0.1:8000(/v/[\w-]+)</code>", viewed)
    assert view is not None
    reader = site.client()
    assert str(reader.get(view[1]).url).endswith("/c/manual/results")
    assert reader.get("/c/news/results").status_code == 401


def test_pages_that_are_not_there(site: Site) -> None:
    client = site.client()
    assert "personal link" in client.get("/").text
    for path in ("/c/other/rate", "/c/news", "/nowhere", "/c/news/nowhere"):
        assert client.get(path).status_code == 404
    assert client.get("/static/style.css").status_code == client.get("/c/news/static/style.css").status_code == 200


def test_one_database_of_postgresql_holds_several_campaigns(new_database: Callable[[], str], tmp_path: Path) -> None:
    database, alone = new_database(), campaign_of("alone")[0]
    with_tables = Store.open(database, alone)  # served by itself before: its tables are in the default schema
    put(with_tables, "a")
    together = {name: Store.open(database, campaign_of(name)[0], shared=True) for name in (*NAMES, "alone")}
    put(together["news"], "b")
    assert [row.answer["value"] for row in together["alone"].rows()] == [1]
    assert [len(list(store.rows())) for store in together.values()] == [1, 0, 1]
    later = Store.open(database, campaign_of("news")[0], create=False)  # as `rate export` does
    assert len(list(later.rows())) == 1
    with pytest.raises(DataError, match="another campaign"):
        Store.open(database, campaign_of("new")[0])
    for store in (with_tables, later, *together.values()):
        store.close()


def put(store: Store, request: str) -> None:
    store.append(request=request, rater="anna", item="i1", answer={"value": 1}, seconds=1.0)


def test_one_file_is_not_for_several_campaigns(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a file holds the answers of one campaign"):
        open_store(tmp_path / "x.json", campaign_of("news")[0], tmp_path / "answers.db", shared=True)


def test_a_folder_stands_for_its_campaigns(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in NAMES:
        campaign_of(name)[0].write(tmp_path / f"{name}.json")
    (tmp_path / "other.json").write_text('{"version": 1}')
    (tmp_path / "broken.json").write_text("{")
    assert campaign_files([tmp_path]) == [tmp_path / "manual.json", tmp_path / "news.json"]
    assert "not campaigns: broken.json, other.json." in caplog.text
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="has no campaigns"):
        serve(tmp_path / "empty")


def test_the_same_campaign_twice_is_an_error(tmp_path: Path) -> None:
    for name in ("a", "b"):
        campaign_of("news")[0].write(tmp_path / f"{name}.json")
    with pytest.raises(DataError, match=r"a\.json and .*b\.json are the same campaign"):
        read_campaigns([tmp_path / "a.json", tmp_path / "b.json"])


def test_names_of_pages_come_from_the_files_and_differ() -> None:
    paths = ["x/news 2024.json", "y/news-2024.json", "研究.json", ".json", "..json"]
    assert names_of(paths) == ["news-2024", "news-2024-2", "campaign", "campaign-2", "campaign-3"]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_new_links_for_several_campaigns_have_one_organiser(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    database = request.getfixturevalue("new_database")() if kind == "postgresql" else None
    site = Site(tmp_path, database)
    ran = run(["rate", "links", ".", *(["--database", database] if database else [])], folder=tmp_path)
    assert ran.code == 0, ran.err
    links = re.findall(r"http://127.0.0.1:8000(/[ro]/\S+)", ran.out)
    assert ran.out.splitlines()[0] == "The manual:" and len(links) == 5
    assert "organiser of The manual, The news:" in ran.out
    assert site.client().get(f"/r/{site.token('news')}").status_code == 401  # the server runs all the while
    assert "The manual" in site.client().get(links[0]).text and "The news" in site.client().get(links[2]).text
    office = site.client()
    assert str(office.get(links[4]).url).endswith("/organiser")
    page = office.get("/organiser").text
    assert "The news" in page and "The manual" in page
    for store in site.stores.values():
        store.close()


def test_results_export_and_backup_find_a_campaign_in_a_shared_database(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    database = new_database()
    site = Site(tmp_path, database)
    site.answer("manual", "i1", 3)
    there = ["manual.json", "--database", database]
    ran = run(["rate", "results", *there], folder=tmp_path)
    assert "The mean of s is 3.00" in ran.out and "1 of 3 judgements" in ran.out, ran.err
    assert run(["rate", "export", *there, "-o", "r.tsv"], folder=tmp_path).err == "Wrote r.tsv: 1 judgements.\n"
    ran = run(["rate", "backup", *there, "-o", "copy.dump"], folder=tmp_path)
    assert ran.code == 2 and "pg_dump --format=custom --file=copy.dump --schema=tercet_" in ran.err
    for store in site.stores.values():
        store.close()
