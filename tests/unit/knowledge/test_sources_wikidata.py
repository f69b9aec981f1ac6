"""Wikidata's dump: names, categories, priors; bad lines are named and skipped, a bad file is refused."""

import bz2
import gzip
import json
import logging
from pathlib import Path

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.knowledge.building import build
from tercet.knowledge.sources import categories, wikidata
from tercet.knowledge.sources.categories import Classes, write_classes


def statement(number: int, rank: str = "normal") -> dict:
    value = {"entity-type": "item", "numeric-id": number, "id": f"Q{number}"}
    return {"mainsnak": {"snaktype": "value", "datavalue": {"value": value}}, "rank": rank}


def entity(number: int, labels: dict, *, aliases=None, instance=(), subclass=(), sites=0) -> dict:
    return {
        "type": "item",
        "id": f"Q{number}",
        "labels": {code: {"language": code, "value": name} for code, name in labels.items()},
        "aliases": {code: [{"language": code, "value": n} for n in names] for code, names in (aliases or {}).items()},
        "claims": {"P31": [statement(n) for n in instance], "P279": [statement(n) for n in subclass]},
        "sitelinks": {f"{i}wiki": {} for i in range(sites)},
    }


ENTITIES = [
    entity(
        64, {"en": "Berlin", "de": "Berlin", "fr": "Berlin"}, aliases={"de": ["Spree-Athen"]}, instance=[1000], sites=9
    ),
    entity(7, {"en": "Somebody", "de-at": "Jemand", "zh-hant": "某人"}, instance=[5], sites=2),
    entity(8, {"mul": "Nobody", "ru": "Никто"}, instance=[5]),
    entity(9, {"en": "Berlin (disambiguation)", "de": "Berlin (Begriffsklärung)"}, instance=[2000]),
    entity(10, {"en": "English only"}, instance=[5]),
    entity(11, {"en": "car", "de": "Auto"}, subclass=[42889]),
    entity(12, {"en": "human", "de": "Mensch"}, subclass=[215627]),
    entity(13, {"en": "thing", "de": "Ding"}),
    entity(1000, {"en": "big city", "de": "Großstadt"}, subclass=[515]),
    entity(2000, {}, subclass=[4167410]),
    {"type": "property", "id": "P31", "labels": {"en": {"value": "instance of"}, "de": {"value": "ist"}}},
    {"type": "item", "id": "Q14", "labels": [], "aliases": [], "claims": [], "sitelinks": []},
]


def dump_of(path: Path, entities=ENTITIES, *, more: tuple[str, ...] = ()) -> Path:
    lines = [*(json.dumps(item) for item in entities), *more]
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)
    path.write_bytes(pack(text.encode()))
    return path


@pytest.mark.parametrize("name", ["dump.json", "dump.json.gz", "dump.json.bz2"])
def test_names_categories_and_priors(tmp_path, name) -> None:
    dump = dump_of(tmp_path / name)
    kb = build([], tmp_path / "kb", name="x", languages=["de", "en", "ru", "zh"], wikidata_dump=dump)
    found = {
        kb.entity_id(n): (kb.category(n), kb.prior(n), *(kb.label(n, code) for code in kb.languages))
        for n in range(len(kb))
    }
    assert found == {
        "Q64": ("place", 10.0, "Berlin", "Berlin", None, None),
        "Q7": ("person", 3.0, "Jemand", "Somebody", None, "某人"),
        "Q8": ("person", 1.0, "Nobody", "Nobody", "Никто", None),
        "Q11": ("product", 1.0, "Auto", "car", None, None),
        "Q12": ("concept", 1.0, "Mensch", "human", None, None),
        "Q13": ("concept", 1.0, "Ding", "thing", None, None),
        "Q1000": ("concept", 1.0, "Großstadt", "big city", None, None),
    }
    assert kb.candidates(int(kb.find([["spree", "athen"]], "de").alias[0]))[1].tolist() == [5.0]
    assert kb.info()["left_out"] == {"bad_lines": 0, "wikimedia_pages": 1}


