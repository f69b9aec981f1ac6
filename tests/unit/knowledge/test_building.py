"""Building: sources merge, memory and jobs do not matter, nothing half-written is left."""

import errno
import json
import logging
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from benchmarks.knowledge import LANGUAGES, make_dump

from tercet.errors import DataError, UsageError
from tercet.knowledge import building, merging, spill
from tercet.knowledge.building import NameRecord, build
from tercet.knowledge.sources import wikidata
from tercet.knowledge.store import KnowledgeBase

PAIR = [NameRecord("a", "en", "Apple", "species", 2), NameRecord("a", "de", "Apfel", "", 3)]


def everything(kb: KnowledgeBase) -> dict[str, tuple]:
    return {
        kb.entity_id(n): (kb.category(n), kb.prior(n), *(kb.label(n, language) for language in kb.languages))
        for n in range(len(kb))
    }


def test_records_of_one_entity_merge(tmp_path) -> None:
    more = [
        NameRecord("a", "en", "apple", "fruit", 9),
        NameRecord("b", "en", "alone"),
        NameRecord("a", "fr", "pomme"),
    ]
    kb = build([*PAIR, *more], tmp_path / "kb", name="x", languages=["en", "de"])
    assert everything(kb) == {"a": ("species", 9.0, "apple", "Apfel")}
    alias = int(kb.find([["apple"]], "en").alias[0])
    assert kb.candidates(alias)[1].tolist() == [9.0]
    assert kb.flags(alias).tolist() == [7]  # with a capital, without one, in this form
    assert kb.info()["left_out"] == {"in_too_few_languages": 1}


def test_ids_are_replaced_by_those_that_stand_for_them(tmp_path) -> None:
    records = [NameRecord("/m/1", "en", "Apple"), NameRecord("Q1", "de", "Apfel")]
    kb = build(records, tmp_path / "kb", name="x", languages=["en", "de"], ids={"/m/1": "Q1"})
    assert list(everything(kb)) == ["Q1"]


def test_names_without_form_or_with_too_many_tokens_are_left_out(tmp_path) -> None:
    odd = [
        NameRecord("a", "en", "..."),
        NameRecord("a", "en", "x " * 20),
        NameRecord("a", "en", "half \ud800"),
    ]
    kb = build([*PAIR, *odd], tmp_path / "kb", name="x", languages=["en", "de"])
    assert kb.info()["left_out"] == {"names_without_use": 3}
    assert kb.info()["aliases"] == {"en": 1, "de": 1}
    with pytest.raises(DataError, match="No entity has names in 2 of the languages en de"):
        build(odd, tmp_path / "none", name="x", languages=["en", "de"])
    assert [path.name for path in tmp_path.iterdir()] == ["kb"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (NameRecord("", "en", "x"), "needs an id, a name"),
        (NameRecord("a", "en", ""), "needs an id, a name"),
        (NameRecord("a", "en", "x", "", float("nan")), "a weight of 0 or more"),
        (NameRecord("a", "en", "x", "", -1.0), "a weight of 0 or more"),
        (NameRecord("\ud800", "en", "x"), "half a surrogate pair"),
        (NameRecord("a", "en", "x", "\ud800"), "half a surrogate pair"),
    ],
)
def test_a_record_that_cannot_be_entered_is_refused(tmp_path, record, message) -> None:
    with pytest.raises(DataError, match=message):
        build([record], tmp_path / "kb", name="x", languages=["en", "de"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"languages": []}, "No language is chosen"),
        ({"languages": ["en", "xx"]}, "Tercet does not know the language 'xx'"),
        ({"languages": ["en"]}, "min_languages is 2, but the number of languages is 1"),
        ({"languages": ["en", "de"], "max_tokens": 0}, "max_tokens must be 1 or more"),
        ({"languages": ["en", "de"], "wikidata_dump": "nowhere.gz"}, "There is no file nowhere.gz"),
    ],
)
def test_what_cannot_be_built_is_said_before_anything_is_written(tmp_path, options, message) -> None:
    with pytest.raises(UsageError, match=message):
        build(PAIR, tmp_path / "kb", name="x", **options)
    assert not list(tmp_path.iterdir())


