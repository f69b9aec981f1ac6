"""Functions of `tercet rate`: design a campaign (`new`), serve it, export its answers, read those of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .human.campaign import Campaign as Campaign
from .human.campaign_formats import read_campaign as read_campaign
from .human.designs import design as new
from .human.export import export as export
from .rating_report import CampaignResults as CampaignResults
from .rating_report import report_page, results

__all__ = ["Campaign", "CampaignResults", "export", "new", "read_campaign", "results", "serve"]


def serve(campaigns: str | Path | Sequence[str | Path], **options: Any) -> None:
    """Serve a campaign, or several, until interrupted. Options: those of `tercet.human.server.serve`.

    The organiser can download the results as a report, which that function knows nothing of.
    """
    from .human.server import serve as serve_pages

    serve_pages(campaigns, **{"report": report_page, **options})
