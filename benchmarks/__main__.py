"""`make bench`: CPU time against sacreBLEU in the same process, on the same texts, results compared while at it.

With a folder ../shared (real WMT19 texts) the test set is en-de, 16 systems x 2,000 segments; without it, sentences
made up from a word list, with the same sizes. Fails (exit 1) when a promised ratio is missed.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from tercet import TestSet, compare, score
from tercet.comparing import compare_scores
from tercet.data.lines import write_lines
from tercet.data.stream import TextFiles
from tercet.rendering.tables import table

from . import (
    association,
    bilingual,
    closer_references,
    edits,
    encoders,
    information,
    knowledge,
    language_models,
    learned_metrics,
    long_segments,
    meteor,
    quality,
    sentence_rows,
    sentence_vectors,
    sequences,
    significance,
    syntax,
    tokenising,
    translation_models,
)
from .common import Row, cpu, measured, texts

SYSTEMS, SEGMENTS = 16, 2000


def children_cpu(command: list[str], folder: Path, repeat: int = 10) -> float:
    return min(measured(command, folder).seconds for _ in range(repeat))


def metric_speed(testset: TestSet) -> list[Row]:
    from sacrebleu.metrics import BLEU, CHRF

    references = [list(lines) for lines in testset.references.values()]
    rows = []
    for name, spec, peer, wanted in (
        ("BLEU", "bleu", lambda: BLEU(references=references, force=True), 15),
        ("chrF", "chrf", lambda: CHRF(references=references), 40),
        ("chrF++", "chrf:word_order=2", lambda: CHRF(word_order=2, references=references), 30),
    ):
        ours, (scores,) = cpu(partial(score, testset, [spec]), 3)

        def run(peer: Any = peer) -> dict[str, float]:
            metric = peer()
            return {name: metric.corpus_score(list(lines), None).score for name, lines in testset.outputs.items()}

        theirs, expected = cpu(run)
        worst = max(abs(scores.system[name] - value) for name, value in expected.items())
        if worst > 1e-9:
            sys.exit(f"{name}: differs from sacreBLEU by {worst}")
        rows.append((name, ours, theirs, float(wanted)))
    return rows


def count_by_peer(metric: Any, outputs: list[list[str]]) -> list[Any]:
    """What sacreBLEU counts before it tests."""
    return [metric._extract_corpus_statistics(lines, None) for lines in outputs]


def test_speed(testset: TestSet) -> list[Row]:
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    references = [list(lines) for lines in testset.references.values()]
    named = [(name, list(lines)) for name, lines in testset.outputs.items()]
    baseline = testset.systems[0]
    counted = score(testset, ["bleu"])
    rows: list[Row] = []
    for name, test, kind, resamples in (
        ("paired bootstrap, 1,000", "bootstrap", "bs", 1000),
        ("randomisation, 10,000", "randomisation", "ar", 10000),
    ):
        how: dict[str, Any] = {"tests": (test,), "resamples": resamples, "baseline": baseline}
        alone, _ = cpu(partial(compare_scores, counted, **how), 7)
        whole, _ = cpu(partial(compare, testset, ["bleu"], **how), 7)
        # Once, and with an object of its own: sacreBLEU's tokeniser remembers lines, which would spare it work.
        metrics = {"BLEU": BLEU(references=references, force=True)}
        theirs, _ = cpu(PairedTest(named, metrics, None, test_type=kind, n_samples=resamples))
        fresh = BLEU(references=references, force=True)
        counting, _ = cpu(partial(count_by_peer, fresh, [lines for _, lines in named]))
        # Counting has its own row above, at another ratio; the promise is held against both ways to measure.
        rows.append((f"{name}: the test", alone, theirs - counting, 50.0))
        rows.append((f"{name}: with counting", whole, theirs, 50.0))
    return rows


def command_speed(testset: TestSet) -> list[Row]:
    bin_folder = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_lines(folder / "ref", [text or "" for text in next(iter(testset.references.values()))[:100]])
        write_lines(folder / "out", list(next(iter(testset.outputs.values()))[:100]))
        words = ["ref", "-i", "out", "-m", "bleu", "-b"]
        ours = children_cpu([str(bin_folder / "tercet"), "score", *words], folder)
        theirs = children_cpu([str(bin_folder / "sacrebleu"), *words], folder)
        start = children_cpu([str(bin_folder / "tercet"), "--help"], folder)
    return [("command, 100 lines", ours, theirs, 1.0), ("tercet --help (limit .25 s)", start, 0.25, 1.0)]


def read_and_split(folder: Path) -> int:
    """What Python itself needs for two files: the peer of BLEU alone."""
    with (folder / "ref").open(encoding="utf-8") as references, (folder / "out").open(encoding="utf-8") as outputs:
        return sum(len(a.split()) + len(b.split()) for a, b in zip(references, outputs, strict=True))


def growth(testset: TestSet) -> list[list[str]]:
    """CPU time and memory as the input grows 16-fold: files of one system, streamed."""
    reference = [text or "" for text in next(iter(testset.references.values()))]
    output = list(next(iter(testset.outputs.values())))
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for times in (4, 16, 64):
            folder = Path(name) / str(times)
            folder.mkdir()
            write_lines(folder / "ref", reference * times)
            write_lines(folder / "out", output * times)
            files = TextFiles({"out": folder / "out"}, {"ref": folder / "ref"})
            seconds, _ = cpu(partial(score, files, ["bleu", "chrf"], keep_counts=False))
            bleu, _ = cpu(partial(score, files, ["bleu"], keep_counts=False), 3)
            plain, _ = cpu(partial(read_and_split, folder), 3)
            segments = times * len(reference)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rows.append(
                [
                    f"{segments:,}",
                    f"{seconds:.2f}",
                    f"{1e6 * seconds / segments:.1f}",
                    f"{peak:.0f}",
                    f"{bleu / plain:.2f}x",
                ]
            )
    return rows


def main() -> None:
    testset = texts("en-de", SYSTEMS, SEGMENTS)
    grown = growth(testset)  # first: the peak of memory is the process's
    rows = [*metric_speed(testset), *test_speed(testset), *command_speed(testset)]
    rows += edits.rows(testset)
    for part in (
        sequences,
        long_segments,
        sentence_rows,
        meteor,
        association,
        significance,
        information,
        knowledge,
        language_models,
        translation_models,
        syntax,
        closer_references,
        tokenising,
        sentence_vectors,
        encoders,
        learned_metrics,
        quality,
        bilingual,
    ):
        rows += part.rows()
    print(f"{len(testset.systems)} systems x {len(testset)} segments; CPU seconds, ours and the peer's\n")
    header = ["what", "Tercet", "peer", "ratio", "promised"]
    print(
        table(
            header,
            [[name, f"{a:.3f}", f"{b:.3f}", f"{b / a:.1f}x", f"{wanted:.0f}x"] for name, a, b, wanted in rows],
        )
    )
    print("\nBLEU and chrF of one system, streamed from files\n")
    print(table(["segments", "CPU seconds", "µs per segment", "peak MB", "BLEU / reading and splitting"], grown))
    missed = [name for name, a, b, wanted in rows if b / a < wanted]
    if float(grown[-1][2]) > 1.3 * float(grown[0][2]):
        missed.append("linear growth")
    if float(grown[-1][4].rstrip("x")) > 1.5:
        missed.append("BLEU within 1.5 times the time of reading and splitting")
    if missed:
        sys.exit("Missed: " + ", ".join(missed))


if __name__ == "__main__":
    main()
