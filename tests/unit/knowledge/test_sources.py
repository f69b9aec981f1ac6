"""Readers of sources: every name in its language with its category and weight; errors name file and line."""

import gzip
import json
import logging
import sys
from pathlib import Path

import pytest

from tercet.errors import DataError, MissingDependency, UsageError
from tercet.kb import build as build_from_files
from tercet.knowledge.building import NameRecord
from tercet.knowledge.sources.cldr import read_cldr
from tercet.knowledge.sources.geonames import read_geonames
from tercet.knowledge.sources.tables import read_ids, read_jsonl, read_tsv, read_wordnet


def write(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return path


def test_json_lines_of_names_and_of_entities(tmp_path) -> None:
    path = write(
        tmp_path / "x.jsonl",
        {"id": "a", "language": "de", "name": "Rom", "category": "city", "weight": 3},
        {"id": "b", "names": {"de": ["Bonn", "Bundesstadt"], "fr": "Bonn"}, "aliases": {"zh-Hant": ["波恩"]}},
        {"id": "c", "types": ["mountain"], "labels": {"de": "Zugspitze", "zht": "楚格峰"}, "aliases_de": ["Spitze"]},
        "",
    )
    assert list(read_jsonl(path, ["de", "zh"])) == [
        NameRecord("a", "de", "Rom", "place", 3.0),
        NameRecord("b", "de", "Bonn", "", 1.0),
        NameRecord("b", "de", "Bundesstadt", "", 0.5),
        NameRecord("b", "zh", "波恩", "", 0.5),
        NameRecord("c", "de", "Zugspitze", "place", 1.0),
        NameRecord("c", "zh", "楚格峰", "place", 1.0),
        NameRecord("c", "de", "Spitze", "place", 0.5),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[" * 100_000, "line 2: not JSON"),
        ("3", "line 2: a JSON object is needed"),
        ({"language": "de", "name": "x"}, "line 2: 'id' is missing"),
        ({"id": "a", "language": "de"}, "line 2: 'name' is missing"),
        ({"id": "a", "name": "x"}, "line 2: 'language' is missing"),
        ({"id": "a"}, "line 2: it has neither"),
        ({"id": "a", "names": ["x"]}, "line 2: 'names' must be an object"),
        ({"id": "a", "names": {"de": [1]}}, "line 2: a name in 'de' is not a text"),
        ({"id": "a", "language": "de", "name": "x", "weight": "much"}, "line 2: the weight 'much' must be a number"),
        ({"id": "a", "language": "de", "name": "x", "weight": -1}, "line 2: the weight -1"),
        ({"id": "a", "language": "de", "name": "x", "category": 1}, "line 2: the category is not a text"),
    ],
)
def test_a_bad_json_line_is_named(tmp_path, line, message) -> None:
    path = write(tmp_path / "x.jsonl", {"id": "a", "language": "de", "name": "x"}, line)
    with pytest.raises(DataError, match=f"x.jsonl, {message}"):
        list(read_jsonl(path, ["de"]))


def test_tab_separated_names_with_and_without_a_header(tmp_path) -> None:
    path = write(
        tmp_path / "x.tsv", "id\tlanguage\tname", "a\tde\tRom\tplace\t2.5", "a\ten-gb\tRome", "", "a\tfr\tRome"
    )
    assert list(read_tsv(path, ["de", "en"])) == [
        NameRecord("a", "de", "Rom", "place", 2.5),
        NameRecord("a", "en", "Rome", "", 1.0),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a\tde", "line 1: 2 tab-separated fields"),
        ("\tde\tx", "line 1: the id is empty"),
        ("a\tde\t", "line 1: the name is empty"),
        ("a\tde\tx\tplace\tinf", "line 1: the weight 'inf'"),
    ],
)
def test_a_bad_tab_separated_line_is_named(tmp_path, line, message) -> None:
    with pytest.raises(DataError, match=f"x.tsv, {message}"):
        list(read_tsv(write(tmp_path / "x.tsv", line), ["de"]))


def test_ids_that_stand_for_others(tmp_path) -> None:
    freebase = write(tmp_path / "f.jsonl", {"mid": "/m/1", "wikidata_id": "Q1"}, {"from": "x", "to": "y"})
    assert read_ids(freebase) == {"/m/1": "Q1", "x": "y"}
    assert read_ids(write(tmp_path / "f.tsv", "/m/1\tQ1", "")) == {"/m/1": "Q1"}
    with pytest.raises(DataError, match="f.tsv, line 1: an id, a tab and the id"):
        read_ids(write(tmp_path / "f.tsv", "/m/1 Q1"))
    with pytest.raises(DataError, match="line 1: 'wikidata_id' is missing"):
        read_ids(write(tmp_path / "f.jsonl", {"mid": "/m/1"}))


def test_synsets_weigh_as_much_as_languages_name_them(tmp_path) -> None:
    path = write(
        tmp_path / "omw.jsonl",
        {"id": "1-n", "names": {"en": ["hot_dog", "frank"], "zh": ["热狗+的"], "he": ["x"]}},
        {"id": "1-v", "names": {"en": ["run"]}},
    )
    assert list(read_wordnet(path, ["en", "zh"])) == [
        NameRecord("wn:1-n", "en", "hot dog", "concept", 3.0),
        NameRecord("wn:1-n", "en", "frank", "concept", 2.7),
        NameRecord("wn:1-n", "zh", "热狗", "concept", 3.0),
    ]
    assert [record.name for record in read_wordnet(path, ["en"], parts_of_speech="v")] == ["run"]
    for bad in ({"id": "1-n"}, {"id": "1-n", "names": {"en": "dog"}}):
        with pytest.raises(DataError, match="omw.jsonl, line 1"):
            list(read_wordnet(write(path, bad), ["en"]))


