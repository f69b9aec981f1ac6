"""Which variants are nearer to an output than the reference is.

Nearness is the sentence BLEU of an output (metric `sentbleu`), as the thesis measures with BLEU what further references
change.
"""

from collections.abc import Mapping, Sequence

from ..data.testset import TestSet
from ..errors import NotParallel
from ..scoring import score
from .result import Paraphrase

METRIC = "sentbleu:tokenize=13a"


def nearer_outputs(
    references: Sequence[str], variants: Sequence[Paraphrase], outputs: Mapping[str, Sequence[str]]
) -> list[tuple[str, ...]]:
    """Return for each variant the names of the outputs to which it is nearer than its reference."""
    lengths = [("references", len(references)), *((f"output {name!r}", len(lines)) for name, lines in outputs.items())]
    if len({length for _, length in lengths}) > 1:
        raise NotParallel("against", lengths)
    if not variants:
        return []
    chosen = {name: [lines[one.segment - 1] for one in variants] for name, lines in outputs.items()}
    old = score(TestSet(chosen, {"reference": [references[one.segment - 1] for one in variants]}), METRIC)[0]
    new = score(TestSet(chosen, {"variant": [one.text for one in variants]}), METRIC)[0]
    return [
        tuple(name for name in outputs if new.segment[name][row] > old.segment[name][row])
        for row in range(len(variants))
    ]
