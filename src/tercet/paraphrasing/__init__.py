"""Closer references: undo optional shifts of translators by rules, and use the results as further references.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", section 3.2: human
translations differ from the output of machines by optional changes (a passive for an active, a clause for an adverb).
Rules over dependency trees undo them. `rules` reads them, `matching` finds where they apply, `actions` changes the
words with the forms of `spanish` and `english`, `realising` writes the text, and `control` drops bad variants.
`tasks/paraphrase` puts them together.
"""
