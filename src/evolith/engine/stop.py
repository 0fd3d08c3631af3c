"""How a run is asked to stop."""

from dataclasses import dataclass, field

import anyio

from evolith.errors import Drained
from evolith.models.ledger import Ledger


@dataclass(slots=True)
class Stop:
    """A request to stop a run, from a signal handler or from another task."""

    draining: bool = False
    aborted: bool = False
    _ledger: Ledger | None = None
    _scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    def bind(self, ledger: Ledger) -> anyio.CancelScope:
        """Tie the request to a run that begins; return the scope to run in."""
        self._ledger = ledger
        if self.draining:
            self.drain()
        if self.aborted:
            self.abort()
        return self._scope

    def drain(self) -> None:
        """Let the calls under way end and be recorded; begin no other."""
        self.draining = True
        if self._ledger is not None:
            self._ledger.stop(Drained("a stop was asked for", fix="resume the run to go on"))

    def abort(self) -> None:
        """Stop at once; calls under way are lost."""
        self.aborted = True
        self.drain()
        self._scope.cancel()
