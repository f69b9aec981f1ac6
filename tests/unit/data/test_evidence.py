"""Evidence: what a folder, and folders beside it, hold on one language pair."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from tercet.data.evidence import Evidence, evidence_pairs, open_evidence
from tercet.data.scores import Scores
from tercet.errors import DataError, UnknownName, UsageError


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def texts(folder: Path, pair: str = "de-en") -> None:
    write(folder / f"{pair}.segments.tsv", "seg\tsource\treference", "1\ts1\tr1", "2\ts2\tr2", "10\ts3\tr3")
    write(folder / f"{pair}.outputs.tsv", "seg\tx\ty", "1\tx1\ty1", "2\tx2\ty2", "10\tx3\ty3")


def by_label(scores: "list[Scores] | tuple[Scores, ...]") -> dict[str, Scores]:
    return {item.label: item for item in scores}


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A set as WMT19's is spread over folders: texts, segment scores, system scores and preferences."""
    place = tmp_path / "wmt99"
    texts(place)
    texts(place, "en-de")
    write(place / "segscores" / "de-en.chrF.tsv", "seg\tx\ty", "1\t10\t20", "2\t11\t21", "10\t12\t22")
    write(tmp_path / "wmt99_sys" / "scores.tsv", "lp\tsystem\tDA\tchrF", "de-en\tx\t.5\t11", "en-de\tx\t.1\t9")
    write(tmp_path / "wmt99_darr" / "de-en.darr.tsv", "seg\tbetter\tworse", "10\ty\tx", "1\ty\tonline-B.0")
    write(tmp_path / "wmt99_qe" / "training.tsv", "seg\tsystem\tM", "77\tx\t1")
    write(tmp_path / "wmt999_sys" / "scores.tsv", "lp\tsystem\tDA", "de-en\tx\t.9")
    return place


def test_a_set_may_be_spread_over_folders_beside_each_other(campaign: Path) -> None:
    evidence = open_evidence(campaign, "de-en")
    assert (evidence.pair, evidence.name, evidence.segments) == ("de-en", "wmt99", ("1", "2", "10"))
    assert evidence.testset is not None and evidence.testset.systems == ("x", "y")
    (gold,) = evidence.gold
    assert gold.system == {"x": 0.5}, "wmt999 is another set"
    (scores,) = evidence.scores
    assert (scores.label, scores.system["x"], math.isnan(scores.system["y"])) == ("chrF", 11, True)
    np.testing.assert_array_equal(scores.segment["y"], [20, 21, 22])


def test_judged_systems_need_no_output(campaign: Path) -> None:
    (judgements,) = open_evidence(campaign, "de-en").judgements
    assert judgements.name == "darr" and judgements.systems == ("y", "x", "online-B.0")


def test_files_beside_a_set_that_do_not_say_their_pair_are_left_alone(campaign: Path) -> None:
    assert [item.label for item in open_evidence(campaign, "en-de").scores] == ["chrF"]


def test_pairs_of_all_files_are_listed(campaign: Path) -> None:
    write(campaign.parent / "wmt99_darr" / "fr-en.darr.tsv", "seg\tbetter\tworse", "9\ty\tx", "10\ty\tx")
    assert evidence_pairs(campaign) == ["de-en", "en-de", "fr-en"]
    alone = open_evidence(campaign, "fr-en")
    assert (alone.testset, alone.segments, len(alone.judgements[0])) == (None, ("9", "10"), 4)


def test_other_pairs_files_are_not_read(campaign: Path) -> None:
    write(campaign.parent / "wmt99_darr" / "en-de.darr.tsv", "seg\tbetter\tworse", "broken")
    assert open_evidence(campaign, "de-en").judgements
    with pytest.raises(DataError, match=r"en-de\.darr\.tsv, line 2: 1 tab-separated fields"):
        open_evidence(campaign, "en-de")


def test_a_pair_must_be_named_and_exist(campaign: Path) -> None:
    with pytest.raises(UsageError, match=r"several language pairs\. Choose one with `pair`: de-en, en-de"):
        open_evidence(campaign)
    with pytest.raises(UnknownName, match="called 'de-xx'. Did you mean de-en"):
        open_evidence(campaign, "de-xx")


