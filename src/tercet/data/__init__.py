"""What travels through Tercet: texts (`TestSet`), metric scores (`Scores`), and the formats they are read from."""

from .testset import TestSet as TestSet

__all__ = ["TestSet"]
