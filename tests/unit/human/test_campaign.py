"""Test campaign files: reading returns what was written, and errors name the faulty part."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.errors import DataError, UnknownName, UsageError
from tercet.human import campaign_json
from tercet.human.campaign import VERSION, Campaign, Item, Output, Rater, hashed
from tercet.human.campaign_json import read_tutorial
from tercet.human.protocols import PROTOCOLS

TEXTS = ("The cat 🐈‍⬛ sat.", "القطة جلست.", "猫坐下了。", 'quote " tab\t line\n end\u2028')


def small(**changes: Any) -> Campaign:
    items = [Item(f"{n:04d}", str(n), (Output("A", text),), source=f"source {n}") for n, text in enumerate(TEXTS, 1)]
    items.append(replace(items[0], id="0009", check="repeat", of="0001"))
    items.append(Item("t1", "t1", (Output("x", "y"),), "z", check="tutorial", expected={"value": 70}))
    values: dict[str, Any] = {
        "name": "Läufe",
        "protocol": "da",
        "items": items,
        "raters": [Rater("anna", ("0002", "0001", "0009"), "g", hashed("secret")), Rater("علي", ("0003",))],
        "pair": "en-de",
        "tutorial": ["t1"],
        "instructions": "Read.\nThen judge. ✓",
        "id": "abc",
    }
    return Campaign(**values | changes)


def content(campaign: Campaign, tmp_path: Path) -> dict[str, Any]:
    campaign.write(tmp_path / "c.json")
    loaded: dict[str, Any] = json.loads((tmp_path / "c.json").read_text("utf-8"))
    return loaded


def refusal(change: Any, tmp_path: Path) -> str:
    """Return the error message for a file whose content was changed."""
    loaded = content(small(), tmp_path)
    change(loaded)
    (tmp_path / "bad.json").write_text(json.dumps(loaded), "utf-8")
    with pytest.raises(DataError) as caught:
        Campaign.read(tmp_path / "bad.json")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'bad.json'}: ")
    return message.removeprefix(f"{tmp_path / 'bad.json'}: ")


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    campaign = small()
    campaign.write(tmp_path / "c.json")
    assert Campaign.read(tmp_path / "c.json") == campaign
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]  # no half-written file is left


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_makes_a_campaign(protocol: str, tmp_path: Path) -> None:
    how = PROTOCOLS[protocol]
    outputs = tuple(Output(f"s{n}", "text") for n in range(how.fewest))
    made = Campaign("c", protocol, [Item("1", "1", outputs)], [], show="neither", severities=how.severities)
    made.write(tmp_path / "c.json")
    assert Campaign.read(tmp_path / "c.json") == made


CASES: list[tuple[Any, str]] = [
    (lambda c: c["items"][2]["outputs"][0].update(text=5), "items[2].outputs[0].text: a text is needed, not 5."),
    (lambda c: c["items"][2]["outputs"][0].pop("system"), "items[2].outputs[0].system: missing."),
    (lambda c: c["items"][1].update(colour="red"), "items[1].colour: unknown key. Known keys: after, "),
    (lambda c: c["items"].append(c["items"][0]), "items[6]: '0001' occurs twice."),
    (lambda c: c["items"][0].update(id="../etc"), "items[0] ('../etc'): id: 1 to 100 letters, digits, '.', '_'"),
    (lambda c: c["items"][0].update(outputs=[]), "items[0] ('0001'): outputs: da shows 1 per item, not 0."),
    (lambda c: c["items"][0].update(check="odd"), "items[0] ('0001'): check: 'odd' must be empty or one of bad, re"),
    (lambda c: c["items"][4].update(of="0099"), "items[4] ('0009'): of: there is no other item '0099'."),
    (lambda c: c["items"][0].update(reference="r"), "items[0] ('0001'): reference_name: must be given if a refere"),
    (lambda c: c["items"][3].update(source=None), "items[3] ('0004'): source, reference: the campaign shows so"),
    (lambda c: c["items"][5].update(expected={"value": 101}), "items[5] ('t1'): expected: value: a number from 0"),
    (lambda c: c["items"][0].update(segment="a\tb"), "items[0] ('0001'): segment: 'a\\tb' has an unprintable char"),
    (lambda c: c["raters"][1]["items"].append("0077"), "raters[1] ('علي'): items[1]: there is no item '0077'."),
    (lambda c: c["raters"][0]["items"].append("0001"), "raters[0] ('anna'): items[3]: '0001' occurs twice."),
    (lambda c: c["raters"][0]["items"].append("t1"), "raters[0] ('anna'): items[3]: 't1' is in the tutorial"),
    (lambda c: c["raters"][0]["items"].append(7), "raters[0].items[3]: a text is needed, not 7."),
    (lambda c: c["raters"][1].update(name="anna"), "raters[1]: 'anna' occurs twice."),
    (lambda c: c["raters"][0].update(token_hash="plain"), "raters[0] ('anna'): token_hash: not a SHA-256"),
    (lambda c: [r.update(token_hash="a" * 64) for r in c["raters"][:2]],
     "raters[0] ('anna'): token_hash: rater 'علي' has the same one."),
    (lambda c: c["raters"][0].update(group="a\nb"), "raters[0] ('anna'): group: 'a\\nb' has an unprintable character"),
    (lambda c: c.update(categories=["Style", "a\tb"]), "categories[1]: 'a\\tb' has an unprintable character"),
    (lambda c: c.update(pair="en-\tde"), "pair: 'en-\\tde' has an unprintable character"),
    (lambda c: c.update(organiser_hash="plain"), "organiser_hash: not a SHA-256"),
    (lambda c: c["tutorial"].append("0001"), 'tutorial[1]: the check of item \'0001\' must be "tutorial".'),
    (lambda c: c.update(show="all"), "show: 'all' is not one of source, reference, both, neither, groups."),
    (lambda c: c.update(pair="german"), 'pair: a language pair such as "en-de" is needed, not \'german\'.'),
    (lambda c: c.update(protocol="dda"), "There is no protocol called 'dda'. Did you mean da?"),
    (lambda c: c.update(protocol="esa"), "severities: esa needs at least one, for example Minor, Major."),
    (lambda c: c.update(seed=True), "seed: a whole number is needed, not True."),
    (lambda c: c.update(name=""), "name: a name of 1 to 200 characters is needed, not ''."),
    (lambda c: c.pop("items"), "items: missing."),
    (lambda c: c["items"][0].update(source="a\ud83d"), "items[0].source: U+D83D at character 2 is half a surr"),
    (lambda c: c.update(items=[], tutorial=[]), "items: the list is empty; there is nothing to judge."),
    (lambda c: c.update(items=[3]), "items[0]: an object is needed, not 3."),
    (lambda c: c.pop("version"), 'not a campaign: an object with "version" is needed'),
    (lambda c: c.update(version=VERSION + 1), f"version: {VERSION + 1}; this Tercet reads campaigns up to "),
    (lambda c: c.update(version=-3), "version: there is no version -3."),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), CASES, ids=[expected[:40] for _, expected in CASES])
def test_errors_name_the_faulty_part(change: Any, expected: str, tmp_path: Path) -> None:
    assert refusal(change, tmp_path).startswith(expected)


def parts(value: Any) -> list[tuple[Any, Any]]:
    """Yield the container and the key of every part of a JSON value."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in parts(value[key])]


