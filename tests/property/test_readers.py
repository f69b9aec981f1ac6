"""Readers give a test set or a TercetError, whatever the bytes; what is written comes back equal."""

import gzip
import json
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.data import TestSet
from tercet.data.archives import extract
from tercet.data.evalset import read_evalset, read_score_file, write_evalset
from tercet.data.jsonl import KEYS, read_items, read_jsonl, write_jsonl
from tercet.data.layouts import open_testset, pairs
from tercet.data.sgm import read_sgm, write_sgm
from tercet.data.tsv import read_pair, read_tsv, write_pair, write_tsv
from tercet.data.wmtscores import FORMS, ScoreRecord, read_wmt_scores
from tercet.data.wmtxml import read_wmtxml, write_wmtxml
from tercet.errors import DataError, TercetError

# Every character that some format treats in its own way, and any other.
SPECIAL = "\t\n\r\0\x01\x0b\x85\u2028\ufeff\ufffe&<>\"'\\ 中🙂"
texts = st.text(st.one_of(st.sampled_from(SPECIAL), st.characters()), max_size=8)
plain = st.text(
    st.one_of(st.sampled_from("&<>\"' \u2028\x85中🙂"), st.characters(exclude_categories=["C", "Z"])), max_size=8
)
names = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x24F, exclude_categories=["C", "Z"]), min_size=1, max_size=6
)


def write_records(records: list[ScoreRecord], path: Path, form: str) -> None:
    rows = ["\t".join(str(record._asdict()[name]) for name in FORMS[form]) for record in records]
    with (gzip.open if path.suffix == ".gz" else open)(path, "wt", encoding="utf-8", newline="") as stream:
        stream.write("".join(f"{row}\n" for row in rows))


def write_blocks(path: Path, scores: dict[str, list[float]]) -> None:
    lines = [f"{system}\t{'None' if math.isnan(v) else repr(v)}\n" for system, each in scores.items() for v in each]
    path.write_text("".join(lines), "utf-8", newline="")


