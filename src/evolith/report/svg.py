"""The pictures of scores and of the lineage."""

from collections.abc import Callable, Sequence
from xml.etree import ElementTree as ET

from evolith.report.data import Estimate, Node
from evolith.report.drawing import (
    NARROW,
    Frame,
    add,
    at,
    axes,
    ceiling,
    ends,
    path,
    picture,
    stairs,
    write,
    written,
)
from evolith.report.words import line, named, percent

_LABELLED = 8  # more names than this on a lineage would cover each other
_CROWDED = 40  # with more candidates, those never run on validation are drawn without a line


def steps(
    points: Sequence[tuple[float, Estimate, str]],
    title: str,
    show: Callable[[float], str],
    size: tuple[int, int],
) -> str:
    """Draw the champion's score as steps in its 95% band.

    Args:
        points: x, the score from there on and whose it is; the last one is the end of the line.
        title: What the x axis counts.
        show: Writes a value of the x axis.
        size: Width and height in pixels.
    """
    frame = Frame(*size, points[-1][0], ceiling([p.high for _, p, _ in points]))
    svg = picture(frame, f"Validation score of the champion against {title}")
    axes(svg, frame, title, show)
    upper = stairs([(frame.x(x), frame.y(p.high)) for x, p, _ in points])
    lower = stairs([(frame.x(x), frame.y(p.low)) for x, p, _ in points])
    add(svg, "path", {"class": "band", "d": f"M{path(upper)}L{path(lower[::-1])}Z"})
    middle = stairs([(frame.x(x), frame.y(p.value)) for x, p, _ in points])
    add(svg, "path", {"class": "curve", "d": f"M{path(middle)}"})
    before = ""
    for x, point, name in points:
        if name == before:
            continue
        before = name
        dot = add(svg, "circle", at(frame.x(x), frame.y(point.value), 4, "dot"))
        add(dot, "title", {}, f"{line(name)}: {percent(point.value)} at {show(x)}")
    x, end = frame.x(frame.right), points[-1][1]
    whisker = ends(x, frame.y(end.low), x, frame.y(end.high))
    add(svg, "line", {"class": "whisker strong", **whisker})
    write(svg, x + 7, frame.y(end.value) + 4, percent(end.value), "end")
    return written(svg)


def lineage(nodes: Sequence[Node], champion: str, size: tuple[int, int]) -> str:
    """Draw the candidates by the decision about them and their validation score.

    Accepted candidates are filled, held ones are pale, the others are hollow; the champion's
    ancestry is strong.
    What was never run on validation stands in a strip below.
    """
    drawn = [node for node in nodes if node.order is not None]
    scores = [node.val for node in drawn if node.val is not None]
    last = max((node.order or 0 for node in drawn), default=0)
    frame = Frame(*size, last, ceiling([*scores, 0.05]), foot=66, inset=24)
    svg = picture(frame, "Lineage: validation score of each candidate by decision")
    axes(svg, frame, "decisions", lambda value: f"{value:,.0f}")
    strip = frame.height - frame.foot + 16
    if len(scores) < len(drawn):
        write(svg, frame.width - 2, strip + 4, "no val", "tick end-anchor")
    place = {
        node.id: (frame.x(node.order or 0), strip if node.val is None else frame.y(node.val))
        for node in drawn
    }
    crowded = len(drawn) > _CROWDED
    joined = [node for node in drawn if node.val is not None or not crowded]
    for node in sorted(joined, key=lambda node: node.line):
        for parent in node.parents:
            run = parent in place and place[parent][1] != strip
            if run or (parent in place and not crowded):
                # What was fused into it is no step of the way.
                strong = node.line and run and node.val is not None
                add(svg, "path", _edge(place[parent], place[node.id], strong=strong))
    for node in drawn:
        radius = 6.5 if node.id == champion else 3.2 if crowded else 4.5
        _node(svg, node, at(*place[node.id], radius, "node"), champion)
    _names(svg, drawn, place, champion, narrow=frame.width < NARROW)
    return written(svg)


def whiskers(rows: Sequence[tuple[str, Estimate, bool]], width: int) -> str:
    """Draw estimates below each other on one axis from 0 to 100%.

    Args:
        rows: Name, estimate, and whether it stands out.
        width: In pixels.
    """
    frame = Frame(width, 30 * len(rows) + 30, 1.0, 1.0, foot=24, left=112, head=0, side=62)
    svg = picture(frame, "Scores with their 95% intervals")
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, bottom = frame.x(tick), frame.height - frame.foot
        add(svg, "line", {"class": "grid", **ends(x, 4, x, bottom)})
        write(svg, x, frame.height - 7, f"{100 * tick:.0f}%", "tick middle")
    for place, (name, found, strong) in enumerate(rows):
        y, kind = 19 + 30 * place, "strong" if strong else "weak"
        write(svg, 0, y + 4, name, f"name {kind}")
        whisker = {
            "class": f"whisker {kind}",
            **ends(frame.x(found.low), y, frame.x(found.high), y),
        }
        add(svg, "line", whisker)
        dot = add(svg, "circle", at(frame.x(found.value), y, 5.5, f"point {kind}"))
        add(dot, "title", {}, f"{name}: {percent(found.value)}")
        write(svg, frame.x(1.0) + 12, y + 4, percent(found.value), f"value {kind}")
    return written(svg)


def _node(svg: ET.Element, node: Node, at: dict[str, str], champion: str) -> None:
    kind = "champion" if node.id == champion else node.outcome
    mark = add(svg, "circle", at | {"class": f"node {kind}"})
    val = "not run on validation" if node.val is None else percent(node.val)
    source = f" from {named(node.parents)}" if node.parents else ""
    words = f"{node.id}, {node.outcome}, {val}: {node.operator}{source}"
    add(mark, "title", {}, line(words))


def _names(
    svg: ET.Element,
    drawn: Sequence[Node],
    place: dict[str, tuple[float, float]],
    champion: str,
    *,
    narrow: bool,
) -> None:
    kept = [node.id for node in drawn if node.outcome == "accepted"]
    if narrow or len(kept) > _LABELLED:
        kept = [name for name in kept if name in ("seed", champion)]
    for name in kept:
        x, y = place[name]
        write(svg, x, y - 11, line(name)[:12], "name middle" + " strong" * (name == champion))


def _edge(start: tuple[float, float], end: tuple[float, float], *, strong: bool) -> dict[str, str]:
    (x, y), (to_x, to_y) = start, end
    bend = round((x + to_x) / 2, 1)
    curve = f"M{x} {y}C{bend} {y} {bend} {to_y} {to_x} {to_y}"
    return {"class": "edge strong" if strong else "edge", "d": curve}
