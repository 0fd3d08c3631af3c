"""The gateway: the one place through which every model call goes.

It finds calls that were made before, reserves budget, asks, settles and records. Nothing else holds
a model.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

from evolith.archive.archive import Archive
from evolith.archive.store import Pending
from evolith.core.budget import Amount, Price
from evolith.core.events import AnyEvent, Called, UsageExceeded, call_key
from evolith.core.ids import content_hash
from evolith.core.messages import Request, Response, Role
from evolith.core.ports import Model
from evolith.errors import (
    ArchiveError,
    Drained,
    MalformedResponse,
    ModelFailure,
    ProviderError,
    RefusedRequest,
    RunStopped,
    TransientFailure,
    TruncatedResponse,
)
from evolith.models.account import Account, lost
from evolith.models.gate import GateFigures
from evolith.models.ledger import Ledger
from evolith.models.retry import Retrier

FAILURES: Mapping[str, type[ModelFailure]] = {
    kind.__name__: kind
    for kind in (TransientFailure, MalformedResponse, TruncatedResponse, RefusedRequest)
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model with its price and the rules by which it is asked again."""

    model: Model
    price: Price
    retrier: Retrier


@dataclass(slots=True)
class Gateway:
    """Makes calls for one run.

    Args:
        archive: Where calls are found and recorded.
        ledger: What may still be spent.
        endpoints: The model of each role.
        clock: Returns monotonic seconds.
        session: Number of this session; names lost calls.
        source: An archive whose recorded calls answer instead of the models, for a replay.
    """

    archive: Archive
    ledger: Ledger
    endpoints: Mapping[Role, Endpoint]
    clock: Callable[[], float]
    session: int = 0
    source: Archive | None = None
    asked: int = field(default=0, init=False)
    """Calls that went to a model in this session."""
    _lost: "count[int]" = field(default_factory=lambda: count(1), init=False)

    def line(self, role: Role, scope: str) -> "Line":
        """Return a chat for one rollout or operator call.

        Args:
            role: Which model, and on whose account.
            scope: Where in the run it is, such as `rollout/seed/t1/0`; unique in the run.
        """
        return Line(self, role, scope)

    async def ask(self, slot: str, role: Role, request: Request) -> tuple[Called, str | None]:
        """Return the recorded call of `slot`, made now if there is none, with its answer.

        Raises:
            RunStopped: the call does not fit into the budget, or the run is being stopped.
            ProviderError: no call of this run can succeed.
            ArchiveError: it cannot be recorded.
        """
        asked = _Asked(slot, role, request, request.dump())
        found = self.archive.call(asked.key) or await self._copied(asked)
        if found is None:
            return await self._make(asked)
        return found, None if found.text is None else self.archive.store.blob(found.text)

    async def charge_lost(self) -> None:
        """Charge the calls that were under way when an earlier process died."""
        pending = self.archive.store.pending()
        await self.archive.append(*(lost(call, self.session) for call in pending))

    def figures(self) -> tuple[GateFigures, ...]:
        """Return how fast each provider could be called so far, in the order of the roles."""
        gates = {id(e.retrier.gate): e.retrier.gate for e in self.endpoints.values()}
        return tuple(gate.figures() for gate in gates.values())

    async def _make(self, asked: "_Asked") -> tuple[Called, str | None]:
        role, request, endpoint = asked.role, asked.request, self.endpoints[asked.role]
        model, price = endpoint.model, endpoint.price
        most = (model.most_tokens_in(request), request.max_tokens)
        worst = Pending(asked.key, role, model.name, *most, price.of(*most))
        account = Account(self.archive, self.ledger, worst, model.remote, self.session, self._lost)
        await account.reserve()
        try:
            start = self.clock()
            answer = await endpoint.retrier.ask(model, request, account)
            self.asked += answer.tries
            tokens, estimated = _tokens(answer.result, most)
            cost = Amount(*tokens, price.of(*tokens), 0, 1)
            called, text = _event(asked, model.name, answer.result, cost, estimated=estimated)
            events = [called, *_exceeded(worst, tokens)]
            blobs = [asked.dump] if text is None else [asked.dump, text]
            await account.end(events, blobs, self.clock() - start, cost)
        finally:
            await account.close()
        return called, text

    async def _copied(self, asked: "_Asked") -> Called | None:
        """Return the call as the recording has it, or None where there is no recording."""
        source = self.source
        if source is None:
            return None
        called = source.call(asked.key)
        if called is None:
            raise Drained("the recording ends here", where=asked.key)
        digests = [called.request] if called.text is None else [called.request, called.text]
        await self.archive.append(called, blobs=[source.store.blob(d) for d in digests])
        return called


