"""The tables of `tercet alignments`."""

from ...rendering.tables import number
from .counting import ALL, AlignmentReport

TITLES = {  # by the name of --table
    "matches": "Aligned words by level",
    "penalties": "Context penalties by level",
    "equivalence": "Segment scores changed by equivalent relations",
}


def table_rows(name: str, report: AlignmentReport, *, rounded: bool) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of one table."""
    total = report.total

    def decimals(value: float, width: int) -> str:
        return number(value, width) if rounded or value != value else repr(value)

    def percent(part: int, whole: int) -> str:
        return decimals(100 * part / whole if whole else float("nan"), 1)

    if name == "equivalence":
        listed = [*report.systems.items(), *([(ALL, total)] if len(report.systems) > 1 else [])]
        return ["system", "changed", "segments", "%"], [
            [system, str(found.changed), str(found.segments), percent(found.changed, found.segments)]
            for system, found in listed
        ]
    if name == "penalties":
        return ["level", "mean", "words with one", "%"], [
            [level, decimals(found.mean, 3), str(found.penalised), percent(found.penalised, found.words)]
            for level, found in total.penalties.items()
        ]
    header = ["level"]
    header += [f"{metric}{part}" for metric in ("Cobalt", "METEOR") for part in (" content", " function", "", " %")]
    sides = (total.matches, total.aligned), (total.meteor, total.meteor_aligned)
    rows = []
    for level in total.matches:
        row = [level]
        for found, aligned in sides:
            cells = found.get(level)
            counts = [cells.content, cells.function, cells.total] if cells else []
            row += [*map(str, counts), percent(counts[2], aligned)] if counts else [""] * 4
        rows.append(row)
    rows.append(["aligned"])
    for found, aligned in sides:
        content = sum(cells.content for cells in found.values())
        rows[-1] += [str(content), str(aligned - content), str(aligned), percent(aligned, aligned)]
    for side, words in (("output words", total.output_words), ("reference words", total.reference_words)):
        rows.append([side])
        for _, aligned in sides:
            rows[-1] += ["", "", str(words), percent(aligned, words)]
    return header, rows
