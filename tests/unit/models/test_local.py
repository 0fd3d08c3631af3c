"""The real local model: it answers, stops, is held to choices, and repeats itself exactly."""

import json
from pathlib import Path

import anyio
import pytest

from evolith.core.messages import Message, Request, Response
from evolith.errors import ConfigError, RefusedRequest, TransientFailure, TruncatedResponse
from evolith.models.config import ModelConfig
from evolith.models.llama import BATCH, CONTEXT, Llama
from evolith.models.local import LocalModel
from evolith.models.weights import find_weights

SORTS = (("apple", "fruit"), ("hammer", "tool"), ("plum", "fruit"), ("saw", "tool"))


def asked(thing: str, shown: int = 4, max_tokens: int = 8, **settings: object) -> Request:
    """Ask of what sort a thing is, after some that are solved."""
    turns = [Message("system", "Say of what sort it is.")]
    for known, sort in SORTS[:shown]:
        turns += [Message("user", known), Message("assistant", sort)]
    return Request((*turns, Message("user", thing)), max_tokens, **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def llama() -> Llama:
    return Llama(find_weights("smollm2", Path()))


def complete(llama: Llama, request: Request) -> Response:
    return llama.complete(request, lambda: False)


@pytest.mark.local_model
class TestSmolLM2:
    def test_it_answers_after_demonstrations_and_stops(self, llama: Llama) -> None:
        answer = complete(llama, asked("pear"))
        assert answer.text in {"fruit", "tool"}
        assert answer.tokens_in == len(llama.prompt(asked("pear")))
        assert not answer.estimated

    def test_the_same_request_gets_the_same_answer_whatever_was_asked_before(
        self, llama: Llama
    ) -> None:
        requests = [
            asked("pear"),
            asked("pear", shown=2),
            asked("an axe", temperature=1.0, seed=3),
            asked("pear", choices=("fruit", "tool")),
        ]
        said: dict[int, set[str]] = {}
        for place in (0, 1, 2, 3, 3, 2, 1, 0, 2, 0, 3, 1):
            try:
                text = complete(llama, requests[place]).text
            except TruncatedResponse as cut:
                text = cut.message
            said.setdefault(place, set()).add(text)
        assert [len(texts) for texts in said.values()] == [1, 1, 1, 1]

    def test_the_beginning_of_the_last_prompt_is_not_computed_again(self, llama: Llama) -> None:
        complete(llama, asked("pear"))
        kept = llama.keep_whole_batches(llama.prompt(asked("quince")))
        shared = len(llama.prompt(asked("pear"))) - 10
        assert kept % BATCH == 0
        assert kept > shared - BATCH

    def test_an_answer_is_held_to_the_choices(self, llama: Llama) -> None:
        for choices in (("Obst", "Werkzeug"), ('a "quoted" one', "back\\slash"), ("日本", "é\n😀")):
            answer = complete(llama, asked("pear", max_tokens=30, choices=choices))
            assert answer.text in {choice.strip() for choice in choices}

    def test_an_answer_is_held_to_a_json_schema(self, llama: Llama) -> None:
        schema = {
            "type": "object",
            "properties": {"sort": {"enum": ["fruit", "tool"]}},
            "required": ["sort"],
        }
        answer = complete(llama, asked("pear", max_tokens=40, json_schema=schema))
        assert json.loads(answer.text)["sort"] in {"fruit", "tool"}

    def test_a_schema_that_it_cannot_be_held_to_is_refused(self, llama: Llama) -> None:
        with pytest.raises(RefusedRequest, match="JSON Schema cannot be held to"):
            complete(llama, asked("pear", json_schema={"type": "nonsense"}))

    def test_an_answer_at_its_limit_is_cut_and_charged(self, llama: Llama) -> None:
        story = Request((Message("user", "Tell me a story."),), max_tokens=5)
        with pytest.raises(TruncatedResponse) as cut:
            complete(llama, story)
        assert cut.value.tokens == (len(llama.prompt(story)), 5)

    def test_a_prompt_that_does_not_fit_is_refused(self, llama: Llama) -> None:
        with pytest.raises(RefusedRequest, match=f"more than the {CONTEXT} that fit"):
            complete(llama, asked("pear " * CONTEXT))

    @pytest.mark.anyio
    async def test_a_call_that_takes_longer_than_a_try_may_is_given_up(self) -> None:
        model = LocalModel(ModelConfig(use="local:smollm2", timeout=0.05), Path())
        model.most_tokens_in(asked("pear"))  # so that loading is not part of the try
        with pytest.raises(TransientFailure, match=r"within 0\.05 seconds"):
            await model.complete(Request((Message("user", "Tell a story."),), max_tokens=500))
        await model.aclose()

    def test_a_given_up_call_stops_after_its_next_token(self, llama: Llama) -> None:
        tokens = 0

        def unwanted() -> bool:
            nonlocal tokens
            tokens += 1
            return tokens > 3

        with pytest.raises(TruncatedResponse):
            llama.complete(Request((Message("user", "Tell a story."),), max_tokens=500), unwanted)
        assert tokens < 10

    @pytest.mark.anyio
    async def test_the_bound_on_prompt_tokens_is_exact(self) -> None:
        model = LocalModel(ModelConfig(use="local:smollm2"), Path())
        request = asked("pear")
        with anyio.fail_after(60):
            answer = await model.complete(request)
        assert model.most_tokens_in(request) == answer.tokens_in
        await model.aclose()

    def test_a_file_that_is_no_model_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "fake.gguf").write_bytes(b"GGUF but not really")
        with pytest.raises(ConfigError, match=r"llama\.cpp cannot load this file"):
            Llama(find_weights("fake.gguf", tmp_path))


@pytest.mark.local_model
def test_an_unknown_local_model_is_refused_with_the_known_one() -> None:
    with pytest.raises(ConfigError, match="no local model 'smolm2'") as unknown:
        find_weights("smolm2", Path())
    assert "did you mean smollm2" in unknown.value.fix


@pytest.mark.local_model
def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as missing:
        find_weights("none.gguf", tmp_path)
    assert missing.value.where == str(tmp_path / "none.gguf")
