"""`ComparisonReport`: what a comparison found, with the segments behind every number, as one HTML file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..checking import CheckReport
from ..comparing import Comparison, NgramComparison, WordComparison
from ..data.files import writing
from ..data.scores import Scores
from ..data.testset import TestSet
from ..rendering.pages import data_page
from ..rendering.review_page import SCRIPTS as SHARED
from .layers import Layer
from .verdicts import verdict

__all__ = ["ComparisonReport", "verdict"]

OWN = f"{__name__}:pages"
SCRIPTS = (
    "data", "list", "state", "text", "seen", "counted", "layers", "overview", "pair", "analyses", "segments", "export",
    "keys", "main",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class ComparisonReport:
    """What the page shows. numbers: of the segments in the whole test set. before: names of earlier outputs."""

    comparison: Comparison
    testset: TestSet
    scores: Sequence[Scores]
    findings: CheckReport
    slices: Sequence[str]
    title: str
    numbers: Sequence[int]
    words: Sequence[WordComparison] = ()
    ngrams: Sequence[NgramComparison] = ()
    layers: Sequence[Layer] = ()
    before: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """What the first metric says of the systems, in one or two sentences."""
        return verdict(self.comparison, self.comparison.metrics[0], self.before)

    def to_dict(self) -> dict[str, object]:
        """Return the data of the page: texts, segment scores, differences, slices, findings."""
        from .payload import payload

        return payload(self)

    def html(self) -> str:
        """Return the page: one file that needs no network. Title and verdict are readable without scripts."""
        texts = self.testset
        counts = [(len(texts), "segment"), (len(texts.systems), "system"), (len(texts.references), "reference")]
        shown = [f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts if count]
        return data_page(
            self.title,
            " · ".join(filter(None, [texts.pair, *shown])),
            self.verdict,
            self.to_dict(),
            skip=("segments", "segments"),
            without="This page needs JavaScript to show more.",
            styles=["page.css", "browser/browser.css", f"{OWN}/report.css"],
            scripts=["theme.js", *(f"{'browser' if name in SHARED else OWN}/{name}.js" for name in SCRIPTS)],
        )

    def write(self, path: str | Path) -> None:
        text = self.html()
        with writing(path) as stream:
            stream.write(text)

    def __repr__(self) -> str:
        return f"ComparisonReport({self.title!r}: {self.verdict})"
