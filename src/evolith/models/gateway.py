"""The gateway: the one place through which every model call goes.

It finds calls that were made before, reserves budget, asks, settles and records. Nothing else holds
a model.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evolith.archive.archive import Archive
from evolith.archive.store import Pending
from evolith.core.budget import Amount, Price
from evolith.core.events import Called, CallLost, call_key
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
        key = call_key(slot, request.hash)
        found = self.archive.call(key)
        if found is None:
            found = await self._make(slot, role, request)
        return found, None if found.text is None else self.archive.store.blob(found.text)

    async def charge_lost(self) -> None:
        """Charge the calls that were under way when an earlier process died."""
        lost = self.archive.store.pending()
        events = [
            CallLost(
                call=pending.call,
                number=self.session,
                role=pending.role,
                model=pending.model,
                tokens_in=pending.tokens_in,
                tokens_out=pending.tokens_out,
                money=pending.money,
            )
            for pending in lost
        ]
        await self.archive.append(*events)
        await self.archive.store.forget([pending.call for pending in lost])

    async def _make(self, slot: str, role: Role, request: Request) -> Called:
        if self.source is not None:
            return await self._copy(self.source, call_key(slot, request.hash))
        endpoint = self.endpoints[role]
        most = (endpoint.model.most_tokens_in(request), request.max_tokens)
        worst = held = Amount(*most, endpoint.price.of(*most), 0, 1)
        actual = Amount()

        async def charge_try() -> None:
            """Spend the reservation on a try that failed after it was sent; reserve the next."""
            nonlocal held
            self.ledger.settle(held, worst)
            held = Amount()
            await self.ledger.reserve(worst)
            held = worst

        await self.ledger.reserve(worst)
        try:
            await self._mark(slot, role, request, worst)
            start = self.clock()
            answer = await endpoint.retrier.ask(endpoint.model, request, charge_try)
            self.asked += answer.tries
            tokens, estimated = _tokens(answer.result, most)
            actual = Amount(*tokens, endpoint.price.of(*tokens), 0, 1)
            total = worst.times(answer.billed) + actual
            called, blobs = _event(slot, role, request, answer.result, total)
            called = called.model_copy(
                update={"model": endpoint.model.name, "estimated": estimated or answer.billed > 0}
            )
            await self.archive.append(called, blobs=blobs, seconds=self.clock() - start)
        finally:
            self.ledger.settle(held, actual)
        return called

    async def _mark(self, slot: str, role: Role, request: Request, worst: Amount) -> None:
        """Mark a call as under way where it may be billed although this process dies."""
        model = self.endpoints[role].model
        if model.remote:
            key = call_key(slot, request.hash)
            limits = worst.tokens_in, worst.tokens_out, worst.money
            await self.archive.store.send(Pending(key, role, model.name, *limits))

    async def _copy(self, source: Archive, key: str) -> Called:
        called = source.call(key)
        if called is None:
            raise Drained("the recording ends here", where=key)
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
        self.cost += Amount(called.tokens_in, called.tokens_out, called.money, 0, 1)
        if text is None:
            raise FAILURES[called.failure or ""](called.message)
        return Response(text, called.tokens_in, called.tokens_out, called.estimated)


def _event(
    slot: str, role: Role, request: Request, result: Response | ModelFailure, cost: Amount
) -> tuple[Called, list[str]]:
    """Return the event of a call, and the blobs that it names."""
    blobs, text, failure, message = [request.dump()], None, None, ""
    if isinstance(result, Response):
        blobs.append(result.text)
        text = content_hash(result.text)
    else:
        failure, message = type(result).__name__, result.message
    called = Called(
        slot=slot,
        request=content_hash(blobs[0]),
        role=role,
        model="",
        text=text,
        failure=failure,
        message=message,
        tokens_in=cost.tokens_in,
        tokens_out=cost.tokens_out,
        money=cost.money,
        estimated=False,
    )
    return called, blobs


def _tokens(answer: Response | ModelFailure, most: tuple[int, int]) -> tuple[tuple[int, int], bool]:
    match answer:
        case Response():
            return (answer.tokens_in, answer.tokens_out), answer.estimated
        case TruncatedResponse(tokens=(int(tokens_in), int(tokens_out))):
            return (tokens_in, tokens_out), False
        case RefusedRequest() | TransientFailure(billed=False):
            return (0, 0), False
    return most, True  # it may have been billed: the worst case is charged