def test_an_existing_place_is_replaced_only_when_asked_and_only_if_it_is_a_knowledge_base(tmp_path) -> None:
    kb = build(PAIR, tmp_path / "kb", name="x", languages=["en", "de"])
    with pytest.raises(UsageError, match="exists already"):
        build(PAIR, tmp_path / "kb", name="x", languages=["en", "de"])
    again = build(PAIR, tmp_path / "kb", name="y", languages=["en", "de"], replace=True)
    assert (again.name, again.checksum) == ("y", kb.checksum)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(UsageError, match="is not a knowledge base and was not replaced"):
        build(PAIR, tmp_path / "mine", name="y", languages=["en", "de"], replace=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kb", "mine"]
    for out in (".", ".."):
        with pytest.raises(UsageError, match=r"is not the name of a folder to write"):
            build(PAIR, out, name="y", languages=["en", "de"], replace=True)


def test_a_language_without_names_is_warned_about(tmp_path, caplog) -> None:
    with caplog.at_level(logging.WARNING):
        build(PAIR, tmp_path / "kb", name="x", languages=["en", "de", "fi"])
    assert caplog.messages == ["x: no source has a name in fi."]


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("module", "name"),
    [(spill, "write_sections"), (merging, "write_sections"), (merging.Arrays, "add"), (building, "checksum")],
)
def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch, module, name) -> None:
    monkeypatch.setattr(module, name, full_disk)
    message = "Cannot write the knowledge base .*kb: No space left on device. Nothing was written"
    with pytest.raises(UsageError, match=message):
        build(PAIR, tmp_path / "kb", name="x", languages=["en", "de"])
    assert not list(tmp_path.iterdir())


def test_a_full_disk_while_replacing_leaves_the_old_one(tmp_path, monkeypatch) -> None:
    old = build(PAIR, tmp_path / "kb", name="x", languages=["en", "de"])
    monkeypatch.setattr(merging.Arrays, "add", full_disk)
    with pytest.raises(UsageError, match="No space left"):
        build(PAIR, tmp_path / "kb", name="y", languages=["en", "de"], replace=True)
    KnowledgeBase.open(old.path).verify()
    assert [path.name for path in tmp_path.iterdir()] == ["kb"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="Cannot write the knowledge base"):
        build(PAIR, tmp_path / "file" / "kb", name="x", languages=["en", "de"])


@pytest.fixture(scope="module")
def dump(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("dump") / "dump.json.gz"
    make_dump(path, 3000)
    return path


def test_a_dump_of_3000_entities_is_the_same_whatever_the_jobs_chunks_and_buckets(tmp_path, dump, monkeypatch) -> None:
    kb = build([], tmp_path / "one", name="x", languages=LANGUAGES, wikidata_dump=dump)
    info = kb.info()
    assert info["entities"] > 1500
    assert info["left_out"]["wikimedia_pages"] > 50
    assert {"person", "place", "organisation", "work", "species", "product"} <= set(info["entities_by_category"])
    assert "left out" not in info["entities_by_category"]
    with ProcessPoolExecutor(2, get_context("forkserver")) as pool:
        two = build([], tmp_path / "two", name="x", languages=LANGUAGES, wikidata_dump=dump, executor=pool)
    assert two.checksum == kb.checksum
    monkeypatch.setattr(wikidata, "CHUNK", 1 << 20)
    small = build([], tmp_path / "small", name="x", languages=LANGUAGES, wikidata_dump=dump)
    assert small.checksum == kb.checksum
    monkeypatch.setattr(building, "_DUMP_BYTES_PER_BUCKET", 1 << 17)
    many = build([], tmp_path / "many", name="x", languages=LANGUAGES, wikidata_dump=dump)
    assert everything(many) == everything(kb)
    assert many.info()["aliases"] == info["aliases"]
    assert not list(tmp_path.glob(".*"))


def test_a_build_that_stopped_goes_on_where_it_stopped(tmp_path, dump, monkeypatch) -> None:
    monkeypatch.setattr(wikidata, "CHUNK", 1 << 20)
    whole = build([], tmp_path / "whole", name="x", languages=LANGUAGES, wikidata_dump=dump)
    parse, calls = wikidata.parse_chunk, []

    def stopping(*task):
        calls.append(task)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return parse(*task)

    monkeypatch.setattr(wikidata, "parse_chunk", stopping)
    with pytest.raises(KeyboardInterrupt):
        build([], tmp_path / "kb", name="x", languages=LANGUAGES, wikidata_dump=dump)
    assert not (tmp_path / "kb").exists()
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / ".kb.building").glob("wikidata-*")}
    assert len(made) == 7
    next(iter(made)).write_bytes(b"damaged")
    kb = build([], tmp_path / "kb", name="x", languages=LANGUAGES, wikidata_dump=dump)
    assert kb.checksum == whole.checksum
    assert len(calls) - 8 == sum(1 for _ in wikidata.chunks(dump)) - 6  # six whole files were there
    assert not list(tmp_path.glob(".*"))


