"""`tercet qe predict`."""

from dataclasses import dataclass

from ...options import again, command
from ...options.groups import FORMS, Form
from ...options.quality import Level
from .inputs import Model, Output, PairOrFile, check_files, open_file, open_model, read_pair, segment_names


@dataclass(frozen=True, kw_only=True)
class PredictOptions(Output, Level, PairOrFile, Model):
    """Options of `qe predict`."""

    form: str = again(Form, "form", "text", choices=(*FORMS, "jsonl"))


@command(PredictOptions)
def run(options: PredictOptions) -> None:
    """Predict the quality of each output, with an interval that contains it with the probability --level.

    SRC may be a file with sources and outputs (XLIFF, TMX, PO, CSV, TSV, XLSX); then MT is left out.
    """
    from ...engine import open_executor
    from .board import show_predictions

    check_files(options)
    checksum = options.check_annotation()
    bitext = open_file(options)
    model = open_model(options.model, options.languages, bitext)
    sources, outputs, given = read_pair(options, model.languages, bitext=bitext)
    with open_executor(options.jobs) as executor:
        found = model.predict(sources, outputs, level=options.level, given=given, executor=executor)
    options.write(show_predictions(model, found, options.form, segment_names(bitext).get("ids", ())))
    options.write_notes(checksum, {"quality": [f"{value:.3f}" for value in found.values.tolist()]})
