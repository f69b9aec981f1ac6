"""An author writes few members."""

import re
from pathlib import Path

import tercet.metrics
from tercet.metrics import Metric

PAGE = Path(__file__).parents[3] / "docs" / "adding-a-metric.md"


def test_the_page_lists_exactly_the_members_that_an_author_writes() -> None:
    written = {name for name in vars(Metric) if not name.startswith("_")}
    section = PAGE.read_text("utf-8").partition("## What a class has")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == written
    assert len(written) <= 14


def test_the_example_is_a_copy_of_one_of_our_metrics() -> None:
    """Only the form of imports differs, because a user's file is not part of the package."""
    own = (Path(tercet.metrics.__file__).parent / "strings" / "simpbleu.py").read_text("utf-8")
    example = PAGE.read_text("utf-8").partition('```python title="simpbleu.py"\n')[2].partition("```")[0]
    assert example.partition("@dataclass")[2] == own.partition("@dataclass")[2]
    absolute = own.replace("from ...", "from tercet.").replace("from .. ", "from tercet.metrics ")
    ours, theirs = (re.findall(r"^from (?!__).*", text, re.MULTILINE) for text in (absolute, example))
    assert sorted(ours) == sorted(theirs)


def test_four_fifths_of_our_metrics_derive_from_the_bases_that_everybody_has() -> None:
    public = [getattr(tercet.metrics, name) for name in tercet.metrics.__all__]
    bases = tuple(each for each in public if isinstance(each, type) and issubclass(each, Metric) and each is not Metric)
    derived = [name for name in tercet.metrics.names() if issubclass(tercet.metrics.metric_class(name), bases)]
    assert len(derived) >= 0.8 * len(tercet.metrics.names())
