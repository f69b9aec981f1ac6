"""Functions of `tercet rate`: design a campaign (`new`), serve it, export its answers, read those of other tools."""

from .human.campaign import Campaign as Campaign
from .human.campaign_formats import read_campaign as read_campaign
from .human.designs import design as new
from .human.export import export as export
from .human.server import serve as serve

__all__ = ["Campaign", "export", "new", "read_campaign", "serve"]
