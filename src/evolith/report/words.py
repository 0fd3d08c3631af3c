"""How figures and texts are written: the same in the terminal, in Markdown and in HTML."""

from collections.abc import Sequence

from evolith.core.budget import dollars
from evolith.core.candidate import SEED
from evolith.report.codes import makes_candidates
from evolith.report.data import (
    Claim,
    Comparison,
    Estimate,
    Pace,
    Rate,
    Report,
    RoleCost,
    SplitReport,
)

_VISIBLE = "\N{REPLACEMENT CHARACTER}"
_HIDDEN = [
    *range(0x20),  # control characters: they can move the cursor or rewrite the screen
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F),  # marks and overrides of direction: text can read as another
    *range(0x2028, 0x202F),  # the same, and line ends that are none
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),  # half characters: they cannot be written in UTF-8
]
_CLEAN = dict.fromkeys(_HIDDEN, _VISIBLE) | {0x09: "    ", 0x0A: "\n", 0x0D: _VISIBLE}
_MINUTE, _HOUR = 60, 3600


def clean(text: str) -> str:
    """Return `text` with characters that could deceive a reader or a terminal made visible."""
    return text.translate(_CLEAN)


def line(text: str) -> str:
    """Return `text` cleaned, on one line."""
    return " ".join(clean(text).split())


def percent(value: float) -> str:
    """Return a share such as `46.5%`."""
    return f"{100 * value:.1f}%"


def score(value: float | None) -> str:
    """Return a score such as `0.67`, or `-`."""
    return "-" if value is None else f"{value:.2f}"


def interval(estimate: Estimate) -> str:
    """Return the ends of an interval in percent, such as `39.6-53.4`."""
    return f"{100 * estimate.low:.1f}-{100 * estimate.high:.1f}"


def points(value: float) -> str:
    """Return a difference in percentage points, with its sign."""
    return f"{100 * value:+.1f}"


def span(estimate: Estimate) -> str:
    """Return the interval of a difference, such as `+31.8 to +45.5`."""
    return f"{points(estimate.low)} to {points(estimate.high)}"


def duration(seconds: float) -> str:
    """Return a time such as `0.4 s`, `42 s`, `6 min 12 s` or `3 h 05 min`."""
    if seconds < 10:  # noqa: PLR2004 - a decimal place helps below ten
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE:02} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE:02} min"


def p_value(p: float) -> str:
    """Return a p such as `p = 0.013` or `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"  # noqa: PLR2004


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, such as `1 task` or `1,200 tasks`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def named(candidates: Sequence[str], most: int = 3) -> str:
    """Return candidates in a sentence, such as `c1, c2 and 4 more`."""
    shown, rest = [*candidates[:most]], len(candidates) - most
    last = [f"{rest} more"] if rest > 0 else [shown.pop()]
    return " and ".join([", ".join(shown), *last] if shown else last)


def wait(seconds: float) -> str:
    """Return a time that may be very short, such as `0 ms` or `12 ms`, as `duration` from 1 s."""
    return duration(seconds) if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def per_minute(rate: Rate) -> str:
    """Return how many there were a minute, such as `1,291` or `0.7`, or `-`."""
    if rate.per_minute is None:
        return "-"
    return f"{rate.per_minute:,.0f}" if rate.per_minute >= 100 else f"{rate.per_minute:,.1f}"  # noqa: PLR2004 - a decimal place helps below a hundred


def money_each(pace: Pace) -> str:
    """Return what an accepted improvement cost, or `-` where nothing was spent or accepted."""
    return dollars(pace.money_per_accepted) if pace.money_per_accepted is not None else "-"


def claimed(claim: Claim) -> str:
    """Return a claimed score, and what it rests on."""
    value = claim.value
    if claim.fresh:
        rests = f"95% {interval(value)}, on {plural(value.n, 'fresh rollout')} that chose nothing"
        return f"{percent(value.value)}, {rests}"
    return f"{percent(value.value)}, on {plural(value.n, 'rollout')}; answers repeat"


def decided(report: Report) -> str:
    """Return how many proposals were decided, and how many items that made none."""
    made = sum(makes_candidates(proposal.operator) for proposal in report.proposals)
    others = len(report.proposals) - made
    beside = f", {plural(others, 'look')} and judgements beside them" if others else ""
    return f"{made:,} decided{beside}"


def split_name(split: SplitReport) -> str:
    """Return what a split is called in a sentence."""
    return "sealed test" if split.split == "test" else "validation"


def headline(report: Report) -> str:
    """Return the result of a run in two or three sentences."""
    if report.champion is None:
        return "Nothing is evaluated yet."
    for split in (report.test, report.val):
        if split.comparison and split.comparison.difference:
            return _result(split, split.comparison)
    seed = report.test.seed or report.val.seed
    known = f" It scores {percent(seed.avg.value)}." if seed and seed.avg else ""
    if report.champion == SEED and not known:
        return "Nothing has a score yet."
    if report.champion == SEED:
        return f"No candidate is better than the seed, so the seed is the champion.{known}"
    return "The champion and the seed have no scored task in common, so nothing can be compared."


def _result(split: SplitReport, comparison: Comparison) -> str:
    seed, champion, found = split.seed, split.champion, comparison.difference
    assert seed
    assert seed.avg
    assert champion
    assert champion.avg
    assert found
    text = (
        f"On the {split_name(split)} tasks the champion scores {percent(champion.avg.value)} and"
        f" the seed {percent(seed.avg.value)}: {points(found.value)} points, 95% interval"
        f" {span(found)}, {plural(found.n, 'task')} paired."
    )
    if found.low <= 0 <= found.high:
        text += " The interval holds 0: no difference is shown."
    elif found.high < 0:
        text += " The champion is worse."
    if split.split != "test":
        text += " This is the score it was chosen by, not a sealed test."
    return text


def models(cost: RoleCost) -> str:
    """Return the models of a role."""
    return line(", ".join(cost.models))
