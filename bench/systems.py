"""The systems that are compared, by the names that the command takes."""

from collections.abc import Callable
from importlib import import_module

from bench.race import Race
from bench.row import Row

SYSTEMS = {
    "evolith": "bench.ours:evolith",
    "evolith-virtual": "bench.ours:evolith_virtual",
    "gepa-threads": "bench.peer_gepa:gepa_threads",
    "gepa-ind4": "bench.peer_gepa:gepa_ind4",
    "gepa-ind8": "bench.peer_gepa:gepa_ind8",
    "agentdescent-sync8": "bench.peer_agentdescent:agentdescent_sync8",
    "agentdescent-sync16": "bench.peer_agentdescent:agentdescent_sync16",
    "agentdescent-async8": "bench.peer_agentdescent:agentdescent_async8",
}
"""Where each is; imported when it runs, so that nobody needs the peers for a run without them."""
VIRTUAL = ("evolith-virtual",)
"""Those that need no server."""


def load(name: str) -> Callable[[Race], Row]:
    """Return what runs a system."""
    module, _, function = SYSTEMS[name].partition(":")
    found: Callable[[Race], Row] = getattr(import_module(module), function)
    return found
