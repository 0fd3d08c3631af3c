"""A chat that answers the same to everything, and keeps what it was asked."""

from evolith.core.messages import Request, Response


class RecordingChat:
    """Stands in for a metered model where an agent or a scorer is tested alone.

    Args:
        reply: What it answers.
    """

    def __init__(self, reply: str = "an answer") -> None:
        self._reply = reply
        self.requests: list[Request] = []

    async def __call__(self, request: Request) -> Response:
        """Keep the request and answer."""
        self.requests.append(request)
        return Response(self._reply, tokens_in=1, tokens_out=1)
