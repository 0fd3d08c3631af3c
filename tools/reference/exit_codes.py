"""The reference of exit codes, from the one table of them."""

import ast
import inspect
from inspect import cleandoc

from evolith.cli.exit_codes import ExitCode
from tools.reference.markdown import NOTE, table


def page() -> str:
    """Return the text of the page."""
    meanings = attribute_docstrings(ExitCode)
    rows = [(f"`{code.value}`", meanings[code.name]) for code in ExitCode]
    parts = [
        "# Exit codes",
        NOTE,
        "Every `evolith` command ends with one of these.",
        table(("code", "meaning"), rows),
    ]
    return "\n\n".join(parts) + "\n"


def attribute_docstrings(cls: type) -> dict[str, str]:
    """Return the text below each attribute of a class."""
    (tree,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(tree, ast.ClassDef)
    found: dict[str, str] = {}
    for statement, following in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(following, ast.Expr):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if isinstance(target, ast.Name) and isinstance(following.value, ast.Constant):
                found[target.id] = cleandoc(str(following.value.value))
    return found
