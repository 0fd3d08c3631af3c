"""A process that makes one model call of a run, as often as the rules say.

Arguments: the run folder, the address of the server, and the number of the session.
"""

import sys
import time
from decimal import Decimal
from pathlib import Path

import anyio
import anyio.lowlevel

from evolith.archive.archive import Archive
from evolith.archive.sql import SqlStore
from evolith.core.budget import Budget, Price
from evolith.core.messages import Message, Request, Role
from evolith.models.build import build_model
from evolith.models.config import ModelConfig
from evolith.models.gateway import Endpoint, Gateway
from evolith.models.ledger import Ledger
from evolith.models.retry import Retrier

REQUEST = Request((Message("user", "Say yes."),), max_tokens=10)
PRICE = Price(Decimal(1), Decimal(10))
MONEY = Decimal("0.002")


def gateway(store: SqlStore, url: str, session: int) -> Gateway:
    """Put the parts of a session together that make calls and pay for them."""
    config = ModelConfig(use="openai:small", base_url=url, retries=20)
    retrier = Retrier(config, sleep=lambda _: anyio.lowlevel.checkpoint())
    endpoint = Endpoint(build_model(config, Path()), PRICE, retrier)
    archive = Archive(store, time.time)
    ledger = Ledger(Budget(money=MONEY), archive.state.total)
    return Gateway(archive, ledger, {Role.TASK: endpoint}, time.monotonic, session)


async def main(run_dir: Path, url: str, session: int) -> None:
    """Pay for what earlier sessions lost, then make the call."""
    made = (run_dir / "archive.db").exists()
    store = SqlStore.open(run_dir) if made else SqlStore.create(run_dir)
    calls = gateway(store, url, session)
    try:
        await calls.charge_lost()
        calls.ledger.spent = calls.archive.state.total
        await calls.line(Role.TASK, "rollout/seed/t1/0")(REQUEST)
    finally:
        await calls.endpoints[Role.TASK].model.aclose()
        store.close()


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
