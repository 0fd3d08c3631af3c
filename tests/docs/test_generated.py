"""What is made from the code is not older than the code."""

import subprocess
import sys
from pathlib import Path


def test_the_reference_and_the_module_map_are_up_to_date(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.reference", "--check"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_module_map_names_every_package_and_file_once(root: Path) -> None:
    _, _, rest = (root / "ARCHITECTURE.md").read_text("utf-8").partition("<!-- modules:")
    lines = rest.partition("<!-- end of modules -->")[0].splitlines()
    named = sorted(line.split()[1].strip("`*/") for line in lines if line.lstrip().startswith("- "))
    files = (root / "src" / "evolith").rglob("*.py")
    there = sorted(p.parent.name if p.name == "__init__.py" else p.name for p in files)
    assert named == there


def test_the_readme_fits_150_lines(root: Path) -> None:
    assert len((root / "README.md").read_text("utf-8").splitlines()) <= 150