@dataclass(slots=True)
class Line:
    """A chat bound to one rollout or operator call; it adds up what its calls cost."""

    gateway: Gateway
    role: Role
    scope: str
    cost: Amount = field(default_factory=Amount)
    halted: RunStopped | ProviderError | ArchiveError | None = None
    """What ended the run in a call of this line, also if the caller caught it."""
    last: str = ""
    """Key of the last call that was answered."""
    _asked: int = 0

    async def __call__(self, request: Request) -> Response:
        """Ask the model, or find the answer that was given before.

        Raises:
            ModelFailure: the call gave no complete answer.
            RunStopped: the budget does not hold it, or the run is being stopped.
            ProviderError: the provider refuses the run.
        """
        slot = f"{self.scope}/{self.role}/{self._asked}"
        self._asked += 1
        try:
            called, text = await self.gateway.ask(slot, self.role, request)
        except (RunStopped, ProviderError, ArchiveError) as error:
            self.halted = error
            raise
        self.last = called.key
        self.cost += Amount(called.tokens_in, called.tokens_out, called.money, 0, 1)
        if text is None:
            raise FAILURES[called.failure or ""](called.message)
        return Response(text, called.tokens_in, called.tokens_out, called.estimated)


@dataclass(slots=True)
class _Asked:
    """What is asked, with the key that says so; a request is written out and hashed once."""

    slot: str
    role: Role
    request: Request
    dump: str
    digest: str = field(init=False)
    key: str = field(init=False)

    def __post_init__(self) -> None:
        self.digest = content_hash(self.dump)
        self.key = call_key(self.slot, self.digest)


def _event(
    asked: _Asked, model: str, result: Response | ModelFailure, cost: Amount, *, estimated: bool
) -> tuple[Called, str | None]:
    """Return the event of a call, and the answer that it names."""
    text, failure, message = None, None, ""
    if isinstance(result, Response):
        text = result.text
    else:
        failure, message = type(result).__name__, result.message
    called = Called(
        slot=asked.slot,
        request=asked.digest,
        role=asked.role,
        model=model,
        text=None if text is None else content_hash(text),
        failure=failure,
        message=message,
        tokens_in=cost.tokens_in,
        tokens_out=cost.tokens_out,
        money=cost.money,
        estimated=estimated,
    )
    return called, text


def _exceeded(worst: Pending, tokens: tuple[int, int]) -> list[AnyEvent]:
    """Return what tells of a server that reports more than was reserved, or nothing."""
    if tokens[0] <= worst.tokens_in and tokens[1] <= worst.tokens_out:
        return []
    return [
        UsageExceeded(
            call=worst.call,
            role=worst.role,
            model=worst.model,
            reserved_in=worst.tokens_in,
            reserved_out=worst.tokens_out,
            tokens_in=tokens[0],
            tokens_out=tokens[1],
        )
    ]


def _tokens(answer: Response | ModelFailure, most: tuple[int, int]) -> tuple[tuple[int, int], bool]:
    match answer:
        case Response():
            return (answer.tokens_in, answer.tokens_out), answer.estimated
        case TruncatedResponse(tokens=(int(tokens_in), int(tokens_out))):
            return (tokens_in, tokens_out), False
        case RefusedRequest() | TransientFailure(billed=False):
            return (0, 0), False
    return most, True  # it may have been billed: the worst case is charged
