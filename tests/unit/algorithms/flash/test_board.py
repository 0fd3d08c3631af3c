"""What a flash run knows after each decision."""

from collections.abc import Sequence

import pytest

from evolith.algorithms.flash.board import Board
from evolith.algorithms.flash.kin import Kin
from evolith.core.task import Split
from evolith.testing.story import Story

PATIENCE = 2


class Tale:
    """Tells a run to a board, which is asked after every event, or only at the end."""

    def __init__(self) -> None:
        self.story = Story()
        self.story.candidate("seed", {"prompt.md": "seed"})
        self.story.decided("seed", "seed", "accepted", "seed")

    def look(self, item: str, line: str, task: str, score: float, feedback: str = "") -> None:
        self.story.selected(item, line, (task,), "look")
        self.story.rollout(line, Split.TRAIN, task, score, feedback=feedback)
        self.story.decided(item, None, "skipped", "looked")

    def repair(self, item: str, line: str, task: str, child: str, outcome: str = "held") -> None:
        self.story.selected(item, line, (task,), "reflect")
        self.story.candidate(child, {"prompt.md": child}, (line,), item, "reflect")
        self.story.rollout(child, Split.TRAIN, task, float(outcome == "held"))
        self.decide(item, child, outcome)

    def fuse(
        self, item: str, line: str, parts: Sequence[str], fused: str, how: str = "fuse"
    ) -> None:
        self.story.selected(item, line, (), how, *parts)
        self.story.candidate(fused, {"prompt.md": fused}, (line, *parts), item, how)
        self.decide(item, fused, "held")

    def judge(self, item: str, line: str, outcome: str, code: str = "") -> None:
        self.story.selected(item, line, (), "judge")
        self.decide(item, line, outcome, code)

    def decide(self, item: str, candidate: str | None, outcome: str, code: str = "") -> None:
        assert outcome in ("held", "accepted", "rejected", "failed")
        self.story.decided(item, candidate, outcome, code)  # type: ignore[arg-type]

    def board(self) -> Board:
        board = Board(self.story.archive(), Kin(0.5), PATIENCE)
        board.sync()
        return board


@pytest.fixture
def tale() -> Tale:
    return Tale()


def test_a_look_tells_whether_the_line_passes_a_task_and_what_was_said(tale: Tale) -> None:
    tale.look("p1", "seed", "t1", 0.0, "a unit is missing")
    tale.look("p2", "seed", "t2", 1.0)
    board = tale.board()
    assert (board.looks["t1"].passed, board.looks["t1"].feedback) == (False, "a unit is missing")
    assert (board.expected("t1"), board.expected("t2"), board.expected("t3")) == (
        False,
        True,
        False,
    )


def test_what_is_under_way_is_known_until_it_is_decided(tale: Tale) -> None:
    tale.look("p1", "seed", "t1", 0.0, "a unit is missing")
    tale.story.selected("p2", "seed", ("t1",), "reflect")
    tale.story.selected("p3", "seed", ("t2",), "look")
    board = tale.board()
    assert (board.focus, board.looking) == ({"p2": "t1"}, {"p3": "t2"})
    assert board.said == {"p2": "a unit is missing"}
    assert board.busy
    tale.decide("p2", None, "failed", "no_fence")
    tale.story.decided("p3", None, "skipped", "looked")
    assert not tale.board().busy
    assert tale.board().useless["t1"] == 1


def test_a_repair_that_wins_is_held_until_it_is_fused_into_the_line(tale: Tale) -> None:
    tale.look("p1", "seed", "t1", 0.0)
    tale.repair("p2", "seed", "t1", "c1")
    tale.repair("p3", "seed", "t2", "c2")
    board = tale.board()
    assert (board.held, board.won) == (["c1", "c2"], {"c1": ("t1",), "c2": ("t2",)})
    tale.fuse("p4", "seed", ["c1", "c2"], "f1")
    board = tale.board()
    assert (board.line, board.parts, board.held, board.moves) == ("f1", ("c1", "c2"), [], 1)
    assert board.newly_won() == {"t1", "t2"}
    assert board.expected("t1")  # although the line was not run on it yet
    assert board.champion == "seed"


def test_a_fusion_that_failed_lets_go_of_its_children_and_leaves_the_line(tale: Tale) -> None:
    tale.repair("p1", "seed", "t1", "c1")
    tale.repair("p2", "seed", "t2", "c2")
    tale.story.selected("p3", "seed", (), "fuse", "c1")
    assert tale.board().fusing == "p3"
    tale.decide("p3", None, "failed", "unchanged")
    board = tale.board()
    assert (board.line, board.moves, board.held, board.fusing) == ("seed", 0, ["c2"], "")


def test_a_repair_in_vain_is_counted_and_a_win_forgets_it(tale: Tale) -> None:
    tale.repair("p1", "seed", "t1", "c1", "rejected")
    tale.repair("p2", "seed", "t1", "c2", "rejected")
    assert tale.board().useless["t1"] == 2
    tale.repair("p3", "seed", "t1", "c3")
    assert tale.board().useless["t1"] == 0


