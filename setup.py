"""The few compiled loops. Everything else about the package is in pyproject.toml.

Each source is plain Python with Cython annotations. Without a C compiler it runs uncompiled, slowly. What Cython adds
to every module that takes arrays is in a module of its own, `_shared`, and so compiled once.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCES = sorted(path for path in Path("src/tercet/kernels").glob("[!_]*.py") if path.stem != "plain")
SHARED = "tercet.kernels._shared"
FLAGS = [] if sys.platform == "win32" else ["-g0"]  # no symbols for debuggers: they double the time
JOBS = os.cpu_count() or 1


class BuildKernels(build_ext):
    """Translate and compile all kernels in parallel, outside the source folder."""

    def build_extensions(self) -> None:
        try:
            from Cython.Build import cythonize
        except ImportError:  # pip install --no-build-isolation
            print("Cython is not installed: the kernels are not compiled.", file=sys.stderr)
            self.extensions = []
            return
        print(f"Compiling {len(self.extensions)} kernels, {JOBS} at a time.", file=sys.stderr, flush=True)
        translated = cythonize(
            self.extensions,
            nthreads=JOBS if sys.platform == "linux" else 0,
            build_dir=self.build_temp,
            shared_utility_qualified_name=SHARED,
            quiet=True,
        )
        sources = {module.name: module.sources for module in translated}
        for extension in self.extensions:
            extension.sources = sources[extension.name]
        self.parallel = self.parallel or JOBS
        super().build_extensions()


modules = {f"tercet.kernels.{path.stem}": [path.as_posix()] for path in SOURCES} | {SHARED: []}
setup(
    cmdclass={"build_ext": BuildKernels},
    ext_modules=[Extension(name, files, optional=True, extra_compile_args=FLAGS) for name, files in modules.items()],
)
