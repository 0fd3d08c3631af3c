from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from evolith.archive.state import Entry, State
from evolith.core.budget import Amount
from evolith.core.events import (
    AnyEvent,
    CallLost,
    CandidateAdded,
    Decided,
    RolloutEnded,
    SessionEnded,
    SessionStarted,
    Verdict,
)
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import Boundary
from evolith.testing.store_suite import call, one_of_each

START = 1_700_000_000.0


def folded(*entries: Entry) -> State:
    state = State()
    for entry in entries:
        state.apply(entry)
    return state


def at(moment: float, *events: AnyEvent) -> list[Entry]:
    return [Entry(event, moment) for event in events]


def candidate(name: str) -> CandidateAdded:
    return CandidateAdded(
        id=name, artifact="b", parents=(), item="", operator="seed", rationale="", cursor=0
    )


def rollout(
    name: str, task: str, value: float | None, attempt: int = 0, split: Split = Split.VAL
) -> RolloutEnded:
    return RolloutEnded(
        candidate=name,
        task=task,
        split=split,
        attempt=attempt,
        output=None,
        value=value,
        passed=None if value is None else value == 1,
        feedback="",
        boundary=Boundary.PROVIDER if value is None else None,
        message="",
        tokens_in=3,
        tokens_out=4,
        money=Decimal("0.5"),
        calls=1,
    )


def decided(item: str, order: int, name: str | None, outcome: str = "accepted") -> Decided:
    verdict = Verdict.model_validate({"outcome": outcome, "code": "c", "reason": "r"})
    return Decided(item=item, order=order, candidate=name, verdict=verdict, version=0)


def started(number: int) -> SessionStarted:
    return SessionStarted(number=number, version="0", settings="{}", fingerprint="")


def ended(number: int, seconds: float) -> SessionEnded:
    return SessionEnded(number=number, reason="finished", message="", seconds=seconds)


def test_a_run_without_events_is_empty() -> None:
    state = State()
    assert (state.version, state.commits, state.seconds, state.champion) == (0, 0, 0.0, None)
    assert state.total == Amount()
    assert state.mean("seed", Split.VAL) is None


def test_every_kind_of_event_is_taken_in() -> None:
    state = folded(*one_of_each())
    assert state.run is not None
    assert state.run.name == "run"
    assert state.pool == ["seed"]
    assert list(state.selected) == ["i0"]
    assert list(state.decided) == ["seed"]
    assert [opened.use for opened in state.tests] == [1]
    assert state.lost == Amount(3, 4, Decimal("0.10"), 0, 1)
    assert state.spent[Role.JUDGE] == state.lost
    assert state.charges.roles[Role.TASK].seconds == 0.7
    assert len(state.sessions) == 1


def test_the_seed_is_version_0_and_each_accepted_candidate_raises_it() -> None:
    state = folded(*at(1.0, decided("seed", 0, "seed")))
    assert (state.version, state.commits) == (0, 1)
    for entry in at(
        2.0,
        decided("i1", 1, None, "failed"),
        decided("i2", 2, "c2"),
        decided("i3", 3, "c3", "rejected"),
    ):
        state.apply(entry)
    assert (state.version, state.commits) == (1, 4)
    assert state.pool == ["seed", "c2"]


def test_a_failed_rollout_is_counted_but_is_no_score_of_0() -> None:
    events = [rollout("seed", "t1", 1.0), rollout("seed", "t2", None), rollout("seed", "t3", 0.0)]
    state = folded(*at(1.0, *events))
    assert state.values("seed", Split.VAL) == {"t1": 1.0, "t3": 0.0}
    assert state.mean("seed", Split.VAL) == 0.5
    assert state.total.rollouts == 3


def test_a_mean_weighs_tasks_alike_however_often_they_were_tried() -> None:
    events = [rollout("seed", "t1", value, n) for n, value in enumerate([1.0, 0.0, 0.5, 0.5])]
    state = folded(*at(1.0, *events, rollout("seed", "t2", 1.0)))
    assert state.values("seed", Split.VAL) == {"t1": 0.5, "t2": 1.0}
    assert state.mean("seed", Split.VAL) == 0.75


def test_splits_are_kept_apart() -> None:
    test = replace_split(rollout("seed", "t1", 1.0), Split.TEST)
    state = folded(*at(1.0, rollout("seed", "t2", 0.0), test))
    assert state.mean("seed", Split.VAL) == 0.0
    assert state.mean("seed", Split.TEST) == 1.0
    assert state.mean("seed", Split.TRAIN) is None


def replace_split(event: RolloutEnded, split: Split) -> RolloutEnded:
    return event.model_copy(update={"split": split})


def test_the_earliest_of_equally_good_candidates_is_champion() -> None:
    state = folded(
        *at(1.0, rollout("seed", "t", 0.5), decided("seed", 0, "seed")),
        *at(2.0, rollout("c1", "t", 0.5), decided("i1", 1, "c1")),
    )
    assert state.champion == "seed"
    for entry in at(3.0, rollout("c2", "t", 1.0), decided("i2", 2, "c2")):
        state.apply(entry)
    assert state.champion == "c2"
    assert [(point.candidate, point.val, point.rollouts) for point in state.curve] == [
        ("seed", 0.5, 1),
        ("c2", 1.0, 3),
    ]