odd = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "t1", "0001", "x\ty", [], {}, [1]])


@settings(deadline=None)
@given(number=st.integers(0, 10_000), value=odd, remove=st.booleans())
def test_any_change_of_a_file_is_read_or_gives_a_data_error(number: int, value: Any, remove: bool) -> None:
    loaded = json.loads(json.dumps(campaign_json.content_of(small())))
    places = parts(loaded)
    holder, key = places[number % len(places)]
    if remove:
        del holder[key]
    else:
        holder[key] = value
    try:
        campaign = campaign_json.campaign_of(loaded)
    except (DataError, UnknownName):
        return
    again = json.loads(json.dumps(campaign_json.content_of(campaign)))
    assert campaign_json.campaign_of(again) == campaign


def test_a_file_that_is_not_json_gives_an_error_with_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text('{\n "version": 1,\n "name": oops\n}')
    with pytest.raises(DataError, match=r"c\.json, line 3, column 10: not a campaign, .* not JSON: Expecting value\."):
        Campaign.read(path)
    path.write_text("[" * 100_000)
    with pytest.raises(DataError, match="nested too deeply|not JSON"):
        Campaign.read(path)
    with pytest.raises(UsageError, match="There is no file"):
        Campaign.read(tmp_path / "absent.json")


def test_tokens_are_random_and_only_their_hashes_are_kept(tmp_path: Path) -> None:
    campaign, tokens = small().with_tokens()
    campaign.write(tmp_path / "c.json")
    text = (tmp_path / "c.json").read_text("utf-8")
    read = Campaign.read(tmp_path / "c.json")
    assert set(tokens.raters) == {"anna", "علي"} and len({*tokens.raters.values(), tokens.organiser}) == 3
    for name, token in tokens.raters.items():
        assert len(token) >= 32 and token not in text
        assert read.rater(name).token_hash == hashed(token)
    assert tokens.organiser not in text and read.organiser_hash == hashed(tokens.organiser)


def test_new_tokens_for_some_raters_keep_the_tokens_of_others() -> None:
    first, old = small().with_tokens()
    second, new = first.with_tokens(["anna"], organiser=False)
    assert set(new.raters) == {"anna"} and not new.organiser
    assert second.rater("anna").token_hash == hashed(new.raters["anna"]) != hashed(old.raters["anna"])
    assert second.rater("علي").token_hash == hashed(old.raters["علي"])
    assert second.organiser_hash == hashed(old.organiser)
    with pytest.raises(UnknownName, match="There is no rater in campaign 'Läufe' called 'ann'. Did you mean anna"):
        first.with_tokens(["ann"])


def test_items_and_raters_are_found_by_name() -> None:
    campaign = small()
    assert campaign.item("0002").outputs[0].text == TEXTS[1]
    assert campaign.rater("anna").items[0] == "0002"
    with pytest.raises(DataError, match="There is no item '0099' in campaign 'Läufe'"):
        campaign.item("0099")


def test_a_tutorial_is_read_from_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "tutorial.jsonl"
    path.write_text('{"outputs": [{"system": "x", "text": "y"}], "source": "z", "expected": {"value": 3}}\n', "utf-8")
    (item,) = read_tutorial(path)
    assert item == Item("t1", "t1", (Output("x", "y"),), "z", check="tutorial", expected={"value": 3})
    path.write_text('{"outputs": [{"system": "x"}]}\n')
    with pytest.raises(DataError, match=r"tutorial\.jsonl, line 1\.outputs\[0\]\.text: missing"):
        read_tutorial(path)
    path.write_text("{}\noops\n")
    with pytest.raises(DataError, match="line 1.outputs: missing"):
        read_tutorial(path)
    path.write_text("")
    with pytest.raises(DataError, match="is empty"):
        read_tutorial(path)
