"""How a task is written for the model: text with names of fields in braces."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from string import Formatter

from evolith.core.task import Value, as_text
from evolith.errors import ConfigError, did_you_mean

KEY = "agent.template"


@dataclass(frozen=True, slots=True)
class Template:
    """Text in which `{name}` stands for a field of a task, and `{{` and `}}` for braces.

    Args:
        parts: Pairs of literal text and the name of the field after it, or None at the end.
    """

    parts: tuple[tuple[str, str | None], ...]

    @classmethod
    def parse(cls, text: str) -> "Template":
        """Read a template.

        Raises:
            ConfigError: braces that do not match, or more than a name in them; or no field at all.
        """
        try:
            parsed = list(Formatter().parse(text))
        except ValueError as error:
            raise ConfigError(
                f"the braces of the template are wrong ({error})",
                where=KEY,
                fix="write {input} for a field, and {{ and }} for braces in the text",
            ) from None
        for _, name, form, conversion in parsed:
            if name is not None and (not name or form or conversion):
                raise ConfigError(
                    "the template has braces that hold something else than the name of a field",
                    where=KEY,
                    fix="write {input} for a field, and {{ and }} for braces in the text",
                )
        template = cls(tuple((literal, name) for literal, name, _, _ in parsed))
        if not template.names:
            raise ConfigError(
                "the template names no field, so the model would see nothing of the task",
                where=KEY,
                fix="put {input} where the task belongs",
            )
        return template

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that are named, in order."""
        return tuple(name for _, name in self.parts if name is not None)

    def check(self, known: Collection[str]) -> None:
        """Refuse the name of a field that the agent cannot see.

        Raises:
            ConfigError: naming it and the nearest known one.
        """
        for name in self.names:
            if name not in known:
                raise ConfigError(
                    f"the template names {{{name}}}, which is no visible field of the tasks",
                    where=KEY,
                    fix=f"{did_you_mean(name, known)}; or add it to tasks.fields",
                )

    def render(self, values: Mapping[str, Value]) -> str:
        """Put the values in; text as it is, anything else as JSON. Braces in values are text.

        Raises:
            KeyError: a named field has no value.
        """
        return "".join(
            literal + ("" if name is None else as_text(values[name]))
            for literal, name in self.parts
        )
