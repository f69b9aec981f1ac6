"""What the state of a translation may mean, and the note with the judgement of a review, which formats write as one."""

REVIEW = "review"
RED, AMBER, GREEN, DONE = ("red", "amber", "green", "done")  # the texts of the note
FLAGGED = "flagged"  # what a state means that asks for a look: STATES of a format say DONE, FLAGGED or "" (neither)
FLAGGED_BEFORE = "marked for review in the file"  # a reason, in the notes of a review, for what it found flagged
