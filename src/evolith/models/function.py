"""A Python function as a model, for tests and simulations."""

from collections.abc import Callable

from evolith.core.messages import Request, Response
from evolith.errors import EvolithError, TruncatedResponse
from evolith.models.tokens import MOST_TOKENS, most_tokens_in
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
        """Return a bound on the prompt tokens, by the bytes of what is asked."""
        return most_tokens_in(request)

    async def complete(self, request: Request) -> Response:
        """Ask the function.

        Raises:
            ModelFailure: it raised one, or its answer is empty or longer than asked for.
            EvolithError: it raised something else, gave no text, or counts that cannot be.
        """
        try:
            answer = await call(self._function, request)
        except TruncatedResponse as cut:
            self._check(cut.tokens or (0, 0))
            raise
        if isinstance(answer, Response) and isinstance(answer.text, str):
            self._check((answer.tokens_in, answer.tokens_out))
            return answer
        if isinstance(answer, str):
            return whole(answer, request)
        raise EvolithError(
            f"the model function returned a value of type {type(answer).__name__}",
            where=self.name,
            fix="return the answer as text, or an evolith Response",
        )

    async def aclose(self) -> None:
        """Do nothing."""

    def _check(self, tokens: object) -> None:
        """Refuse counts by which the budget could not be kept.

        Raises:
            EvolithError: one is no whole number of tokens, or out of all bounds.
        """
        match tokens:
            case (int(tokens_in), int(tokens_out)):
                if min(tokens_in, tokens_out) >= 0 and max(tokens_in, tokens_out) <= MOST_TOKENS:
                    return
        raise EvolithError(
            f"the model function gave {tokens!r} as its prompt and completion tokens",
            where=self.name,
            fix=f"give two whole numbers from 0 to {MOST_TOKENS:,}, or return the answer as text "
            "and let its words be counted",
        )


def whole(text: str, request: Request) -> Response:
    """Return an answer, its tokens counted by words.

    Raises:
        TruncatedResponse: a server would have cut it, or it is empty.
    """
    asked = sum(words(turn.content) for turn in request.messages)
    answered = words(text)
    if answered > request.max_tokens:
        limit = f"the answer was cut at its limit of {request.max_tokens} tokens"
        raise TruncatedResponse(limit, tokens=(asked, request.max_tokens))
    if not answered:
        raise TruncatedResponse("the answer is empty", tokens=(asked, 0))
    return Response(text, asked, answered)


def words(text: str) -> int:
    """Count tokens where no tokenizer is at hand: a word is one."""
    return len(text.split())
