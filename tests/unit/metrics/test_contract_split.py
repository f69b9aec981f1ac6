"""An author writes few members."""

import re
from pathlib import Path

from tercet.metrics import Metric

PAGE = Path(__file__).parents[3] / "docs" / "adding-a-metric.md"


def test_the_page_lists_exactly_the_members_that_an_author_writes() -> None:
    written = {name for name in vars(Metric) if not name.startswith("_")}
    section = PAGE.read_text("utf-8").partition("## What a class has")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == written
    assert len(written) <= 14
