"""TER's normalisation against sacreBLEU's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from tercet.text import tercom

PIECES = ["&quot;", "&amp;", "lt;", "'s", "1-", "\n-", "3.5", "a.b", " ", "中文。", "カナ"]
TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="aB1.,'s-/&;:()[]\n \u3042\u30a2\u4e2d\u3001\uff0c\uff61\u3200\u3300\uac00", max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
)


@given(TEXTS, st.tuples(*[st.booleans()] * 4))
def test_every_combination_equals_sacrebleu(text, flags):
    normalised, no_punct, asian, cased = flags
    theirs = TercomTokenizer(normalized=normalised, no_punct=no_punct, asian_support=asian, case_sensitive=cased)
    options = {"normalised": normalised, "no_punct": no_punct, "asian_support": asian, "case_sensitive": cased}
    assert tercom.normalise([text, text], **options) == [theirs(text)] * 2


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "john's dog, 3.5 &amp; more."),
        ({"normalised": True}, "john 's dog , 3.5 & more ."),
        ({"no_punct": True}, "john's dog 35 &amp more"),
        ({"normalised": True, "case_sensitive": True}, "John 's dog , 3.5 & more ."),
    ],
)
def test_the_parameters_do_what_they_say(options, expected):
    assert tercom.normalise(["John's dog, 3.5 &amp; more."], **options) == [expected]


def test_the_tokeniser_keeps_capitals():
    assert tercom.tokenise("Hello, World.") == "Hello , World ."