def test_an_error_with_several_jobs_leaves_nothing(tmp_path, dump, monkeypatch) -> None:
    cut = tmp_path / "cut.json.gz"
    cut.write_bytes(dump.read_bytes()[:-5000])
    monkeypatch.setattr(wikidata, "CHUNK", 1 << 20)
    with (
        ProcessPoolExecutor(2, get_context("forkserver")) as pool,
        pytest.raises(DataError, match="damaged or truncated"),
    ):
        build([], tmp_path / "kb", name="x", languages=LANGUAGES, wikidata_dump=cut, executor=pool)
    assert [path.name for path in tmp_path.iterdir()] == ["cut.json.gz"]


KILLED = """
import signal, sys
from tercet.knowledge.building import build
from tercet.knowledge.sources import wikidata
wikidata.CHUNK = 1 << 19
parse, parsed = wikidata.parse_chunk, []
def parse_some(*task):
    if len(parsed) == 4:
        signal.pause()  # until somebody kills it
    parsed.append(task)
    return parse(*task)
wikidata.parse_chunk = parse_some
build([], sys.argv[2], name="x", languages=["en", "de", "ru"], wikidata_dump=sys.argv[1])
"""


def test_a_killed_process_loses_only_what_was_under_way(tmp_path, dump, monkeypatch) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(dump), str(tmp_path / "kb")])
    work = tmp_path / ".kb.building"
    while len(list(work.glob("wikidata-*"))) < 4 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = len(list(work.glob("wikidata-*")))
    monkeypatch.setattr(wikidata, "CHUNK", 1 << 19)
    parse, calls = wikidata.parse_chunk, []
    monkeypatch.setattr(wikidata, "parse_chunk", lambda *task: calls.append(task) or parse(*task))
    kb = build([], tmp_path / "kb", name="x", languages=["en", "de", "ru"], wikidata_dump=dump)
    assert kept == 4
    assert len(calls) == sum(1 for _ in wikidata.chunks(dump)) - kept
    assert kb.info()["left_out"]["bad_lines"] == 0
    fresh = build([], tmp_path / "fresh", name="x", languages=["en", "de", "ru"], wikidata_dump=dump)
    assert kb.checksum == fresh.checksum


def test_what_another_build_left_is_not_used(tmp_path, dump, caplog) -> None:
    work = tmp_path / ".kb.building"
    work.mkdir()
    (work / "job.json").write_text(json.dumps({"other": True}))
    (work / "wikidata-000000").write_bytes(b"other")
    kb = build([], tmp_path / "kb", name="x", languages=["en", "de"], wikidata_dump=dump)
    assert any("which was left from another build" in message for message in caplog.messages)
    assert kb.info()["entities"] > 500


def test_a_full_disk_keeps_what_was_read_of_a_dump(tmp_path, dump, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(merging.Arrays, "add", full_disk)
        with pytest.raises(UsageError, match="is kept: give the same command again to resume"):
            build([], tmp_path / "kb", name="x", languages=["en", "de"], wikidata_dump=dump)
    assert not (tmp_path / "kb").exists()
    monkeypatch.setattr(wikidata, "parse_chunk", None)
    assert len(build([], tmp_path / "kb", name="x", languages=["en", "de"], wikidata_dump=dump)) > 500


def test_other_sources_join_wikidatas_entities(tmp_path, dump) -> None:
    plain = build([], tmp_path / "plain", name="x", languages=["en", "de"], wikidata_dump=dump)
    some = plain.entity_id(0)
    record = NameRecord(some, "de", "Ganzanderer", "ignored", 1000)
    kb = build([record], tmp_path / "kb", name="x", languages=["en", "de"], wikidata_dump=dump)
    number = kb.number_of(some)
    assert (kb.label(number, "de"), kb.prior(number)) == ("Ganzanderer", 1000.0)
    assert kb.category(number) == plain.category(0)


def test_two_builds_of_one_place_do_not_disturb_each_other(tmp_path) -> None:
    records = [NameRecord("Q64", language, "Berlin", "place", 1) for language in ("de", "en")]
    refused = []

    def report(step: str) -> None:
        if not refused:
            with pytest.raises(UsageError, match=r"^Another process is using .*kb\.building\. Wait until it is done"):
                build(records, tmp_path / "kb", name="other", languages=["de", "en"])
            refused.append(step)

    kb = build(records, tmp_path / "kb", name="first", languages=["de", "en"], progress=report)
    assert refused and kb.name == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["kb"]
