"""Annotations as files: ours, KoBE's, and what is wrong with others."""

import gzip
import json

import pytest

from tercet.errors import DataError, UsageError
from tercet.knowledge import annotations
from tercet.knowledge.mentions import AnnotationLinker, Mention, without_overlaps

TEXT = "“Kyiv” met Анна"
MENTIONS = [Mention(1, 5, "Kyiv", ("Q1", "Q2"), "place", 0.75), Mention(11, 15, "Анна", ("Q3",))]


def test_what_is_written_is_read(tmp_path):
    for name in ("a.jsonl", "a.jsonl.gz"):
        annotations.write(tmp_path / name, [TEXT, "none"], [MENTIONS, []])
        linker = annotations.read(tmp_path / name)
        assert linker.link(["none", TEXT], "en") == [[], MENTIONS]
        assert linker.name == name
        assert linker.nameable("en") is None


def test_the_checksum_is_that_of_the_annotations():
    one, same = AnnotationLinker({"a": MENTIONS, "b": []}), AnnotationLinker({"b": [], "a": MENTIONS})
    assert one.checksum == same.checksum != AnnotationLinker({"a": MENTIONS[:1], "b": []}).checksum


def test_kobes_json_is_read(tmp_path):
    sentences = [
        {"sentence": TEXT, "entities": [{"id": "/m/1", "start": 3, "end": 7}]},
        {"sentence": "b", "entities": []},
    ]
    path = tmp_path / "newstest2019.x.ru-en"
    path.write_text(json.dumps({"annotated_sentence": sentences}))
    assert annotations.read(path).link([TEXT, "b"], "en") == [[Mention(1, 5, "Kyiv", ("/m/1",))], []]


def test_kobes_json_without_texts_takes_them_from_the_caller(tmp_path):
    path = tmp_path / "x"
    path.write_text(json.dumps({"annotated_sentence": [{"entities": [{"id": "/m/1", "begin": 0, "end": 1}]}]}))
    assert annotations.read(path, ["a b"]).link(["a b"], "en") == [[Mention(0, 1, "a", ("/m/1",))]]
    with pytest.raises(DataError, match=r"x, sentence 1 has no text. Pass the sentences as `texts`"):
        annotations.read(path)
    with pytest.raises(DataError, match="has 1 sentences, but 2 texts are given"):
        annotations.read(path, ["a", "b"])


def test_lines_of_one_system_can_be_chosen(tmp_path):
    path = tmp_path / "x.jsonl"
    rows = [{"system": s, "text": "a b", "entities": [[0, 1, e]]} for s, e in (("x", "/m/1"), ("y", "/m/2"))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert annotations.read(path, system="y").link(["a b"], "en")[0][0].entities == ("/m/2",)
    with pytest.raises(DataError, match="no annotations of a system 'z'"):
        annotations.read(path, system="z")


def test_a_text_annotated_differently_is_told(tmp_path, caplog):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text":"a","entities":[[0,1,"/m/1"]]}\n{"text":"a","entities":[[0,1,"/m/2"]]}\n')
    assert annotations.read(path).link(["a"], "en")[0][0].entities == ("/m/1",)
    assert "has several different annotations of 1 texts" in caplog.text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"text":"a","mentions":[]}\n{"text"', "x.jsonl, line 2 is not JSON"),
        ('{"text":"a"}', "x.jsonl, line 1 has no list 'mentions'"),
        ("[1]", "x.jsonl, line 1 is not a sentence"),
        ('{"text":"a","mentions":[{"start":0}]}', "is not a mention with place and entity"),
        (
            '{"text":"a","mentions":[{"start":0,"end":1,"entities":"Q64"}]}',
            "is not a mention with place and entity",
        ),
        ('{"annotated_sentence": 5}', "x.jsonl: 'annotated_sentence' is not a list"),
        pytest.param("[" * 100_000, "x.jsonl, line 1 is not JSON", id="deep"),
        ('{"text":"a","mentions":[{"start":2,"end":1,"entities":["Q1"]}]}', "has no valid place in the text"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, content, message):
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        annotations.read(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match=r"There is no file .*nowhere.jsonl"):
        annotations.read(tmp_path / "nowhere.jsonl")
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"{}" * 100)[:20])
    with pytest.raises(DataError, match=r"x.gz is a damaged gzip file"):
        annotations.read(tmp_path / "x.gz")


def test_a_text_that_is_not_annotated_is_an_error():
    with pytest.raises(DataError, match=r"annotations has no annotation of text 2 of 2 \('b'\)"):
        AnnotationLinker({"a": []}).link(["a", "b"], "en")


def test_overlaps_go_to_the_longer_then_the_weightier_then_the_earlier():
    def mention(start, end, weight=1.0):
        return Mention(start, end, "", (f"{start}-{end}",), "", weight)

    kept = without_overlaps([mention(0, 2, 9.0), mention(1, 5), mention(5, 7), mention(6, 8, 2.0), mention(9, 9)])
    assert [m.entities[0] for m in kept] == ["1-5", "6-8", "9-9"]


def test_the_published_sample_is_read_whole(shared):
    linker = annotations.read(shared / "data" / "kobe_ruen" / "annotations.jsonl.gz", system="reference")
    mentions = [mention for found in linker.annotations.values() for mention in found]
    assert len(linker.annotations) == 1997  # of 2,000 segments, three are repeated
    text = next(text for text in linker.annotations if "Lugansk" in text)
    assert "Lugansk People’s Republic" in [mention.text for mention in linker.annotations[text]]
    assert all(mention.text for mention in mentions)