@st.composite
def some_testsets(
    draw: st.DrawFn, text: st.SearchStrategy[str] = texts, name: st.SearchStrategy[str] = names
) -> TestSet:
    size = draw(st.integers(1, 4))
    lines = st.lists(text, min_size=size, max_size=size)
    references: dict[str, list[str | None]] = dict(draw(st.dictionaries(name, lines, max_size=2)))
    if references and draw(st.booleans()):
        references["gaps"] = draw(st.lists(st.one_of(st.none(), text), min_size=size, max_size=size))
    documents = None
    if draw(st.booleans()):
        cuts = sorted(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
        documents = [f"{draw(name) if i == 0 else 'd'}{cut}" for i, cut in enumerate(cuts)]
    return TestSet(
        outputs=draw(st.dictionaries(name, lines, min_size=1, max_size=3)),
        references=references,
        source=draw(st.one_of(st.none(), lines)),
        documents=documents,
        labels=draw(st.dictionaries(st.sampled_from(["domain", "origlang", "seg", "topic"]), lines, max_size=2)),
        pair=draw(st.sampled_from([None, "ru-en", "zh-en"])),
    )


WRITERS: dict[str, tuple[Callable[[TestSet, Path], Any], Callable[[Path, TestSet], TestSet]]] = {
    "jsonl": (lambda t, d: write_jsonl(t, d / "x.jsonl"), lambda d, t: read_jsonl(d / "x.jsonl")),
    "jsonl.gz": (lambda t, d: write_jsonl(t, d / "x.jsonl.gz"), lambda d, t: read_jsonl(d / "x.jsonl.gz")),
    "tsv": (lambda t, d: write_tsv(t, d / "x.tsv"), lambda d, t: read_tsv(d / "x.tsv", pair=t.pair)),
    "pair": (lambda t, d: write_pair(t, d), lambda d, t: read_pair(d, str(t.pair))),
    "sgm": (lambda t, d: write_sgm(t, d), lambda d, t: read_sgm(sorted(d.iterdir()))),
    "xml": (lambda t, d: write_wmtxml(t, d / "x.xml"), lambda d, t: read_wmtxml(d / "x.xml")),
    "evalset": (lambda t, d: write_evalset(t, d), lambda d, t: read_evalset(d, str(t.pair))),
}


def expected_from(form: str, testset: TestSet) -> TestSet:
    """What a format adds: numbers of segments, one document for texts without any."""
    labels = dict(testset.labels)
    if form == "pair":
        labels.setdefault("seg", [str(i) for i in range(1, len(testset) + 1)])
    elif form in ("sgm", "xml", "evalset"):
        labels.pop("seg", None)  # 1, 2, 3, …: other numbers are refused
    documents = testset.documents
    if form in ("sgm", "xml") and documents is None:
        documents = [testset.name] * len(testset)
    return replace(testset, labels=labels, documents=documents)


def every_text(testset: TestSet) -> Iterator[str]:
    for name, lines in testset._all_texts():
        yield name
        yield from (line for line in lines if line is not None)


def is_half_a_character(text: str) -> bool:
    return any(0xD800 <= ord(character) <= 0xDFFF for character in text)


@pytest.mark.parametrize("form", WRITERS)
@given(testset=st.one_of(some_testsets(), some_testsets(plain)))
@settings(max_examples=120)
def test_what_is_written_comes_back_equal_or_was_refused(form: str, testset: TestSet) -> None:
    write, read = WRITERS[form]
    with TemporaryDirectory() as folder:
        try:
            write(testset, Path(folder))
        except TercetError:
            # JSONL holds every text; only half a character is too little for it.
            if form.startswith("jsonl") and not any(map(is_half_a_character, every_text(testset))):
                raise
            return
        assert replace(read(Path(folder), testset), name="unnamed") == expected_from(form, testset)


SIMPLE = TestSet(
    {"a": ["one", "two 中"], "b": ["eins", 'zwei "q"']},
    {"A": ["x", "y"], "B": ["x & z", "<y>"]},
    ["s", "t"],
    ["d1", "d2"],
    {"domain": ["news", "chat"]},
    pair="ru-en",
)


@pytest.mark.parametrize("form", WRITERS)
def test_every_format_can_hold_an_ordinary_test_set(form: str, tmp_path: Path) -> None:
    write, read = WRITERS[form]
    write(SIMPLE, tmp_path)
    assert replace(read(tmp_path, SIMPLE), name="unnamed") == expected_from(form, SIMPLE)


FILES = {
    "x.jsonl": read_jsonl,
    "x.tsv": read_tsv,
    "x.sgm": read_sgm,
    "x.xml": read_wmtxml,
    "x.seg.score": read_wmt_scores,
    "x.sys.score": read_score_file,
}


def valid_files() -> dict[str, bytes]:
    """A valid file of every kind."""
    found = {}
    with TemporaryDirectory() as folder:
        place = Path(folder)
        write_jsonl(SIMPLE, place / "x.jsonl", scores={"bleu": {"a": [1.5, math.nan]}})
        write_tsv(SIMPLE, place / "x.tsv")
        write_wmtxml(SIMPLE, place / "x.xml")
        parts = write_sgm(SIMPLE, place)
        (place / "x.sgm").write_bytes(b"".join(part.read_bytes() for part in parts))
        record = ScoreRecord("M", "ru-en", "t", "s.0", 3, 0.5, ensemble="no", available="yes")
        write_records([record], place / "x.seg.score", "wmt19-seg")
        write_blocks(place / "x.sys.score", {"a": [0.5, math.nan], "b": [1.0, 2.0]})
        for name in FILES:
            found[name] = (place / name).read_bytes()
    return found


VALID = valid_files()


def read_bytes(name: str, content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        with suppress(TercetError):  # any other error ends the test
            FILES[name](path)


@pytest.mark.parametrize("name", FILES)
def test_the_valid_files_of_the_fuzz_test_are_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(VALID[name])
    assert FILES[name](path)


@pytest.mark.parametrize("name", FILES)
@given(content=st.one_of(st.binary(max_size=60), texts.map(lambda text: text.encode("utf-8", "replace"))))
@settings(max_examples=80)
def test_random_bytes_give_a_clear_error_or_data(name: str, content: bytes) -> None:
    read_bytes(name, content)


DAMAGE = [b"<seg>", b"</doc>", b'"', b"\t", b"\n", b"&x;", b"&#0;", b"null", b"{", b"9" * 30, b"\\ud800", b"\xff\xfe"]


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(max_examples=200)
def test_damaged_files_give_a_clear_error_or_data(name: str, data: st.DataObject) -> None:
    content = bytearray(VALID[name])
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        length = data.draw(st.integers(0, 12))
        content[start : start + length] = data.draw(st.one_of(st.binary(max_size=6), st.sampled_from(DAMAGE)))
    read_bytes(name, bytes(content))


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["a", "b", ""]), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(st.lists(st.dictionaries(st.sampled_from([*sorted(KEYS), "other"]), JSON), max_size=3))
@settings(max_examples=200)
def test_any_json_in_any_place_gives_a_clear_error_or_data(items: list[dict[str, Any]]) -> None:
    lines = [json.dumps(item) for item in items]
    read_bytes("x.jsonl", "\n".join(lines).encode("utf-8", "surrogatepass"))


@given(st.dictionaries(names, st.lists(st.one_of(st.floats(allow_infinity=False)), min_size=2, max_size=2), min_size=1))
def test_scores_come_back_bit_by_bit(scores: dict[str, list[float]]) -> None:
    testset = TestSet({system: ["x", "y"] for system in scores})
    with TemporaryDirectory() as folder:
        write_jsonl(testset, Path(folder) / "x.jsonl", scores={"m": scores})
        found = read_items(Path(folder) / "x.jsonl")[1]["m"]
        write_blocks(Path(folder) / "x.score", scores)
        blocks = read_score_file(Path(folder) / "x.score")
    for read in (found, blocks):
        assert repr({system: list(values) for system, values in read.items()}) == repr(
            {system: [abs(v) if math.isnan(v) else v for v in values] for system, values in scores.items()}
        )


fields = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=5)


