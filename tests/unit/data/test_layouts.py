from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tercet.data import TestSet
from tercet.data.catalogue import add
from tercet.data.evalset import write_evalset
from tercet.data.jsonl import write_jsonl
from tercet.data.layouts import open_testset, pairs
from tercet.data.sgm import write_sgm
from tercet.data.tsv import write_pair, write_tsv
from tercet.data.wmtxml import write_wmtxml
from tercet.errors import DataError, UnknownName, UsageError

SMALL = TestSet({"x": ["a", "b"], "y": ["c", "d"]}, {"A": ["r", "R"]}, ["s", "S"], ["d1", "d2"], pair="ru-en")
OTHER = replace(SMALL, pair="zh-en")


@pytest.mark.parametrize(
    "write",
    [
        lambda t, d: write_evalset(t, d),
        lambda t, d: write_pair(t, d),
        lambda t, d: write_jsonl(t, d / f"{t.pair}.jsonl"),
        lambda t, d: write_jsonl(t, d / f"{t.pair}.jsonl.gz"),
        lambda t, d: write_tsv(t, d / f"{t.pair}.tsv"),
        lambda t, d: write_wmtxml(t, d / f"newstest.{t.pair}.all.xml"),
        lambda t, d: write_sgm(t, d),
    ],
    ids=["evalset", "pair", "jsonl", "jsonl.gz", "tsv", "xml", "sgm"],
)
def test_a_folder_of_each_layout_is_recognised(tmp_path: Path, write: Callable[[TestSet, Path], object]) -> None:
    write(SMALL, tmp_path)
    assert pairs(tmp_path) == ["ru-en"]
    found = open_testset(tmp_path)
    assert (found.outputs, found.references, found.pair) == (SMALL.outputs, SMALL.references, "ru-en")
    write(OTHER, tmp_path)
    assert pairs(tmp_path) == ["ru-en", "zh-en"]
    assert open_testset(tmp_path, "zh-en", ["y"]).systems == ("y",)
    with pytest.raises(UsageError, match=r"has several language pairs\. Choose one with `pair`: ru-en, zh-en\."):
        open_testset(tmp_path)
    with pytest.raises(UnknownName, match=r"There is no language pair in .* called 'ru-ne'\. Did you mean ru-en"):
        open_testset(tmp_path, "ru-ne")
    with pytest.raises(UnknownName, match="There is no system called 'z'"):
        open_testset(tmp_path, "ru-en", ["z"])


def test_single_files_are_known_by_their_ending(tmp_path: Path) -> None:
    write_jsonl(replace(SMALL, pair=None), tmp_path / "set.ru-en.jsonl")
    write_tsv(SMALL, tmp_path / "set.tsv")
    write_wmtxml(SMALL, tmp_path / "set.xml")
    write_pair(SMALL, tmp_path)
    for name, pair in (
        ("set.ru-en.jsonl", "ru-en"),
        ("set.tsv", None),
        ("set.xml", "ru-en"),
        ("ru-en.segments.tsv.gz", "ru-en"),
    ):
        found = open_testset(tmp_path / name)
        assert (found.outputs, found.pair) == (SMALL.outputs, pair)
        assert pairs(tmp_path / name) == ([pair] if pair else [])
        assert open_testset(tmp_path / name, "ru-en").pair == "ru-en"
    with pytest.raises(UnknownName, match="There is no language pair in .*set.xml called 'zh-en'"):
        open_testset(tmp_path / "set.xml", "zh-en")
    (tmp_path / "set.txt").write_text("a\n")
    with pytest.raises(
        UsageError,
        match=r"has an unknown ending\. Known endings: \.jsonl, \.tsv, .* Plain texts are given as",
    ):
        open_testset(tmp_path / "set.txt")


def sgm(tag: str, text: str, languages: str, sysid: str = "ref") -> str:
    document = f'<doc docid="d" sysid="{sysid}"><seg id="1">{text}</seg></doc>'
    return f'<{tag} setid="n" {languages}>{document}</{tag}>'


SGM = {
    "sources/newstest2019-deen-src.de.sgm": sgm("srcset", "s", 'srclang="any"'),
    "references/newstest2019-deen-ref.en.sgm": sgm("refset", "r", 'srclang="any" trglang="en"'),
    "outputs/de-en/newstest2019.rug-nmt.7.de-en.sgm": sgm("tstset", "o", 'srclang="any" trglang="en"', "rug-nmt.7"),
    "outputs/en-de/newstest2019.x.en-de.sgm": sgm("tstset", "o", 'srclang="en" trglang="de"', "x"),
    "sources/english.sgm": sgm("srcset", "e", 'srclang="en"'),
}


def put_sgm(folder: Path) -> None:
    for name, text in SGM.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_sgm_files_say_their_pair_in_the_head_or_the_name(tmp_path: Path) -> None:
    put_sgm(tmp_path)
    assert pairs(tmp_path) == ["de-en", "en-de"]
    german = open_testset(tmp_path, "de-en")
    assert (german.source, german.references, german.outputs) == (("s",), {"ref": ("r",)}, {"rug-nmt.7": ("o",)})
    english = open_testset(tmp_path, "en-de")
    assert (english.source, english.references, english.outputs) == (("e",), {}, {"x": ("o",)})
    (tmp_path / "what.sgm").write_text(SGM["sources/english.sgm"].replace('srclang="en"', ""))
    with pytest.raises(DataError, match=r"what\.sgm names its language pair neither"):
        pairs(tmp_path)


