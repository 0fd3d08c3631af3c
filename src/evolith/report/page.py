"""Sets sections, tables and lists on a terminal, 80 columns wide or more."""

import sys
from collections.abc import Sequence
from itertools import accumulate

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from evolith.report.words import clean, line

MORE = "evolith report --json"
"""Where a reader finds what was cut from a list."""
WIDEST = 88
"""Lines of text get no longer than this on a wider terminal."""
NAME_LINES = 2
"""Lines that a list of task ids may take."""
LONGEST_NAME = 40
"""A name is cut after this many columns."""
LONGEST_TEXT = 160
"""A sentence in a table is cut after this many columns."""


class Page:
    """Prints to a console. All text is taken literally: nothing in it is markup.

    Args:
        console: Where to print.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self.width = min(console.width, WIDEST)

    def heading(self, title: str, aside: str = "") -> None:
        """Begin a section: an empty line, then its title and a word beside it."""
        self._console.print()
        text = Text(line(title), style="bold")
        if aside:
            text.append(f"  {line(aside)}", style="not bold dim")
        self._write(text)

    def blank(self) -> None:
        """Leave a line empty."""
        self._console.print()

    def ends(self, left: Text, right: Text) -> None:
        """Print one text at the left and one at the right, or below where there is no room."""
        if left.cell_len + right.cell_len >= self.width:
            self.text(left, 0)
            self.text(right, 0)
            return
        grid = Table.grid(expand=True, padding=(0, 1))
        grid.add_column()
        grid.add_column(justify="right")
        grid.add_row(left, right)
        self._console.print(grid, width=self.width, highlight=False)

    def text(self, text: str | Text, indent: int = 2, hang: int = 0) -> None:
        """Print a paragraph; lines after the first are indented by `hang` more."""
        body = Text(line(text)) if isinstance(text, str) else text
        rows = body.wrap(self._console, self.width - indent - hang)
        for place, row in enumerate(rows):
            row.rstrip()
            self._write(row, indent + (hang if place else 0))

    def points(self, items: Sequence[str], sign: str, style: str = "") -> None:
        """Print paragraphs with a sign before each."""
        for item in items:
            self.text(Text.assemble((sign, style), " ", line(item)), hang=len(sign) + 1)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> None:
        """Print aligned columns.

        Args:
            columns: Titles; `>` before one sets the column to the right, `~` lets it wrap, and
                the others are cut where there is no room. Without any title, no head is printed.
            rows: The cells; without any, nothing is printed.
        """
        if not rows:
            return
        head = any(column.lstrip(">~") for column in columns)
        grid = Table(box=None, show_header=head, pad_edge=False, padding=(0, 2, 0, 0))
        shown = [
            [_cell(cell, column) for cell, column in zip(row, columns, strict=True)] for row in rows
        ]
        for place, column in enumerate(columns):
            right, wraps = column.startswith(">"), column.startswith("~")
            grid.add_column(
                column.lstrip(">~"),
                header_style="not bold dim",
                justify="right" if right else "left",
                no_wrap=not wraps,
                overflow="fold" if wraps else "ellipsis",
                min_width=max(row[place].cell_len for row in shown) if right else None,
            )
        for row in shown:
            grid.add_row(*row)
        self._write(grid, 2)

    def names(self, label: Text, names: Sequence[str]) -> None:
        """Print as many names as two lines hold, and say how many are left out."""
        rest = [_shortened(line(name)) for name in names]
        lead = label
        for _ in range(NAME_LINES):
            count = _fitting(rest, self.width - 2 - label.cell_len)
            row, rest = ", ".join(rest[:count]), rest[count:]
            self._write(Text.assemble(lead, row, "," if rest else ""), 2)
            lead = Text(" " * label.cell_len)
            if not rest:
                break
        self.more(len(rest), indent=2 + label.cell_len)

    def more(self, count: int, noun: str = "more", where: str = MORE, indent: int = 2) -> None:
        """Say that `count` rows were left out and where they are; nothing for none."""
        if count:
            self._write(Text(f"and {count:,} {noun}: {where}", "dim"), indent)

    def diff(self, diff: str, lines: int | None = None, more: str = "") -> None:
        """Print a unified diff, cut after `lines` lines; `more` says where the rest is."""
        rows = clean(diff).split("\n")[:-1]
        room = lines or sys.maxsize
        for place, row in enumerate(rows):
            text = Text(row, _diff_style(row), overflow="fold")
            wrapped = text.wrap(self._console, self.width - 2)
            if len(wrapped) > room:
                self.more(len(rows) - place, "more lines", more)
                return
            room -= len(wrapped)
            for part in wrapped:
                self._write(part, 2)

    def _write(self, what: Text | Table, indent: int = 0) -> None:
        padded = Padding(what, (0, 0, 0, indent), expand=False)
        self._console.print(padded, width=self.width, highlight=False)


def _fitting(names: Sequence[str], width: int) -> int:
    """Return how many names, with a comma after each, fit into a line; at least one."""
    ends = accumulate(cell_len(name) + len(", ") for name in names)
    return max(1, sum(end <= width + 1 for end in ends))


def _cell(cell: str | Text, column: str) -> Text:
    text = Text(line(cell)) if isinstance(cell, str) else cell.copy()
    text.truncate(LONGEST_TEXT if column.startswith("~") else LONGEST_NAME, overflow="ellipsis")
    return text


def _shortened(name: str) -> str:
    text = Text(name)
    text.truncate(LONGEST_NAME, overflow="ellipsis")
    return text.plain


def _diff_style(row: str) -> str:
    if row.startswith(("+++", "---", "diff ", "new file", "deleted file")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(row[:1], "")
