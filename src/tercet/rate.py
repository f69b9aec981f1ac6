"""Functions of `tercet rate`: design a campaign (`new`), serve it, export its answers, read those of other tools."""

from .human.campaign import Campaign as Campaign
from .human.campaign_formats import read_campaign as read_campaign
from .human.designs import design as new
from .human.export import export as export
from .rating_report import CampaignResults as CampaignResults
from .rating_report import results as results
from .tasks.rate.serve import serve as serve

__all__ = ["Campaign", "CampaignResults", "export", "new", "read_campaign", "results", "serve"]
