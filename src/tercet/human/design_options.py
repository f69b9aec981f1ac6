"""How a campaign is designed: the options of `tercet rate new` and of `tercet.rate.new`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..options import again, option, python_option
from ..options.groups import SEED, Seed
from .protocols import PROTOCOLS, SHOWN

if TYPE_CHECKING:
    from .campaign import Item


@dataclass(frozen=True, kw_only=True)
class Design(Seed):
    """How a campaign is designed."""

    protocol: str | None = option(
        None, "--protocol", choices=tuple(PROTOCOLS), help="How people judge. [default: as recommended for the texts]",
        about="How people judge; by default what `human.protocols.recommended` says for the texts.",
    )  # fmt: skip
    raters: int | Sequence[str] = option(
        5, "--raters", metavar="NUMBER|NAME", several=True, help="Number of raters, or their names."
    )
    show: str | None = option(
        None, "--show", choices=SHOWN, help="What to show beside outputs  [default: depends on protocol]"
    )
    reference: str | None = option(None, "--show-reference", metavar="NAME", help="Which reference to show.")
    groups: Sequence[str] = option(
        (), "--groups", metavar="NAME", several=True,
        help="What each group of raters sees: names of references, or 'source'.",
    )  # fmt: skip
    sampling: str = option(
        "random", "--sampling", choices=("random", "spread", "documents"),
        help="Random segments, segments whose scores differ most between references, or whole documents.",
    )  # fmt: skip
    segments: int | None = option(
        None, "--segments", low=1, metavar="N", help="Number of segments to judge  [default: all]"
    )
    metric: str = option("chrf", "--metric", help="The metric of '--sampling spread'.", about='The metric of "spread".')
    per_segment: int | None = option(
        None, "--per-segment", low=1, metavar="N", help="Number of systems per segment  [default: all]"
    )
    together: int = option(5, "--together", low=2, high=5, help="Largest number of outputs in a ranking.")
    redundancy: int | None = option(
        None, "--redundancy", metavar="N", help="Raters (of each group) who judge an item  [default: all]"
    )
    bad: float = option(0.0, "--bad", low=0, high=1, help="Damaged copies per item, such as 0.1.")
    repeats: float = option(0.0, "--repeats", low=0, high=1, help="Exact repeats per item.")
    hidden: float = option(0.0, "--hidden", low=0, high=1, help="Hidden references per item.")
    tutorial: Sequence[Item] = python_option((), "Items that all raters see first; their ids are replaced.")
    instructions: str = python_option("", "Instructions for raters, in Markdown.")
    severities: Sequence[str] = option(
        (), "--severities", metavar="NAME", several=True, help="Severities of errors (mqm, esa)."
    )
    categories: Sequence[str] = option(
        (), "--categories", metavar="NAME", several=True, help="Categories of errors (mqm)."
    )
    show_identical: bool = option(
        False, "--show-identical",
        help="Show a text that several systems have in common once for each of them, not once for all.",
        about="Show a text that several systems have in common once for each of them, to measure how raters treat "
        "ties; otherwise it is judged once, and the judgement counts for all.",
    )  # fmt: skip
    name: str | None = option(None, "--name", help="Name of the campaign  [default: the name of the test set]")
    seed: int = again(Seed, "seed", SEED, env=None, help="The same seed gives the same campaign.", about="")

    def check(self) -> None:
        super().check()
        if isinstance(self.raters, tuple) and len(self.raters) == 1 and str(self.raters[0]).isdecimal():
            object.__setattr__(self, "raters", int(self.raters[0]))
