"""Test `tercet rate` as a user runs it: make, describe, serve, export and import campaigns, and export answers."""

import json
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tercet import examples as demo
from tercet.human.campaign import Campaign, hashed

from .command import TERCET, tercet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    demo.write("en-zh", tmp_path)
    return tmp_path


NEW = (
    "rate",
    "new",
    "--protocol",
    "adequacy",
    "-t",
    "en-zh.jsonl",
    "-l",
    "en-zh",
    "--raters",
    5,
    "--show-identical",
    "--out",
    "campaign.json",
)


def rated(path: Path, *, values: int) -> Campaign:
    """Store answers of all raters to their first items, in the same way as the server."""
    pytest.importorskip("sqlalchemy")
    from tercet.human.storage import Store, default_database

    campaign = Campaign.read(path)
    store = Store.open(default_database(path), campaign)
    for rater in campaign.raters:
        for number, id in enumerate(rater.items[:values]):
            answer = {"value": 1 + (number + len(campaign.item(id).outputs[0].text)) % 5}
            for request in ("a", "b"):  # the second is a revision
                store.append(
                    request=f"{rater.name}-{id}-{request}", rater=rater.name, item=id, answer=answer, seconds=2.5
                )
    store.close()
    return campaign


def test_a_campaign_is_made_and_its_links_are_printed_once(folder: Path) -> None:
    done = tercet(*NEW, cwd=folder)
    assert done.code == 0 and "Of the references refA, refB, raters see refA" in done.err
    lines = done.out.split("\n")
    assert lines[:4] == [
        "Campaign 'en-zh': adequacy (en-zh), showing reference",
        "32 segments, 3 systems, 96 items to judge; control items among them: none; tutorial: 0",
        "5 raters, 480 judgements in all",
        "  rater1     96 items",
    ]
    campaign = Campaign.read(folder / "campaign.json")
    links = dict(line.split() for line in lines if "http://127.0.0.1:8000/" in line)
    for rater in campaign.raters:
        assert rater.token_hash == hashed(links[rater.name].removeprefix("http://127.0.0.1:8000/r/"))
    assert campaign.organiser_hash == hashed(links["organiser"].rpartition("/")[2])
    assert not any(link.rpartition("/")[2] in (folder / "campaign.json").read_text("utf-8") for link in links.values())
    assert not any(link in tercet("rate", "info", "campaign.json", cwd=folder).out for link in links.values())


def test_the_same_command_twice_does_not_overwrite_a_campaign(folder: Path) -> None:
    assert tercet(*NEW, cwd=folder).code == 0
    before = (folder / "campaign.json").read_bytes()
    again = tercet(*NEW, cwd=folder)
    assert again.code == 2 and "campaign.json exists already" in again.err
    assert (folder / "campaign.json").read_bytes() == before
    assert tercet(*NEW, "--replace", cwd=folder).code == 0
    assert (folder / "campaign.json").read_bytes() != before


def test_the_command_does_what_the_function_does(folder: Path) -> None:
    done = tercet(
        "rate", "new", "refA.txt", "-r", "refB.txt", "-i", "Alder.txt", "Birch.txt", "-s", "src.txt",
        "--docs", "docs.txt", "-l", "en-zh", "--protocol", "esa", "--raters", "Анна", "李",
        "--sampling", "documents", "--segments", 16, "--redundancy", 1, "--bad", 0.2, "--repeats", 0.2,
        "--hidden", 0.2, "--severities", "small", "large", "--seed", 7, "--name", "دراسة", "-o", "c.json",
        "-f", "json", cwd=folder,
    )  # fmt: skip
    assert done.code == 0, done.err
    from tercet.data import TestSet
    from tercet.human.designs import design

    names = [folder / name for name in ("Alder.txt", "Birch.txt", "refA.txt", "refB.txt", "src.txt", "docs.txt")]
    texts = TestSet.read(names[:2], names[2:4], names[4], documents=names[5], pair="en-zh")
    expected = design(
        texts, protocol="esa", raters=["Анна", "李"], sampling="documents", segments=16, redundancy=1, bad=0.2,
        repeats=0.2, hidden=0.2, severities=["small", "large"], seed=7, name="دراسة",
    )  # fmt: skip
    made = Campaign.read(folder / "c.json")
    assert made.items == expected.items and made.severities == ("small", "large")
    assert [rater.items for rater in made.raters] == [rater.items for rater in expected.raters]
    assert done.json["name"] == "دراسة" and set(done.json["links"]) == {"Анна", "李"}
    assert done.json["organiser"].startswith("http://127.0.0.1:8000/o/")


