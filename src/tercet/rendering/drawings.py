"""Small figures that need no package and take the colours of their page: means with intervals, histograms in cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, isnan, log10
from typing import Any

BARS = "▁▂▃▄▅▆▇█"
ROW, LEFT, WIDTH = 26, 190, 640  # pixels: height of a row, place of the axis, width of the drawing
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
    def rows(self) -> list[Mapping[str, Any]]:
        """The numbers, for JSON."""
        names = ("name", "value", "low", "high", "best")
        return [dict(zip(names, row, strict=True)) for row in self.values]

    def svg(self) -> str:
        """Return the drawing, whose colours are in the page's style."""
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


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two bounds."""
    span = (high - low) or abs(low) or 1.0
    size = 10 ** floor(log10(span / 4))
    step = next(size * times for times in (1, 2, 5, 10) if span / (size * times) <= 6)
    first = floor(low / step)
    return [step * (first + place) for place in range(int((high - step * first) / step) + 2)]
