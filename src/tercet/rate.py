"""Functions of `tercet rate`: design a campaign (`new`), serve it, export its answers, read those of other tools."""

from .human.campaign import Campaign
from .human.campaign_formats import read_campaign
from .human.designs import design as new
from .human.export import export
from .rating_report import CampaignResults, results
from .tasks.rate.serve import serve

__all__ = ["Campaign", "CampaignResults", "export", "new", "read_campaign", "results", "serve"]
