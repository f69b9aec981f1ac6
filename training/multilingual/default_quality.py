"""Make the model of `tercet qe … default` for outputs that are not English.

    python -m training.multilingual.default_quality DATA OUT.model

The package's network `multilingual` reads source and output; a straight line maps its number to the scale of direct
assessment, learnt with its intervals on the dev part of MLQE en-de, which the network has not seen. (WMT17's
assessments into English put nearly every output of other languages between 53 and 62, and with WMT16 en-ru beside MLQE
the line is nearly flat: their raters used the scale in other ways.)
"""

import sys
from pathlib import Path

import numpy as np

from tercet.language.output_network import open_output_network
from tercet.quality.features import FeatureTable
from tercet.quality.inputs import ANY_LANGUAGE
from tercet.quality.resources import Corpora, Resources
from tercet.quality.training import Featurised, LabelledTexts, learn
from training import data

RANGE = (0.0, 100.0)


def read(folder: Path) -> list[tuple[str, str, float]]:
    """Return source, output and raw score."""
    rows = data.rows(folder / "mlqe" / "en-de.dev.tsv.gz")
    return [(row["original"], row["translation"], float(row["mean"])) for row in rows]


def main() -> None:
    """Learn and write."""
    found = read(Path(sys.argv[1]))
    sources, outputs = tuple(row[0] for row in found), tuple(row[1] for row in found)
    labels = np.clip(np.array([row[2] for row in found]), *RANGE)
    values = open_output_network("multilingual").scores(sources, outputs)
    table = FeatureTable(("target_network",), values[:, None])
    resources = Resources(ANY_LANGUAGE, ANY_LANGUAGE, network="multilingual")
    corpora = Corpora((ANY_LANGUAGE, ANY_LANGUAGE), network="multilingual")
    model = learn(
        LabelledTexts(sources, outputs, labels, sources), corpora, Featurised(table, resources, (), ()),
        learner="ridge", label_range=RANGE, higher_is_better=True, grouped_by="source sentence",
    )  # fmt: skip
    model.save(Path(sys.argv[2]))
    print(np.corrcoef(values, labels)[0, 1], model.checksum)


if __name__ == "__main__":
    main()