@pytest.mark.parametrize("form", ["wmt19-sys", "wmt19-seg", "wmt23-sys", "wmt23-seg"])
@given(data=st.data())
def test_wmt_scores_come_back_equal(form: str, data: st.DataObject) -> None:
    further = ("reference", "domain", "document", "ensemble", "available")
    optional = {name: fields if name in FORMS[form] else st.none() for name in further}
    one = st.builds(
        ScoreRecord,
        metric=fields,
        pair=st.sampled_from(["ru-en", "en-zh"]),
        testset=fields,
        system=fields.map(lambda name: f"s{name}"),  # names of digits are taken for numbers of segments
        segment=st.integers(1, 99) if form.endswith("seg") else st.none(),
        score=st.floats(allow_nan=False, allow_infinity=False),
        **optional,
    )
    records = data.draw(st.lists(one, min_size=1, max_size=3, unique_by=lambda record: record[:5] + record[6:9]))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.score.gz"
        write_records(records, path, form)
        try:
            assert read_wmt_scores(path) == records
        except DataError as error:
            assert "fits several forms" in str(error)


@given(st.one_of(st.binary(max_size=80), st.binary(max_size=80).map(lambda b: b"PK\x03\x04" + b)))
def test_a_random_archive_is_refused_and_leaves_nothing(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.tar.gz"
        path.write_bytes(content)
        try:
            extract(path, Path(folder) / "out")
        except DataError:
            assert sorted(child.name for child in Path(folder).iterdir()) == ["x.tar.gz"]


@given(testset=some_testsets(plain))
@settings(max_examples=40)
def test_a_layout_written_is_a_layout_recognised(testset: TestSet) -> None:
    testset = replace(testset, pair="ru-en", labels={})
    with TemporaryDirectory() as folder:
        for form in ("pair", "sgm", "xml", "evalset"):
            place = Path(folder) / form
            place.mkdir()
            try:
                WRITERS[form][0](testset, place)
            except TercetError:
                continue
            assert pairs(place) == ["ru-en"]
            assert open_testset(place).outputs == testset.outputs
