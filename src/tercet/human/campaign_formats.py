"""Campaigns of other tools: Pearmut's (zouharvi/pearmut) and Appraise's (AppraiseDev/Appraise), read and written.

What the other tool has no place for is refused where judgements would mean something else, and named in a warning where
only comfort is lost. Their exports of answers are read by `tercet.data.campaigns`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..data.field_checks import check_encodable
from ..data.files import writing
from ..data.lines import read_lines
from ..errors import DataError, UnknownName, UsageError
from .campaign import Campaign

FORMS = ("pearmut", "appraise")


def read_campaign(
    path: str | Path, *, protocol: str | None = None, name: str | None = None, pair: str | None = None
) -> Campaign:
    """A campaign of Pearmut (a JSON file with info and data) or Appraise (batches.json, or the folder it is in).

    protocol: where the file does not say it, or says it wrongly. Personal links are made anew.
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
    raise DataError(f"{path} is a campaign neither of Pearmut (an object with info and data) nor of Appraise (a list).")


def write_campaign(campaign: Campaign, path: str | Path, *, form: str) -> Sequence[Path]:
    """Write a campaign for another tool and return the files; for Appraise, two files into a folder."""
    from . import appraise, pearmut

    path = Path(path)
    if form == "pearmut":
        files = {path: pearmut.content_of(campaign)}
    elif form == "appraise":
        files = {path / name: content for name, content in appraise.contents_of(campaign).items()}
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{path} cannot be made a folder: {error.strerror}.") from None
    else:
        raise UnknownName("tool for campaigns", form, FORMS)
    for file, content in files.items():
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)
        check_encodable(text, f"Campaign {campaign.name!r}")
        with writing(file) as stream:
            stream.write(text + "\n")
    return list(files)


def read_json(path: Path) -> Any:
    """What a JSON file says."""
    try:
        return json.loads("\n".join(read_lines(path)))
    except json.JSONDecodeError as error:
        raise DataError(f"{path}, line {error.lineno}, column {error.colno}: not JSON: {error.msg}.") from None
    except RecursionError:
        raise DataError(f"{path}: nested too deeply.") from None
