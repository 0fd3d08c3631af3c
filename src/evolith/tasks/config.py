"""The table `[tasks]`: where the tasks are, what their fields mean, and how they are split."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evolith.core.settings import Settings
from evolith.errors import ConfigError

Format = Literal["jsonl", "csv"]
"""How a task file is written."""
Size = Annotated[int, Field(ge=0, strict=True)] | Annotated[float, Field(ge=0, lt=1, strict=True)]
"""Rows as a whole number, or a share of them below 1."""


class SplitSizes(Settings):
    """How many rows each split gets: all as rows, or all as shares of the file."""

    train: Size
    """Rows that the search learns from."""
    val: Size
    """Rows that decide which candidate is best."""
    test: Size = 0
    """Rows that are sealed until the end; 0 for none."""

    @model_validator(mode="after")
    def _rows_or_shares(self) -> "SplitSizes":
        sizes = [size for size in (self.train, self.val, self.test) if size]
        if not self.train or not self.val:
            raise ConfigError(
                "the train split and the val split need rows",
                where="tasks.split",
                fix="give both a number above 0",
            )
        if len({type(size) for size in sizes}) > 1:
            raise ConfigError(
                "the split mixes rows and shares",
                where="tasks.split",
                fix="give whole numbers (rows) alone, or numbers below 1 (shares) alone",
            )
        if self.in_shares and sum(sizes) > 1 + 1e-9:
            raise ConfigError(
                f"the shares of the split add up to {sum(sizes):g}",
                where="tasks.split",
                fix="make them add up to 1 at most",
            )
        return self

    @property
    def in_shares(self) -> bool:
        """Whether the sizes are shares and no numbers of rows."""
        return isinstance(self.train, float)


class SplitValues(Settings):
    """Which values of `split_field` mean which split."""

    train: tuple[str, ...] = ("train",)
    """Values of rows for the train split."""
    val: tuple[str, ...] = ("val", "valid", "validation", "dev")
    """Values of rows for the val split."""
    test: tuple[str, ...] = ("test",)
    """Values of rows for the test split."""

    @model_validator(mode="after")
    def _each_once(self) -> "SplitValues":
        values = self.train + self.val + self.test
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise ConfigError(
                f"the value {twice!r} stands for two splits",
                where="tasks.split_values",
                fix="name each value once",
            )
        return self


class TasksConfig(Settings):
    """The tasks: one file that is split, or a file for each split."""

    file: str | None = None
    """JSONL or CSV file with all rows, relative to the config file."""
    train: str | None = None
    """File with the train rows, where each split has its own file."""
    val: str | None = None
    """File with the validation rows, where each split has its own file."""
    test: str | None = None
    """File with the test rows, where each split has its own file."""
    format: Format | None = None
    """How the files are written; told from the end of the name unless given."""
    encoding: str = "utf-8"
    """How the files are encoded, by its Python name, such as `cp1252` or `utf-16`."""
    input: str | tuple[str, ...] = "input"
    """Field that the agent is asked, or a list of fields, which become lines `name: value`."""
    answer: str | None = None
    """Field with the hidden answer, for the scorer alone; `answer` where the rows have one."""
    id: str | None = None
    """Field that names a task; `id` where the rows have one, else the line number."""
    fields: tuple[str, ...] = ()
    """Further fields that the agent may see."""
    hidden: tuple[str, ...] = ()
    """Further fields that only the scorer sees."""
    split: SplitSizes = SplitSizes(train=0.5, val=0.25, test=0.25)
    """Rows of each split, drawn at random: whole numbers are rows, numbers below 1 are shares."""
    split_field: str | None = None
    """Field that says to which split a row belongs, instead of `split`."""
    split_values: SplitValues = SplitValues()
    """Which values of `split_field` mean which split."""
    split_seed: int = 0
    """Seed of the random draw; another seed gives another split."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The fields that make the input."""
        return (self.input,) if isinstance(self.input, str) else self.input

    @model_validator(mode="after")
    def _one_source(self) -> "TasksConfig":
        files = [file for file in (self.train, self.val, self.test) if file is not None]
        if self.file is None and (self.train is None or self.val is None):
            raise ConfigError(
                "there is no task file",
                where="tasks.file",
                fix='name one, such as file = "tasks.jsonl", or both a train and a val file',
            )
        if self.file is not None and files:
            raise ConfigError(
                "there is one file for all splits and one for a single split",
                where="tasks.file",
                fix="keep either file, or train, val and test",
            )
        if len(set(files)) < len(files):
            raise ConfigError(
                "two splits have the same file",
                where="tasks.train",
                fix="give each its own rows, or set tasks.file to have one file split",
            )
        return self

    @model_validator(mode="after")
    def _one_way_to_split(self) -> "TasksConfig":
        allowed: tuple[str, ...] = ("split", "split_seed")
        reason = "split_field is not set"
        if self.file is None:
            allowed, reason = (), "each split has its own file"
        elif self.split_field is not None:
            allowed, reason = ("split_field", "split_values"), "split_field is set"
        for key in ("split", "split_field", "split_values", "split_seed"):
            if key in self.model_fields_set and key not in allowed:
                raise ConfigError(
                    f"{key} has no effect, since {reason}", where=f"tasks.{key}", fix="remove it"
                )
        return self

    @model_validator(mode="after")
    def _answers_stay_hidden(self) -> "TasksConfig":
        if not self.inputs:
            raise ConfigError(
                "the input has no field", where="tasks.input", fix="name at least one field"
            )
        ids = () if self.id is None else (self.id,)  # an agent sees the ids as well
        for key, seen in (("input", self.inputs), ("fields", self.fields), ("id", ids)):
            for name in seen:
                if name == (self.answer or "answer") or name in self.hidden:
                    raise ConfigError(
                        f"the agent would see the field {name}, which is for the scorer alone",
                        where=f"tasks.{key}",
                        fix=f"remove {name} there, or from answer and hidden",
                    )
        return self

    @model_validator(mode="after")
    def _known_encoding(self) -> "TasksConfig":
        try:
            "x".encode(self.encoding)
        except (LookupError, UnicodeError):
            raise ConfigError(
                f"there is no text encoding named {self.encoding!r}",
                where="tasks.encoding",
                fix='use a name that Python knows, such as "utf-8", "utf-16" or "cp1252"',
            ) from None
        return self
