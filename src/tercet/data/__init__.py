"""Texts (`TestSet`), metric scores (`Scores`), human judgements (`Judgements`), and readers of their formats."""

from .testset import TestSet as TestSet

__all__ = ["TestSet"]
