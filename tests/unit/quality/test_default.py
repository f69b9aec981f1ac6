"""The package's own models: an estimate for English outputs without labels."""

from pathlib import Path

import numpy as np
import pytest

from tercet.errors import MissingDependency, UsageError
from tercet.language.output_network import open_output_network
from tercet.quality import default
from tercet.quality.default import load_model, open_default
from tercet.quality.resources import Corpora
from tests.unit.quality.test_training import small

SOURCE = "Die Brücke wurde nach einer Prüfung wieder für den Verkehr freigegeben."
GOOD = "After an inspection, the bridge was reopened to traffic."
BROKEN = "The bridge became after a check again for the traffic free given given."
OTHER = "Prices of potatoes fell by a third last year."


def test_broken_english_is_estimated_lower() -> None:
    for languages in (None, ("de", "en"), ("lv", "en")):
        good, broken, untranslated = open_default(languages).predict([SOURCE] * 3, [GOOD, BROKEN, SOURCE]).values
        assert good > broken + 10
        assert good > untranslated + 20


def test_another_meaning_is_noticed_only_where_meaning_is_compared() -> None:
    good, other = open_default(("de", "en")).predict([SOURCE] * 2, [GOOD, OTHER]).values
    assert good > other + 10
    good, other = open_default(("lv", "en")).predict([SOURCE] * 2, [GOOD, OTHER]).values
    assert abs(good - other) < 10


def test_it_says_why_meaning_is_not_compared(caplog: pytest.LogCaptureFixture) -> None:
    default._warn.cache_clear()
    open_default(("de", "en"))
    assert caplog.text == ""
    open_default(None)
    assert (
        "cannot see wrong meaning in fluent text: the source language is not known (give -l, as de-en)" in caplog.text
    )
    open_default(("fi", "en"))
    assert "the encoder does not know the source language 'fi'" in caplog.text
    open_default(("fi", "en"))
    assert len(caplog.records) == 2  # each reason once


def test_an_empty_output_is_the_worst_and_intervals_stay_on_the_scale() -> None:
    found = open_default(None).predict([SOURCE, SOURCE], ["", GOOD])
    assert found.values[0] == 0
    assert 0 <= found.values[1] <= 100
    assert found.lower[1] < found.values[1] < found.upper[1]


def test_other_targets_have_a_model_that_reads_the_source_too() -> None:
    model = open_default(("de", "fr"))
    sources = ["Der Arzt kam am Montag zu spät zur Arbeit."] * 4
    outputs = ["Le médecin est arrivé en retard au travail lundi.", "Le chien dort dans le jardin.", sources[0], ""]
    good, other, copied, empty = model.predict(sources, outputs).values
    assert 0 <= max(other, copied, empty) < good <= 100
    assert open_default(("zh-CN", "en")).checksum != model.checksum
    with pytest.raises(UsageError, match=r"no default model for en-sw\. No network reads 'sw'.*tercet qe rank triage"):
        open_default(("en", "sw"))
    with pytest.raises(UsageError, match="No network reads 'sw'"):
        open_default(("sw", "fr"))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "find_spec", lambda _: None)
    with pytest.raises(MissingDependency, match=r"tercet\[neural\]"):
        open_default(None)


def test_a_folder_called_default_is_not_taken_for_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "default").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_model("default").checksum == open_default(None).checksum


def test_a_file_called_default_is_read_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    model = small()
    model.save(tmp_path / "default")
    monkeypatch.chdir(tmp_path)
    assert load_model("default").checksum == model.checksum
    assert "There is a file called default" in caplog.text
    with pytest.raises(UsageError, match="The model is for et-en"):
        load_model("default", ("fi", "en"))


def test_the_network_gives_each_text_its_number_whatever_is_beside_it() -> None:
    network = open_output_network("english")
    together = network.scores([SOURCE] * 4, [GOOD, BROKEN, "", " ".join([GOOD] * 60)])
    alone = [network.scores([""], [text])[0] for text in (GOOD, BROKEN, "", " ".join([GOOD] * 60))]
    assert together.tolist() == alone
    assert np.isfinite(together).all()
    assert together[3] > together[1]


def test_a_network_that_reads_the_source_is_taken_for_other_languages() -> None:
    assert Corpora(("en", "de"), network="auto").estimate().network == "multilingual"
    assert Corpora(("mul", "en"), network="auto").estimate().network == "english"
    with pytest.raises(UsageError, match=r"No network reads 'sw'. Languages: ar, cs, de"):
        Corpora(("en", "sw"), network="auto").estimate()


def test_the_network_reads_english_only() -> None:
    with pytest.raises(UsageError, match="reads English outputs, and these are in 'de'"):
        Corpora(("en", "de"), network="english").estimate()
