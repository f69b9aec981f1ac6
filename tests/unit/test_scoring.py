"""`tercet.score`, merging of shards, saved scores, streams."""

import gzip
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tercet
from tercet import TestSet, scoring
from tercet.data.score_archive import load_scores, save_scores
from tercet.data.stream import TextFiles
from tercet.errors import DataError, NotParallel, UnknownName, UsageError

from .test_engine import make_testset


def test_the_form_that_others_rely_on() -> None:
    testset = TestSet(
        outputs={"a": ["The cat sat.", "Hello"], "b": ["A dog", "Hello there"]},
        references={"ref": ["The cat sat down.", "Hello there"]},
        source=None,
    )
    bleu, chrf = tercet.score(testset, ["bleu", "chrf"])
    assert isinstance(bleu.system["a"], float)
    assert chrf.segment["b"].shape == (2,)
    assert chrf.segment["b"][1] == pytest.approx(100)
    assert bleu.signature.startswith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|")
    assert bleu.higher_is_better


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: tercet.score(t, 5), UsageError, "list of names"),
        (lambda t: tercet.score(t, ["blue"]), UnknownName, "Did you mean bleu"),
        (lambda t: tercet.score(t, ["bleu:smoth=exp"]), UnknownName, "parameter of bleu"),
        (lambda t: tercet.score(t, ["bleu:max_ngram_order=x"]), UsageError, "whole number, not 'x'"),
        (lambda t: tercet.score(t, ["bleu:max_ngram_order"]), UsageError, "has no value"),
        (lambda t: tercet.score(t, ["bleu:tokenize=13b"]), UnknownName, "tokeniser"),
        (lambda t: tercet.score(t, ["bleu"], by="document"), UsageError, "document ids"),
        (lambda t: tercet.score(TestSet({"a": ["x"]}), ["bleu"]), UsageError, "bleu needs references"),
        (lambda t: TestSet({"a": "text"}, {"r": ["text"]}), UsageError, "must be a list of texts"),
        (lambda t: TestSet([["a"]], {"r": ["b"]}), UsageError, "outputs must be named"),
        (lambda t: TestSet({"a": ["x", "y"]}, {"r": ["x"]}), NotParallel, "output 'a': 2, reference 'r': 1"),
        (lambda t: TestSet({"a": []}, {"r": []}), DataError, "no segments"),
        (lambda t: TestSet({"a": ["x", 3]}, {"r": ["x", "y"]}), UsageError, "segment 2: 3 where a text is needed"),
        (lambda t: TestSet({"a": ["x"]}, {"r": [None]}), DataError, "segment 1: no reference"),
        (lambda t: TestSet({"a": ["x"]}, pair="ende"), UsageError, "SRC-TGT"),
        (lambda t: TestSet({"a": ["x"]}, pair=("en", "de")), UsageError, "SRC-TGT"),
        (lambda t: TestSet({"a": ["x"]}, name=None), UsageError, "name must be a text"),
        (lambda t: TestSet.read("a.txt"), UsageError, "list of files"),
        (lambda t: t.only("system 0"), UsageError, "list of names"),
        (lambda t: tercet.score({"a": ["x"]}, ["bleu"]), UsageError, "A TestSet is needed"),
        (lambda t: tercet.score(t, None), UsageError, "list of names"),
        (lambda t: tercet.score(t, [5]), UsageError, "by a text"),
        (lambda t: tercet.score(t, ["bleu"], jobs="2"), UsageError, "`jobs` must be"),
        (lambda t: tercet.score(t, ["bleu"], jobs=10**11), UsageError, "a number up to 512, not 100000000000"),
        (lambda t: tercet.score(t, ["bleu"], confidence=True, seed="1"), UsageError, "`seed` must be a whole number"),
        (
            lambda t: tercet.score(t, ["bleu"], confidence=True, confidence_n=1.5),
            UsageError,
            "`confidence_n` must be a whole number",
        ),
        (lambda t: tercet.score(t, ["bleu"], confidence=95), UsageError, "between 0 and 1"),
        (lambda t: tercet.compare(t, ["bleu"], alpha="a"), UsageError, "`alpha` must be a number"),
        (lambda t: t.only(["systen 0"]), UnknownName, "Did you mean system 0"),
    ],
)
def test_misuse_is_refused_with_a_message(call, error, message) -> None:
    with pytest.raises(error, match=message):
        call(make_testset(5))


