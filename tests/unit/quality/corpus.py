"""A small corpus of English and Spanish sentences, written for these tests."""

PAIRS = [
    ("The house is green .", "La casa es verde ."),
    ("The house is small .", "La casa es pequeña ."),
    ("The dog is green .", "El perro es verde ."),
    ("The dog sees the house .", "El perro ve la casa ."),
    ("The cat sees the dog .", "El gato ve el perro ."),
    ("The cat is small .", "El gato es pequeño ."),
    ("A small dog eats fish .", "Un perro pequeño come pescado ."),
    ("A green cat eats fish .", "Un gato verde come pescado ."),
    ("The dog eats in the house .", "El perro come en la casa ."),
    ("The fish is in the house .", "El pescado está en la casa ."),
    ("A cat is in the green house .", "Un gato está en la casa verde ."),
    ("The small cat sees a fish .", "El gato pequeño ve un pescado ."),
]
SOURCES, TARGETS = [pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS]


def column(table, name):
    """The values of one feature."""
    return table.values[:, table.names.index(name)]
