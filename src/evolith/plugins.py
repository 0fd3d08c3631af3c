"""The user's own Python: found by `module:function`, and called so that its faults are told."""

import importlib
import inspect
import pkgutil
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from traceback import FrameSummary
from types import ModuleType
from typing import NoReturn

from anyio import CapacityLimiter, to_thread

from evolith.errors import ConfigError, EvolithError, did_you_mean

SPEC = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
"""What names a function: dotted module, colon, name."""


def load_callable(spec: str, base: Path) -> Callable[..., object]:
    """Return the function that `spec` names.

    Args:
        spec: `module:function`. The module is a file in `base` (`scoring:grade` is `grade` in
            `scoring.py`) or anything that can be imported.
        base: The config's folder. Python looks there first, during the import only.

    Raises:
        ConfigError: no such module or name, the name cannot be called, or the import failed.
    """
    module_name, _, name = spec.partition(":")
    if not SPEC.fullmatch(spec) or module_name.endswith(".py"):
        raise ConfigError(
            f"{spec!r} names no function",
            fix="write module:function, such as scoring:grade for grade in scoring.py",
        )
    module = _import(module_name, base)
    if not hasattr(module, name):
        known = [key for key, value in vars(module).items() if callable(value) and key[0] != "_"]
        raise ConfigError(
            f"there is no {name} in {module_name}",
            where=getattr(module, "__file__", None) or spec,
            fix=did_you_mean(name, known),
        )
    function = getattr(module, name)
    if not callable(function):
        raise ConfigError(
            f"{spec} is no function but {_a(type(function).__name__)}",
            where=getattr(module, "__file__", None) or spec,
            fix="name a function, or an object with __call__",
        )
    return function  # type: ignore[no-any-return]  # getattr knows no types


def is_async(function: Callable[..., object]) -> bool:
    """Say whether a function, or the `__call__` of an object, is declared with `async def`."""
    method = getattr(function, "__call__", None)  # noqa: B004 - it is looked into, not tested
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method)


async def call(function: Callable[..., object], *arguments: object) -> object:
    """Call the user's function: on the event loop if it is async, in a worker thread if not.

    The engine bounds how many run at once. A cancelled call is left behind in its thread.

    Raises:
        EvolithError: what the function raised, with file and line; errors of ours pass as they are.
    """
    guarded = partial(_guarded, function, *arguments)
    if is_async(function):
        result = guarded()
    else:
        result = await to_thread.run_sync(
            guarded, abandon_on_cancel=True, limiter=CapacityLimiter(1)
        )
    if not inspect.isawaitable(result):
        return result
    try:
        return await result
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's code may raise anything
        _tell(function, error)


def _import(name: str, base: Path) -> ModuleType:
    importlib.invalidate_caches()
    top = name.partition(".")[0]
    local = [info.name for info in pkgutil.iter_modules([str(base)])]
    for module in local:
        _forget_another(module, base, wanted=module == top)
    with _first_on_path(base):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise _not_imported(name, error) from None
            raise ConfigError(
                f"there is no module {error.name}",
                where=str(base),
                fix=f"install it, or write it as {top}.py there; {did_you_mean(top, local)}"
                if local
                else f"install it, or write it as {top}.py there",
            ) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a module may do anything
            raise _not_imported(name, error) from None


def _not_imported(name: str, error: BaseException) -> ConfigError:
    where, cause = _place_and_cause(error)
    return ConfigError(
        f"importing {name} failed with {cause}",
        where=where,
        fix="correct the file, or install what it imports",
    )


def _forget_another(name: str, base: Path, *, wanted: bool) -> None:
    """Make sure that `name` can only be the module in `base`.

    A module of that name from the folder of another config is forgotten, so that it is not taken
    for this one. One that Python finds without us must not be hidden, nor hide ours.

    Raises:
        ConfigError: the wanted module has the name of one that Python knows already.
    """
    ours = _origin(PathFinder.find_spec(name, [str(base)]))
    usual = _origin(PathFinder.find_spec(name))
    if usual not in (None, ours) or name in sys.stdlib_module_names:
        if wanted:
            raise ConfigError(
                f"the file has the name of another module, {name}",
                where=str(ours),
                fix="give it another name",
            )
        return
    loaded = sys.modules.get(name)
    if loaded is not None and _origin(loaded.__spec__) != ours:
        for key in [key for key in sys.modules if f"{key}.".startswith(f"{name}.")]:
            del sys.modules[key]


def _origin(spec: ModuleSpec | None) -> Path | None:
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).resolve()


@contextmanager
def _first_on_path(base: Path) -> Iterator[None]:
    entry = str(base.resolve())
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        sys.path.remove(entry)


def _guarded(function: Callable[..., object], *arguments: object) -> object:
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's code may raise anything
        _tell(function, error)


def _tell(function: Callable[..., object], error: BaseException) -> NoReturn:
    if isinstance(error, EvolithError):
        raise error
    where, cause = _place_and_cause(error)
    name = getattr(function, "__name__", type(function).__name__)
    raise EvolithError(f"{name} raised {cause}", where=where) from error


def _place_and_cause(error: BaseException) -> tuple[str, str]:
    """Return where an exception was raised, as `file:line`, and what it says, in one line."""
    text = " ".join(str(error).split())
    cause = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}", f"{type(error).__name__}: {error.msg}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_theirs(frame)]
    return (f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""), cause


def _is_theirs(frame: FrameSummary) -> bool:
    """Say whether a frame is the user's: not of the standard library, a package, or Evolith."""
    paths = sysconfig.get_paths()
    others = (paths["stdlib"], paths["purelib"], paths["platlib"], str(Path(__file__).parent), "<")
    return not frame.filename.startswith(others)


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