def test_groups_tutorial_and_instructions(folder: Path) -> None:
    (folder / "t.jsonl").write_text(
        '{"outputs": [{"system": "x", "text": "猫"}], "source": "cat", "expected": {"value": 5}}\n', "utf-8"
    )
    (folder / "read.txt").write_text("Read first.\nThen judge.\n", "utf-8")
    done = tercet(
        *NEW, "--groups", "refA", "refB", "source", "--sampling", "spread", "--segments", 5, "--per-segment", 1,
        "--tutorial", "t.jsonl", "--instructions", "read.txt", cwd=folder,
    )  # fmt: skip
    assert done.code == 0 and "showing what the group sees" in done.out and "  rater3  source      5 items" in done.out
    made = Campaign.read(folder / "campaign.json")
    assert made.instructions == "Read first.\nThen judge." and made.item("t1").expected == {"value": 5}


def test_ratings_are_exported_and_read_by_others(folder: Path) -> None:
    tercet(*NEW, cwd=folder)
    campaign = rated(folder / "campaign.json", values=30)
    done = tercet("rate", "export", "campaign.json", "-o", "ratings.tsv", cwd=folder)
    assert (done.code, done.out, done.err) == (0, "", "Wrote ratings.tsv: 150 judgements.\n")
    lines = (folder / "ratings.tsv").read_text("utf-8").split("\n")
    assert lines[0].split("\t")[:10] == "rater item segment system kind value reference seconds time check".split()
    first = lines[1].split("\t")
    assert first[0] == "rater1" and first[1] == campaign.raters[0].items[0] and first[6:8] == ["refA", "2.5"]
    done = tercet("rate", "export", "campaign.json", "-o", "all.tsv", "--revisions", "all", cwd=folder)
    assert done.err == "Wrote all.tsv: 300 judgements.\n"
    done = tercet("rate", "export", "campaign.json", "-o", "r.jsonl", cwd=folder)
    assert json.loads((folder / "r.jsonl").read_text("utf-8").split("\n")[0])["kind"] == "adequacy"
    meta = tercet(
        "meta", "en-zh.jsonl", "--judgements", "ratings.tsv", "-l", "en-zh", "-m", "chrf", "--level", "seg",
        "-f", "json", cwd=folder,
    )  # fmt: skip
    assert meta.code == 0 and "Traceback" not in meta.err, meta.err


def test_damaged_copies_in_rankings_find_a_careless_rater(folder: Path) -> None:
    pytest.importorskip("sqlalchemy")
    from tercet.human.storage import Store, default_database

    done = tercet(
        "rate", "new", "--protocol", "ranking", "-t", "en-zh.jsonl", "-l", "en-zh", "--raters", "anna", "ben", "carla",
        "--bad", 0.3, "-o", "campaign.json", cwd=folder,
    )  # fmt: skip
    assert "32 segments, 3 systems" in done.out and " bad; tutorial" in done.out, done.err
    campaign = Campaign.read(folder / "campaign.json")
    store = Store.open(default_database(folder / "campaign.json"), campaign)
    for rater in campaign.raters:
        for number, id in enumerate(rater.items):
            systems = sorted(campaign.item(id).systems, key=lambda name: (name.endswith("(damaged)"), name))
            if rater.name == "ben" and number % 2:
                systems.reverse()
            answer = {"ranks": {system: 1 + place for place, system in enumerate(systems)}}
            store.append(request=f"{rater.name}-{id}", rater=rater.name, item=id, answer=answer, seconds=2.5)
    store.close()
    assert tercet("rate", "export", "campaign.json", "-o", "ratings.tsv", cwd=folder).code == 0
    found = tercet("agree", "ratings.tsv", "-f", "json", cwd=folder).json
    people = {person["rater"]: person for person in found[0]["people"]}
    assert {person["checks"] for person in people.values()} == {10}
    assert not people["anna"]["failed"] and not people["carla"]["failed"]
    assert people["ben"]["failed"][0].startswith("damaged outputs ranked below the originals in ")
    meta = tercet(
        "meta",
        "en-zh.jsonl",
        "--judgements",
        "ratings.tsv",
        "-l",
        "en-zh",
        "-m",
        "chrf",
        "--passing-raters",
        cwd=folder,
    )
    assert meta.code == 0 and "left out rater ben: damaged outputs ranked below" in meta.err, meta.err
    assert "(damaged)" not in meta.out and "rater anna" not in meta.err
    assert "Rater ben: damaged outputs ranked below" in tercet("rate", "results", "campaign.json", cwd=folder).out