@pytest.mark.parametrize(
    ("file", "header", "row"),
    [
        ("wmt99_darr/de-en.rr.tsv", "seg\tbetter\tworse", "3\tx\ty"),
        ("wmt99_sys/seg.tsv", "lp\tseg\tsystem\tDA_z", "de-en\t3\tx\t1"),
        ("wmt99/rankings.tsv", "lp\tseg\tjudge\tsystems\tranks", "de-en\t3\tann\tx|y\t1|2"),
    ],
)
def test_a_segment_that_the_texts_do_not_have_is_named_with_its_line(
    campaign: Path, file: str, header: str, row: str
) -> None:
    path = write(campaign.parent / file, header, row)
    with pytest.raises(DataError, match=f"{path.name}, line 2: there is no segment '3' in the test set, which has 3"):
        open_evidence(campaign, "de-en")


def test_judgements_as_json_lines(campaign: Path) -> None:
    item = {"kind": "da", "segment": "2", "system": "x", "value": 70, "rater": "ann", "pair": "de-en"}
    path = write(campaign / "rated.jsonl", json.dumps(item))
    assert [table.name for table in open_evidence(campaign, "de-en").judgements] == ["rated", "darr"]
    write(path, json.dumps(item | {"segment": "4"}))
    with pytest.raises(
        DataError, match="judgements 'rated' name segments that the test set does not have: 4. It has 3"
    ):
        open_evidence(campaign, "de-en")


def test_judgements_called_by_their_pair_are_not_taken_for_texts(tmp_path: Path) -> None:
    item = {"kind": "da", "segment": "2", "system": "x", "value": 70}
    write(tmp_path / "en-de.jsonl", json.dumps(item))
    evidence = open_evidence(tmp_path)
    assert (evidence.pair, evidence.testset, len(evidence.judgements[0])) == ("en-de", None, 1)


def test_judgements_say_their_pair_better_than_their_name(tmp_path: Path) -> None:
    write(
        tmp_path / "en-de.jsonl", json.dumps({"kind": "z", "segment": "2", "system": "x", "value": 1, "pair": "de-en"})
    )
    assert evidence_pairs(tmp_path) == ["de-en"]


def test_scores_called_by_their_pair_are_not_taken_for_texts(tmp_path: Path) -> None:
    write(tmp_path / "en-de.tsv", "system\tDA\tchrF", "x\t.5\t60")
    evidence = open_evidence(tmp_path)
    assert (evidence.pair, evidence.testset, evidence.scores[0].system) == ("en-de", None, {"x": 60})


def test_a_bad_number_in_the_first_row_is_said_and_not_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "scores.tsv", "lp\tsystem\tDA", "de-en\tx\tgood")
    with pytest.raises(DataError, match=r"scores\.tsv, line 2, column 'DA': 'good' is not a number"):
        open_evidence(tmp_path)


def test_a_file_and_its_gzipped_copy_are_refused(campaign: Path) -> None:
    write(campaign.parent / "wmt99_darr" / "de-en.darr.tsv.gz", "seg\tbetter\tworse", "10\ty\tx")
    with pytest.raises(DataError, match=r"has both de-en\.darr\.tsv and de-en\.darr\.tsv\.gz\. Remove one"):
        open_evidence(campaign, "de-en")


def test_several_test_sets_in_one_folder_are_not_mixed(tmp_path: Path) -> None:
    for name in ("newstest2020", "newstest2021"):
        write(tmp_path / f"{name}.en-de.mqm_avg_seg.tsv", "seg\tsystem\tmqm", "1\tx\t-1")
    with pytest.raises(
        DataError, match=r"several test sets of en-de: newstest2020, newstest2021\. Give one of the files"
    ):
        open_evidence(tmp_path, "en-de")
    evidence = open_evidence(tmp_path / "newstest2021.en-de.mqm_avg_seg.tsv")
    assert (evidence.pair, evidence.segments, evidence.gold[0].label) == ("en-de", ("1",), "MQM")


def test_data_that_name_no_pair_are_of_the_pair_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "scores.tsv", "seg\tsystem\tDA_raw", "10\tx\t70", "9\tx\t60", "9b\tx\t50")
    evidence = open_evidence(tmp_path)
    assert (evidence.pair, evidence_pairs(tmp_path)) == ("", [])
    assert evidence.segments == ("9", "9b", "10"), "numbers in names are ordered as numbers"
    assert open_evidence(tmp_path, "zh-en").pair == "zh-en"


