"""BLEURT: a trained metric on the reference and the output.

Sellam, Das and Parikh (2020), "BLEURT: Learning Robust Metrics for Text Generation", ACL. The checkpoint is a folder of
the user's; the authors' package, which is not on PyPI, runs it with TensorFlow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from ...errors import DataError, UsageError
from ..bases.models import ModelMetric, Predict, Row

CHECKPOINT = "https://storage.googleapis.com/bleurt-oss-21/BLEURT-20.zip"
INSTALL = "pip install git+https://github.com/google-research/bleurt.git"


@dataclass(frozen=True)
class BLEURT(ModelMetric):
    """BLEURT, the mean of segments; about 0 to 1 for BLEURT-20.

    model: the folder of a checkpoint, such as BLEURT-20.
    references: how the scores with several references become one: mean or best.
    batch: texts that are scored at once.
    device, allow_download, trust_pickle: not used; TensorFlow chooses the device, and a checkpoint is a folder.
    """

    runs_code = True  # TensorFlow executes a checkpoint
    paper = "Sellam, Das and Parikh (2020), BLEURT: Learning Robust Metrics for Text Generation"
    needs = frozenset({"reference"})

    @property
    def lacks(self) -> str:
        if self.model:
            return ""
        return f"a model: bleurt:model=BLEURT-20, unpacked from {CHECKPOINT}, and its authors' package: {INSTALL}"

    def validate(self) -> None:
        if self.references == "none":
            raise UsageError("bleurt needs references: references must be mean or best.")

    def place(self) -> Path:
        place = Path(self.model or "")
        if not (place / "bleurt_config.json").is_file():
            raise UsageError(f"bleurt: {place} is no folder of a BLEURT checkpoint: it has no bleurt_config.json.")
        return place

    def checksum(self, place: Path) -> str:
        from ...data.files import file_checksum
        from ...language.encoders.transformer import digest

        inside = sorted(each for each in place.rglob("*") if each.is_file())
        return digest(*(f"{each.relative_to(place)} {file_checksum(each)}" for each in inside))

    def load(self, place: Path) -> Predict:
        try:
            scoring = import_module("bleurt.score")
        except ImportError:
            raise UsageError(f"bleurt needs the package of its authors. Install it: {INSTALL}") from None
        try:
            scorer = scoring.LengthBatchingBleurtScorer(str(place))
        except (OSError, ValueError, AssertionError, KeyError) as error:
            raise DataError(f"The BLEURT checkpoint {place} cannot be loaded: {error}.") from None

        def predict(rows: Sequence[Row]) -> list[float]:
            references, outputs = [row.reference for row in rows], [row.output for row in rows]
            return list(scorer.score(references=references, candidates=outputs, batch_size=self.batch))

        return predict
