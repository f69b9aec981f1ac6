"""Estimate the quality of translations from source and output alone, without references.

SRC, MT, LABELS and other inputs are files with one line per segment, or FILE:COLUMN, a column of a tab-separated
table with a header. Files may be gzipped. One of them may be -, standard input.

\b
tercet qe train src.txt mt.txt labels.txt --languages et-en --out model.qe
tercet qe predict model.qe src.txt mt.txt
tercet qe rank model.qe src.txt mt.txt --target 80
"""

COMMANDS = {
    "evaluate": "Compare a model's predictions with people's labels.",
    "features": "Write the features of outputs, or list all features.",
    "info": "Describe a model: training data, figures, features.",
    "predict": "Predict the quality of outputs, with intervals.",
    "rank": "List the outputs that need review most, with reasons.",
    "train": "Train a model on outputs that people have judged.",
}