def test_parts_of_a_set_follow_one_another(tmp_path: Path) -> None:
    header = "index\toriginal\ttranslation\tscores\tmean\tz_mean"
    for split in ("train", "dev"):
        write(tmp_path / f"en-de.{split}.tsv", header, f"0\ts-{split}\tt-{split}\t[1, 2]\t1.5\t0.1")
    evidence = open_evidence(tmp_path)
    assert evidence.segments == ("dev:0", "train:0")
    assert evidence.testset is not None and evidence.testset.source == ("s-dev", "s-train")
    assert by_label(list(evidence.gold))["DA raw"].segment["mt"].tolist() == [1.5, 1.5]
    assert [len(table) for table in evidence.judgements] == [2, 2]


def test_ranking_csv_is_found_by_its_languages(tmp_path: Path) -> None:
    header = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
    write(tmp_path / "wmt15.fre-eng.csv", header, "fre,eng,4,4,judge1,a,1,b,2,7")
    assert evidence_pairs(tmp_path) == ["fr-en"]
    assert open_evidence(tmp_path, "fr-en").judgements[0].systems == ("a", "b")


def test_wmt20s_names_hold_the_pair_in_their_own_ways(tmp_path: Path) -> None:
    write(
        tmp_path / "seglevel_allsys" / "csen.darr_agree.tsv",
        "seg\tbetter\tworse\tTER",
        "d::2\tx\ty\t1",
        "d::10\tx\ty\t0",
    )
    write(
        tmp_path / "DA" / "metrics-ad-seg-scores-cs-en.csv", "SYS SEGID RAW.SCR Z.SCR N SID", "x d::10 92.0 0.5 1 656"
    )
    write(tmp_path / "system-level" / "DA-t-csen-sys-scores.csv", "LP SYSTEM HUMAN BLEU", "cs-en x .1 30")
    write(tmp_path / "system-level" / "DA-tB-csen-sys-scores.csv", "LP SYSTEM HUMAN BLEU", "cs-en_B x .1 40")
    assert evidence_pairs(tmp_path) == ["cs-en", "cs-en_B"]
    evidence = open_evidence(tmp_path, "cs-en")
    assert evidence.segments == ("d::2", "d::10")
    assert by_label(list(evidence.gold))["DA"].segment["x"][1] == 0.5
    assert evidence.scores[0].system == {"x": 30}, "scores against reference B are another story"


def test_an_evalset_brings_texts_gold_ratings_and_metrics(tmp_path: Path) -> None:
    for name in (
        "sources/en-de.txt",
        "references/en-de.refA.txt",
        "system-outputs/en-de/x.txt",
        "system-outputs/en-de/y.txt",
    ):
        write(tmp_path / name, "one", "two")
    write(tmp_path / "human-scores/en-de.mqm.seg.score", "x\t-1", "x\tNone")
    write(tmp_path / "human-scores/en-de.mqm.sys.score", "x\t-1", "y\tNone")
    write(tmp_path / "human-scores/en-de.wmt-z.sys.score", "x\t.1")
    write(tmp_path / "human-scores/en-de.mqm.seg.rating", 'x\t{"errors": []}', "x\tNone")
    write(tmp_path / "metric-scores/en-de/BLEU-refA.sys.score", "x\t30", "y\t20")
    write(tmp_path / "metric-scores/en-de/QE-src.seg.score", "x\t1", "x\t2", "y\t3", "y\t4")
    evidence = open_evidence(tmp_path)
    gold = by_label(list(evidence.gold))
    assert gold["MQM"].system == {"x": -1} and gold["wmt-z"].signature == "wmt-z|kind:z"
    np.testing.assert_array_equal(gold["MQM"].segment["x"], [-1, math.nan])
    scores = by_label(list(evidence.scores))
    assert scores["QE-src"].segment["y"].tolist() == [3, 4] and scores["BLEU-refA"].system == {"x": 30, "y": 20}
    assert [(table.name, len(table)) for table in evidence.judgements] == [("mqm", 1)]
    write(tmp_path / "human-scores/en-de.mqm.seg.score", "x\t-1")
    with pytest.raises(DataError, match=r"en-de\.mqm\.seg\.score: 1 scores of 'x', but at level seg the data need 2"):
        open_evidence(tmp_path)


ITEMS = [
    {"i": 0, "src": "a", "tgt": {"x": "b", "y": "c"}, "scores": {"x": {"bleu": 1.0}, "y": {"bleu": None}}},
    {"i": 1, "src": "d", "tgt": {"x": "e", "y": "f"}, "scores": {"x": {"bleu": 2.0}, "y": {"bleu": 3.0, "da": 70}}},
]


