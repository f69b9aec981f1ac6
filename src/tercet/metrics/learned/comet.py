"""COMET: trained metrics on source, output and reference, or on source and output (quality estimation).

Rei et al. (2020), "COMET: A Neural Framework for MT Evaluation", EMNLP; Rei et al. (2022), "CometKiwi", WMT. The models
are the user's, or names of the hub; the package unbabel-comet runs them.
"""

import logging
import pickle
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ...errors import DataError, UsageError, optional
from .. import ModelMetric, param
from ..bases.models import Predict, Row

_KIND = re.compile(r"^class_identifier:\s*['\"]?(\w+)", re.MULTILINE)
_SEGMENTS = re.compile(r"^input_segments:((?:\n\s*- \w+)+)", re.MULTILINE)


@dataclass(frozen=True)
class COMET(ModelMetric):
    """COMET, the mean of segments.

    model: a checkpoint (FOLDER/checkpoints/model.ckpt, or the folder), or a name of the hub: Unbabel/wmt22-comet-da.
    encoder: the folder of the encoder that the checkpoint names (its config and tokenizer), to load it offline.
    references: how the scores with several references become one: mean or best; none is quality estimation, and the
        default of models that read none.
    """

    encoder: str | None = param(local=True)

    usual_model = "Unbabel/wmt22-comet-da"
    packages = (("comet", "comet"),)
    paper = "Rei et al. (2020), COMET: A Neural Framework for MT Evaluation"
    decimals = 4

    def defaults(self, language: str | None) -> Mapping[str, object]:
        references = "none" if _reads_no_reference(self.model) else "mean"
        return {**super().defaults(language), "references": references}

    def place(self) -> Path:
        found = _checkpoint(self.model or "")
        if found is None:
            from ...language.encoders.huggingface import find_folder

            _package()
            allowed = self.allow_download
            found = _checkpoint(str(find_folder(self.name, self.model or "", allow_download=allowed, everything=True)))
        if found is None:
            raise UsageError(
                f"comet: {self.model} has no checkpoints/model.ckpt with a hparams.yaml beside the folder."
            )
        return found

    def checksum(self, place: Path) -> str:
        from ...data.files import file_checksum

        return file_checksum(place)

    def load(self, place: Path) -> Predict:
        _package()
        models = import_module("comet.models")
        kind, _ = _hparams(place)
        if kind not in models.str2model:
            raise DataError(
                f"comet: {place.parents[1] / 'hparams.yaml'} names no kind of model that this package knows."
            )
        given: dict[str, Any] = {"pretrained_model": self.encoder} if self.encoder else {}
        with _quiet(), _loading(str(self.model)):
            model = models.str2model[kind].load_from_checkpoint(
                str(place), load_pretrained_weights=False, map_location="cpu", strict=False,
                local_files_only=not self.allow_download, weights_only=not self.trust_pickle, **given,
            )  # fmt: skip
        if self.without_references and model.requires_references():
            raise UsageError(f"comet: {self.model} reads references; references must be mean or best.")
        gpus = self._gpus()

        def predict(rows: Sequence[Row]) -> list[float]:
            samples = [{"src": row.source, "mt": row.output} for row in rows]
            if not self.without_references:
                for sample, row in zip(samples, rows, strict=True):
                    sample["ref"] = row.reference
            with _quiet():
                found = model.predict(samples, batch_size=self.batch, gpus=gpus, progress_bar=False)
            return list(found.scores)

        return predict

    def _gpus(self) -> int:
        torch = import_module("torch")
        found = bool(torch.cuda.is_available())
        if self.device == "cuda" and not found:
            raise UsageError("device=cuda: torch finds no GPU here. Use device=cpu.")
        return int(found and self.device != "cpu")


def _package() -> ModuleType:
    with _quiet():
        return optional("comet", "COMET", "comet")


def _checkpoint(place: str) -> Path | None:
    """Return the checkpoint in a folder, or the file itself, if it has its hparams.yaml."""
    found = Path(place)
    if found.is_dir():
        found = found / "checkpoints" / "model.ckpt"
    return found if found.is_file() and (found.absolute().parents[1] / "hparams.yaml").is_file() else None


def _hparams(checkpoint: Path) -> tuple[str, list[str]]:
    """Read from hparams.yaml the kind of a model, and the segments that it reads; empty if it does not say them."""
    text = (checkpoint.absolute().parents[1] / "hparams.yaml").read_text("utf-8", errors="replace")
    kind, segments = _KIND.search(text), _SEGMENTS.search(text)
    return kind[1] if kind else "", re.findall(r"- (\w+)", segments[1]) if segments else []


def _reads_no_reference(model: str | None) -> bool:
    """Return whether a model is for quality estimation; by its name if it is not on this computer."""
    checkpoint = _checkpoint(model) if model else None
    if checkpoint is None:
        return any(part in (model or "").lower() for part in ("kiwi", "-qe"))
    kind, segments = _hparams(checkpoint)
    return kind == "referenceless_regression_metric" or (bool(segments) and "ref" not in segments)


@contextmanager
def _loading(model: str) -> Iterator[None]:
    try:
        yield
    except pickle.UnpicklingError:
        raise DataError(
            f"comet: the checkpoint of {model} holds more than tensors and plain values. Loading it could run any "
            "code. If you trust the file, use `trust_pickle`."
        ) from None
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        said = (str(error).splitlines() or ["?"])[0]
        raise DataError(
            f"comet: {model} cannot be loaded: {said} If it looks for its encoder, give the encoder's folder: "
            "encoder=FOLDER, or use `allow_download`."
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the packages below, which report every step."""
    loggers = [logging.getLogger(name) for name in ("pytorch_lightning", "lightning", "comet", "lightning.pytorch")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
