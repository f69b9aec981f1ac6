"""Stands in for the `cython` module where it is not installed and the kernels run as plain Python.

Only what the kernels use: types appear in annotations, which are never evaluated.
"""

from collections.abc import Callable
from typing import Any

compiled = False


def cfunc(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that only other kernels call."""
    return function


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """A small function that is to be copied to where it is called."""
    return function