def test_campaigns_go_to_other_tools_and_come_back(folder: Path) -> None:
    tercet(
        "rate", "new", "--protocol", "da", "-t", "en-zh.jsonl", "--raters", 2, "--bad", 0.1, "-o", "c.json",
        "--show-identical", cwd=folder,
    )  # fmt: skip
    for form, out, back in (("pearmut", "p.json", "p.json"), ("appraise", "appraise", "appraise")):
        done = tercet("rate", "export", "c.json", "-f", form, "-o", out, cwd=folder)
        assert done.code == 0 and done.err.startswith(f"Wrote {out}")
        done = tercet("rate", "import", back, "--protocol", "da", "-l", "en-zh", "-o", f"{form}.json", cwd=folder)
        assert done.code == 0 and "2 raters, 212 judgements in all" in done.out
        assert len(Campaign.read(folder / f"{form}.json").items) == len(Campaign.read(folder / "c.json").items)


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("rate", "info", "absent.json"), 2, "There is no file absent.json"),
        (("rate", "info", "src.txt"), 1, "src.txt, line 1, column 1: not a campaign"),
        (("rate", "info", "bad.json"), 1, "bad.json: items[1].outputs[0].text: a text is needed, not 3."),
        (("rate", "export", "bad.json", "-o", "x"), 1, "bad.json: items[1].outputs[0].text"),
        (("rate", "serve", "bad.json"), 1, "bad.json: items[1].outputs[0].text"),
        (("rate", "new", "--protocol", "dda", "-t", "en-zh.jsonl", "-o", "x"), 2, "--protocol must be adequacy, "),
        (("rate", "new", "--protocol", "da", "-t", "en-zh.jsonl"), 2, "Missing option '-o' / '--out'"),
        (("rate", "new", "--protocol", "da", "-t", "en-zh.jsonl", "-o", "no/x"), 2, "no/x cannot be written"),
        (("rate", "new", "--protocol", "da", "-t", "en-zh.jsonl", "--tutorial", "src.txt", "-o", "x"), 1, "not JSON"),
        (("rate", "import", "src.txt", "-o", "x"), 1, "src.txt, line 1, column 1: not a campaign"),
        (("rate", "import", "bad.json", "-o", "x"), 1, "is not a campaign of Pearmut (an object"),
        (("rate", "export", "good.json", "-o", "x"), 2, "there are no answers yet"),
        (("rate", "export", "good.json", "-f", "appraise", "-o", "src.txt"), 2, "cannot be created"),
    ],
)  # fmt: skip
def test_mistakes_give_a_message(words: tuple[str, ...], code: int, expected: str, folder: Path) -> None:
    made = tercet("rate", "new", "--protocol", "da", "-t", "en-zh.jsonl", "-l", "en-zh", "-o", "good.json", cwd=folder)
    assert made.code == 0
    content = json.loads((folder / "good.json").read_text("utf-8"))
    content["items"][1]["outputs"][0]["text"] = 3
    (folder / "bad.json").write_text(json.dumps(content), "utf-8")
    done = tercet(*words, cwd=folder)
    assert done.code == code and expected in done.err, done.err
    assert not (folder / "x").exists()


