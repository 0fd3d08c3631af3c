"""A Python function as a model, for tests and simulations."""

from collections.abc import Callable

from evolith.core.messages import Request, Response
from evolith.errors import EvolithError
from evolith.plugins import call


class FunctionModel:
    """Asks a function, sync or async; it gets the `Request` and returns text or a `Response`.

    Args:
        function: What answers.
        name: How the config names it.
    """

    remote = False

    def __init__(self, function: Callable[..., object], name: str = "function") -> None:
        self._function = function
        self.name = name

    def most_tokens_in(self, request: Request) -> int:
        """Return a bound on the prompt tokens: the bytes, as `tokens` counts no more."""
        return sum(len(turn.content.encode()) for turn in request.messages) + 1

    async def complete(self, request: Request) -> Response:
        """Ask the function.

        Raises:
            EvolithError: it raised something that is no failure of a model, or gave no text.
        """
        answer = await call(self._function, request)
        if isinstance(answer, Response):
            return answer
        if isinstance(answer, str):
            asked = sum(tokens(turn.content) for turn in request.messages)
            return Response(answer, asked, min(tokens(answer), request.max_tokens))
        raise EvolithError(
            f"the model function returned a value of type {type(answer).__name__}",
            where=self.name,
            fix="return the answer as text, or an evolith Response",
        )

    async def aclose(self) -> None:
        """Do nothing."""


def tokens(text: str) -> int:
    """Count tokens where no tokenizer is at hand: a word is one."""
    return len(text.split())