def test_nothing_recognised_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No test set was recognised in .*\. Looked for: an EvalSet .* SGM files\.$"):
        open_testset(tmp_path)
    (tmp_path / "wmt23").mkdir()
    write_evalset(SMALL, tmp_path / "wmt23")
    with pytest.raises(DataError, match=r"These subfolders have one: wmt23\.$"):
        pairs(tmp_path)


def test_a_pair_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    write_jsonl(SMALL, tmp_path / "ru-en.jsonl")
    write_tsv(SMALL, tmp_path / "ru-en.tsv")
    with pytest.raises(DataError, match=r"holds ru-en twice: as PAIR\.jsonl and as PAIR\.tsv\. Give the file"):
        open_testset(tmp_path)
    (tmp_path / "ru-en.tsv").unlink()
    write_jsonl(SMALL, tmp_path / "ru-en.jsonl.gz")
    with pytest.raises(DataError, match=r"has both ru-en\.jsonl and ru-en\.jsonl\.gz"):
        open_testset(tmp_path)


def test_a_file_whose_name_and_text_disagree_is_refused(tmp_path: Path) -> None:
    write_jsonl(SMALL, tmp_path / "zh-en.jsonl")
    with pytest.raises(DataError, match=r"zh-en\.jsonl holds the language pair ru-en, but its name has zh-en\."):
        open_testset(tmp_path)


def test_another_kind_of_xml_in_a_folder_is_left_alone(tmp_path: Path) -> None:
    write_jsonl(SMALL, tmp_path / "ru-en.jsonl")
    (tmp_path / "quality.xml").write_text('<?xml version="1.0"?>\n<testsuites tests="1"/>\n', encoding="utf-8")
    assert pairs(tmp_path) == ["ru-en"]
    assert open_testset(tmp_path) == replace(SMALL, name="ru-en")


def test_two_xml_files_of_one_pair_are_refused(tmp_path: Path) -> None:
    write_wmtxml(SMALL, tmp_path / "a.ru-en.xml")
    write_wmtxml(SMALL, tmp_path / "b.ru-en.xml")
    with pytest.raises(
        DataError, match=r"has two XML files of ru-en: a\.ru-en\.xml and b\.ru-en\.xml\. Give one of them"
    ):
        pairs(tmp_path)


def test_a_name_of_the_catalogue_is_opened_from_the_cache(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    write_pair(SMALL, tmp_path / "here")
    cache = tmp_path / "cache"
    add(tmp_path / "here", "mine", cache)
    assert open_testset("mine", cache=cache).outputs == SMALL.outputs
    assert pairs("mine", cache=cache) == ["ru-en"]
    with pytest.raises(UsageError, match=r"Data set 'wmt23' is not in .*\. Fetch it: tercet data get wmt23"):
        open_testset("wmt23", cache=cache)
    with pytest.raises(UsageError, match=r"There is no file or folder nothing\. Nor is it a data set of the catalogue"):
        open_testset("nothing", cache=cache)
    with pytest.raises(UsageError, match=r"There is no file or folder nothing\.$"):
        open_testset("nothing")


# Language pairs, systems and segments as the notes with the data give them.
WMT14 = {"cs-en": (5, 3003), "de-en": (13, 3003), "fr-en": (8, 3003), "hi-en": (9, 2507), "ru-en": (13, 3003)}


def test_the_real_wmt14_opens(shared: Path) -> None:
    found = {pair: open_testset(shared / "data" / "wmt14", pair) for pair in pairs(shared / "data" / "wmt14")}
    assert {pair: (len(t.outputs), len(t)) for pair, t in found.items()} == WMT14


def test_the_real_wmt19_opens(shared: Path) -> None:
    folder = shared / "data" / "wmt19"
    found = {pair: open_testset(folder, pair) for pair in pairs(folder)}
    assert len(found) == 18
    assert sum(len(t.outputs) for t in found.values()) == 226  # 225 with a human score, and one more in gu-en
    assert len(found["gu-en"].outputs) == 12
    assert {len(found["de-fr"]), len(found["fr-de"])} == {1701}
    assert min(map(len, found.values())) == 998
    assert max(map(len, found.values())) == 2000
    assert all(list(t.references) == ["reference"] and t.source for t in found.values())
    assert found["ru-en"].labels["seg"] == tuple(str(i) for i in range(1, 2001))


def test_the_real_wmt23_opens(shared: Path) -> None:
    testset = open_testset(shared / "data" / "wmt23")
    assert (testset.pair, len(testset), len(testset.outputs)) == ("en-de", 557, 14)
    assert list(testset.references) == ["refA", "synthetic_ref"]
    assert testset.references["refA"] == testset.outputs["refA"]
    assert set(testset.labels) == {"seg", "domain"}
    assert testset.labels["domain"][0] == "news"
    assert testset.documents is not None
    assert testset.documents[0] == "aj-english.33941"


def test_the_real_wmt23_goes_through_every_format_unchanged(shared: Path, tmp_path: Path) -> None:
    testset = open_testset(shared / "data" / "wmt23")
    plain = replace(testset, labels={"domain": testset.labels["domain"]})
    for folder, write in (("sgm", write_sgm), ("evalset", write_evalset)):
        (tmp_path / folder).mkdir()
        write(testset, tmp_path / folder)
    write_wmtxml(testset, tmp_path / "t.xml")
    write_jsonl(testset, tmp_path / "t.jsonl.gz")
    for place, expected in (("sgm", plain), ("evalset", plain), ("t.xml", plain), ("t.jsonl.gz", testset)):
        assert replace(open_testset(tmp_path / place), name="wmt23") == expected
