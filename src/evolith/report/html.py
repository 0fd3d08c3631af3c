"""The report as one HTML file: no script, no outside reference, light and dark."""

from collections.abc import Callable

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evolith.report import overlap_svg, overlap_tables, svg, tables
from evolith.report.data import CurvePoint, Estimate, Report
from evolith.report.words import (
    claimed,
    clean,
    decided,
    duration,
    headline,
    line,
    money_each,
    p_value,
    plural,
)

_WIDE, _NARROW = (720, 300), (340, 260)
_OPEN = 12  # a list longer than this is folded


def to_html(report: Report) -> str:
    """Return a report as an HTML page; texts of models and users are escaped."""
    environment = Environment(
        loader=PackageLoader("evolith.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"clean": clean, "line": line, "duration": duration, "p": p_value}
    return environment.get_template("report.html.j2").render(
        report=report,
        headline=headline(report),
        about=_about(report),
        splits=[split for split in (report.test, report.val) if split.seed],
        tables=tables,
        plural=plural,
        folded=_OPEN,
        whiskers=_whiskers(report),
        curves=_curves(report),
        lineage=_lineage(report),
        overlap_tables=overlap_tables,
        queues=_queues(report),
        staleness=_staleness(report),
        claimed=claimed(report.claim) if report.claim else "",
        decided=decided(report),
        money_each=money_each(report.pace) if report.pace else "",
        diff=[(_kind(row), row) for row in clean(report.change.diff).split("\n")[:-1]],
    )


def _about(report: Report) -> list[str]:
    state = report.state
    sessions = plural(state.sessions, "session")
    killed = f" ({state.killed} killed)" if state.killed else ""
    words = [report.algorithm, report.schedule, f"seed {report.seed}", f"{sessions}{killed}"]
    return [line(word) for word in (*words, f"{duration(state.seconds)} of work") if word]


def _whiskers(report: Report) -> list[tuple[str, Markup]]:
    rows = []
    for split, name in ((report.test, "test"), (report.val, "validation")):
        for measured, who in ((split.seed, "seed"), (split.champion, "champion")):
            if measured and measured.avg:
                strong = split.split == "test" or not report.test.seed
                label = f"{who}, {'val' if name == 'validation' else name}"
                rows.append((label, measured.avg, strong and who == "champion"))
    if rows and report.claim:
        rows.append(("claimed", report.claim.value, False))
    if not rows:
        return []
    return _both(lambda size: svg.whiskers(rows, size[0]))


def _curves(report: Report) -> list[tuple[str, Markup]]:
    if not report.curve:
        return []
    pictures = _both(
        lambda size: svg.steps(_points(report, lambda p: p.rollouts), "rollouts", _count, size)
    )
    small = [
        svg.steps(_points(report, lambda p: p.tokens), "tokens", _short, (340, 220)),
        svg.steps(_points(report, lambda p: p.seconds / 60), "minutes", _count, (340, 220)),
    ]
    return [*pictures, *(("half", Markup(picture)) for picture in small)]  # noqa: S704 - see svg


def _lineage(report: Report) -> list[tuple[str, Markup]]:
    if len(report.lineage) <= 1 or not report.champion:
        return []
    champion = report.champion
    return _both(lambda size: svg.lineage(report.lineage, champion, size))


def _queues(report: Report) -> list[tuple[str, Markup]]:
    overlap = report.overlap
    if overlap is None or not overlap.beats:
        return []
    names = [*(stage.name for stage in overlap.stages), "commit"]
    return _both(lambda size: overlap_svg.queues(names, overlap.beats, size[0]))


def _staleness(report: Report) -> list[tuple[str, Markup]]:
    counts = report.overlap.staleness if report.overlap else {}
    if not any(counts):
        return []
    return _both(lambda size: overlap_svg.staleness(counts, (size[0], 200)))


def _both(draw: Callable[[tuple[int, int]], str]) -> list[tuple[str, Markup]]:
    """Draw for a wide page and for a phone; the style sheet shows one of the two."""
    # The pictures are written by an XML library, which escapes every text in them.
    return [("wide", Markup(draw(_WIDE))), ("narrow", Markup(draw(_NARROW)))]  # noqa: S704 - see above


def _points(report: Report, x: Callable[[CurvePoint], float]) -> list[tuple[float, Estimate, str]]:
    return [(x(point), point.val, point.candidate) for point in report.curve]


def _count(value: float) -> str:
    return f"{value:,.10g}" if value != int(value) else f"{value:,.0f}"


def _short(value: float) -> str:
    """Return a large number such as `350k`."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:.10g}{letter}"
    return f"{value:.10g}"


def _kind(row: str) -> str:
    """Return the style of a line of a diff."""
    if row.startswith(("+++", "---", "diff ", "new file", "deleted file")):
        return "file"
    return {"+": "add", "-": "del", "@": "hunk"}.get(row[:1], "same")