@pytest.mark.parametrize("as_folder", [True, False])
def test_scores_in_the_interchange_format(tmp_path: Path, *, as_folder: bool) -> None:
    path = write(tmp_path / "en-de.jsonl", *map(json.dumps, ITEMS))
    evidence: Evidence = open_evidence(tmp_path if as_folder else path)
    assert (evidence.pair, evidence.segments) == ("en-de", ("1", "2"))
    assert evidence.testset is not None and evidence.testset.systems == ("x", "y")
    scores = by_label(list(evidence.scores))
    np.testing.assert_array_equal(scores["bleu"].segment["y"], [math.nan, 3])
    assert scores["bleu"].higher_is_better is None, "the file does not say"
    assert list(scores["da"].segment) == ["y"]


def test_texts_without_a_pair_take_the_one_that_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", *map(json.dumps, ITEMS))
    evidence = open_evidence(path, "en-de")
    assert evidence.pair == "en-de" and evidence.testset is not None and len(evidence.scores) == 2
    assert open_evidence(path).pair == ""


def test_nothing_recognised_is_said_in_two_lines(tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", "nothing")
    write(tmp_path / "empty.tsv")
    write(tmp_path / "words.tsv", "system\tcomment", "x\tgood")
    with pytest.raises(
        DataError,
        match=r"^No texts, judgements or scores were recognised .*\nFor the formats see docs/formats\.md, [^\n]*$",
    ):
        open_evidence(tmp_path)


def test_an_empty_folder_is_said_to_be_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    with pytest.raises(DataError, match=r"^The folder \. is empty\.$"):
        open_evidence(".")


def test_of_a_folder_of_data_sets_one_is_to_be_chosen(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(campaign)
    with pytest.raises(DataError) as caught:
        open_evidence("..")
    assert str(caught.value) == (
        "The folder .. holds data sets: wmt99, wmt999_sys, wmt99_darr, wmt99_qe, wmt99_sys.\n"
        "Give one of them, as ../wmt99, or its name with `data` .."
    )


def test_what_does_not_exist_is_said_as_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no file or folder .*nowhere\.$"):
        open_evidence(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"There is no file or folder nowhere-to-be-found\.$"):
        evidence_pairs("nowhere-to-be-found")


def test_exports_of_campaigns_are_left_to_their_reader(tmp_path: Path) -> None:
    path = write(tmp_path / "esa.scores.csv", "engdeu6905,wmt23.refA,100,TGT,eng,deu,87,doc#refA,False,[],1,2")
    with pytest.raises(UsageError, match=r"export of Appraise, .* `judgements` with `kind` da, esa or mqm"):
        open_evidence(path)


def test_a_data_set_of_the_catalogue_has_its_own_name(tmp_path: Path) -> None:
    from tercet.data import catalogue

    source = write(tmp_path / "mine" / "scores.tsv", "lp\tsystem\tDA", "de-en\tx\t1").parent
    catalogue.add(source, "mine", tmp_path / "cache")
    place = catalogue.where("mine", tmp_path / "cache")
    assert evidence_pairs(place) == ["de-en"]
    beside = write(tmp_path / "more" / "metrics.tsv", "lp\tsystem\tMINE", "de-en\tx\t2").parent
    catalogue.add(beside, "mine_more", tmp_path / "cache")
    found = open_evidence(place, "de-en")
    assert (found.name, [scores.label for scores in found.scores]) == ("mine", ["MINE"])
    assert open_evidence(place).gold[0].system == {"x": 1}


def test_json_that_is_too_deep_to_read_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "deep.jsonl", '{"kind": ' * 100_000)
    with pytest.raises(DataError, match=r"deep\.jsonl, line 1: a number is too long, or objects are nested too deeply"):
        open_evidence(path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['system,DA,"BLEU', "a,1,2"], "quoted field spans several lines|is not CSV"),
        (["system,DA,BLEU", 'a,"1,2', "b,2,3"], "quoted field spans several lines|is not CSV"),
        (["system,DA,BLEU", "a,1,2", 'b,"2,3'], "quoted field spans several lines|is not CSV"),
        (["system,DA,BLEU", "a,1," + "2" * 200_000], r"line 2, column 'BLEU': '2{40}…' is not a number"),
        (["system,DA,BLEU", "a,1,3", "b,1," + "2" * 200_000], r"line 3, column 'BLEU': '2{40}…' is not a number"),
    ],
)
def test_csv_that_is_none_is_refused(tmp_path: Path, lines: list[str], message: str) -> None:
    write(tmp_path / "set" / "en-de.scores.csv", *lines)
    with pytest.raises(DataError, match=message):
        open_evidence(tmp_path / "set")
