"""What every store must do, as tests to inherit.

A store in memory::

    class TestMyStore(StoreSuite):
        @pytest.fixture
        def store(self) -> Store:
            return MyStore()

A store that survives its process also says how it is opened again::

    class TestMyStore(DurableStoreSuite):
        @pytest.fixture
        def reopen(self, tmp_path: Path) -> Callable[[], Store]:
            return lambda: MyStore(tmp_path)
"""

from collections.abc import Callable, Coroutine, Iterator
from decimal import Decimal
from typing import TypeVar

import anyio
import pytest

from evolith.archive.state import Entry
from evolith.archive.store import Pending, Store, archive_hash
from evolith.core.events import (
    Called,
    CallLost,
    CandidateAdded,
    Decided,
    RolloutEnded,
    RunCreated,
    Selected,
    SessionEnded,
    SessionStarted,
    TestOpened,
    UsageExceeded,
    Verdict,
)
from evolith.core.ids import content_hash
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import ArchiveError, Boundary

T = TypeVar("T")

ODD_TEXTS = (
    "",
    "plain",
    "żółć 漢字 🙂 \x00 \r\n\u2028",
    "half a character: \ud83d",
    "long " * 5_000,
)
"""Texts that a model may answer and a store must keep as they are."""

CALL_BLOBS = ("request", "answer")
"""The blobs that a `call` names."""


def call(number: int = 0, message: str = "", money: str = "0.001") -> Entry:
    """Return a recorded model call; its key depends on `number` alone."""
    event = Called(
        slot=f"rollout/seed/t{number}/0/task/0",
        request=content_hash(CALL_BLOBS[0]),
        role=Role.TASK,
        model="scripted",
        text=content_hash(CALL_BLOBS[1]),
        failure=None,
        message=message,
        tokens_in=10,
        tokens_out=2,
        money=Decimal(money),
        estimated=False,
    )
    return Entry(event, 1_700_000_000.25 + number, 0.5)


def lost(key: str) -> CallLost:
    """Return the loss of a try of a call."""
    return CallLost(
        call=key,
        number=1,
        role=Role.JUDGE,
        model="m",
        tokens_in=3,
        tokens_out=4,
        money=Decimal("0.10"),
    )


def pending(key: str) -> Pending:
    """Return a call under way."""
    return Pending(key, Role.REFLECT, "openai:gpt", 100, 20, Decimal("0.10"))


def one_of_each() -> list[Entry]:
    """Return an event of every kind, with texts and numbers that are easily spoiled."""
    verdict = Verdict(outcome="accepted", code="seed", reason=ODD_TEXTS[2])
    counts = {Split.TRAIN: 4, Split.VAL: 2, Split.TEST: 1}
    rollout = RolloutEnded(
        candidate="seed",
        task="t1",
        split=Split.VAL,
        attempt=0,
        output=content_hash("output"),
        value=1 / 3,
        passed=False,
        feedback=ODD_TEXTS[3],
        boundary=Boundary.SCORER,
        message="",
        tokens_in=1,
        tokens_out=2,
        money=Decimal("1E-7"),
        calls=1,
    )
    events = (
        SessionStarted(number=1, version="0", settings="{}", fingerprint="here"),
        RunCreated(name="run", config="{}", tasks="hash", counts=counts),
        CandidateAdded(
            id="seed",
            artifact=content_hash("{}"),
            parents=(),
            item="",
            operator="seed",
            rationale="",
            cursor=0,
        ),
        Selected(
            item="i0",
            ordinal=0,
            commits=0,
            version=0,
            parents=("seed",),
            tasks=("t2", "t1"),
            operator="reflect",
            components=("prompt.md",),
        ),
        call().event,
        rollout,
        Decided(item="seed", order=0, candidate="seed", verdict=verdict, version=0, val=0.1 + 0.2),
        TestOpened(candidate="seed", use=1),
        lost("call/x"),
        UsageExceeded(
            call="call/y",
            role=Role.TASK,
            model="m",
            reserved_in=1,
            reserved_out=2,
            tokens_in=3,
            tokens_out=4,
        ),
        SessionEnded(number=1, reason="finished", message="", seconds=1.5),
    )
    return [Entry(event, 0.1 * place, 0.7) for place, event in enumerate(events)]


