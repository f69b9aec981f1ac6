"""Functions of `tercet kb`: build a knowledge base (`build`), open one (`info`), and link texts to one (`link`)."""

from .tasks.kb import build as build
from .tasks.kb import info as info
from .tasks.link import link as link

__all__ = ["build", "info", "link"]
