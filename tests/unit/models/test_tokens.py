"""The bound on prompt tokens holds for any tokenizer, and estimates stay inside it."""

from hypothesis import given
from hypothesis import strategies as st

from evolith.core.messages import Message, Request
from evolith.models.tokens import estimate_in, estimate_out, most_tokens_in

MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(["system", "user", "assistant"]), st.text()), max_size=5
)


@given(MESSAGES)
def test_the_bound_counts_a_token_for_every_byte_and_more(messages: list[Message]) -> None:
    request = Request(tuple(messages), max_tokens=8)
    as_bytes = sum(len(turn.content.encode("utf-8", "surrogatepass")) for turn in messages)
    assert most_tokens_in(request) > as_bytes + 3 * len(messages)


@given(MESSAGES, st.text(), st.integers(1, 50))
def test_an_estimate_stays_within_what_was_reserved(
    messages: list[Message], text: str, most: int
) -> None:
    request = Request(tuple(messages), max_tokens=most)
    assert 0 < estimate_in(request) <= most_tokens_in(request)
    assert 0 < estimate_out(text, request) <= most


def test_choices_and_schema_are_part_of_the_prompt() -> None:
    plain = Request((Message("user", "hi"),), max_tokens=8)
    choices = Request(plain.messages, 8, choices=("a" * 100,))
    schema = Request(plain.messages, 8, json_schema={"title": "a" * 100})
    assert most_tokens_in(choices) >= most_tokens_in(plain) + 100
    assert most_tokens_in(schema) >= most_tokens_in(plain) + 100
