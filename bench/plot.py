"""Plots of results as one SVG: for each world, true score against seconds and against calls."""

from collections.abc import Sequence
from statistics import fmean
from xml.etree import ElementTree as ET

from bench.row import Row
from evolith.report.drawing import ticks

WIDTH, HEIGHT = 460, 300
"""Of one panel, in pixels."""
LEFT, RIGHT, TOP, FOOT = 46, 12, 34, 40
"""Room around its area."""
KEY = 26
"""Height of a line of the key."""
POINTS = 200
"""Places at which a curve is read."""
COLOURS = (
    "#c0392b", "#2471a3", "#5499c7", "#a9cce3", "#1e8449", "#52be80", "#a9dfbf",
    "#7d3c98", "#d68910", "#34495e", "#17a589", "#873600", "#f1948a", "#7f8c8d", "#000000",
)  # fmt: skip
AXES = (("seconds", 0), ("calls", 1))
"""What a panel counts, and where a point of a curve has it."""


def draw(rows: Sequence[Row]) -> str:
    """Return the picture.

    A curve is the mean over seeds of the true score of the system's choice; it ends where the first
    of its runs did.
    """
    worlds = list(dict.fromkeys(row.world for row in rows))
    systems = list(dict.fromkeys(row.system for row in rows))
    colours = {name: COLOURS[n % len(COLOURS)] for n, name in enumerate(systems)}
    keys = KEY * ((len(systems) + 3) // 4)
    width, height = WIDTH * len(AXES), HEIGHT * len(worlds) + keys
    svg = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "font-family": "sans-serif",
            "font-size": "12",
        },
    )
    ET.SubElement(svg, "rect", {"width": str(width), "height": str(height), "fill": "#fff"})
    for place, world in enumerate(worlds):
        there = [row for row in rows if row.world == world]
        for side, (title, axis) in enumerate(AXES):
            panel = _panel(svg, side * WIDTH, place * HEIGHT, f"{world}: true score by {title}")
            _curves(panel, there, axis, colours)
    for place, (name, colour) in enumerate(colours.items()):
        x = LEFT + place % 4 * (width - LEFT) / 4
        y = HEIGHT * len(worlds) + KEY * (place // 4) + KEY / 2
        _line(svg, [(x, y - 4), (x + 22, y - 4)], colour, 3)
        _text(svg, x + 28, y, name)
    return ET.tostring(svg, encoding="unicode")


def _panel(svg: ET.Element, x: int, y: int, title: str) -> ET.Element:
    panel = ET.SubElement(svg, "g", {"transform": f"translate({x} {y})"})
    _text(panel, LEFT, TOP - 14, title, weight="bold")
    for tenth in range(0, 11, 2):
        level = _y(tenth / 10)
        _line(panel, [(LEFT, level), (WIDTH - RIGHT, level)], "#ddd", 1)
        _text(panel, LEFT - 8, level + 4, f"{tenth / 10:.1f}", anchor="end")
    return panel


def _curves(panel: ET.Element, rows: Sequence[Row], axis: int, colours: dict[str, str]) -> None:
    ends = {row: row.end_s if axis == 0 else row.end_calls for row in rows}
    most = max(ends.values())
    _line(panel, [(LEFT, _y(rows[0].target)), (WIDTH - RIGHT, _y(rows[0].target))], "#999", 1)
    for at in ticks(most, 4):
        _text(panel, _x(at, most), HEIGHT - FOOT + 18, f"{at:,.0f}", anchor="middle")
    for name in dict.fromkeys(row.system for row in rows):
        runs = [row for row in rows if row.system == name]
        end = min(ends[row] for row in runs)
        places = [end * n / POINTS for n in range(POINTS + 1)]
        means = [fmean(_score_at(row, axis, at) for row in runs) for at in places]
        points = [(_x(at, most), _y(m)) for at, m in zip(places, means, strict=True)]
        _line(panel, points, colours[name], 2)


def _score_at(row: Row, axis: int, at: float) -> float:
    """Return the true score of what the system would have returned at that point."""
    reached = [point[3] for point in row.curve if point[axis] <= at]
    return reached[-1] if reached else 0.0


def _x(value: float, most: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * value / (most or 1)


def _y(score: float) -> float:
    return HEIGHT - FOOT - (HEIGHT - TOP - FOOT) * score


def _line(
    parent: ET.Element, points: Sequence[tuple[float, float]], colour: str, width: int
) -> None:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    style = {"fill": "none", "stroke": colour, "stroke-width": str(width)}
    ET.SubElement(parent, "polyline", {"points": path, **style})


def _text(
    parent: ET.Element, x: float, y: float, text: str, anchor: str = "start", weight: str = "normal"
) -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, "font-weight": weight}
    ET.SubElement(parent, "text", place).text = text
