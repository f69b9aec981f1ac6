r"""EED: edit distance on characters in which a path may jump at blanks, with a penalty for repeated visits.

Stanchev, Wang and Ney (2019), "EED: Extended Edit Distance Measure for Machine Translation", WMT. Equals the programs
of rwth-i6/ExtendedEditDistance, each as a variant: `wmt19` its C++ of May 2019, whose scores the WMT19 metrics task
published with the sign turned; `current` the C++ since September 2019, with another coverage; `python` and
`python-wmt19` its Python of the same times (torchmetrics' EED is `python`). The default, `corrected`, has
the coverage of September 2019 without the mistakes of the programs:

- The C++ keeps a row's minimum in a whole number, so that the cheapest column is often another one.
- The Python counts column 0, which no path visits between equal texts, as never visited: they score above 0.
- A blank is put before each . , ! ? and should be taken back in numbers and abbreviations, but is not: the rules ask
  for blanks on both sides ("1,000.50" becomes "1 ,000 .50"), one turns "i . e ." into "e.g.", and that for titles
  replaces any character ("Mr Smith" becomes "Mr.mith").
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels import jumps
from ...text.coding import Ints, call, code_points
from ...text.explanations import Seen
from .. import BestReferenceMetric, Floats, param
from ..bases.pairs import refuse_long


class _Variant(NamedTuple):
    """The properties of a program."""

    compatible: str | None
    single: bool = False  # single precision, with the row's minimum as a whole number
    revisits: bool = False  # coverage counts the visits of columns visited more than once, as in May 2019
    first: bool = False  # column 0 counts as well
    tidy: bool = False  # blanks around punctuation as they were meant


VARIANTS = {
    "corrected": _Variant(None, tidy=True),
    "wmt19": _Variant("EED-a397984", single=True, revisits=True),
    "current": _Variant("EED-f944adc", single=True),
    "python-wmt19": _Variant("EED-a397984-python", revisits=True),
    "python": _Variant("EED-f944adc-python", first=True),
}
COSTS = ("deletion", "insertion", "substitution", "jump", "rho")
MOST_CHARACTERS = 100_000  # of one text: half a minute

_TITLES = "Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms"
_NUMBERS = re.compile(r"(\d) ([.,]) (\d)")
_ANY_AFTER_TITLE = re.compile(f"({_TITLES}) .")
_SPACED = re.compile(rf"\b(?:(e) \. (g) \.|(i) \. (e) \.|(U) \. (S) \.|({_TITLES}) \.)")
_DIVIDED = re.compile(rf"\b(?:e\.g|i\.e|U\.S|{_TITLES})\.|(?<=\d)[.,](?=\d)|([.!?,])")


@dataclass(frozen=True)
class EED(BestReferenceMetric):
    """EED, the mean of segments, 0 (equal) to 1; lower is better.

    deletion, insertion, substitution: the cost of an extra output character, of a missing reference character, and of
    a wrong one. jump: the cost of a jump. rho: the weight of coverage.
    variant: corrected, or a program: wmt19, current, python-wmt19, python.
    With several references the one with the lowest score counts.
    """

    deletion: float = param(0.2, low=0, high=1000)
    insertion: float = param(1.0, low=0, high=1000)
    substitution: float = param(1.0, low=0, high=1000)
    jump: float = param(2.0, low=0, high=1000)
    rho: float = param(0.3, low=0, high=1000)
    variant: str = param("corrected", choices=VARIANTS)

    higher_is_better = False
    paper = "Stanchev et al. (2019), EED: Extended Edit Distance Measure for Machine Translation"

    @property
    def compatible(self) -> str | None:
        return VARIANTS[self.variant].compatible

    def read(self, texts: Sequence[str], opened: object) -> tuple[NDArray[np.uint32], Ints]:
        divide = divide_marks if VARIANTS[self.variant].tidy else divide_marks_as_published
        return code_points([f" {divide(text)} " for text in texts])

    def compare(self, outputs: Sequence[str], references: tuple[NDArray[np.uint32], Ints], whose: Ints) -> Floats:
        """Count the score, 1 for the segment, cost of edits and jumps, coverage, and reference length in characters."""
        points, offsets = references
        coded, output_offsets = self.read(outputs, None)
        lengths = np.diff(offsets)
        refuse_long("eed", "characters", outputs, np.diff(output_offsets), lengths, whose, most=MOST_CHARACTERS)
        errors, visits = self._grid(coded, output_offsets, points, offsets, whose)
        variant = VARIANTS[self.variant]
        never, again, total, first = visits.T
        coverage = total if variant.revisits else never + total - again
        if variant.first:
            coverage = coverage + np.where(first == 0, 1, first - 1)
        kind = np.dtype(np.float32 if variant.single else np.float64)
        covered = np.asarray(self.rho, dtype=kind) * coverage.astype(kind)
        rates = (errors.astype(kind) + covered) / (lengths.astype(kind) + covered)
        scores = np.minimum(1.0, rates.astype(np.float64))
        return np.column_stack([scores, np.ones(len(scores)), errors, coverage, lengths])

    def _grid(
        self, outputs: NDArray[np.uint32], output_offsets: Ints, points: NDArray[np.uint32], offsets: Ints, whose: Ints
    ) -> tuple[Floats, Ints]:
        """Return costs of the cheapest paths, and the visits that `kernels.jumps` counts, shape (references, 4)."""
        single = VARIANTS[self.variant].single
        kind = np.dtype(np.float32 if single else np.float64)
        # A number in single precision is passed on as the double nearest to it, for the uncompiled kernel.
        costs = [float(kind.type(getattr(self, name))) for name in COSTS[:4]]
        columns = int(np.diff(output_offsets).max(initial=0)) + 1
        errors, visits = np.empty(len(whose)), np.empty(4 * len(whose), dtype=np.int64)
        distances: Callable[..., None] = jumps.jump_distances_single if single else jumps.jump_distances
        texts = (outputs, output_offsets, whose, points, offsets)
        scratch = [np.empty(columns, dtype=np.int32), visits, *(np.empty(columns, dtype=kind) for _ in range(3))]
        call(distances, *texts, *costs, errors, *scratch)
        return errors, visits.reshape(-1, 4)

    def details(self, totals: Floats) -> dict[str, object]:
        return {"errors": float(totals[2]), "coverage": int(totals[3]), "ref_len": int(totals[4])}

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        shown = (_decode(self.read([text], None)[0]) for text in (output, reference))
        texts = dict(zip(("output", "reference_text"), shown, strict=True))
        return Seen(float(counts[0]), values={"errors": float(counts[2]), "coverage": int(counts[3]), **texts})


def _decode(points: NDArray[np.uint32]) -> str:
    return points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def divide_marks(text: str) -> str:
    """Return the text with a blank before . , ! ? except in numbers and abbreviations, and with single blanks only."""
    text = " ".join(text.split())
    if " ." in text:
        text = _SPACED.sub(lambda found: "".join(f"{part}." for part in found.groups() if part), text)
    return " ".join(_DIVIDED.sub(lambda found: f" {found[1]}" if found[1] else found[0], text).split())


def divide_marks_as_published(text: str) -> str:
    """Return the text as all programs change it, for any language and with their mistakes."""
    text = text.rstrip()
    for mark in ".!?,":
        text = text.replace(mark, f" {mark}")
    text = (" " if text[:1].isspace() else "") + " ".join(text.split())
    text = _ANY_AFTER_TITLE.sub(r"\1.", _NUMBERS.sub(r"\1\2\3", text))
    return text.replace("e . g .", "e.g.").replace("i . e .", "e.g.").replace("U . S .", "U.S.")
