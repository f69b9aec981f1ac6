"""Read and write campaigns of other tools: Pearmut (zouharvi/pearmut) and Appraise (AppraiseDev/Appraise).

A feature without a counterpart in the other tool raises an error if judgements would change their meaning, and gives a
warning otherwise. The tools' exports of answers are read by `tercet.data.formats.campaigns`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from ..errors import DataError, UnknownName, UsageError
from .campaign import Campaign
from .campaign_json import read_json, write_json

log = logging.getLogger(__name__)

FORMS = ("pearmut", "appraise")


def read_campaign(
    path: str | Path, *, protocol: str | None = None, name: str | None = None, pair: str | None = None
) -> Campaign:
    """Read a campaign of Pearmut (a JSON file with info and data) or Appraise (batches.json or its folder).

    protocol: overrides the protocol of the file; needed if the file has none. Raters get new personal links.
    """
    from . import appraise, pearmut

    path = Path(path)
    batches = path / appraise.BATCHES if path.is_dir() else path
    content = read_json(batches)
    if isinstance(content, dict) and "data" in content:
        return pearmut.campaign_of(content, str(path), protocol=protocol, name=name, pair=pair)
    if isinstance(content, list):
        manifest = batches.with_name(appraise.MANIFEST)
        about = read_json(manifest) if manifest.exists() else {}
        return appraise.campaign_of(content, about, str(batches), protocol=protocol, name=name, pair=pair)
    raise DataError(f"{path} is not a campaign of Pearmut (an object with info and data) or of Appraise (a list).")


def write_campaign(campaign: Campaign, path: str | Path, *, form: str) -> Sequence[Path]:
    """Write a campaign for another tool and return the paths. For Appraise, `path` is a folder for two files."""
    from . import appraise, pearmut

    path = Path(path)
    lost = sum(len(output.same) for item in campaign.items for output in item.outputs)
    if lost or campaign.identical:
        log.warning(
            "%s has no place for outputs that several systems have in common: each is there for one system only. Make "
            "a campaign that shows each of them.", form,
        )  # fmt: skip
    if form == "pearmut":
        files = {path: pearmut.content_of(campaign)}
    elif form == "appraise":
        files = {path / name: content for name, content in appraise.contents_of(campaign).items()}
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The folder {path} cannot be created: {error.strerror}.") from None
    else:
        raise UnknownName("tool for campaigns", form, FORMS)
    for file, content in files.items():
        write_json(content, file, campaign.name)
    return list(files)
