"""Pictures of a report as inline SVG. Colours come from the style sheet of the page around them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from xml.etree import ElementTree as ET

from evolith.report.data import Estimate, Node
from evolith.report.words import line, percent

_LABELLED = 8  # more names than this on a lineage would cover each other
_CROWDED = 40  # with more candidates, those never run on validation are drawn without a line
_NARROW = 480


@dataclass(frozen=True, slots=True)
class Frame:
    """The area of a chart and what its edges mean.

    Args:
        width: Of the whole picture, in pixels.
        height: Of the whole picture, in pixels.
        right: The greatest value on the x axis.
        top: The greatest value on the y axis.
        foot: Room below the area.
        left: Room beside it, for the marks of the y axis.
        head: Room above.
        side: Room at the right.
        inset: How far inside the area 0 lies.
    """

    width: int
    height: int
    right: float
    top: float
    foot: int = 40
    left: int = 44
    head: int = 18
    side: int = 52
    inset: int = 0

    def x(self, value: float) -> float:
        """Return where a value of the x axis lies."""
        start = self.left + self.inset
        room = self.width - start - self.side
        return round(start + room * value / (self.right or 1), 1)

    def y(self, value: float) -> float:
        """Return where a value of the y axis lies."""
        room = self.height - self.head - self.foot
        return round(self.height - self.foot - room * value / (self.top or 1), 1)


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
    frame = Frame(*size, points[-1][0], _ceiling([p.high for _, p, _ in points]))
    svg = _picture(frame, f"Validation score of the champion against {title}")
    _axes(svg, frame, title, show)
    upper = _stairs([(frame.x(x), frame.y(p.high)) for x, p, _ in points])
    lower = _stairs([(frame.x(x), frame.y(p.low)) for x, p, _ in points])
    _add(svg, "path", {"class": "band", "d": f"M{_path(upper)}L{_path(lower[::-1])}Z"})
    middle = _stairs([(frame.x(x), frame.y(p.value)) for x, p, _ in points])
    _add(svg, "path", {"class": "curve", "d": f"M{_path(middle)}"})
    before = ""
    for x, point, name in points:
        if name == before:
            continue
        before = name
        dot = _add(svg, "circle", _at(frame.x(x), frame.y(point.value), 4, "dot"))
        _add(dot, "title", {}, f"{line(name)}: {percent(point.value)} at {show(x)}")
    x, end = frame.x(frame.right), points[-1][1]
    whisker = _line(x, frame.y(end.low), x, frame.y(end.high))
    _add(svg, "line", {"class": "whisker strong", **whisker})
    _text(svg, x + 7, frame.y(end.value) + 4, percent(end.value), "end")
    return _written(svg)


def lineage(nodes: Sequence[Node], champion: str, size: tuple[int, int]) -> str:
    """Draw the candidates by the decision about them and their validation score.

    Accepted candidates are filled, rejected ones are hollow; the champion's ancestry is strong.
    What was never run on validation stands in a strip below.
    """
    drawn = [node for node in nodes if node.order is not None]
    scores = [node.val for node in drawn if node.val is not None]
    last = max((node.order or 0 for node in drawn), default=0)
    frame = Frame(*size, last, _ceiling([*scores, 0.05]), foot=66, inset=24)
    svg = _picture(frame, "Lineage: validation score of each candidate by decision")
    _axes(svg, frame, "decisions", lambda value: f"{value:,.0f}")
    strip = frame.height - frame.foot + 16
    if len(scores) < len(drawn):
        _text(svg, frame.width - 2, strip + 4, "no val", "tick end-anchor")
    place = {
        node.id: (frame.x(node.order or 0), strip if node.val is None else frame.y(node.val))
        for node in drawn
    }
    crowded = len(drawn) > _CROWDED
    joined = [node for node in drawn if node.val is not None or not crowded]
    for node in sorted(joined, key=lambda node: node.line):
        for parent in node.parents:
            if parent in place:
                _add(svg, "path", _edge(place[parent], place[node.id], strong=node.line))
    for node in drawn:
        radius = 6.5 if node.id == champion else 3.2 if crowded else 4.5
        _node(svg, node, _at(*place[node.id], radius, "node"), champion)
    _names(svg, drawn, place, champion, narrow=frame.width < _NARROW)
    return _written(svg)


def whiskers(rows: Sequence[tuple[str, Estimate, bool]], width: int) -> str:
    """Draw estimates below each other on one axis from 0 to 100%.

    Args:
        rows: Name, estimate, and whether it stands out.
        width: In pixels.
    """
    frame = Frame(width, 30 * len(rows) + 30, 1.0, 1.0, foot=24, left=112, head=0, side=62)
    svg = _picture(frame, "Scores with their 95% intervals")
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, bottom = frame.x(tick), frame.height - frame.foot
        _add(svg, "line", {"class": "grid", **_line(x, 4, x, bottom)})
        _text(svg, x, frame.height - 7, f"{100 * tick:.0f}%", "tick middle")
    for place, (name, found, strong) in enumerate(rows):
        y, kind = 19 + 30 * place, "strong" if strong else "weak"
        _text(svg, 0, y + 4, name, f"name {kind}")
        whisker = {
            "class": f"whisker {kind}",
            **_line(frame.x(found.low), y, frame.x(found.high), y),
        }
        _add(svg, "line", whisker)
        dot = _add(svg, "circle", _at(frame.x(found.value), y, 5.5, f"point {kind}"))
        _add(dot, "title", {}, f"{name}: {percent(found.value)}")
        _text(svg, frame.x(1.0) + 12, y + 4, percent(found.value), f"value {kind}")
    return _written(svg)


def ticks(most: float, count: int) -> list[float]:
    """Return about `count` round numbers from 0 to `most`."""
    if most <= 0:
        return [0.0]
    rough = most / count
    scale = 10.0 ** floor(log10(rough))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= rough)
    return [round(step * n, 10) for n in range(floor(most / step + 1e-9) + 1)]


def _ceiling(values: Sequence[float]) -> float:
    """Return the top of a score axis: the next tenth, at most 1."""
    return min(1.0, ceil(10 * max(values, default=1.0) + 1e-9) / 10)


def _axes(svg: ET.Element, frame: Frame, title: str, show: Callable[[float], str]) -> None:
    left, right, bottom = frame.left, frame.width - frame.side, frame.height - frame.foot
    for tick in ticks(frame.top, 5):
        y = frame.y(tick)
        _add(svg, "line", {"class": "grid", **_line(left, y, right, y)})
        _text(svg, left - 8, y + 4, f"{100 * tick:.0f}%", "tick end-anchor")
    marks = {
        show(tick): tick for tick in ticks(frame.right, 4 if frame.width < _NARROW else 6)[::-1]
    }
    for mark, tick in marks.items():  # where two are written alike, the lower one stays
        _text(svg, frame.x(tick), frame.height - 22, mark, "tick middle")
    _add(svg, "line", {"class": "axis", **_line(left, bottom, right, bottom)})
    _text(svg, (left + right) / 2, frame.height - 4, title, "tick middle")


def _node(svg: ET.Element, node: Node, at: dict[str, str], champion: str) -> None:
    kind = "champion" if node.id == champion else node.outcome
    mark = _add(svg, "circle", at | {"class": f"node {kind}"})
    val = "not run on validation" if node.val is None else percent(node.val)
    source = f" from {' and '.join(node.parents)}" if node.parents else ""
    words = f"{node.id}, {node.outcome}, {val}: {node.operator}{source}"
    _add(mark, "title", {}, line(words))


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
        _text(svg, x, y - 11, line(name)[:12], "name middle" + " strong" * (name == champion))


def _edge(start: tuple[float, float], end: tuple[float, float], *, strong: bool) -> dict[str, str]:
    (x, y), (to_x, to_y) = start, end
    bend = round((x + to_x) / 2, 1)
    path = f"M{x} {y}C{bend} {y} {bend} {to_y} {to_x} {to_y}"
    return {"class": "edge strong" if strong else "edge", "d": path}


def _stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of steps that keep each level until the next point."""
    corners = [points[0]]
    for x, y in points[1:]:
        corners += [(x, corners[-1][1]), (x, y)]
    return corners


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x} {y}" for x, y in points)


def _picture(frame: Frame, label: str) -> ET.Element:
    box = f"0 0 {frame.width} {frame.height}"
    return ET.Element("svg", {"viewBox": box, "role": "img", "aria-label": label})


def _add(parent: ET.Element, tag: str, attributes: dict[str, str], text: str = "") -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    element.text = text or None
    return element


def _text(parent: ET.Element, x: float, y: float, text: str, kind: str) -> None:
    _add(parent, "text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}"}, text)


def _at(x: float, y: float, radius: float, kind: str) -> dict[str, str]:
    return {"class": kind, "cx": str(x), "cy": str(y), "r": str(radius)}


def _line(x: float, y: float, to_x: float, to_y: float) -> dict[str, str]:
    return {"x1": str(x), "y1": str(y), "x2": str(to_x), "y2": str(to_y)}


def _written(svg: ET.Element) -> str:
    return ET.tostring(svg, encoding="unicode", short_empty_elements=True)
