"""Every store keeps the contract, by the suite that ships."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evolith.archive.sql import SqlStore
from evolith.archive.store import Store
from evolith.core.ids import content_hash
from evolith.errors import ArchiveError
from evolith.testing.memory import MemoryStore
from evolith.testing.store_suite import DurableStoreSuite, StoreSuite, call, pending


class TestMemoryStore(StoreSuite):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()


class TestSqlStore(DurableStoreSuite):
    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Callable[[], Store]:
        run_dir = tmp_path / "a run #1?%20"

        def opened() -> Store:
            return SqlStore.open(run_dir) if run_dir.exists() else SqlStore.create(run_dir)

        return opened


NUMBERS = st.integers(0, 5)
STEPS = st.one_of(
    st.tuples(
        st.just("append"),
        st.lists(st.tuples(NUMBERS, st.sampled_from(["", "other"])), max_size=4),
        st.lists(st.text(max_size=5), max_size=2),
    ),
    st.tuples(st.just("send"), NUMBERS, st.none()),
    st.tuples(st.just("forget"), st.lists(NUMBERS, max_size=2), st.none()),
)


async def step(store: Store, name: str, what: object, blobs: list[str] | None) -> bool:
    """Do one thing; say whether the store took it."""
    try:
        match name, what:
            case "append", list():
                await store.append([call(number, text) for number, text in what], blobs or [])
            case "send", int():
                await store.send(pending(call(what).event.key))
            case "forget", list():
                await store.forget([call(number).event.key for number in what])
    except ArchiveError:
        return False
    return True


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(STEPS, max_size=12))
def test_the_database_and_the_memory_store_agree_after_any_steps(
    steps: list[tuple[str, object, list[str] | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    memory, sql = MemoryStore(), SqlStore.create(tmp_path_factory.mktemp("run"))

    async def work() -> None:
        for name, what, blobs in steps:
            assert await step(sql, name, what, blobs) == await step(memory, name, what, blobs)

    try:
        anyio.run(work)
        assert list(sql.entries()) == list(memory.entries())
        assert sorted(sql.pending(), key=str) == sorted(memory.pending(), key=str)
        assert sql.hash() == memory.hash()
        for text in [text for _, _, blobs in steps for text in blobs or []]:
            assert (has_blob(sql, text)) == (has_blob(memory, text))
    finally:
        sql.close()


def has_blob(store: Store, text: str) -> bool:
    try:
        return store.blob(content_hash(text)) == text
    except ArchiveError:
        return False
