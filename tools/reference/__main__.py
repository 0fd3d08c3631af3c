"""Writes the generated pages; with --check, only says which of them are stale."""

import sys
from pathlib import Path

from tools.reference import cli, config, events, exit_codes, modules

ROOT = Path(__file__).parents[2]
PAGES = {
    "docs/reference/config.md": config.page,
    "docs/reference/cli.md": cli.page,
    "docs/reference/events.md": events.page,
    "docs/reference/exit-codes.md": exit_codes.page,
}


def texts() -> dict[Path, str]:
    """Return what each generated file should hold."""
    found = {ROOT / name: page() for name, page in PAGES.items()}
    architecture = ROOT / "ARCHITECTURE.md"
    found[architecture] = modules.put_into(
        architecture.read_text("utf-8"), ROOT / "src" / "evolith"
    )
    return found


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    stale = [
        path
        for path, text in texts().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    if "--check" in arguments:
        for path in stale:
            sys.stderr.write(f"{path.relative_to(ROOT)} is stale; write it with: make docs\n")
        return 1 if stale else 0
    for path in stale:
        path.write_text(texts()[path], "utf-8")
        sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