def serving(folder: Path, *words: object) -> tuple[str, dict[str, str]]:
    """Serve a campaign, follow one of the printed links, stop, and return the server's message and links."""
    command = [str(TERCET), "rate", "serve", "campaign.json", "--port", "0", *map(str, words)]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None and server.stderr is not None
        said = server.stderr.readline()
        links = dict(server.stdout.readline().split() for _ in range(6)) if "--new-links" in words else {}
        for link in links.values():  # a link leads to a page by a cookie
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(link, timeout=10) as page:
                assert page.status == 200
    finally:
        server.terminate()
        server.communicate(timeout=20)
    return said, links


def test_serving_prints_new_links_and_revokes_the_old_ones(folder: Path) -> None:
    pytest.importorskip("starlette")
    tercet(*NEW, cwd=folder)
    before = Campaign.read(folder / "campaign.json")
    said, links = serving(folder)
    assert said.startswith("Serving campaign 'en-zh' at http://127.0.0.1:") and not links
    assert Campaign.read(folder / "campaign.json") == before
    _, links = serving(folder, "--new-links")
    assert list(links) == ["rater1", "rater2", "rater3", "rater4", "rater5", "organiser"]
    after = Campaign.read(folder / "campaign.json")
    assert after.items == before.items and after.id == before.id
    assert not {rater.token_hash for rater in before.raters} & {rater.token_hash for rater in after.raters}
    assert after.rater("rater2").token_hash == hashed(links["rater2"].rpartition("/")[2])


def test_several_campaigns_are_served_together(folder: Path) -> None:
    pytest.importorskip("starlette")
    (folder / "campaigns").mkdir()
    for name in ("first", "second"):
        made = tercet(*NEW[:-1], f"campaigns/{name}.json", "--name", name, cwd=folder)
        assert made.code == 0, made.err
    links = dict(line.split() for line in made.out.splitlines() if "http://127.0.0.1:8000/" in line)
    rated(folder / "campaigns" / "second.json", values=30)
    command = [str(TERCET), "rate", "serve", "campaigns", "--port", "0"]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        said = [server.stderr.readline() for _ in range(3)]
        address = said[0].removeprefix("Serving 2 campaigns at ").partition(" ")[0]
        assert said[1:] == [f"  first: {address}/c/first\n", f"  second: {address}/c/second\n"]
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        for role, home in (("rater1", "/c/second/rate"), ("organiser", "/c/second/organiser")):
            with browser.open(links[role].replace("http://127.0.0.1:8000", address), timeout=20) as page:
                assert page.url == address + home  # links that were made for one server lead there too
        with browser.open(f"{address}/c/second/organiser/download/report.html", timeout=60) as page:
            assert page.headers["Content-Disposition"] == 'attachment; filename="report.html"'
            report = page.read().decode()
    finally:
        server.terminate()
        server.communicate(timeout=20)
    assert "Rating results: second, en-zh, adequacy" in report and "rater1" not in report
    assert "150 of 480 judgements" in report


def test_mistakes_about_several_campaigns(folder: Path) -> None:
    pytest.importorskip("starlette")
    for name in ("a", "b"):
        tercet(*NEW[:-1], f"{name}.json", cwd=folder)
    done = tercet("rate", "serve", "a.json", "b.json", "--database", "x.db", cwd=folder)
    assert done.code == 2 and "a file holds the answers of one campaign" in done.err
    done = tercet("rate", "serve", "a.json", "a.json", cwd=folder)
    assert done.code == 1 and "are the same campaign" in done.err
    before = (folder / "a.json").read_bytes()
    done = tercet("rate", "serve", "a.json", "absent.json", "--new-links", cwd=folder)
    assert done.code == 2 and "There is no file absent.json" in done.err
    assert (folder / "a.json").read_bytes() == before  # nobody has lost a link


def test_the_database_of_another_campaign_is_refused(folder: Path) -> None:
    tercet(*NEW, cwd=folder)
    rated(folder / "campaign.json", values=1)
    tercet(*NEW, "--replace", cwd=folder)
    done = tercet("rate", "export", "campaign.json", "-o", "r.tsv", cwd=folder)
    assert done.code == 1 and "holds the answers of another campaign" in done.err
