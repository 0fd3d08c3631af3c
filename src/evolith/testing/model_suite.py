"""What every model must do, as tests to inherit.

A model says what it answers, and which question has an answer that is longer than asked for::

    class TestMyModel(ModelSuite):
        @pytest.fixture
        def model(self) -> Model:
            return MyModel()

        @pytest.fixture
        def question(self) -> Request:
            return Request((Message("user", "Say yes."),), max_tokens=20)

        @pytest.fixture
        def long_question(self) -> Request:
            return Request((Message("user", "Count to a thousand."),), max_tokens=4)
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import pytest

from evolith.core.messages import Request, Response
from evolith.core.ports import Model
from evolith.errors import TruncatedResponse

AT_ONCE = 6
"""Workers that ask at the same time."""
T = TypeVar("T")


class ModelSuite:
    """The contract of `Model`, for models that answer the same to the same request."""

    @pytest.fixture
    def model(self) -> Model:
        """Return the model under test."""
        raise NotImplementedError

    @pytest.fixture
    def question(self) -> Request:
        """Return a request that it answers."""
        raise NotImplementedError

    @pytest.fixture
    def long_question(self) -> Request:
        """Return a request whose answer has more tokens than it allows."""
        raise NotImplementedError

    def run(self, model: Model, use: Callable[[Model], Awaitable[T]]) -> T:
        """Use the model in an event loop, and close it."""

        async def session() -> T:
            try:
                return await use(model)
            finally:
                await model.aclose()

        return anyio.run(session)

    def test_it_has_what_a_model_needs(self, model: Model) -> None:
        """The gateway asks for these before a call."""
        assert isinstance(model, Model)
        assert model.name
        assert isinstance(model.remote, bool)

    def test_an_answer_has_text_and_its_tokens(self, model: Model, question: Request) -> None:
        """The tokens stay within what is reserved in the budget before the call."""
        answer = self.run(model, lambda model: model.complete(question))
        assert answer.text.strip()
        assert 0 < answer.tokens_in <= model.most_tokens_in(question)
        assert 0 < answer.tokens_out <= question.max_tokens

    def test_many_may_ask_at_once_and_get_the_same_answer(
        self, model: Model, question: Request
    ) -> None:
        """As many as there are workers."""
        answers: list[Response] = []

        async def use(model: Model) -> None:
            async def ask() -> None:
                answers.append(await model.complete(question))

            async with anyio.create_task_group() as group:
                for _ in range(AT_ONCE):
                    group.start_soon(ask)

        self.run(model, use)
        assert answers == [answers[0]] * AT_ONCE

    def test_a_cut_answer_is_never_taken(self, model: Model, long_question: Request) -> None:
        """It is charged all the same."""
        with pytest.raises(TruncatedResponse) as cut:
            self.run(model, lambda model: model.complete(long_question))
        assert cut.value.tokens is not None
        tokens_in, tokens_out = cut.value.tokens
        assert 0 < tokens_in <= model.most_tokens_in(long_question)
        assert 0 < tokens_out <= long_question.max_tokens

    def test_a_call_that_was_given_up_does_no_harm(self, model: Model, question: Request) -> None:
        """The next one is answered as if it had not been."""

        async def use(model: Model) -> tuple[Response, Response]:
            before = await model.complete(question)
            with anyio.move_on_after(0):
                await model.complete(question)
            return before, await model.complete(question)

        before, after = self.run(model, use)
        assert before == after

    def test_closing_twice_is_harmless(self, model: Model, question: Request) -> None:
        """Two owners may both clean up."""

        async def use(model: Model) -> None:
            await model.complete(question)
            await model.aclose()

        self.run(model, use)
