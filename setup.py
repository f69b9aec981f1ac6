"""The few compiled loops. Everything else about the package is in pyproject.toml.

Each source is plain Python with Cython annotations. Without a C compiler it runs uncompiled, slowly.
"""

from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/tercet/kernels")
NOT_COMPILED = ("__init__", "plain")

setup(
    ext_modules=[
        Extension(f"tercet.kernels.{path.stem}", [path.as_posix()], optional=True)
        for path in sorted(KERNELS.glob("*.py"))
        if path.stem not in NOT_COMPILED
    ]
)