def test_a_level_of_confidence_may_be_given() -> None:
    testset = make_testset(40, 1)
    (usual,), (narrow,) = (tercet.score(testset, ["bleu"], confidence=level) for level in (True, 0.8))
    assert (usual.interval["system 0"].confidence, narrow.interval["system 0"].confidence) == (0.95, 0.8)
    assert narrow.interval["system 0"].half_width < usual.interval["system 0"].half_width
    assert usual.interval["system 0"].value == usual.system["system 0"]


def test_numbers_of_references_may_vary() -> None:
    testset = TestSet({"a": ["one two three four", "five"]}, {"r": ["one two three four", "six"], "q": [None, "five"]})
    (bleu,) = tercet.score(testset, ["bleu"])
    assert bleu.system["a"] == pytest.approx(100)
    assert "|nrefs:var|" in bleu.signature


def test_documents_are_scored_from_their_sums() -> None:
    whole = make_testset(12, 2)
    testset = TestSet(whole.outputs, whole.references, documents=["d1"] * 5 + ["d2"] * 7)
    (bleu,) = tercet.score(testset, ["bleu"], by="document")
    for name, rows in (("d1", slice(0, 5)), ("d2", slice(5, 12))):
        (alone,) = tercet.score(whole[rows], ["bleu"])
        assert bleu.group["system 0"][name] == alone.system["system 0"]


def test_groups_by_label_and_length() -> None:
    whole = make_testset(12, 1)
    testset = TestSet(whole.outputs, whole.references, labels={"domain": ["x", "y"] * 6})
    (bleu,) = tercet.score(testset, ["bleu"], by="domain")
    (alone,) = tercet.score(whole.take(range(0, 12, 2)), ["bleu"])
    assert bleu.group["system 0"]["x"] == alone.system["system 0"]
    (chrf,) = tercet.score(testset, ["chrf"], by="length")
    assert all(name.endswith("words") for name in chrf.group["system 0"])
    with pytest.raises(UnknownName, match="Did you mean domain"):
        tercet.score(testset, ["bleu"], by="domains")


def test_each_reference_alone() -> None:
    outputs = {"a": ["one two three four five", "six"]}
    testset = TestSet(outputs, {"r": ["one two three four", "six"], "edit": ["one two three four five", None]})
    found = scoring.score_each_reference(testset, ["bleu"])
    assert found["edit"][0].system["a"] == pytest.approx(100)
    assert found["edit"][0].n_segments == 1
    (alone,) = tercet.score(TestSet(outputs, {"r": testset.references["r"]}), ["bleu"])
    assert found["r"][0].system["a"] == alone.system["a"]
    with pytest.raises(UsageError, match="two or more"):
        scoring.score_each_reference(TestSet(outputs, {"r": ["x", "y"]}), ["bleu"])


def test_shards_saved_apart_merge_to_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "SHARD", 16)
    testset = make_testset(90, 2)
    specs = ["bleu", "chrf:average=segment"]
    whole = tercet.score(testset, specs)
    for i, rows in enumerate((slice(0, 32), slice(32, 80), slice(80, 90))):
        save_scores(tmp_path / f"{i}.npz", tercet.score(testset[rows], specs))
    merged = scoring.merge([scoring.load(tmp_path / f"{i}.npz") for i in range(3)])
    for a, b in zip(whole, merged, strict=True):
        assert (dict(a.system), a.signature, a.n_segments) == (dict(b.system), b.signature, b.n_segments)
        assert all(np.array_equal(a.segment[name], b.segment[name]) for name in a.systems)


def test_shards_with_other_numbers_of_references_merge_to_var() -> None:
    outputs = {"a": ["one two three four five", "six seven"]}
    testset = TestSet(outputs, {"r": ["one two three four five", "six"], "q": [None, "seven"]})
    parts = [tercet.score(testset[rows], ["bleu"], confidence=True) for rows in (slice(0, 1), slice(1, 2))]
    (merged,), (whole,) = scoring.merge(parts), tercet.score(testset, ["bleu"])
    assert merged.signature == whole.signature
    assert "nrefs:var" in whole.signature
    assert dict(merged.system) == dict(whole.system)
    (again,) = scoring.add_intervals([merged], seed=7)
    assert "|bs:1000|seed:7|" in again.signature


