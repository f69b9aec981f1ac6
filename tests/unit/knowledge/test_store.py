"""The knowledge base on disk: what is put in comes out, and what is damaged is refused."""

import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from tercet.errors import DataError, UnknownName, UsageError
from tercet.knowledge import store, verification
from tercet.knowledge.building import NameRecord, build
from tercet.knowledge.store import ARRAYS, CAPITALISED, LOWERCASE, OWN_FORM, KnowledgeBase

RECORDS = [
    NameRecord("Q64", "de", "Berlin", "place", 100),
    NameRecord("Q64", "en", "Berlin", "place", 100),
    NameRecord("Q64", "ru", "Берлин", "place", 100),
    NameRecord("Q60", "en", "New York City", "place", 200),
    NameRecord("Q60", "en", "New York", "place", 100),
    NameRecord("Q60", "de", "New York", "place", 200),
    NameRecord("Q1384", "en", "New York", "place", 150),
    NameRecord("Q1384", "de", "New York", "place", 150),
    NameRecord("Q144", "en", "dog", "species", 50),
    NameRecord("Q144", "de", "Hund", "species", 50),
    NameRecord("Q148", "zh", "中国", "place", 300),
    NameRecord("Q148", "en", "China", "place", 300),
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("kb") / "small"
    return build(RECORDS, folder, name="small", languages=["de", "en", "ru", "zh"])


def found(kb, forms, language):
    hits = kb.find(forms, language)
    rows = zip(hits.sentence.tolist(), hits.first.tolist(), hits.last.tolist(), hits.alias.tolist(), strict=True)
    return [(s, f, l, kb.alias(a), [kb.entity_id(e) for e in kb.candidates(a)[0]]) for s, f, l, a in rows]


def test_all_names_are_found_with_their_candidates_the_weightiest_first(kb) -> None:
    forms = [["i", "saw", "new", "york", "city"], [], ["berlin"], ["york"]]
    assert found(kb, forms, "en") == [
        (0, 2, 3, ("new", "york"), ["Q1384", "Q60"]),
        (0, 2, 4, ("new", "york", "city"), ["Q60"]),
        (2, 0, 0, ("berlin",), ["Q64"]),
    ]
    assert found(kb, [list("我爱中国")], "zh") == [(0, 2, 3, ("中", "国"), ["Q148"])]


def test_a_name_is_found_in_its_own_language_alone(kb) -> None:
    assert found(kb, [["hund", "dog"]], "de") == [(0, 0, 0, ("hund",), ["Q144"])]
    assert found(kb, [["hund", "dog"]], "ru") == []


def test_entities_tell_what_is_known_of_them(kb) -> None:
    number = kb.number_of("Q60")
    assert (kb.entity_id(number), kb.category(number), kb.prior(number)) == ("Q60", "place", 200.0)
    assert (kb.label(number, "en"), kb.label(number, "de"), kb.label(number, "zh")) == (
        "New York City",
        "New York",
        None,
    )
    assert {kb.entity_id(n) for n in np.flatnonzero(kb.named_in("de"))} == {"Q64", "Q60", "Q1384", "Q144"}
    assert all(kb.number_of(kb.entity_id(n)) == n for n in range(len(kb)))
    assert kb.number_of("Q6") is None
    assert kb.number_of("") is None


def test_flags_tell_how_the_source_writes_a_name(kb) -> None:
    dog, berlin = (int(kb.find([[form]], "en").alias[0]) for form in ("dog", "berlin"))
    assert kb.flags(dog).tolist() == [LOWERCASE | OWN_FORM]
    assert kb.flags(berlin).tolist() == [CAPITALISED | OWN_FORM]


def test_info_counts_what_is_there(kb) -> None:
    info = kb.info()
    assert info["entities"] == len(kb) == 5
    assert info["entities_by_category"] == {"place": 4, "species": 1}
    assert info["aliases"] == {"de": 3, "en": 5, "ru": 1, "zh": 1}
    assert info["candidates"] == 12
    kb.verify()


def names_in_process(kb) -> int:
    return len(kb.find([["berlin"]], "de"))


def test_it_travels_to_other_processes_by_its_path(kb) -> None:
    assert len(pickle.dumps(kb)) < 500
    with ProcessPoolExecutor(1, get_context("forkserver")) as pool:
        assert pool.submit(names_in_process, kb).result() == 1


def test_opening_it_maps_the_arrays_and_reads_none(kb) -> None:
    filled = [array for array in KnowledgeBase.open(kb.path)._arrays.values() if len(array)]
    assert filled and all(isinstance(array.base, np.memmap) for array in filled)


def test_an_unknown_language_is_named(kb) -> None:
    with pytest.raises(
        UnknownName, match="no language in the knowledge base 'small' called 'fr'. Known: de, en, ru, zh"
    ):
        kb.find([["a"]], "fr")


def test_a_token_with_the_separator_is_refused(kb) -> None:
    with pytest.raises(DataError, match="control character"):
        kb.find([["new\x1fyork"]], "en")


def test_odd_tokens_are_no_problem(kb) -> None:
    assert len(kb.find([["", "\ud800", "berlin", ""], [""]], "en")) == 1
    assert len(kb.find([], "en")) == 0


@pytest.fixture
def copy(kb, tmp_path) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    for path in kb.path.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_another_format_version_is_refused(copy) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "format": 99, "tercet": "9.9"}))
    with pytest.raises(
        DataError, match=r"has format version 99; this version of Tercet reads 1\. Build it again.*9\.9"
    ):
        KnowledgeBase.open(copy)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"format": 1}', '{"format": 1, "name": "x", "arrays": 3}'])
