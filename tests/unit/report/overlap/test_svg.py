from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from evolith.report.overlap_data import Beat
from evolith.report.overlap_svg import queues, staleness

COUNTS = st.lists(st.integers(0, 10**6), min_size=3, max_size=3).map(tuple)
BEATS = st.lists(st.tuples(st.floats(0.1, 1e5), COUNTS, COUNTS), min_size=1, max_size=20).map(
    lambda found: [Beat(*one) for one in sorted(found, key=lambda one: one[0])]
)
NAMES = ("rollout", "check", "commit")


def corners(picture: str) -> list[tuple[float, float]]:
    paths = [element.attrib["d"] for element in ET.fromstring(picture).iter("path")]
    pairs = [pair.split() for path in paths for pair in path.strip("MZ").split("L")]
    return [(float(x), float(y)) for x, y in pairs]


def texts(picture: str) -> list[str | None]:
    return [element.text for element in ET.fromstring(picture).iter("text")]


@given(BEATS)
def test_every_queue_lies_inside_the_picture(beats: list[Beat]) -> None:
    picture = queues(NAMES, beats, 720)
    height = float(ET.fromstring(picture).attrib["viewBox"].split()[3])
    assert all(0 <= x <= 720 and 0 <= y <= height for x, y in corners(picture))


def test_each_stage_has_its_name_and_the_most_that_waited_and_was_worked_on() -> None:
    beats = [Beat(10.0, (4, 0, 0), (1, 2, 0)), Beat(20.0, (0, 1, 0), (3, 0, 1))]
    found = texts(queues(NAMES, beats, 720))
    for name, said in (("rollout", "4 / 3"), ("check", "1 / 2"), ("commit", "0 / 1")):
        assert name in found
        assert said in found
    assert "seconds" in found


def test_a_long_run_is_drawn_by_minutes() -> None:
    assert "minutes" in texts(queues(NAMES, [Beat(600.0, (0, 0, 0), (0, 0, 0))], 340))


@given(st.dictionaries(st.integers(0, 200), st.integers(1, 10**6), min_size=1))
def test_no_proposal_is_left_out_of_the_bars(counts: dict[int, int]) -> None:
    picture = ET.fromstring(staleness(counts, (720, 200)))
    said = [title.text or "" for bar in picture.iter("rect") for title in bar]
    shown = [int(text.rpartition(": ")[2].replace(",", "")) for text in said]
    assert sum(shown) == sum(counts.values())
    assert len(shown) <= 21


def test_what_is_beyond_the_last_bar_is_marked() -> None:
    assert "20+" in texts(staleness({0: 5, 90: 1}, (720, 200)))
    assert "3+" not in texts(staleness({0: 5, 3: 1}, (720, 200)))
