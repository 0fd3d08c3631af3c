import pytest

from evolith.report.build import build_report
from evolith.report.overlap_data import Beat, EarlyReport, OverlapReport, SpeculationReport
from evolith.testing.story import Story


@pytest.fixture
def overlap(busy: Story) -> OverlapReport:
    found = build_report(busy.archive()).overlap
    assert found
    return found


def test_a_stage_adds_up_its_sessions_and_shows_how_it_stands_now(overlap: OverlapReport) -> None:
    assert [stage.name for stage in overlap.stages] == [
        "rollout",
        "propose",
        "check",
        "repair",
        "evaluate",
    ]
    stage = overlap.stages[0]
    assert (stage.done, stage.workers, stage.busy, stage.waiting) == (5 + 4, 4, 2, 1)
    assert stage.wait == pytest.approx(0.5)
    assert stage.idle == pytest.approx(0.1)
    assert stage.longest == 3


def test_the_committer_is_told_with_its_waits_and_its_queue(overlap: OverlapReport) -> None:
    assert overlap.committer
    assert (overlap.committer.wait_p50, overlap.committer.wait_p99) == (0.004, 0.021)
    assert (overlap.committer.waiting, overlap.committer.done) == (1, 9)


def test_the_beats_of_a_later_session_follow_those_of_the_earlier(overlap: OverlapReport) -> None:
    assert [beat.seconds for beat in overlap.beats] == [10.0, 20.0, 25.0]
    assert overlap.beats[0] == Beat(10.0, (2,) * 6, (2,) * 6)


def test_staleness_counts_what_was_accepted_while_a_proposal_was_made(
    overlap: OverlapReport,
) -> None:
    # p0001, p0005 and p0006 met nothing newer; p0002 one change; p0003 and p0004 two.
    assert overlap.staleness == {0: 3, 1: 1, 2: 2}


def test_stale_proposals_are_counted_by_fate_with_the_tokens_of_their_repair(
    overlap: OverlapReport,
) -> None:
    found = {fate.fate: (fate.items, fate.tokens) for fate in overlap.stale}
    assert found == {"patched": (1, 40), "dropped": (1, 0)}


def test_speculation_says_what_was_confirmed_what_retracted_and_what_fell(
    overlap: OverlapReport,
) -> None:
    assert overlap.speculation == SpeculationReport(
        handed=1, tentative=2, confirmed=1, retracted=1, fallen=1
    )


def test_an_evaluation_that_ended_early_saved_the_rest_of_its_rollouts(
    overlap: OverlapReport,
) -> None:
    assert overlap.early == EarlyReport(evaluations=1, saved=3)


def test_a_synchronous_run_has_no_overlap(flash: Story) -> None:
    assert build_report(flash.archive()).overlap is None


def test_an_asynchronous_run_has_a_report_before_its_first_pulse() -> None:
    story = Story("new", {}, {"run": {"schedule": "async"}})
    story.session()
    found = build_report(story.archive()).overlap
    assert found
    assert (found.stages, found.committer, found.beats, found.pulsed_at) == ((), None, (), None)


def test_the_last_look_at_the_stages_has_a_time(busy: Story, overlap: OverlapReport) -> None:
    assert overlap.pulsed_at == busy.now