def test_a_damaged_manifest_is_refused(copy, text) -> None:
    (copy / "manifest.json").write_text(text)
    with pytest.raises(DataError, match="manifest.json"):
        KnowledgeBase.open(copy)


@pytest.mark.parametrize(
    "changed",
    [
        {"languages": None}, {"languages": ["en", "de", "xx"]}, {"tables": {}}, {"entities": None},
        {"slots": 3}, {"first_slot": 1 << 40}, {"aliases": 1 << 40}, {"longest": None}, {"first_alias": -1},
    ],
)  # fmt: skip
def test_a_manifest_that_does_not_fit_the_files_is_refused(copy, changed) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    for key, value in changed.items():
        (manifest if key in manifest and key != "aliases" else manifest["tables"]["en"])[key] = value
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=r"manifest.json is damaged: \w+ is missing or wrong"):
        KnowledgeBase.open(copy)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_file_that_is_cut_short_or_absent_is_named(copy, name) -> None:
    path = copy / f"{name}.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match=f"{name}.bin is damaged"):
        KnowledgeBase.open(copy)
    path.unlink()
    with pytest.raises(DataError, match=f"{name}.bin cannot be read"):
        KnowledgeBase.open(copy)


def test_a_changed_byte_is_seen_when_it_is_opened(copy) -> None:
    opened = KnowledgeBase.open(copy)
    path = copy / "alias_text.bin"
    path.write_bytes(b"x" + path.read_bytes()[1:])
    with pytest.raises(DataError, match="is damaged: its files have checksum"):
        KnowledgeBase.open(copy)
    with pytest.raises(DataError, match="is damaged: its files have checksum"):
        opened.verify()


def test_files_that_did_not_change_are_read_once(copy, monkeypatch) -> None:
    KnowledgeBase.open(copy)
    monkeypatch.setattr(verification, "checksum", None)
    KnowledgeBase.open(copy)
    (copy / "verified.json").write_text("[")
    with pytest.raises(TypeError):  # read again
        KnowledgeBase.open(copy)


def test_a_folder_that_cannot_be_written_to_is_opened(copy, monkeypatch) -> None:
    monkeypatch.setattr(verification, "STAMP", "no/such/folder")
    assert len(KnowledgeBase.open(copy)) == 5


def forge(folder: Path, name: str, values: np.ndarray) -> None:
    """Replace an array, with a checksum and a stamp that say that all is well."""
    (folder / f"{name}.bin").write_bytes(values.tobytes())
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["checksum"] = verification.checksum(folder, ARRAYS)
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("alias_start", lambda a: a * 1000),
        ("candidate_start", lambda a: a[::-1]),
        ("candidate_entity", lambda a: a + 100),
        ("category", lambda a: a + 100),
        ("prior", lambda a: a * np.float32(np.nan)),
    ],
)
def test_numbers_out_of_bounds_are_refused_also_with_a_right_checksum(copy, name, change) -> None:
    array = np.fromfile(copy / f"{name}.bin", ARRAYS[name])
    forge(copy, name, change(array).astype(ARRAYS[name]))
    with pytest.raises(DataError, match=rf"is damaged: {name}\.bin has numbers that cannot be right"):
        KnowledgeBase.open(copy)


@pytest.mark.parametrize("seed", range(40))
def test_random_bytes_are_an_error_and_no_crash_even_if_nothing_is_verified(copy, seed, monkeypatch) -> None:
    monkeypatch.setattr(store, "verify_once", lambda *_: None)
    rng = np.random.default_rng(seed)
    name = list(ARRAYS)[seed % len(ARRAYS)]
    path = copy / f"{name}.bin"
    if name == "slots" or seed % 2:
        path.write_bytes(rng.bytes(path.stat().st_size))
    else:
        path.write_bytes(b"\xff" * path.stat().st_size)
    opened = KnowledgeBase.open(copy)
    try:
        for language in opened.languages:
            hits = opened.find([["new", "york", "city"], ["berlin"], ["dog"]], language)
            for alias in hits.alias.tolist():
                opened.alias(alias), opened.flags(alias)
                for entity in opened.candidates(alias)[0].tolist():
                    opened.entity_id(entity), opened.category(entity), opened.label(entity, language)
        opened.number_of("Q60")
    except DataError as error:
        assert "damaged" in str(error)


def test_what_is_no_knowledge_base_is_said(tmp_path) -> None:
    with pytest.raises(UsageError, match="There is no knowledge base"):
        KnowledgeBase.open(tmp_path / "none")
    with pytest.raises(UsageError, match="is not a knowledge base: it has no manifest.json"):
        KnowledgeBase.open(tmp_path)
