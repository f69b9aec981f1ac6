"""Test reading and writing campaigns of Pearmut and Appraise."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tercet import examples as demo
from tercet.data.formats.campaigns import read_pearmut
from tercet.errors import DataError, UnknownName, UsageError
from tercet.human.campaign import Campaign, Item, Output, Rater
from tercet.human.campaign_formats import read_campaign, write_campaign
from tercet.human.designs import design

DEMO = demo.load("en-zh")


def views(campaign: Campaign) -> list[tuple[str, list[Any]]]:
    """Return what every rater sees, in order, without ids."""
    return [
        (
            rater.name,
            [
                (item.segment, item.outputs, item.source, item.reference, item.reference_name, item.check)
                for item in map(campaign.item, rater.items)
            ],
        )
        for rater in campaign.raters
    ]


def written(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), "utf-8")
    return path


@pytest.mark.parametrize("protocol", ["da", "esa", "mqm", "adequacy", "fluency", "effort"])
@pytest.mark.parametrize("sampling", ["random", "documents"])
def test_a_campaign_goes_to_pearmut_and_comes_back(protocol: str, sampling: str, tmp_path: Path) -> None:
    made = design(DEMO, protocol=protocol, raters=3, redundancy=2, bad=0.1, repeats=0.1, hidden=0.1, sampling=sampling,
                  show_identical=True)  # fmt: skip
    (path,) = write_campaign(made, tmp_path / "p.json", form="pearmut")
    back = read_campaign(path, pair="en-zh")
    assert views(back) == views(made) and len(back.items) == len(made.items)
    assert (back.protocol, back.name, back.show, back.pair) == (protocol, made.name, made.show, made.pair)
    assert (back.severities, back.categories) == (made.severities, made.categories)
    for item in back.items:
        if item.check == "bad" and item.of:
            original = back.item(item.of)
            assert (original.segment, original.systems) == (item.segment, item.systems) and not original.check


def test_the_file_for_pearmut_has_its_keys(tmp_path: Path) -> None:
    text = "a😀b\nc"
    lesson = Item(
        "t1", "1", (Output("x", text),), "s", check="tutorial",
        expected={"spans": [[{"start": 2, "end": 5, "severity": "Major"}]], "value": 95},
    )  # fmt: skip
    plain = Item("1", "7", (Output("x", text),), "s", document="d")
    damaged = Item("2", "7", (Output("x", "zz"),), "s", document="d", check="bad", of="1")
    made = Campaign(
        "c", "esa", [lesson, plain, damaged], [Rater("anna", ("1", "2"))], instructions="a < b\nc",
        tutorial=["t1"], severities=("Minor", "Major"),
    )  # fmt: skip
    (path,) = write_campaign(made, tmp_path / "p.json", form="pearmut")
    content = json.loads(path.read_text("utf-8"))
    assert content["info"] == {
        "assignment": "task-based", "protocol": "ESA", "users": ["anna"], "shuffle": False,
        "instructions": "a &lt; b<br>c", "mqm_severities": ["Minor", "Major"],
    }  # fmt: skip
    assert [[item["item_id"] for item in document] for document in content["data"][0]] == [["7"], ["7#bad"]]
    assert content["data"][0][0][0]["tgt"] == {"x": text} and content["data"][0][0][0]["src"] == "s"
    rule = content["data_welcome"][0][0]["validation"]["x"]
    # UTF-16 units, the line feed not counted, the last one included: a 0, the emoji 1 and 2, b 3, c 4
    assert rule["error_spans"] == [{"start_i": [3, 3], "end_i": [4, 4], "severity": "Major"}]
    assert rule["score"] == [85, 100]
    # What Pearmut logs about such an item is read with the check in the segment's name.
    log = {
        "user_id": "anna", "item_i": 0, "item": content["data"][0][1],
        "annotation": [{"x": {"score": 4, "error_spans": []}}], "actions": [],
    }  # fmt: skip
    (row,) = read_pearmut(written(tmp_path / "log.jsonl", log), kind="esa").rows
    assert (row.segment, row.system, row.value) == ("7#bad", "x", 4)


FOREIGN = {
    "info": {"assignment": "task-based", "protocol": "ESA"},
    "campaign_id": "wmt25_#_en-cs",
    "data": [
        [
            [
                {"item_id": "d_#_0", "src": "Hi", "tgt": {"A": "Ahoj", "B": "Čau"}, "instructions": "…"},
                {"item_id": "d_#_1", "src": "Bye", "tgt": {"A": "Sbohem", "B": "Nazdar"}, "error_spans": {"A": [{}]}},
            ],
            [{"src": "One", "tgt": {"A": "Jedna"}}],
        ],
        [[{"item_id": "d_#_0", "src": "Hi", "tgt": {"A": "Ahoj"}}]] * 2,
    ],
    "data_welcome": [
        [{"text": "Your language?", "form": "string"}],
        [{"src": "x", "tgt": {"T": "y"}, "validation": {"T": {"score": [1, 2]}}}],
    ],
    "data_random": [[{"src": "x", "tgt": {"T": "y"}}]],
}  # fmt: skip


def test_a_campaign_made_with_pearmut_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = read_campaign(written(tmp_path / "p.json", FOREIGN), pair="en-cs")
    assert (made.protocol, made.name, made.show, made.pair) == ("esa", "wmt25_#_en-cs", "source", "en-cs")
    first, second = ([made.item(id) for id in rater.items] for rater in made.raters)
    # Our items show one output each: a document becomes one list of items per system.
    assert [(item.segment, item.systems[0], item.document) for item in first] == [
        ("d_#_0", "A", "d_#_0"), ("d_#_1", "A", "d_#_0"), ("d_#_0", "B", "d_#_0"), ("d_#_1", "B", "d_#_0"),
        ("data[0].1.0", "A", ""),
    ]  # fmt: skip
    assert [item.segment for item in second] == ["d_#_0", "d_#_0"] and second[0].id != second[1].id
    assert [made.item(id).outputs[0].text for id in made.tutorial] == ["y"]
    for lost in ("questions about the rater (form), 1", "error_spans, 1", "validation, 1", "(data_random), 1"):
        assert f"left out: {lost}." in caplog.text or lost in caplog.text


def test_a_shared_pool_is_assigned_in_turn(tmp_path: Path) -> None:
    documents = [[{"item_id": str(n), "src": "s", "tgt": {"A": f"t{n}"}}] for n in range(5)]
    content = {
        "info": {"assignment": "single-stream", "protocol": "DA", "users": ["u", {"user_id": "v"}]},
        "data": documents,
    }
    made = read_campaign(written(tmp_path / "p.json", content))
    assert [(rater.name, len(rater.items)) for rater in made.raters] == [("u", 3), ("v", 2)] and len(made.items) == 5


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"data": []}, "'info' must be an object."),
        ({"info": {"protocol": "DA"}, "data": {}}, "'data' must be a list."),
        ({"info": {"protocol": "XSTS"}, "data": []}, "info.protocol is 'XSTS', not one of DA, ESA"),
        ({"info": {"protocol": "DA", "assignment": "dynamic"}, "data": []}, "assignment 'dynamic' cannot be read"),
        ({"info": {"protocol": "DA", "sliders": [{"name": "Joy"}]}, "data": []}, "one slider is needed: adequacy or f"),
        ({"info": {"protocol": "DA", "users": ["a"]}, "data": [[], []]}, "info.users names 1 raters, but data has 2"),
        ({"info": {"protocol": "DA"}, "data": [5]}, "data[0]: a list of documents is needed."),
        ({"info": {"protocol": "DA"}, "data": [[5]]}, "data[0][0]: a list of items is needed."),
        ({"info": {"protocol": "DA"}, "data": [[[{"src": "x"}]]]}, 'data[0][0][0]: an item needs "tgt", an object'),
        ({"info": {"protocol": "DA"}, "data": [[[{"tgt": {"a": 5}}]]]}, "data[0][0][0].tgt: a text is needed, not 5."),
        ({"info": {"protocol": "DA"}, "data": [[[{"src": [], "tgt": {"a": ""}}]]]}, "data[0][0][0].src: a text is"),
        ({"info": {"protocol": "DA"}, "data": [[]]}, "items: the list is empty; there is nothing to judge."),
        ({"nothing": 1}, "is not a campaign of Pearmut (an object with info and data) or of Appraise"),
    ],
)  # fmt: skip
def test_a_bad_file_of_pearmut_is_refused_with_the_place(content: Any, expected: str, tmp_path: Path) -> None:
    with pytest.raises((DataError, UsageError)) as caught:
        read_campaign(written(tmp_path / "p.json", content))
    assert expected in str(caught.value) and "p.json" in str(caught.value)


@pytest.mark.parametrize(
    ("protocol", "show"),
    [("da", "source"), ("esa", "source"), ("mqm", "source"), ("da", "neither"), ("da", "reference")],
)
def test_a_campaign_goes_to_appraise_and_comes_back(protocol: str, show: str, tmp_path: Path) -> None:
    made = design(DEMO, protocol=protocol, show=show, raters=3, redundancy=2, repeats=0.1, bad=0.1, hidden=0.1,
                  show_identical=True)  # fmt: skip
    files = write_campaign(made, tmp_path / "appraise", form="appraise")
    assert [path.name for path in files] == ["manifest.json", "batches.json"]
    back = read_campaign(tmp_path / "appraise", protocol=protocol)
    assert back.pair == "en-zh"
    if show != "reference":
        assert views(back) == views(made)
    else:  # whether the text beside the output is a source or a reference, Appraise does not say
        assert [[row[:2] for row in rows] for _, rows in views(back)] == [
            [row[:2] for row in rows] for _, rows in views(made)
        ]
    assert Counter(item.check for item in back.items) == Counter(item.check for item in made.items)


def test_the_files_for_appraise_have_its_keys(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = design(DEMO, protocol="esa", raters=2, segments=2, sampling="random", bad=0.1)
    manifest, batches = (
        json.loads(path.read_text("utf-8")) for path in write_campaign(made, tmp_path, form="appraise")
    )
    assert manifest["TASKS_TO_ANNOTATORS"] == [["eng", "zho", "uniform", 2, 2]]
    assert (manifest["TASK_TYPE"], manifest["TASK_OPTIONS"], manifest["REDUNDANCY"]) == ("Document", "ESA", 1)
    first = made.item(made.raters[0].items[0])
    item = batches[0]["items"][0]
    assert (item["itemID"], item["sourceText"], item["targetID"]) == (
        int(first.segment),
        first.source,
        first.systems[0],
    )
    assert {item["itemType"] for batch in batches for item in batch["items"]} == {"TGT", "BAD"}
    pairs = design(DEMO, protocol="pairwise", raters=1, segments=1)
    _, batches = (json.loads(path.read_text("utf-8")) for path in write_campaign(pairs, tmp_path, form="appraise"))
    assert [len(item["targets"]) for item in batches[0]["items"]] == [2, 2, 2]
    assert views(read_campaign(tmp_path)) == views(pairs)


APPRAISE = [
    {
        "items": [
            {"itemID": 9, "itemType": "TGT", "sourceID": "s", "sourceText": "x", "targetID": "A", "targetText": "y",
             "documentID": "ende-tutorial1", "mqm": {"tutorial": {}}},
            {"itemID": 1, "itemType": "TGT", "sourceID": "s", "sourceText": "Hi", "targetID": "A",
             "targetText": "Hallo", "documentID": "d1", "mqm": []},
            {"itemID": 1, "itemType": "BAD", "sourceID": "s", "sourceText": "Hi", "targetID": "A", "targetText": "Haxo",
             "documentID": "d1#bad", "mqm": []},
        ],
        "task": {"requiredAnnotations": 2, "sourceLanguage": "eng", "targetLanguage": "deu"},
    }
]  # fmt: skip


def test_a_campaign_made_with_appraise_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path / "batches.json", APPRAISE)
    with pytest.raises(UsageError, match=r"batches\.json does not name the protocol, and has no manifest\.json"):
        read_campaign(path)
    written(tmp_path / "manifest.json", {"CAMPAIGN_NAME": "ex", "TASK_TYPE": "Document", "TASK_OPTIONS": "ESA"})
    made = read_campaign(path)
    assert (made.name, made.protocol, made.pair, made.show) == ("ex", "esa", "en-de", "source")
    assert [(rater.name, len(rater.items)) for rater in made.raters] == [("rater1", 2), ("rater2", 2)]
    plain, bad = (made.item(id) for id in made.raters[0].items)
    assert (bad.check, bad.of, bad.document, plain.segment) == ("bad", plain.id, "d1", "1")
    assert len(made.tutorial) == 1 and "left out: pre-marked errors and tutorial rules (mqm), 1" in caplog.text


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda b: b[0].pop("items"), 'batch 0: an object with "items" is needed.'),
        (lambda b: b[0]["items"].append(5), "batch 0, items[3]: an object is needed."),
        (lambda b: b[0]["items"][1].update(itemType="X"), "batch 0, items[1].itemType: 'X' is not one of TGT, BAD"),
        (lambda b: b[0]["items"][1].pop("targetText"), "batch 0, items[1]: targetID and targetText are needed"),
        (lambda b: b[0]["items"][1].update(sourceText=5), "batch 0, items[1].sourceText: a text is needed, not 5."),
        (lambda b: b[0]["task"].update(requiredAnnotations=0), "batch 0: requiredAnnotations is 0"),
        (lambda b: b[0]["items"][1].update(targets=3), "batch 0, items[1].targets: a list is needed."),
    ],
)
def test_a_bad_file_of_appraise_is_refused_with_the_place(change: Any, expected: str, tmp_path: Path) -> None:
    content = json.loads(json.dumps(APPRAISE))
    change(content)
    with pytest.raises(DataError) as caught:
        read_campaign(written(tmp_path / "batches.json", content), protocol="da")
    assert expected in str(caught.value) and "batches.json" in str(caught.value)


def test_a_text_that_is_also_judged_as_ref_is_a_reference(tmp_path: Path) -> None:
    item = {
        "itemID": 1,
        "itemType": "REF",
        "sourceID": "ref.de",
        "sourceText": "x",
        "targetID": "ref.de",
        "targetText": "x",
    }
    made = read_campaign(written(tmp_path / "b.json", [{"items": [item]}]), protocol="da")
    assert (made.show, made.items[0].reference_name, made.items[0].check) == ("reference", "ref.de", "reference")


def test_features_that_other_tools_lack_are_errors(tmp_path: Path) -> None:
    ranking = design(DEMO, protocol="ranking", raters=1)
    for form in ("pearmut", "appraise"):
        with pytest.raises(UsageError, match="has no ranking. It has"):
            write_campaign(ranking, tmp_path / form, form=form)
    with pytest.raises(UsageError, match="Appraise shows the source or a reference beside outputs, not both"):
        write_campaign(design(DEMO, protocol="da", show="both"), tmp_path / "x", form="appraise")
    with pytest.raises(UnknownName, match="no tool for campaigns called 'turkle'"):
        write_campaign(ranking, tmp_path / "x", form="turkle")
    assert not list(tmp_path.iterdir())