@given(data=st.data())
def test_what_is_asked_after_each_event_is_what_is_asked_at_the_end_alone(
    data: st.DataObject,
) -> None:
    names = ["seed", "c1", "c2"]
    events: list[AnyEvent] = [decided(name, place, name) for place, name in enumerate(names)]
    for name in names:
        for place in range(3):
            value = data.draw(st.sampled_from([None, 0.0, 0.5, 1.0]))
            events.append(rollout(name, f"t{place % 2}", value, place))
    entries = at(1.0, *data.draw(st.permutations(events)))
    asked_often = State()
    for end, entry in enumerate(entries, 1):
        asked_often.apply(entry)
        fresh = folded(*entries[:end])
        means = {name: fresh.mean(name, Split.VAL) for name in fresh.pool}
        best = max((mean for mean in means.values() if mean is not None), default=None)
        assert asked_often.champion == next((n for n in means if means[n] == best), None)
        for name in names:
            assert asked_often.values(name, Split.VAL) == fresh.values(name, Split.VAL)
            assert asked_often.mean(name, Split.VAL) == fresh.mean(name, Split.VAL)


def test_the_moment_of_the_last_decision_is_known_also_where_the_champion_stays() -> None:
    state = folded(
        *at(1.0, rollout("seed", "t", 0.5), decided("seed", 0, "seed")),
        *at(3.0, rollout("c1", "t", 0.1), decided("i1", 1, "c1", "rejected")),
        *at(9.0, rollout("seed", "t", 1.0, split=Split.TEST)),
    )
    assert state.latest is not None
    assert (state.latest.order, state.latest.rollouts, state.latest.candidate) == (1, 2, "seed")
    assert [point.order for point in state.curve] == [0]


def test_a_candidate_that_was_not_accepted_is_never_champion() -> None:
    state = folded(
        *at(1.0, rollout("seed", "t", 0.1), decided("seed", 0, "seed")),
        *at(2.0, rollout("c1", "t", 1.0), decided("i1", 1, "c1", "rejected")),
    )
    assert state.champion == "seed"


def test_a_lost_call_is_charged_to_its_role() -> None:
    lost = CallLost(
        call="call/x",
        number=2,
        role=Role.REFLECT,
        model="m",
        tokens_in=100,
        tokens_out=50,
        money=Decimal(2),
    )
    state = folded(call(), *at(START, lost))
    assert state.spent[Role.REFLECT] == Amount(100, 50, Decimal(2), 0, 1)
    assert state.total == Amount(110, 52, Decimal("2.001"), 0, 2)


@given(money=st.lists(st.decimals(0, 10, places=6), max_size=20))
def test_money_adds_up_exactly(money: list[Decimal]) -> None:
    state = folded(*(call(n, money=str(amount)) for n, amount in enumerate(money)))
    assert state.total.money == sum(money, Decimal(0))
    assert state.total.calls == len(money)


SESSIONS = st.lists(
    st.tuples(
        st.floats(0, 1e6),  # away before it began
        st.lists(st.floats(0, 1e4), max_size=5),  # from one event to the next
        st.booleans(),  # killed
    ),
    max_size=6,
)


@given(sessions=SESSIONS)
def test_work_time_is_that_of_all_sessions_also_of_those_that_were_killed(
    sessions: list[tuple[float, list[float], bool]],
) -> None:
    state, now, expected = State(), START, 0.0
    for number, (away, gaps, killed) in enumerate(sessions):
        now += away
        state.apply(Entry(started(number), now))
        begun = now
        for place, gap in enumerate(gaps):
            now += gap
            state.apply(call(number * 100 + place)._replace(at=now))
        expected += now - begun
        if not killed:
            state.apply(Entry(ended(number, now - begun), now))
        assert abs(state.seconds - expected) < 1e-3
    assert len(state.sessions) == len(sessions)
    assert [end is None for _, end in state.sessions] == [killed for _, _, killed in sessions]


@given(
    moments=st.lists(st.floats(-1e5, 1e5), max_size=10),
    restart=st.lists(st.booleans(), max_size=10),
)
def test_a_clock_that_is_set_never_makes_work_time_negative(
    moments: list[float], restart: list[bool]
) -> None:
    state = folded(Entry(started(0), START))
    for number, (moment, again) in enumerate(zip(moments, restart, strict=False), 1):
        event = started(number) if again else call(number).event
        before = state.seconds
        state.apply(Entry(event, START + moment))
        assert state.seconds >= before
    assert state.seconds >= 0


@given(data=st.data())
def test_charges_and_scores_do_not_depend_on_the_order_of_events(data: st.DataObject) -> None:
    entries = [
        *(call(number) for number in range(4)),
        *at(START, *(rollout("seed", f"t{n}", n / 4, n % 2) for n in range(4))),
    ]
    one, two = folded(*entries), folded(*data.draw(st.permutations(entries)))
    assert one.total == two.total
    assert one.spent == two.spent
    assert one.rollouts == two.rollouts
    assert one.values("seed", Split.VAL) == two.values("seed", Split.VAL)
