"""What every picture of a report is drawn with: axes, lines and texts as inline SVG.

Colours come from the style sheet of the page around them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from xml.etree import ElementTree as ET

NARROW = 480
"""Below this width, in pixels, a picture has less room for words."""


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


SMALLEST = 1e-300
"""Steps below this have no power of ten that a float can hold."""


def ticks(most: float, count: int) -> list[float]:
    """Return about `count` round numbers from 0 to `most`."""
    rough = most / count
    if rough < SMALLEST:
        return [0.0]
    scale = 10.0 ** floor(log10(rough))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= rough)
    return [round(step * n, 10) for n in range(floor(most / step + 1e-9) + 1)]


def ceiling(values: Sequence[float]) -> float:
    """Return the top of a score axis: the next tenth, at most 1."""
    return min(1.0, ceil(10 * max(values, default=1.0) + 1e-9) / 10)


def axes(svg: ET.Element, frame: Frame, title: str, show: Callable[[float], str]) -> None:
    """Draw the axis of a share at the left, and one of something else below.

    Args:
        svg: The picture.
        frame: Where its area lies.
        title: What the x axis counts.
        show: Writes a value of the x axis.
    """
    left, right = frame.left, frame.width - frame.side
    for tick in ticks(frame.top, 5):
        y = frame.y(tick)
        add(svg, "line", {"class": "grid", **ends(left, y, right, y)})
        write(svg, left - 8, y + 4, f"{100 * tick:.0f}%", "tick end-anchor")
    x_axis(svg, frame, title, show)


def x_axis(svg: ET.Element, frame: Frame, title: str, show: Callable[[float], str]) -> None:
    """Draw the axis below; otherwise as `axes`."""
    left, right, bottom = frame.left, frame.width - frame.side, frame.height - frame.foot
    marks = {
        show(tick): tick for tick in ticks(frame.right, 4 if frame.width < NARROW else 6)[::-1]
    }
    for mark, tick in marks.items():  # where two are written alike, the lower one stays
        write(svg, frame.x(tick), frame.height - 22, mark, "tick middle")
    add(svg, "line", {"class": "axis", **ends(left, bottom, right, bottom)})
    write(svg, (left + right) / 2, frame.height - 4, title, "tick middle")


def stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of steps that keep each level until the next point."""
    corners = [points[0]]
    for x, y in points[1:]:
        corners += [(x, corners[-1][1]), (x, y)]
    return corners


def path(points: Sequence[tuple[float, float]]) -> str:
    """Return the part of a path that goes through points, without its first letter."""
    return "L".join(f"{x} {y}" for x, y in points)


def picture(frame: Frame, label: str) -> ET.Element:
    """Return an empty picture; `label` says what it shows, to those who cannot see it."""
    box = f"0 0 {frame.width} {frame.height}"
    return ET.Element("svg", {"viewBox": box, "role": "img", "aria-label": label})


def add(parent: ET.Element, tag: str, attributes: dict[str, str], text: str = "") -> ET.Element:
    """Add an element and return it."""
    element = ET.SubElement(parent, tag, attributes)
    element.text = text or None
    return element


def write(parent: ET.Element, x: float, y: float, text: str, kind: str) -> None:
    """Add a text; `kind` is its class in the style sheet."""
    add(parent, "text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}"}, text)


def at(x: float, y: float, radius: float, kind: str) -> dict[str, str]:
    """Return the attributes of a circle."""
    return {"class": kind, "cx": str(x), "cy": str(y), "r": str(radius)}


def ends(x: float, y: float, to_x: float, to_y: float) -> dict[str, str]:
    """Return the attributes of a line from one point to another."""
    return {"x1": str(x), "y1": str(y), "x2": str(to_x), "y2": str(to_y)}


def written(svg: ET.Element) -> str:
    """Return the picture as text; every text in it is escaped."""
    return ET.tostring(svg, encoding="unicode", short_empty_elements=True)
