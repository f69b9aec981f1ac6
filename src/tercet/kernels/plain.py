"""A substitute for the `cython` module if it is not installed and the kernels run as plain Python.

It contains only what the kernels use. Types occur in annotations, which are never evaluated.
"""

from collections.abc import Callable
from typing import Any


def cfunc(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function unchanged. In Cython it marks a function that only kernels call."""
    return function


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function unchanged. In Cython it asks for inlining."""
    return function


def locals(**_types: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that changes nothing. In Cython it declares the types of local variables."""
    return cfunc


bint = double = int = longlong = Py_ssize_t = uchar = uint = ulonglong = "a C type"


def declare(_type: str, value: Any) -> Any:
    """Return the value. In Cython it makes a typed constant of a module."""
    return value
