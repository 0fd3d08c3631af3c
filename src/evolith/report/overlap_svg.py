"""The pictures of overlapping work: queues over time, and how stale proposals were."""

from collections.abc import Mapping, Sequence
from itertools import starmap

from evolith.report.drawing import (
    NARROW,
    Frame,
    add,
    ends,
    path,
    picture,
    stairs,
    ticks,
    write,
    written,
    x_axis,
)
from evolith.report.overlap_data import Beat
from evolith.report.words import line

_BAND = 40  # height of one stage
_MOST_BARS = 20  # a wider spread is drawn with what is beyond in one bar


def queues(names: Sequence[str], beats: Sequence[Beat], width: int) -> str:
    """Draw what waited and what was worked on in each stage, one below the other.

    Args:
        names: Of the stages, in the order of the beats' figures.
        beats: The stages at each moment; at least one.
        width: In pixels.
    """
    unit, seconds = ("minutes", 60.0) if beats[-1].seconds >= 120 else ("seconds", 1.0)  # noqa: PLR2004 - minutes from two on
    frame = Frame(
        width, _BAND * len(names) + 40, beats[-1].seconds / seconds, 1.0, left=74, side=96
    )
    svg = picture(frame, f"Items that waited and were worked on in each stage against {unit}")
    most = max(1, *(max(*beat.waiting, *beat.busy) for beat in beats))
    for place, name in enumerate(names):
        foot = _BAND * (place + 1)
        waiting, busy = (
            [0, *(counts[place] for counts in kind)]
            for kind in ([beat.waiting for beat in beats], [beat.busy for beat in beats])
        )
        moments = [0.0, *(beat.seconds / seconds for beat in beats)]

        def corner(moment: float, count: int, foot: int = foot) -> tuple[float, float]:
            return frame.x(moment), round(foot - (_BAND - 10) * count / most, 1)

        base = ends(frame.left, foot, frame.width - frame.side, foot)
        add(svg, "line", {"class": "grid", **base})
        for kind, counts in (("work", busy), ("queue", waiting)):
            steps = stairs(list(starmap(corner, zip(moments, counts, strict=True))))
            area = [(steps[0][0], float(foot)), *steps, (steps[-1][0], float(foot))]
            add(svg, "path", {"class": kind, "d": f"M{path(area)}Z"})
        write(svg, 0, foot - 6, line(name), "name")
        said = f"{max(waiting):,} / {max(busy):,}"
        write(svg, frame.width - frame.side + 10, foot - 6, said, "tick")
    x_axis(svg, frame, unit, lambda value: f"{value:,.10g}")
    return written(svg)


def staleness(counts: Mapping[int, int], size: tuple[int, int]) -> str:
    """Draw how many proposals were how stale, as bars.

    Args:
        counts: Proposals by staleness; at least one.
        size: Width and height in pixels.
    """
    last = min(max(counts), _MOST_BARS)
    bars = [counts.get(stale, 0) for stale in range(last)]
    bars.append(sum(count for stale, count in counts.items() if stale >= last))
    frame = Frame(*size, len(bars), max(bars), side=12, foot=40)
    svg = picture(frame, "Proposals by their staleness")
    for tick in ticks(frame.top, 4):
        y = frame.y(tick)
        if tick == int(tick):
            add(svg, "line", {"class": "grid", **ends(frame.left, y, frame.width - 12, y)})
            write(svg, frame.left - 8, y + 4, f"{tick:,.0f}", "tick end-anchor")
    every = _every(len(bars), frame.width)
    wide = frame.x(1) - frame.x(0)
    for place, count in enumerate(bars):
        x, top = frame.x(place), frame.y(count)
        beyond = place == last and max(counts) > last
        mark = f"{place}+" if beyond else str(place)
        box = {"x": f"{x + wide * 0.12:.1f}", "y": str(top), "width": f"{wide * 0.76:.1f}"}
        tall = f"{frame.height - frame.foot - top:.1f}"
        bar = add(svg, "rect", {"class": "bar", **box, "height": tall})
        add(bar, "title", {}, f"staleness {mark}: {count:,}")
        if place % every == 0:
            write(svg, x + wide / 2, frame.height - 22, mark, "tick middle")
    bottom = frame.height - frame.foot
    add(svg, "line", {"class": "axis", **ends(frame.left, bottom, frame.width - 12, bottom)})
    title = "changes accepted since its selection"
    write(svg, (frame.left + frame.width) / 2, frame.height - 4, title, "tick middle")
    return written(svg)


def _every(bars: int, width: int) -> int:
    """Return after how many bars a mark has room again."""
    return 1 if bars * 30 <= width else 2 if width >= NARROW else 4
