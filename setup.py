"""The few compiled loops. Everything else about the package is in pyproject.toml.

Each source is plain Python with Cython annotations. Without a C compiler it runs uncompiled, slowly. What Cython adds
to every module that takes arrays is in a module of its own, `_shared`, and so compiled once.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("src/tercet/kernels")
SHARED = "tercet.kernels._shared"
FLAGS = [] if sys.platform == "win32" else ["-g0"]  # no symbols for debuggers: a third of the time, a tenth of the size


class BuildKernels(build_ext):
    """Compile in parallel, and say so."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        print(
            f"tercet: compiling {len(self.extensions)} kernels, {self.parallel} at a time.", file=sys.stderr, flush=True
        )
        super().run()


def extensions() -> list[Extension]:
    """Return the modules to compile: none if there is no Cython, as pip --no-build-isolation may find it."""
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    sources = [path for path in sorted(KERNELS.glob("[!_]*.py")) if path.stem != "plain"]
    modules = {f"tercet.kernels.{path.stem}": path for path in sources} | {SHARED: KERNELS / "_shared.c"}
    return cythonize(
        [Extension(name, [path.as_posix()], optional=True, extra_compile_args=FLAGS) for name, path in modules.items()],
        nthreads=(os.cpu_count() or 1) if sys.platform == "linux" else 0,
        quiet=True,
        shared_utility_qualified_name=SHARED,
    )


if __name__ == "__main__":
    setup(cmdclass={"build_ext": BuildKernels}, ext_modules=extensions())
