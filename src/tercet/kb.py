"""Functions of `tercet kb`: build, describe (`info`) and show (`show`) a knowledge base, and link texts to one."""

from .tasks.kb import build, info, show
from .tasks.link import link

__all__ = ["build", "info", "link", "show"]
