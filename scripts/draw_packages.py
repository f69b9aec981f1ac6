"""Draw the packages and what they import: `python scripts/draw_packages.py` writes docs/images/packages.svg.

A package is below all that it imports. An arrow that follows from others is left out. tests/unit/test_house.py fails if
the picture is out of date.
"""

import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE, PICTURE = ROOT / "src" / "tercet", ROOT / "docs" / "images" / "packages.svg"
IMPORT = re.compile(r"^ *from (\.+)([\w.]*) import ([\w, ]+)", re.MULTILINE)
FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:    .*\n|\n)*", re.MULTILINE)
WIDTH, HEIGHT, GAP, ROW = 118, 26, 14, 64


def imports() -> dict[str, set[str]]:
    """Return the packages and modules of the first level, each with those that it imports."""
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[0] in ("__init__", "__main__"):
            continue
        mine = found.setdefault(parts[0], set())
        text = FOR_TYPES.sub("", path.read_text("utf-8"))
        for dots, module, names in IMPORT.findall(text):
            base = parts[: len(parts) - len(dots) + (path.name == "__init__.py")]
            mine |= {base[0]} if base else {module.partition(".")[0]} if module else set(names.split(", "))
    return {name: {each for each in others if each in found and each != name} for name, others in found.items()}


def levels(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the row of each package: one below the lowest that it imports."""
    found: dict[str, int] = {}

    def level(name: str) -> int:
        if name not in found:
            found[name] = 1 + max((level(each) for each in graph[name]), default=-1)
        return found[name]

    for name in graph:
        level(name)
    return found


def reduced(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the graph without edges that follow from others."""
    reached: dict[str, set[str]] = {}
    for name in sorted(graph, key=levels(graph).__getitem__):
        reached[name] = graph[name] | {each for other in graph[name] for each in reached[other]}
    return {name: mine - {each for other in mine for each in reached[other]} for name, mine in graph.items()}


def drawn() -> str:
    """Return the picture."""
    graph = imports()
    level, edges = levels(graph), reduced(graph)
    rows: list[list[str]] = [[] for _ in range(1 + max(level.values()))]
    place: dict[str, float] = {}
    for number, row in enumerate(rows):  # below what they import, as far as that is possible
        mine = [name for name in sorted(graph) if level[name] == number]
        above = {name: [place[each] for each in edges[name]] or [0.0] for name in mine}
        row += sorted(mine, key=lambda name: (sum(above[name]) / len(above[name]), name))
        place |= {name: (at - (len(row) - 1) / 2) * (WIDTH + GAP) for at, name in enumerate(row)}
    width = max(map(len, rows)) * (WIDTH + GAP) + GAP
    height = len(rows) * ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="13" text-anchor="middle" role="img" aria-label="The packages and what they import">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for name, others in sorted(edges.items()):
        for other in sorted(others):
            x, y = place[name] + width / 2, level[name] * ROW + 10
            to, end = place[other] + width / 2, level[other] * ROW + 10 + HEIGHT
            bend = (y - end) / 2
            parts.append(
                f'<path d="M{x:g} {y:g}C{x:g} {y - bend:g} {to:g} {end + bend:g} {to:g} {end:g}" fill="none" '
                'stroke="#9aa5b1"/>'
            )
    for name, at in place.items():
        x, y = at + width / 2, level[name] * ROW + 10
        parts.append(
            f'<rect x="{x - WIDTH / 2:g}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#eef3f8" '
            f'stroke="#4a6fa5"/><text x="{x:g}" y="{y + 17}" fill="#1b2733">{name}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(drawn(), "utf-8")
