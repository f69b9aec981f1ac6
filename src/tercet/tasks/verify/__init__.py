"""`tercet verify`: recompute a published score from its signature."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ...options import REQUIRED, command, option, takes
from ...options.groups import Form, Quiet, Texts

if TYPE_CHECKING:
    from ...data.stream import TextFiles
    from ...data.testset import TestSet
    from .claims import Verification


@dataclass(frozen=True, kw_only=True)
class VerifyOptions(Quiet, Form, Texts):
    """Options of `verify`."""

    signature: str = option(
        REQUIRED, metavar="SIGNATURE", positional=True,
        help="sacreBLEU's signature or Tercet's, with long or short keys.",
    )  # fmt: skip
    stated: str | float = option(
        REQUIRED, metavar="SCORE", positional=True, help="The score as it was printed.",
        about='The score as it was printed: "36.40" is compared at two decimals, "36.4" at one. A score that lies just '
        "between two printed numbers equals both, because programs round it differently.",
    )  # fmt: skip
    system: str | None = option(
        None, "--system", metavar="NAME", help="Which output, where a test set (-t) has several.",
        about="The system's name, where there are several.",
    )  # fmt: skip
    trust_features: bool = option(False, "--trust-features", help="Run code in files that the signature names.")
    allow_network: bool = option(
        False, "--allow-network", help="Send texts to services that the signature names; they get no key."
    )


@takes(VerifyOptions)
def verify(testset: TestSet | TextFiles, *, options: VerifyOptions) -> Verification:
    """Recompute a published score from its signature, and tell whether it is the same.

    Parameters
    ----------
    testset : TestSet or TextFiles
        The texts.

    Returns
    -------
    Verification : whether the scores are equal, both scores, and notes on what may explain a difference.

    Examples
    --------
    >>> import tercet
    >>> testset = tercet.TestSet({"a": ["the cat sat on the mat"]}, {"ref": ["the cat sat on the mat"]})
    >>> tercet.verify(testset, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0", "100.0").equal
    True
    """
    from .claims import recompute

    return recompute(testset, options)


@command(VerifyOptions)
def run(options: VerifyOptions) -> None:
    """Recompute SCORE from its SIGNATURE and the texts, and say whether it is the same.

    The score is compared at the precision it is written with. Exit code: 0 if equal, 1 if not, 2 if the question
    makes no sense, as a signature with nrefs:1 and two references.

    \b
    tercet verify 'BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0' 36.4 ref.txt -i out.txt
    """
    from ...cli.console import print_as
    from ..shared.texts import read_inputs
    from .claims import check_claim

    check_claim(options.signature, options.stated)  # before the texts: a forgotten argument shifts the others
    found = verify(read_inputs(options), **options.python())
    verdict = "Equal" if found.equal else "Not equal"
    lines = [f"{verdict}: stated {found.stated}, recomputed {found.score!r}", found.signature]
    print_as(options.form, asdict(found), "\n".join([*lines, *(f"Note: {note}" for note in found.notes)]))
    if not found.equal:
        sys.exit(1)
