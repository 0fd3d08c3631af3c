from decimal import Decimal

import pytest

from evolith.core.budget import Amount
from evolith.core.events import TestOpened, UsageExceeded
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import Boundary
from evolith.report.build import build_report
from evolith.report.data import Report, Use
from evolith.report.words import headline
from evolith.testing.story import Story

COUNTS = {Split.TRAIN: 3, Split.VAL: 4, Split.TEST: 4}
VAL = ("v1", "v2", "v3", "v4")


def begun(counts: dict[Split, int] = COUNTS) -> Story:
    """A run whose seed solves one validation task of four."""
    story = Story("small", counts, {"seed": 3, "algorithm": {"kind": "gepa"}})
    story.session()
    story.candidate("seed", {"prompt.md": "Answer.\n"})
    story.rollouts("seed", Split.VAL, dict(zip(VAL, (1.0, 0.0, 0.0, 0.0), strict=True)))
    story.decided("seed", "seed", "accepted", "seed")
    return story


def improved(files: dict[str, str] | None = None, operator: str = "reflect") -> Story:
    """The same run with one accepted child, which solves three others."""
    story = begun()
    story.selected("p0001", "seed", ("t1",), operator)
    story.called("p0001/reflect/reflect/0", Role.REFLECT, (100, 20), "0.01", seconds=2)
    story.candidate("c1", files or {"prompt.md": "Think.\n"}, ("seed",), "p0001", operator)
    story.rollout("c1", Split.TRAIN, "t1", 1.0)
    story.rollouts("c1", Split.VAL, dict(zip(VAL, (0.0, 1.0, 1.0, 1.0), strict=True)))
    story.decided("p0001", "c1", "accepted", "better", "it is better", (0.0, 1.0, 0.75))
    return story


def codes(report: Report) -> set[str]:
    return {flag.code for flag in report.flags}


def flag(report: Report, code: str) -> str:
    return next(flag.text for flag in report.flags if flag.code == code)


def test_seed_and_champion_are_measured_and_compared() -> None:
    report = build_report(improved().archive())
    val = report.val
    assert report.champion == "c1"
    assert val.seed
    assert val.seed.avg
    assert val.champion
    assert val.champion.avg
    assert (val.seed.avg.value, val.champion.avg.value) == (0.25, 0.75)
    assert val.comparison
    assert val.comparison.difference
    assert val.comparison.difference.value == 0.5
    assert (val.comparison.gained, val.comparison.lost) == (("v2", "v3", "v4"), ("v1",))
    assert val.comparison.p_value == pytest.approx(2 * 5 / 16)


def test_a_failure_is_counted_apart_and_lowers_no_mean() -> None:
    story = begun()
    story.rollout("seed", Split.VAL, "v1", Boundary.PROVIDER, attempt=1)
    story.rollout("seed", Split.VAL, "v5", Boundary.SCORER)
    report = build_report(story.archive())
    seed = report.val.seed
    assert seed
    assert seed.avg
    assert (seed.avg.value, seed.tasks) == (0.25, 4)
    assert seed.failures == {Boundary.PROVIDER: 1, Boundary.SCORER: 1}


def test_a_task_without_any_score_is_named_in_a_flag() -> None:
    story = Story("small", COUNTS)
    story.candidate("seed", {"prompt.md": ""})
    story.rollouts("seed", Split.VAL, {"v1": 1.0, "v2": Boundary.HARNESS})
    story.decided("seed", "seed", "accepted")
    assert "3 of 4 val tasks have no score" in flag(build_report(story.archive()), "unscored_val")


def test_a_run_in_which_everything_failed_has_no_figures() -> None:
    story = Story("small", COUNTS)
    story.candidate("seed", {"prompt.md": ""})
    story.rollouts("seed", Split.VAL, dict.fromkeys(VAL, Boundary.PROVIDER))
    story.decided("seed", "seed", "accepted")
    report = build_report(story.archive())
    assert headline(report) == "Nothing has a score yet."
    assert report.val.seed
    assert report.val.seed.avg is None
    assert report.val.seed.failed == 4


def test_an_empty_run_has_a_report() -> None:
    report = build_report(Story("empty").archive())
    assert (report.champion, report.proposals, report.curve, report.lineage) == (None, (), (), ())


def test_more_attempts_give_avg_and_pass_at_k() -> None:
    story = begun()
    story.rollout("seed", Split.VAL, "v2", 1.0, attempt=1)
    seed = build_report(story.archive()).val.seed
    assert seed
    assert seed.avg
    assert seed.passed
    assert (seed.attempts, seed.avg.value, seed.passed.value) == (2, 0.375, 0.5)


