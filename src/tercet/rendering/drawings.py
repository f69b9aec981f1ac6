"""Small figures that need no package and take their page's colours: means, histograms, aligned words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from math import floor, isnan, log10

from ..text.explanations import Alignment, Seen

BARS = "▁▂▃▄▅▆▇█"
ROW, LEFT, WIDTH = 26, 190, 640  # pixels: height of a row, place of the axis, width of the drawing
LINE, GAP = 20, 230  # pixels: height of a word, place of the words beside the lines
NAME = 26  # characters of a name; longer ones are cut, and shown on hover


class Histogram(str):
    """The cell of a table with a histogram: block characters in text, a drawing on a page."""

    counts: tuple[int, ...] = ()

    @classmethod
    def of(cls, counts: Sequence[int]) -> Histogram:
        """Return the cell for these counts, from the lowest bin to the highest."""
        most = max(counts, default=0)
        made = cls("".join("_" if not n else BARS[(len(BARS) - 1) * n // most] for n in counts))
        made.counts = tuple(counts)
        return made

    def svg(self) -> str:
        """Return the drawing: one bar for each count; an empty one is a line."""
        most, width = max(self.counts, default=0) or 1, 12 * len(self.counts)
        bars = "".join(
            f'<rect x="{12 * place + 1}" y="{29 - height:.1f}" width="10" height="{height + 1:.1f}"/>'
            for place, height in enumerate(28 * count / most for count in self.counts)
        )
        label = ", ".join(map(str, self.counts))
        return f'<svg class="bins" viewBox="0 0 {width} 30" width="{width}" height="30" role="img" ' + (
            f'aria-label="Numbers by score, lowest first: {label}">{bars}</svg>'
        )


@dataclass(frozen=True)
class IntervalDots:
    """A figure with one row for each (name, value, low, high, whether it stands out): a dot with its interval."""

    title: str
    values: Sequence[tuple[str, float, float, float, bool]]
    label: str = ""

    @property
    def rows(self) -> list[Mapping[str, object]]:
        names = ("name", "value", "low", "high", "best")
        return [dict(zip(names, row, strict=True)) for row in self.values]

    def svg(self) -> str:
        numbers = [each for row in self.values for each in row[1:4] if not isnan(each)]
        ticks = _ticks(min(numbers), max(numbers))
        low, high = min(ticks[0], *numbers), max(ticks[-1], *numbers)
        bottom = ROW * len(self.values) + 8

        def x(value: float) -> float:
            return LEFT + (WIDTH - LEFT - 30) * (value - low) / ((high - low) or 1)

        lines = [f'<svg class="plain" viewBox="0 0 {WIDTH} {bottom + 44}" width="{WIDTH}" height="{bottom + 44}">']
        for tick in ticks:
            lines.append(f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="4" y2="{bottom}"/>')
            lines.append(f'<text class="tick" x="{x(tick):.1f}" y="{bottom + 16}">{tick:g}</text>')
        for place, (name, value, start, end, best) in enumerate(self.values):
            y = ROW * place + ROW // 2 + 4
            shown = name if len(name) <= NAME else f"{name[: NAME - 1]}…"
            said = f"{name}: {value:.2f}" + ("" if isnan(start) else f" ({start:.2f} to {end:.2f})")
            lines.append(f'<g class="{"best" if best else "other"}"><title>{escape(said)}</title>')
            lines.append(f'<text class="name" x="{LEFT - 12}" y="{y + 4}">{escape(shown)}</text>')
            if not isnan(start):
                lines.append(f'<line x1="{x(start):.1f}" x2="{x(end):.1f}" y1="{y}" y2="{y}"/>')
            lines.append(f'<circle cx="{x(value):.1f}" cy="{y}" r="{6 if best else 4.5}"/></g>')
        middle = (LEFT + WIDTH - 30) / 2
        lines.append(f'<text class="tick" x="{middle:.0f}" y="{bottom + 36}">{escape(self.label)}</text></svg>')
        return "".join(lines)


@dataclass(frozen=True)
class AlignedWords:
    """A figure of two texts with lines between their aligned words, `links`: (word, other word, weight, label)."""

    title: str
    words: Sequence[str]
    other: Sequence[str]
    links: Sequence[tuple[int, int, float, str]]
    names: tuple[str, str] = ("output", "reference")

    @classmethod
    def of(cls, title: str, seen: Seen) -> list[AlignedWords]:
        """Return the figures of the alignments that a metric saw."""
        names = "output", "source" if seen.against is None else "reference"
        found = []
        for part in seen.parts:
            if isinstance(part, Alignment):
                linked = [(link, i, j) for link in part.links for i, j in product(link.output, link.other)]
                links = [(i, j, link.weight, link.label) for link, i, j in linked]
                found.append(cls(title, part.output, part.other, links, names))
        return found

    @property
    def rows(self) -> list[Mapping[str, object]]:
        return [
            {self.names[0]: self.words[i], self.names[1]: self.other[j], "weight": weight, "label": label}
            for i, j, weight, label in self.links
        ]

    def svg(self) -> str:
        """Return the drawing: one text below each other on either side; a faint line is a link of little weight."""
        height = LINE * (max(len(self.words), len(self.other)) + 2)
        lines = [f'<svg class="plain" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">']
        sides = (
            (self.words, self.names[0], GAP, "end", {link[0] for link in self.links}),
            (self.other, self.names[1], WIDTH - GAP, "start", {link[1] for link in self.links}),
        )
        for words, name, x, anchor, linked in sides:
            at = f'x="{x + (8 if anchor == "start" else -8)}" style="text-anchor: {anchor}'
            lines.append(f'<text class="tick" {at}" y="{LINE}">{escape(name)}</text>')
            for place, word in enumerate(words):
                faint = "" if place in linked else "; fill: var(--soft-text)"
                lines.append(f'<text {at}{faint}" y="{LINE * (place + 2)}">{escape(word)}</text>')
        for i, j, weight, label in self.links:
            said = f"{self.words[i]} = {self.other[j]}: {label or 'aligned'}, {weight:.3g}"
            first, second = LINE * (i + 2) - 4, LINE * (j + 2) - 4
            opacity = 0.25 + 0.75 * min(max(weight, 0.0), 1.0)
            lines.append(
                f'<g class="best" opacity="{opacity:.2f}"><title>{escape(said)}</title>'
                f'<line x1="{GAP}" y1="{first}" x2="{WIDTH - GAP}" y2="{second}"/></g>'
            )
        return "".join(lines) + "</svg>"


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two bounds."""
    span = (high - low) or abs(low) or 1.0
    size = 10 ** floor(log10(span / 4))
    step = next(size * times for times in (1, 2, 5, 10) if span / (size * times) <= 6)
    first = floor(low / step)
    return [step * (first + place) for place in range(int((high - step * first) / step) + 2)]
