"""How a stale child is met."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.core.artifact import Artifact
from evolith.core.change import Change
from evolith.engine.staleness import Policy, Rules, meet, similarity

BASE = "Answer the question.\nBe brief.\nBe polite.\nName the source.\n"
POLICIES: list[Policy] = ["full", "guarded", "reflective"]


def change(old: str, new: str) -> Change:
    return Change.between(*(Artifact.of({"prompt.md": BASE.replace(old, t)}) for t in (old, new)))


BRIEF = change("Be brief.", "Be very brief, in ten words.")
BRIEFER = change("Be brief.", "Be brief, in five words.")
LATIN = change("Be brief.", "Write Latin verse instead")
SOURCE = change("Name the source.", "Name the source with its page.")
NOTHING = change("", "")


@pytest.mark.parametrize("policy", POLICIES)
def test_a_child_is_fresh_while_nothing_was_accepted_or_nothing_is_different(
    policy: Policy,
) -> None:
    assert meet(Rules(policy, limit=0), 0, BRIEF, BRIEFER) == "fresh"
    assert meet(Rules(policy, limit=0), 3, BRIEF, NOTHING) == "fresh"


def test_full_lets_every_stale_child_pass() -> None:
    assert meet(Rules("full", limit=0), 99, BRIEF, BRIEFER) == "passed"


@pytest.mark.parametrize(("staleness", "fate"), [(1, "passed"), (2, "passed"), (3, "dropped")])
def test_guarded_drops_a_child_beyond_its_limit(staleness: int, fate: str) -> None:
    assert meet(Rules("guarded", limit=2), staleness, BRIEF, SOURCE) == fate


@pytest.mark.parametrize(
    ("since", "fate"), [(SOURCE, "rebased"), (BRIEFER, "conflict"), (LATIN, "distant")]
)
def test_reflective_moves_what_commutes_and_asks_only_about_what_is_alike(
    since: Change, fate: str
) -> None:
    assert meet(Rules("reflective"), 1, BRIEF, since) == fate


def test_at_similarity_zero_every_conflict_is_a_matter_for_a_model() -> None:
    assert meet(Rules("reflective", similarity=0.0), 1, BRIEF, LATIN) == "conflict"
    assert meet(Rules("reflective", similarity=0.0), 1, BRIEF, SOURCE) == "rebased"


WORDS = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)


def rewrite(text: str) -> Change:
    return change("Be brief.", text)


@given(WORDS, WORDS)
def test_similarity_is_a_share_that_does_not_ask_which_change_comes_first(
    one: str, two: str
) -> None:
    left, right = rewrite(one), rewrite(two)
    assert 0.0 <= similarity(left, right) <= 1.0 + 1e-9
    assert similarity(left, right) == pytest.approx(similarity(right, left))
    assert similarity(left, left) == pytest.approx(1.0)
    assert similarity(left, NOTHING) == 0.0
