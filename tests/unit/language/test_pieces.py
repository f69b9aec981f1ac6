"""Long texts are cut where sentences end."""

from tercet.language.encoders.pieces import cut


def test_texts_are_cut_at_ends_of_sentences() -> None:
    sentences = [f"This is sentence number {i}, and it is here." for i in range(40)]
    pieces = cut(" ".join(sentences), 4)
    assert len(pieces) == 4
    assert " ".join(pieces) == " ".join(sentences)
    assert all(piece.endswith("here.") for piece in pieces)


def test_texts_without_blanks_are_cut_anywhere() -> None:
    assert cut("x" * 10, 2) == ["x" * 5, "x" * 5]
    assert cut("", 3) == ["", "", ""]