def place(number: int, name: str, others: str, population: int) -> str:
    fields = [str(number), name, name, others, "1", "2", "P", "PPL", "DE", "", "", "", "", "", str(population)]
    return "\t".join([*fields, "", "", "Europe/Berlin", "2020-01-01"])


def test_places_without_tagged_names_go_by_script(tmp_path) -> None:
    path = write(tmp_path / "cities.txt", place(1, "Berlin", "BER,Берлин,柏林,https://x/y,Berlino", 1_000_000))
    got = list(read_geonames([path], ["en", "ru", "zh"]))
    weight = 1 + 1000**0.5
    assert got == [
        NameRecord("geonames:1", "en", "Berlin", "place", weight),
        NameRecord("geonames:1", "ru", "Берлин", "place", weight / 2),
        NameRecord("geonames:1", "zh", "柏林", "place", weight / 2),
        NameRecord("geonames:1", "en", "Berlino", "place", weight / 2),
    ]


def test_places_with_tagged_names_have_wikidatas_ids(tmp_path) -> None:
    places = write(tmp_path / "cities.txt", place(1, "Berlin", "Берлин", 0))
    names = write(
        tmp_path / "names.txt",
        "1\t1\twkdt\tQ64\t\t\t\t\t\t",
        "2\t1\tru\tБерлин\t1\t\t\t\t\t",
        "3\t1\ten\tThe Grey City\t\t\t1\t\t\t",
        "4\t2\tru\tБонн\t\t\t\t\t\t",
        "5\t1\tlink\thttps://x\t\t\t\t\t\t",
    )
    assert list(read_geonames([places, names], ["en", "ru"])) == [
        NameRecord("Q64", "en", "Berlin", "place", 0.5),
        NameRecord("Q64", "ru", "Берлин", "place", 1.0),
    ]
    with pytest.raises(UsageError, match="needs a table of places"):
        list(read_geonames([names], ["en"]))
    with pytest.raises(DataError, match="bad.txt, line 1: 2 columns"):
        list(read_geonames([write(tmp_path / "bad.txt", "a\tb")], ["en"]))
    with pytest.raises(DataError, match="bad.txt, line 2: 1 columns, but this table of GeoNames has 19"):
        list(read_geonames([write(tmp_path / "bad.txt", place(1, "x", "", 1), "x")], ["en"]))
    with pytest.raises(DataError, match="line 1: the population 'many' is not a number"):
        list(
            read_geonames([write(tmp_path / "bad.txt", place(1, "x", "", 1).replace("\t1\t\t", "\tmany\t\t"))], ["en"])
        )


def test_cldr_names_countries_languages_and_days(caplog) -> None:
    pytest.importorskip("babel", reason="Babel is not installed")
    with caplog.at_level(logging.WARNING):
        found = {(record.id, record.language, record.name): record for record in read_cldr(["de", "ru", "grc"])}
    assert found["cldr:territories/CZ", "de", "Tschechien"].category == "place"
    assert found["cldr:languages/de", "ru", "немецкий"].category == "language"
    assert found["cldr:days/0", "de", "Montag"].category == "time"
    assert found["cldr:months/1", "ru", "января"].weight < found["cldr:months/1", "ru", "январь"].weight
    assert ("cldr:currencies/EUR", "de", "Euro") in found
    assert caplog.messages == ["CLDR has no names in grc."]


def test_without_babel_the_pip_line_is_given(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "babel", None)
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[kobe\]'"):
        next(read_cldr(["de"]))


def test_sources_merge_and_are_recorded(tmp_path) -> None:
    table = write(tmp_path / "x.tsv", "/m/1\tde\tRom\tplace", "w\ten\tword", "w\tde\tWort")
    more = gzip.compress(json.dumps({"id": "Q220", "names": {"en": ["Rome"]}}).encode())
    (tmp_path / "y.jsonl.gz").write_bytes(more)
    ids = write(tmp_path / "ids.tsv", "/m/1\tQ220")
    kb = build_from_files(
        tmp_path / "kb", languages=["de", "en"], tsv=[table], jsonl=[tmp_path / "y.jsonl.gz"], map_ids=[ids]
    )
    assert kb.name == "kb"
    assert kb.label(kb.number_of("Q220"), "en") == "Rome"
    assert [source["file"] for source in kb.info()["sources"]] == ["y.jsonl.gz", "x.tsv"]
    with pytest.raises(UsageError, match="No source is given"):
        build_from_files(tmp_path / "none", languages=["de", "en"])


def test_the_shared_names_build(shared, tmp_path) -> None:
    folder = shared / "data" / "kb"
    kb = build_from_files(
        tmp_path / "kb",
        languages=["de", "en", "ru", "zh"],
        jsonl=[folder / "natural_earth_labels.jsonl.gz"],
        map_ids=[folder / "freebase_to_wikidata_fb15k.jsonl.gz"],
    )
    number = kb.number_of("Q16")
    assert [kb.label(number, language) for language in kb.languages] == ["Kanada", "Canada", "Канада", "加拿大"]
    assert kb.info()["entities_by_category"] == {"place": len(kb)}
    lines = map(json.loads, gzip.decompress((folder / "natural_earth_labels.jsonl.gz").read_bytes()).splitlines())
    assert len(kb) == sum(len({code[:2] for code in line["labels"]} & set(kb.languages)) >= 2 for line in lines)
