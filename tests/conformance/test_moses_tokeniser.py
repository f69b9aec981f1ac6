"""Moses tokenizer.perl -q -l LANG on real and adversarial texts: every field equal, character by character."""

import pytest

from tercet.text.moses import tokenise
from tests.conftest import read_golden_table


@pytest.mark.parametrize(
    ("name", "language"), [("lten19", "en"), ("ende21", "de"), ("adv", "en"), ("adv_nonempty", "en")]
)
def test_every_field_equals_tokenizer_perl(shared, name, language):
    raw = read_golden_table(shared / "golden" / "testsets" / f"{name}.tsv")
    expected = read_golden_table(shared / "golden" / "testsets" / "tok_moses" / f"{name}.tsv")
    columns = [column for column in raw if column.startswith(("ref", "sys:"))]  # sources were not tokenised
    assert len(columns) >= 3
    for column in columns:
        assert [tokenise(text, language) for text in raw[column]] == expected[column], column
