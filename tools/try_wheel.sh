#!/bin/sh
# Installs the built wheel into an environment of its own, away from the sources, and uses it there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
uv=$root/.venv/bin/uv
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$uv" venv --quiet --python "$root/.venv/bin/python" "$place/venv"
"$uv" pip install --quiet --python "$place/venv/bin/python" "$root"/dist/evolith-*.whl

cd "$place"
PATH=$place/venv/bin:$PATH
evolith --version
evolith init mine
python -c 'from pathlib import Path; from evolith.testing.project import write_project
write_project(Path("shelves"))'
cd shelves
evolith run evolith.toml --run-dir run >/dev/null
evolith report run --html report.html
evolith verify run
evolith replay run
