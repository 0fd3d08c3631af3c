"""What may be different when a run goes on, and what is refused."""

from decimal import Decimal
from pathlib import Path

import pytest

from evolith.config import RunConfig
from evolith.config.content import content, same_content
from evolith.core.budget import Budget
from evolith.core.messages import Role
from evolith.core.task import Split
from evolith.errors import ConfigError
from evolith.models.config import ModelsConfig
from evolith.session import Terms
from evolith.testing.story import Story

BEFORE = RunConfig.model_validate(
    {
        "base": "/project",
        "tasks": {"file": "tasks.jsonl"},
        "models": {"task": {"use": "openai:m", "base_url": "http://one/v1", "free": True}},
        "budget": {"rollouts": 50, "tokens": 900},
    }
)


def models(**other: object) -> ModelsConfig:
    """Return the models as before, but for what is other."""
    return ModelsConfig.model_validate({"task": BEFORE.models.of(Role.TASK).model_dump() | other})


def spent() -> Story:
    """Tell a run that spent 6 rollouts, 72 tokens, 1.50 dollars and some seconds."""
    story = Story(counts={Split.VAL: 6})
    story.session()
    story.candidate("seed", {"prompt.md": ""})
    story.rollouts("seed", Split.VAL, dict.fromkeys("abcdef", 1.0))
    story.called("p/reflect/0", Role.REFLECT, (5, 1), "1.50")
    return story


@pytest.mark.parametrize(
    ("passed", "used"),
    [
        (Budget(rollouts=1), "6 rollouts"),
        (Budget(rollouts=6), "6 rollouts"),
        (Budget(tokens=71, rollouts=7), "72 tokens"),
        (Budget(money=Decimal("0.004")), "$1.50"),
        (Budget(money=Decimal("1.5")), "$1.50"),
    ],
)
def test_a_limit_that_is_passed_is_refused_with_what_was_spent(passed: Budget, used: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Terms(passed).check(spent().archive().state)
    assert f"the run has spent {used} already" in refused.value.message
    assert refused.value.fix == f"give more than {used}"


def test_seconds_that_are_passed_are_refused() -> None:
    state = spent().archive().state
    with pytest.raises(ConfigError) as refused:
        Terms(Budget(seconds=state.seconds)).check(state)
    assert refused.value.where == "budget.seconds"
    Terms(Budget(seconds=state.seconds + 1)).check(state)


@pytest.mark.parametrize(
    "enough", [Budget(), Budget(rollouts=7), Budget(tokens=73), Budget(money=Decimal("1.51"))]
)
def test_a_limit_that_leaves_something_and_no_limit_are_taken(enough: Budget) -> None:
    Terms(enough).check(spent().archive().state)


def test_what_is_not_given_stays_as_it_was() -> None:
    assert Terms().of(BEFORE) == BEFORE
    assert Terms(Budget(rollouts=70), workers=2).of(BEFORE).budget.budget() == Budget(900, None, 70)
    assert Terms(base=Path("/elsewhere")).of(BEFORE).base == Path("/elsewhere")


@pytest.mark.parametrize(
    "other",
    [
        {"base_url": "http://two/v1"},
        {"api_key_env": "OTHER"},
        {"free": False, "price": {"tokens_in": 1, "tokens_out": 2}},
        {"timeout": 9, "retries": 0, "concurrency": 3},
    ],
)
def test_how_a_model_is_reached_and_paid_may_differ(other: dict[str, object]) -> None:
    now = Terms(models=models(**other)).of(BEFORE)
    assert same_content(content(BEFORE), content(now))


@pytest.mark.parametrize("other", [{"use": "openai:n"}, {"structured": "vllm"}])
def test_what_a_model_answers_may_not_differ(other: dict[str, object]) -> None:
    now = Terms(models=models(**other)).of(BEFORE)
    assert not same_content(content(BEFORE), content(now))
