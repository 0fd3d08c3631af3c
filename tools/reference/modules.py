"""The module map of ARCHITECTURE.md, from the docstring of each module."""

import ast
from collections.abc import Iterator
from pathlib import Path

BEGIN, END = "<!-- modules: made by `make docs` -->", "<!-- end of modules -->"


def put_into(text: str, package: Path) -> str:
    """Return `text` with the present map between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{module_map(package)}\n\n{END}{after}"


def module_map(package: Path) -> str:
    """Return every package and file below `package`, each with the first line of its docstring."""
    return "\n".join(_lines(package, 0))


def _lines(folder: Path, depth: int) -> Iterator[str]:
    indent = "  " * depth
    yield f"{indent}- **{folder.name}/** {_first_line(folder / '__init__.py')}"
    for path in sorted(folder.iterdir(), key=lambda p: (p.is_dir(), p.name)):
        if path.is_dir() and (path / "__init__.py").exists():
            yield from _lines(path, depth + 1)
        elif path.suffix == ".py" and path.name != "__init__.py":
            yield f"{indent}  - `{path.name}` {_first_line(path)}"


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    if not docstring:
        raise ValueError(f"{path} has no docstring")
    return docstring.partition("\n\n")[0].replace("\n", " ")
