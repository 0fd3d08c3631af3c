"""A Python function as a model."""

from collections.abc import Callable

import anyio
import anyio.lowlevel
import pytest

from evolith.core.messages import Message, Request, Response
from evolith.errors import EvolithError, RefusedRequest, TruncatedResponse
from evolith.models.function import FunctionModel

REQUEST = Request((Message("user", "Say yes."),), max_tokens=3)


def ask(function: Callable[..., object]) -> Response:
    return anyio.run(FunctionModel(function, "function:m:f").complete, REQUEST)


async def later(request: Request) -> str:
    await anyio.lowlevel.checkpoint()
    return f"to {request.messages[0].content}"


@pytest.mark.parametrize("function", [later, lambda request: "to Say yes."])
def test_it_gets_the_request_and_its_text_is_the_answer(function: Callable[..., object]) -> None:
    assert ask(function) == Response("to Say yes.", 2, 3)


def test_it_may_give_its_own_counts() -> None:
    own = Response("yes", 11, 2, estimated=True)
    assert ask(lambda request: own) is own


@pytest.mark.parametrize(
    "tokens", [(-1, 2), (2, -1), (10**9, 1), (1, 10**30), (1.5, 2), ("7", 3), (None, None)]
)
@pytest.mark.parametrize("cut", [False, True])
def test_counts_that_cannot_be_are_refused_with_what_to_give(
    tokens: tuple[int, int],
    cut: bool,  # noqa: FBT001 - a case of the test
) -> None:
    def answer(request: Request) -> Response:
        if cut:
            raise TruncatedResponse("cut", tokens=tokens)
        return Response("yes", *tokens)

    with pytest.raises(EvolithError, match="as its prompt and completion tokens") as refused:
        ask(answer)
    assert refused.value.where == "function:m:f"
    assert "whole numbers from 0 to 100,000,000" in refused.value.fix


def test_a_response_whose_text_is_none_is_refused() -> None:
    with pytest.raises(EvolithError, match="of type Response"):
        ask(lambda request: Response(b"yes", 1, 1))  # type: ignore[arg-type]


def test_a_failure_of_a_model_passes_as_it_is() -> None:
    def refuse(request: Request) -> str:
        raise RefusedRequest("too long")

    with pytest.raises(RefusedRequest, match="too long"):
        ask(refuse)


def test_anything_else_that_it_raises_is_told_with_its_place() -> None:
    def fail(request: Request) -> str:
        raise KeyError("x")

    with pytest.raises(EvolithError, match="fail raised KeyError") as told:
        ask(fail)
    assert __file__ in told.value.where


@pytest.mark.parametrize("value", [None, 3, b"yes"])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(EvolithError, match=f"of type {type(value).__name__}"):
        ask(lambda request: value)


@pytest.mark.parametrize("text", ["", "one two three four"])
def test_an_answer_that_is_empty_or_too_long_is_not_taken(text: str) -> None:
    with pytest.raises(TruncatedResponse):
        ask(lambda request: text)