def run(work: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run `work` in an event loop of its own."""
    return anyio.run(work)


class StoreSuite:
    """The contract of `Store`. Give it a fixture `store` that returns an empty store."""

    @pytest.fixture
    def store(self) -> Store:
        """Return an empty store, open for writing."""
        raise NotImplementedError

    def test_an_event_of_every_kind_comes_back_as_it_was(self, store: Store) -> None:
        """Also its time and duration, and in the order of writing."""
        run(lambda: store.append(one_of_each()))
        assert list(store.entries()) == one_of_each()
        for entry in one_of_each():
            assert store.find(entry.event.key) == entry

    def test_a_key_that_nobody_wrote_is_not_found(self, store: Store) -> None:
        """Not even in a store that has others."""
        run(lambda: store.append([call(1)]))
        assert store.find(call(2).event.key) is None

    def test_the_keys_are_those_of_all_events(self, store: Store) -> None:
        """Each once."""
        assert list(store.keys()) == []
        run(lambda: store.append([*one_of_each(), call(7)]))
        expected = [entry.event.key for entry in (*one_of_each(), call(7))]
        assert sorted(store.keys()) == sorted(expected)

    def test_nothing_waits_once_it_is_acknowledged(self, store: Store) -> None:
        """And a wait is never negative."""
        run(lambda: store.append([call(1)]))
        found = store.contention()
        assert found.queued == 0
        assert 0 <= found.median <= found.p99 <= found.longest

    def test_the_same_event_twice_is_kept_once(self, store: Store) -> None:
        """The first time that was recorded stays."""
        run(lambda: store.append([call(1), call(1)]))
        run(lambda: store.append([Entry(call(1).event, 5.0, 6.0), call(2)]))
        assert list(store.entries()) == [call(1), call(2)]

    def test_another_content_under_a_key_is_refused(self, store: Store) -> None:
        """Nothing else of that append is written either."""
        run(lambda: store.append([call(1, "first")]))
        for entries in ([call(2), call(1, "other")], [call(2, "a"), call(2, "b")]):
            with pytest.raises(ArchiveError, match=r"recorded already, with another content"):
                anyio.run(store.append, entries, ["unwritten"])
        assert list(store.entries()) == [call(1, "first")]
        with pytest.raises(ArchiveError):
            store.blob(content_hash("unwritten"))

    def test_a_refused_event_does_not_harm_others(self, store: Store) -> None:
        """Those that are written at the same moment are written."""
        refused: list[int] = []
        keys, numbers = range(10), range(30)

        async def append(number: int) -> None:
            try:
                await store.append([call(number % len(keys), str(number))])
            except ArchiveError:
                refused.append(number)

        async def work() -> None:
            async with anyio.create_task_group() as group:
                for number in numbers:
                    group.start_soon(append, number)

        run(work)
        kept = {entry.event for entry in store.entries()}
        assert len(kept) == len(keys)
        assert len(refused) == len(numbers) - len(keys)
        assert kept.isdisjoint(call(n % len(keys), str(n)).event for n in refused)

    def test_appending_nothing_does_nothing(self, store: Store) -> None:
        """And does not fail."""
        run(lambda: store.append([]))
        assert list(store.entries()) == []

    def test_an_acknowledged_event_is_seen_at_once(self, store: Store) -> None:
        """Also while many others write."""
        numbers = range(64)

        async def append(number: int) -> None:
            await store.append([call(number)], [f"blob {number}"])
            assert store.find(call(number).event.key) == call(number)
            assert store.blob(content_hash(f"blob {number}")) == f"blob {number}"

        async def work() -> None:
            async with anyio.create_task_group() as group:
                for number in numbers:
                    group.start_soon(append, number)

        run(work)
        assert len(list(store.entries())) == len(numbers)

    def test_a_cancelled_append_is_written_or_not_but_never_hangs(self, store: Store) -> None:
        """The store works on afterwards."""

        async def work() -> None:
            with anyio.CancelScope() as scope:
                scope.cancel()
                await store.append([call(1), call(2)])
            await store.append([call(3)])

        run(work)
        kept = list(store.entries())
        assert kept in ([call(3)], [call(1), call(2), call(3)])

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=["empty", "plain", "odd", "half", "long"])
    def test_a_blob_comes_back_as_it_was(self, store: Store, text: str) -> None:
        """Under the hash of its text, also when it is stored twice."""
        run(lambda: store.append([call(1)], [text, text]))
        run(lambda: store.append([call(2)], [text]))
        assert store.blob(content_hash(text)) == text

    def test_a_blob_that_is_not_there_is_an_error(self, store: Store) -> None:
        """It says which one."""
        digest = content_hash("nowhere")
        with pytest.raises(ArchiveError) as caught:
            store.blob(digest)
        assert digest in str(caught.value)

    def test_a_call_under_way_is_known_until_it_is_recorded(self, store: Store) -> None:
        """Or charged as lost, or forgotten."""
        recorded = call(1)

        async def send() -> None:
            for key in (recorded.event.key, "call/a", "call/b", "call/c", "call/a"):
                await store.send(pending(key))

        run(send)
        under_way = [pending(key) for key in (recorded.event.key, "call/a", "call/b", "call/c")]
        assert sorted(store.pending(), key=str) == sorted(under_way, key=str)
        run(lambda: store.append([recorded, Entry(lost("call/c"), 1.0)]))
        run(lambda: store.forget(["call/b", "call/unknown"]))
        assert store.pending() == [pending("call/a")]

    def test_the_archive_hash_is_that_of_the_events(self, store: Store) -> None:
        """As `archive_hash` computes it from them."""
        run(lambda: store.append(one_of_each()))
        assert store.hash() == archive_hash(entry.event for entry in one_of_each())

    def test_the_archive_hash_leaves_time_order_and_sessions_out(self, store: Store) -> None:
        """So that it is the same however the run was worked on."""
        content = [entry for entry in one_of_each() if not entry.event.session]
        run(lambda: store.append([Entry(entry.event, 9.0, 9.0) for entry in reversed(content)]))
        assert store.hash() == archive_hash(entry.event for entry in one_of_each())
        run(lambda: store.append([call(99)]))
        assert store.hash() != archive_hash(entry.event for entry in one_of_each())


class DurableStoreSuite(StoreSuite):
    """The contract of a store that outlives its process.

    Give it a fixture `reopen` that opens a store at the same place at each call, and makes it at
    the first.
    """

    @pytest.fixture
    def reopen(self) -> Callable[[], Store]:
        """Return what opens the store for writing."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, reopen: Callable[[], Store]) -> Iterator[Store]:
        """Return the store as it was made, and close it in the end."""
        store = reopen()
        yield store
        store.close()

    def test_a_reopened_store_has_everything(
        self, store: Store, reopen: Callable[[], Store]
    ) -> None:
        """Events, blobs, calls under way and the hash."""
        run(lambda: store.append(one_of_each(), ODD_TEXTS))
        run(lambda: store.send(pending("call/a")))
        expected = store.hash()
        store.close()
        again = reopen()
        try:
            assert list(again.entries()) == one_of_each()
            assert [again.blob(content_hash(text)) for text in ODD_TEXTS] == list(ODD_TEXTS)
            assert again.pending() == [pending("call/a")]
            assert again.hash() == expected
        finally:
            again.close()

    def test_a_reopened_store_knows_its_keys(
        self, store: Store, reopen: Callable[[], Store]
    ) -> None:
        """The same again does nothing, another content is refused, and new events come last."""
        run(lambda: store.append([call(1, "first")]))
        store.close()
        again = reopen()
        try:
            run(lambda: again.append([call(1, "first"), call(2)]))
            with pytest.raises(ArchiveError):
                run(lambda: again.append([call(1, "other")]))
            assert list(again.entries()) == [call(1, "first"), call(2)]
        finally:
            again.close()

    def test_a_store_is_open_for_writing_once(
        self, store: Store, reopen: Callable[[], Store]
    ) -> None:
        """A second one is refused and harms nothing; after `close` there may be another."""
        with pytest.raises(ArchiveError):
            reopen()
        run(lambda: store.append([call(1)]))
        store.close()
        again = reopen()
        again.close()

    def test_a_closed_store_refuses(self, store: Store) -> None:
        """Instead of waiting for ever; to close it again does nothing."""
        run(lambda: store.append([call(1)]))
        store.close()
        store.close()
        with pytest.raises(ArchiveError):
            run(lambda: store.append([call(2)]))
        with pytest.raises(ArchiveError):
            store.find(call(1).event.key)