def test_files_that_do_not_belong_together_are_not_merged() -> None:
    testset = make_testset(10, 2)
    bleu, other = tercet.score(testset, ["bleu"]), tercet.score(testset, ["bleu:lowercase=true"])
    with pytest.raises(UsageError, match="do not belong together"):
        scoring.merge([bleu, other])
    with pytest.raises(UsageError, match="do not belong together"):
        scoring.merge([bleu, tercet.score(testset.only(["system 1"]), ["bleu"])])
    with pytest.raises(UsageError, match="different numbers of metrics"):
        scoring.merge([bleu, [*bleu, *other]])
    original = tercet.score(testset, ["chrf:variant=original"])
    with pytest.raises(UsageError, match="cannot be merged exactly"):
        scoring.merge([original, original])


def test_a_foreign_file_is_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(b"PK nothing")
    with pytest.raises(DataError, match="not a file written by"):
        load_scores(path)
    np.savez(path, about=np.frombuffer(b"[]", dtype=np.uint8))
    with pytest.raises(DataError, match="not a file written by"):
        load_scores(path)
    with pytest.raises(UsageError, match="no file"):
        load_scores(tmp_path / "absent")


@pytest.mark.parametrize("head", [b"not an array", b"\x93NUMPY\x01\x00\x10\x00{'descr': (((}   ", b"\x93NUMPY\x01"])
def test_an_array_with_a_damaged_head_is_refused(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.npy", head)
    with pytest.raises(DataError, match="not a file written by"):
        load_scores(path)


def test_saved_scores_that_would_fill_the_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.data.score_archive.LARGE", 1 << 20)
    np.savez_compressed(tmp_path / "bomb.npz", x=np.zeros(1 << 18))
    with pytest.raises(DataError, match="bomb.npz is not a file written by .*: 0 MB would become 0 GB"):
        scoring.load(tmp_path / "bomb.npz")


def test_saved_numbers_that_were_changed_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    save_scores(path, tercet.score(make_testset(10, 2), ["chrf"]))
    with np.load(path) as archive:
        arrays = dict(archive)
    np.savez(path, **arrays)
    assert load_scores(path)[0].n_segments == 10
    arrays["counts_0_1"] = arrays["counts_0_1"] * 2
    np.savez(path, **arrays)
    with pytest.raises(DataError, match="damaged: its numbers are not those that were saved"):
        load_scores(path)


def write(path: Path, lines: list[str]) -> Path:
    text = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def test_a_stream_equals_the_test_set_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tercet import engine

    monkeypatch.setattr(engine, "SHARD", 7)
    monkeypatch.setattr("tercet.data.lines.BLOCK", 50)
    testset = make_testset(40, 2)
    files = TextFiles(
        {name: write(tmp_path / name, list(lines)) for name, lines in testset.outputs.items()},
        {name: write(tmp_path / f"{name}.gz", list(lines)) for name, lines in testset.references.items()},
    )
    for spec in ("bleu", "chrf:variant=original", "nist"):
        (streamed,), (whole,) = tercet.score(files, [spec], keep_counts=False), tercet.score(testset, [spec])
        assert dict(streamed.system) == dict(whole.system)
        assert not streamed.segment
        assert streamed.n_segments == 40


def test_a_test_set_is_read_from_files_named_by_them(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.txt", ["x", "y"]), write(tmp_path / "r.txt", ["x", "z"])
    assert TestSet.read([a], [b], pair="en-de") == TestSet(
        {"a": ["x", "y"]}, {"r": ["x", "z"]}, pair="en-de", name="unnamed"
    )


def test_a_stream_of_unequal_files_names_all_lengths(tmp_path: Path) -> None:
    files = TextFiles({"a": write(tmp_path / "a", ["x"] * 9)}, {"r": write(tmp_path / "r", ["y"] * 5)})
    with pytest.raises(NotParallel, match=r"output .*a: 9, reference .*r: 5"):
        tercet.score(files, ["bleu"])


def test_a_warning_names_the_tokeniser_for_chinese(caplog: pytest.LogCaptureFixture) -> None:
    texts = ["今天天气很好，我们去公园散步。", "他昨天买了一本新书。"]
    tercet.score(TestSet({"a": texts}, {"r": texts}), ["bleu"])
    assert "zh" in caplog.text
    assert "identical to reference" in caplog.text
    caplog.clear()
    (bleu,) = tercet.score(TestSet({"a": texts}, {"r": texts[::-1]}, pair="en-zh_CN"), ["bleu"])
    assert "tok:zh" in bleu.signature
    assert not caplog.text


def test_a_data_frame_has_a_row_per_system_and_segment() -> None:
    pytest.importorskip("pandas", reason="the extra tercet[frames] is not installed")
    (chrf,) = tercet.score(make_testset(4, 2), ["chrf"])
    frame = chrf.to_pandas()
    assert list(frame.columns) == ["system", "doc", "seg", "metric", "score"]
    assert len(frame) == 8


@pytest.mark.parametrize(
    ("given", "pair", "target"),
    [
        ("en-pt_BR", "en-pt_BR", "pt_BR"),
        ("en-pt-BR", "en-pt_BR", "pt_BR"),
        ("en-US-de-DE", "en_US-de_DE", "de_DE"),
        ("zh-Hans-en", "zh_Hans-en", "en"),
        ("EN-DE", "EN-DE", "DE"),
    ],
)
def test_a_region_is_no_language_of_a_pair(given: str, pair: str, target: str) -> None:
    texts = TestSet({"a": ["x"]}, pair=given)
    assert (texts.pair, texts.target_language) == (pair, target)
    assert TextFiles({"a": "a.txt"}, {}, pair=given).target_language == target


def test_three_languages_are_no_pair() -> None:
    with pytest.raises(UsageError, match="A language pair is SRC-TGT, as en-de or en-pt_BR, not 'en-de-fr'"):
        TestSet({"a": ["x"]}, pair="en-de-fr")


def test_codes_of_three_letters_mean_the_same_as_those_of_two() -> None:
    texts = TestSet({"a": ["ein Haus"]}, {"r": ["das Haus"]}, pair="eng-deu_Latn")
    assert "|language:de|" in tercet.score(texts, "meteor")[0].metric.signature


def test_a_metric_that_goes_by_language_says_which_it_took(caplog: pytest.LogCaptureFixture) -> None:
    texts = TestSet({"a": ["ein Haus"]}, {"r": ["das Haus"]})
    tercet.score(texts, ["meteor"])
    assert "METEOR: the language of the outputs is not given and taken to be en. Set `pair`" in caplog.text
    caplog.clear()
    tercet.score(texts, ["meteor:language=de", "bleu"])
    tercet.score(replace(texts, pair="en-de"), ["meteor"])
    assert not caplog.text


def test_empty_references_are_reported_and_one_without_any_text_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    outputs = {"a": ["x", "y z", "x"]}
    found = tercet.score(TestSet(outputs, {"r": ["x", " ", ""], "s": [None, "y", "x"]}), ["wer", "chrf"])
    assert caplog.messages == ["Reference 'r' is empty in 2 of 3 segments, first in segment 2."]
    assert found[0].system["a"] == 1 / 3
    with pytest.raises(DataError, match="Reference 'r' is empty in all segments: nothing can be scored against it"):
        tercet.score(TestSet(outputs, {"r": ["", " ", ""], "s": ["x", "y", "x"]}), "wer")


def test_a_paired_bootstrap_of_few_segments_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    scores = tercet.score(make_testset(49, systems=2), "chrf")
    scoring.paired_tests(scores, test="randomisation", resamples=50)
    assert not [message for message in caplog.messages if "bootstrap" in message]
    caplog.clear()
    scoring.paired_tests(scores, resamples=50)
    assert caplog.messages == [
        "Paired bootstrap: below 50 segments its p-values are too small, and there are 49. Use randomisation."
    ]


def test_counts_of_all_systems_are_one_array_that_needs_no_copy() -> None:
    (found,) = tercet.score(make_testset(50), "chrf")
    assert found.cube is found.cube
    assert all(np.shares_memory(found.cube, counts) for counts in found.counts.values())
    backwards = replace(found, system=dict(reversed(found.system.items())))
    assert np.array_equal(backwards.cube, found.cube[::-1])
    apart = replace(found, counts={name: counts.copy() for name, counts in found.counts.items()})
    assert np.array_equal(apart.cube, found.cube)


def test_intervals_are_printed_and_shown_in_notebooks() -> None:
    scores = tercet.score(tercet.demo("en-de"), ["bleu", "chrf"], confidence=True)
    assert "Alder=66.3 (56.9 to 75.6)" in repr(scores)
    assert "<td>81.2 (76.4 to 85.9)</td>" in scores._repr_html_()
    assert "(" not in repr(tercet.score(tercet.demo("en-de"), "bleu")).partition("Alder")[2].partition(";")[0]
