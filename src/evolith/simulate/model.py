"""A simulated model as Evolith asks it."""

from evolith.core.messages import Request, Response
from evolith.models.tokens import most_tokens_in
from evolith.simulate.service import Service


class SimulatedModel:
    """One of the models behind a simulated service.

    Args:
        service: Who answers.
        name: `fake-task`, `fake-reflect` or `fake-patch`.
    """

    remote = False

    def __init__(self, service: Service, name: str) -> None:
        self._service, self.name = service, name

    def most_tokens_in(self, request: Request) -> int:
        """Return a bound on the prompt tokens, by the bytes of what is asked."""
        return most_tokens_in(request)

    async def complete(self, request: Request) -> Response:
        """Ask once. The answer is never cut, but no more tokens are charged than were asked for.

        Raises:
            TransientFailure: the limit of requests is reached.
        """
        turns = request.messages
        system = "\n".join(turn.content for turn in turns if turn.role == "system")
        user = "\n".join(turn.content for turn in turns if turn.role != "system")
        served = await self._service.ask(self.name, system, user)
        return Response(served.text, served.tokens_in, min(served.tokens_out, request.max_tokens))

    async def aclose(self) -> None:
        """Do nothing."""
