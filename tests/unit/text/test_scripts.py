"""Scripts of texts and languages, and the advice on tokenisers."""

import re
import tomllib
import unicodedata
from importlib.resources import files

import pytest

from tercet.text import scripts

SAMPLES = {
    "Latin": "The quick brown fox",
    "Cyrillic": "Съешь ещё этих мягких",
    "Greek": "Ξεσκεπάζω την ψυχοφθόρα",
    "Han": "我昨天去了北京",
    "Hiragana": "きのうはとうきょう",
    "Hangul": "나는 어제 서울에",
    "Thai": "ฉันไปโรงเรียน",
    "Lao": "ຂ້ອຍໄປໂຮງຮຽນ",
    "Khmer": "ខ្ញុំទៅសាលា",
    "Myanmar": "ကျွန်တော်ကျောင်းသွားတယ်",
    "Arabic": "ذهب الولد إلى المدرسة",
    "Hebrew": "הילד הלך לבית הספר",
    "Devanagari": "मैं कल स्कूल गया था",
    "Gujarati": "હું ગઈકાલે શાળાએ ગયો",
    "Bengali": "আমি গতকাল স্কুলে",
    "Tamil": "நான் நேற்று பள்ளிக்கு",
    "Telugu": "నేను నిన్న పాఠశాలకు",
    "Georgian": "გუშინ სკოლაში წავედი",
    "Armenian": "Երեկ ես գնացի դպրոց",
}


@pytest.mark.parametrize("script", SAMPLES)
def test_the_script_of_a_sentence_is_recognised(script):
    assert scripts.dominant(["2019: " + SAMPLES[script] + " (12)"]) == script


def test_the_ranges_agree_with_the_names_of_letters():
    """An independent source: Unicode names begin with the script. CJK and half-width forms are named otherwise."""
    for script in scripts.script_names():
        if script == "Han":
            continue
        column = scripts.script_names().index(script)
        points = [p for p in range(0x3400) if unicodedata.name(chr(p), "").startswith(f"{script.upper()} LETTER")]
        points += [
            p for p in range(0x3400) if unicodedata.name(chr(p), "").startswith(f"{script.upper()} CAPITAL LETTER")
        ]
        counts = scripts.count_scripts([chr(point) for point in points])
        assert counts[:, column].all(), script


def test_counts_have_one_row_per_text():
    counts = scripts.count_scripts(["abc где", "", "12 !"])
    names = scripts.script_names()
    assert counts.shape == (3, len(names))
    assert counts[0, names.index("Latin")] == 3
    assert counts[0, names.index("Cyrillic")] == 3
    assert not counts[1:].any()
    assert scripts.dominant(["12 !", ""]) is None
    assert scripts.shares([]) == {}


def test_the_table_of_languages_holds_languages_and_every_script():
    table = tomllib.loads(files("tercet.text").joinpath("scripts.toml").read_text("utf-8"))
    for script, codes in table["languages"].items():
        for code in codes.split():
            assert re.fullmatch("[a-z]{2,3}", code), (script, code)
            assert script in scripts.scripts_of(code)
    assert set(table["languages"]) == set(table["ranges"])
    assert all(scripts.scripts_of(code) for code in table["words"])


def test_a_code_is_cut_to_the_language_in_two_letters():
    given = {"zh-CN": "zh", "zh_Hant": "zh", "ZH": "zh", "zho_Hans": "zh", "deu": "de", "GER": "de", "ast": "ast"}
    assert {code: scripts.base_code(code) for code in given} == given
    known = {code for codes in scripts._data()["languages"].values() for code in codes.split()}
    assert set(scripts._short_codes().values()) <= known
    assert not known & scripts._short_codes().keys()


def test_languages_know_their_scripts_whatever_the_region():
    assert scripts.scripts_of("el") == {"Greek"}
    assert scripts.scripts_of("ru") == {"Cyrillic"}
    assert scripts.scripts_of("sr") == {"Cyrillic", "Latin"}
    assert scripts.scripts_of("ja") == {"Han", "Hiragana", "Katakana"}
    assert scripts.scripts_of("zh-CN") == scripts.scripts_of("ZH_Hant") == {"Han", "Bopomofo"}
    assert scripts.scripts_of("tlh") == frozenset()


@pytest.mark.parametrize(
    ("text", "tokeniser", "language", "right"),
    [
        ("我昨天去了北京的一家很好的餐馆。", "13a", None, "zh"),
        ("我昨天去了北京的一家很好的餐馆。", "intl", "zh", "zh"),
        ("他在2019年使用iPhone X和Google地图导航。", "none", None, "zh"),
        ("私は昨日東京へ行きました。", "13a", None, "ja-mecab"),
        ("東京大学", "13a", "ja", "ja-mecab"),
        ("私は昨日東京へ行きました。", "zh", None, "ja-mecab"),
        ("ฉันไปโรงเรียน", "13a", None, "char"),
        ("ຂ້ອຍໄປໂຮງຮຽນ", "13a", None, "char"),
        ("ខ្ញុំទៅសាលា", "intl", None, "char"),
        ("ကျွန်တော်ကျောင်းသွားတယ်", "13a", None, "char"),
        ("나는 어제 서울에 갔습니다.", "13a", "ko", "ko-mecab"),
    ],
)
def test_a_tokeniser_that_does_not_fit_is_told_with_the_right_one(text, tokeniser, language, right):
    advice = scripts.advise_tokeniser([text] * 3, tokeniser, language)
    assert advice is not None
    assert f"tokenize={right}" in advice
    assert repr(tokeniser) in advice
    assert scripts.advise_tokeniser([text] * 3, right, language) is None
    assert scripts.advise_tokeniser([text] * 3, "char", language) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Hello world", None),
        ("Привет", None),
        ("나는 어제", None),
        ("Mr Wang (王) said", "en"),
        ("", None),
        ("123", "zh"),
    ],
)
def test_a_tokeniser_that_fits_gets_no_advice(text, language):
    assert scripts.advise_tokeniser([text], "13a", language) is None


def test_the_advice_looks_only_at_the_beginning_of_large_texts(monkeypatch):
    looked_at = []
    shares = scripts.shares
    monkeypatch.setattr(scripts, "shares", lambda texts: looked_at.extend(texts) or shares(texts))
    assert scripts.advise_tokeniser(["我昨天去了北京。" * 10_000] * 300, "13a") is not None
    assert 0 < sum(map(len, looked_at)) < 100_000


def test_a_language_is_guessed_only_where_it_stands_out():
    english = ["The man that was in the house is not the one that they have seen with his friends from this town."] * 10
    german = ["Der Mann und die Frau sind mit dem Zug von der Stadt auf das Land, und das ist nicht für sich."] * 10
    assert scripts.guess_language(english) == "en"
    assert scripts.guess_language(german) == "de"
    assert scripts.guess_language(["Merkel 2019 Berlin"] * 40) is None
    assert scripts.guess_language(["The man"]) is None
    assert scripts.knows_words_of("de-AT")
    assert not scripts.knows_words_of("zh")
