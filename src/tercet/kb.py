"""Functions of `tercet kb`: build, describe (`info`) and show (`show`) a knowledge base, and link texts to one."""

from .tasks.kb import build as build
from .tasks.kb import info as info
from .tasks.kb import show as show
from .tasks.link import link as link

__all__ = ["build", "info", "link", "show"]