def test_the_nearest_class_decides_then_the_order_of_the_table(tmp_path) -> None:
    path = tmp_path / "classes.npz"
    # 1 is below person by one step and below place by two; 3 is below work and place by one; 4 and 5 form a ring.
    write_classes(path, np.array([[1, 5], [1, 2], [2, 515], [3, 515], [3, 11424], [4, 5], [5, 4], [6, 7]], np.int64))
    classes = Classes(path)
    assert classes.category([1]) == "person"
    assert classes.category([2]) == "place"
    assert classes.category([3]) == "work"
    assert classes.category([4]) == "person"
    assert classes.category([6]) == classes.category([]) == "concept"
    assert classes.category([2, 4167410]) == categories.LEFT_OUT
    assert classes.category([6, 2]) == "place"


def test_preferred_statements_win_and_deprecated_ones_are_left_out() -> None:
    values = wikidata._values
    assert values([statement(1), statement(2, "preferred"), statement(3, "deprecated")]) == [2]
    assert values([statement(1), statement(3, "deprecated")]) == [1]
    assert values([{"mainsnak": {"snaktype": "somevalue"}, "rank": "normal"}]) == []


BAD = (
    '{"type": "item", "id": "Q1", "labels": {',
    "3",
    '{"labels": {}}',
    '{"type": "item", "id": "Q2", "labels": {"en": "no object"}}',
    '{"type": "item", "id": "Q3", "labels": {"en": {"value": 5}, "de": {"value": "x"}}}',
    "[" * 100_000,
    '{"type": "item", "id": "Qx", "claims": {}}',
    '{"type": "item", "id": "Q4", "claims": {"P279": [{"mainsnak": {"snaktype": "value", "datavalue": {"value": '
    '{"numeric-id": 99999999999999999999}}}}]}}',
)


def test_bad_lines_are_counted_named_and_skipped(tmp_path, caplog) -> None:
    dump = dump_of(tmp_path / "dump.json.gz", more=BAD)
    with caplog.at_level(logging.WARNING):
        kb = build([], tmp_path / "kb", name="x", languages=["de", "en"], wikidata_dump=dump)
    assert kb.info()["left_out"]["bad_lines"] == len(BAD)
    assert kb.number_of("Q64") is not None
    (message,) = caplog.messages
    assert message.startswith(
        f"{dump}: 8 bad lines were skipped: line 14 (not JSON), line 15 (not an entity), line 16 (not an ent"
    )
    assert message.endswith("line 17 (not an entity's structure), line 18 (a name that is not a text) and 3 more.")


def refused(dump: Path, message: str, **options) -> None:
    with pytest.raises(DataError, match=message):
        build([], dump.parent / "kb", name="x", languages=["de", "en"], wikidata_dump=dump, **options)
    assert [path.name for path in dump.parent.iterdir()] == [dump.name]


@pytest.mark.parametrize("name", ["dump.json.gz", "dump.json.bz2"])
def test_a_dump_that_is_cut_short_is_refused(tmp_path, name) -> None:
    dump = dump_of(tmp_path / name)
    dump.write_bytes(dump.read_bytes()[:-20])
    refused(dump, f"{name} is damaged or truncated at byte .* Download it again")


@pytest.mark.parametrize("name", ["dump.json.gz", "dump.json.bz2"])
def test_a_corrupt_dump_is_refused(tmp_path, name) -> None:
    dump = dump_of(tmp_path / name, [entity(n, {"en": f"x{n}", "de": f"y{n}"}) for n in range(500)])
    packed = bytearray(dump.read_bytes())
    packed[len(packed) // 2 : len(packed) // 2 + 40] = b"\xff" * 40
    dump.write_bytes(packed)
    refused(dump, f"{name} is damaged or truncated at byte")


def test_an_unpacked_dump_without_its_end_is_refused(tmp_path) -> None:
    dump = tmp_path / "dump.json"
    dump.write_text("[\n" + ",\n".join(json.dumps(item) for item in ENTITIES) + ",\n")
    refused(dump, "is truncated: it begins with '\\[', but its last line, .*, does not end with '\\]'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is not a Wikidata dump: no line of its first 32 MB is an entity"),
        ("hello\nworld\n", "is not a Wikidata dump: .*line 1 \\(not JSON\\)"),
        ("[\n]\n", "is not a Wikidata dump"),
    ],
)
def test_what_is_no_dump_is_refused(tmp_path, text, message) -> None:
    dump = tmp_path / "dump.json"
    dump.write_text(text)
    refused(dump, message)


def test_a_folder_is_no_dump(tmp_path) -> None:
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        build([], tmp_path / "kb", name="x", languages=["de", "en"], wikidata_dump=tmp_path)
