"""The user's own Python is found, called, and its faults are told."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import get_ident

import pytest

from evolith.errors import BudgetExceeded, ConfigError, EvolithError
from evolith.plugins import call, load_callable


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return written


Write = Callable[[str, str], Path]


def refusal(spec: str, base: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_callable(spec, base)
    return caught.value


def test_a_function_in_a_file_beside_the_config_is_found(tmp_path: Path, write: Write) -> None:
    write("plug_found.py", "def double(x): return 2 * x\n")
    assert load_callable("plug_found:double", tmp_path)(4) == 8


def test_a_function_in_a_folder_beside_the_config_is_found(tmp_path: Path, write: Write) -> None:
    write("plug_folder/__init__.py", "")
    write("plug_folder/deep.py", "def one(): return 1\n")
    assert load_callable("plug_folder.deep:one", tmp_path)() == 1


def test_an_installed_function_is_found(tmp_path: Path) -> None:
    assert load_callable("posixpath:basename", tmp_path)("a/b") == "b"


def test_the_folder_is_on_the_path_during_the_import_alone(tmp_path: Path, write: Write) -> None:
    write("plug_helper.py", "VALUE = 3\n")
    write("plug_with_helper.py", "from plug_helper import VALUE\ndef value(): return VALUE\n")
    before = list(sys.path)
    assert load_callable("plug_with_helper:value", tmp_path)() == 3
    assert sys.path == before


def test_two_folders_with_the_same_file_names_are_kept_apart(tmp_path: Path, write: Write) -> None:
    for name, number in (("one", 1), ("two", 2)):
        write(f"{name}/plug_helper_of.py", f"VALUE = {number}\n")
        text = "from plug_helper_of import VALUE\ndef value(): return VALUE\n"
        write(f"{name}/plug_twice.py", text)
    functions = [load_callable("plug_twice:value", tmp_path / name) for name in ("one", "two")]
    assert [function() for function in functions] == [1, 2]


def test_one_file_is_imported_once_for_two_functions(tmp_path: Path, write: Write) -> None:
    write("plug_once.py", "seen = []\ndef add(x): seen.append(x)\ndef all(): return seen\n")
    load_callable("plug_once:add", tmp_path)(5)
    assert load_callable("plug_once:all", tmp_path)() == [5]


@pytest.mark.parametrize("spec", ["", "scoring", "scoring.py:grade", "a:b:c", "scoring:", "1:x"])
def test_what_names_no_function_is_refused(spec: str, tmp_path: Path) -> None:
    assert "module:function" in refusal(spec, tmp_path).fix


def test_a_missing_module_is_refused_with_the_nearest_file(tmp_path: Path, write: Write) -> None:
    write("plug_scoring.py", "")
    error = refusal("plug_scorin:grade", tmp_path)
    assert "no module plug_scorin" in error.message
    assert "plug_scoring" in error.fix


def test_a_missing_name_is_refused_with_the_nearest(tmp_path: Path, write: Write) -> None:
    path = write("plug_names.py", "def grade(task, trajectory): return 1\n")
    error = refusal("plug_names:grad", tmp_path)
    assert error.where == str(path)
    assert "did you mean grade?" in error.fix


def test_a_missing_name_in_a_built_in_module_is_refused(tmp_path: Path) -> None:
    assert "did you mean gcd?" in refusal("math:gdc", tmp_path).fix


def test_what_cannot_be_called_is_refused(tmp_path: Path, write: Write) -> None:
    write("plug_value.py", "grade = 3\n")
    assert "is no function but an int" in refusal("plug_value:grade", tmp_path).message


def test_an_exception_during_the_import_is_told_with_file_and_line(
    tmp_path: Path, write: Write
) -> None:
    path = write("plug_broken.py", "x = 1\n\nx / 0\n")
    error = refusal("plug_broken:grade", tmp_path)
    assert error.where == f"{path}:3"
    assert "ZeroDivisionError: division by zero" in error.message


def test_a_syntax_error_is_told_with_file_and_line(tmp_path: Path, write: Write) -> None:
    path = write("plug_syntax.py", "def grade(:\n")
    assert refusal("plug_syntax:grade", tmp_path).where == f"{path}:1"


def test_a_package_that_the_file_lacks_is_named(tmp_path: Path, write: Write) -> None:
    path = write("plug_lacking.py", "import no_such_package_here\n")
    error = refusal("plug_lacking:grade", tmp_path)
    assert "no_such_package_here" in error.message
    assert error.where == f"{path}:1"


def test_a_file_that_ends_the_program_is_refused(tmp_path: Path, write: Write) -> None:
    write("plug_exits.py", "import sys\nsys.exit(3)\n")
    assert "SystemExit: 3" in refusal("plug_exits:grade", tmp_path).message


def test_a_file_with_the_name_of_a_library_is_refused(tmp_path: Path, write: Write) -> None:
    path = write("json.py", "def grade(): return 1\n")
    error = refusal("json:grade", tmp_path)
    assert error.where == str(path)
    assert "another name" in error.fix


@pytest.mark.anyio
async def test_a_plain_function_runs_in_a_thread_and_an_async_one_does_not() -> None:
    async def here() -> int:
        return get_ident()

    class Callable_:  # noqa: N801 - stands for a user's class
        async def __call__(self) -> int:
            return get_ident()

    assert await call(get_ident) != get_ident()
    assert await call(here) == get_ident()
    assert await call(partial(here)) == get_ident()
    assert await call(Callable_()) == get_ident()


@pytest.mark.anyio
async def test_an_awaitable_from_a_plain_function_is_awaited() -> None:
    async def later() -> int:
        return 7

    assert await call(lambda: later()) == 7  # noqa: PLW0108 - the lambda is the point


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_what_the_function_raises_is_told_with_file_and_line(
    kind: str, tmp_path: Path, write: Write
) -> None:
    name = f"plug_raises_{kind.replace(' ', '_')}"
    text = f"import json\n{kind} grade():\n    return json.loads('no')\n"
    path = write(f"{name}.py", text)
    with pytest.raises(EvolithError) as caught:
        await call(load_callable(f"{name}:grade", tmp_path))
    assert caught.value.where == f"{path}:3"
    assert caught.value.message.startswith("grade raised JSONDecodeError: Expecting value")


@pytest.mark.anyio
@pytest.mark.parametrize("error", [SystemExit(2), StopIteration(), KeyError("x")])
async def test_even_odd_exceptions_become_errors_of_ours(error: BaseException) -> None:
    def odd() -> None:
        raise error

    with pytest.raises(EvolithError, match=type(error).__name__):
        await call(odd)


@pytest.mark.anyio
async def test_errors_of_ours_pass_as_they_are() -> None:
    def stop() -> None:
        raise BudgetExceeded("no more")

    with pytest.raises(BudgetExceeded):
        await call(stop)
