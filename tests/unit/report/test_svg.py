from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolith.report.data import Estimate, Node
from evolith.report.drawing import ticks
from evolith.report.svg import lineage, steps, whiskers

SHARES = st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted)
ESTIMATES = SHARES.map(lambda shares: Estimate(shares[1], shares[0], shares[2], 10))


def numbers(picture: str, *names: str) -> list[float]:
    return [
        float(element.attrib[name])
        for element in ET.fromstring(picture).iter()
        for name in names
        if name in element.attrib
    ]


@given(st.floats(1e-6, 1e12), st.integers(2, 8))
def test_ticks_are_few_start_at_0_and_stay_inside(most: float, count: int) -> None:
    found = ticks(most, count)
    assert found[0] == 0
    assert found == sorted(found)
    assert len(found) <= count + 1
    assert found[-1] <= most * (1 + 1e-6)


def test_ticks_are_round_numbers() -> None:
    assert ticks(830, 6) == [0, 200, 400, 600, 800]
    assert ticks(0.6, 4) == [0, 0.2, 0.4, 0.6]
    assert ticks(0, 4) == [0]


def test_a_curve_of_one_point_still_shows_its_interval() -> None:
    picture = steps([(100, Estimate(0.5, 0.4, 0.6, 9), "seed")], "rollouts", str, (340, 220))
    assert len(numbers(picture, "cx")) == 1
    assert 'class="whisker strong"' in picture


def test_an_axis_never_writes_two_marks_alike() -> None:
    nodes = [Node(f"c{n}", (), "", "", n, "accepted", 0.1, line=False) for n in range(2)]
    texts = [e.text for e in ET.fromstring(lineage(nodes, "c0", (720, 300))).iter("text")]
    assert (texts.count("0"), texts.count("1")) == (1, 1)


@given(st.lists(st.tuples(st.floats(0, 1e6), ESTIMATES), min_size=1, max_size=9))
def test_every_point_of_a_curve_lies_inside_the_picture(
    points: list[tuple[float, Estimate]],
) -> None:
    ordered = sorted(points, key=lambda point: point[0])
    picture = steps([(x, y, "c1") for x, y in ordered], "rollouts", str, (340, 220))
    assert all(0 <= x <= 340 for x in numbers(picture, "cx", "x1", "x2"))
    assert all(0 <= y <= 220 for y in numbers(picture, "cy", "y1", "y2"))


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=40))
def test_every_decided_candidate_is_a_node_inside_the_picture(vals: list[float | None]) -> None:
    nodes = [
        Node(f"c{n}", (f"c{n // 2}",) if n else (), "reflect", "", n, "accepted", val, line=False)
        for n, val in enumerate(vals)
    ]
    picture = lineage(nodes, "c0", (720, 300))
    assert len(numbers(picture, "cx")) == len(nodes)
    assert all(0 <= x <= 720 for x in numbers(picture, "cx"))
    assert all(0 <= y <= 300 for y in numbers(picture, "cy"))


def test_an_undecided_candidate_is_not_drawn() -> None:
    nodes = [Node("c1", (), "reflect", "", None, None, None, line=False)]
    assert numbers(lineage(nodes, "c1", (720, 300)), "cx") == []


@pytest.mark.parametrize("name", ["<b>", "a & b", "]]>", '"'])
def test_names_are_escaped(name: str) -> None:
    picture = whiskers([(name, Estimate(0.5, 0.4, 0.6, 9), True)], 340)
    texts = [element.text for element in ET.fromstring(picture).iter("text")]
    assert name in texts