def test_cost_is_by_role_and_adds_up() -> None:
    report = build_report(improved().archive())
    task, reflect = report.cost.roles
    assert (task.role, task.amount) == (Role.TASK, Amount(90, 9, Decimal(0), 0, 9))
    assert reflect.amount == Amount(100, 20, Decimal("0.01"), 0, 1)
    assert (reflect.seconds, task.seconds) == (2.0, 4.5)
    assert report.cost.total == Amount(190, 29, Decimal("0.01"), 9, 10)


def test_what_a_rejected_proposal_cost_is_its_calls_and_its_childs_rollouts() -> None:
    story = improved()
    story.selected("p0002", "c1", ("t2",), "reflect")
    story.called("p0002/reflect/reflect/0", Role.REFLECT, (50, 5), "0.02")
    story.candidate("c2", {"prompt.md": "Worse.\n"}, ("c1",), "p0002", "reflect")
    story.rollout("c1", Split.TRAIN, "t2", 1.0)  # of the parent, which stays
    story.rollout("c2", Split.TRAIN, "t2", 0.0)
    story.decided("p0002", "c2", "rejected", "minibatch_not_better", "no better", (1.0, 0.0, None))
    spent = {use.cause: use.amount for use in build_report(story.archive()).cost.uses}
    assert spent["rejected"] == Amount(60, 6, Decimal("0.02"), 1, 2)
    assert "failed" not in spent


def test_what_a_failed_proposal_cost_is_told_apart() -> None:
    story = improved()
    story.selected("p0002", "c1", (), "reflect")
    story.called("p0002/reflect/reflect/0", Role.REFLECT, (50, 5), failure="TruncatedResponse")
    story.decided("p0002", None, "failed", "truncated", "cut")
    report = build_report(story.archive())
    assert Use("failed", Amount(50, 5, Decimal(0), 0, 1)) in report.cost.uses
    assert report.cost.roles[1].failed_calls == 1
    assert report.proposals[-1].code == "truncated"


def test_the_judge_is_no_part_of_what_a_deployed_task_costs() -> None:
    story = begun()
    story.rollout("seed", Split.VAL, "a/b", 1.0, tokens=(10, 1))
    story.called("rollout/seed/a/b/0/judge/0", Role.JUDGE, (4, 1))
    seed = build_report(story.archive()).val.seed
    assert seed
    assert seed.cost
    assert seed.cost.tokens_in == pytest.approx((5 * 10 - 4) / 5)  # the story's rollouts hold 10


def test_the_difference_names_the_files_and_their_lines() -> None:
    report = build_report(improved({"prompt.md": "Think.\n", "format.md": "One\nword\n"}).archive())
    assert [(f.path, f.added, f.removed) for f in report.change.files] == [
        ("format.md", 2, 0),
        ("prompt.md", 1, 1),
    ]
    assert "-Answer.\n+Think.\n" in report.change.diff


def test_the_curve_ends_at_the_last_decision_and_not_with_the_test() -> None:
    story = improved()
    story.selected("p0002", "c1", (), "reflect")
    story.decided("p0002", None, "skipped")
    story.tell(TestOpened(candidate="c1", use=1))
    story.rollout("c1", Split.TEST, "x1", 1.0)
    curve = build_report(story.archive()).curve
    assert [(p.candidate, p.val.value, p.rollouts) for p in curve] == [
        ("seed", 0.25, 4),
        ("c1", 0.75, 9),
        ("c1", 0.75, 9),
    ]


def test_the_lineage_marks_the_line_of_the_champion(report: Report) -> None:
    line = {node.id for node in report.lineage if node.line}
    assert line == {"seed", "c4f19a02", "c1b7733e", "c09ad417", "c6e2b8a1", "ce85d6f0"}
    merged = next(node for node in report.lineage if node.operator == "merge")
    assert merged.parents == ("c1b7733e", "c09ad417")


def test_a_validation_score_that_was_chosen_by_is_called_optimistic() -> None:
    assert "best validation score of 2 candidates" in flag(
        build_report(improved().archive()), "selection"
    )
    assert "selection" not in codes(build_report(begun().archive()))


def test_a_run_without_a_test_split_says_so() -> None:
    report = build_report(begun({Split.TRAIN: 1, Split.VAL: 4}).archive())
    assert "no_test" in codes(report)
    assert report.test_note == "there is none in this run"


def test_a_test_opened_twice_is_flagged() -> None:
    story = improved()
    story.tell(TestOpened(candidate="seed", use=1))
    once = build_report(story.archive())
    story.tell(TestOpened(candidate="c1", use=2))
    twice = build_report(story.archive())
    assert "test_reopened" not in codes(once)
    assert "opened 2 times" in flag(twice, "test_reopened")


