"""The default knowledge base: what it holds, and how it gets into the cache."""

import json
import multiprocessing
import os
from importlib.resources import files
from itertools import islice

import pytest

from tercet.errors import UsageError
from tercet.knowledge import default
from tercet.knowledge.building import NameRecord, build
from tercet.knowledge.linking import KBLinker

FEW = [NameRecord("Q1", "en", "Paris", "place", 3.0), NameRecord("Q1", "de", "Paris", "place", 3.0)]


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(default, "records", lambda _: iter(FEW))


def test_the_data_fit_into_the_package_and_name_their_sources():
    folder = files("tercet.knowledge").joinpath("data")
    assert len(folder.joinpath("default.xz").read_bytes()) <= 6_000_000
    assert all(source["licence"] for source in default.sources())
    assert "CC BY-SA" in folder.joinpath("default-ATTRIBUTION.txt").read_text("utf-8")
    assert {record.id.partition(":")[0] for record in default.records()} == {
        "cldr", "emoji", "geo", "iso", "wn", "cedict", "org",
    }  # fmt: skip


def test_concepts_have_words_in_every_language_and_name_their_sources():
    folder = files("tercet.knowledge").joinpath("data")
    assert len(folder.joinpath("concepts.xz").read_bytes()) <= 6_000_000
    assert all(source["licence"] for source in default.sources("concepts"))
    assert "CC BY-SA" in folder.joinpath("concepts-ATTRIBUTION.txt").read_text("utf-8")
    languages = {record.language for record in default.records("concepts") if record.id.startswith("word:")}
    assert languages == set(default.LANGUAGES)


def test_every_language_has_names():
    languages = {}
    for record in islice(default.records(), None):
        languages[record.language] = languages.get(record.language, 0) + 1
    assert set(languages) == set(default.LANGUAGES)
    assert min(languages.values()) > 2_000


@pytest.fixture(scope="module")
def countries(tmp_path_factory):
    """The part of the default knowledge base that comes from CLDR and our own table."""
    some = (record for record in default.records() if record.id.startswith(("cldr:", "org:")))
    out = tmp_path_factory.mktemp("kb") / "countries"
    return build(some, out, name="countries", languages=default.LANGUAGES, min_languages=1)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("cs", "Rusko a USA"), ("de", "Russland und die USA"), ("en", "Russia and the USA"), ("es", "Rusia y EE. UU."),
        ("fi", "Venäjä ja Yhdysvallat"), ("fr", "la Russie et les États-Unis"), ("gu", "રશિયા અને અમેરિકા"),
        ("kk", "Ресей мен АҚШ"), ("lt", "Rusija ir JAV"), ("ru", "Россия и США"), ("zh", "俄罗斯和美国"),
    ],
)  # fmt: skip
def test_all_languages_name_the_same_countries(countries, language, text):
    mentions = KBLinker(countries).link([text], language)[0]
    assert [m.entities[0] for m in mentions] == ["cldr:territory:RU", "cldr:territory:US"]


def test_it_is_built_once_and_opened_later(tmp_path, few, monkeypatch):
    assert len(default.open_default(tmp_path)) == 1
    monkeypatch.setattr(default, "build", None)
    assert default.open_default(tmp_path).name == "default"
    assert [path.name for path in tmp_path.iterdir()] == [default._place(tmp_path).name]


def test_its_place_is_the_users_data_folder(tmp_path, few, monkeypatch):
    monkeypatch.setenv("TERCET_DATA", str(tmp_path / "data"))
    assert default.resolve("default").path.parent == tmp_path / "data" / "knowledge"
    assert default.resolve(None).path == default.resolve("default").path


def test_a_damaged_copy_is_built_anew(tmp_path, few, caplog):
    place = default.open_default(tmp_path).path
    (place / "manifest.json").write_text("{")
    assert len(default.open_default(tmp_path)) == 1
    assert "It is built again" in caplog.text


def test_a_copy_that_lost_a_file_is_built_anew(tmp_path, few, monkeypatch):
    place = default.open_default(tmp_path).path
    (place / "manifest.json").unlink()
    assert len(default.open_default(tmp_path)) == 1
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(default.tempfile, "gettempdir", lambda: str(tmp_path))
    place = default.open_default(tmp_path / "file" / "cache").path
    (place / "slots.bin").unlink()  # as programs that tidy up temporary files do
    assert len(default.open_default(tmp_path / "file" / "cache")) == 1


def test_a_full_disk_is_no_end_where_the_temporary_folder_has_room(tmp_path, few, monkeypatch):
    monkeypatch.setattr(default.tempfile, "gettempdir", lambda: str(tmp_path))

    def building(records, out, **options):
        if out.is_relative_to(tmp_path / "full"):
            raise UsageError("The knowledge base cannot be written: No space left on device.")
        return build(records, out, **options)

    monkeypatch.setattr(default, "build", building)
    assert default.open_default(tmp_path / "full").path.parent.parent == tmp_path


def _open(folder, ready, results):
    default.records = lambda _: iter(FEW)
    ready.wait()
    results.put(len(default.open_default(folder)))


def test_several_processes_may_come_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, results = context.Barrier(3), context.Queue()
    workers = [context.Process(target=_open, args=(tmp_path, ready, results)) for _ in range(3)]
    for worker in workers:
        worker.start()
    assert [results.get(timeout=60) for _ in workers] == [1, 1, 1]
    for worker in workers:
        worker.join()
    assert [path.name for path in tmp_path.iterdir()] == [default._place(tmp_path).name]


def test_where_the_cache_cannot_be_written_a_temporary_folder_serves(tmp_path, few, monkeypatch, caplog):
    refused, temporary = tmp_path / "file", tmp_path / "tmp"
    refused.write_text("a file where a folder should be")
    temporary.mkdir()
    monkeypatch.setattr(default.tempfile, "gettempdir", lambda: str(temporary))
    assert default.open_default(refused / "cache").path.is_relative_to(temporary)
    assert "Cannot write the default knowledge base to" in caplog.text
    monkeypatch.setattr(default, "build", None)
    assert len(default.open_default(refused / "cache")) == 1  # the second time it is there


def test_nothing_can_be_written_at_all(tmp_path, few, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(default.tempfile, "gettempdir", lambda: str(tmp_path / "file" / "tmp"))
    with pytest.raises(UsageError, match=r"Cannot write the default knowledge base to .*file.* or to .*TERCET_DATA"):
        default.open_default(tmp_path / "file" / "cache")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners of folders are told on POSIX only")
def test_a_temporary_folder_of_somebody_else_is_not_trusted(tmp_path, few, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(default.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(default, "_is_ours", lambda folder: False)
    with pytest.raises(UsageError, match="it belongs to another user"):
        default.open_default(tmp_path / "file" / "cache")


def test_the_payload_is_json_lines():
    import lzma

    first = lzma.decompress(default._payload()).split(b"\n", 1)[0]
    entity, category, weight, names = json.loads(first)
    assert ":" in entity and category and weight > 0 and names