def test_a_proof_makes_the_line_the_champion_and_lost_comparisons_lead_back_to_it(
    tale: Tale,
) -> None:
    tale.repair("p1", "seed", "t1", "c1")
    tale.fuse("p2", "seed", ["c1"], "f1")
    tale.judge("p3", "f1", "accepted", "proved")
    board = tale.board()
    assert (board.champion, board.champion_parts, board.lost) == ("f1", ("c1",), 0)
    for number, name in enumerate(("c2", "c3")):
        line = f"f{number + 1}"
        tale.repair(f"r{number}", line, f"t{number + 2}", name)
        tale.fuse(f"m{number}", line, [name], f"f{number + 2}")
        tale.judge(f"j{number}", f"f{number + 2}", "rejected", "not_better")
    tale.repair("p9", "f3", "t9", "c9")
    board = tale.board()
    assert (board.line, board.parts) == ("f1", ("c1",))
    assert (board.champion, board.lost) == ("f1", 0)
    assert board.judged == {"f1", "f2", "f3"}


def test_a_comparison_that_a_newer_line_cut_short_is_not_lost(tale: Tale) -> None:
    tale.repair("p1", "seed", "t1", "c1")
    tale.fuse("p2", "seed", ["c1"], "f1")
    for number in range(PATIENCE + 1):
        tale.judge(f"j{number}", "f1", "rejected", "superseded")
    assert (tale.board().line, tale.board().lost) == ("f1", 0)


def test_a_part_that_sets_stuck_tasks_free_is_pruned_and_they_may_be_repaired_again(
    tale: Tale,
) -> None:
    for number in range(3):
        tale.repair(f"p{number}", "seed", "stuck", f"x{number}", "rejected")
    tale.repair("p4", "seed", "t1", "c1")
    tale.repair("p5", "seed", "t2", "c2")
    tale.fuse("p6", "seed", ["c1", "c2"], "f1")
    tale.story.selected("p7", "f1", ("stuck",), "leave_out", "c1")
    assert tale.board().leaving == {"p7"}
    tale.story.candidate("w1", {"prompt.md": "w1"}, ("f1", "c1"), "p7", "leave_out")
    tale.decide("p7", "w1", "held", "frees")
    board = tale.board()
    assert (board.freed, board.leaving, board.useless["stuck"]) == (["c1"], set(), 3)
    tale.story.selected("p8", "f1", ("stuck",), "prune", "c1")
    tale.story.candidate("f2", {"prompt.md": "f2"}, ("f1", "c1"), "p8", "prune")
    tale.decide("p8", "f2", "held", "moved")
    board = tale.board()
    assert (board.line, board.parts, board.freed) == ("f2", ("c2",), [])
    assert board.useless["stuck"] == 0
    assert board.newly_won() == {"t2"}


def test_a_passed_task_that_the_new_line_loses_is_a_surprise(tale: Tale) -> None:
    tale.look("p1", "seed", "t1", 1.0)
    tale.repair("p2", "seed", "t2", "c1")
    tale.fuse("p3", "seed", ["c1"], "f1")
    tale.look("p4", "f1", "t2", 1.0)
    tale.look("p5", "f1", "t1", 0.0, "lost")
    assert tale.board().surprises == 1


def test_mates_are_tasks_that_failed_in_the_same_way_first_those_seen_on_this_line(
    tale: Tale,
) -> None:
    tale.look("p1", "seed", "t1", 0.0, "a unit is missing")
    tale.look("p2", "seed", "t2", 0.0, "a unit is missing")
    tale.look("p3", "seed", "t3", 0.0, "this is something else entirely")
    tale.repair("p4", "seed", "t3", "c1")
    tale.fuse("p5", "seed", ["c1"], "f1")
    tale.look("p6", "f1", "t1", 0.0, "a unit is missing")
    board = tale.board()
    assert board.mates("t1", "f1", 5, known=True) == []
    assert board.mates("t1", "f1", 5, known=False) == ["t2"]
    assert board.mates("t1", "seed", 5, known=True) == ["t2"]
    assert board.mates("t1", "seed", 0, known=True) == []


def test_a_board_that_is_read_at_the_end_is_the_one_that_followed_every_event(tale: Tale) -> None:
    archive = tale.story.archive()
    following = Board(archive, Kin(0.5), PATIENCE)
    tale.look("p1", "seed", "t1", 0.0, "a")
    tale.repair("p2", "seed", "t1", "c1")
    tale.fuse("p3", "seed", ["c1"], "f1")
    tale.judge("p4", "f1", "accepted", "proved")
    tale.look("p5", "f1", "t1", 1.0)
    whole = tale.story.archive()
    for entry in whole.store.entries():
        archive.state.apply(entry)
        archive.store = whole.store
        archive.__dict__.pop("_recorded", None)
        following.sync()
    board = tale.board()
    for name in ("line", "parts", "champion", "held", "looks", "useless", "moves", "judged", "won"):
        assert getattr(board, name) == getattr(following, name)
