"""Tokenisers against sacreBLEU 2.6.0, golden strings and live."""

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from tercet.text.tokenisers import tokenise

from ..conftest import read_golden, read_golden_table

# What the rules look at, more often than chance would bring it up.
alphabet = st.one_of(
    st.sampled_from(list("aZ09 .,-'\"&;<>/%()[]{}\\~^_|$€½²٣\t\u00a0\u2028\u3000。，中Ａ（★👍\u0301«»—")),
    # Unassigned characters mean different things to different versions of Unicode.
    st.characters(codec="utf-8", exclude_characters="\0\n\r", exclude_categories=["Cn", "Cs"]),
)
texts = st.one_of(
    st.text(alphabet, max_size=40),
    st.lists(st.sampled_from(["&quot;", "&amp;", "&lt;", "<skipped>", "3.5", "1,000", "x-y", "3-4"]), max_size=8).map(
        " ".join
    ),
)


def test_tokens_equal_those_of_sacrebleu(shared):
    compared = 0
    for record in read_golden(shared, "sacrebleu_tokenizers"):
        columns = read_golden_table(shared / "golden" / "testsets" / f"{record['test_set']}.tsv")
        name = record["parameters"]["tokenize"]
        for column, expected in record["segment_scores"].items():
            texts = columns.get(column) or columns[f"sys:{column}"]
            ours = tokenise(texts[: len(expected)], name).strings()
            for our, their in zip(ours, expected, strict=True):
                assert our == their.split(), (name, record["test_set"], column)
                compared += 1
    assert compared == 3_795


@pytest.mark.parametrize("name", ["none", "13a", "intl", "zh", "char"])
@given(texts)
def test_tokens_equal_those_of_sacrebleu_on_any_text(name, text):
    tokenizer = sacrebleu.metrics.bleu._get_tokenizer(name)()
    assert tokenise([text], name).strings()[0] == tokenizer(text.rstrip()).split()
