"""The findings of `tercet check`, and the report that lists them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..text.anomalies import ERROR, NOTE, WARNING

SHOWN = 5  # line numbers in a finding
SEVERITIES = (ERROR, WARNING, NOTE)
_COLOURS = {ERROR: "31", WARNING: "33", NOTE: "36"}


@dataclass(frozen=True)
class Finding:
    """A problem in one file. `lines` are the first few of `count` lines, numbered from 1."""

    kind: str
    severity: str
    file: str
    lines: tuple[int, ...]
    count: int
    message: str
    advice: str

    def as_text(self, *, colour: bool = False) -> str:
        severity = self.severity.ljust(8)
        if colour:
            severity = f"\033[{_COLOURS[self.severity]}m{severity}\033[0m"
        where = ""
        if self.lines:
            more = f" and {self.count - len(self.lines)} more" if self.count > len(self.lines) else ""
            where = f", line{'s' if self.count > 1 else ''} {', '.join(map(str, self.lines))}{more}"
        return f"{severity} {self.file}{where}: {self.message} [{self.kind}]\n{' ' * 9}{self.advice}"


@dataclass(frozen=True)
class CheckReport:
    """All findings, the most severe first. recognised: what files without a role are, and why."""

    files: tuple[str, ...]
    segments: int
    findings: tuple[Finding, ...]
    unit: str = "file"
    recognised: tuple[str, ...] = ()

    def count(self, severity: str) -> int:
        return sum(found.severity == severity for found in self.findings)

    @property
    def ok(self) -> bool:
        return not self.count(ERROR)

    def as_records(self) -> list[dict[str, Any]]:
        return [{**asdict(found), "lines": list(found.lines)} for found in self.findings]

    def as_text(self, *, colour: bool = False) -> str:
        files = f"{len(self.files)} {self.unit}{'s' * (len(self.files) != 1)}"
        where = f"in {files} ({self.segments} segment{'s' * (self.segments != 1)})."
        if not self.findings:
            none = [] if self.recognised and not self.segments else [f"No problems found {where}"]
            return "\n".join([*self.recognised, *none])
        counts = [f"{n} {name}{'s' if n > 1 else ''}" for name in SEVERITIES if (n := self.count(name))]
        rows = [found.as_text(colour=colour) for found in self.findings]
        return "\n".join([*self.recognised, *rows, f"{', '.join(counts)} {where}"])


@dataclass(frozen=True)
class Text:
    """The lines of a file and its role. `missing`: rows for which a test set has no text."""

    name: str
    role: str  # "source", "reference", "output", or "text" if only files were given
    lines: list[str]
    missing: frozenset[int] = frozenset()

    @property
    def a_role(self) -> str:
        return {"source": "the source", "reference": "a reference", "output": "an output"}.get(self.role, "a file")

    def numbers(self, wanted: Callable[[str], object]) -> list[int]:
        """Return the numbers of the lines for which this is true."""
        return [number for number, line in enumerate(self.lines, 1) if wanted(line)]

    def finding(
        self, kind: str, severity: str, lines: Sequence[int], message: str, advice: str, count: int | None = None
    ) -> Finding:
        """Return a finding that lists the first of its lines. `count`: if it is not the number of lines."""
        count = len(lines) if count is None else count
        return Finding(kind, severity, self.name, tuple(lines[:SHOWN]), count, message, advice)


def merge(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Keep one finding per kind and file, the most severe. Returns them by severity, then in the order found."""
    kept: dict[tuple[str, str], Finding] = {}
    for found in findings:
        key = (found.kind, found.file)
        if key not in kept or SEVERITIES.index(found.severity) < SEVERITIES.index(kept[key].severity):
            kept[key] = found
    return tuple(sorted(kept.values(), key=lambda found: SEVERITIES.index(found.severity)))