def test_a_test_score_of_an_earlier_champion_is_not_taken_for_the_present_one() -> None:
    story = begun()
    story.tell(TestOpened(candidate="seed", use=1))
    story.rollouts("seed", Split.TEST, {"x1": 1.0})
    story.candidate("c1", {"prompt.md": "Better.\n"}, ("seed",), "p0001", "reflect")
    story.rollouts("c1", Split.VAL, dict.fromkeys(VAL, 1.0))
    story.decided("p0001", "c1", "accepted")
    report = build_report(story.archive())
    assert report.test.champion is None
    assert "before c1 became champion" in flag(report, "test_of_another")


def test_revealed_answers_are_flagged_wherever_a_scorer_is_nested() -> None:
    part = {"fields": [{"kind": "exact"}, {"kind": "choice", "reveal_answer": True}]}
    shown = Story("s", COUNTS, {"scorer": part})
    hidden = Story("s", COUNTS, {"scorer": {"kind": "exact", "reveal_answer": False}})
    assert "answers_revealed" in codes(build_report(shown.archive()))
    assert "answers_revealed" not in codes(build_report(hidden.archive()))


def test_demonstrations_taken_from_train_rows_are_counted() -> None:
    files = {"prompt.md": "Answer.\n", "demos.jsonl": '{"input":"a"}\n{"input":"b"}\n'}
    assert "show 2 train rows" in flag(
        build_report(improved(files, "demos").archive()), "train_rows_shown"
    )
    assert "train_rows_shown" not in codes(build_report(improved(files, "reflect").archive()))


def test_estimated_tokens_are_flagged() -> None:
    story = begun()
    story.called("p/reflect/reflect/0", Role.REFLECT, (5, 5), estimated=True)
    assert "For 1 call the tokens" in flag(build_report(story.archive()), "usage_estimated")


@pytest.mark.parametrize(
    ("reason", "status", "said"),
    [
        ("finished", "finished", "finished"),
        ("budget:tokens", "stopped", "the budget of tokens is used up"),
        ("drained", "stopped", "on request"),
        ("aborted", "stopped", "at once"),
        ("provider", "stopped", "401"),
        ("error", "stopped", "401"),
        ("unheard of", "stopped", "unheard of"),
    ],
)
def test_a_stopped_run_says_why_and_how_to_go_on(reason: str, status: str, said: str) -> None:
    story = begun()
    story.ended(reason, message="the server answered 401")
    state = build_report(story.archive(), "my runs/small").state
    assert (state.status, said in state.sentence) == (status, True)
    expected = None if status == "finished" else "evolith resume 'my runs/small'"
    assert state.resume == expected


@pytest.mark.parametrize("reason", ["finished", "drained", "budget:tokens", "budget:money"])
def test_a_search_that_its_budget_cut_short_is_flagged_though_the_test_was_run(reason: str) -> None:
    story = begun()
    story.tell(TestOpened(candidate="seed", use=1))
    story.ended(reason)
    report = build_report(story.archive())
    assert ("cut_short" in codes(report)) == reason.startswith("budget:")
    if reason.startswith("budget:"):
        assert reason.removeprefix("budget:") in flag(report, "cut_short")


def test_a_killed_session_is_counted() -> None:
    story = begun()
    story.session(2)
    state = build_report(story.archive()).state
    assert (state.status, state.sessions, state.killed) == ("open", 2, 1)


def test_proposals_under_way_are_counted() -> None:
    story = improved()
    story.selected("p0002", "c1", (), "reflect")
    report = build_report(story.archive())
    assert (len(report.proposals), report.under_way) == (1, 1)


def test_a_report_of_the_same_run_is_always_the_same(news: Story) -> None:
    archive = news.archive()
    assert build_report(archive) == build_report(archive)


def test_usage_above_what_was_reserved_is_flagged_with_the_model_that_had_most() -> None:
    story = begun()
    for number, tokens_out in enumerate((40, 4000)):
        event = UsageExceeded(
            call=f"call/{number}",
            role=Role.TASK,
            model=f"openai:m{number}",
            reserved_in=88,
            reserved_out=10,
            tokens_in=7,
            tokens_out=tokens_out,
        )
        story.tell(event)
    said = flag(build_report(story.archive()), "usage_exceeded")
    assert said.startswith("2 calls used more tokens")
    assert "openai:m1 reported 7 + 4,000 where at most 88 + 10 were expected" in said
