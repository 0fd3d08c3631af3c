"""Copies of train tasks are found; common words and what was there before are not."""

from evolith.operators.verbatim import copied_run

TASK = "one two three four five six seven eight nine ten eleven"


def test_ten_words_in_a_row_are_a_copy() -> None:
    found = copied_run(f"Rule: {TASK}", "", ["other", TASK])
    assert found is not None
    assert found in TASK


def test_fewer_words_or_words_that_stood_there_before_are_no_copy() -> None:
    assert copied_run("one two three four five six seven eight nine", "", [TASK]) is None
    assert copied_run(f"New. {TASK}", f"Old. {TASK}", [TASK]) is None
